(* Kent et al., Lemma 28 and the algorithms for one mean: 2, 3, 10, 11.
   Models of userdp.privacy.reports.UnaryEncoding and userdp.local.mean.localised_mean. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means.
Import ListNotations.
Open Scope R_scope.

(* Lemma 28. Vectors of d entries with at most r ones, each entry kept with odds exp (eps / (2 r)). *)
Definition few_ones (d r : nat) (x y : list bool) : Prop :=
  length x = d /\ length y = d /\ (ones x <= r)%nat /\ (ones y <= r)%nat.
(* kent-lem-28 whole *)
Theorem vote_with_r_ones_is_private d r eps : 0 <= eps -> (0 < r)%nat ->
  private (few_ones d r) eps (unary (eps / (2 * INR r))).
Proof.
  intros He Hr x y o (Lx & Ly & Ox & Oy). 
  eapply Rle_trans; [apply (unary_loss _ x y o); [now apply log_odds_nonneg | congruence] |].
  apply Rmult_le_compat_r; [apply unary_nonneg |]. apply exp_le.
  rewrite <- (log_odds_budget r eps Hr) at 2. apply Rmult_le_compat_r; [now apply log_odds_nonneg |].
  apply le_INR. pose proof (differences_at_most x y). lia.
Qed.
(* kent-lem-28 part: the reports are a distribution *)
Theorem vote_with_r_ones_is_a_distribution d r eps x : length x = d ->
  distribution (vectors d) (unary (eps / (2 * INR r)) x).
Proof. intros <-. apply unary_distribution. Qed.
(* kent-lem-28 part: the exact loss, which is the budget from 2 r entries on *)
Theorem vote_with_r_ones_loses d r eps : (0 < r)%nat ->
  attains (few_ones d r) (eps * INR (Nat.min (2 * r) d) / (2 * INR r)) (unary (eps / (2 * INR r))).
Proof.
  intros Hr. pose proof (lt_INR _ _ Hr) as Hr'. simpl in Hr'.
  set (k := Nat.min r d). set (l := Nat.min r (d - k)).
  set (x := repeat true k ++ repeat false l ++ repeat false (d - k - l)).
  set (y := repeat false k ++ repeat true l ++ repeat false (d - k - l)).
  assert (Lx : length x = d) by (unfold x; rewrite !app_length, !repeat_length; lia).
  assert (Ly : length y = d) by (unfold y; rewrite !app_length, !repeat_length; lia).
  assert (D : differences x y = Nat.min (2 * r) d).
  { unfold x, y. rewrite !differences_app by now rewrite !repeat_length.
    rewrite !differences_repeat, differences_self by discriminate. lia. }
  exists x, y, x. split; [| split].
  - unfold few_ones. repeat split; auto; unfold x, y;
      rewrite !ones_app, !ones_repeat_true, !ones_repeat_false; lia.
  - apply unary_positive. congruence.
  - rewrite (unary_loss_attained _ x y) by congruence. rewrite D. f_equal. f_equal. field. lra.
Qed.

(* Algorithm 2: the first half of n users votes, the second reports on the winner's bin, widened by 2 tau. *)
Definition algorithm_2 (n m : nat) (tau : R) (seen : list answer) : question (list R) :=
  if (length seen <? n / 2)%nat then localise 0 tau (mean m)
  else refine 2 tau (winner tau (fun _ => true) seen) (mean m).
Lemma algorithm_2_fair n m tau seen : 0 < tau -> fair (algorithm_2 n m tau seen).
Proof.
  intros H. unfold algorithm_2. destruct (length seen <? n / 2)%nat; [now apply localise_fair |].
  apply refine_fair; lra.
Qed.
(* kent-alg-2 part: privacy of the whole transcript *)
Theorem algorithm_2_is_private n m tau eps : 0 < tau -> 0 < eps ->
  private replaced eps (transcript (follow eps (algorithm_2 n m tau)) []).
Proof. intros Ht He. apply follow_private; [exact He |]. intros seen. now apply algorithm_2_fair. Qed.
(* kent-alg-2 part: every vote is a distribution, every report a density *)
Theorem algorithm_2_is_lawful n m tau eps seen u : 0 < tau -> 0 < eps ->
  lawful (algorithm_2 n m tau seen) (follow eps (algorithm_2 n m tau) seen u).
Proof. intros Ht He. apply asked_lawful; [exact He | now apply algorithm_2_fair]. Qed.
Lemma first_is_asked n : (2 <= n)%nat -> (0 <? n / 2)%nat = true.
Proof.
  intros H. apply Nat.ltb_lt. enough (1 <= n / 2)%nat by lia.
  apply (Nat.div_le_mono 2 n 2 ltac:(lia)) in H. exact H.
Qed.
(* kent-alg-2 part: the loss is exactly the budget from two bins on *)
Theorem algorithm_2_loses_the_budget n m tau eps others : 0 < tau -> 0 < eps -> (2 <= n)%nat -> (0 < m)%nat ->
  (2 <= bins tau)%nat ->
  let u := repeat (left_end tau 0) m in let v := repeat (left_end tau 1) m in
  let P := transcript (follow eps (algorithm_2 n m tau)) [] in
  exists answers, 0 < P (v :: others) answers /\ P (u :: others) answers = exp eps * P (v :: others) answers.
Proof.
  intros Ht He Hn Hm Hb u v P. apply follow_attains; [exact He | intros; now apply algorithm_2_fair |].
  unfold algorithm_2. simpl length. rewrite first_is_asked by exact Hn.
  eapply localise_attains; [exact Ht | apply nearest_apart; exact Hb | ..]; now apply mean_repeat.
Qed.
(* The length of the interval is 6 tau, so that the scale of the noise is 6 tau / eps. *)
Lemma algorithm_2_scale tau eps j : eps <> 0 ->
  ((left_end tau (j + 1) + 2 * tau) - (left_end tau j - 2 * tau)) / eps = 6 * tau / eps.
Proof. intros H. rewrite refine_length. f_equal. ring. Qed.

(* Algorithm 3: Algorithm 2 with a width and a number of records that are computed from public numbers. *)
Definition width (n m : nat) (eps : R) : R := sqrt (2 * ln (INR n * INR m * eps ^ 2) / INR m).
Definition algorithm_3 (n m : nat) (kappa eps : R) : list answer -> question (list R) :=
  let m' := horizon m (INR n * eps ^ 2 / kappa) in algorithm_2 n m' (width n m' eps).
Lemma width_positive n m eps : (0 < m)%nat -> 1 < INR n * INR m * eps ^ 2 -> 0 < width n m eps.
Proof.
  intros Hm H. apply lt_INR in Hm. simpl in Hm. apply sqrt_lt_R0, Rdiv_lt_0_compat; [| exact Hm].
  apply Rmult_lt_0_compat; [lra |]. rewrite <- ln_1. apply ln_increasing; lra.
Qed.
(* kent-alg-3 part: privacy of the whole transcript *)
Theorem algorithm_3_is_private n m kappa eps : 0 < eps -> 0 < kappa -> (0 < m)%nat ->
  1 < INR n * INR (horizon m (INR n * eps ^ 2 / kappa)) * eps ^ 2 ->
  private replaced eps (transcript (follow eps (algorithm_3 n m kappa eps)) []).
Proof.
  intros He Hk Hm H. apply algorithm_2_is_private; [| exact He]. apply width_positive; [| exact H].
  apply horizon_positive; [exact Hm |]. apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat].
  apply Rmult_le_pos; [apply pos_INR | apply pow2_ge_0].
Qed.
(* kent-alg-3 part: the loss is exactly the budget from two bins on *)
Theorem algorithm_3_loses_the_budget n m kappa eps others :
  let m' := horizon m (INR n * eps ^ 2 / kappa) in let tau := width n m' eps in
  0 < eps -> (2 <= n)%nat -> (0 < m')%nat -> 1 < INR n * INR m' * eps ^ 2 -> (2 <= bins tau)%nat ->
  let u := repeat (left_end tau 0) m' in let v := repeat (left_end tau 1) m' in
  let P := transcript (follow eps (algorithm_3 n m kappa eps)) [] in
  exists answers, 0 < P (v :: others) answers /\ P (u :: others) answers = exp eps * P (v :: others) answers.
Proof.
  intros m' tau He Hn Hm H Hb. apply algorithm_2_loses_the_budget; auto. now apply width_positive.
Qed.

(* Algorithm 10: for eps > 1 three votes and an interval widened by 5 tau. *)
Definition algorithm_10 (n m : nat) (tau eps : R) (seen : list answer) : question (list R) :=
  if Rle_dec eps 1 then algorithm_2 n m tau seen
  else if (length seen <? n / 2)%nat then localise 1 tau (mean m)
  else refine 5 tau (winner tau (fun _ => true) seen) (mean m).
Lemma algorithm_10_fair n m tau eps seen : 0 < tau -> fair (algorithm_10 n m tau eps seen).
Proof.
  intros H. unfold algorithm_10. destruct (Rle_dec eps 1); [now apply algorithm_2_fair |].
  destruct (length seen <? n / 2)%nat; [now apply localise_fair |]. apply refine_fair; lra.
Qed.
(* kent-alg-10 part: privacy of the whole transcript, with half-open bins *)
Theorem algorithm_10_is_private n m tau eps : 0 < tau -> 0 < eps ->
  private replaced eps (transcript (follow eps (algorithm_10 n m tau eps)) []).
Proof. intros Ht He. apply follow_private; [exact He |]. intros seen. now apply algorithm_10_fair. Qed.
(* kent-alg-10 part: every vote is a distribution, every report a density *)
Theorem algorithm_10_is_lawful n m tau eps seen u : 0 < tau -> 0 < eps ->
  lawful (algorithm_10 n m tau eps seen) (follow eps (algorithm_10 n m tau eps) seen u).
Proof. intros Ht He. apply asked_lawful; [exact He | now apply algorithm_10_fair]. Qed.
(* kent-alg-10 part: above 1 the loss is exactly the budget from six bins on *)
Theorem algorithm_10_loses_the_budget n m tau eps others : 0 < tau -> 1 < eps -> (2 <= n)%nat ->
    (0 < m)%nat ->
  (6 <= bins tau)%nat ->
  let u := repeat (left_end tau 1) m in let v := repeat (left_end tau 4) m in
  let P := transcript (follow eps (algorithm_10 n m tau eps)) [] in
  exists answers, 0 < P (v :: others) answers /\ P (u :: others) answers = exp eps * P (v :: others) answers.
Proof.
  intros Ht He Hn Hm Hb u v P. apply follow_attains; [lra | intros; now apply algorithm_10_fair |].
  unfold algorithm_10. destruct (Rle_dec eps 1); [lra |]. simpl length. rewrite first_is_asked by exact Hn.
  eapply localise_attains; [exact Ht | apply nearest_apart; exact Hb | ..]; now apply mean_repeat.
Qed.

(* Read with closed bins, a mean on a shared edge votes for one bin more, at the same odds. *)
Definition closed_ballot {X} (reach : nat) (tau : R) (f : X -> R) (u : X) : list bool :=
  let b := bin tau (f u) in
  window (bins tau) (b - reach - (if Req_EM_T (f u) (left_end tau b) then 1 else 0))
    (Nat.min (b + reach) (bins tau - 1)).
Definition closed_vote (reach : nat) (eps tau : R) (x : R) : list bool -> R :=
  unary (eps / (2 * INR (2 * reach + 1))) (closed_ballot reach tau (fun x => x) x).
Definition closed_bins_keep_the_budget (reach : nat) (eps : R) : Prop :=
  forall tau, 0 < tau -> private anyone eps (closed_vote reach eps tau).
Lemma closed_bins_attain reach eps tau : 0 < tau -> (4 * reach + 4 <= bins tau)%nat ->
  attains anyone (INR (2 * reach + 2) / INR (2 * reach + 1) * eps) (closed_vote reach eps tau).
Proof.
  intros Ht Hb. set (u := left_end tau (reach + 1)). set (v := left_end tau (3 * reach + 3)).
  assert (Cu : closed_ballot reach tau (fun x => x) u = window (bins tau) 0 (2 * reach + 1)).
  { unfold closed_ballot, u. cbv zeta. rewrite bin_of_left_end by (try exact Ht; lia).
    destruct (Req_EM_T _ _) as [_ | N]; [| now destruct N]. f_equal; lia. }
  assert (Cv : closed_ballot reach tau (fun x => x) v = window (bins tau) (2 * reach + 2) (4 * reach + 3)).
  { unfold closed_ballot, v. cbv zeta. rewrite bin_of_left_end by (try exact Ht; lia).
    destruct (Req_EM_T _ _) as [_ | N]; [| now destruct N]. f_equal; lia. }
  replace (INR (2 * reach + 2) / INR (2 * reach + 1) * eps)
    with (INR (2 * (2 * reach + 2)) * (eps / (2 * INR (2 * reach + 1)))).
  2: { rewrite (mult_INR 2). change (INR 2) with 2. field. apply not_0_INR. lia. }
  replace (2 * (2 * reach + 2))%nat with
    (differences (closed_ballot reach tau (fun x => x) u) (closed_ballot reach tau (fun x => x) v)).
  2: { rewrite Cu, Cv, window_differences; lia. }
  apply (unary_attains _ (closed_ballot reach tau (fun x => x))). rewrite Cu, Cv, !window_length; lia.
Qed.
Lemma closed_bins_leak reach eps : 0 < eps -> ~ closed_bins_keep_the_budget reach eps.
Proof.
  intros He P. destruct (many_bins (4 * reach + 4)) as (tau & Ht & Hb).
  refine (attained_refutes _ _ _ _ (closed_bins_attain reach eps tau Ht Hb) _ (P tau Ht)).
  assert (0 < INR (2 * reach + 1)) by (apply lt_0_INR; lia).
  replace (2 * reach + 2)%nat with (2 * reach + 1 + 1)%nat by lia. rewrite plus_INR. simpl (INR 1).
  replace ((INR (2 * reach + 1) + 1) / INR (2 * reach + 1) * eps) with (eps + eps / INR (2 * reach + 1)) by
    (field; lra).
  assert (0 < eps / INR (2 * reach + 1)) by now apply Rdiv_lt_0_compat. lra.
Qed.
(* kent-alg-10 part: read with closed bins it breaks the budget, with one vote a mean and with three *)
Theorem algorithm_10_with_closed_bins_is_not_private eps : 0 < eps ->
  ~ closed_bins_keep_the_budget 0 eps /\ ~ closed_bins_keep_the_budget 1 eps.
Proof. intros He. split; now apply closed_bins_leak. Qed.
(* kent-alg-10 part: how much closed bins cost, 2 eps with one vote a mean and 4/3 eps with three *)
Theorem closed_bins_lose eps tau : 0 < tau -> (8 <= bins tau)%nat ->
  attains anyone (2 * eps) (closed_vote 0 eps tau) /\ attains anyone (4 / 3 * eps) (closed_vote 1 eps tau).
Proof.
  intros Ht Hb. split.
  - replace (2 * eps) with (INR (2 * 0 + 2) / INR (2 * 0 + 1) * eps) by (simpl; field).
    apply closed_bins_attain; [exact Ht | lia].
  - replace (4 / 3 * eps) with (INR (2 * 1 + 2) / INR (2 * 1 + 1) * eps) by (simpl; field).
    apply closed_bins_attain; [exact Ht | lia].
Qed.

(* Algorithm 11: Algorithm 10 with public numbers for its width and its records. *)
Definition general_width (n m : nat) (eps : R) : R :=
  if Rle_dec eps 1 then width n m eps else sqrt (4 * ln (INR n * INR m) / INR m).
Definition algorithm_11 (n m : nat) (kappa eps : R) : list answer -> question (list R) :=
  let m' := horizon m (INR n * Rmin eps (eps ^ 2) / kappa) in algorithm_10 n m' (general_width n m' eps) eps.
Lemma general_width_positive n m eps : (0 < m)%nat -> 1 < INR n * INR m * Rmin 1 (eps ^ 2) ->
  0 < general_width n m eps.
Proof.
  intros Hm H. assert (0 <= INR n * INR m) by (apply Rmult_le_pos; apply pos_INR). unfold general_width.
  destruct (Rle_dec eps 1) as [He | He].
  - apply width_positive; [exact Hm |]. eapply Rlt_le_trans; [exact H |].
    apply Rmult_le_compat_l; [assumption | apply Rmin_r].
  - assert (1 < INR n * INR m).
    { eapply Rlt_le_trans; [exact H |]. rewrite <- (Rmult_1_r (INR n * INR m)) at 2.
      apply Rmult_le_compat_l; [assumption | apply Rmin_l]. }
    apply lt_INR in Hm. simpl in Hm. apply sqrt_lt_R0, Rdiv_lt_0_compat; [| exact Hm].
    apply Rmult_lt_0_compat; [lra |]. rewrite <- ln_1. apply ln_increasing; lra.
Qed.
(* kent-alg-11 part: privacy of the whole transcript *)
Theorem algorithm_11_is_private n m kappa eps :
  let m' := horizon m (INR n * Rmin eps (eps ^ 2) / kappa) in
  0 < eps -> (0 < m')%nat -> 1 < INR n * INR m' * Rmin 1 (eps ^ 2) ->
  private replaced eps (transcript (follow eps (algorithm_11 n m kappa eps)) []).
Proof. intros m' He Hm H. apply algorithm_10_is_private; [now apply general_width_positive | exact He]. Qed.
(* kent-alg-11 part: above 1 the loss is exactly the budget from six bins on *)
Theorem algorithm_11_loses_the_budget n m kappa eps others :
  let m' := horizon m (INR n * Rmin eps (eps ^ 2) / kappa) in let tau := general_width n m' eps in
  1 < eps -> (2 <= n)%nat -> (0 < m')%nat -> 1 < INR n * INR m' * Rmin 1 (eps ^ 2) -> (6 <= bins tau)%nat ->
  let u := repeat (left_end tau 1) m' in let v := repeat (left_end tau 4) m' in
  let P := transcript (follow eps (algorithm_11 n m kappa eps)) [] in
  exists answers, 0 < P (v :: others) answers /\ P (u :: others) answers = exp eps * P (v :: others) answers.
Proof.
  intros m' tau He Hn Hm H Hb. apply algorithm_10_loses_the_budget; auto. now apply general_width_positive.
Qed.
