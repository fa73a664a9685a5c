(* Liu et al., Lemma 4.1, second sentence: the exact slack of its Gaussian noise, when a user comes or goes. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Userdp Require Import Tools liu.GaussianRule.
Open Scope R_scope.

(* The tail of the normal distribution, the printed noise, and the exact slack of such noise at distance 1. *)
Definition normal_tail (K : R) (tail : R -> R) : Prop :=
  bell_mass K /\ forall x, is_lim (fun T => RInt bell x T / K) p_infty (tail x).
Definition printed_sigma (eps delta : R) : R := sqrt (2 * ln (1.32 / delta)) / eps.
Definition exact_slack (tail : R -> R) (eps sigma : R) : R :=
  tail (eps * sigma - / (2 * sigma)) - exp eps * tail (eps * sigma + / (2 * sigma)).

Definition area (x : R) : R := RInt bell 0 x.
Lemma area_slope x : is_derive area x (bell x).
Proof.
  apply (is_derive_RInt (V := R_NormedModule) bell area 0); [| apply bell_continuous].
  exists (mkposreal 1 Rlt_0_1). intros y _. apply bell_is_RInt.
Qed.
Lemma area_between x y : RInt bell x y = area y - area x.
Proof.
  pose proof (RInt_Chasles (V := R_CompleteNormedModule) bell 0 x y (ex_intro _ _ (bell_is_RInt 0 x))
    (ex_intro _ _ (bell_is_RInt x y))) as E.
  unfold plus in E. simpl in E. unfold area. lra.
Qed.
Lemma half_the_mass K : bell_mass K -> is_lim area p_infty (K / 2).
Proof.
  intros [_ L]. apply is_lim_ext with (f := fun T => / 2 * RInt bell (- T) T).
  - intros T. rewrite area_between. assert (E : area (- T) = - area T).
    { pose proof (area_between (- T) 0) as E. rewrite bell_mirrored in E. unfold area in *.
      rewrite RInt_point in E. unfold zero in E. simpl in E. lra. }
    rewrite E. field.
  - replace (Finite (K / 2)) with (Rbar_mult (/ 2) K) by (simpl; f_equal; field). now apply is_lim_scal_l.
Qed.
Lemma tail_is_the_rest K tail x : normal_tail K tail -> tail x = (K / 2 - area x) / K.
Proof.
  intros [M L]. specialize (L x). apply is_lim_unique in L. pose proof (half_the_mass K M) as H.
  assert (E : is_lim (fun T => RInt bell x T / K) p_infty ((K / 2 - area x) / K)).
  { apply is_lim_ext with (f := fun T => / K * (area T - area x)).
    - intros T. rewrite area_between. unfold Rdiv. ring.
    - replace (Finite ((K / 2 - area x) / K)) with (Rbar_mult (/ K) (K / 2 - area x)) by (simpl; f_equal; unfold Rdiv; ring).
      apply is_lim_scal_l. apply (is_lim_minus' _ _ _ _ _ H), is_lim_const. }
  apply is_lim_unique in E. rewrite E in L. now injection L.
Qed.
Lemma grows f f' l r : l <= r -> (forall t, l <= t <= r -> is_derive f t (f' t)) ->
  (forall t, l <= t <= r -> 0 <= f' t) -> f l <= f r.
Proof.
  intros H D P. destruct (MVT_gen f l r f') as (c & Hc & E).
  - intros t Ht. rewrite Rmin_left, Rmax_right in Ht by lra. apply D. lra.
  - intros t Ht. rewrite Rmin_left, Rmax_right in Ht by lra. apply derivable_continuous_pt.
    exists (f' t). apply is_derive_Reals, D. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. specialize (P c Hc).
    assert (0 <= f' c * (r - l)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma area_grows x y : x <= y -> area x <= area y.
Proof.
  intros H. apply (grows area bell); [exact H | intros; apply area_slope | intros; left; apply exp_pos].
Qed.
Lemma area_below_half K x : bell_mass K -> area x <= K / 2.
Proof.
  intros M. enough (Rbar_le (area x) (K / 2)) by (simpl in *; lra).
  refine (is_lim_le_loc (fun _ => area x) area p_infty (area x) (K / 2) _ (is_lim_const _ _) (half_the_mass K M)).
  exists x. intros y Hy. apply area_grows. lra.
Qed.
(* Mills' inequality: where z >= x the density is at most (z / x) times itself. *)
Lemma mills K x : bell_mass K -> 0 < x -> K / 2 - area x <= bell x / x.
Proof.
  intros M Hx. enough (Rbar_le (K / 2) (area x + bell x / x)) by (simpl in *; lra).
  refine (is_lim_le_loc area (fun _ => area x + bell x / x) p_infty (K / 2) (area x + bell x / x) _
    (half_the_mass K M) (is_lim_const _ _)).
  exists x. intros y Hy.
  assert (S : area x + bell x / x <= area x + bell x / x) by lra.
  pose proof (grows (fun t => - bell t / x - area t) (fun t => (t / x - 1) * bell t) x y ltac:(lra)) as G.
  cbv beta in G. assert (Q : - bell x / x - area x <= - bell y / x - area y).
  { apply G.
    - intros t Ht. apply (is_derive_ext (fun t => - bell t / x - area t)); [reflexivity |].
      replace ((t / x - 1) * bell t) with (minus (t / x * bell t) (bell t)) by (unfold minus, plus, opp; simpl; ring).
      apply (is_derive_minus (V := R_NormedModule)); [| apply area_slope].
      unfold bell. auto_derive; [exact I |]. unfold Rdiv. simpl. field. lra.
    - intros t Ht. apply Rmult_le_pos; [| left; apply exp_pos].
      assert (1 <= t / x) by (apply Rmult_le_reg_r with x; [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra). lra. }
  assert (0 <= bell y / x) by (apply Rmult_le_pos; [left; apply exp_pos | left; apply Rinv_0_lt_compat; lra]).
  unfold Rdiv in *. lra.
Qed.
Lemma mass_above K : bell_mass K -> 2.5066 <= K.
Proof.
  intros M. pose proof (area_below_half K 6 M) as B.
  assert (1.2533 <= area 6) by (unfold area, bell; integral with (i_prec 60)). lra.
Qed.

(* The slack times K, for sigma = a / eps. *)
Definition excess (K e a : R) : R :=
  (K / 2 - area (a - e / (2 * a))) - exp e * (K / 2 - area (a + e / (2 * a))).
Lemma bell_shifted e a : 0 < a -> exp e * bell (a + e / (2 * a)) = bell (a - e / (2 * a)).
Proof. intros H. unfold bell. rewrite <- exp_plus. f_equal. field. lra. Qed.
Lemma excess_slope_in_e K a e : 0 < a ->
  is_derive (fun e => excess K e a) e (exp e * (bell (a + e / (2 * a)) / a - (K / 2 - area (a + e / (2 * a))))).
Proof.
  intros H. unfold excess.
  assert (D : forall x, ex_derive area x) by (intros x; eexists; apply area_slope).
  assert (V : forall x, Derive (fun y => area y) x = bell x) by (intros x; apply is_derive_unique, area_slope).
  auto_derive; [repeat split; auto; lra |]. rewrite ?V.
  pose proof (bell_shifted e a H) as B. unfold Rminus, Rdiv in *. rewrite <- B. field. lra.
Qed.
Lemma excess_grows_in_e K a e e' : bell_mass K -> 0 < a -> 0 < e <= e' -> excess K e a <= excess K e' a.
Proof.
  intros M H He. refine (grows (fun e => excess K e a) _ e e' ltac:(lra) (fun t _ => excess_slope_in_e K a t H) _).
  intros t Ht. apply Rmult_le_pos; [left; apply exp_pos |].
  set (x := a + t / (2 * a)). assert (Q : 0 < t / (2 * a)) by (apply Rdiv_lt_0_compat; lra).
  assert (Hx : a <= x) by (unfold x; lra). pose proof (mills K x M ltac:(lra)).
  assert (bell x / x <= bell x / a); [| lra].
  apply Rmult_le_compat_l; [left; apply exp_pos | apply Rinv_le_contravar; lra].
Qed.
Definition weight (e a : R) : R := a ^ 3 * exp (e ^ 2 / (8 * a ^ 2)).
Lemma excess_slope K e a : 0 < a -> is_derive (fun a => excess K e a) a (- (e / a ^ 2 * bell (a - e / (2 * a)))).
Proof.
  intros H. unfold excess.
  assert (D : forall x, ex_derive area x) by (intros x; eexists; apply area_slope).
  assert (V : forall x, Derive (fun y => area y) x = bell x) by (intros x; apply is_derive_unique, area_slope).
  auto_derive; [repeat split; auto; lra |]. rewrite ?V.
  pose proof (bell_shifted e a H) as B. unfold Rminus, Rdiv in *. rewrite <- B. field. lra.
Qed.
Lemma excess_falls K e a b : 0 < e -> 0 < a <= b -> excess K e b <= excess K e a.
Proof.
  intros He H. enough (- excess K e a <= - excess K e b) by lra.
  apply (grows (fun a => - excess K e a) (fun a => e / a ^ 2 * bell (a - e / (2 * a)))); [lra | |].
  - intros t Ht. rewrite <- (Ropp_involutive (e / t ^ 2 * _)).
    apply (is_derive_opp (V := R_NormedModule) (fun a => excess K e a)), excess_slope. lra.
  - intros t Ht. apply Rmult_le_pos; [| left; apply exp_pos]. left. apply Rdiv_lt_0_compat; [lra | apply pow_lt; lra].
Qed.
Lemma weight_grows e a b : 0 <= e -> 0 < a <= b -> e ^ 2 <= 12 * a ^ 2 -> weight e a <= weight e b.
Proof.
  intros He H E. apply (grows (weight e) (fun a => (3 * a ^ 2 - e ^ 2 / 4) * exp (e ^ 2 / (8 * a ^ 2)))); [lra | |].
  - intros t Ht. unfold weight. auto_derive; [repeat split; nra |]. unfold Rdiv. simpl. field. lra.
  - intros t Ht. apply Rmult_le_pos; [| left; apply exp_pos]. assert (a ^ 2 <= t ^ 2) by (apply pow_incr; lra). lra.
Qed.

(* The excess against a bound v bell a. Their difference falls, then rises to 0, as a grows: its start decides. *)
Definition against (K v e a : R) : R := excess K e a - v * bell a.
Lemma against_slope K v e a : 0 < a ->
  is_derive (against K v e) a (bell a * exp (- (e ^ 2 / (8 * a ^ 2))) / a ^ 2 * (v * weight e a - e * exp (e / 2))).
Proof.
  intros H. unfold against.
  replace (bell a * exp (- (e ^ 2 / (8 * a ^ 2))) / a ^ 2 * (v * weight e a - e * exp (e / 2)))
    with (minus (- (e / a ^ 2 * bell (a - e / (2 * a)))) (- (v * a * bell a))).
  - apply (is_derive_minus (V := R_NormedModule)); [now apply excess_slope |].
    unfold bell. auto_derive; [exact I |]. unfold Rdiv. simpl. field.
  - unfold minus, plus, opp, weight. simpl Hierarchy.AbelianGroup.plus. simpl.
    assert (B : bell (a - e / (2 * a)) = bell a * exp (- (e ^ 2 / (8 * a ^ 2))) * exp (e / 2)).
    { unfold bell. rewrite <- !exp_plus. f_equal. field. lra. }
    pose proof (exp_times_opposite (e ^ 2 / (8 * a ^ 2))) as X. simpl in B, X. rewrite B.
    set (p := exp (- _)) in *. set (q := exp (_ / (8 * _))) in *.
    replace (- (e / (a * (a * 1)) * (bell a * p * exp (e / 2))) + - - (v * a * bell a))
      with (- (e / (a * (a * 1)) * (bell a * p * exp (e / 2))) + v * a * bell a * (q * p)) by (rewrite X; ring).
    field. lra.
Qed.
Lemma sign_of_the_slope a e w : 0 < a -> 0 <= w ->
  0 <= bell a * exp (- (e ^ 2 / (8 * a ^ 2))) / a ^ 2 * w.
Proof.
  intros H W. apply Rmult_le_pos; [| exact W]. left. apply Rdiv_lt_0_compat; [| apply pow_lt; lra].
  apply Rmult_lt_0_compat; apply exp_pos.
Qed.
Lemma its_start_decides K v e p a : bell_mass K -> 0 <= v -> 0 < e -> e ^ 2 <= 12 * p ^ 2 -> 0 < p <= a ->
  against K v e p <= 0 -> against K v e a <= 0.
Proof.
  intros M Hv He E H P. destruct (Rle_or_lt (v * weight e a) (e * exp (e / 2))) as [S | S].
  - enough (- against K v e p <= - against K v e a) by lra.
    apply (grows (fun a => - against K v e a) (fun a => bell a * exp (- (e ^ 2 / (8 * a ^ 2))) / a ^ 2 * (e * exp (e / 2) - v * weight e a))); [lra | |].
    + intros t Ht. replace (_ / t ^ 2 * (e * exp (e / 2) - v * weight e t))
        with (opp (bell t * exp (- (e ^ 2 / (8 * t ^ 2))) / t ^ 2 * (v * weight e t - e * exp (e / 2)))) by (unfold opp; simpl; unfold Rdiv; ring).
      apply (is_derive_opp (V := R_NormedModule) (against K v e)), against_slope. lra.
    + intros t Ht. apply sign_of_the_slope; [lra |]. assert (p ^ 2 <= t ^ 2) by (apply pow_incr; lra).
      pose proof (weight_grows e t a ltac:(lra) ltac:(lra) ltac:(lra)). nra.
  - destruct (Rle_or_lt (against K v e a) 0) as [Q | Q]; [exact Q | exfalso].
    set (g := against K v e a) in *. set (b := a + e / a + 1 / g).
    assert (Pe : 0 < e / a) by (apply Rdiv_lt_0_compat; lra). assert (Pg : 0 < 1 / g) by (apply Rdiv_lt_0_compat; lra).
    assert (Hb : a <= b) by (unfold b; lra).
    assert (G : g <= against K v e b).
    { apply (grows (against K v e) (fun t => bell t * exp (- (e ^ 2 / (8 * t ^ 2))) / t ^ 2 * (v * weight e t - e * exp (e / 2)))); [lra | |].
      - intros t Ht. apply against_slope. lra.
      - intros t Ht. apply sign_of_the_slope; [lra |]. assert (p ^ 2 <= a ^ 2) by (apply pow_incr; lra).
        pose proof (weight_grows e a t ltac:(lra) ltac:(lra) ltac:(lra)). nra. }
    assert (Y : 1 / g < b - e / (2 * b)).
    { assert (e / (2 * b) <= e / a); [| unfold b in *; lra].
      apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra]. }
    set (y := b - e / (2 * b)) in *. pose proof (mills K y M ltac:(lra)) as L.
    pose proof (area_below_half K (b + e / (2 * b)) M). pose proof (exp_pos e).
    assert (0 <= v * bell b) by (apply Rmult_le_pos; [lra | left; apply exp_pos]).
    assert (B1 : bell y <= 1) by (rewrite <- exp_0; unfold bell; apply exp_le; pose proof (pow2_ge_0 y); lra).
    assert (B2 : bell y / y < g).
    { apply Rmult_lt_reg_r with y; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rmult_lt_compat_l with (r := g) in Y; [| lra]. replace (g * (1 / g)) with 1 in Y by (field; lra). lra. }
    unfold against, excess in G. fold y in G. nra.
Qed.

Lemma printed_slack K tail eps delta c : normal_tail K tail -> 0 < delta < 1 -> 0 < eps ->
  (forall a, 0.745 <= a -> against K (K * (c * 1.32)) eps a <= 0) ->
  exact_slack tail eps (printed_sigma eps delta) <= c * delta.
Proof.
  intros N Hd He H. set (a := sqrt (2 * ln (1.32 / delta))).
  assert (L : ln 1.32 <= ln (1.32 / delta)).
  { apply ln_le; [lra |]. apply Rmult_le_reg_r with delta; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (L0 : 0.2776 <= ln 1.32) by (interval with (i_prec 40)).
  assert (A : a ^ 2 = 2 * ln (1.32 / delta)) by (unfold a; simpl; rewrite Rmult_1_r; apply sqrt_sqrt; lra).
  assert (A0 : 0 <= a) by apply sqrt_pos. assert (A1 : 0.745 <= a) by nra.
  assert (B : bell a = delta / 1.32).
  { unfold bell. rewrite A. replace (- (2 * ln (1.32 / delta)) / 2) with (- ln (1.32 / delta)) by field.
    rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra. }
  specialize (H a A1). unfold against, excess in H. rewrite B in H.
  pose proof (mass_above K (proj1 N)). unfold exact_slack, printed_sigma. fold a.
  rewrite !(tail_is_the_rest K tail) by exact N.
  replace (eps * (a / eps) - / (2 * (a / eps))) with (a - eps / (2 * a)) by (field; lra).
  replace (eps * (a / eps) + / (2 * (a / eps))) with (a + eps / (2 * a)) by (field; lra).
  apply Rmult_le_reg_r with K; [lra |].
  set (y := area (a - eps / (2 * a))) in *. set (x := area (a + eps / (2 * a))) in *. set (g := exp eps) in *.
  replace (((K / 2 - y) / K - g * ((K / 2 - x) / K)) * K) with (K / 2 - y - g * (K / 2 - x)) by (field; lra).
  replace (c * delta * K) with (K * (c * 1.32) * (delta / 1.32)) by (field; lra). lra.
Qed.
Lemma bell_at_the_start : 0.757 <= bell 0.745.
Proof. unfold bell. interval with (i_prec 60). Qed.
Lemma areas_at_the_start : 0.0737 <= area (0.745 - 1 / (2 * 0.745)) /\ area (0.745 + 1 / (2 * 0.745)) <= 1.0569.
Proof. split; unfold area, bell; integral with (i_prec 60). Qed.
(* liu-lem-4.1 part: the Gaussian noise of part 2 if a user comes or goes, at most 0.26 of the stated slack up to eps = 1 *)
Theorem printed_gaussian_noise_needs_a_quarter_of_its_slack K tail eps delta : normal_tail K tail ->
  0 < eps <= 1 -> 0 < delta < 1 -> exact_slack tail eps (printed_sigma eps delta) <= 0.26 * delta.
Proof.
  intros N He Hd. apply (printed_slack K); [exact N | exact Hd | lra |]. intros a Ha.
  pose proof (proj1 N) as M. pose proof (mass_above K M) as HK.
  apply Rle_trans with (against K (K * (0.26 * 1.32)) 1 a).
  { unfold against. pose proof (excess_grows_in_e K a eps 1 M ltac:(lra) ltac:(lra)). lra. }
  apply (its_start_decides K _ 1 0.745 a M); [lra | lra | lra | lra |]. unfold against, excess.
  destruct areas_at_the_start as [Y X].
  assert (E : 2.718 <= exp 1 <= 2.7183) by (split; interval with (i_prec 40)).
  pose proof bell_at_the_start as B.
  set (x := area (0.745 + _)) in *. set (y := area (0.745 - _)) in *. set (b := bell _) in *. set (e := exp 1) in *.
  assert (e * x <= 2.7183 * 1.0569) by (apply Rle_trans with (e * 1.0569); nra).
  assert (K * b >= K * 0.757) by nra. assert (K * e >= K * 2.718) by nra. nra.
Qed.
(* On a short piece the excess at its start is compared with the bound at its end. *)
Lemma on_a_piece K a l r : bell_mass K -> 0 < l -> l <= a <= r ->
  excess K 4 l <= K * (1 * 1.32) * bell r -> against K (K * (1 * 1.32)) 4 a <= 0.
Proof.
  intros M Hl Ha H. pose proof (mass_above K M). unfold against.
  pose proof (excess_falls K 4 l a ltac:(lra) ltac:(lra)).
  assert (bell r <= bell a) by (apply exp_le; nra). nra.
Qed.
Lemma piece K l r u w : bell_mass K ->
  u <= area (l - 4 / (2 * l)) -> area (l + 4 / (2 * l)) <= w -> 0 <= w ->
  w * exp 4 - u <= 2.5066 * (1.32 * bell r + (exp 4 - 1) / 2) -> excess K 4 l <= K * (1 * 1.32) * bell r.
Proof.
  intros M Y X W H. unfold excess. pose proof (mass_above K M). pose proof (exp_pos 4). pose proof (exp_pos (- r ^ 2 / 2)) as Q.
  change (exp (- r ^ 2 / 2)) with (bell r) in Q. assert (1 <= exp 4) by (apply one_le_exp; lra).
  set (b := bell r) in *. set (e := exp 4) in *. set (x := area (l + _)) in *. set (y := area (l - _)) in *.
  assert (e * x <= e * w) by (apply Rmult_le_compat_l; lra).
  assert (2.5066 * (1.32 * b + (e - 1) / 2) <= K * (1.32 * b + (e - 1) / 2)) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Ltac enclose := clear; unfold area, bell; integral with (i_prec 60).
(* liu-lem-4.1 part: the same noise keeps its slack up to eps = 4, further than part 2 uses it *)
Theorem printed_gaussian_noise_reaches_four K tail eps delta : normal_tail K tail ->
  0 < eps <= 4 -> 0 < delta < 1 -> exact_slack tail eps (printed_sigma eps delta) <= delta.
Proof.
  intros N He Hd. rewrite <- (Rmult_1_l delta) at 2.
  apply (printed_slack K); [exact N | exact Hd | lra |]. intros a Ha.
  pose proof (proj1 N) as M. pose proof (mass_above K M) as HK.
  apply Rle_trans with (against K (K * (1 * 1.32)) 4 a).
  { unfold against. pose proof (excess_grows_in_e K a eps 4 M ltac:(lra) ltac:(lra)). lra. }
  destruct (Rle_or_lt a 0.799) as [? | ?].
  { apply (on_a_piece K a 0.745 0.799 M); [lra | lra |]. apply (piece K 0.745 0.799 (-1.18760) 1.2525565 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 0.834) as [? | ?].
  { apply (on_a_piece K a 0.799 0.834 M); [lra | lra |]. apply (piece K 0.799 0.834 (-1.14258) 1.2521116 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 0.863) as [? | ?].
  { apply (on_a_piece K a 0.834 0.863 M); [lra | lra |]. apply (piece K 0.834 0.863 (-1.10568) 1.2517740 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 0.889) as [? | ?].
  { apply (on_a_piece K a 0.863 0.889 M); [lra | lra |]. apply (piece K 0.863 0.889 (-1.07058) 1.2514716 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 0.914) as [? | ?].
  { apply (on_a_piece K a 0.889 0.914 M); [lra | lra |]. apply (piece K 0.889 0.914 (-1.03574) 1.2511875 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 0.94) as [? | ?].
  { apply (on_a_piece K a 0.914 0.94 M); [lra | lra |]. apply (piece K 0.914 0.94 (-0.99940) 1.2509066 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 0.968) as [? | ?].
  { apply (on_a_piece K a 0.94 0.968 M); [lra | lra |]. apply (piece K 0.94 0.968 (-0.95883) 1.2506103 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 1.0) as [? | ?].
  { apply (on_a_piece K a 0.968 1.0 M); [lra | lra |]. apply (piece K 0.968 1.0 (-0.91222) 1.2502907 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 1.038) as [? | ?].
  { apply (on_a_piece K a 1.0 1.038 M); [lra | lra |]. apply (piece K 1.0 1.038 (-0.85563) 1.2499305 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 1.085) as [? | ?].
  { apply (on_a_piece K a 1.038 1.085 M); [lra | lra |]. apply (piece K 1.038 1.085 (-0.78443) 1.2495180 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 1.12) as [? | ?].
  { apply (on_a_piece K a 1.085 1.12 M); [lra | lra |]. apply (piece K 1.085 1.12 (-0.69151) 1.2490429 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  destruct (Rle_or_lt a 1.16) as [? | ?].
  { apply (on_a_piece K a 1.12 1.16 M); [lra | lra |]. apply (piece K 1.12 1.16 (-0.61965) 1.2487219 M); [enclose | enclose | lra |].
    clear. unfold bell. interval with (i_prec 50). }
  apply (its_start_decides K _ 4 1.16 a M); [lra | lra | lra | lra |]. unfold against.
  enough (excess K 4 1.16 <= K * (1 * 1.32) * bell 1.16) by lra.
  apply (piece K 1.16 1.16 (-0.53560) 1.2483951 M); [enclose | enclose | lra |]. clear. unfold bell. interval with (i_prec 50).
Qed.
