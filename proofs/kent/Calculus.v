(* Kent et al., inequalities of one variable: Lemmas 23 and 24, and the constants of Example 1.
   Models: userdp.theory.rates and the checks of kent-lem-24 and kent-ex-1. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Userdp Require Import Privacy Tools.
Open Scope R_scope.

(* kent-lem-23 whole *)
Theorem binomial_generating_identity n p t : 0 < p < 1 ->
  sum_f_R0 (fun x => (Binomial.C n x * p ^ x * (1 - p) ^ (n - x)) * (INR x * t ^ x)) n =
  INR n * t * p * (1 - p + p * t) ^ (n - 1).
Proof.
  intros _. destruct n as [| n]; [simpl; ring |].
  rewrite decomp_sum by lia. simpl pred. simpl (INR 0). rewrite Rmult_0_l, Rmult_0_r, Rplus_0_l.
  replace (S n - 1)%nat with n by lia. rewrite (Rplus_comm (1 - p)), binomial, scal_sum.
  apply sum_eq. intros i Hi. replace (S n - S i)%nat with (n - i)%nat by lia.
  assert (E : Binomial.C (S n) (S i) * INR (S i) = INR (S n) * Binomial.C n i).
  { unfold Binomial.C. replace (S n - S i)%nat with (n - i)%nat by lia. rewrite !fact_simpl, !mult_INR.
    field. repeat split; try apply INR_fact_neq_0. apply not_0_INR. lia. }
  rewrite Rpow_mult_distr. rewrite <- !tech_pow_Rmult.
  replace (Binomial.C (S n) (S i) * (p * p ^ i) * (1 - p) ^ (n - i) * (INR (S i) * (t * t ^ i)))
    with ((Binomial.C (S n) (S i) * INR (S i)) * (p * p ^ i) * (1 - p) ^ (n - i) * (t * t ^ i)) by ring.
  rewrite E. ring.
Qed.

(* Twice the logarithm of the hyperbolic cosine of x / 4, and its derivatives. *)
Definition cosh4 (x : R) : R := (exp (x / 4) + exp (- (x / 4))) / 2.
Definition slope (x : R) : R := (1 - exp (- (x / 2))) / (1 + exp (- (x / 2))) / 2.
Lemma cosh4_positive x : 0 < cosh4 x.
Proof. unfold cosh4. pose proof (exp_pos (x / 4)). pose proof (exp_pos (- (x / 4))). lra. Qed.
Lemma kept_and_flipped x : 4 * exp (x / 2) / (1 + exp (x / 2)) ^ 2 = / (cosh4 x * cosh4 x).
Proof.
  assert (E : exp (x / 2) = exp (x / 4) * exp (x / 4)) by (rewrite <- exp_plus; f_equal; field).
  unfold cosh4. rewrite exp_Ropp, E. pose proof (exp_pos (x / 4)). field. repeat split; nra.
Qed.
Lemma log_cosh_derivative x : derivable_pt_lim (fun x => 2 * ln (cosh4 x)) x (slope x).
Proof.
  apply is_derive_Reals. unfold cosh4, slope. pose proof (cosh4_positive x) as P. unfold cosh4 in P.
  auto_derive; [exact P |].
  assert (E : exp (- (x / 2)) = / (exp (x / 4) * exp (x / 4))).
  { rewrite <- exp_plus, <- exp_Ropp. f_equal. field. }
  rewrite E. change (x * / 4) with (x / 4). rewrite (exp_Ropp (x / 4)).
  pose proof (exp_pos (x / 4)). field. repeat split; nra.
Qed.
Lemma slope_derivative x : derivable_pt_lim slope x (exp (- (x / 2)) / (2 * (1 + exp (- (x / 2))) ^ 2)).
Proof.
  apply is_derive_Reals. unfold slope. pose proof (exp_pos (- (x / 2))) as P.
  auto_derive; [change (- (x * / 2)) with (- (x / 2)); lra |].
  change (x * / 2) with (x / 2). field. lra.
Qed.
Lemma log_cosh_at_0 : 2 * ln (cosh4 0) = 0.
Proof.
  unfold cosh4. replace (0 / 4) with 0 by field. rewrite Ropp_0, exp_0.
  replace ((1 + 1) / 2) with 1 by field. rewrite ln_1. ring.
Qed.
(* Up to 1 against x^2 / 20, by rising twice; beyond 1 against x / 20, by the mean value theorem. *)
Lemma small_budgets x : 0 <= x <= 1 -> x ^ 2 / 20 <= 2 * ln (cosh4 x).
Proof.
  intros Hx. enough (0 <= 2 * ln (cosh4 x) - x ^ 2 / 20) by lra.
  apply (rises (fun x => 2 * ln (cosh4 x) - x ^ 2 / 20) (fun x => slope x - x / 10) 1);
    [rewrite log_cosh_at_0; field | | | exact Hx].
  - intros y _. apply derivable_pt_lim_minus; [apply log_cosh_derivative |].
    apply is_derive_Reals. auto_derive; [exact I | field].
  - intros y Hy. apply (rises (fun x => slope x - x / 10)
      (fun x => exp (- (x / 2)) / (2 * (1 + exp (- (x / 2))) ^ 2) - / 10) 1); [| | | exact Hy].
    + unfold slope. replace (0 / 2) with 0 by field. rewrite Ropp_0, exp_0. field.
    + intros z _. apply derivable_pt_lim_minus; [apply slope_derivative |].
      apply is_derive_Reals. auto_derive; [exact I | field].
    + intros z Hz. interval with (i_prec 40, i_bisect z).
Qed.
Lemma slope_at_least x : 1 <= x -> / 20 <= slope x.
Proof.
  intros Hx. unfold slope. pose proof (exp_pos (- (x / 2))) as P.
  assert (L : exp (- (x / 2)) <= 7 / 10).
  { apply Rle_trans with (exp (- (1 / 2))); [apply exp_le; lra | interval with (i_prec 40)]. }
  apply Rmult_le_reg_r with (40 * (1 + exp (- (x / 2)))); [lra |].
  replace ((1 - exp (- (x / 2))) / (1 + exp (- (x / 2))) / 2 * (40 * (1 + exp (- (x / 2)))))
    with (20 * (1 - exp (- (x / 2)))) by (field; lra). lra.
Qed.
Lemma large_budgets x : 1 <= x -> x / 20 <= 2 * ln (cosh4 x).
Proof.
  intros [Hx | <-]; [| pose proof (small_budgets 1); lra].
  destruct (MVT_cor2 (fun x => 2 * ln (cosh4 x)) slope 1 x Hx) as (c & E & Hc);
    [intros; apply log_cosh_derivative |].
  pose proof (small_budgets 1 ltac:(lra)). pose proof (slope_at_least c ltac:(lra)) as S.
  apply Rmult_le_compat_r with (r := x - 1) in S; lra.
Qed.
Lemma exp_power a n : exp a ^ n = exp (INR n * a).
Proof.
  induction n as [| n IH]; [simpl; now rewrite Rmult_0_l, exp_0 |].
  rewrite S_INR, <- tech_pow_Rmult, IH, <- exp_plus. f_equal. ring.
Qed.
(* kent-lem-24 whole *)
Theorem chernoff_factor_bound x n : 0 < x -> (1 <= n)%nat ->
  (4 * exp (x / 2) / (1 + exp (x / 2)) ^ 2) ^ n <= exp (- (INR n * Rmin x (x ^ 2)) / 20).
Proof.
  intros Hx _. rewrite kept_and_flipped. pose proof (cosh4_positive x) as P.
  assert (B : Rmin x (x ^ 2) / 20 <= 2 * ln (cosh4 x)).
  { destruct (Rle_or_lt x 1) as [H | H].
    - rewrite Rmin_right by nra. apply small_budgets. lra.
    - rewrite Rmin_left by nra. apply large_budgets. lra. }
  replace (/ (cosh4 x * cosh4 x)) with (exp (- (2 * ln (cosh4 x)))).
  2: { rewrite exp_Ropp, exp_double, exp_ln by exact P. reflexivity. }
  rewrite exp_power. apply exp_le. pose proof (pos_INR n) as Hn.
  apply Rmult_le_compat_l with (r := INR n) in B; [lra | exact Hn].
Qed.

(* The same with 16.17 in place of 20: near 0 by rising twice, then by enclosure, beyond 1 as before. *)
Lemma small_budgets_sharp x : 0 <= x <= 1 -> x ^ 2 * (100 / 1617) <= 2 * ln (cosh4 x).
Proof.
  intros Hx. destruct (Rle_or_lt x (1 / 4)) as [H | H].
  - enough (0 <= 2 * ln (cosh4 x) - x ^ 2 * (100 / 1617)) by lra.
    apply (rises (fun x => 2 * ln (cosh4 x) - x ^ 2 * (100 / 1617)) (fun x => slope x - x * (200 / 1617))
      (1 / 4));
      [rewrite log_cosh_at_0; field | | | lra].
    + intros y _. apply derivable_pt_lim_minus; [apply log_cosh_derivative |].
      apply is_derive_Reals. auto_derive; [exact I | field].
    + intros y Hy. apply (rises (fun x => slope x - x * (200 / 1617))
        (fun x => exp (- (x / 2)) / (2 * (1 + exp (- (x / 2))) ^ 2) - 200 / 1617) (1 / 4)); [| | | exact Hy].
      * unfold slope. replace (0 / 2) with 0 by field. rewrite Ropp_0, exp_0. field.
      * intros z _. apply derivable_pt_lim_minus; [apply slope_derivative |].
        apply is_derive_Reals. auto_derive; [exact I | field].
      * intros z Hz. interval with (i_prec 40, i_bisect z).
  - unfold cosh4. enough (0 <= 2 * ln ((exp (x / 4) + exp (- (x / 4))) / 2) - x ^ 2 * (100 / 1617)) by lra.
    interval with (i_prec 50, i_bisect x, i_taylor x, i_degree 8).
Qed.
Lemma large_budgets_sharp x : 1 <= x -> x * (100 / 1617) <= 2 * ln (cosh4 x).
Proof.
  intros [Hx | <-]; [| pose proof (small_budgets_sharp 1); lra].
  destruct (MVT_cor2 (fun x => 2 * ln (cosh4 x)) slope 1 x Hx) as (c & E & Hc);
    [intros; apply log_cosh_derivative |].
  pose proof (small_budgets_sharp 1 ltac:(lra)).
  assert (S : 100 / 1617 <= slope c).
  { unfold slope. pose proof (exp_pos (- (c / 2))) as P.
    assert (L : exp (- (c / 2)) <= 7 / 10).
    { apply Rle_trans with (exp (- (1 / 2))); [apply exp_le; lra | interval with (i_prec 40)]. }
    apply Rmult_le_reg_r with (2 * (1 + exp (- (c / 2)))); [lra |].
    replace ((1 - exp (- (c / 2))) / (1 + exp (- (c / 2))) / 2 * (2 * (1 + exp (- (c / 2)))))
      with (1 - exp (- (c / 2))) by (field; lra). lra. }
  apply Rmult_le_compat_r with (r := x - 1) in S; lra.
Qed.
(* kent-lem-24 part: the sharper constant, 16.17 in place of 20 *)
Theorem chernoff_factor_bound_sharp x n : 0 < x ->
  (4 * exp (x / 2) / (1 + exp (x / 2)) ^ 2) ^ n <= exp (- (INR n * Rmin x (x ^ 2)) / (1617 / 100)).
Proof.
  intros Hx. rewrite kept_and_flipped. pose proof (cosh4_positive x) as P.
  assert (B : Rmin x (x ^ 2) * (100 / 1617) <= 2 * ln (cosh4 x)).
  { destruct (Rle_or_lt x 1) as [H | H].
    - rewrite Rmin_right by nra. apply small_budgets_sharp. lra.
    - rewrite Rmin_left by nra. apply large_budgets_sharp. lra. }
  replace (/ (cosh4 x * cosh4 x)) with (exp (- (2 * ln (cosh4 x)))).
  2: { rewrite exp_Ropp, exp_double, exp_ln by exact P. reflexivity. }
  rewrite exp_power. apply exp_le. pose proof (pos_INR n) as Hn.
  apply Rmult_le_compat_l with (r := INR n) in B; [lra | exact Hn].
Qed.

(* Example 1: the divergence of its two coins, and the constant 3 for budgets up to 1. *)
Definition coins_divergence (h : R) : R := - (1 / 2) * ln (1 + 4 * h) - 1 / 2 * ln (1 - 4 * h).
(* kent-ex-1 part: the divergence of the two coins is at most 16 h^2 *)
Theorem coins_diverge_little h : 0 < h <= 1 / 5 -> coins_divergence h <= 16 * h ^ 2.
Proof.
  intros Hh. enough (0 <= 16 * h ^ 2 - coins_divergence h) by lra.
  destruct (Rle_or_lt h (17 / 100)) as [H | H].
  - apply (rises (fun h => 16 * h ^ 2 - coins_divergence h) (fun h => 32 * h - 16 * h / (1 - 16 * h ^ 2))
    (17 / 100)).
    + unfold coins_divergence. replace (4 * 0) with 0 by ring. rewrite Rplus_0_r, Rminus_0_r, ln_1. ring.
    + intros y Hy. apply is_derive_Reals. unfold coins_divergence. auto_derive; [lra |]. field. nra.
    + intros y Hy. assert (D : 1 / 2 <= 1 - 16 * y ^ 2) by nra.
      replace (32 * y - 16 * y / (1 - 16 * y ^ 2)) with (16 * y * (1 - 32 * y ^ 2) * / (1 - 16 * y ^ 2)) by
        (field; lra).
      apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat; lra]. apply Rmult_le_pos; nra.
    + lra.
  - unfold coins_divergence. interval with (i_prec 40, i_bisect h).
