(* Votes: binary response, k-ary response, unary encoding with any number of ones, the two-point report.
   Models of userdp.privacy.reports: BinaryResponse, KaryResponse, UnaryEncoding, TwoPointReport. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees.
Import ListNotations.
Open Scope R_scope.

(* Unary encoding: entry by entry the response of Guarantees.v, which keeps with
    probability e^a / (1 + e^a). *)
Fixpoint unary (a : R) (x o : list bool) : R :=
  match x, o with
  | [], [] => 1
  | b :: x, c :: o => respond a b c * unary a x o
  | _, _ => 0
  end.
Definition ones (x : list bool) : nat := count_occ bool_dec x true.
Fixpoint differences (x y : list bool) : nat :=
  match x, y with b :: x, c :: y => ((if eqb b c then 0 else 1) + differences x y)%nat | _, _ => 0%nat end.
Fixpoint vectors (d : nat) : list (list bool) :=
  match d with O => [[]] | S d => map (cons true) (vectors d) ++ map (cons false) (vectors d) end.
(* The vote of a user whose data are u: a vector f u with at most r ones, each entry with
    log-odds eps / (2 r). *)
Definition vote {X} (r : nat) (eps : R) (f : X -> list bool) (u : X) : list bool -> R :=
  unary (eps / (2 * INR r)) (f u).
Definition ballots {X} (d r : nat) (f : X -> list bool) : Prop :=
  forall u, length (f u) = d /\ (ones (f u) <= r)%nat.

Lemma unary_nonneg a x : forall o, 0 <= unary a x o.
Proof.
  induction x as [| b x IH]; intros [| c o]; simpl; try lra.
  apply Rmult_le_pos; [left; apply response_positive | apply IH].
Qed.
Lemma unary_positive a x : forall o, length o = length x -> 0 < unary a x o.
Proof.
  induction x as [| b x IH]; intros [| c o] H; simpl in *; try discriminate; [lra |].
  apply Rmult_lt_0_compat; [apply response_positive | apply IH; lia].
Qed.
Lemma unary_distribution a x : distribution (vectors (length x)) (unary a x).
Proof.
  split; [intros; apply unary_nonneg |]. induction x as [| b x IH]; simpl; [ring |].
  rewrite sum_app, !sum_map. simpl. rewrite !sum_scale, IH.
  destruct (response_distribution a b) as [_ E]. simpl in E. lra.
Qed.
Lemma unary_loss a x y o : 0 <= a -> length x = length y ->
  unary a x o <= exp (INR (differences x y) * a) * unary a y o.
Proof.
  intros Ha. revert y o. induction x as [| b x IH]; intros [| c y] [| d o] H;
    simpl in *; try discriminate; rewrite ?Rmult_0_l, ?exp_0; try lra.
  rewrite plus_INR, Rmult_plus_distr_r.
  apply product_le; [left; apply response_positive | apply unary_nonneg | | apply IH; lia].
  destruct (eqb b c) eqn:E.
  - apply eqb_prop in E. subst. simpl. rewrite Rmult_0_l, exp_0. lra.
  - simpl. rewrite Rmult_1_l. now apply response_private.
Qed.
Lemma unary_loss_attained a x y : length x = length y ->
  unary a x x = exp (INR (differences x y) * a) * unary a y x.
Proof.
  revert y. induction x as [| b x IH]; intros [| c y] H; simpl in *; try discriminate.
  - rewrite Rmult_0_l, exp_0. ring.
  - rewrite (IH y) by lia. rewrite plus_INR, Rmult_plus_distr_r, exp_plus. unfold respond.
    rewrite eqb_reflx. pose proof (exp_pos a).
    destruct b, c; simpl; rewrite ?Rmult_0_l, ?Rmult_1_l, ?exp_0; field; lra.
Qed.
Lemma differences_at_most x y : (differences x y <= ones x + ones y)%nat.
Proof.
  unfold ones. revert y. induction x as [| b x IH]; intros [| c y]; simpl; try lia.
  specialize (IH y). destruct b, c; simpl; lia.
Qed.
Lemma differences_length x y : length x = length y -> (differences x y <= length x)%nat.
Proof.
  revert y. induction x as [| b x IH]; intros [| c y] H; simpl in *; try lia.
  specialize (IH y ltac:(lia)). destruct (eqb b c); lia.
Qed.
Lemma differences_app x y x' y' : length x = length y ->
  differences (x ++ x') (y ++ y') = (differences x y + differences x' y')%nat.
Proof.
  revert y. induction x as [| b x IH]; intros [| c y] H; simpl in *; try discriminate; [reflexivity |].
  rewrite IH by lia. lia.
Qed.
Lemma differences_repeat b c n : b <> c -> differences (repeat b n) (repeat c n) = n.
Proof. intros N. induction n; simpl; [reflexivity |]. destruct b, c; simpl; congruence. Qed.
Lemma differences_self x : differences x x = 0%nat.
Proof. induction x; simpl; [reflexivity |]. now rewrite eqb_reflx. Qed.
Lemma ones_app x y : ones (x ++ y) = (ones x + ones y)%nat.
Proof. unfold ones. now rewrite count_occ_app. Qed.
Lemma ones_repeat_true n : ones (repeat true n) = n.
Proof. unfold ones. induction n; simpl; congruence. Qed.
Lemma ones_repeat_false n : ones (repeat false n) = 0%nat.
Proof. unfold ones. induction n; simpl; auto. Qed.

(* The report of any vectors that differ in at most k entries. *)
Lemma unary_private {X} a k (f : X -> list bool) : 0 <= a ->
  (forall u v, length (f u) = length (f v)) -> (forall u v, differences (f u) (f v) <= k)%nat ->
  private anyone (INR k * a) (fun u => unary a (f u)).
Proof.
  intros Ha L D u v o _. eapply Rle_trans; [apply unary_loss; auto |].
  apply Rmult_le_compat_r; [apply unary_nonneg |]. apply exp_le, Rmult_le_compat_r; [exact Ha |].
  apply le_INR, D.
Qed.
Lemma unary_attains {X} a (f : X -> list bool) u v : length (f u) = length (f v) ->
  attains anyone (INR (differences (f u) (f v)) * a) (fun u => unary a (f u)).
Proof.
  intros L. exists u, v, (f u). split; [exact I |]. split; [now apply unary_positive |].
  now apply unary_loss_attained.
Qed.
Lemma log_odds_budget r eps : (0 < r)%nat -> INR (2 * r) * (eps / (2 * INR r)) = eps.
Proof. intros Hr. apply lt_INR in Hr. simpl in Hr. rewrite mult_INR. simpl INR. field. lra. Qed.
Lemma log_odds_nonneg r eps : (0 < r)%nat -> 0 <= eps -> 0 <= eps / (2 * INR r).
Proof.
  intros Hr He. apply lt_INR in Hr. simpl in Hr. apply Rmult_le_pos; [lra |].
  left. apply Rinv_0_lt_compat. lra.
Qed.
Lemma vote_private {X} d r eps (f : X -> list bool) : 0 <= eps -> (0 < r)%nat -> ballots d r f ->
  private anyone eps (vote r eps f).
Proof.
  intros He Hr B. rewrite <- (log_odds_budget r eps Hr) at 1. apply unary_private.
  - now apply log_odds_nonneg.
  - intros u v. destruct (B u) as [-> _], (B v) as [-> _]. reflexivity.
  - intros u v. destruct (B u) as [_ Hu], (B v) as [_ Hv]. pose proof (differences_at_most (f u) (f v)). lia.
Qed.
Lemma vote_distribution {X} d r eps (f : X -> list bool) u : ballots d r f ->
  distribution (vectors d) (vote r eps f u).
Proof. intros B. destruct (B u) as [<- _]. apply unary_distribution. Qed.
(* Two users whose vectors have r ones each in different places. *)
Lemma vote_attains {X} r eps (f : X -> list bool) u v : (0 < r)%nat -> length (f u) = length (f v) ->
  differences (f u) (f v) = (2 * r)%nat -> attains anyone eps (vote r eps f).
Proof.
  intros Hr L D. rewrite <- (log_odds_budget r eps Hr) at 1. rewrite <- D. now apply unary_attains.
Qed.

(* One vote: the vector with a one at place j of d places (none if j is not among them). *)
Fixpoint one_hot (d j : nat) : list bool :=
  match d with
  | O => []
  | S d => match j with O => true :: repeat false d | S j => false :: one_hot d j end
  end.
Lemma one_hot_length d : forall j, length (one_hot d j) = d.
Proof. induction d; intros [| j]; simpl; rewrite ?repeat_length; auto. Qed.
Lemma one_hot_ones d : forall j, (ones (one_hot d j) <= 1)%nat.
Proof.
  unfold ones. induction d; intros [| j]; simpl; try lia; [| apply IHd].
  change (count_occ bool_dec (repeat false d) true) with (ones (repeat false d)).
  rewrite ones_repeat_false. lia.
Qed.
Lemma one_hot_differences d : forall i j, (i < d)%nat -> (j < d)%nat -> i <> j ->
  differences (one_hot d i) (one_hot d j) = 2%nat.
Proof.
  assert (Z : forall d j, (j < d)%nat -> differences (repeat false d) (one_hot d j) = 1%nat).
  { clear. induction d; intros [| j] H; simpl; try lia; [| apply IHd; lia].
    now rewrite differences_self. }
  assert (Z' : forall d j, (j < d)%nat -> differences (one_hot d j) (repeat false d) = 1%nat).
  { clear. induction d; intros [| j] H; simpl; try lia; [| apply IHd; lia].
    now rewrite differences_self. }
  induction d; intros [| i] [| j] Hi Hj N; simpl; try lia.
  - rewrite Z by lia. reflexivity.
  - rewrite Z' by lia. reflexivity.
  - apply IHd; lia.
Qed.
Lemma one_hot_ballots {X} d (f : X -> nat) : ballots d 1 (fun u => one_hot d (f u)).
Proof. intros u. split; [apply one_hot_length | apply one_hot_ones]. Qed.

(* k-ary response. *)
Definition kary (k : nat) (eps : R) (c o : nat) : R :=
  (if Nat.eqb c o then exp eps else 1) / (exp eps + INR k - 1).
Lemma kary_denominator k eps : (0 < k)%nat -> 0 < exp eps + INR k - 1.
Proof. intros Hk. apply lt_0_INR in Hk. apply Rlt_le_trans with (exp eps); [apply exp_pos |].
  enough (1 <= INR k) by lra. change 1 with (INR 1). apply le_INR. apply INR_lt. simpl. lra. Qed.
Lemma kary_private k eps : 0 <= eps -> (0 < k)%nat -> private anyone eps (kary k eps).
Proof.
  intros He Hk c e o _. pose proof (kary_denominator k eps Hk) as Hd. pose proof (one_le_exp eps He) as H1.
  unfold kary, Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |].
  assert (exp eps <= exp eps * exp eps) by
    (rewrite <- (Rmult_1_l (exp eps)) at 1; apply Rmult_le_compat_r; lra).
  destruct (Nat.eqb c o), (Nat.eqb e o); lra.
Qed.
Lemma kary_attains k eps : (0 < k)%nat -> attains anyone eps (kary k eps).
Proof.
  intros Hk. pose proof (kary_denominator k eps Hk). exists 0%nat, 1%nat, 0%nat. split; [exact I |].
  unfold kary. simpl. split; [apply Rdiv_lt_0_compat; lra |]. field. lra.
Qed.
Lemma kary_distribution k eps c : (c < k)%nat -> distribution (seq 0 k) (kary k eps c).
Proof.
  intros Hc. assert (Hk : (0 < k)%nat) by lia. pose proof (kary_denominator k eps Hk) as Hd.
  assert (S : forall n m, (m <= c < m + n)%nat ->
    sum (seq m n) (fun o => if Nat.eqb c o then exp eps else 1) = exp eps + INR n - 1).
  { assert (Z : forall n m, (c < m)%nat -> sum (seq m n) (fun o => if Nat.eqb c o then exp eps else 1) =
    INR n).
    { induction n as [| n IH]; intros m H; simpl sum; [reflexivity |]. rewrite IH, S_INR by lia.
      destruct (Nat.eqb_spec c m); [lia | ring]. }
    induction n as [| n IH]; intros m H; [lia |]. simpl sum. rewrite S_INR.
    destruct (Nat.eqb_spec c m) as [-> | N]; [rewrite Z by lia; ring | rewrite IH by lia; ring]. }
  split.
  - intros o _. unfold kary. left. apply Rdiv_lt_0_compat; [destruct (Nat.eqb c o) |];
    pose proof (exp_pos eps); lra.
  - unfold kary, Rdiv. rewrite sum_scale_r, S by lia. field. lra.
Qed.

(* The two-point report of a number x in [-h, h]: true stands for the upper point B, false for -B. *)
Definition magnitude (h eps : R) : R := h * (exp eps + 1) / (exp eps - 1).
Definition two_point (h eps x : R) (o : bool) : R :=
  1 / 2 + (if o then x else - x) / (2 * magnitude h eps).
Definition within (h : R) (x y : R) : Prop := - h <= x <= h /\ - h <= y <= h.
Lemma two_point_form h eps x o : 0 < h -> 0 < eps ->
  two_point h eps x o = (h * (exp eps + 1) + (if o then x else - x) * (exp eps - 1)) /
    (2 * h * (exp eps + 1)).
Proof.
  intros Hh He. pose proof (one_lt_exp eps He). unfold two_point, magnitude. destruct o; field; lra.
Qed.
Lemma two_point_private h eps : 0 < h -> 0 < eps -> private (within h) eps (two_point h eps).
Proof.
  intros Hh He x y o [Hx Hy]. rewrite !two_point_form by assumption. pose proof (one_lt_exp eps He) as H1.
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r.
  { left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra. }
  assert (U : forall s, - h <= s <= h ->
    2 * h <= h * (exp eps + 1) + s * (exp eps - 1) <= exp eps * (2 * h)).
  { intros s Hs. assert (- h * (exp eps - 1) <= s * (exp eps - 1) <= h * (exp eps - 1)).
    { split; apply Rmult_le_compat_r; lra. } lra. }
  assert (Ux : - h <= (if o then x else - x) <= h) by (destruct o; lra).
  assert (Uy : - h <= (if o then y else - y) <= h) by (destruct o; lra).
  apply U in Ux. apply U in Uy. eapply Rle_trans; [apply Ux |]. apply Rmult_le_compat_l; [lra | apply Uy].
Qed.
Lemma two_point_attains h eps : 0 < h -> 0 < eps -> attains (within h) eps (two_point h eps).
Proof.
  intros Hh He. pose proof (one_lt_exp eps He) as H1. exists h, (- h), true.
  split; [split; lra |]. rewrite !two_point_form by assumption. split; [| field; lra].
  apply Rdiv_lt_0_compat; [| repeat apply Rmult_lt_0_compat; lra].
  replace (h * (exp eps + 1) + - h * (exp eps - 1)) with (2 * h) by ring. lra.
Qed.
Lemma two_point_distribution h eps x : 0 < h -> 0 < eps -> - h <= x <= h ->
  distribution [true; false] (two_point h eps x).
Proof.
  intros Hh He Hx. pose proof (one_lt_exp eps He) as H1. split.
  - intros o _. rewrite two_point_form by assumption. left.
    apply Rdiv_lt_0_compat; [| repeat apply Rmult_lt_0_compat; lra].
    assert (- h * (exp eps - 1) <= (if o then x else - x) * (exp eps - 1)).
    { apply Rmult_le_compat_r; [lra | destruct o; lra]. } lra.
  - simpl. rewrite !two_point_form by assumption. field. lra.
Qed.
(* Its mean is the number. *)
Lemma two_point_mean h eps x : 0 < h -> 0 < eps ->
  sum [true; false] (fun o => two_point h eps x o * (if o then magnitude h eps else - magnitude h eps)) = x.
Proof. intros Hh He. pose proof (one_lt_exp eps He). simpl. unfold two_point, magnitude. field. lra. Qed.
