(* Kent et al., Example 1: two laws whose means are apart, on finitely many outputs;
    and a display of Theorem 6. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools.
From Userdp.kent Require Import Assouad.
Import ListNotations.
Open Scope R_scope.

(* The squared error of an estimator of the mean a from an output of the law p. *)
Definition squared_risk {O} (outputs : list O) (p : O -> R) (a : R) (estimator : O -> R) : R :=
  sum outputs (fun o => p o * (estimator o - a) ^ 2).
(* Step of the proof of Example 1, for laws of means 0 and 1: the worst of two risks is at least factor
    (1 - TV). *)
Definition two_point_step (factor : R) : Prop := forall (O : Type) (outputs : list O) p q
    (estimator : O -> R) b,
  distribution outputs p -> distribution outputs q ->
  squared_risk outputs p 0 estimator <= b -> squared_risk outputs q 1 estimator <= b ->
  factor * (1 - tv outputs p q) <= b.
(* kent-ex-1 part: the first step of its proof is refuted, a constant estimate does better *)
Theorem printed_two_point_step_is_false : ~ two_point_step (1 / 2).
Proof.
  intros P. specialize (P unit [tt] (fun _ => 1) (fun _ => 1) (fun _ => 1 / 2) (1 / 4)).
  assert (D : distribution [tt] (fun _ : unit => 1)) by (split; [intros; lra | simpl; ring]).
  unfold squared_risk, tv in P. simpl in P. replace (1 - 1) with 0 in P by ring. rewrite Rabs_R0 in P.
  enough (1 / 2 * (1 - (0 + 0) / 2) <= 1 / 4) by lra. apply P; try exact D; lra.
Qed.
(* Means c - h and c + h: pointwise the two squared errors cannot both be small. *)
Lemma two_squares p q a b t : 0 <= p -> 0 <= q -> Rmin p q * (b - a) ^ 2 / 2 <= p * (t - a) ^ 2 +
    q * (t - b) ^ 2.
Proof.
  intros Hp Hq. set (m := Rmin p q).
  assert (M : 0 <= m) by now apply Rmin_glb. assert (m <= p) by apply Rmin_l. assert (m <= q) by apply Rmin_r.
  assert (m * (t - a) ^ 2 <= p * (t - a) ^ 2) by (apply Rmult_le_compat_r; [apply pow2_ge_0 | assumption]).
  assert (m * (t - b) ^ 2 <= q * (t - b) ^ 2) by (apply Rmult_le_compat_r; [apply pow2_ge_0 | assumption]).
  assert (0 <= m * (2 * t - a - b) ^ 2) by (apply Rmult_le_pos; [assumption | apply pow2_ge_0]). lra.
Qed.
Lemma le_cam {O} (outputs : list O) p q a b (estimator : O -> R) worst : distribution outputs p ->
    distribution outputs q ->
  squared_risk outputs p a estimator <= worst -> squared_risk outputs q b estimator <= worst ->
  (b - a) ^ 2 / 4 * (1 - tv outputs p q) <= worst.
Proof.
  intros P Q Rp Rq. rewrite <- (sum_of_smaller outputs p q P Q).
  assert (S : sum outputs (fun o => (b - a) ^ 2 / 2 * Rmin (p o) (q o)) <=
    squared_risk outputs p a estimator + squared_risk outputs q b estimator).
  { unfold squared_risk. rewrite <- sum_plus. apply sum_le. intros o Ho.
    pose proof (two_squares (p o) (q o) a b (estimator o) ltac:(now apply P) ltac:(now apply Q)). lra. }
  rewrite sum_scale in S. lra.
Qed.
(* kent-ex-1 part: the repair of that step, 1/4 in place of 1/2 *)
Theorem two_point_step_repaired : two_point_step (1 / 4).
Proof.
  intros O outputs p q estimator b P Q Rp Rq.
  pose proof (le_cam outputs p q 0 1 estimator b P Q Rp Rq) as L. lra.
Qed.
(* kent-ex-1 part: records all -1 or all 1 give the printed constant twice over, for any number of records *)
Theorem known_means_cost_one_minus_tv {O} (outputs : list O) p q (estimator : O -> R) b :
  distribution outputs p -> distribution outputs q ->
  squared_risk outputs p (-1) estimator <= b -> squared_risk outputs q 1 estimator <= b ->
  1 - tv outputs p q <= b.
Proof.
  intros P Q Rp Rq. pose proof (le_cam outputs p q (-1) 1 estimator b P Q Rp Rq) as L. lra.
Qed.

(* Display (203) in the proof of Theorem 6. *)
Definition display_203 : Prop := forall (T : nat) (delta : R), 0 < delta < 1 -> (1 <= T)%nat ->
  (1 + 4 * delta ^ 2 / (1 - delta ^ 2)) ^ T - 4 * INR T * delta ^ 2 / (1 - delta ^ 2) - 1 <=
    INR T ^ 2 * delta ^ 4.
(* kent-thm-6 part: its display (203) is refuted, at two records *)
Theorem display_203_is_false : ~ display_203.
Proof.
  intros P. specialize (P 2%nat (1 / 2) ltac:(lra) ltac:(lia)). simpl INR in P.
  replace ((1 / 2) ^ 2) with (1 / 4) in P by field. replace ((1 / 2) ^ 4) with (1 / 16) in P by field.
  replace (4 * (1 / 4) / (1 - 1 / 4)) with (4 / 3) in P by field.
  replace (4 * (1 + 1) * (1 / 4) / (1 - 1 / 4)) with (8 / 3) in P by field. lra.
Qed.
