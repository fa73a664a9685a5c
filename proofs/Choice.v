(* Choices with a trusted curator: the exponential mechanism, and whether a noisy number reaches a threshold.
   Models of userdp.privacy.choice.ExponentialChoice and of a threshold on userdp.privacy.noise. *)
From Coq Require Import Reals List Lra.
From Userdp Require Import Privacy Tools Guarantees.
Import ListNotations.
Open Scope R_scope.

(* A candidate is the likelier the larger its score; one user moves a score by at most s. *)
Definition exponential {X C} (candidates : list C) (rate : R) (score : X -> C -> R) (x : X) (c : C) : R :=
  exp (rate * score x c) / sum candidates (fun c => exp (rate * score x c)).
Definition moves_scores {X C} (near : X -> X -> Prop) (score : X -> C -> R) (s : R) : Prop :=
  forall x y c, near x y -> Rabs (score x c - score y c) <= s.
Lemma weight_ratio rate s a b : 0 <= rate -> Rabs (a - b) <= s ->
    exp (rate * a) <= exp (rate * s) * exp (rate * b).
Proof.
  intros Hr H. rewrite <- exp_plus. apply exp_le. pose proof (Rle_abs (a - b)).
  rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; lra.
Qed.
Lemma weights_positive {X C} candidates rate (score : X -> C -> R) x : candidates <> [] ->
  0 < sum candidates (fun c => exp (rate * score x c)).
Proof. intros H. apply sum_pos; [exact H |]. intros. apply exp_pos. Qed.
Lemma exponential_private {X C} (near : X -> X -> Prop) candidates (score : X -> C -> R) eps s :
  candidates <> [] -> (forall x y, near x y -> near y x) -> 0 < s -> 0 <= eps -> moves_scores near score s ->
  private near eps (exponential candidates (eps / (2 * s)) score).
Proof.
  intros Hc Sym Hs He M x y c H. set (rate := eps / (2 * s)).
  assert (Hr : 0 <= rate) by (apply Rmult_le_pos; [exact He | left; apply Rinv_0_lt_compat; lra]).
  assert (E : eps = rate * s + rate * s) by (unfold rate; field; lra).
  pose proof (weights_positive candidates rate score x Hc) as Px.
  pose proof (weights_positive candidates rate score y Hc) as Py. unfold exponential.
  assert (D : sum candidates (fun c => exp (rate * score y c)) <=
    exp (rate * s) * sum candidates (fun c => exp (rate * score x c))).
  { rewrite <- sum_scale. apply sum_le. intros a _. apply weight_ratio;
    [exact Hr |]. apply M. now apply Sym. }
  pose proof (weight_ratio rate s _ _ Hr (M x y c H)) as N.
  set (Sx := sum candidates (fun c => exp (rate * score x c))) in *.
  set (Sy := sum candidates (fun c => exp (rate * score y c))) in *.
  rewrite E, exp_plus. apply Rmult_le_reg_r with (Sx * Sy); [now apply Rmult_lt_0_compat |].
  replace (exp (rate * score x c) / Sx * (Sx * Sy)) with (exp (rate * score x c) * Sy) by (field; lra).
  replace (exp (rate * s) * exp (rate * s) * (exp (rate * score y c) / Sy) * (Sx * Sy))
    with ((exp (rate * s) * exp (rate * score y c)) * (exp (rate * s) * Sx)) by (field; lra).
  apply Rmult_le_compat; try exact N; try exact D; left; [apply exp_pos | exact Py].
Qed.
Lemma exponential_distribution {X C} candidates rate (score : X -> C -> R) x : candidates <> [] ->
  distribution candidates (exponential candidates rate score x).
Proof.
  intros H. pose proof (weights_positive candidates rate score x H) as P. split.
  - intros c _. left. apply Rdiv_lt_0_compat; [apply exp_pos | exact P].
  - unfold exponential, Rdiv. rewrite sum_scale_r. field. lra.
Qed.

(* The chance that Laplace noise of scale b is at least z. *)
Definition laplace_above (b z : R) : R := if Rle_dec z 0 then 1 - exp (z / b) / 2 else exp (- z / b) / 2.
(* Does f x plus noise reach the threshold t? *)
Definition reaches {X} (t b : R) (f : X -> R) (x : X) (o : bool) : R :=
  if o then laplace_above b (t - f x) else 1 - laplace_above b (t - f x).
Lemma above_opposite b z : 1 - laplace_above b z = laplace_above b (- z).
Proof.
  unfold laplace_above. destruct (Rle_dec z 0), (Rle_dec (- z) 0).
  - assert (z = 0) by lra. subst. rewrite Ropp_0. replace (0 / b) with 0 by (unfold Rdiv; ring).
  rewrite exp_0. field.
  - rewrite Ropp_involutive. ring.
  - ring.
  - lra.
