(* Cummings et al., Lemma 5.2: capped inverse-variance weights have the least variance, for windows of any lengths.
   Model of userdp.central.weights.optimal_weights. *)
From Coq Require Import Reals List Lra Lia FunctionalExtensionality.
From Userdp Require Import Privacy Tools.
Import ListNotations.
Open Scope R_scope.

Section Weights.
Context {U : Type}.
(* Users with variances v and lengths d of windows; k is c / eps^2, the price of noise of variance k R^2. *)
Variables (users : list U) (v d : U -> R) (k : R).
Hypothesis Hv : forall u, 0 < v u.
Hypothesis Hd : forall u, 0 < d u.
Hypothesis Hk : 0 < k.
Hypothesis Someone : users <> [].

Definition weights (w : U -> R) : Prop := (forall u, In u users -> 0 <= w u) /\ sum users w = 1.
Definition covers (R0 : R) (w : U -> R) : Prop := forall u, In u users -> w u * d u <= R0.
Definition variance (w : U -> R) (R0 : R) : R := sum users (fun u => w u ^ 2 * v u) + k * R0 ^ 2.
Definition raw (T : R) (u : U) : R := Rmin (/ v u) (T / d u).
Definition capped (T : R) (u : U) : R := raw T u / sum users (raw T).
Definition balance (T : R) : R := sum users (fun u => / d u * Rmax (1 - T * v u / d u) 0) - k * T.

Lemma balance_continuous : continuity balance.
Proof.
  unfold balance. apply continuity_minus.
  - clear Someone. induction users as [| u l IH]; simpl.
    + apply continuity_const. intros x y. reflexivity.
    + apply continuity_plus; [| exact IH]. apply continuity_scal.
      replace (fun T => Rmax (1 - T * v u / d u) 0) with (fun T => ((1 - T * v u / d u) + Rabs (1 - T * v u / d u)) * / 2).
      2:{ apply functional_extensionality. intros T. unfold Rmax, Rabs. destruct (Rle_dec (1 - T * v u / d u) 0), (Rcase_abs (1 - T * v u / d u)); lra. }
      assert (L : continuity (fun T => 1 - T * v u / d u)).
      { intros T. apply derivable_continuous_pt. exists (- v u / d u).
        replace (- v u / d u) with (0 - (1 * (v u * / d u) + T * 0)) by (field; apply Rgt_not_eq, Hd).
        apply (derivable_pt_lim_minus (fun _ => 1) (fun T => T * v u / d u)); [apply derivable_pt_lim_const |].
        apply (derivable_pt_lim_ext (fun T => T * (v u * / d u))); [intros; unfold Rdiv; ring |].
        apply (derivable_pt_lim_mult id (fun _ => v u * / d u)); [apply derivable_pt_lim_id | apply derivable_pt_lim_const]. }
      apply (continuity_mult (fun T => (1 - T * v u / d u) + Rabs (1 - T * v u / d u)) (fun _ => / 2)).
      * apply continuity_plus; [exact L |]. apply (continuity_comp (fun T => 1 - T * v u / d u) Rabs); [exact L | apply Rcontinuity_abs].
      * apply continuity_const. intros x y. reflexivity.
  - apply continuity_scal. apply derivable_continuous, derivable_id.
Qed.
Lemma root_exists : exists T, 0 < T /\ balance T = 0.
Proof.
  set (D := sum users (fun u => / d u)).
  assert (HD : 0 < D) by (apply sum_pos; [exact Someone | intros; apply Rinv_0_lt_compat, Hd]).
  destruct (IVT (fun T => - balance T) 0 (D / k + 1)) as (T & HT & E).
  - apply continuity_opp, balance_continuous.
  - assert (0 < D / k) by now apply Rdiv_lt_0_compat. lra.
  - unfold balance. rewrite Rmult_0_r. enough (sum users (fun u => / d u * Rmax (1 - 0 * v u / d u) 0) = D) by lra.
    apply sum_ext. intros u _. replace (1 - 0 * v u / d u) with 1 by (unfold Rdiv; ring). rewrite Rmax_left by lra. ring.
  - unfold balance. enough (sum users (fun u => / d u * Rmax (1 - (D / k + 1) * v u / d u) 0) <= D).
    { assert (k * (D / k + 1) = D + k) by (field; lra). lra. }
    assert (0 < D / k) by now apply Rdiv_lt_0_compat.
    apply sum_le. intros u _. pose proof (Hd u). pose proof (Hv u). rewrite <- (Rmult_1_r (/ d u)) at 2.
    apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat |]. apply Rmax_lub; [| lra].
    assert (0 <= (D / k + 1) * v u / d u) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra | left; now apply Rinv_0_lt_compat]). lra.
  - exists T. split; [| lra]. destruct HT as [[HT | <-] _]; [exact HT |]. exfalso.
    unfold balance in E. rewrite Rmult_0_r in E.
    assert (X : sum users (fun u => / d u * Rmax (1 - 0 * v u / d u) 0) = D).
    { apply sum_ext. intros u _. replace (1 - 0 * v u / d u) with 1 by (unfold Rdiv; ring). rewrite Rmax_left by lra. ring. }
    lra.
