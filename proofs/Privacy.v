(* What every theorem is about: neighbours, distributions, privacy, composition, conversations with users.
   Only definitions: together with those of the mechanisms they are what a reader has to trust.
   Guarantees.v proves that they are neither empty nor free, and how they combine. *)
From Coq Require Import Reals List.
Import ListNotations.
Open Scope R_scope.

(* Neighbours. *)
Definition anyone {X} (_ _ : X) : Prop := True.           (* local model: one user, any two sets of records *)
Definition replaced {X} (xs ys : list X) : Prop :=        (* one user's data exchanged for other data *)
  exists before u v after, xs = before ++ u :: after /\ ys = before ++ v :: after.
Definition one_more {X} (xs ys : list X) : Prop :=        (* the first list has one more user *)
  exists before u after, xs = before ++ u :: after /\ ys = before ++ after.
Definition added_or_removed {X} (xs ys : list X) : Prop := one_more xs ys \/ one_more ys xs.

(* A mechanism q gives to an output o on data x the weight q x o: a probability, or a density. *)
Definition private {X O} (near : X -> X -> Prop) (eps : R) (q : X -> O -> R) : Prop :=
  forall x y o, near x y -> q x o <= exp eps * q y o.
(* Some output is exp eps times as likely for one of two neighbours: for masses, no smaller budget holds. *)
Definition attains {X O} (near : X -> X -> Prop) (eps : R) (q : X -> O -> R) : Prop :=
  exists x y o, near x y /\ 0 < q y o /\ q x o = exp eps * q y o.

(* Finitely many outputs. *)
Definition sum {A} (l : list A) (f : A -> R) : R := fold_right (fun a s => f a + s) 0 l.
Definition complete {O} (outputs : list O) : Prop := NoDup outputs /\ forall o, In o outputs.
Definition distribution {O} (outputs : list O) (p : O -> R) : Prop :=
  (forall o, In o outputs -> 0 <= p o) /\ sum outputs p = 1.
Definition chance {O} (outputs : list O) (p : O -> R) (event : O -> bool) : R := sum (filter event outputs) p.
Definition private_by_events {X O} (near : X -> X -> Prop) eps (outputs : list O) (q : X -> O -> R) : Prop :=
  forall x y event, near x y -> chance outputs (q x) event <= exp eps * chance outputs (q y) event.
Definition approximately_private {X O} (near : X -> X -> Prop) eps delta (outputs : list O)
    (q : X -> O -> R) : Prop :=
  forall x y event, near x y -> chance outputs (q x) event <= exp eps * chance outputs (q y) event + delta.

(* Several answers. The second mechanism may depend on the first one's answer. *)
Definition composed {X O P} (first : X -> O -> R) (second : O -> X -> P -> R) (x : X) (op : O * P) : R :=
  first x (fst op) * second (fst op) x (snd op).
Definition processed {X O P} (outputs : list O) (q : X -> O -> R) (channel : O -> P -> R) (x : X)
    (p : P) : R :=
  sum outputs (fun o => q x o * channel o p).
(* Disjoint users: the first k answer the first mechanism, the others the second. *)
Definition in_parallel {X O P} (k : nat) (first : list X -> O -> R) (second : O -> list X -> P -> R)
    (xs : list X) (op : O * P) : R :=
  first (firstn k xs) (fst op) * second (fst op) (skipn k xs) (snd op).

(* Local protocols: users answer in turn, each through a randomiser that depends on all earlier answers. *)
Fixpoint transcript {X A} (q : list A -> X -> A -> R) (seen : list A) (users : list X)
    (answers : list A) : R :=
  match users, answers with
  | [], [] => 1
  | u :: others, a :: rest => q seen u a * transcript q (seen ++ [a]) others rest
  | _, _ => 0
  end.
(* The same where a user may answer in several rounds: the turns name who speaks. *)
Fixpoint conversation {X A} (q : list A -> X -> A -> R) (seen : list A) (turns : list nat) (data : nat -> X)
    (answers : list A) : R :=
  match turns, answers with
  | [], [] => 1
  | i :: others, a :: rest => q seen (data i) a * conversation q (seen ++ [a]) others data rest
  | _, _ => 0
  end.
Definition differ_only_at {X} (i : nat) (x y : nat -> X) : Prop := forall j, j <> i -> x j = y j.
Definition same_but_one {X} (x y : nat -> X) : Prop := exists i, differ_only_at i x y.
Definition same_but_one_among {X} (allowed : X -> Prop) (x y : nat -> X) : Prop :=
  same_but_one x y /\ (forall i, allowed (x i)) /\ (forall i, allowed (y i)).
(* What user i spends when the turns from time t on cost budget t, budget (t + 1), ... *)
Fixpoint spent (i : nat) (budget : nat -> R) (t : nat) (turns : list nat) : R :=
  match turns with
  | [] => 0
  | j :: others => (if Nat.eqb j i then budget t else 0) + spent i budget (S t) others
  end.
