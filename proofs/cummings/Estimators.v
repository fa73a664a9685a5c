(* Cummings et al., Algorithms 1 and 2 for public sizes, Lemma 2.1, equation (10)'s weights, and the windows of Appendix G.
   Models of userdp_papers.printed.ideal.ideal_mean and userdp.central.mean.realistic_mean. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools Guarantees Laplace.
Import ListNotations.
Open Scope R_scope.

(* What is public about a user: a weight and a window. *)
Record terms := { weight : R; low : R; high : R }.
Definition width (p : terms) : R := weight p * (high p - low p).
Definition valid (public : list terms) (scale : R) : Prop :=
  0 < scale /\ forall p, In p public -> 0 <= weight p /\ low p <= high p /\ width p <= scale.
(* The weighted mean of the users' means, each projected to its window. *)
Definition weighted_mean (public : list terms) (means : list R) : R :=
  sum (combine public means) (fun px => weight (fst px) * project (low (fst px)) (high (fst px)) (snd px)).
Definition ideal (public : list terms) (scale eps : R) : list R -> R -> R := laplace (weighted_mean public) (scale / eps).

Lemma one_term_moves p scale x y : 0 <= weight p -> low p <= high p -> width p <= scale ->
  Rabs (weight p * project (low p) (high p) x - weight p * project (low p) (high p) y) <= scale.
Proof.
  intros Hw Hl Hs. rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq _ Hw).
  apply Rle_trans with (weight p * (high p - low p)); [| exact Hs]. apply Rmult_le_compat_l; [exact Hw |].
  apply (project_sensitivity anyone (low p) (high p) (fun z => z) Hl x y I).
Qed.
Lemma weighted_mean_sensitivity public scale : valid public scale -> sensitivity replaced (weighted_mean public) scale.
Proof.
  intros [Hs V] x y (a & u & v & b & -> & ->). revert public V. induction a as [| z a IH]; intros [| p public] V.
  - unfold weighted_mean. simpl. rewrite Rminus_0_r, Rabs_R0. lra.
  - unfold weighted_mean. simpl. destruct (V p (or_introl eq_refl)) as (A & B & C).
    match goal with |- Rabs (?s + ?r - (?t + ?r)) <= _ => replace (s + r - (t + r)) with (s - t) by ring end.
    now apply one_term_moves.
  - unfold weighted_mean. simpl. rewrite Rminus_0_r, Rabs_R0. lra.
  - unfold weighted_mean in *. simpl. specialize (IH public (fun q Hq => V q (or_intror Hq))).
    match goal with |- Rabs (?s + ?r - (?s + ?t)) <= _ => replace (s + r - (s + t)) with (r - t) by ring end. exact IH.
Qed.
(* cummings-alg-1 part: privacy, for public sizes *)
Theorem ideal_estimator_is_private public scale eps : valid public scale -> 0 < eps ->
  private_by_masses replaced eps (ideal public scale eps).
Proof. intros V He. apply laplace_private_by_masses; [apply V | exact He | now apply weighted_mean_sensitivity]. Qed.
(* cummings-alg-1 part: what is released is a density *)
Theorem ideal_estimator_is_lawful public scale eps means : 0 < scale -> 0 < eps -> density (ideal public scale eps means).
Proof. intros Hs He. apply laplace_is_density. now apply Rdiv_lt_0_compat. Qed.
(* cummings-alg-1 part: no smaller budget holds, by an event, if some user's width is the scale *)
Theorem ideal_estimator_loses_the_budget p public scale eps e (others : list R) : width p = scale -> 0 < scale -> 0 <= weight p ->
  low p <= high p -> 0 < eps -> e < eps ->
  ~ private_by_masses replaced e (ideal (p :: public) scale eps).
Proof.
  intros W Hs Hw Hl He Hlt. apply laplace_no_less with (s := scale) (x := low p :: others) (y := high p :: others).
  - now apply Rdiv_lt_0_compat.
  - now exists [], (low p), (high p), others.
  - unfold weighted_mean. simpl. rewrite !project_inside by lra. unfold width in W. rewrite <- W. ring.
  - lra.
  - replace (scale / (scale / eps)) with eps by (field; lra). exact Hlt.
Qed.

(* Algorithm 2: the smallest users give the initial mean, the largest the spread, the others the estimate; sizes are public,
   so the data come in this order; weights and windows are computed from the first two releases. *)
Definition average_of_first (m : nat) (records : list R) : R :=
  sum (map (project 0 1) records) (fun x => x) / INR m.
Definition initial_mean (m : nat) (eps : R) : list R -> R -> R := laplace (average_of_first m) (1 / INR m / eps).
Definition realistic {S} (small large : nat) (eps : R) (spread : R -> list R -> S -> R)
    (public : R -> S -> list terms) (scale : R -> S -> R) : list R -> R * (S * R) -> R :=
  in_parallel small (initial_mean small eps)
    (fun c => in_parallel large (spread c) (fun s => ideal (public c s) (scale c s) eps)).
Lemma average_sensitivity m : (0 < m)%nat -> sensitivity replaced (average_of_first m) (1 / INR m).
Proof.
  intros H x y (a & u & v & b & -> & ->). apply lt_0_INR in H. unfold average_of_first.
  rewrite !sum_map, !sum_app. simpl.
  match goal with |- Rabs ((?s + (?x + ?r)) / ?n - (?s + (?y + ?r)) / ?n) <= _ =>
    replace ((s + (x + r)) / n - (s + (y + r)) / n) with ((x - y) * / n) by (field; lra) end.
  rewrite Rabs_mult, (Rabs_pos_eq (/ INR m)) by (left; now apply Rinv_0_lt_compat). unfold Rdiv.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |].
  pose proof (project_range 0 1 u ltac:(lra)). pose proof (project_range 0 1 v ltac:(lra)). apply Rabs_le. lra.
Qed.
Lemma initial_mean_private m eps : (0 < m)%nat -> 0 < eps -> private replaced eps (initial_mean m eps).
Proof.
  intros H He. apply laplace_private; [| exact He | now apply average_sensitivity].
  apply lt_0_INR in H. apply Rdiv_lt_0_compat; lra.
Qed.
(* cummings-lem-f.1 part: the initial mean is private *)
Theorem initial_mean_is_private m eps : (0 < m)%nat -> 0 < eps -> private_by_masses replaced eps (initial_mean m eps).
Proof.
  intros H He. apply laplace_private_by_masses; [| exact He | now apply average_sensitivity].
  apply lt_0_INR in H. apply Rdiv_lt_0_compat; lra.
Qed.
(* cummings-alg-2, cummings-thm-4.1 part: privacy of all three releases together, with any pure mechanism for the spread *)
Theorem realistic_estimator_is_private {S} small large eps (spread : R -> list R -> S -> R) public scale :
  (0 < small)%nat -> 0 < eps -> (forall c x s, 0 <= spread c x s) -> (forall c, private replaced eps (spread c)) ->
  (forall c s, valid (public c s) (scale c s)) -> private replaced eps (realistic small large eps spread public scale).
Proof.
  intros Hs He N P V.
  assert (Li : forall c s x o, 0 <= ideal (public c s) (scale c s) eps x o).
  { intros c s x o. left. apply laplace_positive. apply Rdiv_lt_0_compat; [apply V | exact He]. }
  apply parallel_private; [lra | | | now apply initial_mean_private |].
  - intros x o. left. apply laplace_positive. apply lt_0_INR in Hs. repeat apply Rdiv_lt_0_compat; lra.
  - intros c x [s z]. apply Rmult_le_pos; [apply N | apply Li].
  - intros c. apply parallel_private; [lra | apply N | intros; apply Li | apply P |]. intros s.
    apply laplace_private; [apply V | exact He | now apply weighted_mean_sensitivity].
Qed.

(* Lemma 2.1. Users' own means take finitely many values q in [0, 1], with probabilities p; records are coins of mean q. *)
Definition mean_of {Q} (values : list Q) (p q : Q -> R) : R := sum values (fun i => p i * q i).
Definition variance_of {Q} (values : list Q) (p q : Q -> R) : R := sum values (fun i => p i * (q i - mean_of values p q) ^ 2).
(* The average of m coins of mean q has mean q and variance q (1 - q) / m: its second moment about theta. *)
Definition variance_of_average {Q} (values : list Q) (p q : Q -> R) (m : nat) : R :=
  sum values (fun i => p i * (q i * (1 - q i) / INR m + (q i - mean_of values p q) ^ 2)).
Lemma moments {Q} (values : list Q) p q : sum values p = 1 -> let theta := mean_of values p q in
  variance_of values p q = sum values (fun i => p i * q i ^ 2) - theta ^ 2.
Proof.
  intros P theta. unfold variance_of. fold theta.
  rewrite (sum_ext _ _ (fun i => p i * q i ^ 2 + (p i * q i * (- 2 * theta) + p i * theta ^ 2))) by (intros; ring).
  rewrite !sum_plus, !sum_scale_r, P. fold (mean_of values p q). fold theta. ring.
Qed.
(* cummings-lem-2.1 part: finitely many own means; the variance of m coins given their mean is taken as known *)
Theorem variance_of_a_users_average {Q} (values : list Q) p q m : (0 < m)%nat -> distribution values p ->
  (forall i, In i values -> 0 <= q i <= 1) ->
  let theta := mean_of values p q in let spread := variance_of values p q in
  spread <= theta * (1 - theta) /\
  variance_of_average values p q m = theta * (1 - theta) / INR m + (1 - 1 / INR m) * spread.
Proof.
  intros Hm [P0 P1] Hq theta spread. apply lt_0_INR in Hm. pose proof (moments values p q P1) as Mo. cbv zeta in Mo.
  fold theta spread in Mo. split.
  - assert (L : sum values (fun i => p i * q i ^ 2) <= theta).
    { apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply P0 |]. specialize (Hq i Hi). nra. }
    lra.
  - unfold variance_of_average. fold theta.
    rewrite (sum_ext _ _ (fun i => (p i * q i) * / INR m + ((p i * q i ^ 2) * - / INR m + p i * (q i - theta) ^ 2)))
      by (intros; field; lra).
    rewrite !sum_plus, !sum_scale_r. fold (mean_of values p q). fold theta. fold (variance_of values p q). fold spread.
    replace (sum values (fun i => p i * q i ^ 2)) with (spread + theta ^ 2) by lra.
    replace (sum values (fun a => p a * (q a - theta) ^ 2)) with spread by reflexivity. field. lra.
Qed.

(* Appendix G: the window of one coin of mean q, which is below 1/2. *)
Definition misses (q alpha : R) : R :=   (* the chance that |X - q| >= alpha *)
  (if Rle_dec alpha q then 1 - q else 0) + (if Rle_dec alpha (1 - q) then q else 0).
Definition is_window (q beta f : R) : Prop :=
  (forall alpha, f < alpha -> misses q alpha <= beta) /\ (forall alpha, alpha < f -> beta < misses q alpha).
Definition printed_monotonicity : Prop := forall p q beta f g, 0 < beta -> p <= q <= 1 / 2 ->
  is_window p beta f -> is_window q beta g -> f <= g.
Lemma window_of_a_coin q beta : 0 < beta < q -> q < 1 / 2 -> is_window q beta (1 - q).
Proof.
  intros Hb Hq. split; intros alpha H; unfold misses; destruct (Rle_dec alpha q), (Rle_dec alpha (1 - q)); lra.
Qed.
(* cummings-lem-g.1, cummings-lem-g.2 part: binomial windows do not grow with the mean, for one record and all beta < p < q < 1/2 *)
Theorem windows_are_not_monotone : ~ printed_monotonicity /\ forall p q beta, 0 < beta < p -> p < q < 1 / 2 ->
  is_window p beta (1 - p) /\ is_window q beta (1 - q) /\ 1 - q < 1 - p.
Proof.
  assert (A : forall p q beta, 0 < beta < p -> p < q < 1 / 2 ->
    is_window p beta (1 - p) /\ is_window q beta (1 - q) /\ 1 - q < 1 - p).
  { intros p q beta Hb Hq. repeat split; try (apply window_of_a_coin; lra); lra. }
  split; [| exact A]. intros P. destruct (A (1 / 4) (1 / 3) (1 / 8)) as (F & G & L); try lra.
  specialize (P (1 / 4) (1 / 3) (1 / 8) _ _ ltac:(lra) ltac:(lra) F G). lra.
Qed.
