(* Kent et al., Algorithm 1: votes for the balls of a cover. Model of userdp.local.cover.cover_select. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means.
Import ListNotations.
Open Scope R_scope.

(* Ball j of N holds the point x if holds j x. Repaired: a one for the first ball that holds it. *)
Fixpoint first_ball (N : nat) (holds : nat -> bool) : nat :=
  match N with O => O | S N => if holds O then O else S (first_ball N (fun j => holds (S j))) end.
Definition algorithm_1 {X} (N : nat) (holds : nat -> X -> bool) (_ : list answer) : question X :=
  Cast N 1 (fun x => one_hot N (first_ball N (fun j => holds j x))).
(* Printed: a one for every ball that holds it, each entry with odds exp (eps / 2). *)
Definition algorithm_1_printed {X} (N : nat) (eps : R) (holds : nat -> X -> bool) (x : X) : list bool -> R :=
  unary (eps / 2) (map (fun j => holds j x) (seq 0 N)).

Lemma algorithm_1_fair {X} N (holds : nat -> X -> bool) seen : fair (algorithm_1 N holds seen).
Proof. split; [lia | apply one_hot_ballots]. Qed.
(* kent-alg-1 part: repaired, the whole transcript is private *)
Theorem algorithm_1_is_private {X} N eps (holds : nat -> X -> bool) : 0 < eps ->
  private replaced eps (transcript (follow eps (algorithm_1 N holds)) []).
Proof. intros He. apply follow_private; [exact He |]. intros. apply algorithm_1_fair. Qed.
(* kent-alg-1 part: every vote is a distribution *)
Theorem algorithm_1_is_lawful {X} N eps (holds : nat -> X -> bool) seen x : 0 < eps ->
  lawful (algorithm_1 N holds seen) (follow eps (algorithm_1 N holds) seen x).
Proof. intros He. apply asked_lawful; [exact He | apply algorithm_1_fair]. Qed.
(* kent-alg-1 part: the loss is exactly the budget as soon as two of the disjoint balls hold a point *)
Theorem algorithm_1_loses_the_budget {X} N eps (holds : nat -> X -> bool) x y others : 0 < eps ->
  (first_ball N (fun j => holds j x) < N)%nat -> (first_ball N (fun j => holds j y) < N)%nat ->
  first_ball N (fun j => holds j x) <> first_ball N (fun j => holds j y) ->
  let P := transcript (follow eps (algorithm_1 N holds)) [] in
  exists answers, 0 < P (y :: others) answers /\ P (x :: others) answers = exp eps * P (y :: others) answers.
Proof.
  intros He Hx Hy D P. apply follow_attains; [exact He | intros; apply algorithm_1_fair |].
  apply cast_attains; [lia | now rewrite !one_hot_length |]. now apply one_hot_differences.
Qed.

(* How many of N balls hold a point. *)
Definition held {X} (N : nat) (holds : nat -> X -> bool) (x : X) : nat :=
    ones (map (fun j => holds j x) (seq 0 N)).
Lemma differences_apart {A} (f g : A -> bool) l : (forall a, In a l -> f a && g a = false) ->
  differences (map f l) (map g l) = (ones (map f l) + ones (map g l))%nat.
Proof.
  unfold ones. induction l as [| a l IH]; intros H; simpl; [reflexivity |].
  rewrite IH by (intros b Hb; apply H; now right). specialize (H a (or_introl eq_refl)).
  destruct (f a), (g a); simpl in *; try discriminate; lia.
Qed.
(* kent-alg-1 part: printed without the prime a vote loses k budgets where k balls hold each point *)
Theorem algorithm_1_printed_loses {X} N k eps (holds : nat -> X -> bool) x y :
  held N holds x = k -> held N holds y = k -> (forall j, (j < N)%nat -> holds j x && holds j y = false) ->
  attains anyone (INR k * eps) (algorithm_1_printed N eps holds).
Proof.
  intros Hx Hy D. replace (INR k * eps) with (INR (k + k) * (eps / 2)) by (rewrite plus_INR; field).
  rewrite <- Hx at 1. rewrite <- Hy. unfold held. rewrite <- differences_apart.
  - apply (unary_attains _ (fun x => map (fun j => holds j x) (seq 0 N))). now rewrite !map_length.
  - intros j Hj. apply in_seq in Hj. apply D. lia.
Qed.
(* Intervals as the balls of the line: centres and one radius. *)
Definition in_ball (centre : nat -> R) (radius : R) (j : nat) (x : R) : bool :=
  if Rle_dec (Rabs (x - centre j)) radius then true else false.
Definition algorithm_1_as_printed_keeps (eps : R) : Prop :=
  forall N centre radius, 0 < radius -> private anyone eps
    (algorithm_1_printed N eps (in_ball centre radius)).
(* kent-alg-1 part: so the printed votes break every budget *)
Theorem algorithm_1_as_printed_breaks_every_budget eps : 0 < eps -> ~ algorithm_1_as_printed_keeps eps.
Proof.
  intros He P. set (centre := fun j => match j with 0%nat => 0 | 1%nat => 1 | 2%nat => 10 | _ => 11 end).
  refine (attained_refutes anyone (INR 2 * eps) eps _ _ _ (P 4%nat centre 1 Rlt_0_1)); [| simpl; lra].
  assert (E : forall j x c, centre j = c -> in_ball centre 1 j x = if Rle_dec (Rabs (x - c)) 1 then true
    else false).
  { intros j x c <-. reflexivity. }
  assert (Y : forall x c, -1 <= x - c <= 1 -> (if Rle_dec (Rabs (x - c)) 1 then true else false) = true).
  { intros x c H. destruct (Rle_dec _ _) as [_ | N]; [reflexivity |]. destruct N. now apply Rabs_le. }
  assert (No : forall x c, 1 < x - c \/ x - c < -1 -> (if Rle_dec (Rabs (x - c)) 1 then true else false) =
    false).
  { intros x c H. destruct (Rle_dec _ _) as [L | _]; [| reflexivity].
    pose proof (Rle_abs (x - c)). pose proof (Rle_abs (- (x - c))) as B. rewrite Rabs_Ropp in B. lra. }
  apply algorithm_1_printed_loses with (x := 1 / 2) (y := 21 / 2).
  - unfold held. simpl map. rewrite (E 0%nat _ 0), (E 1%nat _ 1), (E 2%nat _ 10), (E 3%nat _ 11) by
    reflexivity.
    rewrite (Y (1 / 2) 0), (Y (1 / 2) 1), (No (1 / 2) 10), (No (1 / 2) 11) by lra. reflexivity.
  - unfold held. simpl map. rewrite (E 0%nat _ 0), (E 1%nat _ 1), (E 2%nat _ 10), (E 3%nat _ 11) by
    reflexivity.
    rewrite (No (21 / 2) 0), (No (21 / 2) 1), (Y (21 / 2) 10), (Y (21 / 2) 11) by lra. reflexivity.
  - intros [| [| [| [| j]]]] H; try lia.
    + rewrite !(E 0%nat _ 0), (No (21 / 2) 0) by (reflexivity || lra). apply andb_false_r.
    + rewrite !(E 1%nat _ 1), (No (21 / 2) 1) by (reflexivity || lra). apply andb_false_r.
    + rewrite !(E 2%nat _ 10), (No (1 / 2) 10) by (reflexivity || lra). reflexivity.
    + rewrite !(E 3%nat _ 11), (No (1 / 2) 11) by (reflexivity || lra). reflexivity.
Qed.
