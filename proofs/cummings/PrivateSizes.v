(* Cummings et al., Algorithms 3 and 4 and Theorem D.1: what testing and releasing costs, and cohorts that move with the sizes.
   Model of userdp.central.private_sizes.private_size_mean. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace Choice.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

Lemma above_right b x : 0 <= x -> laplace_above b x = exp (- x / b) / 2.
Proof.
  intros H. unfold laplace_above. destruct (Rle_dec x 0); [| reflexivity]. replace x with 0 by lra.
  unfold Rdiv. rewrite Ropp_0, Rmult_0_l, exp_0. lra.
Qed.
(* It is the chance that Laplace noise of scale b exceeds x. *)
Lemma above_is_a_mass b x T : 0 < b -> 0 <= x <= T ->
  RInt (fun o => laplace_density b (o - 0)) x T = laplace_above b x - laplace_above b T.
Proof.
  intros Hb H. rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ (laplace_right b 0 x T Hb ltac:(lra))).
  rewrite !above_right by lra. do 2 f_equal; f_equal; f_equal; ring.
Qed.
Lemma above_range b x : 0 < b -> 0 < laplace_above b x < 1.
Proof. intros Hb. pose proof (above_positive b x Hb). pose proof (above_positive b (- x) Hb) as P. rewrite <- above_opposite in P. lra. Qed.
Lemma tail_of_neighbours eps x y : 0 < eps -> Rabs (x - y) <= 1 -> laplace_above (1 / eps) x <= exp eps * laplace_above (1 / eps) y.
Proof.
  intros He H. replace (exp eps) with (exp (1 / (1 / eps))) by (f_equal; field; lra).
  apply above_loss; [apply Rdiv_lt_0_compat; lra | exact H].
Qed.

(* An input is what the last two steps look at: its distance from inputs for which the proposal is too small, and its value.
   Two neighbours have distances that differ by at most 1; if one is not too close, their values differ by at most the proposal. *)
Definition input : Type := (R * R)%type.
Definition neighbours (proposal : R) (x y : input) : Prop := Rabs (fst x - fst y) <= 1 /\
  (0 <= fst x \/ 0 <= fst y -> Rabs (snd x - snd y) <= proposal) /\ (fst x < 0 -> fst x <= -1) /\ (fst y < 0 -> fst y <= -1).
(* The test passes if the distance with Laplace noise reaches ln(1/delta)/eps; then the value is released with noise.
   An event says whether failing belongs to it, and which values do. *)
Definition passing (eps delta : R) (x : input) : R := laplace_above (1 / eps) (ln (1 / delta) / eps - fst x).
Definition test_and_release (eps delta proposal : R) (x : input) (event : bool * list (R * R)) : R :=
  (if fst event then 1 - passing eps delta x else 0) +
  passing eps delta x * mass (laplace (fun x : input => snd x) (proposal / eps) x) (snd event).
(* Events that are sets: their mass is at most one for every centre. *)
Definition a_set (event : list (R * R)) : Prop := event_of_reals event /\ forall c b, 0 < b -> mass (fun o => laplace_density b (o - c)) event <= 1.
Definition promise (eps delta proposal e slack : R) : Prop := forall x y event, neighbours proposal x y -> a_set (snd event) ->
  test_and_release eps delta proposal x event <= exp e * test_and_release eps delta proposal y event + slack.
Definition printed : Prop := forall eps delta proposal, 0 < eps -> 0 < delta <= 1 -> 0 < proposal -> promise eps delta proposal eps delta.

Lemma passing_range eps delta x : 0 < eps -> 0 < passing eps delta x < 1.
Proof. intros He. apply above_range. apply Rdiv_lt_0_compat; lra. Qed.
Lemma passing_loss eps delta x y : 0 < eps -> Rabs (fst x - fst y) <= 1 ->
  passing eps delta x <= exp eps * passing eps delta y /\ 1 - passing eps delta x <= exp eps * (1 - passing eps delta y).
Proof.
  intros He H. unfold passing. rewrite !above_opposite. split; apply tail_of_neighbours; try exact He.
  - match goal with |- Rabs ?e <= _ => replace e with (- (fst x - fst y)) by ring end. now rewrite Rabs_Ropp.
  - match goal with |- Rabs ?e <= _ => replace e with (fst x - fst y) by ring end. exact H.
