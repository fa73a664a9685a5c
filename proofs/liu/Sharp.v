(* Liu et al.: the constant of Lemma 4.2 is 1.466, attained; the regularised minimiser of Lemma A.1, attained; Algorithm 2. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace liu.Noise liu.TwoApproximation liu.Rules.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* The constant kappa = (x + 2)/(x + 1), where e^x = x + 2. *)
Definition turning_point (x : R) : Prop := 0 < x /\ exp x = x + 2.
Lemma turning_point_exists : exists x, turning_point x.
Proof.
  assert (C : continuity (fun x => exp x - (x + 2))).
  { intros x. apply derivable_continuous_pt. exists (exp x - 1). apply is_derive_Reals. auto_derive; [exact I |]. ring. }
  pose proof exp_le_3 as E3.
  assert (E2 : 4 < exp 2).
  { replace 2 with (1 + 1) by ring. rewrite exp_plus. pose proof (exp_ineq1 1 ltac:(lra)).
    assert (2 * 2 < exp 1 * exp 1) by (apply Rmult_le_0_lt_compat; lra). lra. }
  destruct (IVT (fun x => exp x - (x + 2)) (1 / 2) 2 C) as (x & Hx & E); [lra | | lra |].
  - assert (exp (1 / 2) * exp (1 / 2) <= 3) by (rewrite <- exp_plus; replace (1 / 2 + 1 / 2) with 1 by field; exact E3).
    pose proof (exp_pos (1 / 2)). nra.
  - exists x. split; lra.
Qed.
Lemma laplace_within_kappa x beta : turning_point x -> 0 <= beta ->
  beta + 1 <= (x + 2) / (x + 1) * laplace_distance beta.
Proof.
  intros [Hx E] Hb. unfold laplace_distance. rewrite Rabs_pos_eq by exact Hb.
  assert (T : exp (- x) * (1 + (x - beta)) <= exp (- beta)).
  { replace (- beta) with (- x + (x - beta)) by ring. rewrite exp_plus.
    apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le]. }
  rewrite exp_Ropp, E in T. apply Rmult_le_reg_r with (x + 1); [lra |].
  replace ((x + 2) / (x + 1) * (beta + exp (- beta)) * (x + 1)) with ((x + 2) * beta + (x + 2) * exp (- beta)) by (field; lra).
  apply Rmult_le_compat_l with (r := x + 2) in T; [| lra].
  replace ((x + 2) * (/ (x + 2) * (1 + (x - beta)))) with (1 + (x - beta)) in T by (field; lra). lra.
Qed.
(* liu-lem-4.2 part: the sharp constant (x + 2)/(x + 1), with e^x = x + 2 *)
Theorem kth_largest_size_is_within_kappa {I} (items : list I) (users : list (histogram I)) eps k C x :
  items <> [] -> 0 < eps -> (forall N, In N users -> proper_user items N) -> turning_point x ->
  ceiling k (INR (length items) / eps) -> kth_largest (size items) users k C ->
  forall c, 0 < c -> loss (size items) laplace_distance (/ eps) items users C <=
    (x + 2) / (x + 1) * loss (size items) laplace_distance (/ eps) items users c.
Proof.
  intros Ne He Pr Hx Hk HK c Hc. assert (E0 : laplace_distance 0 = 1) by (unfold laplace_distance; rewrite Rabs_R0, Ropp_0, exp_0; ring).
  assert (Hl : 0 < INR (length items)) by (apply lt_0_INR; destruct items; [easy | simpl; lia]).
  destruct (kth_largest_minimises items users k (INR (length items) / eps) C Pr
    (Rdiv_lt_0_compat _ _ Hl He) Hk HK) as [HC Min].
  assert (Nm : forall N, In N users -> 0 <= size items N /\ (size items N = 0 -> size items N = 0)).
  { intros N H. split; [| auto]. apply sum_nonneg. intros j Hj. now apply (Pr N H). }
  assert (Hi : 0 < / eps) by now apply Rinv_0_lt_compat.
  pose proof (loss_between items (size items) users Pr Nm laplace_distance (/ eps) Hi
    (distance_at_least_the_point _ _ laplace_symmetric mean_distance_of_laplace_noise)
    (distance_at_least_that_from_0 _ _ laplace_symmetric mean_distance_of_laplace_noise)
    (distance_at_most_the_sum _ _ laplace_symmetric mean_distance_of_laplace_noise) C HC) as [L1 _].
  rewrite E0, Rmult_1_r in L1. apply Rle_trans with (1 := L1).
  specialize (Min c (Rlt_le _ _ Hc)). apply Rle_trans with (1 := Min).
  rewrite (surrogate_by_items items (size items) users Nm) by lra. unfold loss.
  replace (c * (INR (length items) / eps)) with (INR (length items) * (c * / eps)) by (unfold Rdiv; ring).
  rewrite <- sum_const, <- sum_plus, <- sum_scale. apply sum_le. intros j Hj.
  pose proof (taken_nonneg items (size items) users Pr Nm c j (Rlt_le _ _ Hc) Hj) as Tn.
  set (b := taken (size items) c users j) in *. assert (Hv : 0 < c * / eps) by now apply Rmult_lt_0_compat.
  set (v := c * / eps) in *. unfold at_scale. destruct (Req_EM_T v 0) as [E | _]; [lra |].
  assert (Hb : 0 <= b / v) by (apply Rmult_le_pos; [exact Tn | left; now apply Rinv_0_lt_compat]).
  pose proof (laplace_within_kappa x (b / v) Hx Hb) as K. apply Rmult_le_compat_l with (r := v) in K; [| lra].
  replace (v * (b / v + 1)) with (b + v) in K by (field; lra). lra.
