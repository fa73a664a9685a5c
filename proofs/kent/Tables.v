(* Kent et al., Tables 2 and 5: the rate on the ball without privacy, and the place of the phase transition for
   sparse means. Refuted as printed, with what is true instead. *)
From Coq Require Import Reals List Lra Lia ZArith.
From Userdp Require Import Privacy Tools.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* n records drawn independently from finitely many points; x says which vector a point is. *)
Fixpoint expect (n : nat) (points : list nat) (p : nat -> R) (f : list nat -> R) : R :=
  match n with O => f [] | S n => sum points (fun a => p a * expect n points p (fun l => f (a :: l))) end.
Definition norm2 (d : nat) (v : nat -> R) : R := sum (seq 0 d) (fun j => v j ^ 2).
Definition law_on_ball (d : nat) (points : list nat) (p : nat -> R) (x : nat -> nat -> R) : Prop :=
  distribution points p /\ forall a, In a points -> norm2 d (x a) <= 1.
Definition mean_vector (points : list nat) (p : nat -> R) (x : nat -> nat -> R) (j : nat) : R :=
  sum points (fun a => p a * x a j).
Definition risk (n d : nat) (points : list nat) p x (estimate : list (nat -> R) -> nat -> R) : R :=
  expect n points p (fun l => norm2 d (fun j => estimate (map x l) j - mean_vector points p x j)).
Definition printed_rate_on_ball : Prop := exists c, 0 < c /\ forall d n estimate, (1 <= d)%nat -> (1 <= n)%nat ->
  exists points p x, law_on_ball d points p x /\ c * (INR d / INR n) <= risk n d points p x estimate.
Definition sample_mean (records : list (nat -> R)) (j : nat) : R := sum records (fun v => v j) / INR (length records).

Lemma expect_ext n points p : forall f g, (forall l, length l = n -> f l = g l) -> expect n points p f = expect n points p g.
Proof.
  induction n as [| n IH]; intros f g H; simpl; [now apply H |].
  apply sum_ext. intros a _. f_equal. apply IH. intros l L. apply H. simpl. now rewrite L.
Qed.
Lemma expect_zero n points p : expect n points p (fun _ => 0) = 0.
Proof.
  induction n as [| n IH]; simpl; [reflexivity |].
  rewrite (sum_ext _ _ (fun _ => 0)) by (intros; rewrite IH; ring). rewrite sum_const. ring.
Qed.
Lemma expect_plus n points p : forall f g,
  expect n points p (fun l => f l + g l) = expect n points p f + expect n points p g.
Proof.
  induction n as [| n IH]; intros f g; simpl; [reflexivity |].
  rewrite <- sum_plus. apply sum_ext. intros a _. rewrite (IH (fun l => f (a :: l))). ring.
Qed.
Lemma expect_scale n points p c : forall f, expect n points p (fun l => c * f l) = c * expect n points p f.
Proof.
  induction n as [| n IH]; intros f; simpl; [reflexivity |].
  rewrite <- sum_scale. apply sum_ext. intros a _. rewrite (IH (fun l => f (a :: l))). ring.
Qed.
Lemma expect_sum n points p (js : list nat) (f : nat -> list nat -> R) :
  expect n points p (fun l => sum js (fun j => f j l)) = sum js (fun j => expect n points p (f j)).
Proof.
  induction js as [| j js IH]; simpl; [apply expect_zero |]. now rewrite expect_plus, IH.
Qed.
Lemma square_of_a_sum n points p (dev : nat -> R) V : sum points p = 1 -> sum points (fun a => p a * dev a) = 0 ->
  sum points (fun a => p a * dev a ^ 2) = V -> forall c, expect n points p (fun l => (c + sum l dev) ^ 2) = c ^ 2 + INR n * V.
Proof.
  intros P Z Q. induction n as [| n IH]; intros c; [simpl; ring |]. cbn [expect].
  rewrite (sum_ext _ _ (fun a => p a * (c ^ 2 + INR n * V) + (2 * c * (p a * dev a) + p a * dev a ^ 2))).
  - rewrite !sum_plus, sum_scale, sum_scale_r, P, Z, Q, S_INR. ring.
  - intros a _. rewrite (expect_ext n points p _ (fun l => ((c + dev a) + sum l dev) ^ 2)); [rewrite IH; ring |].
    intros l _. cbn [sum fold_right]. fold (sum l dev). ring.
Qed.
Lemma risk_of_the_sample_mean n d points p x : (1 <= n)%nat -> law_on_ball d points p x ->
  risk n d points p x sample_mean <= 1 / INR n.
