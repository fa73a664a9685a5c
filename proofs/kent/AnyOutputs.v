(* Kent et al., Lemmas 12 and 16 and Corollary 17 for all outputs: a law is the mean of the functions of a class
   (in measure theory the bounded measurable ones), and the estimator is such that its nearest point is among them. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat FunctionalExtensionality.
From Userdp Require Import Privacy Tools Guarantees Votes.
From Userdp Require Import kent.Information kent.Assouad.
Import ListNotations.
Open Scope R_scope.

Definition law {O} (class : (O -> R) -> Prop) (E : (O -> R) -> R) : Prop := expectation class E /\
  forall f g, class f -> class g -> class (fun o => f o + g o) /\ E (fun o => f o + g o) = E f + E g.
(* Total variation: the most by which the two means of a test, a function between 0 and 1, differ. *)
Definition is_tv {O} (class : (O -> R) -> Prop) (E F : (O -> R) -> R) (t : R) : Prop :=
  is_lub (fun y => exists f, class f /\ (forall o, 0 <= f o <= 1) /\ y = E f - F f) t.
(* The mean of a loss that may be unbounded: the least upper bound of the means of the loss cut at a level. *)
Definition mean_at_most {O} (E : (O -> R) -> R) (loss : O -> R) (b : R) : Prop := forall top, E (fun o => Rmin (loss o) top) <= b.

(* On finitely many outputs both notions are those of Assouad.v. *)
Definition mean_under {O} (outputs : list O) (p : O -> R) (f : O -> R) : R := sum outputs (fun o => p o * f o).
Lemma weights_are_a_law {O} (outputs : list O) p : distribution outputs p -> law (fun _ => True) (mean_under outputs p).
Proof.
  intros D. split; [exact (weights_are_an_expectation outputs p D) |]. intros f g _ _. split; [exact I |].
  unfold mean_under. rewrite <- sum_plus. apply sum_ext. intros. ring.
Qed.
Lemma tv_is_tv {O} (outputs : list O) p q : distribution outputs p -> distribution outputs q ->
  is_tv (fun _ => True) (mean_under outputs p) (mean_under outputs q) (tv outputs p q).
Proof.
  intros [_ P] [_ Q]. assert (H : tv outputs p q = sum outputs (fun o => Rmax (p o - q o) 0)).
  { unfold tv. rewrite (sum_ext _ (fun o => Rmax (p o - q o) 0) (fun o => (Rabs (p o - q o) + (p o - q o)) * / 2)).
    - rewrite sum_scale_r, sum_plus, sum_minus, P, Q. field.
    - intros o _. unfold Rmax, Rabs. destruct (Rle_dec (p o - q o) 0), (Rcase_abs (p o - q o)); lra. }
  rewrite H. unfold mean_under. split.
  - intros y (f & _ & Hf & ->). rewrite <- sum_minus. apply sum_le. intros o _. specialize (Hf o).
    unfold Rmax. destruct (Rle_dec (p o - q o) 0); nra.
  - intros b Hb. apply Hb. exists (fun o => if Rle_dec (p o - q o) 0 then 0 else 1). split; [exact I |]. split.
    + intros o. destruct (Rle_dec _ _); lra.
    + rewrite <- sum_minus. apply sum_ext. intros o _. unfold Rmax. destruct (Rle_dec (p o - q o) 0); ring.
Qed.

Section AnyOutputs.
Context {O T : Type}.
Variables (k : nat) (r : R) (class : (O -> R) -> Prop) (E : list bool -> (O -> R) -> R).
Variables (rho : T -> T -> R) (Phi : R -> R) (theta : list bool -> T) (estimator : O -> T).
#[local] Notation guess := (nearest k rho theta estimator).
#[local] Notation loss v := (fun o => Phi (rho (estimator o) (theta v))).
Definition laws : Prop := forall v, length v = k -> law class (E v).
Definition measurable : Prop := (forall j v, class (fun o => wrong j (guess o) v)) /\
  forall v top, class (fun o => Rmin (Phi (rho (estimator o) (theta v))) top).
Definition separated : Prop := 0 <= r /\
  forall v w, length v = k -> length w = k -> 2 * r * INR (differences v w) <= Phi (rho (theta v) (theta w) / 2).
Hypothesis L : laws.
Hypothesis M : measurable.
Hypothesis Sep : separated.
Hypothesis Ld : loss_of_distance rho Phi.
Set Default Proof Using "All".

Lemma of_sum {A} (F : (O -> R) -> R) (l : list A) (f : A -> O -> R) : law class F -> (forall a, class (f a)) ->
  class (fun o => sum l (fun a => f a o)) /\ F (fun o => sum l (fun a => f a o)) = sum l (fun a => F (f a)).
Proof.
  intros ((C & _) & Ad) Hf. induction l as [| a l [IH1 IH2]]; simpl; [apply C |].
  destruct (Ad (f a) _ (Hf a) IH1) as [A1 A2]. rewrite <- IH2. split; [exact A1 | exact A2].
Qed.
Definition errors (v : list bool) (o : O) : R := 2 * r * sum (seq 0 k) (fun j => wrong j (guess o) v).
Lemma errors_mean v : length v = k ->
  class (errors v) /\ E v (errors v) = 2 * r * sum (seq 0 k) (fun j => E v (fun o => wrong j (guess o) v)).
Proof.
  intros Hv. pose proof (L v Hv) as Lv. destruct (of_sum (E v) (seq 0 k) (fun j o => wrong j (guess o) v) Lv) as [C1 E1].
  { intros j. apply M. } rewrite <- E1. apply Lv, C1.
Qed.
Lemma errors_are_differences v o : length v = k -> errors v o = 2 * r * INR (differences (guess o) v).
Proof. intros Hv. unfold errors. rewrite <- (differences_are_wrong_coins k); auto. apply nearest_length. Qed.
Lemma errors_at_most v o : length v = k -> errors v o <= 2 * INR k * r.
Proof.
  intros Hv. rewrite errors_are_differences by exact Hv. destruct Sep as [Hr _].
  assert (D : INR (differences (guess o) v) <= INR k).
  { apply le_INR. eapply Nat.le_trans; [apply differences_length |]; rewrite nearest_length; [now symmetry | lia]. }
  apply Rmult_le_compat_l with (r := 2 * r) in D; lra.
Qed.
Lemma errors_below_the_loss v : length v = k -> E v (errors v) <= E v (fun o => Rmin (Phi (rho (estimator o) (theta v))) (2 * INR k * r)).
Proof.
  intros Hv. destruct (L v Hv) as ((_ & _ & Mono) & _). apply Mono; [now apply errors_mean | apply M |].
  intros o. apply Rmin_glb; [| now apply errors_at_most]. rewrite errors_are_differences by exact Hv.
  eapply Rle_trans; [| now apply (nearest_loses_less k rho Phi theta estimator o v Ld)]. apply Sep; [apply nearest_length | exact Hv].
Qed.

(* Guessing one coin. *)
Definition says (j : nat) (b : bool) (o : O) : R := if eqb (coin j (guess o)) b then 1 else 0.
Lemma says_class j b : class (says j b).
Proof.
  destruct M as [W _]. specialize (W j (repeat (negb b) (S j))).
  replace (says j b) with (fun o => wrong j (guess o) (repeat (negb b) (S j))); [exact W |].
  apply functional_extensionality. intros o. unfold wrong, says. replace (coin j (repeat (negb b) (S j))) with (negb b).
  - now destruct (coin j (guess o)), b.
  - unfold coin. clear. induction j; simpl; auto.
Qed.
Lemma mixture_total tau j b : 0 < tau < 1 -> (j < k)%nat -> mixture tau k E j b (fun _ => 1) = 1.
Proof.
  intros Ht Hj. unfold mixture.
  rewrite (sum_ext _ _ (fun v => if eqb (coin j v) b then prior tau v else 0)).
  - rewrite prior_of_coin by exact Hj. field. destruct b; lra.
  - intros v Hv. apply in_vectors in Hv. destruct (L v Hv) as ((C & _) & _). rewrite (proj2 (C 1)). now rewrite Rmult_1_r.
Qed.
Lemma mixture_opposite tau j b f : 0 < tau < 1 -> (j < k)%nat -> class f ->
  class (fun o => 1 + - 1 * f o) /\ mixture tau k E j b (fun o => 1 + - 1 * f o) = 1 - mixture tau k E j b f.
Proof.
  intros Ht Hj Hf.
  assert (V : forall v, length v = k -> class (fun o => 1 + - 1 * f o) /\ E v (fun o => 1 + - 1 * f o) = 1 - E v f).
  { intros v Hv. destruct (L v Hv) as ((C & Sc & _) & Ad). destruct (C 1) as [C1 E1]. destruct (Sc (- 1) f Hf) as [C2 E2].
    destruct (Ad _ _ C1 C2) as [C3 E3]. split; [exact C3 |]. rewrite E3, E1, E2. ring. }
  split; [apply (V (repeat true k)), repeat_length |]. pose proof (mixture_total tau j b Ht Hj) as T1. unfold mixture, Rdiv in *.
  rewrite (sum_ext _ _ (fun v => (if eqb (coin j v) b then prior tau v * E v (fun _ => 1) else 0) -
    (if eqb (coin j v) b then prior tau v * E v f else 0))).
  - rewrite sum_minus, Rmult_minus_distr_r, T1. reflexivity.
  - intros v Hv. apply in_vectors in Hv. destruct (L v Hv) as ((C & _) & _).
    rewrite (proj2 (V v Hv)), (proj2 (C 1)). destruct (eqb (coin j v) b); ring.
Qed.
Lemma guessing tau j t : 0 < tau < 1 -> (j < k)%nat -> is_tv class (mixture tau k E j true) (mixture tau k E j false) t ->
  Rmin tau (1 - tau) * (1 - t) <= sum (vectors k) (fun v => prior tau v * E v (fun o => wrong j (guess o) v)).
Proof.
  intros Ht Hj [Up _]. set (h := says j false). set (u := mixture tau k E j true h). set (w := mixture tau k E j false h).
  destruct (mixture_opposite tau j true h Ht Hj (says_class j false)) as [C1 E1].
  destruct (mixture_opposite tau j false h Ht Hj (says_class j false)) as [_ E0].
  fold u in E1. fold w in E0.
  assert (T0 : w - u <= t).
  { apply Up. exists (fun o => 1 + - 1 * h o). split; [exact C1 |]. split; [| rewrite E1, E0; ring].
    intros o. unfold h, says. destruct (eqb (coin j (guess o)) false); lra. }
  assert (S : sum (vectors k) (fun v => prior tau v * E v (fun o => wrong j (guess o) v)) = tau * u + (1 - tau) * (1 - w)).
  { rewrite <- E0. unfold u, mixture. rewrite !(Rmult_comm _ (_ / _)). unfold Rdiv. rewrite !Rmult_assoc, !Rinv_l, !Rmult_1_r by lra.
    rewrite <- sum_plus. apply sum_ext. intros v _. destruct (coin j v) eqn:Cv; simpl.
    - replace (fun o => wrong j (guess o) v) with h; [ring |]. apply functional_extensionality. intros o.
      unfold h, says, wrong. rewrite Cv. now destruct (coin j (guess o)).
    - replace (fun o => wrong j (guess o) v) with (fun o => 1 + - 1 * h o); [ring |]. apply functional_extensionality. intros o.
      unfold h, says, wrong. rewrite Cv. destruct (coin j (guess o)); simpl; ring. }
  assert (Bound : forall f b, class f -> (forall o, 0 <= f o) -> 0 <= mixture tau k E j b f).
  { intros f b Hf F. apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat; destruct b; lra]. apply sum_nonneg. intros v Hv.
    apply in_vectors in Hv. destruct (eqb (coin j v) b); [| lra]. apply Rmult_le_pos; [apply prior_nonneg; lra |].
    destruct (L v Hv) as ((C & _ & Mono) & _). destruct (C 0) as [C0 <-]. apply Mono; auto. }
  assert (Hu : 0 <= u) by (apply Bound; [apply says_class |]; intros o; unfold h, says; destruct (eqb _ _); lra).
  assert (Hw : 0 <= 1 - w).
  { rewrite <- E0. apply Bound; [exact C1 |]. intros o. unfold h, says. destruct (eqb _ _); lra. }
  rewrite S. apply Rle_trans with (Rmin tau (1 - tau) * (u + (1 - w))).
  - apply Rmult_le_compat_l; [apply Rmin_glb; lra | lra].
  - rewrite Rmult_plus_distr_l. apply Rplus_le_compat; apply Rmult_le_compat_r; auto; [apply Rmin_l | apply Rmin_r].
