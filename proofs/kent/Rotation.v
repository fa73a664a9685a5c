(* Kent et al., Lemma 20: a rotation by random signs flattens vectors. Model of
    userdp.local.vector.rotation. *)
From Coq Require Import Reals List Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Votes.
From Userdp.kent Require Import Calculus.
Import ListNotations.
Open Scope R_scope.

(* sqrt d times a coordinate of U x: a row of a Hadamard matrix (entries 1 and -1), random signs, and x. *)
Fixpoint turned (row : list R) (signs : list bool) (x : list R) : R :=
  match row, signs, x with
  | h :: row, s :: signs, a :: x => h * (if s then 1 else -1) * a + turned row signs x
  | _, _, _ => 0
  end.
Definition signs_row (d : nat) (row : list R) : Prop := length row = d /\ forall h, In h row ->
    h = 1 \/ h = -1.
Fixpoint minus (x y : list R) : list R := match x, y with a :: x, b :: y => (a - b) :: minus x y |
    _, _ => [] end.
Definition squared_norm (x : list R) : R := sum x (fun a => a ^ 2).
(* The probability of an event under d independent fair signs. *)
Definition probability (d : nat) (event : list bool -> bool) : R :=
  sum (vectors d) (fun s => if event s then 1 else 0) / 2 ^ d.
Definition flat (d : nat) (row x y : list R) (bound : R) (s : list bool) : bool :=
  if Rle_dec (Rabs (turned row s x / sqrt (INR d) - turned row s y / sqrt (INR d))) bound then true
    else false.
Definition lemma_20_at (gamma : R) : Prop := forall d row x y, (0 < d)%nat -> signs_row d row ->
  length x = d -> length y = d ->
  1 - gamma <= probability d (flat d row x y
    (10 * sqrt (squared_norm (minus x y)) * sqrt (ln (1 / gamma) / INR d))).
Definition lemma_20 : Prop := forall gamma, 0 < gamma < 1 -> lemma_20_at gamma.

Lemma turned_minus row s x y : length x = length y -> turned row s x - turned row s y =
    turned row s (minus x y).
Proof.
  revert row s y. induction x as [| a x IH]; intros [| h row] [| b s] [| c y] H; simpl in *; try discriminate;
    try ring.
  rewrite <- IH by lia. ring.
Qed.
(* The mean of a function of d fair signs. *)
Definition fair_mean (d : nat) (f : list bool -> R) : R := sum (vectors d) f / 2 ^ d.
Lemma two_power d : 0 < 2 ^ d.
Proof. apply pow_lt. lra. Qed.
Lemma fair_mean_le d f g : (forall s, f s <= g s) -> fair_mean d f <= fair_mean d g.
Proof.
  intros H. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, two_power |]. apply sum_le. auto.
Qed.
Lemma fair_mean_const d c : fair_mean d (fun _ => c) = c.
Proof.
  unfold fair_mean. assert (L : INR (length (vectors d)) = 2 ^ d).
  { induction d as [| d IH]; [reflexivity |]. simpl vectors. rewrite app_length, !map_length, plus_INR,
    IH. simpl. ring. }
  rewrite sum_const, L. field. apply Rgt_not_eq, two_power.
Qed.
Lemma fair_mean_step d f : fair_mean (S d) f =
  (fair_mean d (fun s => f (true :: s)) + fair_mean d (fun s => f (false :: s))) / 2.
Proof.
  unfold fair_mean. simpl. rewrite sum_app, !sum_map. field. apply Rgt_not_eq, two_power.
