(* Liu et al., Lemma 4.2 and Theorem 4.3: the rules for the bound are 2-approximations of the least expected loss.
   Models of userdp.central.bounds.Surrogate and of the rules on the page "two-approximation". *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Laplace liu.Noise.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* Users hold a count of each item; clipping to C scales a user of larger norm down. *)
Definition histogram (I : Type) := I -> R.
Definition proper_user {I} (items : list I) (N : histogram I) : Prop := forall j, In j items -> 0 <= N j.
Definition size {I} (items : list I) (N : histogram I) : R := sum items N.
Definition norm2 {I} (items : list I) (N : histogram I) : R := sqrt (sum items (fun j => N j * N j)).
Definition clipped {I} (norm : histogram I -> R) (C : R) (N : histogram I) (j : I) : R := C * N j / Rmax C (norm N).
(* What clipping takes from item j, and the expected loss: noise of scale C w, of mean distance ell at scale 1. *)
Definition taken {I} (norm : histogram I -> R) (C : R) (users : list (histogram I)) (j : I) : R :=
  sum users (fun N => N j - clipped norm C N j).
Definition at_scale (ell : R -> R) (w beta : R) : R := if Req_EM_T w 0 then beta else w * ell (beta / w).
Definition loss {I} (norm : histogram I -> R) (ell : R -> R) (w : R) (items : list I) (users : list (histogram I)) (C : R) : R :=
  sum items (fun j => at_scale ell (C * w) (taken norm C users j)).
(* The sum of the two errors as if they never cancelled; M is the mean size of all noise at C = 1. *)
Definition ratio {I} (items : list I) (norm : histogram I -> R) (N : histogram I) : R := size items N / norm N.
Definition surrogate {I} (items : list I) (norm : histogram I -> R) (M : R) (users : list (histogram I)) (C : R) : R :=
  sum users (fun N => ratio items norm N * Rmax (norm N - C) 0) + C * M.
(* Sums of f over the users beyond C, and over those from C on. *)
Definition beyond {I} (norm f : histogram I -> R) (users : list (histogram I)) (C : R) : R :=
  sum users (fun N => if Rlt_dec C (norm N) then f N else 0).
Definition from {I} (norm f : histogram I -> R) (users : list (histogram I)) (C : R) : R :=
  sum users (fun N => if Rle_dec C (norm N) then f N else 0).
(* The k-th largest norm, and 0 if there are fewer users. *)
Definition kth_largest {I} (norm : histogram I -> R) (users : list (histogram I)) (k : nat) (C : R) : Prop :=
  (beyond norm (fun _ => 1) users C < INR k <= from norm (fun _ => 1) users C) \/
  (C = 0 /\ (length users < k)%nat).
(* The smallest C >= 0 beyond which the ratios sum to at most M. *)
Definition smallest_light {I} (items : list I) (norm : histogram I -> R) (users : list (histogram I)) (M C : R) : Prop :=
  0 <= C /\ beyond norm (ratio items norm) users C <= M /\
  forall c, 0 <= c < C -> M < beyond norm (ratio items norm) users c.
Definition ceiling (k : nat) (x : R) : Prop := x <= INR k < x + 1.

Section Rules.
Context {I : Type}.
Variables (items : list I) (norm : histogram I -> R) (users : list (histogram I)).
Hypothesis Proper : forall N, In N users -> proper_user items N.
Hypothesis Norm : forall N, In N users -> 0 <= norm N /\ (norm N = 0 -> size items N = 0).

Lemma ratio_times_norm N : In N users -> ratio items norm N * norm N = size items N.
Proof.
  intros H. destruct (Norm N H) as [H0 H1]. unfold ratio. destruct (Req_dec (norm N) 0) as [E | E].
  - rewrite E, (H1 E). ring.
  - field. exact E.
Qed.
Lemma size_nonneg N : In N users -> 0 <= size items N.
Proof. intros H. apply sum_nonneg. intros j Hj. now apply (Proper N H). Qed.
Lemma ratio_nonneg N : In N users -> 0 <= ratio items norm N.
Proof.
  intros H. destruct (Norm N H) as [[H0 | H0] H1]; unfold ratio, Rdiv.
  - apply Rmult_le_pos; [now apply size_nonneg | left; now apply Rinv_0_lt_compat].
  - rewrite H1 by now symmetry. rewrite Rmult_0_l. lra.
Qed.
(* What clipping takes from a user, over all items. *)
Lemma taken_from_a_user C N : 0 <= C -> In N users ->
  sum items (fun j => N j - clipped norm C N j) = ratio items norm N * Rmax (norm N - C) 0.