Qed.
Lemma errors_of_coins tau t : 0 < tau < 1 ->
  (forall j, (j < k)%nat -> is_tv class (mixture tau k E j true) (mixture tau k E j false) (t j)) ->
  2 * r * Rmin tau (1 - tau) * sum (seq 0 k) (fun j => 1 - t j) <= sum (vectors k) (fun v => prior tau v * E v (errors v)).
Proof.
  intros Ht H. destruct Sep as [Hr _].
  apply Rle_trans with (2 * r * sum (seq 0 k) (fun j => sum (vectors k) (fun v => prior tau v * E v (fun o => wrong j (guess o) v)))).
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |]. rewrite <- sum_scale. apply sum_le. intros j Hj.
    apply in_seq in Hj. apply guessing; [exact Ht | lia | apply H; lia].
  - rewrite sum_swap, <- sum_scale. right. apply sum_ext. intros v Hv. apply in_vectors in Hv.
    rewrite (proj2 (errors_mean v Hv)), sum_scale. ring.
Qed.
(* The loss of the nearest point, and what a worst risk over the allowed points bounds. *)
Lemma errors_at_most_mean v : length v = k -> E v (errors v) <= 2 * INR k * r.
Proof.
  intros Hv. destruct (L v Hv) as ((C & _ & Mono) & _). destruct (C (2 * INR k * r)) as [C0 <-].
  apply Mono; [now apply errors_mean | exact C0 |]. intros o. now apply errors_at_most.