Qed.
(* k users with m copies of a single item each, at the budget 1/k. *)
Definition k_users (k : nat) (m : R) : list (histogram unit) := repeat (fun _ => m) k.
Lemma sum_repeat {A} (a : A) k f : sum (repeat a k) f = INR k * f a.
Proof. induction k as [| k IH]; [simpl; ring |]. rewrite S_INR. simpl. rewrite IH. ring. Qed.
(* liu-lem-4.2 part: the sharp constant is attained *)
Theorem kappa_is_attained k m x : (0 < k)%nat -> 0 < m -> turning_point x ->
  let users := k_users k m in let eps := / INR k in let size := size [tt] in
  ceiling k (1 / eps) /\ kth_largest size users k m /\
  loss size laplace_distance (/ eps) [tt] users m =
    (x + 2) / (x + 1) * loss size laplace_distance (/ eps) [tt] users (m / (x + 1)).
Proof.
  intros Hk Hm [Hx E] users eps size. apply lt_0_INR in Hk. set (r := INR k) in *.
  assert (Sz : forall c : R, size (fun _ : unit => c) = c) by (intros; unfold size, TwoApproximation.size; simpl; ring).
  assert (Tk : forall c, 0 < c <= m -> taken size c users tt = r * (m - c)).
  { intros c Hc. unfold taken, users, k_users. rewrite sum_repeat. fold r. unfold clipped. rewrite Sz.
    rewrite Rmax_right by lra. field. lra. }
  assert (Ie : / eps = r) by (unfold eps; field; lra).
  split; [unfold ceiling; replace (1 / eps) with r by (unfold eps; field; lra); fold r; lra |]. split.
  - left. unfold beyond, from, users, k_users. rewrite !sum_repeat. fold r. rewrite !Sz.
    destruct (Rlt_dec m m); [lra |]. destruct (Rle_dec m m); lra.
  - rewrite Ie. unfold loss. simpl Privacy.sum. rewrite !Rplus_0_r.
    set (c := m / (x + 1)). assert (Hc : 0 < c <= m).
    { unfold c. split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_le_reg_r with (x + 1); [lra |].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
    rewrite !Tk by lra. assert (Em : m = c * (x + 1)) by (unfold c; field; lra).
    unfold at_scale. assert (0 < m * r) by now apply Rmult_lt_0_compat.
    assert (0 < c * r) by (apply Rmult_lt_0_compat; lra).
    destruct (Req_EM_T (m * r) 0); [lra |]. destruct (Req_EM_T (c * r) 0); [lra |].
    replace (r * (m - m) / (m * r)) with 0 by (field; lra). replace (r * (m - c) / (c * r)) with x by (rewrite Em; field; lra).
    unfold laplace_distance. rewrite Rabs_R0, Ropp_0, exp_0, Rabs_pos_eq, exp_Ropp, E, Em by lra. field. lra.
Qed.

(* Lemma A.1: F(C) = G(C)/n + (rho/2) C^2, with the minimisers over C >= 0 of two neighbouring inputs. *)
Definition regularised {I} (items : list I) (norm : histogram I -> R) (M rho n : R) (users : list (histogram I)) (C : R) : R :=
  surrogate items norm M users C / n + rho / 2 * C ^ 2.
Definition minimises (F : R -> R) (C : R) : Prop := 0 <= C /\ forall c, 0 <= c -> F C <= F c.
Definition share {I} (items : list I) (norm : histogram I -> R) (N : histogram I) (C : R) : R :=
  ratio items norm N * Rmax (norm N - C) 0.
(* The convexity of the surrogate: its value in the middle. *)
Lemma share_convex r m a b t : 0 <= r -> 0 <= t <= 1 ->
  r * Rmax (m - (a + t * (b - a))) 0 <= (1 - t) * (r * Rmax (m - a) 0) + t * (r * Rmax (m - b) 0).
Proof.
  intros Hr Ht. replace ((1 - t) * (r * Rmax (m - a) 0) + t * (r * Rmax (m - b) 0))
    with (r * ((1 - t) * Rmax (m - a) 0 + t * Rmax (m - b) 0)) by ring.
  apply Rmult_le_compat_l; [exact Hr |].
  assert (A : (1 - t) * (m - a) <= (1 - t) * Rmax (m - a) 0) by (apply Rmult_le_compat_l; [lra | apply Rmax_l]).
  assert (A' : 0 <= (1 - t) * Rmax (m - a) 0) by (apply Rmult_le_pos; [lra | apply Rmax_r]).
  assert (B : t * (m - b) <= t * Rmax (m - b) 0) by (apply Rmult_le_compat_l; [lra | apply Rmax_l]).
  assert (B' : 0 <= t * Rmax (m - b) 0) by (apply Rmult_le_pos; [lra | apply Rmax_r]).
  apply Rmax_lub; [| lra]. replace (m - (a + t * (b - a))) with ((1 - t) * (m - a) + t * (m - b)) by ring. lra.
Qed.
(* A rho-strongly convex function exceeds its minimum by rho/2 times the squared distance. *)
Lemma strongly_convex_gap (g : R -> R) rho a b : 0 < rho -> 0 <= a -> 0 <= b ->
  (forall t, 0 <= t <= 1 -> g (a + t * (b - a)) <= (1 - t) * g a + t * g b) ->
  (forall c, 0 <= c -> g a + rho / 2 * a ^ 2 <= g c + rho / 2 * c ^ 2) ->
  g a + rho / 2 * a ^ 2 + rho / 2 * (a - b) ^ 2 <= g b + rho / 2 * b ^ 2.
Proof.
  intros Hr Ha Hb Cv Min. apply Rnot_lt_le. intros L.
  set (gap := g a + rho / 2 * a ^ 2 + rho / 2 * (a - b) ^ 2 - (g b + rho / 2 * b ^ 2)) in *.
  assert (G : 0 < gap) by (unfold gap; lra). set (q := rho / 2 * (a - b) ^ 2).
  assert (Q : 0 <= q) by (unfold q; apply Rmult_le_pos; [lra | apply pow2_ge_0]).
  set (t := Rmin 1 (gap / (2 * (q + 1)))). assert (Ht : 0 < t <= 1).
  { unfold t. split; [apply Rmin_glb_lt; [lra | apply Rdiv_lt_0_compat; lra] | apply Rmin_l]. }
  assert (Hq : t * q < gap).
  { assert (T : t <= gap / (2 * (q + 1))) by apply Rmin_r. apply Rmult_le_compat_r with (r := 2 * (q + 1)) in T; [| lra].
    unfold Rdiv in T. rewrite Rmult_assoc, Rinv_l in T by lra. nra. }
  pose proof (Cv t ltac:(lra)) as C. pose proof (Min (a + t * (b - a)) ltac:(nra)) as M.
  assert (K : t * (gap - t * q) <= 0).
  { assert (X : (a + t * (b - a)) ^ 2 = (1 - t) * a ^ 2 + t * b ^ 2 - t * (1 - t) * (a - b) ^ 2) by ring.
    rewrite X in M. unfold gap, q. lra. }
  assert (0 < t * (gap - t * q)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
Lemma surrogate_convex {I} (items : list I) norm M users a b t :
  (forall N, In N users -> 0 <= ratio items norm N) -> 0 <= t <= 1 ->
  surrogate items norm M users (a + t * (b - a)) <= (1 - t) * surrogate items norm M users a + t * surrogate items norm M users b.
Proof.
  intros Hr Ht. unfold surrogate.
  assert (S : sum users (fun N => ratio items norm N * Rmax (norm N - (a + t * (b - a))) 0) <=
    (1 - t) * sum users (fun N => ratio items norm N * Rmax (norm N - a) 0) +
    t * sum users (fun N => ratio items norm N * Rmax (norm N - b) 0)).
  { rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros N H. apply share_convex; auto. }
  lra.
Qed.
(* One user's share changes by at most the ratio times the change of the bound. *)
Lemma share_lipschitz r s m a b : 0 <= r <= s -> 
  - (s * Rabs (a - b)) <= r * Rmax (m - a) 0 - r * Rmax (m - b) 0 <= s * Rabs (a - b).
Proof.
  intros Hr. replace (r * Rmax (m - a) 0 - r * Rmax (m - b) 0) with (r * (Rmax (m - a) 0 - Rmax (m - b) 0)) by ring.
  assert (B : - Rabs (a - b) <= Rmax (m - a) 0 - Rmax (m - b) 0 <= Rabs (a - b)).
  { unfold Rmax, Rabs. repeat destruct (Rle_dec _ _); destruct (Rcase_abs (a - b)); lra. }
  pose proof (Rabs_pos (a - b)). assert (r * Rabs (a - b) <= s * Rabs (a - b)) by (apply Rmult_le_compat_r; lra).
  assert (r * - Rabs (a - b) <= r * (Rmax (m - a) 0 - Rmax (m - b) 0) <= r * Rabs (a - b)) by (split; apply Rmult_le_compat_l; lra). lra.
Qed.