Proof.
  intros HC H. destruct (Norm N H) as [H0 H1]. rewrite sum_minus. unfold clipped.
  rewrite (sum_ext _ (fun j => C * N j / Rmax C (norm N)) (fun j => C / Rmax C (norm N) * N j)) by (intros; unfold Rdiv; ring).
  rewrite sum_scale. fold (size items N). pose proof (ratio_times_norm N H) as Rn.
  destruct (Rle_or_lt (norm N) C) as [L | L].
  - rewrite (Rmax_left C), (Rmax_right (norm N - C)) by lra. destruct (Req_dec C 0) as [-> | E].
    + rewrite (H1 ltac:(lra)). unfold Rdiv. ring.
    + rewrite Rmult_0_r. change (sum items (fun a => N a)) with (size items N). field. exact E.
  - rewrite (Rmax_right C), (Rmax_left (norm N - C)) by lra. change (sum items (fun a => N a)) with (size items N).
    rewrite <- Rn. field. lra.
Qed.
Lemma taken_nonneg C j : 0 <= C -> In j items -> 0 <= taken norm C users j.
Proof.
  intros HC Hj. apply sum_nonneg. intros N H. destruct (Norm N H) as [H0 _]. pose proof (Proper N H j Hj) as P.
  unfold clipped. destruct (Req_dec (Rmax C (norm N)) 0) as [E | E].
  - unfold Rdiv. rewrite E. destruct (Req_dec C 0) as [-> | E']; [lra |]. pose proof (Rmax_l C (norm N)). lra.
  - pose proof (Rmax_l C (norm N)). assert (C * N j / Rmax C (norm N) <= N j); [| lra].
    apply Rmult_le_reg_r with (Rmax C (norm N)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by exact E.
    rewrite Rmult_1_r, (Rmult_comm C). apply Rmult_le_compat_l; lra.
Qed.
Lemma surrogate_by_items M C : 0 <= C ->
  surrogate items norm M users C = sum items (fun j => taken norm C users j) + C * M.
Proof.
  intros HC. unfold surrogate, taken. rewrite sum_swap. f_equal. apply sum_ext. intros N H.
  now rewrite taken_from_a_user.
Qed.

(* Either rule minimises the surrogate. *)
Lemma slopes_decide M C : 0 <= C -> beyond norm (ratio items norm) users C <= M ->
  (forall c, 0 <= c < C -> (C - c) * M <= sum users (fun N => ratio items norm N * (Rmax (norm N - c) 0 - Rmax (norm N - C) 0))) ->
  forall c, 0 <= c -> surrogate items norm M users C <= surrogate items norm M users c.
Proof.
  intros HC Up Down c Hc. unfold surrogate.
  assert (S : sum users (fun N => ratio items norm N * Rmax (norm N - c) 0) =
    sum users (fun N => ratio items norm N * Rmax (norm N - C) 0) +
    sum users (fun N => ratio items norm N * (Rmax (norm N - c) 0 - Rmax (norm N - C) 0))).
  { rewrite <- sum_plus. apply sum_ext. intros. ring. }
  rewrite S. destruct (Rle_or_lt C c) as [L | L]; [| specialize (Down c (conj Hc L)); lra].
  enough (- ((c - C) * beyond norm (ratio items norm) users C) <=
    sum users (fun N => ratio items norm N * (Rmax (norm N - c) 0 - Rmax (norm N - C) 0))).
  { assert ((c - C) * beyond norm (ratio items norm) users C <= (c - C) * M) by (apply Rmult_le_compat_l; lra). lra. }
  unfold beyond. rewrite <- sum_scale.
  replace (- sum users (fun a => (c - C) * (if Rlt_dec C (norm a) then ratio items norm a else 0)))
    with (sum users (fun a => - 1 * ((c - C) * (if Rlt_dec C (norm a) then ratio items norm a else 0)))).
  2:{ rewrite sum_scale. ring. }
  apply sum_le. intros N H. pose proof (ratio_nonneg N H) as Hr. destruct (Rlt_dec C (norm N)) as [B | B].
  - replace (- 1 * ((c - C) * ratio items norm N)) with (ratio items norm N * (C - c)) by ring.
    apply Rmult_le_compat_l; [exact Hr |]. rewrite (Rmax_left (norm N - C)) by lra. pose proof (Rmax_l (norm N - c) 0). lra.
  - rewrite (Rmax_right (norm N - C)), (Rmax_right (norm N - c)) by lra. lra.
Qed.
Lemma left_slope c C M : 0 <= c < C -> M <= from norm (ratio items norm) users C ->
  (C - c) * M <= sum users (fun N => ratio items norm N * (Rmax (norm N - c) 0 - Rmax (norm N - C) 0)).
Proof.
  intros Hc HM. apply Rle_trans with ((C - c) * from norm (ratio items norm) users C).
  { apply Rmult_le_compat_l; lra. }
  unfold from. rewrite <- sum_scale. apply sum_le. intros N H. pose proof (ratio_nonneg N H) as Hr.
  destruct (Rle_dec C (norm N)) as [B | B].
  - rewrite (Rmult_comm (C - c)). apply Rmult_le_compat_l; [exact Hr |].
    rewrite (Rmax_left (norm N - C)), (Rmax_left (norm N - c)) by lra. lra.
  - rewrite Rmult_0_r. apply Rmult_le_pos; [exact Hr |]. rewrite (Rmax_right (norm N - C)) by lra.
    pose proof (Rmax_r (norm N - c) 0). lra.
Qed.
Lemma gap_below C : 0 < C -> exists c, 0 <= c < C /\ forall N, In N users -> norm N < C -> norm N <= c.
Proof.
  intros HC. clear Proper. induction users as [| N l IH]; [exists 0; simpl; split; [lra | tauto] |].
  destruct IH as (c & Hc & H); [intros; apply Norm; now right |]. destruct (Norm N (or_introl eq_refl)) as [P _].
  destruct (Rlt_dec (norm N) C) as [L | L].
  - exists (Rmax c (norm N)). split; [split; [pose proof (Rmax_l c (norm N)); lra | apply Rmax_lub_lt; lra] |].
    intros N' [<- | H'] L'; [apply Rmax_r | eapply Rle_trans; [apply H; assumption | apply Rmax_l]].
  - exists c. split; [exact Hc |]. intros N' [<- | H'] L'; [lra | now apply H].