Qed.
(* kent-ex-1 part: the constant 3 in its information bound, for budgets up to 1 *)
Theorem squared_budget_constant eps : 0 < eps <= 1 -> (exp eps - 1) ^ 2 <= 3 * eps ^ 2.
Proof.
  intros He.
  assert (L : exp eps - 1 <= 1719 / 1000 * eps).
  { (* the exponential lies below its chord on [0, 1] *)
    destruct (MVT_cor2 exp exp 0 eps ltac:(lra)) as (a & Ea & Ha); [intros; apply derivable_pt_lim_exp |].
    destruct (Rle_or_lt 1 eps) as [H | H].
    - assert (eps = 1) by lra. subst. interval with (i_prec 40).
    - destruct (MVT_cor2 exp exp eps 1 H) as (b & Eb & Hb); [intros; apply derivable_pt_lim_exp |].
      rewrite exp_0 in Ea. assert (M : exp a <= exp b) by (apply exp_le; lra).
      assert (E1 : exp 1 - 1 <= 1719 / 1000) by interval with (i_prec 40).
      assert (N : exp a * eps <= (exp 1 - 1) * eps).
      { apply Rmult_le_compat_r; [lra |].
        assert (exp a * (1 - eps) <= exp b * (1 - eps)) by (apply Rmult_le_compat_r; lra). lra. }
      assert ((exp 1 - 1) * eps <= 1719 / 1000 * eps) by (apply Rmult_le_compat_r; lra). lra. }
  assert (0 <= exp eps - 1) by (pose proof (one_lt_exp eps ltac:(lra)); lra).
  apply Rle_trans with ((1719 / 1000 * eps) ^ 2); [apply pow_incr; lra |]. nra.
Qed.
