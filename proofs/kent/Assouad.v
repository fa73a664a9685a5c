(* Kent et al., Assouad's method on finitely many outputs: Lemmas 12 and 16, Corollary 17.
   Models: the checks of kent-lem-12, kent-lem-16 and kent-cor-17 on random families. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes.
Import ListNotations.
Open Scope R_scope.

(* k coins, each 1 with probability tau: the points of the cube are the vectors of Votes.v. *)
Fixpoint prior (tau : R) (v : list bool) : R :=
  match v with [] => 1 | b :: v => (if b then tau else 1 - tau) * prior tau v end.
Definition coin (j : nat) (v : list bool) : bool := nth j v false.
(* The law of the data given that coin j shows b; with tau = 1/2 the average of all P v with v_j = b. *)
Definition mixture {O} (tau : R) (k : nat) (P : list bool -> O -> R) (j : nat) (b : bool) (o : O) : R :=
  sum (vectors k) (fun v => if eqb (coin j v) b then prior tau v * P v o else 0) /
    (if b then tau else 1 - tau).
Definition tv {O} (outputs : list O) (p q : O -> R) : R := sum outputs (fun o => Rabs (p o - q o)) / 2.
Definition family {O} (k : nat) (outputs : list O) (P : list bool -> O -> R) : Prop :=
  forall v, length v = k -> distribution outputs (P v).
(* The loss is an increasing function of a distance. *)
Definition loss_of_distance {T} (rho : T -> T -> R) (Phi : R -> R) : Prop :=
  (forall x y, 0 <= rho x y) /\ (forall x y, rho x y = rho y x) /\
    (forall x y z, rho x z <= rho x y + rho y z) /\
  (forall a b, 0 <= a -> a <= b -> Phi a <= Phi b).
Definition risk {O T} (outputs : list O) (P : list bool -> O -> R) (rho : T -> T -> R) (Phi : R -> R)
    (theta : list bool -> T) (estimator : O -> T) (v : list bool) : R :=
  sum outputs (fun o => P v o * Phi (rho (estimator o) (theta v))).

Lemma in_vectors k : forall v, In v (vectors k) <-> length v = k.
Proof.
  induction k as [| k IH]; intros v; simpl.
  - split; [intros [<- | []]; reflexivity | destruct v; [auto | discriminate]].
  - rewrite in_app_iff, !in_map_iff. split.
    + intros [(w & <- & H) | (w & <- & H)]; simpl; f_equal; now apply IH.
    + destruct v as [| b v]; [discriminate |]. intros H. injection H as H. apply IH in H.
      destruct b; [left | right]; now exists v.
Qed.
Lemma sum_vectors k f : sum (vectors (S k)) f =
  sum (vectors k) (fun v => f (true :: v)) + sum (vectors k) (fun v => f (false :: v)).
Proof. simpl. now rewrite sum_app, !sum_map. Qed.
Lemma prior_total tau k : sum (vectors k) (prior tau) = 1.
Proof.
  induction k as [| k IH]; [simpl; ring |]. rewrite sum_vectors. simpl. rewrite !sum_scale, IH. ring.
Qed.
Lemma prior_nonneg tau v : 0 <= tau <= 1 -> 0 <= prior tau v.
Proof. intros H. induction v as [| b v IH]; simpl; [lra |]. apply Rmult_le_pos; [destruct b; lra | exact IH].
  Qed.
Lemma prior_of_coin tau k : forall j b, (j < k)%nat ->
  sum (vectors k) (fun v => if eqb (coin j v) b then prior tau v else 0) = if b then tau else 1 - tau.
Proof.
  induction k as [| k IH]; intros j b H; [lia |]. rewrite sum_vectors. destruct j as [| j].
  - unfold coin. cbn [nth prior]. destruct b; cbn [eqb]; rewrite sum_scale, sum_const, prior_total; ring.
  - assert (E : forall c, sum (vectors k) (fun v => if eqb (coin (S j) (c :: v)) b then prior tau (c :: v)
    else 0) =
      (if c then tau else 1 - tau) * (if b then tau else 1 - tau)).
    { intros c. rewrite <- (IH j b) by lia. rewrite <- sum_scale. apply sum_ext. intros v _.
      change (coin (S j) (c :: v)) with (coin j v). destruct (eqb (coin j v) b); [reflexivity | ring]. }
    rewrite !E. ring.
Qed.
Lemma mixture_distribution {O} tau k outputs (P : list bool -> O -> R) j b : 0 < tau < 1 ->
    family k outputs P ->
  (j < k)%nat -> distribution outputs (mixture tau k P j b).
Proof.
  intros Ht F Hj. assert (B : 0 < if b then tau else 1 - tau) by (destruct b; lra). split.
  - intros o Ho. apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat]. apply sum_nonneg. intros v Hv.
    apply in_vectors in Hv. destruct (eqb (coin j v) b); [| lra].
    apply Rmult_le_pos; [apply prior_nonneg; lra | now apply F].
  - unfold mixture, Rdiv. rewrite sum_scale_r, sum_swap.
    rewrite (sum_ext _ _ (fun v => if eqb (coin j v) b then prior tau v else 0)).
    + rewrite prior_of_coin by exact Hj. field. lra.
    + intros v Hv. apply in_vectors in Hv. destruct (eqb (coin j v) b); [| rewrite sum_const; ring].
      rewrite sum_scale. destruct (F v Hv) as [_ ->]. ring.
