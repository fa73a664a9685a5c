(* The book's certified claims for Liu et al.; the two about Gaussian noise are in liu/GaussianSlack.v. Most
   need no computation: the tangent of the exponential gives the best constants. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Userdp Require Import Privacy Tools Certificates.
Import ListNotations.
Open Scope R_scope.

Lemma exp_above_tangent x c : exp c * (1 + (x - c)) <= exp x.
Proof.
  replace x with (c + (x - c)) at 2 by ring. rewrite exp_plus. pose proof (exp_pos c).
  apply Rmult_le_compat_l; [lra |]. destruct (Req_dec (x - c) 0) as [-> | N]; [rewrite exp_0; lra |].
  left. now apply exp_ineq1.
Qed.

(* Lemma B.3: the mean distance of an exponential variable of rate a from x. *)
Definition distance (a x : R) : R := x + / a * (2 * exp (- a * x) - 1).
(* liu-lem-b.3 whole *)
Theorem distance_is_of_the_order_of_x_plus_the_mean a x : 0 < a -> 0 <= x ->
  / 3 * (x + / a) <= distance a x <= x + / a.
Proof.
  intros Ha Hx. unfold distance. assert (Hi : 0 < / a) by now apply Rinv_0_lt_compat.
  set (y := a * x). assert (Hy : 0 <= y) by (unfold y; apply Rmult_le_pos; lra).
  replace (- a * x) with (- y) by (unfold y; ring). replace x with (/ a * y) by (unfold y; field; lra).
  replace (/ 3 * (/ a * y + / a)) with (/ a * (/ 3 * (y + 1))) by ring.
  replace (/ a * y + / a * (2 * exp (- y) - 1)) with (/ a * (y + (2 * exp (- y) - 1))) by ring.
  replace (/ a * y + / a) with (/ a * (y + 1)) by ring.
  pose proof (exp_above_tangent (- y) (- ln 3)) as T. rewrite exp_Ropp, exp_ln in T by lra.
  assert (1 <= ln 3) by (interval with (i_prec 40)).
  assert (exp (- y) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
  split; apply Rmult_le_compat_l; lra.
Qed.
(* liu-lem-b.3 part: the best constant *)
Theorem best_constant_of_the_distance : exists xi, (xi + 2) * exp (- xi) = 1 /\
  Rabs (xi / (xi + 2) - 0.3643) < / 10000 /\
  (forall a x, 0 < a -> 0 <= x -> xi / (xi + 2) * (x + / a) <= distance a x) /\
  (forall a, 0 < a -> distance a (xi / a) = xi / (xi + 2) * (xi / a + / a)).
Proof.
  set (f := fun x => 1 - (x + 2) * exp (- x)).
  assert (Cf : continuity f).
  { intros x. apply derivable_continuous_pt. exists ((x + 1) * exp (- x)). unfold f. differentiate. ring. }
  destruct (IVT f 1.1459 1.1465 Cf) as (xi & Hxi & E).
  { lra. } { unfold f. interval with (i_prec 40). } { unfold f. interval with (i_prec 40). }
  unfold f in E. assert (Ex : exp (- xi) = / (xi + 2)).
  { apply Rmult_eq_reg_l with (xi + 2); [| lra]. rewrite Rinv_r by lra. lra. }
  exists xi. split; [lra |]. split; [interval with (i_bisect xi, i_autodiff xi, i_prec 40) |]. split.
  - intros a x Ha Hx. unfold distance. assert (Hi : 0 < / a) by now apply Rinv_0_lt_compat.
    set (y := a * x). replace (- a * x) with (- y) by (unfold y; ring).
    replace x with (/ a * y) by (unfold y; field; lra).
    pose proof (exp_above_tangent (- y) (- xi)) as T. rewrite Ex in T.
    replace (xi / (xi + 2) * (/ a * y + / a)) with (/ a * (xi / (xi + 2) * (y + 1))) by (field; lra).
    replace (/ a * y + / a * (2 * exp (- y) - 1)) with (/ a * (y + (2 * exp (- y) - 1))) by ring.
    apply Rmult_le_compat_l; [lra |]. apply Rle_trans with (y + (2 * (/ (xi + 2) * (1 + (- y - - xi))) - 1)); [| lra].
    right. field. lra.
  - intros a Ha. unfold distance. replace (- a * (xi / a)) with (- xi) by (field; lra). rewrite Ex. field. lra.
Qed.

(* Theorem 5.2. *)
(* liu-thm-5.2 part: the constant of our lower bound *)
Theorem noise_floor y : (1 + ln 2) / 2 <= y / 2 + exp (- y).
Proof.
  pose proof (exp_above_tangent (- y) (- ln 2)) as T. rewrite exp_Ropp, exp_ln in T by lra. lra.
Qed.
(* The share of false releases at a count of x noise scales, with the threshold at l scales, and its slope in x. *)
Definition excess_share (l x : R) : R := exp (- (l - x)) * (l + 1 - 2 * x) / (2 * x).
Definition rising (l x : R) : Prop := 0 <= 1 - 2 / (l + 1 - 2 * x) - 1 / x.
(* liu-thm-5.2 part: false releases, wherever their share rises; without the book's two per cent *)
Theorem excess_share_is_small_where_it_rises l x : 0 < x -> 0 < l + 1 - 2 * x -> rising l x ->
  excess_share l x <= exp (- ((l + 3) / 2)).
Proof.
  intros Hx Hu Hr. unfold rising in Hr. set (u := l + 1 - 2 * x) in *.
  assert (S : 2 * x <= (x - 1) * u).
  { replace (1 - 2 / u - 1 / x) with (((x - 1) * u - 2 * x) / (u * x)) in Hr by (field; lra).
    apply Rmult_le_compat_r with (r := u * x) in Hr; [| apply Rmult_le_pos; lra].
    unfold Rdiv in Hr. rewrite Rmult_0_l, Rmult_assoc, Rinv_l in Hr; nra. }
  assert (X : 1 < x) by (destruct (Rle_or_lt x 1); [nra | assumption]).
  set (w := / (x - 1)). assert (W : 0 < w) by (apply Rinv_0_lt_compat; lra).
  assert (Ew : w * (x - 1) = 1) by (unfold w; field; lra).
  assert (V : 2 + 2 * w <= u).
  { apply Rmult_le_reg_r with (x - 1); [lra |]. nra. }
  assert (K : u * exp (- (u / 2)) <= (2 + 2 * w) * exp (- (1 + w))).
  { pose proof (exp_above_tangent (u / 2) (1 + w)) as T. rewrite !exp_Ropp.
    set (p := exp (1 + w)) in *. set (q := exp (u / 2)) in *.
    assert (0 < p) by apply exp_pos. assert (0 < q) by apply exp_pos.
    apply Rmult_le_reg_r with (p * q); [now apply Rmult_lt_0_compat |].
    replace (u * / q * (p * q)) with (u * p) by (field; lra).
    replace ((2 + 2 * w) * / p * (p * q)) with ((2 + 2 * w) * q) by (field; lra).
    apply Rle_trans with ((2 + 2 * w) * (p * (1 + (u / 2 - (1 + w))))); [| apply Rmult_le_compat_l; lra].
    replace ((2 + 2 * w) * (p * (1 + (u / 2 - (1 + w))))) with (p * ((1 + w) * (u - 2 * w))) by field.
    replace (u * p) with (p * u) by ring. apply Rmult_le_compat_l; [lra |]. nra. }
  unfold excess_share. fold u.
  replace (- (l - x)) with (- (u / 2) + (2 + - ((l + 3) / 2))) by (unfold u; field). rewrite !exp_plus.
  replace (exp (- (u / 2)) * (exp 2 * exp (- ((l + 3) / 2))) * u / (2 * x))
    with (u * exp (- (u / 2)) * exp 2 / (2 * x) * exp (- ((l + 3) / 2))) by (field; lra).
  rewrite <- (Rmult_1_l (exp (- ((l + 3) / 2)))) at 2. apply Rmult_le_compat_r; [left; apply exp_pos |].
  apply Rle_trans with ((2 + 2 * w) * exp (- (1 + w)) * exp 2 / (2 * x)).
  { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |].
    apply Rmult_le_compat_r; [left; apply exp_pos | exact K]. }
  replace ((2 + 2 * w) * exp (- (1 + w)) * exp 2 / (2 * x)) with (w * (exp (- (1 + w)) * exp 2)).
  2:{ replace (2 + 2 * w) with (2 * x * w) by nra. field. lra. }
  rewrite <- exp_plus. replace (- (1 + w) + 2) with (- (w - 1)) by ring. rewrite exp_Ropp.
  pose proof (exp_above_tangent (w - 1) 0) as T. rewrite exp_0 in T.
  apply Rmult_le_reg_r with (exp (w - 1)); [apply exp_pos |]. pose proof (exp_pos (w - 1)).
  rewrite Rmult_assoc, Rinv_l; lra.
Qed.
(* What false releases add in our upper bound, for the paper's noise. *)
Definition chi (eps delta C : R) : R :=
  let b := C / eps in let l := eps + ln (C / (2 * delta)) in let t := b * l in
  Rmax (/ 2 * exp (- ((t - 1) / b)) * (t + b - 2)) (exp (- ((l + 3) / 2))).
(* liu-thm-5.2 part: false releases add less than 0.4 % where the paper suggests to work *)
Theorem false_releases_add_less_than_four_thousandths eps delta C :
  1 / 2 <= eps <= 5 -> 0 < delta <= / 10000 -> 1 <= C <= 1500 -> chi eps delta C < 0.004.
Proof.
  intros He Hd HC. unfold chi. set (L := ln (C / (2 * delta))).
  assert (Q : 5000 <= C / (2 * delta)).
  { apply Rmult_le_reg_r with (2 * delta); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (L0 : ln 5000 <= L) by (apply ln_le; lra).
  assert (L5 : 8.5 <= ln 5000) by (interval with (i_prec 40)).
  assert (LE : exp (- L) = 2 * delta / C) by (unfold L; rewrite exp_Ropp, exp_ln by lra; field; lra).
  assert (DL : delta * L <= / 10000 * 15.831 + (/ 10000 - delta)).
  { assert (E : L = ln C + ln (/ (2 * / 10000)) + ln (/ 10000 / delta)).
    { assert (P1 : 0 < / (2 * / 10000)) by lra. assert (P2 : 0 < / 10000 / delta) by (apply Rdiv_lt_0_compat; lra).
      assert (P3 : 0 < C * / (2 * / 10000)) by (apply Rmult_lt_0_compat; lra).
      unfold L. rewrite <- !ln_mult by lra. f_equal. field. lra. }
    assert (LC : ln C <= ln 1500) by (apply ln_le; lra).
    assert (LD : ln (/ 10000 / delta) <= / 10000 / delta - 1).
    { pose proof (exp_above_tangent (ln (/ 10000 / delta)) 0) as T. rewrite exp_0, exp_ln in T; [lra |].
      apply Rdiv_lt_0_compat; lra. }
    assert (N : ln 1500 + ln (/ (2 * / 10000)) <= 15.831) by (interval with (i_prec 40)).
    assert (B : L <= 15.831 + (/ 10000 / delta - 1)) by lra.
    apply Rmult_le_compat_l with (r := delta) in B; [| lra].
    replace (delta * (15.831 + (/ 10000 / delta - 1))) with (delta * 15.831 + (/ 10000 - delta)) in B by (field; lra).
    lra. }
  apply Rmax_lub_lt.
  - replace (- ((C / eps * (eps + L) - 1) / (C / eps))) with (- L + - (eps * (1 - / C))) by (field; lra).
    rewrite exp_plus, LE.
    assert (E1 : exp (- (eps * (1 - / C))) <= 1).
    { apply Rle_trans with (exp 0); [apply exp_le | rewrite exp_0; lra].
      assert (I : / C <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
      assert (0 <= eps * (1 - / C)) by (apply Rmult_le_pos; lra). lra. }
    set (g := exp (- (eps * (1 - / C)))) in *. assert (0 < g) by apply exp_pos.
    assert (P : 0 <= delta * (1 + (1 + L) / eps)).
    { apply Rmult_le_pos; [lra |]. assert (0 <= (1 + L) / eps) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]). lra. }
    apply Rle_lt_trans with (delta * (1 + (1 + L) / eps)).
    + apply Rle_trans with (g * (delta * (1 + (1 + L) / eps))).
      * replace (/ 2 * (2 * delta / C * g) * (C / eps * (eps + L) + C / eps - 2))
          with (g * (delta * (1 + (1 + L) / eps) - 2 * delta / C)) by (field; lra).
        apply Rmult_le_compat_l; [lra |].
        assert (0 <= 2 * delta / C) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]). lra.
      * rewrite <- (Rmult_1_l (delta * (1 + (1 + L) / eps))) at 2. now apply Rmult_le_compat_r.
    + assert (I : (1 + L) / eps <= 2 * (1 + L)).
      { unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; [lra |].
        replace 2 with (/ (1 / 2)) by field. apply Rinv_le_contravar; lra. }
      apply Rmult_le_compat_l with (r := delta) in I; [| lra]. lra.
  - apply Rle_lt_trans with (exp (- 6)); [apply exp_le; lra | interval with (i_prec 40)].
Qed.

(* liu-thm-c.3 part: the number in its proof *)
Theorem half_the_root_of_e_is_below_0_83 : / 2 * sqrt (exp 1) < 0.83.
Proof. interval with (i_prec 40). Qed.