Qed.
Lemma mass_nonneg b c event : 0 < b -> event_of_reals event -> 0 <= mass (fun o => laplace_density b (o - c)) event.
Proof.
  intros Hb V. apply sum_nonneg. intros [u v] Hi. specialize (V _ Hi). simpl in *.
  apply RInt_ge_0; [exact V | apply (laplace_integrable (fun z : R => z) b c) |]. intros z _. left. now apply laplace_positive.
Qed.
(* cummings-alg-4, cummings-thm-d.1 part: testing and releasing costs twice the budget, and half of the slack *)
Theorem testing_and_releasing_costs_two_budgets eps delta proposal : 0 < eps -> 0 < delta <= 1 -> 0 < proposal ->
  promise eps delta proposal (2 * eps) (delta / 2).
Proof.
  intros He Hd Hp x y [f E] (H1 & H2 & H3 & H4) [V V1]. simpl in V, V1.
  assert (Hb : 0 < proposal / eps) by now apply Rdiv_lt_0_compat.
  pose proof (passing_range eps delta x He) as Px. pose proof (passing_range eps delta y He) as Py.
  destruct (passing_loss eps delta x y He H1) as [L1 L2]. pose proof (one_le_exp eps (Rlt_le _ _ He)) as G.
  assert (GG : exp (2 * eps) = exp eps * exp eps) by apply exp_double. assert (G2 : exp eps <= exp (2 * eps)) by (rewrite GG; nra).
  unfold test_and_release. simpl fst. simpl snd. set (mx := mass (laplace _ _ x) E). set (my := mass (laplace _ _ y) E).
  assert (My : 0 <= my) by (apply (mass_nonneg (proposal / eps) (snd y) E Hb V)).
  assert (Mx : 0 <= mx) by (apply (mass_nonneg (proposal / eps) (snd x) E Hb V)).
  assert (F : (if f then 1 - passing eps delta x else 0) <= exp (2 * eps) * (if f then 1 - passing eps delta y else 0)).
  { destruct f; [| lra]. eapply Rle_trans; [exact L2 |]. apply Rmult_le_compat_r; lra. }
  assert (K : passing eps delta x * mx <= exp (2 * eps) * (passing eps delta y * my) + delta / 2); [| lra].
  destruct (Rle_or_lt 0 (fst x)) as [D | D]; [| destruct (Rle_or_lt 0 (fst y)) as [D' | D']].
  1, 2: assert (S : Rabs (snd x - snd y) <= proposal) by (apply H2; tauto);
    assert (M : mx <= exp eps * my) by
      (apply (laplace_private_by_masses (fun a b : input => Rabs (snd a - snd b) <= proposal) (fun z : input => snd z) eps proposal Hp He (fun a b H => H) x y E S V));
    assert (Q : passing eps delta x * mx <= (exp eps * passing eps delta y) * (exp eps * my)) by (apply Rmult_le_compat; lra);
    rewrite GG; lra.
  assert (B : passing eps delta x <= delta / 2).
  { specialize (H3 D). unfold passing. assert (Ln : 0 <= ln (1 / delta)).
    { rewrite <- ln_1. apply ln_le; [lra |]. apply Rmult_le_reg_r with delta; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (0 <= ln (1 / delta) / eps) by (apply Rmult_le_pos; [exact Ln | left; now apply Rinv_0_lt_compat]).
    rewrite above_right by lra.
    replace (- (ln (1 / delta) / eps - fst x) / (1 / eps)) with (- ln (1 / delta) + eps * fst x) by (field; lra).
    rewrite exp_plus, exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra).
    assert (Ee : exp (eps * fst x) <= 1) by (rewrite <- exp_0; apply exp_le; nra). pose proof (exp_pos (eps * fst x)).
    replace (/ (1 / delta)) with delta by (field; lra). assert (delta * exp (eps * fst x) <= delta * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Mx1 : mx <= 1) by (apply (V1 (snd x) (proposal / eps) Hb)).
  assert (passing eps delta x * mx <= delta / 2 * 1) by (apply Rmult_le_compat; lra).
  assert (0 <= exp (2 * eps) * (passing eps delta y * my)) by (apply Rmult_le_pos; [left; apply exp_pos | apply Rmult_le_pos; lra]). lra.
Qed.
Lemma left_interval_mass b c T : 0 < b -> 0 <= c -> 0 < T ->
  mass (fun o => laplace_density b (o - c)) [(- T, 0)] = exp (- c / b) * (/ 2 * (1 - exp (- T / b))).
Proof.
  intros Hb Hc HT. unfold mass. simpl. rewrite Rplus_0_r.
  rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ (laplace_left b c (- T) 0 Hb ltac:(lra))).
  replace ((- T - c) / b) with (- c / b + - T / b) by (unfold Rdiv; ring).
  replace ((0 - c) / b) with (- c / b) by (unfold Rdiv; ring). rewrite exp_plus. field.