Qed.

Variable T : R.
Hypothesis HT : 0 < T.
Hypothesis Root : balance T = 0.
Let S := sum users (raw T).
Let R1 := T / S.
Definition price (u : U) : R := 2 / S * (/ d u * Rmax (1 - T * v u / d u) 0).   (* the multiplier of w u d u <= R *)

Lemma raw_positive u : 0 < raw T u.
Proof. apply Rmin_glb_lt; [apply Rinv_0_lt_compat, Hv | apply Rdiv_lt_0_compat; [exact HT | apply Hd]]. Qed.
Lemma total_positive : 0 < S.
Proof. apply sum_pos; [exact Someone | intros; apply raw_positive]. Qed.
Lemma capped_weights : weights (capped T).
Proof.
  pose proof total_positive. split.
  - intros u _. left. apply Rdiv_lt_0_compat; [apply raw_positive | exact H].
  - unfold capped, Rdiv. rewrite sum_scale_r. fold S. field. lra.
Qed.
Lemma capped_covered : covers R1 (capped T).
Proof.
  intros u _. pose proof total_positive as P. pose proof (Hd u). unfold capped, R1. fold S.
  apply Rmult_le_reg_r with S; [exact P |]. replace (raw T u / S * d u * S) with (raw T u * d u) by (field; lra).
  replace (T / S * S) with (T / d u * d u) by (field; lra). apply Rmult_le_compat_r; [lra | apply Rmin_r].
Qed.
(* The conditions of Karush, Kuhn and Tucker. *)
Lemma stationary u : 2 * capped T u * v u + price u * d u = 2 / S.
Proof.
  pose proof total_positive as P. pose proof (Hd u) as D. pose proof (Hv u) as V. unfold capped, price. fold S. unfold raw.
  destruct (Rle_or_lt (/ v u) (T / d u)) as [L | L].
  - assert (Q : 1 <= T * v u / d u).
    { apply Rmult_le_compat_r with (r := v u) in L; [| lra]. rewrite Rinv_l in L by lra. unfold Rdiv in *. lra. }
    rewrite Rmin_left, Rmax_right by lra. field. lra.
  - assert (Q : T * v u / d u <= 1).
    { apply Rmult_lt_compat_r with (r := v u) in L; [| lra]. rewrite Rinv_l in L by lra. unfold Rdiv in *. lra. }
    rewrite Rmin_right, Rmax_left by lra. field. lra.
Qed.
Lemma complementary u : price u * (R1 - capped T u * d u) = 0.
Proof.
  pose proof total_positive as P. pose proof (Hd u) as D. pose proof (Hv u) as V. unfold capped, price, R1. fold S. unfold raw.
  destruct (Rle_or_lt (/ v u) (T / d u)) as [L | L].
  - assert (Q : 1 <= T * v u / d u).
    { apply Rmult_le_compat_r with (r := v u) in L; [| lra]. rewrite Rinv_l in L by lra. unfold Rdiv in *. lra. }
    rewrite (Rmax_right (1 - _)) by lra. ring.
  - rewrite Rmin_right by lra. replace (T / S - T / d u / S * d u) with 0 by (field; lra). ring.
Qed.
Lemma price_nonneg u : 0 <= price u.
Proof.
  pose proof total_positive. pose proof (Hd u). apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra |].
  apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat | apply Rmax_r].
Qed.
Lemma prices_pay_for_noise : sum users price = 2 * k * R1.
Proof.
  unfold price. rewrite sum_scale. unfold balance in Root. unfold R1.
  replace (sum users (fun u => / d u * Rmax (1 - T * v u / d u) 0)) with (k * T) by lra.
  field. pose proof total_positive. lra.
