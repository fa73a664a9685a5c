(* Liu et al., Definitions 3.1 and 3.2, Algorithm 1 and Lemma 4.1: a clipped histogram with Laplace noise on each item.
   Models of userdp.central.histogram.clip and userdp.central.bounds.histogram_noise. *)
From Coq Require Import Reals List Lra Lia Bool.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace liu.TwoApproximation.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

Fixpoint product {A} (l : list A) (f : A -> R) : R := match l with [] => 1 | a :: l => f a * product l f end.
(* An event is a finite union of boxes: an interval for each item. *)
Definition box (I : Type) := I -> R * R.
Definition boxes {I} (event : list (box I)) : Prop := forall B j, In B event -> fst (B j) <= snd (B j).
(* Algorithm 1: totals of the clipped users, with independent Laplace noise of scale b on each item. *)
Definition totals {I} (items : list I) (C : R) (users : list (histogram I)) (j : I) : R :=
  sum users (fun N => clipped (size items) C N j).
Definition noisy {I} (items : list I) (b : R) (h : I -> R) (event : list (box I)) : R :=
  sum event (fun B => product items (fun j => RInt (fun o => laplace_density b (o - h j)) (fst (B j)) (snd (B j)))).
Definition algorithm_1 {I} (items : list I) (C b : R) (users : list (histogram I)) := noisy items b (totals items C users).
(* Definition 3.2 for these events, with delta = 0 for pure privacy. *)
Definition private_by_boxes {X I} (near : X -> X -> Prop) (eps delta : R) (q : X -> list (box I) -> R) : Prop :=
  forall x y event, near x y -> boxes event -> q x event <= exp eps * q y event + delta.
(* Definition 3.1: one user is replaced, all histograms being proper; and users who come or go. *)
Definition proper_users {I} (items : list I) (x : list (histogram I)) : Prop := forall N, In N x -> proper_user items N.
Definition definition_3_1 {I} (items : list I) (x y : list (histogram I)) : Prop :=
  replaced x y /\ proper_users items x /\ proper_users items y.
Definition comes_or_goes {I} (items : list I) (x y : list (histogram I)) : Prop :=
  added_or_removed x y /\ proper_users items x /\ proper_users items y.
Definition l1_move {I} (items : list I) (h h' : I -> R) : R := sum items (fun j => Rabs (h j - h' j)).

Lemma product_nonneg {A} (l : list A) f : (forall a, 0 <= f a) -> 0 <= product l f.
Proof. intros H. induction l; simpl; [lra | now apply Rmult_le_pos]. Qed.
Lemma product_loss {A} (l : list A) f g r : (forall a, 0 <= f a) -> (forall a, f a <= exp (r a) * g a) ->
  product l f <= exp (sum l r) * product l g.
Proof.
  intros F H. induction l as [| a l IH]; simpl; [rewrite exp_0; lra |].
  apply product_le; [apply F | now apply product_nonneg | apply H | exact IH].
Qed.
Lemma laplace_interval_loss b c c' u v : 0 < b -> u <= v ->
  0 <= RInt (fun o => laplace_density b (o - c)) u v <=
    exp (Rabs (c - c') / b) * RInt (fun o => laplace_density b (o - c')) u v.