Qed.
Lemma sum_of_smaller {O} (outputs : list O) p q : distribution outputs p -> distribution outputs q ->
  sum outputs (fun o => Rmin (p o) (q o)) = 1 - tv outputs p q.
Proof.
  intros [_ Sp] [_ Sq]. unfold tv.
  rewrite (sum_ext _ _ (fun o => (p o + q o) * / 2 - Rabs (p o - q o) * / 2)).
  - rewrite sum_minus, !sum_scale_r, sum_plus, Sp, Sq. field.
  - intros o _. unfold Rmin. destruct (Rle_dec (p o) (q o)); [rewrite Rabs_left1 | rewrite Rabs_pos_eq]; lra.
Qed.
(* Whoever guesses coin j errs with the smaller of two probabilities at least. *)
Definition wrong (j : nat) (v w : list bool) : R := if eqb (coin j v) (coin j w) then 0 else 1.
Lemma guessing_a_coin {O} tau k outputs (P : list bool -> O -> R) (guess : O -> list bool) j :
  0 < tau < 1 -> family k outputs P -> (j < k)%nat ->
  Rmin tau (1 - tau) * (1 - tv outputs (mixture tau k P j true) (mixture tau k P j false)) <=
  sum (vectors k) (fun v => prior tau v * sum outputs (fun o => P v o * wrong j (guess o) v)).
Proof.
  intros Ht F Hj. rewrite <- sum_of_smaller by now apply mixture_distribution.
  rewrite (sum_ext (vectors k) _ (fun v => sum outputs
    (fun o => prior tau v * (P v o * wrong j (guess o) v)))).
  2: { intros v _. now rewrite sum_scale. }
  rewrite sum_swap, <- sum_scale. apply sum_le. intros o Ho.
  set (b := negb (coin j (guess o))).
  assert (E : sum (vectors k) (fun v => prior tau v * (P v o * wrong j (guess o) v)) =
    (if b then tau else 1 - tau) * mixture tau k P j b o).
  { unfold mixture. replace ((if b then tau else 1 - tau) * _) with
      (sum (vectors k) (fun v => if eqb (coin j v) b then prior tau v * P v o else 0)).
    - apply sum_ext. intros v _. unfold wrong, b. destruct (coin j (guess o)), (coin j v); simpl; ring.
    - field. destruct b; lra. }
  rewrite E. assert (M : forall c, 0 <= mixture tau k P j c o).
  { intros c. destruct (mixture_distribution tau k outputs P j c Ht F Hj) as [N _]. now apply N. }
  apply Rmult_le_compat.
  - apply Rmin_glb; lra.
  - apply Rmin_glb; apply M.
  - destruct b; [apply Rmin_l | apply Rmin_r].
  - destruct b; [apply Rmin_l | apply Rmin_r].
Qed.
Lemma differences_are_wrong_coins k : forall v w, length v = k -> length w = k ->
  INR (differences v w) = sum (seq 0 k) (fun j => wrong j v w).
