(* DAME, Theorems 1 and 2: as printed they exclude each other; with the repaired cap the parts of the proof add up to 1646. *)
From Coq Require Import Reals List Lra Lia ZArith.
From Userdp Require Import Privacy Tools.
Import ListNotations.
Open Scope R_scope.

(* A distribution of the sizes: finitely many numbers of records, with their probabilities. *)
Record sizes := { support : list nat; chance_of : nat -> R }.
Definition proper (M : sizes) : Prop := distribution (support M) (chance_of M).
Definition at_least (M : sizes) (a : nat) : R :=
  Privacy.sum (support M) (fun m => if (a <=? m)%nat then chance_of M m else 0).
Definition above (M : sizes) (a : nat) : R := at_least M (a + 1).
Definition root_up_to (M : sizes) (a : nat) : R :=
  Privacy.sum (support M) (fun m => if (m <=? a)%nat then chance_of M m * sqrt (INR m) else 0).
Definition root_capped (M : sizes) (cap : nat) : R :=
  Privacy.sum (support M) (fun m => chance_of M m * sqrt (INR (Nat.min m cap))).
Definition strength (n : nat) (eps : R) : R := INR n * eps ^ 2.
Definition x_of (N : R) (a : nat) : R := 8 * Rmax (INR a * N) 1.
Definition phi (N : R) (a : nat) : R := 868.5 / N * ln (x_of N a / ln (x_of N a)).
Definition log_term (N : R) (cap : nat) : R := ln (8 * Rmax (sqrt (INR cap * N)) 1).
(* (12) as printed: the largest a >= 1 with P(m >= a)^2 >= min(phi(a), 1). *)
Definition printed_cap (M : sizes) (N : R) (cap : nat) : Prop :=
  (1 <= cap)%nat /\ Rmin (phi N cap) 1 <= at_least M cap ^ 2 /\
  forall a, (cap < a)%nat -> at_least M a ^ 2 < Rmin (phi N a) 1.
(* Both theorems speak of the minimax risk; they contradict each other for every function in its place. *)
Definition theorem_1 (risk : nat -> R -> sizes -> R) : Prop := forall n eps M a, (0 < n)%nat -> 0 < eps <= 22 / 35 ->
  proper M -> let N := strength n eps in
  exp (-9) / 16 * exp (- (24 * N * above M a ^ 2)) / Rmax (N * root_up_to M a ^ 2) 1 <= risk n eps M.
Definition theorem_2 (risk : nat -> R -> sizes -> R) : Prop := forall n eps M cap, (0 < n)%nat -> 0 < eps <= 22 / 35 ->
  proper M -> let N := strength n eps in printed_cap M N cap ->
  risk n eps M <= Rmin (1570 * log_term N cap / (N * root_capped M cap ^ 2)) 4.

Lemma ln_below y : 0 < y -> ln y <= y - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln y)) as E. rewrite exp_ln in E by exact H. lra. Qed.
Lemma exp_twice a low : 0 <= low -> low <= exp a -> low * low <= exp (2 * a).
Proof. intros H L. rewrite exp_double. now apply Rmult_le_compat. Qed.
Lemma ln_8_bounds : 2 < ln 8 < 2.5.
Proof.
  split.
  - assert (E : 0.125 < exp (- (2))).
    { pose proof (exp_ineq1_le (- / 16)) as A0. pose proof (exp_twice (- / 16) (15 / 16) ltac:(lra) ltac:(lra)) as A1.
      pose proof (exp_twice (2 * - / 16) 0.8789 ltac:(lra) ltac:(lra)) as A2.
      pose proof (exp_twice (2 * (2 * - / 16)) 0.7724 ltac:(lra) ltac:(lra)) as A3.
      pose proof (exp_twice (2 * (2 * (2 * - / 16))) 0.5966 ltac:(lra) ltac:(lra)) as A4.
      pose proof (exp_twice (2 * (2 * (2 * (2 * - / 16)))) 0.3559 ltac:(lra) ltac:(lra)) as A5.
      replace (- (2)) with (2 * (2 * (2 * (2 * (2 * - / 16))))) by field. lra. }
    rewrite exp_Ropp in E. pose proof (exp_pos 2) as P. rewrite <- (ln_exp 2). apply ln_increasing; [exact P |].
    apply Rmult_lt_compat_r with (r := exp 2) in E; [| exact P]. rewrite Rinv_l in E; lra.
  - rewrite <- (ln_exp 2.5). apply ln_increasing; [lra |]. 
    replace 2.5 with (2 * (2 * 0.625)) by lra.
    pose proof (exp_twice 0.3125 1.3125 ltac:(lra) ltac:(pose proof (exp_ineq1_le 0.3125); lra)) as A4.
    replace (2 * 0.3125) with 0.625 in A4 by lra.
    pose proof (exp_twice 0.625 1.72 ltac:(lra) ltac:(lra)) as A5.
    pose proof (exp_twice (2 * 0.625) 2.95 ltac:(lra) ltac:(lra)) as A6. lra.