Qed.
Lemma average_errors (w : list bool -> R) (allowed : list bool -> bool) b : distribution (vectors k) w -> 0 <= b ->
  (forall v, length v = k -> allowed v = true -> mean_at_most (E v) (loss v) b) ->
  sum (vectors k) (fun v => w v * E v (errors v)) - 2 * INR k * r * outside k w allowed <= b.
Proof.
  intros [W1 W2] Hb B. unfold outside. rewrite <- sum_scale, <- sum_minus.
  apply Rle_trans with (sum (vectors k) (fun v => w v * b)); [| rewrite sum_scale_r, W2; lra].
  apply sum_le. intros v Hv. specialize (W1 v Hv). apply in_vectors in Hv. destruct (allowed v) eqn:A.
  - rewrite Rmult_0_r, Rminus_0_r. apply Rmult_le_compat_l; [exact W1 |].
    eapply Rle_trans; [now apply errors_below_the_loss | apply (B v Hv A)].
  - pose proof (errors_at_most_mean v Hv) as N. apply Rmult_le_compat_l with (r := w v) in N; [| exact W1].
    assert (0 <= w v * b) by now apply Rmult_le_pos. lra.
Qed.
End AnyOutputs.

(* kent-lem-12 whole; every bound on the worst risk is at least the printed one *)
Theorem assouad_for_all_outputs {O T} k r class (E : list bool -> (O -> R) -> R) (rho : T -> T -> R) Phi theta (estimator : O -> T) t b :
  laws k class E -> measurable k class rho Phi theta estimator -> separated k r rho Phi theta -> loss_of_distance rho Phi ->
  (forall j, (j < k)%nat -> is_tv class (mixture (1 / 2) k E j true) (mixture (1 / 2) k E j false) (t j)) ->
  0 <= b -> (forall v, length v = k -> mean_at_most (E v) (fun o => Phi (rho (estimator o) (theta v))) b) ->
  r * sum (seq 0 k) (fun j => 1 - t j) <= b.