Qed.
Lemma smallest_light_minimises M C : smallest_light items norm users M C ->
  forall c, 0 <= c -> surrogate items norm M users C <= surrogate items norm M users c.
Proof.
  intros (HC & Up & Down). apply slopes_decide; [exact HC | exact Up |]. intros c Hc. apply left_slope; [exact Hc |].
  destruct (gap_below C ltac:(lra)) as (c' & Hc' & G). specialize (Down c' Hc').
  enough (from norm (ratio items norm) users C = beyond norm (ratio items norm) users c') by lra.
  apply sum_ext. intros N H. destruct (Rle_dec C (norm N)), (Rlt_dec c' (norm N)); try reflexivity; [lra |].
  specialize (G N H ltac:(lra)). lra.
Qed.

(* The loss is between half the surrogate and the surrogate. *)
Variables (ell : R -> R) (w : R).
Hypothesis Hw : 0 < w.
Hypothesis At_least_point : forall beta, beta <= ell beta.
Hypothesis At_least_0 : forall beta, ell 0 <= ell beta.
Hypothesis At_most : forall beta, 0 <= beta -> ell beta <= ell 0 + beta.
Let M := INR (length items) * (w * ell 0).
Lemma at_scale_between C beta : 0 <= C -> 0 <= beta ->
  at_scale ell (C * w) beta <= beta + C * (w * ell 0) <= 2 * at_scale ell (C * w) beta.
Proof.
  intros HC Hb. unfold at_scale. destruct (Req_EM_T (C * w) 0) as [E | E].
  - replace (C * (w * ell 0)) with (C * w * ell 0) by ring. rewrite E. lra.
  - assert (P : 0 < C * w) by (assert (0 <= C * w) by (apply Rmult_le_pos; lra); lra).
    set (v := C * w) in *. replace (C * (w * ell 0)) with (v * ell 0) by (unfold v; ring).
    assert (Hd : 0 <= beta / v) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
    assert (Eb : beta = v * (beta / v)) by (field; lra).
    pose proof (Rmult_le_compat_l v _ _ (Rlt_le _ _ P) (At_most _ Hd)) as A.
    pose proof (Rmult_le_compat_l v _ _ (Rlt_le _ _ P) (At_least_point (beta / v))) as B.
    pose proof (Rmult_le_compat_l v _ _ (Rlt_le _ _ P) (At_least_0 (beta / v))) as B'. lra.
Qed.
Lemma loss_between C : 0 <= C ->
  loss norm ell w items users C <= surrogate items norm M users C <= 2 * loss norm ell w items users C.
Proof.
  intros HC. rewrite surrogate_by_items by exact HC. unfold M, loss.
  replace (C * (INR (length items) * (w * ell 0))) with (INR (length items) * (C * (w * ell 0))) by ring.
  rewrite <- sum_const, <- sum_plus, <- sum_scale.
  split; apply sum_le; intros j Hj; apply at_scale_between; try exact HC; now apply taken_nonneg.
Qed.
Lemma minimiser_of_surrogate_approximates C : 0 <= C ->
  (forall c, 0 <= c -> surrogate items norm M users C <= surrogate items norm M users c) ->
  forall c, 0 < c -> loss norm ell w items users C <= 2 * loss norm ell w items users c.
Proof.
  intros HC Min c Hc. pose proof (loss_between C HC). pose proof (loss_between c (Rlt_le _ _ Hc)).
  specialize (Min c (Rlt_le _ _ Hc)). lra.
Qed.
End Rules.