Qed.
Lemma left_interval_is_a_set T : 0 < T -> a_set [(- T, 0)].
Proof.
  intros HT. split; [intros J [<- | []]; simpl; lra |]. intros c b Hb.
  assert (D : density (laplace (fun z : R => z) b c)) by now apply laplace_is_density.
  unfold mass. simpl. rewrite Rplus_0_r. change (RInt (laplace (fun z : R => z) b c) (- T) 0 <= 1).
  destruct (Rle_or_lt 0 c) as [H | H].
  - pose proof (left_interval_mass b c T Hb H HT) as M. unfold mass in M. simpl in M. rewrite Rplus_0_r in M.
    unfold laplace. rewrite M. pose proof (exp_pos (- c / b)). pose proof (exp_pos (- T / b)).
    assert (exp (- c / b) <= 1).
    { rewrite <- exp_0. apply exp_le. assert (0 <= c * / b) by (apply Rmult_le_pos; [exact H | left; now apply Rinv_0_lt_compat]). unfold Rdiv. lra. }
    nra.
  - destruct D as (P & I & _). pose proof (laplace_middle b c (Rmax T (- c)) Hb) as Mid.
    set (B := Rmax T (- c)) in *. assert (T <= B /\ - c <= B) as [B1 B2] by (split; [apply Rmax_l | apply Rmax_r]).
    specialize (Mid ltac:(lra)).
    assert (W : RInt (laplace (fun z : R => z) b c) (- B) B <= 1).
    { unfold laplace. rewrite Mid. pose proof (exp_pos ((- B - c) / b)). pose proof (exp_pos ((c - B) / b)). lra. }
    apply Rle_trans with (2 := W). pose proof (RInt_Chasles (V := R_CompleteNormedModule) (laplace (fun z : R => z) b c) (- B) (- T) B (I _ _) (I _ _)) as C1.
    pose proof (RInt_Chasles (V := R_CompleteNormedModule) (laplace (fun z : R => z) b c) (- T) 0 B (I _ _) (I _ _)) as C2.
    assert (0 <= RInt (laplace (fun z : R => z) b c) (- B) (- T)) by (apply RInt_ge_0; [lra | apply I | intros; apply P]).
    assert (0 <= RInt (laplace (fun z : R => z) b c) 0 B) by (apply RInt_ge_0; [lra | apply I | intros; apply P]).
    unfold plus in C1, C2. simpl in C1, C2. lra.
Qed.
(* cummings-thm-d.1, cummings-alg-3 part: the printed (eps, delta) for testing and releasing is refuted by an event, at every budget *)
Theorem testing_and_releasing_does_not_cost_one_budget : ~ printed /\
  forall eps delta proposal, 0 < eps -> 0 < proposal -> 0 < delta < / 4 * exp (- eps) * (1 - exp (- eps)) ->
  ~ promise eps delta proposal eps delta.
