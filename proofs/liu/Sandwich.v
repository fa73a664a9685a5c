(* Liu et al., Theorem 5.2 and Corollary B.5 repaired: the error of one item between two combinations of what is clipped and kept. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools Guarantees dame.Bounds liu.Choices.
Import ListNotations.
Open Scope R_scope.

(* The exact error of an item of count N, clipped to h, at threshold t and noise of scale b: our closed form. *)
Definition error_of_item (b t h N : R) : R :=
  if Rle_dec h t then
    if Rle_dec N t then item_error b t h N
    else N - / 2 * exp (- (t - h) / b) * (t + b - 2 * b * exp (- (N - t) / b))
  else (N - h) + b * exp (- (N - h) / b) + / 2 * exp (- (h - t) / b) * (t - b).
(* The condition of the repaired upper side, and of the lower one. *)
Definition small_slack (C eps delta : R) : Prop := delta * (1 + eps + ln (C / (2 * delta))) <= eps.
Definition moderate_budget (C eps delta : R) : Prop := eps <= 9 * ln (C / (2 * delta)).

Lemma growth h : 1 <= h -> exp (1 - / h) <= h.
Proof.
  intros H. replace h with (exp (ln h)) at 2 by (apply exp_ln; lra). apply exp_le.
  assert (P : 0 < / h) by (apply Rinv_0_lt_compat; lra).
  pose proof (ln_below (/ h) P) as L. rewrite ln_Rinv in L by lra. lra.
Qed.
(* False releases cost at most the count: twice the chance times what they add. *)
Lemma false_releases b t h : 1 <= h <= t -> 0 < b -> t + b - 2 <= 2 * exp ((t - 1) / b) ->
  exp (- (t - h) / b) * (t + b - 2 * h) <= 2 * h.
Proof.
  intros Hh Hb H1. assert (Hi : 0 < / b) by now apply Rinv_0_lt_compat.
  assert (P : 0 < exp ((t - h) / b)) by apply exp_pos.
  replace (exp (- (t - h) / b)) with (/ exp ((t - h) / b)).
  2:{ rewrite <- exp_Ropp. f_equal. unfold Rdiv. ring. }
  apply Rmult_le_reg_l with (exp ((t - h) / b)); [exact P |].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. destruct (Rle_or_lt b h) as [L | L].
  - pose proof (exp_ineq1_le ((t - h) / b)) as E.
    assert (K : t - h <= h * ((t - h) / b)).
    { replace (h * ((t - h) / b)) with (h / b * (t - h)) by (field; lra). rewrite <- (Rmult_1_l (t - h)) at 1.
      apply Rmult_le_compat_r; [lra |]. apply Rmult_le_reg_r with b; [exact Hb |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (h * (1 + (t - h) / b) <= h * exp ((t - h) / b)) by (apply Rmult_le_compat_l; lra). lra.
  - assert (Q : exp ((h - 1) / b) <= h).
    { apply Rle_trans with (2 := growth h (proj1 Hh)). apply exp_le. replace (1 - / h) with ((h - 1) * / h) by (field; lra).
      apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra. }
    replace ((t - 1) / b) with ((t - h) / b + (h - 1) / b) in H1 by (field; lra). rewrite exp_plus in H1.
    assert (exp ((t - h) / b) * exp ((h - 1) / b) <= exp ((t - h) / b) * h) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma slack_is_small C eps delta : 1 <= C -> 0 < eps -> 0 < delta <= 1 / 8 -> small_slack C eps delta ->
  let b := C / eps in let t := threshold_of C eps delta in t + b - 2 <= 2 * exp ((t - 1) / b).
Proof.
  intros HC He Hd S b t. unfold small_slack in S. set (L := ln (C / (2 * delta))) in *.
  assert (E : exp ((t - 1) / b) = C / (2 * delta) * exp (eps * (1 - / C))).
  { replace ((t - 1) / b) with (L + eps * (1 - / C)) by (unfold t, b, threshold_of; fold L; field; lra).
    rewrite exp_plus. unfold L. rewrite exp_ln; [reflexivity | apply Rdiv_lt_0_compat; lra]. }
  assert (Ic : / C <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (G : 1 <= exp (eps * (1 - / C))) by (apply one_le_exp, Rmult_le_pos; lra).
  assert (P : 0 < C / (2 * delta)) by (apply Rdiv_lt_0_compat; lra).
  assert (K : C / (2 * delta) <= exp ((t - 1) / b)).
  { rewrite E, <- (Rmult_1_r (C / (2 * delta))) at 1. apply Rmult_le_compat_l; lra. }
  assert (T : t + b - 2 <= C / eps * (1 + eps + L)) by (unfold t, b, threshold_of; fold L; assert (X : C + C / eps * L + C / eps = C / eps * (1 + eps + L)) by (field; lra); lra).
  assert (Q : C / eps * (1 + eps + L) <= C / delta).
  { apply Rmult_le_reg_r with (delta * eps); [apply Rmult_lt_0_compat; lra |].
    replace (C / eps * (1 + eps + L) * (delta * eps)) with (C * (delta * (1 + eps + L))) by (field; lra).
    replace (C / delta * (delta * eps)) with (C * eps) by (field; lra). apply Rmult_le_compat_l; lra. }
  replace (C / delta) with (2 * (C / (2 * delta))) in Q by (field; lra). lra.
Qed.
(* liu-thm-5.2, liu-cor-b.5 part: the repaired upper side, an item at a time, with the factor 2; given our closed form of the error *)
Theorem repaired_upper_bound C eps delta h N : 1 <= C -> 0 < eps -> 0 < delta <= 1 / 8 -> small_slack C eps delta -> 1 <= h <= N ->
  let b := C / eps in let t := threshold_of C eps delta in b <= t -> error_of_item b t h N <= 2 * (N - h) + 2 * Rmin h t.
Proof.
  intros HC He Hd S HN b t Hbt. assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra).
  pose proof (slack_is_small C eps delta HC He Hd S) as Sl. cbv zeta in Sl. fold b t in Sl.
  unfold error_of_item. destruct (Rle_dec h t) as [H | H]; [destruct (Rle_dec N t) as [H' | H'] |].
  - pose proof (false_releases b t h (conj (proj1 HN) H) Hb Sl) as F. rewrite Rmin_left by lra. unfold item_error.
    set (p := exp (- (t - h) / b)) in *. assert (0 < p) by apply exp_pos.
    assert (0 <= p * (N - h)) by (apply Rmult_le_pos; lra). lra.
  - rewrite Rmin_left by lra. assert (E : exp (- (N - t) / b) <= 1).
    { rewrite <- exp_0. apply exp_le. assert (0 <= (N - t) * / b) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]). unfold Rdiv. lra. }
    assert (0 <= exp (- (t - h) / b) * (t + b - 2 * b * exp (- (N - t) / b))).
    { apply Rmult_le_pos; [left; apply exp_pos |]. assert (b * exp (- (N - t) / b) <= b * 1) by (apply Rmult_le_compat_l; lra). lra. }
    lra.
  - rewrite Rmin_right by lra.
    assert (A : forall z, 0 <= z -> exp (- z / b) <= 1).
    { intros z Hz. rewrite <- exp_0. apply exp_le. assert (0 <= z * / b) by (apply Rmult_le_pos; [exact Hz | left; now apply Rinv_0_lt_compat]). unfold Rdiv. lra. }
    assert (b * exp (- (N - h) / b) <= b * 1) by (apply Rmult_le_compat_l; [lra | apply A; lra]).
    assert (exp (- (h - t) / b) * (t - b) <= 1 * (t - b)) by (apply Rmult_le_compat_r; [lra | apply A; lra]). lra.
Qed.
(* liu-thm-5.2, liu-cor-b.5 part: the repaired lower side where an item is above the threshold; given our closed form of the error *)
Theorem repaired_lower_bound C Cmax eps delta h N : 1 <= C <= Cmax -> 0 < eps -> 0 < delta <= 1 / 8 -> moderate_budget C eps delta ->
  let b := C / eps in let t := threshold_of C eps delta in b <= t -> t < h <= N ->
  / 2 * (N - h) + Rmin h t / (12 * ln (Cmax / (2 * delta))) <= error_of_item b t h N.
Proof.
  intros HC He Hd S b t Hbt HN. assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra). unfold moderate_budget in S.
  set (L := ln (C / (2 * delta))) in *. set (Lm := ln (Cmax / (2 * delta))).
  assert (C4 : 4 <= C / (2 * delta)).
  { apply Rmult_le_reg_r with (2 * delta); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (L0 : 0 < L) by (unfold L; rewrite <- ln_1; apply ln_increasing; lra).
  assert (LL : L <= Lm).
  { unfold L, Lm. assert (Q : C / (2 * delta) <= Cmax / (2 * delta)) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat |]; lra).
    destruct Q as [Q | ->]; [left; apply ln_increasing; lra | lra]. }
  rewrite Rmin_right by lra. unfold error_of_item. destruct (Rle_dec h t) as [H | H]; [lra |].
  assert (T : t = b * (eps + L)) by (unfold t, b, threshold_of; fold L; field; lra).
  assert (B : t / (12 * Lm) <= 10 / 12 * b).
  { apply Rmult_le_reg_r with (12 * Lm); [lra |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r, T.
    replace (10 / 12 * b * (12 * Lm)) with (b * (10 * Lm)) by field. apply Rmult_le_compat_l; lra. }
  assert (Y : (N - h) / b / 2 + exp (- ((N - h) / b)) >= 10 / 12).
  { set (y := (N - h) / b). assert (E : exp (- ln 2) * (1 + (- y + ln 2)) <= exp (- y)).
    { replace (- y) with (- ln 2 + (- y + ln 2)) at 2 by ring. rewrite (exp_plus (- ln 2)). apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le]. }
    rewrite exp_Ropp, exp_ln in E by lra. pose proof ln_8_bounds as L8. replace 8 with (2 * (2 * 2)) in L8 by ring.
    rewrite !ln_mult in L8 by lra. lra. }
  apply Rge_le in Y. apply Rmult_le_compat_l with (r := b) in Y; [| lra].
  replace (b * ((N - h) / b / 2 + exp (- ((N - h) / b)))) with (/ 2 * (N - h) + b * exp (- ((N - h) / b))) in Y by (field; lra).
  replace (- (N - h) / b) with (- ((N - h) / b)) by (unfold Rdiv; ring).
  assert (0 <= exp (- (h - t) / b) * (t - b)) by (apply Rmult_le_pos; [left; apply exp_pos | lra]). lra.
Qed.
