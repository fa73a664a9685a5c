(* DAME, Algorithm 1: the vote of the users with many records, the shrunk means of all, and the released code's closed bins.
   Models of userdp.local.unequal.dame, its printed=True, and of userdp.local.localise.Ballot. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means.
Import ListNotations.
Open Scope R_scope.

(* A user is a list of records; its length, the user's size, is as private as they are. *)
Definition own_mean (records : list R) : R := mean (length records) records.
Definition half_width (n cap : nat) (eps : R) : R :=
  sqrt (2 * ln (8 * Rmax (sqrt (INR cap * INR n * eps ^ 2)) 1) / INR cap).
(* Users with at least cap records vote for their bin and its two neighbours, the others for none. *)
Definition votes_of_the_large (cap : nat) (tau : R) (u : list R) : list bool :=
  if (cap <=? length u)%nat then ballot 1 tau own_mean u else repeat false (bins tau).
Definition centre (tau : R) (j : nat) : R := (left_end tau j + Rmin 1 (left_end tau (j + 1))) / 2.
Definition weight (cap : nat) (u : list R) : R := sqrt (INR (Nat.min (length u) cap) / INR cap).
Definition shrunk (cap : nat) (s : R) (u : list R) : R := weight cap u * own_mean u + (1 - weight cap u) * s.
Definition algorithm_1 (n cap : nat) (eps : R) (seen : list answer) : question (list R) :=
  let tau := half_width n cap eps in
  if (length seen <? n / 2)%nat then Cast (bins tau) 3 (votes_of_the_large cap tau)
  else let j := winner tau (fun _ => true) seen in refine 6 tau j (shrunk cap (centre tau j)).

Lemma half_width_positive n cap eps : (0 < cap)%nat -> 0 < half_width n cap eps.
Proof.
  intros H. apply lt_INR in H. simpl in H. unfold half_width. apply sqrt_lt_R0, Rdiv_lt_0_compat; [| exact H].
  apply Rmult_lt_0_compat; [lra |]. rewrite <- ln_1. apply ln_increasing; [lra |].
  pose proof (Rmax_r (sqrt (INR cap * INR n * eps ^ 2)) 1). lra.
Qed.
Lemma votes_of_the_large_ballots cap tau : 0 < tau -> ballots (bins tau) 3 (votes_of_the_large cap tau).
Proof.
  intros H u. unfold votes_of_the_large. destruct (cap <=? length u)%nat.
  - exact (ballot_ballots 1 tau own_mean H u).
  - rewrite repeat_length, ones_repeat_false. lia.
Qed.
Lemma algorithm_1_fair n cap eps seen : (0 < cap)%nat -> fair (algorithm_1 n cap eps seen).
Proof.
  intros H. apply (half_width_positive n cap eps) in H. unfold algorithm_1. destruct (length seen <? n / 2)%nat.
  - split; [lia | now apply votes_of_the_large_ballots].
  - apply refine_fair; lra.
Qed.
(* dame-alg-1 part: privacy of the whole transcript, sizes included *)
Theorem dame_is_private n cap eps : (0 < cap)%nat -> 0 < eps ->
  private replaced eps (transcript (follow eps (algorithm_1 n cap eps)) []).
Proof. intros H He. apply follow_private; [exact He |]. intros seen. now apply algorithm_1_fair. Qed.
(* dame-alg-1 part: every vote is a distribution, every report a density *)
Theorem dame_is_lawful n cap eps seen u : (0 < cap)%nat -> 0 < eps ->
  lawful (algorithm_1 n cap eps seen) (follow eps (algorithm_1 n cap eps) seen u).
Proof. intros H He. apply asked_lawful; [exact He | now apply algorithm_1_fair]. Qed.
Lemma own_mean_repeat m c : (0 < m)%nat -> own_mean (repeat c m) = c.
Proof. intros H. unfold own_mean. rewrite repeat_length. now apply mean_repeat. Qed.
(* dame-alg-1 part: a vote loses the whole budget, if there are six bins *)
Theorem dame_vote_loses_the_budget n cap eps others : (0 < cap)%nat -> (2 <= n)%nat -> 0 < eps ->
  (6 <= bins (half_width n cap eps))%nat ->
  exists u v answers, 0 < transcript (follow eps (algorithm_1 n cap eps)) [] (v :: others) answers /\
    transcript (follow eps (algorithm_1 n cap eps)) [] (u :: others) answers =
      exp eps * transcript (follow eps (algorithm_1 n cap eps)) [] (v :: others) answers.
Proof.
  intros H Hn He B. pose proof (half_width_positive n cap eps H) as T. set (tau := half_width n cap eps) in *.
  exists (repeat (left_end tau 1) cap), (repeat (left_end tau 4) cap).
  apply follow_attains; [exact He | intros; now apply algorithm_1_fair |].
  unfold algorithm_1. fold tau. simpl length.
  replace (0 <? n / 2)%nat with true by (symmetry; apply Nat.ltb_lt, Nat.div_str_pos; lia).
  destruct (votes_of_the_large_ballots cap tau T (repeat (left_end tau 1) cap)) as [L1 _].
  destruct (votes_of_the_large_ballots cap tau T (repeat (left_end tau 4) cap)) as [L4 _].
  apply cast_attains; [lia | congruence |]. unfold votes_of_the_large. rewrite !repeat_length, Nat.leb_refl.
  apply (ballot_differences 1); [exact T | ..]; rewrite !own_mean_repeat, !bin_of_left_end by (try exact T; lia); lia.
Qed.
Lemma weight_of_the_large cap c : (0 < cap)%nat -> weight cap (repeat c cap) = 1.
Proof.
  intros H. unfold weight. rewrite repeat_length, Nat.min_id. apply lt_INR in H. simpl in H.
  unfold Rdiv. rewrite Rinv_r by lra. apply sqrt_1.
Qed.
(* dame-alg-1 part: no smaller budget holds for a number, by an event; records in [-1, 1] if the interval is *)
Theorem dame_report_loses_the_budget cap tau j eps e : (0 < cap)%nat -> 0 < tau -> 0 < eps -> e < eps ->
  ~ private_by_masses anyone e
      (report (left_end tau j - 6 * tau) (left_end tau (j + 1) + 6 * tau) eps (shrunk cap (centre tau j))).
Proof.
  intros H T He Hl. pose proof (refine_length 6 tau j) as L.
  apply report_no_less with (x := repeat (left_end tau j - 6 * tau) cap)
    (y := repeat (left_end tau (j + 1) + 6 * tau) cap); try lra;
    unfold shrunk; rewrite weight_of_the_large, own_mean_repeat by exact H; lra.
Qed.
(* dame-alg-1 part: shrinking is undone on average, whatever the centre *)
Theorem dame_undoes_its_shrinkage {S} (sizes : list S) (p w : S -> R) theta s :
  Privacy.sum sizes p = 1 -> Privacy.sum sizes (fun m => p m * w m) <> 0 ->
  let mean_weight := Privacy.sum sizes (fun m => p m * w m) in
  (Privacy.sum sizes (fun m => p m * (w m * theta + (1 - w m) * s)) - (1 - mean_weight) * s) / mean_weight = theta.
Proof.
  intros P W mean_weight. set (E := Privacy.sum sizes (fun m => p m * w m)) in *. unfold mean_weight.
  assert (X : Privacy.sum sizes (fun m => p m * (w m * theta + (1 - w m) * s)) = E * theta + (1 - E) * s).
  { unfold E. rewrite <- P at 1. rewrite !Rmult_plus_distr_r || idtac.
    rewrite (sum_ext _ _ (fun m => p m * w m * (theta - s) + p m * s)) by (intros; ring).
    rewrite sum_plus, !sum_scale_r, P. ring. }
  rewrite X. field. exact W.
Qed.
