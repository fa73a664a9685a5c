(* Kent et al., Section 2.3: how often a curator must misunderstand n users who all know the answer to a yes-or-no
   question. Model of central_floor on the page book/questions-floor. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools.
Import ListNotations.
Open Scope R_scope.

(* The answers of n users, one of whom may be replaced; q x true is the chance that the mechanism says yes. *)
Definition all (n : nat) (answer : bool) : list bool := repeat answer n.
Definition error (n : nat) (q : list bool -> bool -> R) : R := / 2 * (q (all n false) true + q (all n true) false).
Definition answers (q : list bool -> bool -> R) : Prop := forall x, distribution [true; false] (q x).
Definition floor_of (h : nat) (eps : R) : R := / 2 * exp (- (INR h * eps)).

(* The first i users say yes, the others no. *)
Definition said (i j : nat) : list bool := repeat true i ++ repeat false j.
Lemma one_more_yes i j : replaced (said (S i) j) (said i (S j)) /\ replaced (said i (S j)) (said (S i) j).
Proof.
  assert (A : said (S i) j = repeat true i ++ true :: repeat false j).
  { unfold said. change (repeat true (S i)) with (true :: repeat true i).
    rewrite repeat_cons, <- app_assoc. reflexivity. }
  rewrite A. unfold said. change (repeat false (S j)) with (false :: repeat false j).
  split; [exists (repeat true i), true, false, (repeat false j) | exists (repeat true i), false, true, (repeat false j)]; tauto.
Qed.
Lemma climbs q eps i : private replaced eps q -> forall j, q (said i j) true <= exp (INR i * eps) * q (said 0 (i + j)) true.
Proof.
  intros P. induction i as [| i IH]; intros j.
  - simpl INR. rewrite Rmult_0_l, exp_0. simpl. lra.
  - apply Rle_trans with (exp eps * q (said i (S j)) true); [apply P, one_more_yes |].
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, (Rplus_comm (INR i * eps)), exp_plus, Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply exp_pos |]. replace (S i + j)%nat with (i + S j)%nat by lia. apply IH.
Qed.
Lemma falls q eps j : private replaced eps q -> forall i, q (said i j) false <= exp (INR j * eps) * q (said (i + j) 0) false.
Proof.
  intros P. induction j as [| j IH]; intros i.
  - simpl INR. rewrite Rmult_0_l, exp_0, Nat.add_0_r. lra.
  - apply Rle_trans with (exp eps * q (said (S i) j) false); [apply P, one_more_yes |].
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, (Rplus_comm (INR j * eps)), exp_plus, Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply exp_pos |]. replace (i + S j)%nat with (S i + j)%nat by lia. apply IH.
Qed.
Lemma at_least_the_floor h eps q : answers q -> private replaced eps q -> floor_of h eps <= error (2 * h) q.
Proof.
  intros A P. pose proof (climbs q eps h P h) as U. pose proof (falls q eps h P h) as V.
  destruct (A (said h h)) as [_ S]. simpl in S.
  assert (E0 : said 0 (h + h) = all (2 * h) false) by (unfold said, all; simpl; f_equal; lia).
  assert (E1 : said (h + h) 0 = all (2 * h) true) by (unfold said, all; simpl; rewrite app_nil_r; f_equal; lia).
  rewrite E0 in U. rewrite E1 in V. unfold floor_of, error.
  set (p := q (all (2 * h) false) true) in *. set (r := q (all (2 * h) true) false) in *.
  assert (T : 1 <= exp (INR h * eps) * (p + r)) by lra.
  apply Rmult_le_compat_l with (r := exp (- (INR h * eps))) in T; [| left; apply exp_pos].
  replace (exp (- (INR h * eps)) * (exp (INR h * eps) * (p + r))) with
    ((exp (INR h * eps) * exp (- (INR h * eps))) * (p + r)) in T by ring.
  rewrite exp_times_opposite in T. lra.
Qed.

(* The mechanism that attains it: yes grows by exp eps up to the middle, no falls by it beyond. *)
Fixpoint yeses (x : list bool) : nat := match x with [] => O | b :: r => ((if b then 1 else 0) + yeses r)%nat end.
Definition chance_of_yes (h : nat) (eps : R) (i : nat) : R :=
  if Nat.leb i h then / 2 * exp (- (INR (h - i) * eps)) else 1 - / 2 * exp (- (INR (i - h) * eps)).
Definition attaining (h : nat) (eps : R) (x : list bool) (o : bool) : R :=
  let p := chance_of_yes h eps (yeses x) in if o then p else 1 - p.
Lemma half_at_most a : 0 <= a -> 0 < / 2 * exp (- a) <= / 2.
Proof.
  intros H. pose proof (exp_pos (- a)). assert (exp (- a) <= 1) by (rewrite <- exp_0; apply exp_le; lra). lra.
Qed.
Lemma chances h eps i : 0 <= eps -> 0 < chance_of_yes h eps i < 1.
Proof.
  intros He. unfold chance_of_yes. destruct (Nat.leb i h).
  - pose proof (half_at_most (INR (h - i) * eps) ltac:(apply Rmult_le_pos; [apply pos_INR | exact He])). lra.
  - pose proof (half_at_most (INR (i - h) * eps) ltac:(apply Rmult_le_pos; [apply pos_INR | exact He])). lra.
