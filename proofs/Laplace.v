(* Real numbers with Laplace noise: densities, events by integrals, mass, the loss attained by an event.
   Models of userdp.privacy.reports.LaplaceReport and HashedReport. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees.
Import ListNotations.
Open Scope R_scope.

(* What a density says about an event: a finite union of intervals, given by their ends. *)
Definition event_of_reals (event : list (R * R)) : Prop := forall I, In I event -> fst I <= snd I.
Definition mass (p : R -> R) (event : list (R * R)) : R :=
    Privacy.sum event (fun I => RInt p (fst I) (snd I)).
Definition density (p : R -> R) : Prop :=
  (forall z, 0 <= p z) /\ (forall a b, ex_RInt p a b) /\ is_lim (fun c => RInt p (- c) c) p_infty 1.
Definition private_by_masses {X} (near : X -> X -> Prop) (eps : R) (q : X -> R -> R) : Prop :=
  forall x y event, near x y -> event_of_reals event -> mass (q x) event <= exp eps * mass (q y) event.

(* The Laplace density of scale b, and the mechanism that adds its noise to f x. *)
Definition laplace_density (b z : R) : R := exp (- Rabs z / b) / (2 * b).
Definition laplace {X} (f : X -> R) (b : R) (x : X) (o : R) : R := laplace_density b (o - f x).
Definition sensitivity {X} (near : X -> X -> Prop) (f : X -> R) (s : R) : Prop :=
  forall x y, near x y -> Rabs (f x - f y) <= s.

Lemma laplace_positive b z : 0 < b -> 0 < laplace_density b z.
Proof. intros Hb. apply Rdiv_lt_0_compat; [apply exp_pos | lra]. Qed.
Lemma laplace_ratio b u v : 0 < b -> laplace_density b u <= exp (Rabs (u - v) / b) * laplace_density b v.
Proof.
  intros Hb. unfold laplace_density, Rdiv. rewrite <- Rmult_assoc, <- exp_plus.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |]. apply exp_le.
  rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |].
  pose proof (Rabs_triang (v - u) u) as T. replace (v - u + u) with v in T by ring.
  rewrite (Rabs_minus_sym u v). lra.
Qed.
Lemma laplace_loss {X} (near : X -> X -> Prop) (f : X -> R) b s : 0 < b -> sensitivity near f s ->
  private near (s / b) (laplace f b).
Proof.
  intros Hb S x y o H. eapply Rle_trans; [apply (laplace_ratio b _ (o - f y) Hb) |].
  apply Rmult_le_compat_r; [left; now apply laplace_positive |]. apply exp_le.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |].
  replace (o - f x - (o - f y)) with (f y - f x) by ring. rewrite Rabs_minus_sym. now apply S.
Qed.
Lemma laplace_private {X} (near : X -> X -> Prop) (f : X -> R) eps s : 0 < s -> 0 < eps ->
    sensitivity near f s ->
  private near eps (laplace f (s / eps)).
Proof.
  intros Hs He S. replace eps with (s / (s / eps)) at 1 by (field; lra).
  apply laplace_loss; [now apply Rdiv_lt_0_compat | exact S].
Qed.

(* It is continuous, and has mass one. *)
Lemma laplace_continuous b c z : continuous (fun o => laplace_density b (o - c)) z.
Proof.
  unfold laplace_density, Rdiv. apply (continuous_mult (K := R_AbsRing)); [| apply continuous_const].
  apply continuous_comp; [| apply continuous_exp].
  apply (continuous_mult (K := R_AbsRing)); [| apply continuous_const].
  apply (continuous_opp (V := R_NormedModule)).
  apply continuous_comp; [| apply continuous_Rabs].
  apply (continuous_minus (V := R_NormedModule)); [apply continuous_id | apply continuous_const].
Qed.
Lemma laplace_integrable {X} (f : X -> R) b x u v : ex_RInt (laplace f b x) u v.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply laplace_continuous. Qed.
Lemma laplace_left b c u v : 0 < b -> u <= v <= c ->
  is_RInt (fun o => laplace_density b (o - c)) u v (exp ((v - c) / b) / 2 - exp ((u - c) / b) / 2).
