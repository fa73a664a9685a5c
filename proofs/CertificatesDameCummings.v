(* The book's certified claims for DAME and Cummings et al. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Userdp Require Import Tools Certificates.
Open Scope R_scope.

Lemma e_minus_one_below k b x : 0 <= b -> exp b <= k -> 0 <= x <= b -> exp x - 1 <= k * x.
Proof.
  intros Hb Hk Hx. enough (0 <= k * x - (exp x - 1)) by lra.
  apply (rises (fun x => k * x - (exp x - 1)) (fun x => k - exp x) b); [| | | exact Hx].
  - rewrite Rmult_0_r, exp_0. ring.
  - differentiate. ring.
  - intros y Hy. pose proof (exp_le y b (proj2 Hy)). lra.
Qed.
(* dame-h3 part: what the assumption gives *)
Theorem under_h3_the_squared_excess_is_at_most_twice_the_squared_budget eps : 0 < eps <= 22 / 35 ->
  (exp eps - 1) ^ 2 <= 2 * eps ^ 2.
Proof.
  intros H. assert (L : exp eps - 1 <= 1.4142 * eps).
  { destruct (Rle_or_lt eps (3 / 10)) as [S | S].
    - apply (e_minus_one_below _ (3 / 10)); [lra | interval with (i_prec 40) | lra].
    - apply Rminus_le. interval with (i_bisect eps, i_prec 40). }
  pose proof (exp_ineq1 eps ltac:(lra)).
  apply Rle_trans with ((1.4142 * eps) ^ 2); [apply pow_incr; lra |].
  rewrite Rpow_mult_distr. apply Rmult_le_compat_r; [apply pow2_ge_0 | lra].
Qed.

(* dame-lem-s2 part: the printed proof's increasing function *)
Theorem three_delta_minus_log_odds_increases d e : 0 <= d < e -> e <= 1 / 2 ->
  3 * d - ln ((1 + d) / (1 - d)) < 3 * e - ln ((1 + e) / (1 - e)).
Proof.
  intros Hd He. set (f := fun x => 3 * x - ln ((1 + x) / (1 - x))).
  destruct (MVT_cor2 f (fun x => 3 - 2 / (1 - x ^ 2)) d e ltac:(lra)) as (c & E & Hc).
  - intros c Hc. unfold f. differentiate; [lra | apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra] |].
    field. repeat split; nra.
  - assert (P : 0 < 3 - 2 / (1 - c ^ 2)) by (assert (0 <= c <= 1 / 2) by lra; interval with (i_prec 40)).
    assert (0 < (3 - 2 / (1 - c ^ 2)) * (e - d)) by (apply Rmult_lt_0_compat; lra). unfold f in E. lra.
Qed.
(* dame-lem-s2 part: the divergence, the distance being delta by definition *)
Theorem divergence_of_skewed_signs_is_at_most_3_delta_squared d : 0 <= d <= 1 / 2 ->
  (1 + d) / 2 * ln ((1 + d) / (1 - d)) + (1 - d) / 2 * ln ((1 - d) / (1 + d)) <= 3 * d ^ 2.
Proof.
  intros H. assert (E : ln ((1 - d) / (1 + d)) = - ln ((1 + d) / (1 - d))).
  { rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra). f_equal. field. lra. }
  rewrite E. replace ((1 + d) / 2 * ln ((1 + d) / (1 - d)) + (1 - d) / 2 * - ln ((1 + d) / (1 - d)))
    with (d * ln ((1 + d) / (1 - d))) by field.
  replace (3 * d ^ 2) with (d * (3 * d)) by ring. apply Rmult_le_compat_l; [lra |].
  destruct H as [[H | <-] Hd].
  - pose proof (three_delta_minus_log_odds_increases 0 d ltac:(lra) Hd) as M.
    replace ((1 + 0) / (1 - 0)) with 1 in M by field. rewrite ln_1 in M. lra.
  - replace ((1 + 0) / (1 - 0)) with 1 by field. rewrite ln_1. lra.
Qed.

(* The gap of one randomised bit, of log-odds eps/6: (1/2) tanh(eps/12). *)
Lemma gap_above k eps : 0 < k -> 0 <= k * eps <= (exp (eps / 6) - 1) / (exp (eps / 6) + 1) ->
  / 4 * k ^ 2 * eps ^ 2 <= (kept (eps / 6) - / 2) ^ 2.