Proof.
  assert (A : forall eps delta proposal, 0 < eps -> 0 < proposal -> 0 < delta < / 4 * exp (- eps) * (1 - exp (- eps)) ->
    ~ promise eps delta proposal eps delta).
  { intros eps delta proposal He Hp Hd P. set (g := exp (- eps)) in *. assert (Hg : 0 < g) by apply exp_pos.
    assert (Hg1 : g < 1) by (unfold g; rewrite <- exp_0; apply exp_increasing; lra).
    set (theta := ln (1 / delta) / eps). assert (Ht : 1 < theta).
    { unfold theta. apply Rmult_lt_reg_r with eps; [exact He |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
      rewrite Rmult_1_l, Rmult_1_r. rewrite <- (ln_exp eps). apply ln_increasing; [apply exp_pos |].
      assert (E : exp eps = / g) by (unfold g; rewrite exp_Ropp, Rinv_inv; reflexivity). rewrite E.
      replace (1 / delta) with (/ delta) by (field; lra). apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra |]. nra. }
    destruct (base_Int_part theta) as [I1 I2]. set (D := IZR (Int_part theta)) in *.
    set (b := proposal / eps). assert (Hb : 0 < b) by now apply Rdiv_lt_0_compat.
    set (rho := 4 * delta / (g * (1 - g))). assert (Hgg : 0 < g * (1 - g)) by (apply Rmult_lt_0_compat; lra).
    assert (Hr : 0 < rho < 1).
    { unfold rho. split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_lt_reg_r with (g * (1 - g)); [exact Hgg |].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    set (T := - b * ln ((1 - rho) / 2)). assert (HT : 0 < T).
    { assert (ln ((1 - rho) / 2) < 0) by (rewrite <- ln_1; apply ln_increasing; lra). unfold T.
      replace (- b * ln ((1 - rho) / 2)) with (b * - ln ((1 - rho) / 2)) by ring. apply Rmult_lt_0_compat; lra. }
    assert (ET : exp (- T / b) = (1 - rho) / 2).
    { replace (- T / b) with (ln ((1 - rho) / 2)) by (unfold T; field; lra). apply exp_ln. lra. }
    assert (N : neighbours proposal (D, 0) (D - 1, proposal)).
    { unfold neighbours. simpl. replace (D - (D - 1)) with 1 by ring. rewrite Rabs_R1.
      split; [lra |]. split; [intros _; rewrite Rabs_left1; lra |]. split; intros Hneg; [lra |].
      exfalso. assert (1 < D + 1) by lra. assert (Q : (0 < Int_part theta)%Z) by (apply lt_IZR; unfold D in *; lra).
      assert (1 <= D) by (unfold D; apply IZR_le; lia). lra. }
    specialize (P _ _ (false, [(- T, 0)]) N (left_interval_is_a_set T HT)).
    unfold test_and_release, passing in P. simpl fst in P. simpl snd in P. fold theta in P. fold b in P. rewrite !Rplus_0_l in P.
    change (mass (laplace (fun x : input => snd x) b (D, 0)) [(- T, 0)]) with (mass (fun o => laplace_density b (o - 0)) [(- T, 0)]) in P.
    change (mass (laplace (fun x : input => snd x) b (D - 1, proposal)) [(- T, 0)]) with (mass (fun o => laplace_density b (o - proposal)) [(- T, 0)]) in P.
    rewrite !left_interval_mass in P by lra. rewrite ET in P.
    rewrite !above_right in P by lra.
    replace (- 0 / b) with 0 in P by (unfold Rdiv; ring). rewrite exp_0 in P.
    replace (- proposal / b) with (- eps) in P by (unfold b; field; lra). fold g in P.
    replace (- (theta - (D - 1)) / (1 / eps)) with (- (theta - D) / (1 / eps) + - eps) in P by (field; lra).
    rewrite exp_plus in P. fold g in P. set (s := exp (- (theta - D) / (1 / eps))) in *.
    assert (Hs : g < s).
    { unfold s, g. apply exp_increasing. replace (- (theta - D) / (1 / eps)) with (- (eps * (theta - D))) by (field; lra). nra. }
    assert (Eg : exp eps * g = 1) by (unfold g; rewrite <- exp_plus, <- exp_0; f_equal; ring).
    replace (exp eps * (s * g / 2 * (g * (/ 2 * (1 - (1 - rho) / 2))))) with (exp eps * g * (s / 2 * (g * (/ 2 * (1 - (1 - rho) / 2))))) in P by field.
    rewrite Eg in P. assert (Ed : delta = rho * (g * (1 - g)) / 4) by (unfold rho; field; lra).
    assert (K : s * (1 - g) * ((1 + rho) / 2) <= rho * (g * (1 - g))) by lra.
    assert (K2 : g * (1 - g) * ((1 + rho) / 2) < s * (1 - g) * ((1 + rho) / 2)).
    { apply Rmult_lt_compat_r; [lra |]. apply Rmult_lt_compat_r; lra. }
    assert (g * (1 - g) * (1 - rho) < 0) by lra. assert (0 < g * (1 - g) * (1 - rho)) by (apply Rmult_lt_0_compat; lra). lra. }
  split; [| exact A]. intros P. pose proof (exp_pos (- (1))) as G. pose proof (exp_increasing (- (1)) 0 ltac:(lra)) as G1. rewrite exp_0 in G1.
  assert (Q : 0 < / 4 * exp (- (1)) * (1 - exp (- (1)))) by (repeat apply Rmult_lt_0_compat; lra).
  apply (A 1 (/ 4 * exp (- (1)) * (1 - exp (- (1))) / 2) 1); try lra. apply P; try lra. split; [lra |].
  assert (exp (- (1)) * (1 - exp (- (1))) <= 1) by nra. lra.
Qed.