Proof.
  induction k as [| k IH]; intros [| b v] [| c w] Hv Hw; try discriminate; [reflexivity |].
  injection Hv as Hv. injection Hw as Hw. cbn [seq differences]. rewrite plus_INR, (IH v w Hv Hw).
  rewrite <- seq_shift. cbn [sum fold_right].
  fold (sum (map S (seq 0 k)) (fun j => wrong j (b :: v) (c :: w))).
  rewrite sum_map. f_equal. unfold wrong, coin. simpl. now destruct (eqb b c).
Qed.

(* The first of the points that is nearest. *)
Fixpoint closest {A} (f : A -> R) (a : A) (l : list A) : A :=
  match l with [] => a | b :: l => if Rle_dec (f (closest f a l)) (f b) then closest f a l else b end.
Lemma closest_in {A} (f : A -> R) a l : In (closest f a l) (a :: l).
Proof.
  induction l as [| b l IH]; [now left |]. cbn [closest]. destruct (Rle_dec _ _); [| right; now left].
  destruct IH as [E | H]; [left; exact E | right; now right].
Qed.
Lemma closest_least {A} (f : A -> R) a l : forall b, In b (a :: l) -> f (closest f a l) <= f b.
Proof.
  induction l as [| c l IH]; intros b Hb; [destruct Hb as [<- | []]; simpl; lra |]. cbn [closest].
  destruct (Rle_dec (f (closest f a l)) (f c)) as [L | L].
  - destruct Hb as [<- | [<- | H]]; [apply IH; now left | exact L | apply IH; now right].
  - destruct Hb as [<- | [<- | H]]; [| lra |].
    + specialize (IH a (or_introl eq_refl)). lra.
    + specialize (IH b (or_intror H)). lra.
Qed.
Definition nearest {O T} (k : nat) (rho : T -> T -> R) (theta : list bool -> T) (estimator : O -> T) (o : O)
    : list bool :=
  closest (fun v => rho (estimator o) (theta v)) (repeat true k) (vectors k).
Lemma nearest_length {O T} k rho (theta : list bool -> T) (estimator : O -> T) o :
  length (nearest k rho theta estimator o) = k.
Proof.
  unfold nearest. destruct (closest_in (fun v => rho (estimator o) (theta v)) (repeat true k) (vectors k)) as
    [<- | H].
  - apply repeat_length.
  - now apply in_vectors in H.
Qed.
Lemma nearest_loses_less {O T} k rho Phi (theta : list bool -> T) (estimator : O -> T) o v :
  loss_of_distance rho Phi -> length v = k ->
  Phi (rho (theta (nearest k rho theta estimator o)) (theta v) / 2) <= Phi (rho (estimator o) (theta v)).
Proof.
  intros (Pos & Sym & Tri & Inc) Hv. apply in_vectors in Hv.
  pose proof (closest_least (fun v => rho (estimator o) (theta v)) (repeat true k) (vectors k) v
    (or_intror Hv)) as L.
  fold (nearest k rho theta estimator o) in L. cbv beta in L. set (w := nearest k rho theta estimator o) in *.
  pose proof (Tri (theta w) (estimator o) (theta v)) as T1. rewrite (Sym (theta w) (estimator o)) in T1.
  pose proof (Pos (theta w) (theta v)). apply Inc; lra.
Qed.
Lemma mean_below_some {A} (l : list A) w f m : distribution l w -> m <= sum l (fun a => w a * f a) ->
  exists a, In a l /\ m <= f a.