Proof.
  intros L M S Ld H Hb B. pose proof (errors_of_coins k r class E rho Phi theta estimator L M S Ld (1 / 2) t ltac:(lra) H) as N.
  rewrite Rmin_left in N by lra.
  assert (D : distribution (vectors k) (prior (1 / 2))) by (split; [intros; apply prior_nonneg; lra | apply prior_total]).
  pose proof (average_errors k r class E rho Phi theta estimator L M S Ld (prior (1 / 2)) (fun _ => true) b D Hb) as K.
  unfold outside in K. rewrite (sum_const _ 0), Rmult_0_r, Rmult_0_r, Rminus_0_r in K.
  specialize (K (fun v Hv _ => B v Hv)). lra.
Qed.
(* kent-lem-16 whole; refuted as printed, and repaired with the loss of the nearest point of the family *)
Theorem lemma_16_verdict : ~ lemma_16 /\ forall (O T : Type) k r class (E : list bool -> (O -> R) -> R) (rho : T -> T -> R) Phi theta
    (estimator : O -> T) w allowed b,
  laws k class E -> measurable k class rho Phi theta estimator -> exactly_separated k r rho Phi theta -> loss_of_distance rho Phi ->
  distribution (vectors k) w -> 0 <= b ->
  (forall v, length v = k -> allowed v = true -> mean_at_most (E v) (fun o => Phi (rho (estimator o) (theta v))) b) ->
  sum (vectors k) (fun v => w v * E v (fun o => Phi (rho (theta (nearest k rho theta estimator o)) (theta v) / 2))) -
    2 * INR k * r * outside k w allowed <= b.
