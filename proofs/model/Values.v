(* The model is the package's: where exp eps is a rational number e, the formal probabilities, scales and sensitivities are
   the rational numbers that these functions compute; proofs/model.csv asks for some, the tests compare them with Python's. *)
From Coq Require Import Reals QArith Qreals List Lra Lia Bool.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Choice.
From Userdp Require Import cummings.Estimators liu.TwoApproximation liu.Histogram liu.Replaced.
Import ListNotations.
Open Scope Q_scope.
#[local] Notation sum := Privacy.sum.

Definition bit (e : Q) (kept : bool) : Q := (if kept then e else 1) / (1 + e).
Fixpoint encoded (e : Q) (x o : list bool) : Q :=
  match x, o with [], [] => 1 | b :: x, c :: o => bit e (eqb b c) * encoded e x o | _, _ => 0 end.
Definition category (k : nat) (e : Q) (same : bool) : Q := (if same then e else 1) / (e + inject_Z (Z.of_nat k) - 1).
Definition upper (h e x : Q) : Q := 1 / 2 + x * (e - 1) / (2 * h * (e + 1)).
Definition scale (l u eps : Q) : Q := (u - l) / eps.
Fixpoint power (e : Q) (n : nat) : Q := match n with O => 1 | S n => e * power e n end.
Fixpoint weights (e : Q) (scores : list nat) : Q := match scores with [] => 0 | c :: rest => power e c + weights e rest end.
Definition choice (e : Q) (scores : list nat) (c : nat) : Q := power e c / weights e scores.
Definition beyond (e : Q) (z : nat) : Q := / (2 * power e z).
Definition mean_moves (m : nat) : Q := / inject_Z (Z.of_nat m).
Definition histogram_moves (C : Q) : Q := 2 * C.

Open Scope R_scope.
Ltac to_reals := repeat first [rewrite Q2R_minus | rewrite Q2R_plus | rewrite Q2R_mult | rewrite Q2R_opp].
Lemma Q2R_one : Q2R 1 = 1. Proof. unfold Q2R. simpl. field. Qed.
Lemma Q2R_zero : Q2R 0 = 0. Proof. unfold Q2R. simpl. field. Qed.
Lemma Q2R_two : Q2R 2 = 2. Proof. unfold Q2R. simpl. field. Qed.
Lemma Q2R_nat n : Q2R (inject_Z (Z.of_nat n)) = INR n.
Proof. unfold Q2R, inject_Z. simpl. rewrite INR_IZR_INZ. field. Qed.
Lemma nonzero q : Q2R q <> 0 -> ~ (q == 0)%Q.
Proof. intros H E. apply H. rewrite (Qeq_eqR _ _ E). apply Q2R_zero. Qed.
Lemma Q2R_over p q : Q2R q <> 0 -> Q2R (p / q) = Q2R p / Q2R q.
Proof. intros H. apply Q2R_div. now apply nonzero. Qed.
Lemma Q2R_inverse q : Q2R q <> 0 -> Q2R (/ q) = / Q2R q.
Proof. intros H. apply Q2R_inv. now apply nonzero. Qed.

Lemma bit_is e b o : 0 < Q2R e -> respond (ln (Q2R e)) b o = Q2R (bit e (eqb b o)).
Proof.
  intros H. unfold respond, bit. rewrite exp_ln by exact H.
  rewrite Q2R_over by (to_reals; rewrite Q2R_one; lra). to_reals. rewrite Q2R_one. destruct (eqb b o); rewrite ?Q2R_one; reflexivity.
Qed.
Lemma encoded_is e x : 0 < Q2R e -> forall o, unary (ln (Q2R e)) x o = Q2R (encoded e x o).
Proof.
  intros H. induction x as [| b x IH]; intros [| c o]; cbn [unary encoded]; rewrite ?Q2R_one, ?Q2R_zero; try reflexivity.
  to_reals. now rewrite bit_is, IH.
Qed.
Lemma vote_is r e x o : (0 < r)%nat -> 0 < Q2R e -> vote r (2 * INR r * ln (Q2R e)) (fun x => x) x o = Q2R (encoded e x o).
Proof.
  intros Hr H. apply lt_0_INR in Hr. rewrite <- encoded_is by exact H. unfold vote. f_equal. field. lra.
Qed.
Lemma category_is k e c o : (0 < k)%nat -> 0 < Q2R e -> kary k (ln (Q2R e)) c o = Q2R (category k e (Nat.eqb c o)).
Proof.
  intros Hk H. unfold kary, category. pose proof (kary_denominator k (ln (Q2R e)) Hk) as D. rewrite exp_ln in * by exact H.
  rewrite Q2R_over by (to_reals; rewrite Q2R_nat, Q2R_one; lra). to_reals. rewrite Q2R_nat, Q2R_one.
  destruct (Nat.eqb c o); rewrite ?Q2R_one; reflexivity.
Qed.
Lemma upper_is h e x : 0 < Q2R h -> 1 < Q2R e -> two_point (Q2R h) (ln (Q2R e)) (Q2R x) true = Q2R (upper h e x).
Proof.
  intros Hh H. unfold two_point, magnitude, upper. rewrite exp_ln by lra. to_reals.
  assert (0 < Q2R h * (Q2R e + 1)) by (apply Rmult_lt_0_compat; lra).
  rewrite !Q2R_over by (to_reals; rewrite ?Q2R_one, ?Q2R_two; lra). to_reals. rewrite ?Q2R_one, ?Q2R_two. field. lra.
Qed.
(* The scale of Laplace noise, read off the height of its density. *)
Lemma scale_is {X} l u eps (f : X -> R) x : Q2R l < Q2R u -> 0 < Q2R eps ->
  report (Q2R l) (Q2R u) (Q2R eps) f x (project (Q2R l) (Q2R u) (f x)) = / (2 * Q2R (scale l u eps)).
Proof.
  intros H He. unfold report, laplace, laplace_density, scale. rewrite Q2R_over by lra. to_reals.
  replace (project _ _ _ - project _ _ _) with 0 by ring. rewrite Rabs_R0, Ropp_0. unfold Rdiv at 1 2. rewrite Rmult_0_l, exp_0, Rmult_1_l. reflexivity.
Qed.
Lemma power_is e n : 0 < Q2R e -> exp (ln (Q2R e) * INR n) = Q2R (power e n).
Proof.
  intros H. induction n as [| n IH]; [simpl; rewrite Rmult_0_r, exp_0, Q2R_one; reflexivity |].
  rewrite S_INR. cbn [power]. to_reals. rewrite <- IH, Rmult_plus_distr_l, Rmult_1_r, exp_plus, exp_ln by exact H. ring.
Qed.
Lemma choice_is e scores c : 0 < Q2R e -> scores <> [] ->
  exponential scores (ln (Q2R e)) (fun (_ : unit) c => INR c) tt c = Q2R (choice e scores c).
Proof.
  intros H N. assert (W : sum scores (fun c => exp (ln (Q2R e) * INR c)) = Q2R (weights e scores)).
  { clear N. induction scores as [| a l IH]; simpl; [now rewrite Q2R_zero |]. to_reals. now rewrite IH, power_is. }
  unfold exponential, choice. pose proof (weights_positive scores (ln (Q2R e)) (fun (_ : unit) c => INR c) tt N) as P.
  cbv beta in P. rewrite W in *. rewrite Q2R_over by lra. now rewrite power_is.
Qed.
Lemma beyond_is e z : 1 < Q2R e -> laplace_above (/ ln (Q2R e)) (INR z) = Q2R (beyond e z).
Proof.
  intros H. assert (L : 0 < ln (Q2R e)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (P : 0 < Q2R (power e z)) by (rewrite <- power_is by lra; apply exp_pos). unfold beyond.
  rewrite Q2R_inverse by (to_reals; rewrite Q2R_two; lra). to_reals. rewrite Q2R_two, <- power_is by lra.
  unfold laplace_above. destruct (Rle_dec (INR z) 0) as [Z | Z].
  - assert (E : INR z = 0) by (pose proof (pos_INR z); lra). rewrite E. unfold Rdiv. rewrite Rmult_0_l, Rmult_0_r, exp_0. lra.
  - replace (- INR z / / ln (Q2R e)) with (- (ln (Q2R e) * INR z)) by (field; lra). rewrite exp_Ropp. field. apply Rgt_not_eq, exp_pos.
Qed.
Lemma mean_moves_is m others : (0 < m)%nat -> sensitivity replaced (average_of_first m) (Q2R (mean_moves m)) /\
  average_of_first m (1 :: others) - average_of_first m (0 :: others) = Q2R (mean_moves m).
Proof.
  intros H. pose proof (average_sensitivity m H) as S. pose proof (lt_0_INR m H) as HM. unfold mean_moves.
  rewrite Q2R_inverse, Q2R_nat by (rewrite Q2R_nat; lra). replace (1 / INR m) with (/ INR m) in S by (unfold Rdiv; ring).
  split; [exact S |]. unfold average_of_first. simpl. rewrite !project_inside by lra. field. lra.
Qed.
Lemma histogram_moves_is {I} (items : list I) C : 0 < Q2R C ->
  (forall x y, definition_3_1 items x y -> l1_move items (totals items (Q2R C) x) (totals items (Q2R C) y) <= Q2R (histogram_moves C)) /\
  l1_move two_items (totals two_items (Q2R C) [copies (Q2R C) true]) (totals two_items (Q2R C) [copies (Q2R C) false]) = Q2R (histogram_moves C).
Proof.
  intros H. unfold histogram_moves. to_reals. rewrite Q2R_two. destruct (moves_of_the_clipped_total items (Q2R C) H) as (A & _ & B). now split.
Qed.