Qed.
Lemma above_ratio b u d : 0 < b -> 0 <= d -> laplace_above b u <= exp (d / b) * laplace_above b (u + d).
Proof.
  intros Hb Hd. assert (K : 1 <= exp (d / b)) by
    (apply one_le_exp, Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
  set (k := exp (d / b)) in *. unfold laplace_above.
  destruct (Rle_dec u 0) as [U | U], (Rle_dec (u + d) 0) as [V | V].
  - assert (E : exp ((u + d) / b) = exp (u / b) * k) by (unfold k; rewrite <- exp_plus; f_equal; field; lra).
    assert (L : exp ((u + d) / b) <= 1).
    { rewrite <- exp_0. apply exp_le. apply Rmult_le_reg_r with b;
      [exact Hb |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    rewrite E in *. set (p := exp (u / b)) in *. assert (P : 0 < p) by apply exp_pos.
    assert (Q : p * (k + 1) <= 2). { assert (p <= p * k) by
      (rewrite <- (Rmult_1_r p) at 1; apply Rmult_le_compat_l; lra). lra. }
    assert (0 <= (k - 1) * (2 - p * (k + 1))) by (apply Rmult_le_pos; lra). lra.
  - assert (E : exp (- (u + d) / b) = / (exp (u / b) * k)).
    { unfold k. rewrite <- exp_plus, <- exp_Ropp. f_equal. field. lra. }
    rewrite E. set (p := exp (u / b)) in *. assert (P : 0 < p) by apply exp_pos.
    replace (k * (/ (p * k) / 2)) with (/ p / 2) by (field; lra).
    apply Rmult_le_reg_r with (2 * p); [lra |]. replace (/ p / 2 * (2 * p)) with 1 by (field; lra).
    pose proof (pow2_ge_0 (p - 1)). lra.
  - lra.
  - assert (E : exp (- u / b) = k * exp (- (u + d) / b)) by
    (unfold k; rewrite <- exp_plus; f_equal; field; lra).
    rewrite E. lra.
Qed.
Lemma above_positive b z : 0 < b -> 0 < laplace_above b z.
Proof.
  intros Hb. unfold laplace_above. destruct (Rle_dec z 0); [| pose proof (exp_pos (- z / b)); lra].
  assert (exp (z / b) <= 1); [| lra]. rewrite <- exp_0. apply exp_le.
  apply Rmult_le_reg_r with b; [exact Hb |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
(* A larger chance than at a lower number, by at most the ratio. *)
Lemma above_loss b u v s : 0 < b -> Rabs (u - v) <= s -> laplace_above b u <= exp (s / b) * laplace_above b v.
Proof.
  intros Hb H. destruct (Rle_or_lt u v) as [L | L].
  - eapply Rle_trans; [apply (above_ratio b u (v - u) Hb); lra |]. replace (u + (v - u)) with v by ring.
    apply Rmult_le_compat_r; [left; now apply above_positive |]. apply exp_le.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |]. rewrite Rabs_left1 in H; lra.
  - assert (M : laplace_above b u <= laplace_above b v).
    { pose proof (above_ratio b (- u) (u - v) Hb ltac:(lra)) as R.
      unfold laplace_above. destruct (Rle_dec u 0), (Rle_dec v 0); try lra.
      - assert (exp (v / b) <= exp (u / b)); [| lra].
      apply exp_le, Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra].
      - assert (exp (- u / b) <= 1).
        { rewrite <- exp_0. apply exp_le. apply Rmult_le_reg_r with b;
          [exact Hb |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
        assert (exp (v / b) <= 1).
        { rewrite <- exp_0. apply exp_le. apply Rmult_le_reg_r with b;
          [exact Hb |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
        lra.
      - assert (exp (- u / b) <= exp (- v / b)); [| lra].
        apply exp_le, Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra]. }
    apply Rle_trans with (1 := M). rewrite <- (Rmult_1_l (laplace_above b v)) at 1.
    apply Rmult_le_compat_r; [left; now apply above_positive |]. apply one_le_exp, Rmult_le_pos.
    + pose proof (Rabs_pos (u - v)). lra.
    + left. now apply Rinv_0_lt_compat.
Qed.
Lemma threshold_private {X} (near : X -> X -> Prop) t (f : X -> R) eps s : 0 < s -> 0 < eps ->
  (forall x y, near x y -> Rabs (f x - f y) <= s) -> private near eps (reaches t (s / eps) f).
Proof.
  intros Hs He S x y o H. assert (Hb : 0 < s / eps) by now apply Rdiv_lt_0_compat.
  assert (E : s / (s / eps) = eps) by (field; lra). rewrite <- E at 2. specialize (S x y H).
  unfold reaches. destruct o; rewrite ?above_opposite; apply above_loss; try exact Hb.
  - replace (t - f x - (t - f y)) with (- (f x - f y)) by ring. now rewrite Rabs_Ropp.
  - now replace (- (t - f x) - - (t - f y)) with (f x - f y) by ring.
Qed.
Lemma threshold_distribution {X} t b (f : X -> R) x : 0 < b -> distribution [true; false] (reaches t b f x).
Proof.
  intros Hb. split; [| simpl; ring]. intros o _. unfold reaches. destruct o; rewrite ?above_opposite;
    left; now apply above_positive.
Qed.
(* The loss is attained where the threshold is out of both neighbours' reach. *)
Lemma threshold_attains {X} (near : X -> X -> Prop) t (f : X -> R) eps s x y : 0 < s -> 0 < eps -> near x y ->
  f x - f y = s -> f x < t -> attains near eps (reaches t (s / eps) f).
Proof.
  intros Hs He H D T. assert (Hb : 0 < s / eps) by now apply Rdiv_lt_0_compat. exists x, y, true.
  split; [exact H |]. split; [now apply above_positive |]. unfold reaches, laplace_above.
  destruct (Rle_dec (t - f x) 0), (Rle_dec (t - f y) 0); try lra.
  unfold Rdiv. rewrite <- Rmult_assoc, <- exp_plus. f_equal. f_equal. replace (f x) with (f y + s) by lra.
  field. lra.
Qed.