Proof.
  split; [exact lemma_16_is_false |]. intros O T k r class E rho Phi theta estimator w allowed b L M [Hr X] Ld D Hb B.
  assert (S : separated k r rho Phi theta) by (split; [exact Hr |]; intros; rewrite X; auto; lra).
  pose proof (average_errors k r class E rho Phi theta estimator L M S Ld w allowed b D Hb B) as K.
  rewrite (sum_ext _ _ (fun v => w v * E v (errors k r rho theta estimator v))); [exact K |].
  intros v Hv. apply in_vectors in Hv. do 2 f_equal. apply functional_extensionality. intros o.
  rewrite (errors_are_differences k r class E rho Phi theta estimator L M S Ld v o Hv). apply X; [apply nearest_length | exact Hv].
Qed.
(* kent-cor-17 whole; refuted with the uniform mixtures, and repaired with those of the prior *)
Theorem corollary_17_verdict : (forall tau, 0 < tau < 1 / 2 -> ~ corollary_17 uniform tau) /\
  forall (O T : Type) tau k r c class (E : list bool -> (O -> R) -> R) (rho : T -> T -> R) Phi theta (estimator : O -> T) allowed t b,
  0 < tau <= 1 / 2 -> laws k class E -> measurable k class rho Phi theta estimator -> exactly_separated k r rho Phi theta ->
  loss_of_distance rho Phi -> outside k (prior tau) allowed <= c * tau ->
  (forall j, (j < k)%nat -> is_tv class (mixture tau k E j true) (mixture tau k E j false) (t j)) -> 0 <= b ->
  (forall v, length v = k -> allowed v = true -> mean_at_most (E v) (fun o => Phi (rho (estimator o) (theta v))) b) ->
  2 * r * tau * (sum (seq 0 k) (fun j => 1 - t j) - c * INR k) <= b.
Proof.
  split; [exact corollary_17_as_printed_is_false |].
  intros O T tau k r c class E rho Phi theta estimator allowed t b Ht L M [Hr X] Ld Out H Hb B.
  assert (S : separated k r rho Phi theta) by (split; [exact Hr |]; intros; rewrite X; auto; lra).
  assert (D : distribution (vectors k) (prior tau)) by (split; [intros; apply prior_nonneg; lra | apply prior_total]).
  pose proof (errors_of_coins k r class E rho Phi theta estimator L M S Ld tau t ltac:(lra) H) as N. rewrite Rmin_left in N by lra.
  pose proof (average_errors k r class E rho Phi theta estimator L M S Ld (prior tau) allowed b D Hb B) as K.
  assert (Q : 2 * INR k * r * outside k (prior tau) allowed <= 2 * INR k * r * (c * tau)).
  { apply Rmult_le_compat_l; [| exact Out]. pose proof (pos_INR k). apply Rmult_le_pos; lra. }
  lra.
Qed.