Proof.
  intros Hb Huv.
  apply is_RInt_ext with (f := fun o => exp ((o - c) / b) / (2 * b)).
  { intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra. unfold laplace_density.
    rewrite Rabs_left1 by lra. now rewrite Ropp_involutive. }
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun o => exp ((o - c) / b) / 2)).
  - intros z _. auto_derive; [exact I |]. unfold Rdiv, Rminus. field. lra.
  - intros z _. apply (ex_derive_continuous (V := R_NormedModule) (fun o => exp ((o - c) / b) / (2 * b))).
    auto_derive. exact I.
Qed.
Lemma laplace_right b c u v : 0 < b -> c <= u <= v ->
  is_RInt (fun o => laplace_density b (o - c)) u v (exp ((c - u) / b) / 2 - exp ((c - v) / b) / 2).
Proof.
  intros Hb Huv.
  apply is_RInt_ext with (f := fun o => exp ((c - o) / b) / (2 * b)).
  { intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra. unfold laplace_density.
    rewrite Rabs_pos_eq by lra. f_equal. f_equal. unfold Rdiv. ring. }
  replace (exp ((c - u) / b) / 2 - exp ((c - v) / b) / 2)
    with (- exp ((c - v) / b) / 2 - - exp ((c - u) / b) / 2) by (unfold Rdiv; ring).
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun o => - exp ((c - o) / b) / 2)).
  - intros z _. auto_derive; [exact I |]. unfold Rdiv, Rminus. field. lra.
  - intros z _. apply (ex_derive_continuous (V := R_NormedModule) (fun o => exp ((c - o) / b) / (2 * b))).
    auto_derive. exact I.
Qed.
Lemma laplace_middle b a c : 0 < b -> - c <= a <= c ->
  RInt (fun o => laplace_density b (o - a)) (- c) c = 1 - exp ((- c - a) / b) / 2 - exp ((a - c) / b) / 2.
Proof.
  intros Hb Hc. apply (is_RInt_unique (V := R_CompleteNormedModule)).
  replace (1 - exp ((- c - a) / b) / 2 - exp ((a - c) / b) / 2) with
    (plus (exp ((a - a) / b) / 2 - exp ((- c - a) / b) / 2) (exp ((a - a) / b) / 2 - exp ((a - c) / b) / 2)).
  - apply (is_RInt_Chasles (V := R_NormedModule) _ _ a); [apply laplace_left | apply laplace_right]; lra.
  - replace ((a - a) / b) with 0 by (unfold Rdiv; ring). rewrite exp_0. unfold plus. simpl. field.
Qed.
Lemma exp_goes_to_0 b k : 0 < b -> is_lim (fun c => exp ((k - c) / b)) p_infty 0.
Proof.
  intros Hb. apply (is_lim_comp exp (fun c => (k - c) / b) p_infty 0 m_infty).
  - apply is_lim_exp_m.
  - unfold Rdiv. evar_last.
    + apply (is_lim_mult (fun c => k - c) (fun _ => / b) p_infty m_infty (/ b)).
      * evar_last; [apply (is_lim_minus (fun _ => k) (fun c => c) p_infty k p_infty m_infty);
          [apply is_lim_const | apply is_lim_id | reflexivity] | reflexivity].
      * apply is_lim_const.
      * simpl. apply Rgt_not_eq, Rinv_0_lt_compat, Hb.
    + simpl. destruct (Rle_dec 0 (/ b)) as [H | H];
        [destruct (Rle_lt_or_eq_dec 0 (/ b) H) as [H' | H'] |]; try reflexivity;
        pose proof (Rinv_0_lt_compat b Hb); exfalso; lra.
  - exists 0. intros x _ H. discriminate.
