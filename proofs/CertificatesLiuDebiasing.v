(* The book's certified claims about the worked example after Theorem C.2 of Liu et al.: bound 2, mean rate 1,
   all rates in [0, 2]. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Userdp Require Import Privacy Tools Certificates.
Import ListNotations.
Open Scope R_scope.

Definition kept_mean (x : R) : R := 2 - exp (- x) * (2 + x).     (* h: the mean of min(Poisson(x), 2) *)
Definition average (l : list R) (f : R -> R) : R := Privacy.sum l f / INR (length l).
Definition gamma : R := exp 1 / 2.
Definition excess : R := 1 - kept_mean 1.
Definition h_min : R := kept_mean 1 - excess / (gamma - 1).
Definition alpha (h : R) : R := (h - h_min) * (gamma - 1) / excess.   (* so that h = h_min + alpha excess/(gamma - 1) *)
Definition first_term (a : R) : R := a * (2 * gamma - (gamma + 1) * a) / (gamma - 1) * excess ^ 2.
Definition rates_of_the_example (rates : list R) : Prop :=
  rates <> [] /\ (forall x, In x rates -> 0 <= x <= 2) /\ average rates (fun x => x) = 1.

Lemma kept_mean_derivative x : derivable_pt_lim kept_mean x (exp (- x) * (1 + x)).
Proof. unfold kept_mean. differentiate. ring. Qed.
Lemma above_chord x : 0 <= x <= 2 -> 0.729 * x <= kept_mean x.
Proof.
  intros H. destruct (Rle_or_lt x 0.9) as [S | S].
  - enough (0 <= kept_mean x - 0.729 * x) by lra.
    apply (rises (fun x => kept_mean x - 0.729 * x) (fun x => exp (- x) * (1 + x) - 0.729) 0.9); [| | | lra].
    + unfold kept_mean. rewrite Ropp_0, exp_0. lra.
    + intros y _. apply derivable_pt_lim_minus; [apply kept_mean_derivative |]. differentiate. ring.
    + intros y Hy. interval with (i_bisect y, i_prec 40).
  - unfold kept_mean. apply Rminus_le. interval with (i_bisect x, i_taylor x, i_prec 40).
Qed.
Lemma half_line s : 0 <= s <= 1 -> exp (- s) <= 1 - s / 2.
Proof.
  intros H. destruct (Rle_or_lt s (1 / 2)) as [S | S]; [| apply Rminus_le; interval with (i_bisect s, i_prec 40)].
  enough (0 <= 1 - s / 2 - exp (- s)) by lra.
  apply (rises (fun s => 1 - s / 2 - exp (- s)) (fun s => - / 2 + exp (- s)) (1 / 2)); [| | | lra].
  - rewrite Ropp_0, exp_0. lra.
  - differentiate. lra.
  - intros y Hy. interval with (i_prec 40).
Qed.
Lemma below_tangent x : 0 <= x <= 2 -> kept_mean x <= kept_mean 1 + 2 * exp (Ropp 1) * (x - 1).
Proof.
  intros H. enough (T : 0 <= (3 + (x - 1)) * exp (- (x - 1)) - 3 + 2 * (x - 1)).
  { unfold kept_mean. replace (- x) with (- (x - 1) + Ropp 1) by ring. rewrite exp_plus.
    pose proof (exp_pos (Ropp 1)) as P. apply Rmult_le_compat_l with (r := exp (Ropp 1)) in T; lra. }
  destruct (Rle_or_lt 1 x) as [S | S].
  - apply (rises (fun y => (3 + y) * exp (- y) - 3 + 2 * y) (fun y => 2 - (2 + y) * exp (- y)) 1); [| | | lra].
    + rewrite Ropp_0, exp_0. lra.
    + differentiate. ring.
    + intros y Hy. rewrite exp_Ropp. pose proof (exp_pos y). pose proof (exp_ineq1_le y).
      replace (2 - (2 + y) * / exp y) with ((2 * exp y - (2 + y)) * / exp y) by (field; lra).
      apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
  - replace (x - 1) with (- (1 - x)) by ring. rewrite Ropp_involutive.
    apply (rises (fun s => (3 + - s) * exp s - 3 + 2 * - s) (fun s => (2 - s) * exp s - 2) 1); [| | | lra].
    + rewrite exp_0. lra.
    + differentiate. ring.
    + intros s Hs. pose proof (half_line s Hs) as L. rewrite exp_Ropp in L. pose proof (exp_pos s).
      apply Rmult_le_compat_r with (r := exp s) in L; [| lra]. rewrite Rinv_l in L by lra. lra.
Qed.
Lemma average_le l f g : (forall x, In x l -> f x <= g x) -> average l f <= average l g.
Proof.
  intros H. unfold average. destruct l as [| a l]; [simpl; lra |]. apply Rmult_le_compat_r; [| now apply sum_le].
  left. apply Rinv_0_lt_compat, lt_0_INR. simpl. lia.
Qed.
Lemma average_affine l a b : l <> [] -> average l (fun x => a + b * x) = a + b * average l (fun x => x).
Proof.
  intros N. unfold average. rewrite sum_plus, sum_scale, sum_const. field.
  apply not_0_INR. destruct l; [easy | simpl; lia].
Qed.
Lemma range_of_the_example rates : rates_of_the_example rates -> 0.729 <= average rates kept_mean <= kept_mean 1.
Proof.
  intros (N & R & M). split.
  - pose proof (average_le rates (fun x => 0 + 0.729 * x) kept_mean) as A.
    rewrite (average_affine rates 0 0.729 N), M in A. enough (0 + 0.729 * 1 <= average rates kept_mean) by lra.
    apply A. intros x Hx. specialize (R x Hx). pose proof (above_chord x R). lra.
  - pose proof (average_le rates kept_mean (fun x => (kept_mean 1 - 2 * exp (Ropp 1)) + 2 * exp (Ropp 1) * x)) as A.
    rewrite (average_affine rates _ _ N), M in A.
    replace (kept_mean 1 - 2 * exp (Ropp 1) + 2 * exp (Ropp 1) * 1) with (kept_mean 1) in A by ring.
    apply A. intros x Hx. specialize (R x Hx). pose proof (below_tangent x R). lra.
Qed.
Lemma gamma_above : 1.3591 < gamma < 1.3592.
Proof. unfold gamma. split; interval with (i_prec 40). Qed.
Lemma kept_mean_of_1 : 0.89636 < kept_mean 1 < 0.89637.
Proof. unfold kept_mean. split; interval with (i_prec 40). Qed.
Lemma first_term_form h : first_term (alpha h) = (1 - h) ^ 2 - gamma ^ 2 * (kept_mean 1 - h) ^ 2.
Proof.
  pose proof gamma_above. pose proof kept_mean_of_1. unfold first_term, alpha, h_min, excess. field. lra.
Qed.
Lemma first_term_at_least h : 0.729 <= h <= kept_mean 1 -> 0.0107 <= first_term (alpha h).
Proof.
  rewrite first_term_form. pose proof gamma_above as G. pose proof kept_mean_of_1 as K.
  set (k := kept_mean 1) in *. clearbody k. set (g := gamma) in *. clearbody g. intros H.
  set (d := k - h). assert (D : 0 <= d <= 0.1674) by (unfold d; lra).
  replace (1 - h) with (1 - k + d) by (unfold d; ring). clearbody d.
  assert (g ^ 2 * d ^ 2 <= 1.3592 ^ 2 * d ^ 2).
  { apply Rmult_le_compat_r; [apply pow2_ge_0 | apply pow_incr; lra]. }
  assert (0.10363 ^ 2 <= (1 - k) ^ 2) by (apply pow_incr; lra).
  replace ((1 - k + d) ^ 2) with ((1 - k) ^ 2 + d * (2 * (1 - k) + d)) by ring.
  assert (d * (1.3592 ^ 2 * d) <= d * (2 * (1 - k) + d)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Definition printed_example : Prop := forall rates, rates_of_the_example rates ->
  0.0217 <= first_term (alpha (average rates kept_mean)).
Lemma all_alike : rates_of_the_example [1].
Proof.
  unfold rates_of_the_example, average. simpl. repeat split; try lra; try easy; destruct H as [<- | []]; lra.
Qed.
(* liu-thm-c.2 part: the number 0.0217 of the printed example *)
Theorem printed_example_fails : ~ printed_example.
Proof.
  intros P. specialize (P [1] all_alike). rewrite first_term_form in P. unfold average in P. simpl in P.
  pose proof kept_mean_of_1. replace ((kept_mean 1 + 0) / 1) with (kept_mean 1) in P by field.
  assert ((1 - kept_mean 1) * ((1 - kept_mean 1) * 1) <= 0.10364 * (0.10364 * 1)).
  { apply Rmult_le_compat; lra. } lra.
Qed.
(* liu-thm-c.2 part: half of that number is right, and users who are all alike attain it *)
Theorem repaired_example_holds : (forall rates, rates_of_the_example rates ->
    0.0107 <= first_term (alpha (average rates kept_mean))) /\
  first_term (alpha (average [1] kept_mean)) = (3 / exp 1 - 1) ^ 2.
Proof.
  split; [intros rates H; now apply first_term_at_least, range_of_the_example |].
  rewrite first_term_form. unfold average, kept_mean. simpl. rewrite exp_Ropp. pose proof (exp_pos 1). field. lra.
Qed.

(* The limit of the gain for many users, as a function of the rate mu with the same mean count. *)
Definition gain (mu : R) : R := (1 - kept_mean mu) ^ 2 - (1 - mu) ^ 2.
(* liu-thm-c.2 part: the true limit of the gain falls over the whole range of the example *)
Theorem gain_falls_over_the_example : kept_mean 0.784 < kept_mean 2 / 2 /\
  forall mu nu, 0.784 <= mu < nu -> nu <= 1 -> gain nu < gain mu.
Proof.
  split; [unfold kept_mean; interval with (i_prec 50) |]. intros mu nu H Hn.
  set (slope := fun x => 2 * (1 - x) - 2 * (1 - kept_mean x) * (exp (- x) * (1 + x))).
  destruct (MVT_cor2 gain slope mu nu ltac:(lra)) as (c & E & Hc).
  - intros c _. unfold gain, slope, kept_mean. differentiate. ring.
  - assert (N : slope c < 0).
    { assert (0.784 <= c <= 1) by lra. unfold slope, kept_mean. interval with (i_bisect c, i_prec 40). }
    assert (0 < - slope c * (nu - mu)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
(* liu-thm-c.2 part: the printed numbers of its example *)
Theorem printed_numbers_of_the_example_hold : 0.729 <= kept_mean 2 / 2 /\ h_min <= 0.61.
Proof.
  split; [unfold kept_mean; interval with (i_prec 40) |]. unfold h_min, excess, gamma, kept_mean.
  interval with (i_prec 50).
Qed.
