(* Kent et al., the printed Sobolev class at radius 1: it holds one density only, so that the lower bounds of
   Proposition 5, Lemma 29 and Theorem 9 fail there. Model of userdp_papers.populations.densities. *)
From Coq Require Import Reals List Lra Lia PeanoNat.
From Userdp Require Import Privacy Tools.
Import ListNotations.
Open Scope R_scope.

(* Coefficients theta_1, theta_2, ... of a density in the trigonometric basis; the first is its integral. *)
Definition of_density (theta : nat -> R) : Prop := theta 1%nat = 1.
Definition printed_class (beta : nat) (radius : R) (theta : nat -> R) : Prop :=
  of_density theta /\ forall J, sum (seq 1 J) (fun j => INR j ^ (2 * beta) * theta j ^ 2) <= radius ^ 2.
Definition within_distance (r : R) (theta theta' : nat -> R) : Prop :=
  forall J, sum (seq 1 J) (fun j => (theta j - theta' j) ^ 2) <= r ^ 2.
Definition uniform (j : nat) : R := if Nat.eqb j 1 then 1 else 0.

Lemma only_the_first beta theta : printed_class beta 1 theta -> forall j, (2 <= j)%nat -> theta j = 0.
Proof.
  intros [H1 H] j Hj. specialize (H j).
  destruct j as [| j]; [lia |]. cbn [seq sum fold_right] in H. rewrite H1 in H.
  replace (INR 1 ^ (2 * beta) * 1 ^ 2) with 1 in H by (simpl INR; rewrite pow1; ring).
  fold (sum (seq 2 j) (fun j => INR j ^ (2 * beta) * theta j ^ 2)) in H.
  assert (P : forall i, In i (seq 2 j) -> 0 <= INR i ^ (2 * beta) * theta i ^ 2).
  { intros i _. apply Rmult_le_pos; [apply pow_le, pos_INR | apply pow2_ge_0]. }
  assert (I : In (S j) (seq 2 j)) by (apply in_seq; lia).
  pose proof (sum_member _ _ _ P I) as M. cbv beta in M. specialize (P _ I).
  assert (Z : INR (S j) ^ (2 * beta) * theta (S j) ^ 2 = 0) by lra.
  apply Rmult_integral in Z. destruct Z as [Z | Z].
  - exfalso. apply (pow_nonzero (INR (S j)) (2 * beta)); [apply not_0_INR; lia | exact Z].
  - assert (Q : theta (S j) * theta (S j) = 0) by (simpl in Z; lra). apply Rmult_integral in Q. tauto.
Qed.
Lemma sum_uniform (f : nat -> R) J : (forall j, (2 <= j)%nat -> f j = 0) ->
  sum (seq 1 J) f = if Nat.eqb J 0 then 0 else f 1%nat.
Proof.
  intros Z. destruct J as [| J]; [reflexivity |]. cbn [seq sum fold_right Nat.eqb]. fold (sum (seq 2 J) f).
  rewrite (sum_ext _ f (fun _ => 0)); [rewrite sum_const; ring |].
  intros j Hj. apply in_seq in Hj. apply Z. lia.
Qed.
Lemma uniform_is_there beta : printed_class beta 1 uniform.
Proof.
  split; [reflexivity |]. intros J. rewrite sum_uniform.
  - destruct (Nat.eqb J 0); unfold uniform; simpl INR; rewrite ?pow1; simpl; lra.
  - intros j Hj. unfold uniform. destruct (Nat.eqb_spec j 1); [lia | ring].
Qed.
(* kent-prop-5 part: at radius 1 the printed class is the uniform density *)
Theorem printed_class_is_one_density beta theta : printed_class beta 1 theta <->
  of_density theta /\ forall j, (2 <= j)%nat -> theta j = 0.
Proof.
  split; [intros H; split; [apply H | now apply only_the_first with (beta := beta)] |].
  intros [H1 H]. split; [exact H1 |]. intros J. rewrite sum_uniform.
  - destruct (Nat.eqb J 0); simpl INR; rewrite ?H1, ?pow1; simpl; lra.
  - intros j Hj. rewrite H by exact Hj. ring.
Qed.
(* A lower bound b on the minimax risk: no estimate, not even one that ignores all reports, does better. *)
Definition risk_at_least (beta : nat) (b : R) : Prop := forall estimate : nat -> R,
  exists theta J, printed_class beta 1 theta /\ b <= sum (seq 1 J) (fun j => (estimate j - theta j) ^ 2).
(* kent-prop-5 part: so no positive lower bound holds for the printed class *)
Theorem printed_class_has_no_risk beta b : 0 < b -> ~ risk_at_least beta b.
Proof.
  intros Hb R. destruct (R uniform) as (theta & J & C & L).
  rewrite sum_uniform in L.
  - destruct C as [C _]. unfold of_density in C. destruct (Nat.eqb J 0); [lra |]. rewrite C in L.
  unfold uniform in L. simpl in L. lra.
  - intros j Hj. rewrite (only_the_first beta theta C j Hj). unfold uniform.
  destruct (Nat.eqb_spec j 1); [lia | ring].
Qed.
(* kent-thm-9 part: nor the lower bound of Theorem 9, whatever its constants *)
Theorem theorem_9_lower_bound_is_false beta c n m eps : 0 < c -> 0 < n -> 0 < m -> 0 < eps ->
  ~ risk_at_least beta (c * Rmax (Rpower (n * m * eps ^ 2) (- (2 * INR beta) / (2 * INR beta + 2)))
    (Rpower (n * eps ^ 2) (- (2 * INR beta)))).
Proof.
  intros Hc _ _ _. apply printed_class_has_no_risk. apply Rmult_lt_0_compat; [exact Hc |].
  eapply Rlt_le_trans; [| apply Rmax_r]. apply exp_pos.
Qed.
(* Lemma 29: whoever covers the class by balls of a small radius r needs many. *)
Definition covers (beta : nat) (radius r : R) (centres : list (nat -> R)) : Prop :=
  forall theta, printed_class beta radius theta ->
    exists centre, In centre centres /\ within_distance r theta centre.
Definition lemma_29_at (radius : R) : Prop := forall beta, (1 <= beta)%nat -> exists c r0, 0 < c /\ 0 < r0 /\
  forall r centres, 0 < r < r0 -> covers beta radius r centres ->
  c * Rpower (radius / r) (1 / INR beta) <= ln (INR (length centres)).
(* kent-lem-29 part: refuted as printed, at radius 1 *)
Theorem lemma_29_is_false_at_radius_1 : ~ lemma_29_at 1.
Proof.
  intros L. destruct (L 1%nat (le_n 1)) as (c & r0 & Hc & Hr & H).
  assert (C : covers 1 1 (r0 / 2) [uniform]).
  { intros theta T. exists uniform. split; [now left |]. intros J. rewrite sum_uniform.
    - destruct T as [T _]. unfold of_density in T. destruct (Nat.eqb J 0); [apply pow2_ge_0 |].
      rewrite T. unfold uniform. simpl Nat.eqb. cbv iota. replace ((1 - 1) ^ 2) with 0 by ring.
      apply pow2_ge_0.
    - intros j Hj. rewrite (only_the_first 1 theta T j Hj). unfold uniform.
    destruct (Nat.eqb_spec j 1); [lia | ring]. }
  specialize (H (r0 / 2) [uniform] ltac:(lra) C). simpl length in H. simpl INR in H. rewrite ln_1 in H.
  assert (0 < c * Rpower (1 / (r0 / 2)) (1 / 1)) by (apply Rmult_lt_0_compat; [exact Hc | apply exp_pos]).
  lra.
Qed.
(* The repair: above radius 1 the class has a density beside the uniform one, 1 + c sqrt 2 cos(2 pi x), which is not
   negative for c <= 1/2, and no estimate is near to both. *)
Definition tilted (c : R) (j : nat) : R := match j with 1%nat => 1 | 2%nat => c | _ => 0 end.
Lemma sum_tilted (f : nat -> R) J : (forall j, (3 <= j)%nat -> f j = 0) -> (2 <= J)%nat -> sum (seq 1 J) f = f 1%nat + f 2%nat.
Proof.
  intros Z HJ. destruct J as [| [| J]]; [lia | lia |]. cbn [seq sum fold_right]. fold (sum (seq 3 J) f).
  rewrite (sum_ext _ f (fun _ => 0)); [rewrite sum_const; ring |]. intros j Hj. apply in_seq in Hj. apply Z. lia.
Qed.
(* kent-prop-5 part: repaired, above radius 1 the class has two densities, and a lower bound on its risk without any report *)
Theorem class_above_radius_1_has_a_risk beta radius c : 0 < c <= 1 / 2 -> 1 + 2 ^ (2 * beta) * c ^ 2 <= radius ^ 2 ->
  printed_class beta radius uniform /\ printed_class beta radius (tilted c) /\
  forall estimate : nat -> R, c ^ 2 / 4 <= sum (seq 1 2) (fun j => (estimate j - uniform j) ^ 2) \/
    c ^ 2 / 4 <= sum (seq 1 2) (fun j => (estimate j - tilted c j) ^ 2).
Proof.
  intros Hc Hr. assert (P : 0 <= 2 ^ (2 * beta) * c ^ 2) by (apply Rmult_le_pos; [apply pow_le; lra | apply pow2_ge_0]).
  split; [| split].
  - split; [reflexivity |]. intros J. rewrite sum_uniform.
    + destruct (Nat.eqb J 0); [apply pow2_ge_0 |]. unfold uniform. simpl INR. rewrite pow1. simpl. simpl in Hr, P. lra.
    + intros j Hj. unfold uniform. destruct (Nat.eqb_spec j 1); [lia | ring].
  - split; [reflexivity |]. intros J. destruct J as [| [| J]].
    + simpl. pose proof (pow2_ge_0 radius). simpl in *. lra.
    + cbn [seq sum fold_right]. simpl INR. rewrite pow1. simpl. simpl in Hr, P. lra.
    + rewrite sum_tilted; [| intros j Hj; destruct j as [| [| [| j]]]; try lia; simpl tilted; ring | lia].
      simpl INR. simpl tilted. rewrite pow1. replace (1 + 1) with 2 by ring. simpl (1 ^ 2). lra.
  - intros estimate. cbn [seq sum fold_right]. unfold uniform. simpl Nat.eqb. cbv iota. simpl tilted.
    set (x := estimate 1%nat). set (y := estimate 2%nat). pose proof (pow2_ge_0 (x - 1)).
    destruct (Rle_lt_dec (c / 2) y) as [L | L]; [left | right]; nra.
Qed.