Qed.
Lemma x_at_least N a : 8 <= x_of N a.
Proof. unfold x_of. pose proof (Rmax_r (INR a * N) 1). lra. Qed.
Lemma ratio_above_3 x : 8 <= x -> 3 < x / ln x.
Proof.
  intros H. assert (L : 0 < ln x) by (rewrite <- ln_1; apply ln_increasing; lra).
  apply Rmult_lt_reg_r with (ln x); [exact L |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
  pose proof ln_8_bounds. replace x with (8 * (x / 8)) at 1 by field. rewrite ln_mult by lra.
  pose proof (ln_below (x / 8) ltac:(lra)). lra.
Qed.
Lemma phi_positive N a : 0 < N -> 868.5 / N < phi N a.
Proof.
  intros H. unfold phi. pose proof (ratio_above_3 _ (x_at_least N a)) as R.
  assert (K : 1 < ln (x_of N a / ln (x_of N a))).
  { rewrite <- (ln_exp 1). apply ln_increasing; [apply exp_pos |]. pose proof exp_le_3. lra. }
  rewrite <- (Rmult_1_r (868.5 / N)) at 1. apply Rmult_lt_compat_l; [apply Rdiv_lt_0_compat; lra | exact K].
Qed.

(* All users hold m records. *)
Definition alike (m : nat) : sizes := {| support := [m]; chance_of := fun _ => 1 |}.
Lemma alike_proper m : proper (alike m).
Proof. split; simpl; [intros; lra | ring]. Qed.
Lemma alike_at_least m a : at_least (alike m) a = if (a <=? m)%nat then 1 else 0.
Proof. unfold at_least. simpl. destruct (a <=? m)%nat; ring. Qed.
Lemma alike_cap m N : (1 <= m)%nat -> 0 < N -> printed_cap (alike m) N m.
Proof.
  intros Hm H. split; [exact Hm |]. split.
  - rewrite alike_at_least, Nat.leb_refl, pow1. apply Rmin_r.
  - intros a Ha. rewrite alike_at_least. replace (a <=? m)%nat with false by (symmetry; apply Nat.leb_gt; lia).
    rewrite pow_i by lia. apply Rmin_glb_lt; [| lra].
    apply Rlt_trans with (868.5 / N); [apply Rdiv_lt_0_compat; lra | now apply phi_positive].
Qed.
Lemma unbounded x : 0 <= x -> exists m, x < INR m.
Proof.
  intros H. destruct (archimed x) as [U _]. exists (Z.to_nat (up x)). rewrite INR_IZR_INZ, Z2Nat.id; [exact U |].
  apply le_IZR. lra.
Qed.
Lemma printed_bound_vanishes N c : 0 < N -> 0 < c -> exists m, (1 <= m)%nat /\
  1570 * log_term N m / (N * root_capped (alike m) m ^ 2) < c.
Proof.
  intros H Hc. destruct (unbounded ((1 + (12560 / c) ^ 2) / N)) as (m & Hm).
  { apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat]. pose proof (pow2_ge_0 (12560 / c)). lra. }
  assert (K : 1 + (12560 / c) ^ 2 < INR m * N).
  { apply Rmult_lt_compat_r with (r := N) in Hm; [| exact H]. unfold Rdiv in Hm. rewrite Rmult_assoc, Rinv_l in Hm; lra. }
  pose proof (pow2_ge_0 (12560 / c)) as Q.
  assert (Hp : 0 < INR m) by (destruct (Rle_or_lt (INR m) 0) as [B | B]; [pose proof (pos_INR m); nra | exact B]).
  exists m. split; [apply INR_lt in Hp || (apply (INR_lt 0) in Hp); lia |].
  unfold root_capped. simpl Privacy.sum. rewrite Nat.min_id, Rmult_1_l, Rplus_0_r, pow2_sqrt by lra.
  unfold log_term. set (y := INR m * N) in *. set (s := sqrt y).
  assert (S : s * s = y) by (apply sqrt_sqrt; lra).
  assert (S1 : 1 < s) by (rewrite <- sqrt_1; apply sqrt_lt_1; lra).
  assert (S2 : 12560 / c < s).
  { rewrite <- (sqrt_pow2 (12560 / c)) by (left; apply Rdiv_lt_0_compat; lra). apply sqrt_lt_1; lra. }
  rewrite Rmax_left by lra. rewrite (Rmult_comm N (INR m)). fold y. rewrite <- S.
  pose proof (ln_below (8 * s) ltac:(lra)) as L.
  apply Rmult_lt_reg_r with (s * s); [nra |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by nra.
  apply Rmult_lt_compat_r with (r := c) in S2; [| exact Hc]. unfold Rdiv in S2.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r in S2 by lra.
  apply Rlt_trans with (12560 * s); [lra |].
  replace (c * (s * s)) with (s * c * s) by ring. apply Rmult_lt_compat_r; lra.
Qed.
(* dame-thm-2, dame-eq-12 part: at every number of users and every budget the printed bound contradicts Theorem 1 *)
Theorem printed_theorem_2_contradicts_theorem_1 n eps : (0 < n)%nat -> 0 < eps <= 22 / 35 ->
  exists M, proper M /\ (exists cap, printed_cap M (strength n eps) cap) /\ forall cap, printed_cap M (strength n eps) cap ->
    Rmin (1570 * log_term (strength n eps) cap / (strength n eps * root_capped M cap ^ 2)) 4 <
    exp (-9) / 16 * exp (- (24 * strength n eps * above M 0 ^ 2)) / Rmax (strength n eps * root_up_to M 0 ^ 2) 1.
Proof.
  intros Hn He. set (N := strength n eps). assert (HN : 0 < N).
  { apply Rmult_lt_0_compat; [now apply lt_0_INR | apply pow_lt; lra]. }
  set (c := exp (-9) / 16 * exp (- (24 * N))).
  assert (Hc : 0 < c) by (apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; [apply exp_pos | lra] | apply exp_pos]).
  destruct (printed_bound_vanishes N c HN Hc) as (m & Hm & B). exists (alike m). split; [apply alike_proper |].
  split; [exists m; now apply alike_cap |].
  intros cap C. assert (E : cap = m).
  { destruct (alike_cap m N Hm HN) as (_ & A1 & A2). destruct C as (_ & C1 & C2).
    destruct (Nat.lt_trichotomy cap m) as [L | [L | L]]; [| exact L |].
    - specialize (C2 m L). lra.
    - specialize (A2 cap L). lra. }
  subst cap. unfold above, root_up_to. rewrite alike_at_least.
  replace (0 + 1 <=? m)%nat with true by (symmetry; apply Nat.leb_le; lia). simpl Privacy.sum.
  replace (m <=? 0)%nat with false by (symmetry; apply Nat.leb_gt; lia).
  rewrite pow1, Rmult_1_r, Rplus_0_r, pow_i, Rmult_0_r, Rmax_right by (lra || lia).
  fold c. replace (c / 1) with c by field. eapply Rle_lt_trans; [apply Rmin_l | exact B].
Qed.
(* dame-thm-2 part: beside Theorem 1 it cannot hold *)
Theorem printed_theorems_exclude_each_other risk : ~ (theorem_1 risk /\ theorem_2 risk).
Proof.
  intros [T1 T2]. assert (Hn : (0 < 1)%nat) by lia. assert (He : 0 < 1 / 2 <= 22 / 35) by lra.
  destruct (printed_theorem_2_contradicts_theorem_1 1 (1 / 2) Hn He) as (M & HM & (cap & HC) & C).
  specialize (C cap HC). specialize (T1 1%nat (1 / 2) M 0%nat Hn He HM). specialize (T2 1%nat (1 / 2) M cap Hn He HM HC).
  cbv zeta in *. lra.
Qed.