Qed.
Lemma laplace_is_density {X} (f : X -> R) b x : 0 < b -> density (laplace f b x).
Proof.
  intros Hb. repeat split.
  - intros z. left. now apply laplace_positive.
  - intros u v. apply laplace_integrable.
  - unfold laplace. set (a := f x). clearbody a.
    apply is_lim_ext_loc with (f := fun c => 1 - exp ((- a - c) / b) / 2 - exp ((a - c) / b) / 2).
    + exists (Rabs a). intros c Hc. pose proof (Rle_abs a). pose proof (Rle_abs (- a)) as H'.
    rewrite Rabs_Ropp in H'.
      rewrite laplace_middle by (try exact Hb; lra). replace (- c - a) with (- a - c) by ring. reflexivity.
    + replace (Finite 1) with (Finite (1 - 0 * / 2 - 0 * / 2)) by (f_equal; field).
      assert (E : forall k, is_lim (fun c => exp ((k - c) / b) / 2) p_infty (0 * / 2)).
      { intros k. apply (is_lim_scal_r _ (/ 2) p_infty 0). now apply exp_goes_to_0. }
      apply is_lim_minus'; [apply is_lim_minus'; [apply is_lim_const | apply E] | apply E].
Qed.

(* A pointwise ratio of densities is one of masses, for every event. *)
Lemma private_gives_masses {X} (near : X -> X -> Prop) eps (q : X -> R -> R) :
  (forall x a b, ex_RInt (q x) a b) -> private near eps q -> private_by_masses near eps q.
Proof.
  intros E P x y event H V. unfold mass. rewrite <- sum_scale. apply sum_le. intros [a b] Hi. simpl.
  specialize (V _ Hi). simpl in V.
  change (exp eps * RInt (q y) a b) with (scal (exp eps) (RInt (q y) a b)).
  rewrite <- (RInt_scal (V := R_CompleteNormedModule) (q y) a b (exp eps)) by apply E.
  apply RInt_le; [exact V | apply E | apply (ex_RInt_scal (V := R_CompleteNormedModule)), E |].
  intros z _. now apply P.
Qed.
Lemma laplace_private_by_masses {X} (near : X -> X -> Prop) (f : X -> R) eps s :
  0 < s -> 0 < eps -> sensitivity near f s -> private_by_masses near eps (laplace f (s / eps)).
Proof.
  intros Hs He S. apply private_gives_masses; [intros; apply laplace_integrable | now apply laplace_private].
Qed.
(* The loss is attained, and by an event: an interval left of both centres. *)
Lemma laplace_attains {X} (near : X -> X -> Prop) (f : X -> R) b s x y :
  0 < b -> near x y -> f y - f x = s -> attains near (s / b) (laplace f b).
Proof.
  intros Hb H S. exists x, y, (Rmin (f x) (f y)). split; [exact H |].
  split; [now apply laplace_positive |]. pose proof (Rmin_l (f x) (f y)). pose proof (Rmin_r (f x) (f y)).
  unfold laplace, laplace_density. rewrite !Rabs_left1 by lra. unfold Rdiv.
  rewrite <- Rmult_assoc, <- exp_plus. f_equal. f_equal. rewrite <- S. ring.
Qed.
Lemma laplace_attains_by_event {X} (near : X -> X -> Prop) (f : X -> R) b s x y :
  0 < b -> near x y -> f y - f x = s -> 0 <= s ->
  exists event, event_of_reals event /\ 0 < mass (laplace f b y) event /\
    mass (laplace f b x) event = exp (s / b) * mass (laplace f b y) event.
Proof.
  intros Hb H S Hs. exists [(f x - 1, f x)]. unfold event_of_reals, mass. simpl. split; [| split].
  - intros I [<- | []]. simpl. lra.
  - rewrite Rplus_0_r. unfold laplace.
    rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _
      (laplace_left b (f y) (f x - 1) (f x) Hb ltac:(lra))).
    assert (exp ((f x - 1 - f y) / b) < exp ((f x - f y) / b)); [| lra].
    apply exp_increasing, Rmult_lt_compat_r; [now apply Rinv_0_lt_compat | lra].
  - rewrite !Rplus_0_r. unfold laplace.
    rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _
      (laplace_left b (f y) (f x - 1) (f x) Hb ltac:(lra))).
    rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _
      (laplace_left b (f x) (f x - 1) (f x) Hb ltac:(lra))).
    rewrite <- S. unfold Rdiv. rewrite Rmult_minus_distr_l, <- !Rmult_assoc, <- !exp_plus.
    do 2 f_equal; f_equal; ring.
