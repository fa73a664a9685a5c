(* Liu et al., in one theorem each: Definition 3.1, Algorithms 4 and 5. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace Choice liu.TwoApproximation liu.Histogram liu.Replaced liu.Choices.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* Definition 3.1 as it is printed: two lists of users of one length that agree but for one user. *)
Definition agree_but_for_one {X} (x y : list X) : Prop := length x = length y /\
  exists i, (i < length x)%nat /\ forall j, j <> i -> nth_error x j = nth_error y j.
Lemma agreeing_is_replacing {X} (x y : list X) : agree_but_for_one x y <-> replaced x y.
Proof.
  split.
  - intros (L & i & Hi & A). destruct (nth_error x i) as [u |] eqn:Eu; [| apply nth_error_None in Eu; lia].
    destruct (nth_error y i) as [v |] eqn:Ev; [| apply nth_error_None in Ev; lia].
    apply nth_error_split in Eu. destruct Eu as (a & b & -> & La). apply nth_error_split in Ev. destruct Ev as (c & d & -> & Lc).
    assert (Same : forall p q : list X, (forall j, nth_error p j = nth_error q j) -> p = q).
    { induction p as [| s p IH]; intros [| r q] H; try (specialize (H 0%nat); discriminate); [reflexivity |].
      pose proof (H 0%nat) as H0. injection H0 as ->. f_equal. apply IH. intros j. exact (H (S j)). }
    assert (E : a = c).
    { apply Same. intros j. destruct (Nat.lt_ge_cases j i) as [H | H].
      - rewrite <- (nth_error_app1 a (u :: b)), <- (nth_error_app1 c (v :: d)) by lia. apply A. lia.
      - transitivity (@None X); [| symmetry]; apply nth_error_None; lia. }
    assert (F : b = d).
    { apply Same. intros j. specialize (A (i + S j)%nat ltac:(lia)).
      rewrite (nth_error_app2 a), (nth_error_app2 c) in A by lia.
      replace (i + S j - length a)%nat with (S j) in A by lia. now replace (i + S j - length c)%nat with (S j) in A by lia. }
    subst. now exists c, u, v, d.
  - intros (a & u & v & b & -> & ->). split; [now rewrite !app_length |]. exists (length a).
    split; [rewrite app_length; simpl; lia |]. intros j Hj. destruct (Nat.lt_ge_cases j (length a)) as [H | H].
    + now rewrite !nth_error_app1.
    + rewrite !nth_error_app2 by lia. destruct (j - length a)%nat eqn:E; [lia | reflexivity].
Qed.
(* liu-def-3.1 whole; and what such a user moves *)
Theorem definition_3_1_verdict {I} (items : list I) C : 0 < C ->
  (forall x y, definition_3_1 items x y <-> agree_but_for_one x y /\ proper_users items x /\ proper_users items y) /\
  (forall x y, definition_3_1 items x y -> l1_move items (totals items C x) (totals items C y) <= 2 * C) /\
  l1_move two_items (totals two_items C [copies C true]) (totals two_items C [copies C false]) = 2 * C.
Proof.
  intros HC. destruct (moves_of_the_clipped_total items C HC) as (M & _ & E). split; [| split; assumption].
  intros x y. unfold definition_3_1. now rewrite agreeing_is_replacing.
Qed.
(* liu-alg-4 whole; private as printed for users within the assumed bound, and a distribution *)
Theorem private_bound_verdict {I} (items : list I) t candidates top eps : candidates <> [] -> 0 < top -> 0 <= eps ->
  (forall C, In C candidates -> 0 < C <= top) ->
  let choose := private_bound items t candidates (eps / (2 * (5 / 2 * top))) in
  (forall users, distribution candidates (choose users)) /\
  forall x y event, replaced_within items top x y -> chance candidates (choose x) event <= exp eps * chance candidates (choose y) event.
Proof.
  intros Ne Ht He HC choose. split; [intros; now apply exponential_distribution |]. intros x y event Hn. unfold chance.
  rewrite <- sum_scale. apply sum_le. intros C Hi. apply filter_In in Hi.
  now apply (private_bound_is_private items t candidates top eps Ne Ht He HC).
Qed.
(* liu-alg-5 whole; private at exactly the budget if a user is replaced or comes or goes *)
Theorem debiased_count_verdict C eps : 0 < C -> 0 < eps ->
  private_by_masses replaced eps (debiased C eps) /\ private_by_masses added_or_removed eps (debiased C eps) /\
  (forall counts, density (debiased C eps counts)) /\
  forall e, e < eps -> ~ private_by_masses replaced e (debiased C eps) /\ ~ private_by_masses added_or_removed e (debiased C eps).
Proof.
  intros HC He. destruct (debiased_count_is_private C eps HC He) as [P Q]. assert (Hb : 0 < C / eps) by now apply Rdiv_lt_0_compat.
  split; [exact P | split; [exact Q | split; [intros; now apply laplace_is_density |]]].
  intros e Hl. split; [now apply (debiased_count_loses_the_budget C eps e []) |].
  apply laplace_no_less with (s := C) (x := []) (y := [C]); try lra.
  - right. exists [], C, []. now split.
  - simpl. rewrite project_inside by lra. ring.
  - replace (C / (C / eps)) with eps by (field; lra). exact Hl.
Qed.
