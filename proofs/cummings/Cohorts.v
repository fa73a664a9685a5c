(* Cummings et al., Theorem D.1: the budgets are counted per cohort, as if users stayed in theirs; with private sizes they add. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees.
Import ListNotations.
Open Scope R_scope.

(* A user is a size and data; cohorts are cut by the rank of the sizes, the smallest first. *)
Definition user (X : Type) : Type := (nat * X)%type.
Fixpoint insert {X} (u : user X) (l : list (user X)) : list (user X) :=
  match l with [] => [u] | v :: r => if Nat.leb (fst u) (fst v) then u :: l else v :: insert u r end.
Definition by_size {X} (l : list (user X)) : list (user X) := fold_right insert [] l.
(* Three cohorts, each with its own mechanism; the later ones may depend on what was released before. *)
Definition by_cohorts {X O P Q} (small large : nat) (first : list (user X) -> O -> R) (second : O -> list (user X) -> P -> R)
    (third : O -> P -> list (user X) -> Q -> R) (users : list (user X)) (o : O * (P * Q)) : R :=
  in_parallel small first (fun o => in_parallel large (second o) (third o)) (by_size users) o.
(* As printed: the cohort that spends most decides. *)
Definition printed_count : Prop := forall small large a b c
  (first : list (user bool) -> bool -> R) (second : bool -> list (user bool) -> bool -> R)
  (third : bool -> bool -> list (user bool) -> bool -> R), 0 < a -> 0 < b -> 0 < c ->
  private replaced a first -> (forall o, private replaced b (second o)) -> (forall o p, private replaced c (third o p)) ->
  private replaced (Rmax a (Rmax b c)) (by_cohorts small large first second third).
(* The smallest user becomes the largest: every cohort loses its user and receives another. *)
Definition before : list (user bool) := [(1, false); (2, true); (3, false)]%nat.
Definition after : list (user bool) := [(4, true); (2, true); (3, false)]%nat.
(* Randomised response to the bit of the cohort's only user. *)
Definition ask (e : R) (cohort : list (user bool)) (o : bool) : R :=
  match cohort with [(_, b)] => respond e b o | _ => 1 / 2 end.
Lemma ask_nonneg e l o : 0 <= ask e l o.
Proof. unfold ask. destruct l as [| [n b] [| v l]]; try lra. left. apply response_positive. Qed.
Lemma ask_private e : 0 <= e -> private replaced e (ask e).
Proof.
  intros He x y o H. apply replaced_same_length in H. unfold ask.
  destruct x as [| [n b] [| v x]], y as [| [n' b'] [| v' y]]; simpl in H; try discriminate;
    try (pose proof (one_le_exp e He); lra). now apply response_private.
Qed.
Lemma cohorts_attain a b c : 0 <= a -> 0 <= b -> 0 <= c ->
  attains replaced (a + b + c) (by_cohorts 1 1 (ask a) (fun _ => ask b) (fun _ _ => ask c)).
Proof.
  intros Ha Hb Hc. exists before, after, (false, (true, false)).
  split; [now exists [], (1%nat, false), (4%nat, true), [(2%nat, true); (3%nat, false)] |].
  unfold by_cohorts, in_parallel, before, after. simpl.
  pose proof (exp_pos a). pose proof (exp_pos b). pose proof (exp_pos c). unfold respond. simpl. split.
  - apply Rmult_lt_0_compat; [| apply Rmult_lt_0_compat]; apply Rdiv_lt_0_compat; lra.
  - rewrite !exp_plus. field. lra.
Qed.
(* cummings-thm-d.1, cummings-alg-3 part: the printed count is refuted at every budget; on a pair that changes rank the budgets add *)
Theorem cohorts_by_private_sizes_add_their_budgets : ~ printed_count /\ forall a b c e, 0 < a -> 0 < b -> 0 < c -> e < a + b + c ->
  ~ private replaced e (by_cohorts 1 1 (ask a) (fun _ => ask b) (fun _ _ => ask c)).
Proof.
  assert (A : forall a b c e, 0 < a -> 0 < b -> 0 < c -> e < a + b + c ->
    ~ private replaced e (by_cohorts 1 1 (ask a) (fun _ => ask b) (fun _ _ => ask c))).
  { intros a b c e Ha Hb Hc H. apply (attained_refutes replaced (a + b + c)); [apply cohorts_attain; lra | exact H]. }
  split; [| exact A]. intros P. apply (A 1 1 1 1); try lra.
  pose proof (P 1%nat 1%nat 1 1 1 (ask 1) (fun _ => ask 1) (fun _ _ => ask 1)) as Q.
  replace (Rmax 1 (Rmax 1 1)) with 1 in Q by (unfold Rmax; destruct (Rle_dec 1 1); destruct (Rle_dec 1 _); reflexivity).
  apply Q; try lra; intros; apply ask_private; lra.
Qed.
(* cummings-thm-d.1 part: the repaired count, with pure releases; each is private for one user replaced in the whole input *)
Theorem six_budgets_are_enough {X A B C D E F} (near : X -> X -> Prop) eps
    (initial : X -> A -> R) (spread : A -> X -> B -> R) (cap : A -> B -> X -> C -> R) (total : A -> B -> C -> X -> D -> R)
    (test : A -> B -> C -> D -> X -> E -> R) (value : A -> B -> C -> D -> E -> X -> F -> R) :
  (forall x a, 0 <= initial x a) -> (forall a x b, 0 <= spread a x b) -> (forall a b x c, 0 <= cap a b x c) ->
  (forall a b c x d, 0 <= total a b c x d) -> (forall a b c d x e, 0 <= test a b c d x e) ->
  (forall a b c d e x f, 0 <= value a b c d e x f) ->
  private near eps initial -> (forall a, private near eps (spread a)) -> (forall a b, private near eps (cap a b)) ->
  (forall a b c, private near eps (total a b c)) -> (forall a b c d, private near eps (test a b c d)) ->
  (forall a b c d e, private near eps (value a b c d e)) ->
  private near (6 * eps) (composed initial (fun a => composed (spread a) (fun b => composed (cap a b)
    (fun c => composed (total a b c) (fun d => composed (test a b c d) (value a b c d)))))).
Proof.
  intros N1 N2 N3 N4 N5 N6 P1 P2 P3 P4 P5 P6.
  replace (6 * eps) with (eps + (eps + (eps + (eps + (eps + eps))))) by ring.
  repeat (apply composed_private; [now auto | intros; repeat apply Rmult_le_pos; auto | now auto | intros]). apply P6.
Qed.
