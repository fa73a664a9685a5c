(* The definitions of Privacy.v are sane; by events, composed, processed, in parallel, over conversations. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools.
Import ListNotations.
Open Scope R_scope.

Lemma replaced_symmetric {X} (xs ys : list X) : replaced xs ys -> replaced ys xs.
Proof. intros (a & u & v & b & -> & ->). now exists a, v, u, b. Qed.
Lemma added_or_removed_symmetric {X} (xs ys : list X) : added_or_removed xs ys -> added_or_removed ys xs.
Proof. unfold added_or_removed. tauto. Qed.
Lemma replaced_same_length {X} (xs ys : list X) : replaced xs ys -> length xs = length ys.
Proof. intros (a & u & v & b & -> & ->). now rewrite !app_length. Qed.
(* Replacing is removing and adding. *)
Lemma replaced_in_two_steps {X} (xs ys : list X) : replaced xs ys ->
  exists zs, added_or_removed xs zs /\ added_or_removed zs ys.
Proof.
  intros (a & u & v & b & -> & ->). exists (a ++ b).
  split; [left; now exists a, u, b | right; now exists a, v, b].
Qed.

(* By events: the usual definition, for finitely many outputs the same. *)
Lemma private_gives_events {X O} (near : X -> X -> Prop) eps outputs (q : X -> O -> R) :
  private near eps q -> private_by_events near eps outputs q.
Proof. intros P x y event H. unfold chance. rewrite <- sum_scale. apply sum_le. intros; now apply P. Qed.
Lemma events_give_private {X O} (same : forall a b : O, {a = b} + {a <> b})
    (near : X -> X -> Prop) eps outputs (q : X -> O -> R) :
  complete outputs -> private_by_events near eps outputs q -> private near eps q.
Proof.
  intros [Hd Ha] P x y o H. specialize (P x y (fun a => if same a o then true else false) H).
  unfold chance in P. rewrite (only same outputs o Hd (Ha o)) in P. simpl in P. lra.
Qed.
Lemma private_is_approximately {X O} (near : X -> X -> Prop) eps outputs (q : X -> O -> R) :
  private near eps q -> approximately_private near eps 0 outputs q.
Proof. intros P x y event H. rewrite Rplus_0_r. now apply private_gives_events with (near := near). Qed.

(* What is attained is a lower bound on every budget. *)
Lemma attained_is_least {X O} (near : X -> X -> Prop) a b (q : X -> O -> R) :
  attains near a q -> private near b q -> a <= b.
Proof.
  intros (x & y & o & Hn & Hp & E) P. specialize (P x y o Hn). rewrite E in P.
  apply Rmult_le_reg_r in P; [| assumption]. destruct (Rle_or_lt a b) as [H | H]; [exact H |].
  apply exp_increasing in H. lra.
Qed.
Lemma attained_refutes {X O} (near : X -> X -> Prop) a b (q : X -> O -> R) :
  attains near a q -> b < a -> ~ private near b q.
Proof. intros A H P. pose proof (attained_is_least near a b q A P). lra. Qed.

Lemma larger_budget {X O} (near : X -> X -> Prop) a b (q : X -> O -> R) : (forall x o, 0 <= q x o) ->
    a <= b ->
  private near a q -> private near b q.
Proof.
  intros Hp H P x y o Hn. apply (Rle_trans _ _ _ (P x y o Hn)).
  apply Rmult_le_compat_r; [apply Hp | now apply exp_le].
Qed.

(* Sanity: a mechanism that is private, one that is not at any budget, one whose answer is free. *)
Definition respond (a : R) (b o : bool) : R := (if Bool.eqb b o then exp a else 1) / (1 + exp a).
Lemma response_distribution a b : distribution [true; false] (respond a b).
Proof.
  pose proof (exp_pos a). split.
  - intros o _. unfold respond. left. apply Rdiv_lt_0_compat; [destruct (Bool.eqb b o) |]; lra.
  - unfold respond. destruct b; simpl; field; lra.
Qed.
Lemma response_positive a b o : 0 < respond a b o.
Proof. pose proof (exp_pos a). unfold respond. apply Rdiv_lt_0_compat; [destruct (Bool.eqb b o) |]; lra. Qed.
Lemma response_private a : 0 <= a -> private anyone a (respond a).
Proof.
  intros H x y o _. pose proof (one_le_exp a H) as E. unfold respond, Rdiv. rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |].
  assert (exp a <= exp a * exp a) by (rewrite <- (Rmult_1_l (exp a)) at 1; apply Rmult_le_compat_r; lra).
  destruct x, y, o; simpl; lra.
