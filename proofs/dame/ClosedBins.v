(* DAME's released code: bins closed at both ends. A mean on a shared edge then votes for four bins. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means dame.Algorithm.
Import ListNotations.
Open Scope R_scope.

(* Bin i of the released code holds its two ends, the last one being cut at 1. *)
Definition held (tau x : R) (i : nat) : bool :=
  if Rle_dec (left_end tau i) x then if Rle_dec x (Rmin 1 (left_end tau (i + 1))) then true else false else false.
(* A vote goes to every bin that holds the mean or has a neighbour that does. *)
Definition touched (tau x : R) (i : nat) : bool :=
  held tau x i || held tau x (i + 1) || (match i with O => false | S k => held tau x k end).
Definition closed_vote (cap : nat) (tau : R) (u : list R) : list bool :=
  if (cap <=? length u)%nat then map (touched tau (own_mean u)) (seq 0 (bins tau)) else repeat false (bins tau).
(* What the released code sends: each bit kept with log-odds eps / 6. *)
Definition released (cap : nat) (tau eps : R) (u : list R) : list bool -> R := unary (eps / 6) (closed_vote cap tau u).

Lemma left_end_lt tau i j : 0 < tau -> (left_end tau i <= left_end tau j <-> (i <= j)%nat).
Proof.
  intros H. unfold left_end. split; intros L.
  - apply INR_le. apply Rmult_le_reg_r with tau; [exact H | lra].
  - apply le_INR in L. apply Rmult_le_compat_r with (r := tau) in L; lra.
Qed.
Lemma left_end_below_1 tau j : 0 < tau -> (j < bins tau)%nat -> left_end tau j <= 1.
Proof.
  intros H Hj. unfold bins in Hj. destruct (base_Int_part (- (1 / tau))) as [_ I].
  assert (Z : (Z.of_nat j + 1 <= - Int_part (- (1 / tau)))%Z) by lia. apply IZR_le in Z.
  rewrite opp_IZR, plus_IZR, <- INR_IZR_INZ in Z. assert (L : INR j <= 1 / tau) by lra.
  apply Rmult_le_compat_r with (r := tau) in L; [| lra].
  replace (1 / tau * tau) with 1 in L by (field; lra). unfold left_end. lra.
Qed.
Lemma held_on_an_edge tau e i : 0 < tau -> (e < bins tau)%nat ->
  held tau (left_end tau e) i = ((i <=? e) && (e <=? i + 1))%nat%bool.
Proof.
  intros H He. pose proof (left_end_below_1 tau e H He) as L1. unfold held.
  pose proof (left_end_lt tau i e H) as A. pose proof (left_end_lt tau e (i + 1) H) as B.
  destruct (Rle_dec (left_end tau i) (left_end tau e)) as [P | P].
  - apply A in P. apply Nat.leb_le in P. rewrite P. simpl.
    destruct (Rle_dec (left_end tau e) (Rmin 1 (left_end tau (i + 1)))) as [Q | Q].
    + symmetry. apply Nat.leb_le, B. pose proof (Rmin_r 1 (left_end tau (i + 1))). lra.
    + symmetry. apply Nat.leb_gt. destruct (Nat.lt_ge_cases (i + 1) e) as [N | N]; [exact N |].
      destruct Q. apply Rmin_glb; [exact L1 | now apply B].
  - symmetry. apply andb_false_intro1, Nat.leb_gt. destruct (Nat.lt_ge_cases e i) as [N | N]; [exact N |].
    destruct P. now apply A.
Qed.
Lemma touched_on_an_edge tau e i : 0 < tau -> (2 <= e)%nat -> (e < bins tau)%nat ->
  touched tau (left_end tau e) i = ((e - 2 <=? i) && (i <=? e + 1))%nat%bool.
Proof.
  intros H H2 He. unfold touched. rewrite !held_on_an_edge by assumption.
  destruct i as [| i]; rewrite ?held_on_an_edge by assumption;
    repeat match goal with |- context [(?a <=? ?b)%nat] => destruct (Nat.leb_spec a b) end; simpl; auto; lia.
Qed.
Lemma map_window a b n : forall m, (m <= a)%nat -> (a <= b)%nat -> (b < m + n)%nat ->
  map (fun i => (a <=? i) && (i <=? b))%nat%bool (seq m n) = window n (a - m) (b - m).
Proof.
  intros m Hm Hab Hb. unfold window.
  replace (seq m n) with (seq m (a - m) ++ seq a (b + 1 - a) ++ seq (b + 1) (m + n - (b + 1))).
  2:{ replace n with ((a - m) + ((b + 1 - a) + (m + n - (b + 1))))%nat at 2 by lia.
      rewrite !seq_app. replace (m + (a - m))%nat with a by lia. now replace (a + (b + 1 - a))%nat with (b + 1)%nat by lia. }
  assert (G : forall c k s, (forall i, (s <= i < s + k)%nat -> ((a <=? i) && (i <=? b))%nat%bool = c) ->
    map (fun i => (a <=? i) && (i <=? b))%nat%bool (seq s k) = repeat c k).
  { intros c k. induction k as [| k IH]; intros s F; simpl; [reflexivity |].
    rewrite F by lia. f_equal. apply IH. intros i Hi. apply F. lia. }
  rewrite !map_app. rewrite (G false (a - m)%nat m), (G true (b + 1 - a)%nat a), (G false (m + n - (b + 1))%nat (b + 1)%nat).
  - f_equal. f_equal; f_equal; lia.
  - intros i Hi. apply andb_false_intro2, Nat.leb_gt. lia.
  - intros i Hi. apply andb_true_intro. split; apply Nat.leb_le; lia.
  - intros i Hi. apply andb_false_intro1, Nat.leb_gt. lia.
Qed.
Lemma closed_vote_on_an_edge cap tau e : (0 < cap)%nat -> 0 < tau -> (2 <= e)%nat -> (e + 1 < bins tau)%nat ->
  closed_vote cap tau (repeat (left_end tau e) cap) = window (bins tau) (e - 2) (e + 1).
Proof.
  intros Hc H H2 He. unfold closed_vote. rewrite repeat_length, Nat.leb_refl, own_mean_repeat by exact Hc.
  rewrite (map_ext _ (fun i => (e - 2 <=? i) && (i <=? e + 1))%nat%bool).
  - rewrite map_window by lia. f_equal; lia.
  - intros i. apply touched_on_an_edge; [exact H | exact H2 | lia].
Qed.
Lemma closed_vote_length cap tau u : length (closed_vote cap tau u) = bins tau.
Proof. unfold closed_vote. destruct (cap <=? length u)%nat; now rewrite ?map_length, ?seq_length, ?repeat_length. Qed.

Definition printed : Prop := forall cap tau eps, (0 < cap)%nat -> 0 < tau -> 0 < eps ->
  private anyone eps (released cap tau eps).
(* dame-alg-1 part: the released code loses four thirds of the budget, by one vote, at every budget *)
Theorem closed_bins_lose_four_thirds_of_the_budget cap tau eps : (0 < cap)%nat -> 0 < tau -> (8 <= bins tau)%nat ->
  attains anyone (4 / 3 * eps) (released cap tau eps).
Proof.
  intros Hc H B. pose proof (unary_attains (eps / 6) (closed_vote cap tau)
    (repeat (left_end tau 2) cap) (repeat (left_end tau 6) cap)) as A.
  rewrite !closed_vote_on_an_edge, window_differences in A by (try assumption; lia).
  replace (4 / 3 * eps) with (INR (2 + 1 + 1 - (2 - 2) + (6 + 1 + 1 - (6 - 2))) * (eps / 6)) by (simpl; field).
  apply A. rewrite !window_length by lia. reflexivity.
Qed.
(* dame-alg-1 part: so it keeps no promise of eps, at any budget *)
Theorem closed_bins_break_the_promise : ~ printed /\ forall cap tau eps,
  (0 < cap)%nat -> 0 < tau -> (8 <= bins tau)%nat -> 0 < eps -> ~ private anyone eps (released cap tau eps).
Proof.
  assert (A : forall cap tau eps, (0 < cap)%nat -> 0 < tau -> (8 <= bins tau)%nat -> 0 < eps ->
    ~ private anyone eps (released cap tau eps)).
  { intros cap tau eps Hc H B He. eapply attained_refutes; [now apply closed_bins_lose_four_thirds_of_the_budget | lra]. }
  split; [| exact A]. intros P. apply (A 1%nat (1 / 8) 1); try lra; try lia; [| apply P; lia || lra].
  unfold bins. rewrite (Int_part_is (-8)) by lra. reflexivity.
Qed.