Qed.
(* So no smaller budget holds, by events. *)
Lemma laplace_no_less {X} (near : X -> X -> Prop) (f : X -> R) b s x y eps :
  0 < b -> near x y -> f y - f x = s -> 0 <= s -> eps < s / b -> ~ private_by_masses near eps (laplace f b).
Proof.
  intros Hb H S Hs He P. destruct (laplace_attains_by_event near f b s x y Hb H S Hs) as (e & V & Hp & E).
  specialize (P x y e H V). rewrite E in P. apply Rmult_le_reg_r in P; [| exact Hp].
  apply exp_increasing in He. lra.
Qed.

(* Numbers projected onto an interval move by at most its length. *)
Definition project (l u x : R) : R := Rmax l (Rmin u x).
Lemma project_range l u x : l <= u -> l <= project l u x <= u.
Proof.
  intros H. unfold project. split; [apply Rmax_l |]. apply Rmax_lub; [exact H | apply Rmin_l].
Qed.
Lemma project_inside l u x : l <= x <= u -> project l u x = x.
Proof. intros H. unfold project. rewrite Rmin_right, Rmax_right; lra. Qed.
Lemma project_sensitivity {X} (near : X -> X -> Prop) l u (f : X -> R) : l <= u ->
  sensitivity near (fun x => project l u (f x)) (u - l).
Proof.
  intros H x y _. pose proof (project_range l u (f x) H). pose proof (project_range l u (f y) H).
  apply Rabs_le. lra.
Qed.
(* The Laplace report of a number in [l, u]. *)
Definition report {X} (l u eps : R) (f : X -> R) (x : X) : R -> R :=
  laplace (fun x => project l u (f x)) ((u - l) / eps) x.
Lemma report_positive {X} l u eps (f : X -> R) x o : l < u -> 0 < eps -> 0 < report l u eps f x o.
Proof. intros H He. apply laplace_positive, Rdiv_lt_0_compat; lra. Qed.
Lemma report_private {X} l u eps (f : X -> R) : l < u -> 0 < eps -> private anyone eps (report l u eps f).
Proof. intros H He. apply laplace_private; [lra | exact He |]. apply project_sensitivity. lra. Qed.
Lemma report_private_by_masses {X} l u eps (f : X -> R) : l < u -> 0 < eps ->
  private_by_masses anyone eps (report l u eps f).
Proof. intros H He. apply laplace_private_by_masses; [lra | exact He |]. apply project_sensitivity. lra. Qed.
Lemma report_is_density {X} l u eps (f : X -> R) x : l < u -> 0 < eps -> density (report l u eps f x).
Proof. intros H He. apply laplace_is_density, Rdiv_lt_0_compat; lra. Qed.
Lemma report_attains {X} l u eps (f : X -> R) x y : l < u -> 0 < eps -> f x <= l -> u <= f y ->
  attains anyone eps (report l u eps f).
Proof.
  intros H He Hx Hy. replace eps with ((u - l) / ((u - l) / eps)) at 1 by (field; lra).
  apply laplace_attains with (x := x) (y := y); [apply Rdiv_lt_0_compat; lra | exact I |].
  unfold project. rewrite (Rmin_right u (f x)), (Rmax_left l (f x)), (Rmin_left u (f y)), (Rmax_right l u);
    lra.
Qed.
Lemma report_no_less {X} l u eps e (f : X -> R) x y : l < u -> 0 < eps -> f x <= l -> u <= f y -> e < eps ->
  ~ private_by_masses anyone e (report l u eps f).
Proof.
  intros H He Hx Hy Hl. apply laplace_no_less with (s := u - l) (x := x) (y := y); try lra.
  - apply Rdiv_lt_0_compat; lra.
  - exact I.
  - unfold project. rewrite (Rmin_right u (f x)), (Rmax_left l (f x)), (Rmin_left u (f y)), (Rmax_right l u);
    lra.
  - replace ((u - l) / ((u - l) / eps)) with eps by (field; lra). exact Hl.
Qed.