Proof.
  intros [N S] H. destruct (Exists_dec (fun a => m <= f a) l) as [E | E]; [intros a; apply Rle_dec | |].
  - apply Exists_exists in E. exact E.
  - exfalso. assert (B : forall a, In a l -> f a < m).
    { intros a Ha. apply Rnot_le_lt. intros C. apply E, Exists_exists. now exists a. }
    clear E. assert (G : sum l (fun a => w a * (m - f a)) <= 0).
    { rewrite (sum_ext _ _ (fun a => m * w a - w a * f a)) by (intros; ring). rewrite sum_minus, sum_scale,
      S. lra. }
    assert (Z : forall a, In a l -> w a * (m - f a) = 0).
    { intros a Ha. assert (P : forall b, In b l -> 0 <= w b * (m - f b)).
      { intros b Hb. apply Rmult_le_pos; [now apply N |]. specialize (B b Hb). lra. }
      pose proof (sum_member l (fun a => w a * (m - f a)) a P Ha) as L. cbv beta in L. specialize (P a Ha).
      lra. }
    assert (S0 : sum l w = 0).
    { rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_const; ring |]. intros a Ha. specialize (Z a Ha).
      specialize (B a Ha). apply Rmult_integral in Z. destruct Z as [Z | Z]; [exact Z | lra]. }
    lra.
Qed.

(* The loss of the nearest point, averaged over the coins: what all three statements bound. *)
Definition nearest_risk {O T} k (outputs : list O) (P : list bool -> O -> R) (rho : T -> T -> R) Phi theta
    (estimator : O -> T) (v : list bool) : R :=
  sum outputs (fun o => P v o * Phi (rho (theta (nearest k rho theta estimator o)) (theta v) / 2)).
Lemma nearest_risk_le {O T} k outputs (P : list bool -> O -> R) rho Phi theta (estimator : O -> T) v :
  loss_of_distance rho Phi -> family k outputs P -> length v = k ->
  nearest_risk k outputs P rho Phi theta estimator v <= risk outputs P rho Phi theta estimator v.
Proof.
  intros L F Hv. apply sum_le. intros o Ho. apply Rmult_le_compat_l; [now apply (F v Hv) |].
  now apply nearest_loses_less.
Qed.
Lemma nearest_risk_of_coins {O T} tau r k outputs (P : list bool -> O -> R) (rho : T -> T -> R) Phi theta
    (estimator : O -> T) : 0 < tau < 1 -> 0 <= r -> family k outputs P ->
  (forall v w, length v = k -> length w = k -> 2 * r * INR (differences v w) <=
    Phi (rho (theta v) (theta w) / 2)) ->
  2 * r * Rmin tau (1 - tau) *
    sum (seq 0 k) (fun j => 1 - tv outputs (mixture tau k P j true) (mixture tau k P j false)) <=
  sum (vectors k) (fun v => prior tau v * nearest_risk k outputs P rho Phi theta estimator v).
Proof.
  intros Ht Hr F Sep. set (g := nearest k rho theta estimator).
  apply Rle_trans with (2 * r * sum (seq 0 k) (fun j =>
    sum (vectors k) (fun v => prior tau v * sum outputs (fun o => P v o * wrong j (g o) v)))).
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |]. rewrite <- sum_scale. apply sum_le. intros j Hj.
    apply in_seq in Hj. apply guessing_a_coin; [exact Ht | exact F | lia].
  - rewrite sum_swap, <- sum_scale. apply sum_le. intros v Hv. apply in_vectors in Hv.
    rewrite sum_scale, sum_swap. replace (2 * r * (prior tau v * _)) with
      (prior tau v * (2 * r * sum outputs (fun o => sum (seq 0 k) (fun j => P v o * wrong j (g o) v)))) by
        ring.
    apply Rmult_le_compat_l; [apply prior_nonneg; lra |]. rewrite <- sum_scale. apply sum_le. intros o Ho.
    rewrite sum_scale, <- differences_are_wrong_coins by (auto; apply nearest_length).
    replace (2 * r * (P v o * INR (differences (g o) v))) with (P v o * (2 * r * INR (differences (g o) v)))
      by ring.
    apply Rmult_le_compat_l; [now apply (F v Hv) |]. apply Sep; [apply nearest_length | exact Hv].
Qed.
(* kent-lem-12 part: finitely many outputs *)
Theorem assouad {O T} k r outputs (P : list bool -> O -> R) (rho : T -> T -> R) Phi theta
    (estimator : O -> T) :
  family k outputs P -> loss_of_distance rho Phi -> 0 <= r ->
  (forall v w, length v = k -> length w = k -> 2 * r * INR (differences v w) <=
    Phi (rho (theta v) (theta w) / 2)) ->
  exists v, length v = k /\
    r * sum (seq 0 k) (fun j => 1 - tv outputs (mixture (1 / 2) k P j true) (mixture (1 / 2) k P j false)) <=
    risk outputs P rho Phi theta estimator v.
