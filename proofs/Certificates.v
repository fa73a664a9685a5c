(* The book's certified claims, first part: inequalities over a whole range, for the constants of Kent et al. and DAME.
   Where both sides vanish a derivative decides, elsewhere an enclosure by interval arithmetic. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Userdp Require Import Tools.
Open Scope R_scope.

Ltac differentiate := intros; apply is_derive_Reals; auto_derive; try exact I; repeat split; try exact I;
  try match goal with |- ?a = ?b => change (@eq R a b) end.

Definition kept (l : R) : R := exp l / (1 + exp l).   (* a bit of log-odds l is reported as it is *)

Lemma kept_minus_half l : kept l - / 2 = / 2 * ((exp l - 1) / (exp l + 1)).
Proof. unfold kept. pose proof (exp_pos l). field. lra. Qed.

(* Slopes: (e^{cx} - 1)/(e^{cx} + 1) = tanh(cx/2) stays above a line through 0. *)
Definition slope (c x : R) : R := 2 * c * exp (c * x) / (exp (c * x) + 1) ^ 2.
Lemma tanh_derivative c k x :
  derivable_pt_lim (fun x => (exp (c * x) - 1) / (exp (c * x) + 1) - k * x) x (slope c x - k).
Proof.
  differentiate; pose proof (exp_pos (c * x)); [lra |]. unfold slope. field. lra.
Qed.
Lemma tanh_above c k b : (forall x, 0 <= x <= b -> 0 <= slope c x - k) ->
  forall x, 0 <= x <= b -> k * x <= (exp (c * x) - 1) / (exp (c * x) + 1).
Proof.
  intros H x Hx.
  pose proof (rises (fun x => (exp (c * x) - 1) / (exp (c * x) + 1) - k * x) (fun x => slope c x - k) b) as R.
  cbv beta in R. rewrite !Rmult_0_r, exp_0 in R.
  specialize (R ltac:(lra) (fun y _ => tanh_derivative c k y) H x Hx). lra.
Qed.
Lemma tanh_below x : 0 <= x -> (exp x - 1) / (exp x + 1) <= x / 2.
Proof.
  intros H.
  pose proof (rises (fun x => x / 2 - (exp x - 1) / (exp x + 1))
    (fun x => / 2 - 2 * exp x / (exp x + 1) ^ 2) x) as R. cbv beta in R. rewrite exp_0 in R.
  enough (0 <= x / 2 - (exp x - 1) / (exp x + 1)) by lra. apply R; [lra | | | lra].
  - differentiate; pose proof (exp_pos x0); [lra |]. field. lra.
  - intros y _. pose proof (exp_pos y).
    assert (E : / 2 - 2 * exp y / (exp y + 1) ^ 2 = (exp y - 1) ^ 2 / (2 * (exp y + 1) ^ 2)) by (field; lra).
    rewrite E. apply Rmult_le_pos; [apply pow2_ge_0 |]. left. apply Rinv_0_lt_compat.
    apply Rmult_lt_0_compat; [lra | apply pow_lt; lra].
Qed.

(* Kent et al. *)
(* kent-alg-3 part: the constant 8536 of the printed proof, at every budget up to 1 *)
Theorem printed_horizon_needs_at_most_8536 eps : 0 < eps <= 1 ->
  2 * 64 * eps ^ 2 <= 8536 * (kept (eps / 2) - / 2) ^ 2.
Proof.
  intros H. rewrite kept_minus_half.
  assert (L : 0.244915 * eps <= (exp (eps / 2) - 1) / (exp (eps / 2) + 1)).
  { destruct (Rle_or_lt eps (1 / 2)) as [S | S].
    - replace (eps / 2) with (/ 2 * eps) by field. apply (tanh_above (/ 2) 0.244915 (1 / 2)); [| lra].
      intros x Hx. unfold slope. interval with (i_bisect x, i_prec 40).
    - apply Rminus_le. interval with (i_bisect eps, i_taylor eps, i_prec 40). }
  set (t := (exp (eps / 2) - 1) / (exp (eps / 2) + 1)) in *. assert (0 <= t) by lra.
  assert (Q : (0.244915 * eps) ^ 2 <= t ^ 2) by (apply pow_incr; lra).
  replace ((/ 2 * t) ^ 2) with (/ 4 * t ^ 2) by field. rewrite Rpow_mult_distr in Q. pose proof (pow2_ge_0 eps).
  set (u := t ^ 2) in *. set (v := eps ^ 2) in *. clearbody u v. nra.
Qed.

Lemma log_cosh_pieces c k : 0 < c -> (forall x, 0 < x <= 1 -> k * x ^ 2 <= ln ((exp (c * x) + exp (- (c * x))) / 2)) ->
  k <= c * ((exp c - exp (- c)) / (exp c + exp (- c))) ->
  forall x, 0 < x -> k * Rmin x (x ^ 2) <= ln ((exp (c * x) + exp (- (c * x))) / 2).
Proof.
  intros Hc Near Far x Hx. destruct (Rle_or_lt x 1) as [S | S].
  { rewrite Rmin_right by nra. apply Near. lra. }
  rewrite Rmin_left by nra.
  set (f := fun y => ln ((exp (c * (1 + y)) + exp (- (c * (1 + y)))) / 2) - k * (1 + y)).
  set (f' := fun y => c * ((exp (c * (1 + y)) - exp (- (c * (1 + y)))) / (exp (c * (1 + y)) + exp (- (c * (1 + y))))) - k).
  assert (F1 : 0 <= f 0).
  { unfold f. rewrite !Rplus_0_r, !Rmult_1_r. specialize (Near 1 ltac:(lra)).
    rewrite pow1, !Rmult_1_r in Near. lra. }
  assert (P : 0 <= f (x - 1) - f 0).
  { apply (rises (fun y => f y - f 0) f' (x - 1)); [ring | | | lra].
    - intros y Hy. unfold f, f'. differentiate;
        pose proof (exp_pos (c * (1 + y))); pose proof (exp_pos (- (c * (1 + y)))); [lra |]. field. lra.
    - intros y Hy. unfold f'.
      enough (c * ((exp c - exp (- c)) / (exp c + exp (- c))) <=
        c * ((exp (c * (1 + y)) - exp (- (c * (1 + y)))) / (exp (c * (1 + y)) + exp (- (c * (1 + y)))))) by lra.
      apply Rmult_le_compat_l; [lra |].
      assert (M : exp c <= exp (c * (1 + y))) by (apply exp_le; nra).
      rewrite !exp_Ropp. pose proof (exp_pos c). set (a := exp c) in *. set (b := exp (c * (1 + y))) in *.
      replace ((a - / a) / (a + / a)) with (1 - 2 / (a * a + 1)) by (field; split; nra).
      replace ((b - / b) / (b + / b)) with (1 - 2 / (b * b + 1)) by (field; split; nra).
      enough (/ (b * b + 1) <= / (a * a + 1)) by (unfold Rdiv; lra). apply Rinv_le_contravar; nra. }
  unfold f in P, F1. replace (1 + (x - 1)) with x in P by ring. rewrite !Rplus_0_r in *. lra.
Qed.
Lemma log_cosh_near c k b : (forall x, 0 <= x <= b -> 0 <= slope (2 * c) x - 2 * k / c) -> 0 < c ->
  forall x, 0 <= x <= b -> k * x ^ 2 <= ln ((exp (c * x) + exp (- (c * x))) / 2).
Proof.
  intros S Hc x Hx. enough (0 <= ln ((exp (c * x) + exp (- (c * x))) / 2) - k * x ^ 2) by lra.
  apply (rises (fun x => ln ((exp (c * x) + exp (- (c * x))) / 2) - k * x ^ 2)
    (fun x => c * ((exp (2 * c * x) - 1) / (exp (2 * c * x) + 1)) - 2 * k * x) b); [| | | exact Hx].
  - rewrite Rmult_0_r, Ropp_0, exp_0. replace ((1 + 1) / 2) with 1 by field. rewrite ln_1. ring.
  - intros y Hy. differentiate; pose proof (exp_pos (c * y)); pose proof (exp_pos (- (c * y))); [lra |].
    replace (2 * c * y) with (c * y + c * y) by ring. rewrite exp_plus, exp_Ropp. field.
    repeat split; nra.
  - intros y Hy. pose proof (tanh_above (2 * c) (2 * k / c) b S y Hy) as T.
    apply Rmult_le_compat_l with (r := c) in T; [| lra].
    replace (c * (2 * k / c * y)) with (2 * k * y) in T by (field; lra). lra.
Qed.

(* kent-alg-11 part: our constant 289 *)
Theorem exponent_of_algorithm_11_is_above_min_over_289 eps : 0 < eps ->
  Rmin eps (eps ^ 2) / 289 <= ln ((exp (eps / 12) + exp (- (eps / 12))) / 2).
Proof.
  intros H. replace (eps / 12) with (/ 12 * eps) by field.
  replace (Rmin eps (eps ^ 2) / 289) with (/ 289 * Rmin eps (eps ^ 2)) by field.
  apply log_cosh_pieces; [lra | | interval with (i_prec 40) | exact H].
  intros x Hx. destruct (Rle_or_lt x (1 / 2)) as [S | S].
  - apply (log_cosh_near (/ 12) (/ 289) (1 / 2)); [| lra | lra].
    intros y Hy. unfold slope. interval with (i_bisect y, i_taylor y, i_prec 40).
  - apply Rminus_le. interval with (i_bisect x, i_taylor x, i_prec 50).
Qed.

Fixpoint product (n : nat) : R := match n with O => 1 | S k => product k * (1 - / 2 ^ n) end.
Lemma product_S n : product (S n) = product n * (1 - / 2 ^ S n).
Proof. reflexivity. Qed.
Lemma product_tail n : (10 <= n)%nat -> product 10 * (1 - / 2 ^ 10 + / 2 ^ n) <= product n.
Proof.
  assert (P : 0 < product 10) by (simpl; lra).
  induction 1 as [| n L IH]; [lra |]. rewrite (product_S n).
  assert (E : / 2 ^ S n = / 2 ^ n / 2) by (rewrite <- tech_pow_Rmult; field; apply pow_nonzero; lra).
  rewrite E. clear E.
  assert (Q : 0 < / 2 ^ n <= / 2 ^ 10).
  { split; [apply Rinv_0_lt_compat, pow_lt; lra |].
    apply Rinv_le_contravar; [apply pow_lt; lra |]. apply Rle_pow; [lra | lia]. }
  assert (T : / 2 ^ 10 <= / 2) by lra.
  set (p := product 10) in *. set (r := product n) in *. set (q := / 2 ^ n) in *. set (u := / 2 ^ 10) in *.
  clearbody p q r u. apply Rle_trans with (p * (1 - u + q) * (1 - q / 2)); [| apply Rmult_le_compat_r; lra].
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |]. nra.
Qed.
(* kent-lem-13 part: the product in the constants of our cut-and-paste lemma *)
Theorem cut_and_paste_product_exceeds_two_sevenths n : 2 / 7 < product n.
Proof.
  destruct (Compare_dec.le_lt_dec 10 n) as [L | L].
  - pose proof (product_tail n L) as T.
    assert (0 < / 2 ^ n) by (apply Rinv_0_lt_compat, pow_lt; lra).
    assert (A : 2 / 7 < product 10 * (1 - / 2 ^ 10)) by (simpl; lra).
    assert (P : 0 < product 10) by (simpl; lra). nra.
  - do 10 (destruct n as [| n]; [simpl; lra |]). lia.
Qed.

(* kent-lem-15 part: our constant is 1 *)
Theorem seven_halves_sinh_squared_is_below_one : 7 / 2 * sinh (/ 2) ^ 2 < 1.
Proof. unfold sinh. interval with (i_prec 40). Qed.