Qed.
Lemma fair_mean_scale d c f : fair_mean d (fun s => c * f s) = c * fair_mean d f.
Proof. unfold fair_mean. rewrite sum_scale. unfold Rdiv. ring. Qed.
(* cosh y <= exp (y^2 / 2) *)
Lemma cosh_below_gauss y : (exp y + exp (- y)) / 2 <= exp (y ^ 2 / 2).
Proof.
  assert (P : forall y, 0 <= y -> (exp y + exp (- y)) / 2 <= exp (y ^ 2 / 2)).
  { clear y. intros y Hy. assert (G : 0 <= (4 * y) ^ 2 / 16 - 2 * ln (cosh4 (4 * y))).
    { apply (rises (fun x => x ^ 2 / 16 - 2 * ln (cosh4 x)) (fun x => x / 8 - slope x) (4 * y)); [| | | lra].
      - rewrite log_cosh_at_0. field.
      - intros x _. apply derivable_pt_lim_minus; [| apply log_cosh_derivative].
        apply is_derive_Reals. auto_derive; [exact I | field].
      - intros x Hx. apply (rises (fun x => x / 8 - slope x)
          (fun x => / 8 - exp (- (x / 2)) / (2 * (1 + exp (- (x / 2))) ^ 2)) (4 * y)); [| | | exact Hx].
        + unfold slope. replace (0 / 2) with 0 by field. rewrite Ropp_0, exp_0. field.
        + intros z _. apply derivable_pt_lim_minus; [| apply slope_derivative].
          apply is_derive_Reals. auto_derive; [exact I | field].
        + intros z _. set (e := exp (- (z / 2))). assert (E : 0 < e) by apply exp_pos.
          replace (/ 8 - e / (2 * (1 + e) ^ 2)) with ((1 - e) ^ 2 / (8 * (1 + e) ^ 2)) by (field; lra).
          apply Rmult_le_pos; [apply pow2_ge_0 | left; apply Rinv_0_lt_compat].
          apply Rmult_lt_0_compat; [lra | apply pow_lt; lra]. }
    replace ((exp y + exp (- y)) / 2) with (cosh4 (4 * y)) by (unfold cosh4; do 2 f_equal; f_equal; field).
    rewrite <- (exp_ln (cosh4 (4 * y))) by apply cosh4_positive. apply exp_le. lra. }
  destruct (Rle_or_lt 0 y) as [H | H]; [now apply P |].
  specialize (P (- y) ltac:(lra)). rewrite Ropp_involutive in P.
  replace ((- y) ^ 2) with (y ^ 2) in P by ring. lra.
Qed.
Lemma moment_generating l d : forall row x, signs_row d row -> length x = d ->
  fair_mean d (fun s => exp (l * turned row s x)) <= exp (l ^ 2 * squared_norm x / 2).
Proof.
  induction d as [| d IH]; intros row x [Lr H] Lx.
  - destruct row, x; try discriminate. unfold fair_mean, squared_norm. simpl.
    replace (l * (l * 1) * 0 / 2) with 0 by field. rewrite Rmult_0_r, exp_0. lra.
  - destruct row as [| h row], x as [| a x]; try discriminate. rewrite fair_mean_step. simpl turned.
    assert (E : forall c, fair_mean d (fun s => exp (l * (h * c * a + turned row s x))) =
      exp (l * h * c * a) * fair_mean d (fun s => exp (l * turned row s x))).
    { intros c. rewrite <- fair_mean_scale. unfold fair_mean. f_equal. apply sum_ext. intros s _.
      rewrite <- exp_plus. f_equal. ring. }
    rewrite !E. assert (R : signs_row d row).
    { split; [simpl in Lr; lia |]. intros g Hg. apply H. now right. }
    specialize (IH row x R ltac:(simpl in Lx; lia)).
    replace (exp (l ^ 2 * squared_norm (a :: x) / 2)) with
      (exp ((l * a) ^ 2 / 2) * exp (l ^ 2 * squared_norm x / 2)).
    2: { rewrite <- exp_plus. f_equal. unfold squared_norm. simpl. field. }
    pose proof (cosh_below_gauss (l * a)) as G.
    assert (M : (exp (l * h * 1 * a) + exp (l * h * -1 * a)) / 2 <= exp ((l * a) ^ 2 / 2)).
    { destruct (H h (or_introl eq_refl)) as [-> | ->].
      - replace (l * 1 * 1 * a) with (l * a) by ring. replace (l * 1 * -1 * a) with (- (l * a)) by ring.
      exact G.
      - replace (l * -1 * 1 * a) with (- (l * a)) by ring. replace (l * -1 * -1 * a) with (l * a) by ring.
      lra. }
    replace ((exp (l * h * 1 * a) * fair_mean d (fun s => exp (l * turned row s x)) +
      exp (l * h * -1 * a) * fair_mean d (fun s => exp (l * turned row s x))) / 2) with
      ((exp (l * h * 1 * a) + exp (l * h * -1 * a)) / 2 * fair_mean d (fun s => exp (l * turned row s x))) by
        field.
    apply Rmult_le_compat; [| | exact M | exact IH].
    + pose proof (exp_pos (l * h * 1 * a)). pose proof (exp_pos (l * h * -1 * a)). lra.
    + rewrite <- (fair_mean_const d 0). apply fair_mean_le. intros. left. apply exp_pos.