Proof.
  intros Hk H. rewrite kept_minus_half, Rpow_mult_distr. replace ((/ 2) ^ 2) with (/ 4) by field.
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |]. rewrite <- Rpow_mult_distr. now apply pow_incr.
Qed.
(* dame-lem-s6 whole *)
Theorem squared_gap_is_at_least_the_squared_budget_over_579 eps : 0 <= eps <= 1 ->
  eps ^ 2 / 579 <= (/ 2 - kept (eps / 6)) ^ 2.
Proof.
  intros H. replace ((/ 2 - kept (eps / 6)) ^ 2) with ((kept (eps / 6) - / 2) ^ 2) by ring.
  apply Rle_trans with (/ 4 * 0.08312 ^ 2 * eps ^ 2).
  - pose proof (pow2_ge_0 eps). lra.
  - apply gap_above; [lra |]. split; [lra |]. destruct (Rle_or_lt eps (1 / 2)) as [S | S].
    + replace (eps / 6) with (/ 6 * eps) by field. apply (tanh_above (/ 6) 0.08312 (1 / 2)); [| lra].
      intros x Hx. unfold slope. interval with (i_bisect x, i_taylor x, i_prec 50).
    + apply Rminus_le. interval with (i_bisect eps, i_taylor eps, i_prec 50).
Qed.
(* dame-lem-s5 part: the constant of the repaired exponent, with deviations of 2 tau *)
Theorem repaired_exponent_has_a_constant_below_579 eps : 0 < eps <= 22 / 35 ->
  eps ^ 2 / 579 < (kept (eps / 6) - / 2) ^ 2 * (1 - / 2 ^ 10) ^ 2.
Proof.
  intros H. assert (P : 0 < eps ^ 2) by (apply pow_lt; lra).
  apply Rlt_le_trans with (/ 4 * 0.08321 ^ 2 * eps ^ 2 * (1 - / 2 ^ 10) ^ 2); [lra |].
  apply Rmult_le_compat_r; [apply pow2_ge_0 |]. apply gap_above; [lra |]. split; [lra |].
  destruct (Rle_or_lt eps (4 / 10)) as [S | S].
  - replace (eps / 6) with (/ 6 * eps) by field. apply (tanh_above (/ 6) 0.08321 (4 / 10)); [| lra].
    intros x Hx. unfold slope. interval with (i_bisect x, i_taylor x, i_prec 50).
  - apply Rminus_le. interval with (i_bisect eps, i_taylor eps, i_prec 50).
Qed.
(* The printed step from (S71) to the line after it: the exponent (n/4)(pi - 1/2)^2 P^2 is at least n eps^2 P^2/579. *)
Definition printed_exponent : Prop := forall n eps p, 0 < n -> 0 < eps <= 22 / 35 -> 0 < p <= 1 ->
  n * eps ^ 2 * p ^ 2 / 579 <= n / 4 * (kept (eps / 6) - / 2) ^ 2 * p ^ 2.
Lemma quarter_of_the_gap eps : 0 < eps -> / 4 * (kept (eps / 6) - / 2) ^ 2 < eps ^ 2 / 579 * / 2.
Proof.
  intros H. pose proof (tanh_below (eps / 6) ltac:(lra)) as T. rewrite kept_minus_half.
  set (t := (exp (eps / 6) - 1) / (exp (eps / 6) + 1)) in *.
  assert (0 <= t).
  { unfold t. pose proof (exp_pos (eps / 6)). pose proof (exp_ineq1 (eps / 6) ltac:(lra)).
    apply Rmult_le_pos; [lra |]. left. apply Rinv_0_lt_compat. lra. }
  assert (Q : t ^ 2 <= (eps / 6 / 2) ^ 2) by (apply pow_incr; lra).
  replace ((eps / 6 / 2) ^ 2) with (eps ^ 2 / 144) in Q by field.
  replace ((/ 2 * t) ^ 2) with (/ 4 * t ^ 2) by field. assert (0 < eps ^ 2) by (apply pow_lt; lra).
  set (u := t ^ 2) in *. set (v := eps ^ 2) in *. clearbody u v. lra.
Qed.
(* dame-lem-s5 part: the printed exponent is refuted, at every budget and for every number of users *)
Theorem printed_exponent_fails : ~ printed_exponent /\ forall n eps p, 0 < n -> 0 < eps -> 0 < p ->
  n / 4 * (kept (eps / 6) - / 2) ^ 2 * p ^ 2 < n * eps ^ 2 * p ^ 2 / 579.
