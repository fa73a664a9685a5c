(* DAME: Algorithm 1 in one theorem; Lemmas S2, S3 and S10 in whole. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means CertificatesDameCummings.
From Userdp Require Import dame.Algorithm dame.ClosedBins dame.Bounds dame.Repair.
From Userdp Require Import kent.Information.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* dame-alg-1 whole; with half-open bins it is private at exactly the budget, with the released code's closed bins it is not *)
Theorem dame_verdict : ~ ClosedBins.printed /\ forall n cap eps, (0 < cap)%nat -> 0 < eps ->
  let P := transcript (follow eps (algorithm_1 n cap eps)) [] in
  private replaced eps P /\
  (forall seen u, lawful (algorithm_1 n cap eps seen) (follow eps (algorithm_1 n cap eps) seen u)) /\
  ((2 <= n)%nat -> (6 <= bins (half_width n cap eps))%nat -> forall others, exists u v answers,
    0 < P (v :: others) answers /\ P (u :: others) answers = exp eps * P (v :: others) answers) /\
  forall (S : Type) (sizes : list S) (p w : S -> R) theta s, sum sizes p = 1 -> sum sizes (fun m => p m * w m) <> 0 ->
    (sum sizes (fun m => p m * (w m * theta + (1 - w m) * s)) - (1 - sum sizes (fun m => p m * w m)) * s) /
      sum sizes (fun m => p m * w m) = theta.
Proof.
  split; [exact (proj1 closed_bins_break_the_promise) |]. intros n cap eps Hc He P.
  split; [now apply dame_is_private |]. split; [intros; now apply dame_is_lawful |].
  split; [intros Hn Hb others; now apply dame_vote_loses_the_budget |].
  intros S sizes p w theta s Hp Hw. now apply (dame_undoes_its_shrinkage sizes p w theta s).
Qed.

(* Lemma S2: a sign that is 1 with probability (1 + d) / 2. *)
Definition skewed (d : R) (b : bool) : R := (1 + (if b then d else - d)) / 2.
(* dame-lem-s2 whole *)
Theorem distance_and_divergence_of_skewed_signs d : 0 <= d <= 1 / 2 ->
  sum [true; false] (fun b => Rabs (skewed (- d) b - skewed d b)) / 2 = d /\
  sum [true; false] (fun b => skewed (- d) b * ln (skewed (- d) b / skewed d b)) <= 3 * d ^ 2.
Proof.
  intros H. unfold skewed. simpl. split.
  - rewrite Rabs_left1, Rabs_pos_eq by lra. field.
  - pose proof (divergence_of_skewed_signs_is_at_most_3_delta_squared d H) as D.
    replace ((1 + - d) / 2 / ((1 + d) / 2)) with ((1 - d) / (1 + d)) by (field; lra).
    replace ((1 + - - d) / 2 / ((1 + - d) / 2)) with ((1 + d) / (1 - d)) by (field; lra). unfold Rminus in *.
    rewrite Ropp_involutive. lra.
Qed.

(* Lemma S3: any distribution of the sizes; record j of a user with i records has the mean theta. *)
Definition mean_of_average (record : nat -> nat -> R) (i : nat) : R := sum (seq 0 i) (record i) / INR i.
Lemma mean_of_average_is record theta i : (forall j, (j < i)%nat -> record i j = theta) -> (0 < i)%nat ->
  mean_of_average record i = theta.
Proof.
  intros H Hi. unfold mean_of_average. rewrite (sum_ext _ _ (fun _ => theta)).
  - rewrite sum_const, seq_length. field. apply not_0_INR. lia.
  - intros j Hj. apply in_seq in Hj. apply H. lia.
Qed.
Lemma root_capped_summable p cap : (forall i, 0 <= p i) -> ex_series p -> ex_series (fun i => sqrt (INR (Nat.min i cap)) * p i).
Proof.
  intros P0 [l P]. apply (ex_series_le (V := R_CompleteNormedModule) _ (fun i => sqrt (INR cap) * p i)).
  - intros i. change (norm (sqrt (INR (Nat.min i cap)) * p i)) with (Rabs (sqrt (INR (Nat.min i cap)) * p i)).
    rewrite Rabs_pos_eq by (apply Rmult_le_pos; [apply sqrt_pos | apply P0]). apply Rmult_le_compat_r; [apply P0 |].
    apply sqrt_le_1_alt, le_INR. lia.
  - exists (sqrt (INR cap) * l). now apply (is_series_scal_l (K := R_AbsRing) (sqrt (INR cap)) p l).
Qed.
(* dame-lem-s3 whole *)
Theorem root_weights_are_unbiased_for_all_sizes p record cap theta : (forall i, 0 <= p i) -> p 0%nat = 0 -> is_series p 1 ->
  (forall i j, (j < i)%nat -> record i j = theta) -> (0 < cap)%nat ->
  let average := mean_of_average record in let E := Series (fun i => sqrt (INR (Nat.min i cap)) * p i) in
  theta = sqrt (INR cap) / E * Series (fun i => average (cap + i)%nat * p (cap + i)%nat) +
    / E * sum (seq 0 cap) (fun i => sqrt (INR i) * (average i * p i)).
Proof.
  intros P0 Z P1 R Hc average E. assert (Ex : ex_series p) by now exists 1.
  pose proof (root_capped_summable p cap P0 Ex) as Sm.
  assert (HE : 1 <= E).
  { rewrite <- (is_series_unique _ _ P1). apply Series_le; [| exact Sm]. intros i. split; [apply P0 |].
    destruct i as [| i]; [rewrite Z; lra |]. rewrite <- (Rmult_1_l (p (S i))) at 1. apply Rmult_le_compat_r; [apply P0 |].
    rewrite <- sqrt_1. apply sqrt_le_1_alt. change 1 with (INR 1). apply le_INR. lia. }
  assert (Split : E = sum (seq 0 cap) (fun i => sqrt (INR i) * p i) + sqrt (INR cap) * Series (fun i => p (cap + i)%nat)).
  { unfold E. rewrite (Series_incr_n _ cap Hc Sm). f_equal.
    - clear -Hc. assert (G : forall n, (0 < n)%nat -> (n <= cap)%nat ->
        sum_f_R0 (fun i => sqrt (INR (Nat.min i cap)) * p i) (pred n) = sum (seq 0 n) (fun i => sqrt (INR i) * p i)).
      { induction n as [| [| n] IH]; intros Hn Hl; [lia | |].
        - simpl. ring.
        - rewrite seq_S, sum_app, <- IH by lia. simpl pred. rewrite tech5, Nat.min_l by lia. unfold Privacy.sum. cbn [fold_right]. rewrite Nat.add_0_l. ring. }
      now apply G.
    - rewrite <- Series_scal_l. apply Series_ext. intros i. rewrite Nat.min_r by lia. reflexivity. }
  rewrite (Series_ext _ (fun i => theta * p (cap + i)%nat)).
  2:{ intros i. unfold average. rewrite (mean_of_average_is record theta) by (auto; lia). reflexivity. }
  rewrite Series_scal_l, (sum_ext _ _ (fun i => theta * (sqrt (INR i) * p i))).
  2:{ intros [| i] _; [rewrite Z; ring |]. unfold average. rewrite (mean_of_average_is record theta) by (auto; lia). ring. }
  rewrite sum_scale. apply Rmult_eq_reg_l with E; [| lra].
  transitivity (theta * (sum (seq 0 cap) (fun i => sqrt (INR i) * p i) + sqrt (INR cap) * Series (fun i => p (cap + i)%nat))).
  - rewrite <- Split. ring.
  - field. lra.
Qed.

(* Lemma S10. The mean lies in bin l, the chosen bin j is at most two away, and s is its centre. *)
Definition in_bin (tau theta : R) (l : nat) : Prop := (l < bins tau)%nat /\ left_end tau l <= theta <= Rmin 1 (left_end tau (l + 1)).
Lemma centre_is_near tau theta l j : 0 < tau -> in_bin tau theta l -> (j < bins tau)%nat -> (j <= l + 2)%nat -> (l <= j + 2)%nat ->
  Rabs (centre tau j - theta) <= 5 * tau.
Proof.
  intros Ht (Hl & L & U) Hj J1 J2. pose proof (left_end_below_1 tau j Ht Hj) as B.
  pose proof (Rmin_l 1 (left_end tau (l + 1))) as U1. pose proof (Rmin_r 1 (left_end tau (l + 1))) as U2.
  unfold centre. apply le_INR in J1. apply le_INR in J2. rewrite plus_INR in J1, J2. simpl (INR 2) in J1, J2.
  assert (Step : forall i, left_end tau (i + 1) = left_end tau i + 2 * tau) by (intros; unfold left_end; rewrite plus_INR; simpl; ring).
  assert (D1 : left_end tau j <= left_end tau l + 4 * tau) by (unfold left_end; nra).
  assert (D2 : left_end tau l <= left_end tau j + 4 * tau) by (unfold left_end; nra).
  rewrite !Step in *. unfold Rmin in *. destruct (Rle_dec 1 (left_end tau j + 2 * tau)), (Rle_dec 1 (left_end tau l + 2 * tau));
    apply Rabs_le; lra.
Qed.
(* A user with i records and the average x, on the events that the vote succeeds and that x is near theta. *)
Definition excess (N : R) (cap j i : nat) (theta : R) (x : R) : R :=
  let tau := width N cap in let s := centre tau j in let w := sqrt (INR i / INR cap) in
  if Rle_dec (Rabs (x - theta)) (sqrt (2 * log_term N cap / INR i))
  then project (left_end tau j - 6 * tau) (left_end tau (j + 1) + 6 * tau) (w * x + (1 - w) * s) - w * x - (1 - w) * s else 0.
Lemma no_excess N cap l j i theta x : (1 <= i <= cap)%nat -> 0 < N -> in_bin (width N cap) theta l ->
  (j < bins (width N cap))%nat -> (j <= l + 2)%nat -> (l <= j + 2)%nat -> excess N cap j i theta x = 0.
Proof.
  intros Hi HN Hl Hj J1 J2. assert (Hc : (1 <= cap)%nat) by lia. pose proof (width_positive N cap Hc) as W.
  unfold excess. cbv zeta. destruct (Rle_dec _ _) as [B |]; [| reflexivity].
  pose proof (centre_is_near _ theta l j W Hl Hj J1 J2) as A.
  pose proof (shrunk_means_stay_near_the_centre N cap i x theta _ Hi HN A B) as K. cbv zeta in K.
  set (tau := width N cap) in *. set (w := sqrt (INR i / INR cap)) in *.
  pose proof (left_end_below_1 tau j W Hj) as L1.
  assert (C : left_end tau j <= centre tau j <= left_end tau (j + 1)).
  { unfold centre. assert (left_end tau j <= Rmin 1 (left_end tau (j + 1))).
    { apply Rmin_glb; [exact L1 |]. unfold left_end. rewrite plus_INR. simpl. nra. }
    pose proof (Rmin_r 1 (left_end tau (j + 1))). lra. }
  rewrite project_inside; [ring |]. set (y := w * x + (1 - w) * centre tau j) in *.
  pose proof (Rle_abs (y - centre tau j)). pose proof (Rle_abs (- (y - centre tau j))) as M. rewrite Rabs_Ropp in M. lra.
Qed.
(* dame-lem-s10 whole; for every law of the sizes and of the averages, given the chosen bin *)
Theorem projection_has_no_bias_on_good_events class E N cap l j theta :
  expectation class E -> 0 < N -> in_bin (width N cap) theta l ->
  (j < bins (width N cap))%nat -> (j <= l + 2)%nat -> (l <= j + 2)%nat ->
  Rabs (E (fun u : nat * R => sum (seq 1 (cap - 1)) (fun i => if Nat.eqb (fst u) i then excess N cap j i theta (snd u) else 0))) = 0.
Proof.
  intros (C & _) HN Hl Hj J1 J2.
  replace (fun u : nat * R => _) with (fun _ : nat * R => 0); [rewrite (proj2 (C 0)); apply Rabs_R0 |].
  apply FunctionalExtensionality.functional_extensionality. intros u. symmetry.
  rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_const; ring |]. intros i Hi. apply in_seq in Hi.
  destruct (Nat.eqb (fst u) i); [| reflexivity]. apply no_excess with (l := l); auto; lia.
Qed.