Qed.
(* The tail: whatever is beyond t has probability at most 2 exp (- t^2 / (2 |x|^2)). *)
Lemma tail d row x t (event : list bool -> bool) : signs_row d row -> length x = d -> 0 < squared_norm x ->
  (forall s, event s = false -> t <= Rabs (turned row s x)) -> 0 <= t ->
  1 - 2 * exp (- (t ^ 2 / (2 * squared_norm x))) <= probability d event.
Proof.
  intros R Lx N B Ht. set (l := t / squared_norm x).
  assert (M : fair_mean d (fun s => 1 - exp (- (l * t)) *
    (exp (l * turned row s x) + exp (- l * turned row s x)))
    <= probability d event).
  { apply fair_mean_le. intros s. assert (0 <
    exp (- (l * t)) * (exp (l * turned row s x) + exp (- l * turned row s x))).
    { apply Rmult_lt_0_compat; [apply exp_pos |].
      pose proof (exp_pos (l * turned row s x)). pose proof (exp_pos (- l * turned row s x)). lra. }
    destruct (event s) eqn:E; [lra |]. specialize (B s E).
    assert (Hl : 0 <= l) by (apply Rmult_le_pos; [exact Ht | left; now apply Rinv_0_lt_compat]).
    assert (1 <= exp (- (l * t)) * exp (l * Rabs (turned row s x))).
    { rewrite <- exp_plus. apply one_le_exp. assert (l * t <= l * Rabs (turned row s x)) by
      now apply Rmult_le_compat_l. lra. }
    pose proof (exp_pos (- (l * t))) as P0.
    pose proof (Rmult_lt_0_compat _ _ P0 (exp_pos (l * turned row s x))).
    pose proof (Rmult_lt_0_compat _ _ P0 (exp_pos (- l * turned row s x))).
    rewrite Rmult_plus_distr_l. unfold Rabs in *. destruct (Rcase_abs (turned row s x)); [| lra].
    replace (l * - turned row s x) with (- l * turned row s x) in * by ring. lra. }
  apply Rle_trans with (2 := M). unfold fair_mean. rewrite sum_minus, sum_scale, sum_plus.
  fold (fair_mean d (fun _ : list bool => 1)).
  assert (A : fair_mean d (fun s => exp (l * turned row s x)) <= exp (l ^ 2 * squared_norm x / 2)) by
    now apply moment_generating.
  assert (A' : fair_mean d (fun s => exp (- l * turned row s x)) <= exp (l ^ 2 * squared_norm x / 2)).
  { replace (l ^ 2) with ((- l) ^ 2) by ring. now apply moment_generating. }
  unfold fair_mean in A, A'. pose proof (fair_mean_const d 1) as O. unfold fair_mean in O.
  set (s1 := sum (vectors d) (fun s => exp (l * turned row s x))) in *.
  set (s2 := sum (vectors d) (fun s => exp (- l * turned row s x))) in *.
  replace ((sum (vectors d) (fun _ : list bool => 1) - exp (- (l * t)) * (s1 + s2)) / 2 ^ d) with
    (sum (vectors d) (fun _ : list bool => 1) / 2 ^ d - exp (- (l * t)) * (s1 / 2 ^ d + s2 / 2 ^ d)).
  2: { field. apply Rgt_not_eq, two_power. }
  rewrite O. assert (E : exp (- (t ^ 2 / (2 * squared_norm x))) = exp (- (l * t)) * exp
    (l ^ 2 * squared_norm x / 2)).
  { rewrite <- exp_plus. f_equal. unfold l. field. lra. }
  rewrite E. pose proof (exp_pos (- (l * t))) as P0.
  assert (exp (- (l * t)) * (s1 / 2 ^ d + s2 / 2 ^ d) <=
    exp (- (l * t)) * (2 * exp (l ^ 2 * squared_norm x / 2))).
  { apply Rmult_le_compat_l; lra. } lra.
Qed.
Lemma squared_norm_nonneg x : 0 <= squared_norm x.
Proof. apply sum_nonneg. intros. apply pow2_ge_0. Qed.
Lemma turned_of_null row s : forall x, squared_norm x = 0 -> turned row s x = 0.
Proof.
  revert s. induction row as [| h row IH]; intros [| b s] [| a x] H; simpl; try reflexivity.
  pose proof (squared_norm_nonneg x) as N. unfold squared_norm in H, N. simpl in H.
  assert (a * (a * 1) = 0 /\ sum x (fun a => a * (a * 1)) = 0) as [Ha Hx].
  { simpl in N. pose proof (pow2_ge_0 a) as Q. simpl in Q. lra. }
  rewrite IH by exact Hx. assert (a = 0); [| subst; ring]. apply Rmult_integral in Ha. destruct Ha; lra.
Qed.
Lemma minus_length x y : length x = length y -> length (minus x y) = length x.
Proof. revert y. induction x as [| a x IH]; intros [| b y] H; simpl in *; try discriminate; auto. Qed.
(* With any factor f > 0 in place of 10 sqrt (log (1 / gamma)): *)
Lemma flat_with_factor f d row x y : 0 <= f -> (0 < d)%nat -> signs_row d row -> length x = d ->
    length y = d ->
  1 - 2 * exp (- (f ^ 2 / 2)) <= probability d
    (flat d row x y (f * sqrt (squared_norm (minus x y)) / sqrt (INR d))).
Proof.
  intros Hf Hd R Lx Ly. assert (Dp : 0 < sqrt (INR d)) by (apply sqrt_lt_R0, lt_0_INR; exact Hd).
  set (N := squared_norm (minus x y)). assert (L : length (minus x y) = d) by
    (rewrite minus_length; congruence).
  assert (F : forall s, flat d row x y (f * sqrt N / sqrt (INR d)) s = false ->
    f * sqrt N <= Rabs (turned row s (minus x y))).
  { intros s H. unfold flat in H. destruct (Rle_dec _ _) as [| C]; [discriminate |]. apply Rnot_le_lt in C.
    rewrite <- turned_minus by congruence.
    replace (turned row s x / sqrt (INR d) - turned row s y / sqrt (INR d)) with
      ((turned row s x - turned row s y) * / sqrt (INR d)) in C by (field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (/ sqrt (INR d))) in C by (left; now apply Rinv_0_lt_compat).
    apply Rmult_lt_reg_r in C; [left; exact C | now apply Rinv_0_lt_compat]. }
  destruct (squared_norm_nonneg (minus x y)) as [P | Z]; fold N in P || fold N in Z.
  - replace (f ^ 2 / 2) with ((f * sqrt N) ^ 2 / (2 * N)).
    + apply (tail d row (minus x y)); auto. apply Rmult_le_pos; [exact Hf | apply sqrt_pos].
    + rewrite Rpow_mult_distr, pow2_sqrt by lra. field. lra.
  - assert (A : fair_mean d (fun _ => 1) <= probability d (flat d row x y (f * sqrt N / sqrt (INR d)))).
    { apply fair_mean_le. intros s. unfold flat. destruct (Rle_dec _ _) as [_ | C]; [lra |]. exfalso. apply C.
      replace (turned row s x / sqrt (INR d) - turned row s y / sqrt (INR d)) with
        ((turned row s x - turned row s y) * / sqrt (INR d)) by (field; lra).
      rewrite turned_minus, turned_of_null by (congruence || (symmetry; exact Z)).
      rewrite Rmult_0_l, Rabs_R0, <- Z, sqrt_0, Rmult_0_r. unfold Rdiv. lra. }
    rewrite fair_mean_const in A. pose proof (exp_pos (- (f ^ 2 / 2))). lra.
Qed.
Lemma log_of_inverse gamma : 0 < gamma < 1 -> ln (1 / gamma) = - ln gamma /\ 0 < - ln gamma.
Proof.
  intros H. split; [unfold Rdiv; rewrite Rmult_1_l; now apply ln_Rinv |].
  enough (ln gamma < 0) by lra. rewrite <- ln_1. apply ln_increasing; lra.
Qed.
(* kent-lem-20 whole *)
Theorem rotation_flattens gamma : 0 < gamma -> gamma ^ 49 <= 1 / 2 -> lemma_20_at gamma.
Proof.
  intros G0 G. assert (G1 : gamma < 1).
  { destruct (Rlt_or_le gamma 1) as [H | H]; [exact H |]. pose proof (pow_R1_Rle gamma 49 H). lra. }
  intros d row x y Hd R Lx Ly. destruct (log_of_inverse gamma (conj G0 G1)) as [E L]. rewrite E.
  pose proof (flat_with_factor (10 * sqrt (- ln gamma)) d row x y) as K.
  replace (10 * sqrt (squared_norm (minus x y)) * sqrt (- ln gamma / INR d)) with
    (10 * sqrt (- ln gamma) * sqrt (squared_norm (minus x y)) / sqrt (INR d)).
  2: { rewrite sqrt_div; [unfold Rdiv; ring | lra | now apply lt_0_INR]. }
  apply Rle_trans with (2 := K ltac:(apply Rmult_le_pos; [lra | apply sqrt_pos]) Hd R Lx Ly).
  rewrite Rpow_mult_distr, pow2_sqrt by lra.
  replace (- (10 ^ 2 * - ln gamma / 2)) with (INR 50 * ln gamma) by (simpl; field).
  rewrite <- exp_power, exp_ln by exact G0. replace (gamma ^ 50) with (gamma * gamma ^ 49) by ring.
  apply Rmult_le_compat_l with (r := gamma) in G; lra.
Qed.
(* kent-lem-20 part: the other repair, with sqrt (2 log (2 / gamma)) for every gamma *)
Theorem rotation_flattens_at_every_gamma gamma d row x y : 0 < gamma < 1 -> (0 < d)%nat -> signs_row d row ->
  length x = d -> length y = d ->
  1 - gamma <= probability d (flat d row x y
    (sqrt (2 * ln (2 / gamma)) * sqrt (squared_norm (minus x y)) / sqrt (INR d))).
Proof.
  intros G Hd R Lx Ly. apply Rle_trans with
    (2 := flat_with_factor (sqrt (2 * ln (2 / gamma))) d row x y (sqrt_pos _) Hd R Lx Ly).
  assert (P : 1 < 2 / gamma). { apply Rmult_lt_reg_r with gamma; [lra |]. unfold Rdiv. rewrite Rmult_assoc,
    Rinv_l; lra. }
  assert (0 < ln (2 / gamma)) by (rewrite <- ln_1; apply ln_increasing; lra).
  rewrite pow2_sqrt by lra. replace (2 * ln (2 / gamma) / 2) with (ln (2 / gamma)) by field.
  rewrite exp_Ropp, exp_ln by lra. right. field. lra.
Qed.
(* kent-lem-20 part: refuted as printed, for every gamma above exp (-1/100), in every dimension *)
Theorem lemma_20_fails_near_1 gamma d row : exp (- (1 / 100)) < gamma < 1 -> (0 < d)%nat -> signs_row d row ->
  let x := 1 :: repeat 0 (d - 1) in let y := repeat 0 d in
  probability d (flat d row x y (10 * sqrt (squared_norm (minus x y)) * sqrt (ln (1 / gamma) / INR d))) = 0.
Proof.
  intros G Hd R x y. pose proof (exp_pos (- (1 / 100))). destruct (log_of_inverse gamma ltac:(lra)) as [E L].
  rewrite E.
  assert (S : - ln gamma < 1 / 100).
  { destruct G as [G _]. apply ln_increasing in G; [| apply exp_pos]. rewrite ln_exp in G. lra. }
  assert (Dp : 0 < sqrt (INR d)) by (apply sqrt_lt_R0, lt_0_INR; exact Hd).
  assert (M : minus x y = 1 :: repeat 0 (d - 1)).
  { unfold x, y. destruct d as [| d]; [lia |]. simpl. rewrite Rminus_0_r. f_equal. replace (d - 0)%nat with
    d by lia.
    clear. induction d; simpl; [reflexivity |]. rewrite Rminus_0_r. now f_equal. }
  assert (Z : forall n, squared_norm (repeat 0 n) = 0).
  { induction n as [| n IH]; [reflexivity |]. unfold squared_norm in *. simpl in *. rewrite IH. ring. }
  assert (N : squared_norm (minus x y) = 1).
  { rewrite M. specialize (Z (d - 1)%nat). unfold squared_norm in *. simpl in *. rewrite Z. ring. }
  rewrite N, sqrt_1. unfold probability. rewrite (sum_ext _ _ (fun _ => 0));
    [rewrite sum_const; unfold Rdiv; ring |].
  intros s Hs. unfold flat. destruct (Rle_dec _ _) as [C | _]; [exfalso | reflexivity].
  replace (turned row s x / sqrt (INR d) - turned row s y / sqrt (INR d)) with
    ((turned row s x - turned row s y) * / sqrt (INR d)) in C by (field; lra).
  assert (Lx : length x = d) by (unfold x; simpl; rewrite repeat_length; lia).
  rewrite turned_minus in C by (rewrite Lx; unfold y; now rewrite repeat_length). rewrite M in C.
  assert (A : Rabs (turned row s (1 :: repeat 0 (d - 1))) = 1).
  { assert (Ls : length s = d).
    { clear -Hs. revert s Hs. induction d as [| d IH]; intros s Hs; simpl in Hs.
      - destruct Hs as [<- | []]. reflexivity.
      - apply in_app_or in Hs. destruct Hs as [Hs | Hs]; apply in_map_iff in Hs; destruct Hs as (w & <- & Hw);
          simpl; f_equal; now apply IH. }
    destruct R as [Lr R]. destruct row as [| h row], s as [| b s]; simpl in Lr, Ls; try lia.
    simpl. rewrite turned_of_null by apply Z. rewrite Rplus_0_r, Rmult_1_r, Rabs_mult.
    assert (Rabs h = 1) as -> by (destruct (R h (or_introl eq_refl)) as [-> | ->];
      [apply Rabs_R1 | rewrite Rabs_left; lra]).
    destruct b; [rewrite Rabs_R1 | rewrite Rabs_left]; lra. }
  rewrite Rabs_mult, A, (Rabs_pos_eq (/ sqrt (INR d))) in C by (left; now apply Rinv_0_lt_compat).
  rewrite sqrt_div in C by (lra || now apply lt_0_INR).
  replace (10 * 1 * (sqrt (- ln gamma) / sqrt (INR d))) with (10 * sqrt (- ln gamma) * / sqrt (INR d)) in C by
    (field; lra).
  apply Rmult_le_reg_r in C; [| now apply Rinv_0_lt_compat].
  assert (sqrt (- ln gamma) < sqrt (1 / 100)) by (apply sqrt_lt_1; lra).
  replace (1 / 100) with ((1 / 10) * (1 / 10)) in H0 by field. rewrite sqrt_square in H0; lra.
Qed.
(* kent-lem-20 whole *)
Theorem lemma_20_is_false : ~ lemma_20.
Proof.
  intros P. set (gamma := (exp (- (1 / 100)) + 1) / 2).
  assert (B : exp (- (1 / 100)) < 1).
  { pose proof (exp_increasing (- (1 / 100)) 0 ltac:(lra)) as B. rewrite exp_0 in B. exact B. }
  pose proof (exp_pos (- (1 / 100))). assert (G : exp (- (1 / 100)) < gamma < 1) by (unfold gamma; lra).
  assert (R : signs_row 1 [1]). { split; [reflexivity |]. intros h [<- | []]. now left. }
  specialize (P gamma ltac:(lra) 1%nat [1] [1] [0] Nat.lt_0_1 R eq_refl eq_refl).
  pose proof (lemma_20_fails_near_1 gamma 1 [1] G Nat.lt_0_1 R) as F. cbv zeta in F. simpl repeat in F. lra.
Qed.