Proof.
  intros Hb H. set (f := fun x : R => x). split.
  - apply RInt_ge_0; [exact H | apply (laplace_integrable f b c) |]. intros z _. left. now apply laplace_positive.
  - pose proof (laplace_loss (fun x y => x = c /\ y = c') f b (Rabs (c - c')) Hb) as L.
    assert (P : private_by_masses (fun x y => x = c /\ y = c') (Rabs (c - c') / b) (laplace f b)).
    { apply private_gives_masses; [intros; apply laplace_integrable |]. apply L. intros x y [-> ->]. apply Rle_refl. }
    specialize (P c c' [(u, v)] (conj eq_refl eq_refl)). unfold mass in P. simpl in P. rewrite !Rplus_0_r in P.
    apply P. intros J [<- | []]. exact H.
Qed.
Lemma noisy_loss {I} (items : list I) b h h' event : 0 < b -> boxes event ->
  noisy items b h event <= exp (l1_move items h h' / b) * noisy items b h' event.
Proof.
  intros Hb HB. unfold noisy. rewrite <- sum_scale. apply sum_le. intros B Hi.
  replace (l1_move items h h' / b) with (sum items (fun j => Rabs (h j - h' j) / b)).
  - apply product_loss; intros j; destruct (laplace_interval_loss b (h j) (h' j) (fst (B j)) (snd (B j)) Hb (HB B j Hi)); assumption.
  - unfold l1_move, Rdiv. now rewrite sum_scale_r.
Qed.
Lemma noisy_nonneg {I} (items : list I) b h event : 0 < b -> boxes event -> 0 <= noisy items b h event.
Proof.
  intros Hb HB. apply sum_nonneg. intros B Hi. clear -Hb HB Hi. induction items as [| j l IH]; simpl; [lra |].
  apply Rmult_le_pos; [| exact IH].
  apply (laplace_interval_loss b (h j) (h j) (fst (B j)) (snd (B j)) Hb (HB B j Hi)).
Qed.

(* Clipping: no user keeps more than C, and no count is negative. *)
Lemma clipped_nonneg {I} (items : list I) C N j : 0 < C -> proper_user items N -> In j items -> 0 <= clipped (size items) C N j.
Proof.
  intros HC P H. unfold clipped. apply Rmult_le_pos; [apply Rmult_le_pos; [lra | now apply P] |].
  left. apply Rinv_0_lt_compat. pose proof (Rmax_l C (size items N)). lra.
Qed.
Lemma clipped_total {I} (items : list I) C N : 0 < C -> sum items (clipped (size items) C N) <= C.
Proof.
  intros HC. unfold clipped. rewrite (sum_ext _ _ (fun j => C / Rmax C (size items N) * N j)) by (intros; unfold Rdiv; ring).
  rewrite sum_scale. change (sum items N) with (size items N). pose proof (Rmax_l C (size items N)). pose proof (Rmax_r C (size items N)).
  apply Rmult_le_reg_r with (Rmax C (size items N)); [lra |].
  replace (C / Rmax C (size items N) * size items N * Rmax C (size items N)) with (C * size items N) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.
Lemma one_users_move {I} (items : list I) C (N N' : histogram I) : 0 < C -> proper_user items N -> proper_user items N' ->
  l1_move items (clipped (size items) C N) (clipped (size items) C N') <= 2 * C.
Proof.
  intros HC P P'. unfold l1_move.
  apply Rle_trans with (sum items (fun j => clipped (size items) C N j + clipped (size items) C N' j)).
  - apply sum_le. intros j Hj. pose proof (clipped_nonneg items C N j HC P Hj). pose proof (clipped_nonneg items C N' j HC P' Hj).
    apply Rabs_le. lra.
  - rewrite sum_plus. pose proof (clipped_total items C N HC). pose proof (clipped_total items C N' HC). lra.
Qed.
Lemma replaced_move {I} (items : list I) C x y : 0 < C -> definition_3_1 items x y ->
  l1_move items (totals items C x) (totals items C y) <= 2 * C.
Proof.
  intros HC [(a & u & v & b & -> & ->) [Px Py]]. eapply Rle_trans; [| apply (one_users_move items C u v HC); [apply Px | apply Py]; apply in_elt].
  unfold l1_move, totals. apply sum_le. intros j _. rewrite !sum_app. simpl. right. f_equal. ring.
Qed.
Lemma come_or_gone_move {I} (items : list I) C x y : 0 < C -> comes_or_goes items x y ->
  l1_move items (totals items C x) (totals items C y) <= C.
Proof.
  intros HC [H [Px Py]].
  assert (G : forall a u b, proper_user items u -> forall (s : R), s = 1 \/ s = -1 ->
    sum items (fun j => Rabs (s * (totals items C (a ++ u :: b) j - totals items C (a ++ b) j))) <= C).
  { intros a u b P s Hs. eapply Rle_trans; [| apply (clipped_total items C u HC)]. apply sum_le. intros j Hj.
    unfold totals. rewrite !sum_app. simpl.
    match goal with |- Rabs (s * ?e) <= _ => replace e with (clipped (size items) C u j) by ring end.
    pose proof (clipped_nonneg items C u j HC P Hj). apply Rabs_le. destruct Hs as [-> | ->]; lra. }
  unfold l1_move. destruct H as [(a & u & b & -> & ->) | (a & u & b & -> & ->)].
  - rewrite (sum_ext _ _ (fun j => Rabs (1 * (totals items C (a ++ u :: b) j - totals items C (a ++ b) j)))) by (intros; now rewrite Rmult_1_l).
    apply G; [apply Px, in_elt | now left].
  - rewrite (sum_ext _ _ (fun j => Rabs (-1 * (totals items C (a ++ u :: b) j - totals items C (a ++ b) j)))) by (intros; f_equal; ring).
    apply G; [apply Py, in_elt | now right].
Qed.
Lemma algorithm_1_loss {I} (items : list I) (near : list (histogram I) -> list (histogram I) -> Prop) C eps r :
  0 < C -> 0 < eps -> 0 < r -> (forall x y, near x y -> l1_move items (totals items C x) (totals items C y) <= r) ->
  private_by_boxes near eps 0 (algorithm_1 items C (r / eps)).
Proof.
  intros HC He Hr M x y event H B. rewrite Rplus_0_r. assert (Hb : 0 < r / eps) by now apply Rdiv_lt_0_compat.
  eapply Rle_trans; [apply (noisy_loss items (r / eps) _ (totals items C y) event Hb B) |].
  apply Rmult_le_compat_r; [now apply noisy_nonneg |]. apply exp_le. specialize (M x y H).
  apply Rmult_le_reg_r with (r / eps); [exact Hb |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
  replace (eps * (r / eps)) with r by (field; lra). lra.
Qed.
(* liu-lem-4.1, liu-alg-1 part: part 1 as printed, if a user comes or goes *)
Theorem printed_noise_is_private_if_a_user_comes_or_goes {I} (items : list I) C eps : 0 < C -> 0 < eps ->
  private_by_boxes (comes_or_goes items) eps 0 (algorithm_1 items C (C / eps)).
Proof. intros HC He. apply algorithm_1_loss; auto. intros x y. now apply come_or_gone_move. Qed.
(* liu-lem-4.1, liu-alg-1 part: part 1 repaired, twice the noise if a user is replaced *)
Theorem twice_the_noise_is_private_if_a_user_is_replaced {I} (items : list I) C eps : 0 < C -> 0 < eps ->
  private_by_boxes (definition_3_1 items) eps 0 (algorithm_1 items C (2 * C / eps)).
Proof. intros HC He. apply algorithm_1_loss; try lra. intros x y. now apply replaced_move. Qed.
(* liu-lem-4.1, liu-alg-1 part: as printed it costs at most twice the budget *)
Theorem printed_noise_costs_at_most_twice_the_budget {I} (items : list I) C eps : 0 < C -> 0 < eps ->
  private_by_boxes (definition_3_1 items) (2 * eps) 0 (algorithm_1 items C (C / eps)).
Proof.
  intros HC He. replace (C / eps) with (2 * C / (2 * eps)) by (field; lra). apply twice_the_noise_is_private_if_a_user_is_replaced; lra.
Qed.