Proof.
  intros F L Hr Sep.
  pose proof (nearest_risk_of_coins (1 / 2) r k outputs P rho Phi theta estimator ltac:(lra) Hr F Sep) as B.
  replace (Rmin (1 / 2) (1 - 1 / 2)) with (1 / 2) in B by (rewrite Rmin_left; lra).
  apply mean_below_some in B.
  - destruct B as (v & Hv & B). apply in_vectors in Hv. exists v. split; [exact Hv |].
    pose proof (nearest_risk_le k outputs P rho Phi theta estimator v L F Hv). lra.
  - split; [intros; apply prior_nonneg; lra | apply prior_total].
Qed.

(* Lemma 16. Only the allowed points belong to the model; its worst risk is at most b. *)
Definition worst_risk_at_most {O T} k outputs (P : list bool -> O -> R) (rho : T -> T -> R) Phi theta
    (estimator : O -> T) (allowed : list bool -> bool) (b : R) : Prop :=
  0 <= b /\ forall v, length v = k -> allowed v = true -> risk outputs P rho Phi theta estimator v <= b.
Definition outside (k : nat) (w : list bool -> R) (allowed : list bool -> bool) : R :=
  sum (vectors k) (fun v => if allowed v then 0 else w v).
Definition exactly_separated {T} k r (rho : T -> T -> R) Phi theta : Prop := 0 <= r /\
  forall v w, length v = k -> length w = k -> Phi (rho (theta v) (theta w) / 2) =
    2 * r * INR (differences v w).
Definition lemma_16 : Prop := forall (O T : Type) k r (outputs : list O) P (rho : T -> T -> R) Phi theta
    (estimator : O -> T) (w : list bool -> R) allowed b,
  family k outputs P -> loss_of_distance rho Phi -> exactly_separated k r rho Phi theta ->
  distribution (vectors k) w -> worst_risk_at_most k outputs P rho Phi theta estimator allowed b ->
  sum (vectors k) (fun v => w v * risk outputs P rho Phi theta estimator v) - 2 * INR k * r * outside k w
    allowed <= b.
(* kent-lem-16 part: refuted as printed *)
Theorem lemma_16_is_false : ~ lemma_16.
Proof.
  intros L.
  specialize (L unit R 1%nat (1 / 8) [tt] (fun _ _ => 1) (fun x y => Rabs (x - y)) (fun x => x ^ 2)
    (fun v => if coin 0 v then 1 else 0) (fun _ => 1) (fun _ => 1 / 2) (coin 0) 0).
  assert (A0 : Rabs (1 - 1) = 0) by (replace (1 - 1) with 0 by ring; apply Rabs_R0).
  assert (A1 : Rabs (1 - 0) = 1) by (replace (1 - 0) with 1 by ring; apply Rabs_R1).
  assert (A2 : Rabs (0 - 1) = 1) by (rewrite Rabs_minus_sym; exact A1).
  assert (A3 : Rabs (0 - 0) = 0) by (replace (0 - 0) with 0 by ring; apply Rabs_R0).
  unfold outside, risk, coin in L. simpl in L. rewrite A0, A1 in L.
  enough (H : (1 / 2 * (1 * (0 * (0 * 1)) + 0) + (1 / 2 * (1 * (1 * (1 * 1)) + 0) + 0)) -
    2 * 1 * (1 / 8) * (0 + (1 / 2 + 0)) <= 0) by lra.
  apply L; clear L.
  - intros v _. split; [intros; lra | simpl; ring].
  - repeat split.
    + intros. apply Rabs_pos.
    + intros. apply Rabs_minus_sym.
    + intros x y z. replace (x - z) with ((x - y) + (y - z)) by ring. apply Rabs_triang.
    + intros a b Ha Hb. pose proof (pow_incr a b 2 (conj Ha Hb)) as I. simpl in I. exact I.
  - split; [lra |]. intros [| x [|]] [| y [|]] Hx Hy; try discriminate.
    destruct x, y; simpl; rewrite ?A0, ?A1, ?A2, ?A3; field.
  - split; [intros; lra | simpl; field].
  - split; [lra |]. intros [| a [|]] Ha Hc; try discriminate. simpl in Hc. subst. unfold risk. simpl.
  rewrite A0. lra.