Qed.
Lemma least_variance : variance (capped T) R1 = / S.
Proof.
  pose proof total_positive as P. enough (E : 2 * variance (capped T) R1 = 2 / S) by (unfold Rdiv in E; lra).
  unfold variance. rewrite Rmult_plus_distr_l, <- sum_scale.
  replace (2 * (k * R1 ^ 2)) with (R1 * sum users price) by (rewrite prices_pay_for_noise; ring).
  rewrite <- sum_scale, <- sum_plus. destruct capped_weights as [_ W].
  replace (2 / S) with (2 / S * sum users (capped T)) by (rewrite W; ring). rewrite <- sum_scale. apply sum_ext. intros u _.
  pose proof (stationary u) as A. pose proof (complementary u) as B. rewrite <- A.
  replace (2 * (capped T u ^ 2 * v u) + R1 * price u) with
    ((2 * capped T u * v u + price u * d u) * capped T u + price u * (R1 - capped T u * d u)) by ring. rewrite B. ring.
Qed.
Lemma no_weights_are_better w R0 : weights w -> covers R0 w -> / S <= variance w R0.
Proof.
  intros [W0 W1] C. rewrite <- least_variance at 1. unfold variance.
  assert (A : sum users (fun u => 2 * capped T u * v u * w u - capped T u ^ 2 * v u) <= sum users (fun u => w u ^ 2 * v u)).
  { apply sum_le. intros u _. pose proof (Rmult_le_pos _ _ (pow2_ge_0 (w u - capped T u)) (Rlt_le _ _ (Hv u))). lra. }
  rewrite sum_minus in A.
  assert (B : 2 / S - R0 * sum users price <= sum users (fun u => 2 * capped T u * v u * w u)).
  { replace (2 / S) with (2 / S * sum users w) by (rewrite W1; ring). rewrite <- !sum_scale, <- sum_minus. apply sum_le.
    intros u Hu. rewrite <- (stationary u). pose proof (Rmult_le_compat_l (price u) _ _ (price_nonneg u) (C u Hu)). lra. }
  rewrite prices_pay_for_noise in B. pose proof (Rmult_le_pos _ _ (Rlt_le _ _ Hk) (pow2_ge_0 (R0 - R1))) as N.
  pose proof least_variance as LV. unfold variance in LV. unfold Rdiv in B. lra.
Qed.
End Weights.

(* cummings-alg-1, cummings-lem-5.2 part: the least variance of all weights, for windows of any lengths, and its value *)
Theorem capped_weights_are_optimal_for_any_windows {U} (users : list U) v d k : (forall u, 0 < v u) -> (forall u, 0 < d u) -> 0 < k ->
  users <> [] -> exists T, 0 < T /\ weights users (capped users v d T) /\
    let R1 := T / sum users (raw v d T) in covers users d R1 (capped users v d T) /\
    variance users v k (capped users v d T) R1 = / sum users (raw v d T) /\
    forall w R0, weights users w -> covers users d R0 w -> / sum users (raw v d T) <= variance users v k w R0.
Proof.
  intros Hv Hd Hk N. destruct (root_exists users v d k Hv Hd Hk N) as (T & HT & E). exists T.
  repeat split; try exact HT; cbv zeta.
  - apply (capped_weights users v d Hv Hd N T HT).
  - apply (capped_weights users v d Hv Hd N T HT).
  - now apply capped_covered.
  - now apply least_variance.
  - intros w R0. now apply no_weights_are_better.
Qed.
(* cummings-lem-5.2 whole; the noise for weights w has scale max(w sigma)/eps, so R0 is the largest w sigma, c = 2 for Laplace *)
Theorem truncated_inverse_variance_weights_are_optimal {U} (users : list U) (sigma : U -> R) eps c :
  (forall u, 0 < sigma u) -> 0 < eps -> 0 < c -> users <> [] ->
  exists T, 0 < T /\
    let w u := Rmin (/ sigma u ^ 2) (T / sigma u) / sum users (fun u => Rmin (/ sigma u ^ 2) (T / sigma u)) in
    weights users w /\ exists R1, covers users sigma R1 w /\
      forall w' R0, weights users w' -> covers users sigma R0 w' ->
        variance users (fun u => sigma u ^ 2) (c / eps ^ 2) w R1 <= variance users (fun u => sigma u ^ 2) (c / eps ^ 2) w' R0.
Proof.
  intros Hs He Hc N. assert (Hk : 0 < c / eps ^ 2) by (apply Rdiv_lt_0_compat; [exact Hc | apply pow_lt; exact He]).
  destruct (capped_weights_are_optimal_for_any_windows users (fun u => sigma u ^ 2) sigma (c / eps ^ 2)
    (fun u => pow_lt _ 2 (Hs u)) Hs Hk N) as (T & HT & W & C & V & B).
  exists T. split; [exact HT |]. split; [exact W |]. eexists. split; [exact C |].
  intros w' R0 W' C'. eapply Rle_trans; [right; exact V | now apply B].
Qed.