Proof.
  assert (A : forall n eps p, 0 < n -> 0 < eps -> 0 < p ->
    n / 4 * (kept (eps / 6) - / 2) ^ 2 * p ^ 2 < n * eps ^ 2 * p ^ 2 / 579).
  { intros n eps p Hn He Hp. pose proof (quarter_of_the_gap eps He) as Q.
    assert (0 < n * p ^ 2) by (apply Rmult_lt_0_compat; [lra | apply pow_lt; lra]).
    assert (0 < eps ^ 2) by (apply pow_lt; lra).
    replace (n / 4 * (kept (eps / 6) - / 2) ^ 2 * p ^ 2) with (n * p ^ 2 * (/ 4 * (kept (eps / 6) - / 2) ^ 2)) by field.
    replace (n * eps ^ 2 * p ^ 2 / 579) with (n * p ^ 2 * (eps ^ 2 / 579)) by field.
    apply Rmult_lt_compat_l; lra. }
  split; [| exact A]. intros P. specialize (P 1 (1 / 2) 1 ltac:(lra) ltac:(lra) ltac:(lra)).
  specialize (A 1 (1 / 2) 1 ltac:(lra) ltac:(lra) ltac:(lra)). lra.
Qed.

(* Cummings et al. *)
Lemma cosh_near x : 0 <= x <= 4 / 10 -> (exp x + exp (- x)) / 2 - 1 <= 0.55 * x ^ 2.
Proof.
  intros H. enough (0 <= 0.55 * x ^ 2 - ((exp x + exp (- x)) / 2 - 1)) by lra.
  apply (rises (fun x => 0.55 * x ^ 2 - ((exp x + exp (- x)) / 2 - 1))
    (fun x => 1.1 * x - (exp x - exp (- x)) / 2) (4 / 10)); [| | | exact H].
  - rewrite Ropp_0, exp_0. lra.
  - differentiate. lra.
  - intros y Hy. apply (rises (fun x => 1.1 * x - (exp x - exp (- x)) / 2)
      (fun x => 1.1 - (exp x + exp (- x)) / 2) (4 / 10)); [| | | exact Hy].
    + rewrite Ropp_0, exp_0. lra.
    + differentiate. lra.
    + intros z Hz. interval with (i_bisect z, i_prec 40).
Qed.
(* cummings-lem-5.3 part: the constant 1.11 of our version *)
Theorem linear_noise_costs_at_most_1_11_times_the_bound eps : 0 < eps ->
  1 + 2 / eps ^ 2 <= 1.11 * (1 + / (2 * sinh (eps / 2) ^ 2)).
Proof.
  intros H. set (c := (exp eps + exp (- eps)) / 2 - 1).
  assert (E : 2 * sinh (eps / 2) ^ 2 = c).
  { unfold sinh, c. assert (X : exp eps = exp (eps / 2) * exp (eps / 2)) by (rewrite <- exp_plus; f_equal; field).
    rewrite !exp_Ropp, X. pose proof (exp_pos (eps / 2)). field. lra. }
  rewrite E. clear E. assert (P : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (Q : 0 < c).
  { unfold c. rewrite exp_Ropp. pose proof (exp_ineq1 eps ltac:(lra)). set (a := exp eps) in *.
    replace ((a + / a) / 2 - 1) with ((a - 1) ^ 2 / (2 * a)) by (field; lra).
    apply Rdiv_lt_0_compat; [apply pow_lt |]; lra. }
  enough (K : c * (2 - 0.11 * eps ^ 2) <= 1.11 * eps ^ 2).
  { apply Rmult_le_reg_r with (c * eps ^ 2); [now apply Rmult_lt_0_compat |].
    replace ((1 + 2 / eps ^ 2) * (c * eps ^ 2)) with (c * (eps ^ 2 + 2)) by (field; lra).
    replace (1.11 * (1 + / c) * (c * eps ^ 2)) with (1.11 * (c * eps ^ 2 + eps ^ 2)) by (field; lra). lra. }
  destruct (Rle_or_lt eps (4 / 10)) as [S | S].
  - pose proof (cosh_near eps ltac:(lra)) as N. fold c in N. nra.
  - destruct (Rle_or_lt eps 4.5) as [L | L].
    + unfold c. apply Rminus_le. interval with (i_bisect eps, i_taylor eps, i_prec 40).
    + assert (20 <= eps ^ 2) by nra. nra.
Qed.