Qed.
(* kent-lem-16 part: the repair, on finitely many outputs *)
Theorem lemma_16_repaired {O T} k r (outputs : list O) P (rho : T -> T -> R) Phi theta
    (estimator : O -> T) w allowed b :
  family k outputs P -> loss_of_distance rho Phi -> exactly_separated k r rho Phi theta ->
  distribution (vectors k) w -> worst_risk_at_most k outputs P rho Phi theta estimator allowed b ->
  sum (vectors k) (fun v => w v * nearest_risk k outputs P rho Phi theta estimator v) -
    2 * INR k * r * outside k w allowed <= b.
Proof.
  intros F L [Hr E] [W1 W2] [Hb B]. unfold outside. rewrite <- sum_scale, <- sum_minus.
  apply Rle_trans with (sum (vectors k) (fun v => w v * b)); [| rewrite sum_scale_r, W2; lra].
  apply sum_le. intros v Hv. specialize (W1 v Hv). apply in_vectors in Hv. destruct (allowed v) eqn:A.
  - pose proof (nearest_risk_le k outputs P rho Phi theta estimator v L F Hv) as N. specialize (B v Hv A).
    rewrite Rmult_0_r, Rminus_0_r. apply Rmult_le_compat_l; lra.
  - assert (N : nearest_risk k outputs P rho Phi theta estimator v <= 2 * INR k * r).
    { destruct (F v Hv) as [F1 F2]. unfold nearest_risk.
      rewrite <- (Rmult_1_l (2 * INR k * r)), <- F2, <- sum_scale_r. apply sum_le. intros o Ho.
      apply Rmult_le_compat_l; [now apply F1 |]. rewrite E by (auto; apply nearest_length).
      assert (D : INR (differences (nearest k rho theta estimator o) v) <= INR k).
      { apply le_INR. eapply Nat.le_trans; [apply differences_length |]; rewrite nearest_length;
        [now symmetry | lia]. }
      apply Rmult_le_compat_l with (r := 2 * r) in D; lra. }
    apply Rmult_le_compat_l with (r := w v) in N; [| exact W1].
    assert (0 <= w v * b) by now apply Rmult_le_pos. lra.
Qed.

(* Corollary 17: coins that show 1 with probability tau; printed with the uniform mixtures (183). *)
Definition corollary_17 (weight : R -> R) (tau : R) : Prop := forall (O T : Type) k r c (outputs : list O) P
    (rho : T -> T -> R) Phi theta (estimator : O -> T) allowed b,
  family k outputs P -> loss_of_distance rho Phi -> exactly_separated k r rho Phi theta ->
  0 < c -> outside k (prior tau) allowed <= c * tau ->
  worst_risk_at_most k outputs P rho Phi theta estimator allowed b ->
  2 * r * tau * (sum (seq 0 k) (fun j =>
    1 - tv outputs (mixture (weight tau) k P j true) (mixture (weight tau) k P j false)) - c * INR k) <= b.
Definition uniform (tau : R) : R := 1 / 2.
Definition of_prior (tau : R) : R := tau.
(* kent-cor-17 part: the repair, with the mixtures of the prior, on finitely many outputs *)
Theorem corollary_17_repaired tau : 0 < tau <= 1 / 2 -> corollary_17 of_prior tau.
Proof.
  intros Ht O T k r c outputs P rho Phi theta estimator allowed b F L E Hc Out B. unfold of_prior.
  assert (D : distribution (vectors k) (prior tau)) by
    (split; [intros; apply prior_nonneg; lra | apply prior_total]).
  pose proof (lemma_16_repaired k r outputs P rho Phi theta estimator (prior tau) allowed b F L E D B) as K.
  destruct E as [Hr E].
  assert (S : forall v w, length v = k -> length w = k ->
    2 * r * INR (differences v w) <= Phi (rho (theta v) (theta w) / 2)) by (intros; rewrite E; auto; lra).
  pose proof (nearest_risk_of_coins tau r k outputs P rho Phi theta estimator ltac:(lra) Hr F S) as N.
  rewrite Rmin_left in N by lra.
  assert (Q : 2 * INR k * r * outside k (prior tau) allowed <= 2 * INR k * r * (c * tau)).
  { apply Rmult_le_compat_l; [| exact Out]. pose proof (pos_INR k). apply Rmult_le_pos; lra. }
  lra.