Qed.
Lemma response_attains a : attains anyone a (respond a).
Proof.
  exists true, false, true. split; [exact I |]. split; [apply response_positive |].
  unfold respond. simpl. field. pose proof (exp_pos a). lra.
Qed.
Lemma identity_not_private eps : ~ private anyone eps (fun x o : bool => if Bool.eqb x o then 1 else 0).
Proof. intros P. specialize (P true false true I). simpl in P. lra. Qed.
Lemma identity_not_approximately_private eps delta : delta < 1 ->
  ~ approximately_private anyone eps delta [true; false] (fun x o : bool => if Bool.eqb x o then 1 else 0).
Proof. intros H P. specialize (P true false (fun o => o) I). unfold chance in P. simpl in P. lra. Qed.
Lemma constant_private {X O} (near : X -> X -> Prop) (p : O -> R) : private (X := X) near 0 (fun _ => p).
Proof. intros x y o _. rewrite exp_0. lra. Qed.

(* Composition, post-processing, disjoint users. *)
Lemma composed_private {X O P} (near : X -> X -> Prop) a b (first : X -> O -> R) (second : O -> X -> P -> R) :
  (forall x o, 0 <= first x o) -> (forall o x p, 0 <= second o x p) ->
  private near a first -> (forall o, private near b (second o)) ->
    private near (a + b) (composed first second).
Proof.
  intros F S PF PS x y [o p] H.
  apply product_le; [apply F | apply S | exact (PF x y o H) | exact (PS o x y p H)].
Qed.
Lemma composed_attains {X O P} (near : X -> X -> Prop) a b x y o p
    (first : X -> O -> R) (second : O -> X -> P -> R) :
  near x y -> 0 < first y o -> 0 < second o y p -> first x o = exp a * first y o ->
    second o x p = exp b * second o y p -> attains near (a + b) (composed first second).
Proof.
  intros H F S E1 E2. exists x, y, (o, p). unfold composed. simpl.
  repeat split; [exact H | now apply Rmult_lt_0_compat |].
  rewrite E1, E2, exp_plus. ring.