Proof.
  intros Hn [[P0 P1] B]. apply le_INR in Hn. simpl in Hn. set (theta := mean_vector points p x).
  set (dev := fun j a => x a j - theta j). set (V := fun j => sum points (fun a => p a * dev j a ^ 2)).
  assert (Z : forall j, sum points (fun a => p a * dev j a) = 0).
  { intros j. rewrite (sum_ext _ _ (fun a => p a * x a j + p a * (- theta j))) by (intros; unfold dev; ring).
    rewrite sum_plus, sum_scale_r, P1. unfold theta, mean_vector. ring. }
  assert (E : risk n d points p x sample_mean = sum (seq 0 d) (fun j => / INR n * V j)).
  { unfold risk, norm2. rewrite expect_sum. apply sum_ext. intros j _.
    rewrite (expect_ext n points p _ (fun l => / INR n ^ 2 * (0 + sum l (dev j)) ^ 2)).
    - rewrite expect_scale, (square_of_a_sum n points p (dev j) (V j) P1 (Z j) eq_refl). field. lra.
    - intros l L. unfold sample_mean. rewrite map_length, L, sum_map.
      assert (S : sum l (dev j) = sum l (fun a => x a j) - INR n * theta j).
      { unfold dev. rewrite sum_minus, sum_const, L. ring. }
      rewrite S. fold theta. field. lra. }
  rewrite E, sum_scale. unfold Rdiv. rewrite Rmult_1_l. rewrite <- (Rmult_1_r (/ INR n)) at 2.
  apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra |].
  apply Rle_trans with (sum (seq 0 d) (fun j => sum points (fun a => p a * x a j ^ 2))).
  - apply sum_le. intros j _. unfold V.
    rewrite (sum_ext _ _ (fun a => p a * x a j ^ 2 + ((-2 * theta j) * (p a * x a j) + p a * theta j ^ 2)))
      by (intros; unfold dev; ring).
    rewrite !sum_plus, sum_scale, sum_scale_r, P1. fold (mean_vector points p x j). fold theta.
    pose proof (pow2_ge_0 (theta j)). simpl in *. nra.
  - rewrite sum_swap. apply Rle_trans with (sum points (fun a => p a * 1)).
    + apply sum_le. intros a Ha. rewrite sum_scale. apply Rmult_le_compat_l; [now apply P0 | now apply B].
    + rewrite sum_scale_r, P1. lra.
Qed.
Lemma number_above r : exists n, r < INR n.
Proof.
  exists (Z.to_nat (up (Rmax r 0))). destruct (archimed (Rmax r 0)) as [A _]. pose proof (Rmax_l r 0). pose proof (Rmax_r r 0).
  rewrite INR_IZR_INZ, Z2Nat.id; [lra |]. apply le_IZR. lra.
Qed.
(* kent-tab-2 part: the printed rate d/(nT) on the ball without privacy is refuted; the mean of all records has a risk of at most 1/(nT) *)
Theorem rate_on_the_ball_has_no_dimension : ~ printed_rate_on_ball /\
  forall n d points p x, (1 <= n)%nat -> law_on_ball d points p x -> risk n d points p x sample_mean <= 1 / INR n.
Proof.
  split; [| intros; now apply risk_of_the_sample_mean].
  intros (c & Hc & H). destruct (number_above (1 / c)) as [d D].
  assert (Hd : (1 <= d)%nat).
  { destruct d; [| lia]. simpl in D. assert (0 < 1 / c) by (apply Rdiv_lt_0_compat; lra). lra. }
  destruct (H d 1%nat sample_mean Hd (le_n 1)) as (points & p & x & L & R).
  pose proof (risk_of_the_sample_mean 1 d points p x (le_n 1) L) as U. simpl INR in *.
  assert (1 < c * INR d).
  { apply Rmult_lt_compat_l with (r := c) in D; [| exact Hc]. replace (c * (1 / c)) with 1 in D by (field; lra). exact D. }
  lra.
Qed.

(* Sparse means, n alpha^2 = x at least d: the risk as a function of s, d, x and T. *)
Definition theorem_7_below (allowed : nat -> nat -> Prop) (R : nat -> nat -> R -> R -> R) : Prop :=
  exists c, 0 < c /\ forall s d x T, allowed s d -> INR d <= x -> 1 <= T -> c * (INR s * INR d / (T * x)) <= R s d x T.