Qed.
(* Two coins; three outputs tell which one shows 1, and two ones look like none, which is not allowed. *)
Definition told (v : list bool) : nat :=
  match v with [true; false] => 0%nat | [false; true] => 1%nat | _ => 2%nat end.
Definition telling (v : list bool) (o : nat) : R := if Nat.eqb (told v) o then 1 else 0.
Definition answer (o : nat) : bool * bool :=
  match o with 0%nat => (true, false) | 1%nat => (false, true) | _ => (false, false) end.
Definition hamming (x y : bool * bool) : R :=
  (if eqb (fst x) (fst y) then 0 else 1) + (if eqb (snd x) (snd y) then 0 else 1).
Lemma uniform_distance tau j : (j < 2)%nat ->
  tv [0; 1; 2]%nat (mixture (uniform tau) 2 telling j true) (mixture (uniform tau) 2 telling j false) = 1 / 2.
Proof.
  intros Hj.
  assert (V : forall o b, (o < 3)%nat -> mixture (uniform tau) 2 telling j b o =
    if Nat.eqb o 2 then 1 / 2 else if eqb b (Nat.eqb o j) then 1 / 2 else 0).
  { intros o b Ho. unfold mixture, telling, uniform, coin.
    destruct j as [| [| j]], b, o as [| [| [| o]]]; try lia; simpl; field. }
  unfold tv. cbn [sum fold_right]. rewrite !V by lia. destruct j as [| [| j]]; [| | lia]; cbn [Nat.eqb eqb].
  - rewrite (Rabs_pos_eq (1 / 2 - 0)), (Rabs_left1 (0 - 1 / 2)), (Rabs_pos_eq (1 / 2 - 1 / 2)) by lra. field.
  - rewrite (Rabs_pos_eq (1 / 2 - 0)), (Rabs_left1 (0 - 1 / 2)), (Rabs_pos_eq (1 / 2 - 1 / 2)) by lra. field.
Qed.
(* kent-cor-17 part: refuted with the uniform mixtures, at every tau below 1/2 *)
Theorem corollary_17_as_printed_is_false tau : 0 < tau < 1 / 2 -> ~ corollary_17 uniform tau.
Proof.
  intros Ht K.
  specialize (K nat (bool * bool)%type 2%nat (1 / 4) tau [0; 1; 2]%nat telling hamming (fun x => x)
    (fun v => (coin 0 v, coin 1 v)) answer (fun v => negb (coin 0 v && coin 1 v)) 0).
  cbn [seq sum fold_right] in K. rewrite !uniform_distance in K by lia.
  enough (H : 2 * (1 / 4) * tau * (1 - 1 / 2 + (1 - 1 / 2 + 0) - tau * INR 2) <= 0).
  { simpl in H. assert (0 < tau * (1 / 2 - tau)) by (apply Rmult_lt_0_compat; lra). lra. }
  apply K; clear K.
  - intros v Hv. split.
    + intros o _. unfold telling. destruct (Nat.eqb (told v) o); lra.
    + destruct v as [| [|] [| [|] [|]]]; try discriminate; unfold telling; simpl; ring.
  - unfold loss_of_distance, hamming. repeat split.
    + intros [[] []] [[] []]; simpl; lra.
    + intros [[] []] [[] []]; simpl; lra.
    + intros [[] []] [[] []] [[] []]; simpl; lra.
    + intros a b _ H. exact H.
  - split; [lra |]. unfold hamming.
    intros [| [|] [| [|] [|]]] [| [|] [| [|] [|]]] Hv Hw; try discriminate; simpl; field.
  - lra.
  - unfold outside, coin. simpl. lra.
  - split; [lra |]. intros v Hv A. unfold risk, telling, hamming.
    destruct v as [| [|] [| [|] [|]]]; try discriminate; simpl; lra.
Qed.
