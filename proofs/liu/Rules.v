(* Liu et al., Lemma 4.2: the k-th largest size as a bound, for Laplace noise, with the density and its mean distance. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace liu.Noise liu.TwoApproximation.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

Definition laplace_distance (beta : R) : R := Rabs beta + exp (- Rabs beta).

Lemma laplace_symmetric : symmetric_noise (laplace_density 1).
Proof.
  split; [| split; [| split]].
  - intros z. left. apply laplace_positive. lra.
  - intros z. unfold laplace_density. now rewrite Rabs_Ropp.
  - intros z. apply (continuous_ext (fun o => laplace_density 1 (o - 0))); [intros; f_equal; ring | apply laplace_continuous].
  - destruct (laplace_is_density (fun _ : unit => 0) 1 tt ltac:(lra)) as (_ & _ & L).
    eapply is_lim_ext; [| exact L]. intros T. apply RInt_ext. intros z _. unfold laplace. f_equal. ring.
Qed.
(* Integrals by pieces. *)
Lemma piece (F f g : R -> R) a b : a <= b -> (forall z, is_derive F z (f z)) -> (forall z, continuous f z) ->
  (forall z, a < z < b -> f z = g z) -> is_RInt g a b (F b - F a).
Proof.
  intros H D C E. apply is_RInt_ext with (f := f).
  - intros z Hz. rewrite Rmin_left, Rmax_right in Hz by exact H. now apply E.
  - apply (is_RInt_derive (V := R_CompleteNormedModule)); auto.
Qed.
Lemma laplace_distance_up_to beta T : 0 <= beta <= T ->
  RInt (fun z => Rabs (z - beta) * laplace_density 1 z) (- T) T = beta + exp (- beta) - (T + 1) * exp (- T).
Proof.
  intros H. set (g := fun z => Rabs (z - beta) * laplace_density 1 z).
  assert (A : is_RInt g (- T) 0 ((beta + 1 - 0) * exp 0 / 2 - (beta + 1 - - T) * exp (- T) / 2)).
  { apply (piece (fun z => (beta + 1 - z) * exp z / 2) (fun z => (beta - z) * exp z / 2)); [lra | | |].
    - intros z. auto_derive; [exact I |]. field.
    - intros z. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I.
    - intros z Hz. unfold g, laplace_density. rewrite (Rabs_left1 (z - beta)), (Rabs_left1 z) by lra.
      replace (- - z / 1) with z by field. field. }
  assert (B : is_RInt g 0 beta ((beta - beta + 1) * exp (- beta) / 2 - (0 - beta + 1) * exp (- 0) / 2)).
  { apply (piece (fun z => (z - beta + 1) * exp (- z) / 2) (fun z => (beta - z) * exp (- z) / 2)); [lra | | |].
    - intros z. auto_derive; [exact I |]. field.
    - intros z. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I.
    - intros z Hz. unfold g, laplace_density. rewrite (Rabs_left1 (z - beta)), (Rabs_pos_eq z) by lra.
      replace (- z / 1) with (- z) by field. field. }
  assert (C : is_RInt g beta T (- (T - beta + 1) * exp (- T) / 2 - - (beta - beta + 1) * exp (- beta) / 2)).
  { apply (piece (fun z => - (z - beta + 1) * exp (- z) / 2) (fun z => (z - beta) * exp (- z) / 2)); [lra | | |].
    - intros z. auto_derive; [exact I |]. field.
    - intros z. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I.
    - intros z Hz. unfold g, laplace_density. rewrite (Rabs_pos_eq (z - beta)), (Rabs_pos_eq z) by lra.
      replace (- z / 1) with (- z) by field. field. }
  apply (is_RInt_unique (V := R_CompleteNormedModule)).
  pose proof (is_RInt_Chasles (V := R_NormedModule) _ _ _ _ _ _ A (is_RInt_Chasles (V := R_NormedModule) _ _ _ _ _ _ B C)) as S.
  unfold plus in S. simpl in S. rewrite Ropp_0, exp_0 in S.
  match type of S with is_RInt _ _ _ ?v => replace v with (beta + exp (- beta) - (T + 1) * exp (- T)) in S by field end.
  exact S.
Qed.
Lemma tail_vanishes : is_lim (fun T => (T + 1) * exp (- T)) p_infty 0.
Proof.
  apply is_lim_spec. intros eps. exists (Rmax 0 (4 / eps)). intros T HT. pose proof (cond_pos eps) as Pe.
  assert (T0 : 0 < T) by (pose proof (Rmax_l 0 (4 / eps)); lra).
  assert (T1 : 4 / eps < T) by (pose proof (Rmax_r 0 (4 / eps)); lra).
  rewrite Rminus_0_r, Rabs_pos_eq by (apply Rmult_le_pos; [lra | left; apply exp_pos]).
  pose proof (exp_ineq1_le (T / 2)) as E.
  assert (E2 : (1 + T / 2) * (1 + T / 2) <= exp T).
  { replace T with (T / 2 + T / 2) at 3 by field. rewrite exp_plus. apply Rmult_le_compat; lra. }
  rewrite exp_Ropp. apply Rmult_lt_reg_r with (exp T); [apply exp_pos |].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, exp_pos).
  assert (K : 4 < eps * T).
  { apply Rmult_lt_compat_r with (r := eps) in T1; [| exact Pe]. unfold Rdiv in T1.
    rewrite Rmult_assoc, Rinv_l in T1 by lra. lra. }
  apply Rlt_le_trans with (eps * ((1 + T / 2) * (1 + T / 2))); [| apply Rmult_le_compat_l; lra].
  replace (eps * ((1 + T / 2) * (1 + T / 2))) with (eps + eps * T + eps * T * T / 4) by field. nra.
