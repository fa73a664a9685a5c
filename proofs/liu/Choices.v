(* Liu et al., Algorithms 4 and 5: a bound by the exponential mechanism, a debiased count; and Theorem 5.2's upper side refuted.
   Models of userdp.central.unknown_domain.private_bound and userdp.central.debias.debiased_count. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools Guarantees Laplace Choice liu.TwoApproximation liu.Histogram.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* Algorithm 4: V(C) = 2 sum_u (m_u - C)_+ + sum_j min(sum_u C N_uj / max(C, m_u), t(C)), the smaller the better. *)
Definition objective {I} (items : list I) (t : R -> R) (users : list (histogram I)) (C : R) : R :=
  2 * sum users (fun N => Rmax (size items N - C) 0) + sum items (fun j => Rmin (totals items C users j) (t C)).
Definition at_most {I} (items : list I) (top : R) (x : list (histogram I)) : Prop :=
  forall N, In N x -> proper_user items N /\ size items N <= top.
Definition replaced_within {I} (items : list I) (top : R) (x y : list (histogram I)) : Prop :=
  replaced x y /\ at_most items top x /\ at_most items top y.
Definition private_bound {I} (items : list I) (t : R -> R) (candidates : list R) (rate : R) :=
  exponential candidates rate (fun users C => - objective items t users C).

Lemma Rmin_moves a d t : 0 <= d -> 0 <= Rmin (a + d) t - Rmin a t <= d.
Proof. intros H. unfold Rmin. destruct (Rle_dec (a + d) t), (Rle_dec a t); lra. Qed.
Lemma one_user_adds {I} (items : list I) t top a (u : histogram I) b C : 0 < C <= top -> proper_user items u -> size items u <= top ->
  0 <= objective items t (a ++ u :: b) C - objective items t (a ++ b) C <= 2 * top.