Qed.
(* A step of one user, where s <= 1/2 is grown from a by exp eps. *)
Lemma grown a s k : 1 <= k -> s = k * a -> 0 < a -> s <= / 2 ->
  a <= k * s /\ s <= k * a /\ 1 - a <= k * (1 - s) /\ 1 - s <= k * (1 - a).
Proof. intros K -> Ha Hs. assert (a <= k * a) by nra. repeat split; nra. Qed.
Lemma one_step h eps i : 0 <= eps -> let p := chance_of_yes h eps in
  p i <= exp eps * p (S i) /\ p (S i) <= exp eps * p i /\
  1 - p i <= exp eps * (1 - p (S i)) /\ 1 - p (S i) <= exp eps * (1 - p i).
Proof.
  intros He p. pose proof (one_le_exp eps He) as K. unfold p, chance_of_yes.
  destruct (Nat.leb_spec (S i) h) as [L | L].
  - replace (Nat.leb i h) with true by (symmetry; apply Nat.leb_le; lia).
    pose proof (half_at_most (INR (h - i) * eps) ltac:(apply Rmult_le_pos; [apply pos_INR | exact He])) as A.
    pose proof (half_at_most (INR (h - S i) * eps) ltac:(apply Rmult_le_pos; [apply pos_INR | exact He])) as B.
    apply grown; try tauto. replace (h - i)%nat with (S (h - S i)) by lia. rewrite S_INR.
    replace (- (INR (h - S i) * eps)) with (eps + - ((INR (h - S i) + 1) * eps)) by ring. rewrite exp_plus. ring.
  - assert (B : forall k, let a := / 2 * exp (- (INR (S k) * eps)) in let s := / 2 * exp (- (INR k * eps)) in
      1 - s <= exp eps * (1 - a) /\ 1 - a <= exp eps * (1 - s) /\ s <= exp eps * a /\ a <= exp eps * s).
    { intros k a s. pose proof (half_at_most (INR (S k) * eps) ltac:(apply Rmult_le_pos; [apply pos_INR | exact He])) as A.
      pose proof (half_at_most (INR k * eps) ltac:(apply Rmult_le_pos; [apply pos_INR | exact He])) as B.
      destruct (grown a s (exp eps) K) as (P & Q & R & T); unfold a, s; try tauto.
      rewrite S_INR. replace (- (INR k * eps)) with (eps + - ((INR k + 1) * eps)) by ring. rewrite exp_plus. ring. }
    destruct (Nat.leb_spec i h) as [M | M].
    + assert (i = h) by lia. subst i. specialize (B 0%nat). cbv zeta in B.
      replace (S h - h)%nat with 1%nat by lia. replace (h - h)%nat with 0%nat by lia.
      simpl (INR 0) in *. rewrite Rmult_0_l, Ropp_0, exp_0 in *. lra.
    + specialize (B (i - h)%nat). cbv zeta in B. replace (S (i - h))%nat with (S i - h)%nat in B by lia. lra.
Qed.
Lemma yeses_app x y : yeses (x ++ y) = (yeses x + yeses y)%nat.
Proof. induction x as [| b x IH]; simpl; [reflexivity |]. rewrite IH. lia. Qed.
Lemma attaining_private h eps : 0 <= eps -> private replaced eps (attaining h eps).
Proof.
  intros He x y o (a & u & v & b & -> & ->). unfold attaining. rewrite !yeses_app. simpl yeses. set (k := (yeses a + yeses b)%nat).
  pose proof (one_step h eps k He) as St. cbv zeta in St. pose proof (chances h eps k He). pose proof (chances h eps (S k) He).
  replace (yeses a + ((if u then 1 else 0) + yeses b))%nat with (if u then S k else k) by (unfold k; destruct u; lia).
  replace (yeses a + ((if v then 1 else 0) + yeses b))%nat with (if v then S k else k) by (unfold k; destruct v; lia).
  destruct u, v, o; try tauto; apply below_grown; lra.
Qed.
Lemma yeses_all n b : yeses (all n b) = if b then n else 0%nat.
Proof. unfold all. induction n as [| n IH]; destruct b; simpl in *; lia. Qed.
(* kent-rem-2 part: of n = 2h users, all of whom say the same, a curator with budget eps errs with a chance of at least 1/2 exp(-h eps), and no more is needed *)
Theorem central_floor_of_a_question h eps : 0 <= eps ->
  (forall q, answers q -> private replaced eps q -> floor_of h eps <= error (2 * h) q) /\
  answers (attaining h eps) /\ private replaced eps (attaining h eps) /\ error (2 * h) (attaining h eps) = floor_of h eps.
Proof.
  intros He. split; [intros; now apply at_least_the_floor |]. split; [| split; [now apply attaining_private |]].
  - intros x. pose proof (chances h eps (yeses x) He). split; [intros [|] _; unfold attaining; lra | simpl; unfold attaining; lra].
  - unfold error, attaining, floor_of. rewrite !yeses_all. unfold chance_of_yes. cbn [Nat.leb].
    replace (h - 0)%nat with h by lia. destruct (Nat.leb_spec (2 * h) h) as [L | L].
    + assert (h = 0%nat) by lia. subst h. simpl. rewrite Rmult_0_l, Ropp_0, exp_0. lra.
    + replace (2 * h - h)%nat with h by lia. lra.
Qed.