Definition printed_transition (allowed : nat -> nat -> Prop) (R : nat -> nat -> R -> R -> R) : Prop :=
  exists K k c, 0 < k /\ 0 < c /\ forall s d x T, allowed s d -> INR d <= x -> 1 <= T ->
    K * exp (x / INR d) <= T -> R s d x T <= k * exp (- (c * x / INR s)).
(* kent-tab-5 part: the printed place e^(n alpha^2/d) contradicts the lower bound of Theorem 7 if d/s is unbounded; with e^(n alpha^2/s) the two terms do change places *)
Theorem transition_of_sparse_means (allowed : nat -> nat -> Prop) :
  (forall s d, allowed s d -> (1 <= s <= d)%nat) -> (forall r, exists s d, allowed s d /\ r * INR s <= INR d) ->
  (forall R, theorem_7_below allowed R -> ~ printed_transition allowed R) /\
  forall s d x T, (1 <= s <= d)%nat -> INR d <= x -> 0 < T ->
    (INR s * exp (x / INR s) <= T -> INR s * INR d / (T * x) <= exp (- (x / INR s))) /\
    (T <= INR s * INR d / x * exp (x / INR s) -> exp (- (x / INR s)) <= INR s * INR d / (T * x)).
Proof.
  intros Range Wide. split.
  - intros R (c & Hc & Low) (K & k & e & Hk & He & Up).
    set (T := Rmax 1 (K * exp 1)). set (u := k * T / c).
    assert (HT : 1 <= T) by apply Rmax_l.
    assert (Hu : 0 < u) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; lra).
    destruct (Wide ((1 + Rabs (ln u)) / e)) as (s & d & A & W). pose proof (Range s d A) as [S1 S2].
    assert (P : 0 < INR s) by (apply lt_0_INR; lia). assert (Q : 0 < INR d) by (apply lt_0_INR; lia).
    specialize (Low s d (INR d) T A (Rle_refl _) HT).
    assert (X : INR d / INR d = 1) by (field; lra).
    specialize (Up s d (INR d) T A (Rle_refl _) HT ltac:(rewrite X; apply Rmax_r)).
    replace (INR s * INR d / (T * INR d)) with (INR s / T) in Low by (field; lra).
    assert (S3 : 1 <= INR s) by (apply (le_INR 1); lia).
    assert (C : c / T <= k * exp (- (1 + Rabs (ln u)))).
    { apply Rle_trans with (c * (INR s / T)).
      - unfold Rdiv. apply Rmult_le_compat_l; [lra |]. rewrite <- (Rmult_1_l (/ T)) at 1.
        apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | exact S3].
      - eapply Rle_trans; [exact Low |]. eapply Rle_trans; [exact Up |]. apply Rmult_le_compat_l; [lra |].
        apply exp_le. apply Ropp_le_contravar. apply Rmult_le_reg_r with (INR s / e); [now apply Rdiv_lt_0_compat |].
        replace (e * INR d / INR s * (INR s / e)) with (INR d) by (field; lra).
        eapply Rle_trans; [| exact W]. right. field. lra. }
    assert (L : exp (- (1 + Rabs (ln u))) < / u).
    { rewrite <- (exp_ln u Hu) at 2. rewrite <- exp_Ropp. apply exp_increasing.
      pose proof (Rle_abs (ln u)). lra. }
    apply Rmult_lt_compat_l with (r := k) in L; [| exact Hk].
    replace (k * / u) with (c / T) in L by (unfold u; field; lra). lra.
  - intros s d x T [S1 S2] Hx HT. assert (P : 1 <= INR s) by (apply (le_INR 1); lia).
    assert (Q : 1 <= INR d) by (apply (le_INR 1); lia). pose proof (exp_pos (x / INR s)) as E.
    rewrite exp_Ropp. set (y := exp (x / INR s)) in *. split; intros H.
    + apply Rle_trans with (INR s / T).
      * replace (INR s * INR d / (T * x)) with (INR s / T * (INR d / x)) by (field; lra).
        rewrite <- (Rmult_1_r (INR s / T)) at 2. apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra |].
        apply Rmult_le_reg_r with x; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
      * apply Rmult_le_reg_r with (T * y); [now apply Rmult_lt_0_compat |].
        replace (INR s / T * (T * y)) with (INR s * y) by (field; lra).
        replace (/ y * (T * y)) with T by (field; lra). exact H.
    + apply Rmult_le_reg_r with (T * y); [now apply Rmult_lt_0_compat |].
      replace (/ y * (T * y)) with T by (field; lra).
      replace (INR s * INR d / (T * x) * (T * y)) with (INR s * INR d / x * y) by (field; lra). exact H.
Qed.