Proof.
  intros HC P Hs. unfold objective. rewrite !sum_app. simpl.
  set (s := sum items (fun j => Rmin (totals items C (a ++ u :: b) j) (t C))).
  set (s' := sum items (fun j => Rmin (totals items C (a ++ b) j) (t C))).
  assert (D : 0 <= s - s' <= sum items (clipped (size items) C u)).
  { unfold s, s'. rewrite <- sum_minus. assert (E : forall j, In j items ->
      0 <= Rmin (totals items C (a ++ u :: b) j) (t C) - Rmin (totals items C (a ++ b) j) (t C) <= clipped (size items) C u j).
    { intros j Hj. replace (totals items C (a ++ u :: b) j) with (totals items C (a ++ b) j + clipped (size items) C u j).
      - apply Rmin_moves. apply clipped_nonneg; [lra | exact P | exact Hj].
      - unfold totals. rewrite !sum_app. simpl. ring. }
    split; [apply sum_nonneg; intros; now apply E | apply sum_le; intros; now apply E]. }
  pose proof (clipped_total items C u ltac:(lra)) as CT.
  assert (Hm : 0 <= size items u) by (apply sum_nonneg; exact P).
  assert (B : 0 <= 2 * Rmax (size items u - C) 0 + (s - s') <= 2 * top).
  { destruct (Rle_or_lt (size items u) C) as [L | L].
    - rewrite Rmax_right by lra. lra.
    - rewrite Rmax_left by lra. lra. }
  lra.
Qed.
(* liu-alg-4 part: privacy, as printed, for users within the assumed bound *)
Theorem private_bound_is_private {I} (items : list I) t candidates top eps : candidates <> [] -> 0 < top -> 0 <= eps ->
  (forall C, In C candidates -> 0 < C <= top) ->
  let rate := eps / (2 * (5 / 2 * top)) in
  forall x y C, In C candidates -> replaced_within items top x y ->
    private_bound items t candidates rate x C <= exp eps * private_bound items t candidates rate y C.
Proof.
  intros Ne Ht He HC rate x y C Hi Hn.
  (* scores outside the candidates do not matter *)
  set (score := fun (users : list (histogram I)) (c : R) => if Rlt_dec 0 c then if Rle_dec c top then - objective items t users c else 0 else 0).
  assert (Same : forall users c, In c candidates -> score users c = - objective items t users c).
  { intros users c Hc. specialize (HC c Hc). unfold score. destruct (Rlt_dec 0 c); [| lra]. destruct (Rle_dec c top); lra. }
  assert (M : moves_scores (replaced_within items top) score (5 / 2 * top)).
  { intros x' y' c [(a & u & v & b & -> & ->) [Px Py]]. unfold score. destruct (Rlt_dec 0 c) as [C0 |]; [| rewrite Rminus_0_r, Rabs_R0; lra].
    destruct (Rle_dec c top) as [C1 |]; [| rewrite Rminus_0_r, Rabs_R0; lra].
    destruct (Px u (in_elt _ _ _)) as [Pu Su]. destruct (Py v (in_elt _ _ _)) as [Pv Sv].
    pose proof (one_user_adds items t top a u b c (conj C0 C1) Pu Su).
    pose proof (one_user_adds items t top a v b c (conj C0 C1) Pv Sv). apply Rabs_le. lra. }
  assert (Sy : forall x' y', replaced_within items top x' y' -> replaced_within items top y' x').
  { intros x' y' [H [A B]]. split; [now apply replaced_symmetric | split; assumption]. }
  pose proof (exponential_private (replaced_within items top) candidates score eps (5 / 2 * top) Ne Sy ltac:(lra) He M x y C Hn) as P.
  unfold private_bound, exponential in *. fold rate in P.
  rewrite !(Same _ C Hi) in P. rewrite !(sum_ext candidates (fun c => exp (rate * score _ c)) (fun c => exp (rate * - objective items t _ c))) in P
    by (intros c Hc; now rewrite Same). exact P.
Qed.

(* Algorithm 5: counts of one item, each cut at C, with Laplace noise on their sum; the rest is computed from it. *)
Definition debiased (C eps : R) : list R -> R -> R := laplace (fun counts => sum counts (project 0 C)) (C / eps).
Lemma count_sensitivity C : 0 < C -> sensitivity replaced (fun counts => sum counts (project 0 C)) C.
Proof.
  intros HC x y (a & u & v & b & -> & ->). rewrite !sum_app. simpl.
  pose proof (project_range 0 C u ltac:(lra)). pose proof (project_range 0 C v ltac:(lra)). apply Rabs_le. lra.
Qed.
(* liu-alg-5 part: privacy, if a user is replaced or comes or goes *)
Theorem debiased_count_is_private C eps : 0 < C -> 0 < eps ->
  private_by_masses replaced eps (debiased C eps) /\ private_by_masses added_or_removed eps (debiased C eps).
Proof.
  intros HC He. split; apply laplace_private_by_masses; auto; [now apply count_sensitivity |].
  intros x y [(a & u & b & -> & ->) | (a & u & b & -> & ->)]; rewrite !sum_app; simpl;
    pose proof (project_range 0 C u ltac:(lra)); apply Rabs_le; lra.
Qed.
(* liu-alg-5 part: no smaller budget holds, by an event *)
Theorem debiased_count_loses_the_budget C eps e (others : list R) : 0 < C -> 0 < eps -> e < eps ->
  ~ private_by_masses replaced e (debiased C eps).
Proof.
  intros HC He H. apply laplace_no_less with (s := C) (x := 0 :: others) (y := C :: others).
  - now apply Rdiv_lt_0_compat.
  - now exists [], 0, C, others.
  - simpl. rewrite !project_inside by lra. ring.
  - lra.
  - replace (C / (C / eps)) with eps by (field; lra). exact H.
Qed.

(* Theorem 5.2. The exact error of an item of count N, clipped to h, both at most t, with noise of scale b (our closed form). *)
Definition item_error (b t h N : R) : R := N + exp (- (t - h) / b) * ((t + b) / 2 - N).
Definition threshold_of (C eps delta : R) : R := C + C / eps * ln (C / (2 * delta)).
(* As printed, for one item of which nothing is clipped. *)
Definition printed_upper_bound : Prop := forall C Cmax eps delta N, 1 <= C <= Cmax -> 0 < eps -> 0 < delta <= 1 / 8 ->
  Cmax <= exp (eps / (3 * delta)) -> let t := threshold_of C eps delta in 0 < N <= t -> item_error (C / eps) t N N <= Rmin N t.
Lemma lone_record eps delta : 0 < eps -> 0 < delta -> let t := threshold_of 1 eps delta in
  item_error (1 / eps) t 1 1 = 1 + delta * ((1 + ln (1 / (2 * delta))) / eps - 1).
Proof.
  intros He Hd t. unfold item_error, t, threshold_of.
  replace (- (1 + 1 / eps * ln (1 / (2 * delta)) - 1) / (1 / eps)) with (- ln (1 / (2 * delta))) by (field; lra).
  rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.
(* liu-thm-5.2, liu-cor-b.4, liu-cor-b.5 part: the upper side fails for one record, at every delta and every eps < 1 + ln(1/2 delta) *)
Theorem printed_upper_bound_fails : ~ printed_upper_bound /\ forall eps delta, 0 < delta <= 1 / 8 -> 0 < eps < 1 + ln (1 / (2 * delta)) ->
  let t := threshold_of 1 eps delta in Rmin 1 t < item_error (1 / eps) t 1 1.
Proof.
  assert (A : forall eps delta, 0 < delta <= 1 / 8 -> 0 < eps < 1 + ln (1 / (2 * delta)) ->
    let t := threshold_of 1 eps delta in Rmin 1 t < item_error (1 / eps) t 1 1).
  { intros eps delta Hd He t. unfold t. rewrite lone_record by lra. pose proof (Rmin_l 1 (threshold_of 1 eps delta)).
    assert (K : 1 < (1 + ln (1 / (2 * delta))) / eps).
    { apply Rmult_lt_reg_r with eps; [lra |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (0 < delta * ((1 + ln (1 / (2 * delta))) / eps - 1)) by (apply Rmult_lt_0_compat; lra). lra. }
  split; [| exact A]. intros P.
  assert (L : 0 < ln (1 / (2 * (1 / 8)))) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (A 1 (1 / 8) ltac:(lra) ltac:(lra)). cbv zeta in A.
  specialize (P 1 1 1 (1 / 8) 1 ltac:(lra) ltac:(lra) ltac:(lra)). cbv zeta in P.
  assert (1 <= exp (1 / (3 * (1 / 8)))) by (apply one_le_exp; lra).
  assert (0 < 1 <= threshold_of 1 1 (1 / 8)) by (unfold threshold_of; lra).
  specialize (P H H0). lra.
Qed.