Qed.
Lemma composed_distribution {X O P} outputs outputs' (first : X -> O -> R) (second : O -> X -> P -> R) x :
  distribution outputs (first x) -> (forall o, distribution outputs' (second o x)) ->
  distribution (list_prod outputs outputs') (composed first second x).
Proof.
  intros [F1 F2] S. split.
  - intros [o p] Hi. apply in_prod_iff in Hi. apply Rmult_le_pos; [now apply F1 | now apply S].
  - rewrite sum_pairs, <- F2. apply sum_ext. intros o _. unfold composed. simpl.
    rewrite sum_scale. destruct (S o) as [_ ->]. ring.
Qed.
Lemma processed_private {X O P} (near : X -> X -> Prop) eps outputs (q : X -> O -> R)
    (channel : O -> P -> R) :
  (forall o p, 0 <= channel o p) -> private near eps q -> private near eps (processed outputs q channel).
Proof.
  intros C Q x y p H. unfold processed. rewrite <- sum_scale. apply sum_le. intros o _.
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; auto.
Qed.
Lemma processed_distribution {X O P} outputs outputs' (q : X -> O -> R) (channel : O -> P -> R) x :
  distribution outputs (q x) -> (forall o, distribution outputs' (channel o)) ->
  distribution outputs' (processed outputs q channel x).
Proof.
  intros [Q1 Q2] C. split.
  - intros p Hp. apply sum_nonneg. intros o Ho. apply Rmult_le_pos; [auto | now apply C].
  - unfold processed. rewrite sum_swap, <- Q2. apply sum_ext. intros o _.
    rewrite sum_scale. destruct (C o) as [_ ->]. ring.
Qed.
Lemma replaced_on_one_side {X} k (xs ys : list X) : replaced xs ys ->
  (replaced (firstn k xs) (firstn k ys) /\ skipn k xs = skipn k ys) \/
  (firstn k xs = firstn k ys /\ replaced (skipn k xs) (skipn k ys)).
Proof.
  intros (a & u & v & b & -> & ->). revert k. induction a as [| w a IH]; intros [| k]; simpl.
  - right. split; [reflexivity |]. now exists [], u, v, b.
  - left. split; [now exists [], u, v, (firstn k b) | reflexivity].
  - right. split; [reflexivity |]. now exists (w :: a), u, v, b.
  - destruct (IH k) as [[(c & u' & v' & d & -> & ->) ->] | [-> H]]; [left | right]; split; auto.
    now exists (w :: c), u', v', d.
Qed.
Lemma parallel_private {X O P} k eps (first : list X -> O -> R) (second : O -> list X -> P -> R) :
  0 <= eps -> (forall x o, 0 <= first x o) -> (forall o x p, 0 <= second o x p) ->
  private replaced eps first -> (forall o, private replaced eps (second o)) ->
  private replaced eps (in_parallel k first second).
Proof.
  intros He F S PF PS x y [o p] H. unfold in_parallel. simpl.
  destruct (replaced_on_one_side k x y H) as [[H1 ->] | [-> H2]].
  - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; auto.
  - rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), Rmult_assoc. apply Rmult_le_compat_l; auto. now apply PS.
Qed.

(* Interactive local protocols: every randomiser private, so the whole transcript is. *)
Lemma transcript_nonneg {X A} (q : list A -> X -> A -> R) : (forall seen u a, 0 <= q seen u a) ->
  forall users seen answers, 0 <= transcript q seen users answers.
Proof.
  intros N. induction users as [| u us IH]; intros seen [| a rest]; simpl; try lra. now apply Rmult_le_pos.
Qed.
Lemma transcript_private {X A} eps (q : list A -> X -> A -> R) : (forall seen u a, 0 <= q seen u a) ->
  (forall seen, private anyone eps (q seen)) -> forall seen, private replaced eps (transcript q seen).
Proof.
  intros N P seen x y answers (before & u & v & after & -> & ->). revert seen answers.
  induction before as [| w before IH]; intros seen [| a rest]; simpl; try lra.
  - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [now apply transcript_nonneg | now apply P].
  - rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), Rmult_assoc. apply Rmult_le_compat_l; auto.
Qed.
(* If the first user's answer attains the loss, so does the transcript, whoever comes next. *)
Lemma transcript_attains {X A} eps (q : list A -> X -> A -> R) u v :
    (forall seen w, exists a, 0 < q seen w a) ->
  (exists a, 0 < q [] v a /\ q [] u a = exp eps * q [] v a) ->
  forall others, exists answers, 0 < transcript q [] (v :: others) answers /\
    transcript q [] (u :: others) answers = exp eps * transcript q [] (v :: others) answers.
Proof.
  intros S (a & Hp & E) others.
  assert (G : forall us seen, exists rest, 0 < transcript q seen us rest).
  { induction us as [| w us IH]; intros seen; [exists []; simpl; lra |].
    destruct (S seen w) as (b & Hb). destruct (IH (seen ++ [b])) as (rest & Hr).
    exists (b :: rest). simpl. now apply Rmult_lt_0_compat. }
  destruct (G others ([] ++ [a])) as (rest & Hr). exists (a :: rest). split.
  - now apply Rmult_lt_0_compat.
  - cbn [transcript]. rewrite E. ring.
Qed.
Lemma conversation_nonneg {X A} (q : list A -> X -> A -> R) : (forall seen u a, 0 <= q seen u a) ->
  forall turns seen data answers, 0 <= conversation q seen turns data answers.
Proof.
  intros N. induction turns as [| i turns IH]; intros seen data [| a rest]; simpl; try lra.
  now apply Rmult_le_pos.
Qed.
(* Users who answer again: user i loses at most what the turns of i spend. *)
Lemma conversation_loss {X A} (q : list A -> X -> A -> R) budget i x y : (forall seen u a, 0 <= q seen u a) ->
  (forall seen, private anyone (budget (length seen)) (q seen)) -> differ_only_at i x y ->
  forall turns seen answers,
  conversation q seen turns x answers <=
    exp (spent i budget (length seen) turns) * conversation q seen turns y answers.
Proof.
  intros N P D. induction turns as [| j turns IH]; intros seen [| a rest]; simpl; rewrite ?exp_0; try lra.
  specialize (IH (seen ++ [a]) rest). rewrite app_length in IH. simpl in IH.
  replace (length seen + 1)%nat with (S (length seen)) in IH by lia.
  apply product_le; [auto | now apply conversation_nonneg | | exact IH].
  destruct (Nat.eqb_spec j i) as [-> | Hj]; [now apply P |]. rewrite (D j Hj), exp_0. lra.
Qed.
Lemma conversation_private {X A} (q : list A -> X -> A -> R) budget eps turns :
  (forall seen u a, 0 <= q seen u a) -> (forall seen, private anyone (budget (length seen)) (q seen)) ->
  (forall i, spent i budget 0 turns <= eps) -> private same_but_one eps (conversation q [] turns).
Proof.
  intros N P S x y answers (i & D). eapply Rle_trans; [apply (conversation_loss q budget i x y N P D) |].
  apply Rmult_le_compat_r; [now apply conversation_nonneg | apply exp_le, S].
Qed.