Qed.
(* liu-lem-4.2 part: the expected error of a count with Laplace noise *)
Theorem mean_distance_of_laplace_noise : mean_distance (laplace_density 1) laplace_distance.
Proof.
  assert (P : forall beta, 0 <= beta ->
    is_lim (fun T => RInt (fun z => Rabs (z - beta) * laplace_density 1 z) (- T) T) p_infty (laplace_distance beta)).
  { intros beta Hb. unfold laplace_distance. rewrite Rabs_pos_eq by exact Hb.
    apply is_lim_ext_loc with (f := fun T => (beta + exp (- beta)) - (T + 1) * exp (- T)).
    - exists beta. intros T HT. symmetry. apply laplace_distance_up_to. lra.
    - replace (Finite (beta + exp (- beta))) with (Finite ((beta + exp (- beta)) - 0)) by (f_equal; ring).
      apply is_lim_minus'; [apply is_lim_const | apply tail_vanishes]. }
  intros beta. destruct (Rle_or_lt 0 beta) as [H | H]; [now apply P |].
  apply is_lim_ext with (f := fun T => RInt (fun z => Rabs (z - - beta) * laplace_density 1 z) (- T) T).
  - intros T. rewrite <- (mirrored (laplace_density 1) laplace_symmetric). reflexivity.
  - replace (laplace_distance beta) with (laplace_distance (- beta)); [apply P; lra |].
    unfold laplace_distance. now rewrite Rabs_Ropp.
Qed.

(* Counting users. *)
Lemma beyond_is_a_count {I} (norm : histogram I -> R) users C : exists k, beyond norm (fun _ => 1) users C = INR k /\ (k <= length users)%nat.
Proof.
  unfold beyond. induction users as [| N l (k & E & L)]; [exists 0%nat; simpl; split; [reflexivity | lia] |].
  simpl Privacy.sum. rewrite E. destruct (Rlt_dec C (norm N)); [exists (S k); rewrite S_INR | exists k]; simpl length; split; lra || lia.
Qed.
Lemma kth_largest_minimises {I} (items : list I) (users : list (histogram I)) k x C :
  (forall N, In N users -> proper_user items N) -> 0 < x -> ceiling k x -> kth_largest (size items) users k C ->
  0 <= C /\ forall c, 0 <= c -> surrogate items (size items) x users C <= surrogate items (size items) x users c.
Proof.
  intros Pr Hx [K1 K2] HK.
  assert (Nm : forall N, In N users -> 0 <= size items N /\ (size items N = 0 -> size items N = 0)).
  { intros N H. split; [| auto]. apply sum_nonneg. intros j Hj. now apply (Pr N H). }
  assert (Rt : forall N, 0 < size items N -> ratio items (size items) N = 1) by (intros; unfold ratio; field; lra).
  assert (HC : 0 <= C).
  { destruct HK as [[A B] | [-> _]]; [| lra]. destruct (Rle_or_lt 0 C) as [H | H]; [exact H |]. exfalso.
    enough (beyond (size items) (fun _ => 1) users C = from (size items) (fun _ => 1) users C) by lra.
    apply sum_ext. intros N H'. destruct (Nm N H') as [H0 _]. destruct (Rlt_dec C (size items N)), (Rle_dec C (size items N)); lra. }
  assert (Eb : beyond (size items) (ratio items (size items)) users C = beyond (size items) (fun _ => 1) users C).
  { apply sum_ext. intros N _. destruct (Rlt_dec C (size items N)) as [H | _]; [apply Rt; lra | reflexivity]. }
  split; [exact HC |]. apply (slopes_decide items (size items) users Pr Nm); [exact HC | |].
  - rewrite Eb. destruct (beyond_is_a_count (size items) users C) as (j & E & L). rewrite E.
    assert (J : (j < k)%nat) by (destruct HK as [[A _] | [_ A]]; [rewrite E in A; now apply INR_lt | lia]).
    assert (J' : (j + 1 <= k)%nat) by lia. apply le_INR in J'. rewrite plus_INR in J'. simpl in J'. lra.
  - intros c Hc. destruct HK as [[_ B] | [-> _]]; [| lra]. apply (left_slope items (size items) users Pr Nm); [exact Hc |].
    apply Rle_trans with (INR k); [exact K1 |]. eapply Rle_trans; [exact B |]. right. apply sum_ext. intros N _.
    destruct (Rle_dec C (size items N)) as [H | _]; [symmetry; apply Rt; lra | reflexivity].
Qed.
(* liu-lem-4.2 whole *)
Theorem kth_largest_size_is_a_two_approximation {I} (items : list I) (users : list (histogram I)) eps k C :
  items <> [] -> 0 < eps -> (forall N, In N users -> proper_user items N) ->
  ceiling k (INR (length items) / eps) -> kth_largest (size items) users k C ->
  forall c, 0 < c -> loss (size items) laplace_distance (/ eps) items users C <=
    2 * loss (size items) laplace_distance (/ eps) items users c.
Proof.
  intros Ne He Pr Hk HK. assert (E0 : laplace_distance 0 = 1) by (unfold laplace_distance; rewrite Rabs_R0, Ropp_0, exp_0; ring).
  assert (Hl : 0 < INR (length items)) by (apply lt_0_INR; destruct items; [easy | simpl; lia]).
  destruct (kth_largest_minimises items users k (INR (length items) / eps) C Pr
    (Rdiv_lt_0_compat _ _ Hl He) Hk HK) as [HC Min].
  apply (minimiser_of_surrogate_approximates items (size items) users Pr).
  - intros N H. split; [| auto]. apply sum_nonneg. intros j Hj. now apply (Pr N H).
  - now apply Rinv_0_lt_compat.
  - exact (distance_at_least_the_point _ _ laplace_symmetric mean_distance_of_laplace_noise).
  - exact (distance_at_least_that_from_0 _ _ laplace_symmetric mean_distance_of_laplace_noise).
  - exact (distance_at_most_the_sum _ _ laplace_symmetric mean_distance_of_laplace_noise).
  - exact HC.
  - rewrite E0, Rmult_1_r. exact Min.
Qed.
