(* Kent et al., the algorithms for vectors: 4, 5, 8, 12, 13.
   Models of userdp.local.vector (localised_vector_mean, rotated_vector_mean, split_budget) and of
   userdp.local.density.density_coefficients. n = 2 d h users: d folds, h users of each vote, h report. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means Folds.
Import ListNotations.
Open Scope R_scope.

Lemma one_time eps : INR 1 * eps = eps.
Proof. simpl. ring. Qed.
Lemma left_end_in_cube tau i : 0 < tau -> (i < bins tau)%nat -> -1 <= left_end tau i <= 1.
Proof.
  intros H Hi. pose proof (pos_INR i). assert (0 <= INR i * tau) by (apply Rmult_le_pos; lra).
  unfold left_end. pose proof (bins_reach tau i H Hi). lra.
Qed.

(* Algorithm 4: each coordinate from one fold, by Algorithm 2. *)
Definition algorithm_4 (d h m : nat) (tau eps : R) : (nat -> list vector) -> list answer -> R :=
  vector_mean d h 1 0 2 tau eps (coordinate_mean m).
(* kent-alg-4 part: privacy of the whole transcript *)
Theorem algorithm_4_is_private d h m tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  private same_but_one eps (algorithm_4 d h m tau eps).
Proof.
  intros Hd Hh Ht He. rewrite <- (one_time eps) at 1. unfold algorithm_4.
  apply vector_mean_private; try assumption; lra.
Qed.
(* kent-alg-4 part: every vote is a distribution, every report a density *)
Theorem algorithm_4_is_lawful d h m tau eps seen u : 0 < tau -> 0 < eps ->
  let ask := by_coordinates 0 2 tau (coordinate_mean m) (plan d h 1) in
    lawful (ask seen) (follow eps ask seen u).
Proof. intros Ht He ask. apply by_coordinates_lawful; lra. Qed.
(* kent-alg-4 part: the loss is exactly the budget from two bins on *)
Theorem algorithm_4_loses_the_budget d h m tau eps : (0 < d)%nat -> (0 < h)%nat -> (0 < m)%nat -> 0 < tau ->
    0 < eps ->
  (2 <= bins tau)%nat -> attains (same_but_one_among (records_in in_cube)) eps (algorithm_4 d h m tau eps).
Proof.
  intros Hd Hh Hm Ht He Hb. rewrite <- (one_time eps) at 1. unfold algorithm_4.
  apply vector_mean_attains with (i := 0%nat) (i' := 1%nat)
    (u := repeat (fun _ => left_end tau 0) m) (v := repeat (fun _ => left_end tau 1) m);
    try assumption; try lra.
  - unfold apart. lia.
  - apply repeat_in. intros j. apply left_end_in_cube; [exact Ht | lia].
  - apply repeat_in. intros j. apply left_end_in_cube; [exact Ht | lia].
  - intros j _. now rewrite !coordinate_mean_repeat.
Qed.

(* Algorithm 5: the same after a public rotation U. *)
Definition rotation (d : nat) (U : nat -> nat -> R) : Prop := forall i j, (i < d)%nat -> (j < d)%nat ->
  sum (seq 0 d) (fun l => U i l * U j l) = if Nat.eqb i j then 1 else 0.
Definition rotated (d m : nat) (U : nat -> nat -> R) (j : nat) (records : list vector) : R :=
  sum (seq 0 d) (fun l => U j l * coordinate_mean m l records).
Definition algorithm_5 (d h m : nat) (U : nat -> nat -> R) (tau eps : R) : (nat -> list vector) ->
    list answer -> R :=
  vector_mean d h 1 0 2 tau eps (rotated d m U).
(* kent-alg-5 part: privacy of the whole transcript, for every public matrix *)
Theorem algorithm_5_is_private d h m U tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  private same_but_one eps (algorithm_5 d h m U tau eps).
Proof.
  intros Hd Hh Ht He. rewrite <- (one_time eps) at 1. unfold algorithm_5.
  apply vector_mean_private; try assumption; lra.
Qed.
(* kent-alg-5 part: every vote is a distribution, every report a density *)
Theorem algorithm_5_is_lawful d h m U tau eps seen u : 0 < tau -> 0 < eps ->
  let ask := by_coordinates 0 2 tau (rotated d m U) (plan d h 1) in lawful (ask seen) (follow eps ask seen u).
Proof. intros Ht He ask. apply by_coordinates_lawful; lra. Qed.
(* The record whose rotated coordinates are all c. *)
Definition unrotated (d : nat) (U : nat -> nat -> R) (c : R) : vector :=
    fun l => c * sum (seq 0 d) (fun j => U j l).
Lemma sum_pick d i f : (i < d)%nat -> sum (seq 0 d) (fun j => if Nat.eqb i j then f j else 0) = f i.
Proof.
  enough (G : forall n a, sum (seq a n) (fun j => if Nat.eqb i j then f j else 0) =
    if (a <=? i)%nat && (i <? a + n)%nat then f i else 0).
  { intros H. rewrite G. simpl. destruct (Nat.ltb_spec i d); [reflexivity | lia]. }
  induction n as [| n IH]; intros a; simpl sum.
  - destruct (Nat.leb_spec a i), (Nat.ltb_spec i (a + 0)); simpl; try reflexivity; lia.
  - rewrite IH. destruct (Nat.eqb_spec i a) as [-> | N].
    + destruct (Nat.leb_spec (S a) a), (Nat.leb_spec a a), (Nat.ltb_spec a (a + S n)); simpl; try lia; ring.
    + destruct (Nat.leb_spec (S a) i), (Nat.leb_spec a i), (Nat.ltb_spec i (S a + n)),
      (Nat.ltb_spec i (a + S n));
        simpl; try lia; ring.
Qed.
Lemma rotated_unrotated d m U c j : rotation d U -> (0 < m)%nat -> (j < d)%nat ->
  rotated d m U j (repeat (unrotated d U c) m) = c.
Proof.
  intros O Hm Hj. unfold rotated.
  rewrite (sum_ext _ _ (fun l => c * sum (seq 0 d) (fun i => U j l * U i l))).
  2: { intros l _. rewrite coordinate_mean_repeat by exact Hm. unfold unrotated. rewrite sum_scale. ring. }
  rewrite sum_scale, sum_swap. rewrite (sum_ext _ _ (fun i => if Nat.eqb j i then 1 else 0)).
  - rewrite (sum_pick d j (fun _ => 1)) by exact Hj. ring.
  - intros i Hi. apply in_seq in Hi. apply O; lia.
Qed.
Lemma unrotated_length d U c : rotation d U -> sum (seq 0 d) (fun l => unrotated d U c l ^ 2) = INR d * c ^ 2.
Proof.
  intros O. rewrite (sum_ext _ _ (fun l => c ^ 2 * sum (seq 0 d)
    (fun i => sum (seq 0 d) (fun j => U i l * U j l)))).
  2: { intros l _. unfold unrotated. set (s := sum (seq 0 d) (fun j => U j l)).
       rewrite (sum_ext _ (fun i => sum (seq 0 d) (fun j => U i l * U j l)) (fun i => U i l * s)).
       - rewrite sum_scale_r. fold s. ring.
       - intros i _. unfold s. now rewrite <- sum_scale. }
  rewrite sum_scale, sum_swap.
  rewrite (sum_ext _ _ (fun _ => 1)); [rewrite sum_const, seq_length; ring |].
  intros i Hi. apply in_seq in Hi. rewrite sum_swap.
  rewrite (sum_ext _ _ (fun j => if Nat.eqb i j then 1 else 0)).
  - apply (sum_pick d i (fun _ => 1)). lia.
  - intros j Hj. apply in_seq in Hj. apply O; lia.
Qed.
Lemma unrotated_in_ball d m U c : rotation d U -> INR d * c ^ 2 <= 1 ->
    records_in (in_ball d) (repeat (unrotated d U c) m).
Proof. intros O H. apply repeat_in. unfold in_ball. now rewrite unrotated_length. Qed.
(* kent-alg-5 part: the loss is exactly the budget if the rotated mean can lie in two bins of a coordinate *)
Theorem algorithm_5_loses_the_budget d h m U tau eps i i' : (0 < d)%nat -> (0 < h)%nat -> (0 < m)%nat ->
  0 < tau -> 0 < eps -> rotation d U -> (i < i' < bins tau)%nat ->
  INR d * left_end tau i ^ 2 <= 1 -> INR d * left_end tau i' ^ 2 <= 1 ->
  attains (same_but_one_among (records_in (in_ball d))) eps (algorithm_5 d h m U tau eps).
Proof.
  intros Hd Hh Hm Ht He O Hi N N'. rewrite <- (one_time eps) at 1. unfold algorithm_5.
  apply vector_mean_attains with (i := i) (i' := i')
    (u := repeat (unrotated d U (left_end tau i)) m) (v := repeat (unrotated d U (left_end tau i')) m);
    try assumption; try lra.
  - unfold apart. lia.
  - now apply unrotated_in_ball.
  - now apply unrotated_in_ball.
  - intros j Hj. now rewrite !rotated_unrotated.
Qed.

(* Algorithm 8: coefficients of a density in the trigonometric basis; records are points of [0, 1]. *)
Definition wave (j : nat) (x : R) : R :=
  if Nat.leb j 1 then 1
  else if Nat.even j then sqrt 2 * cos (2 * PI * INR (j / 2) * x) else sqrt 2 * sin
    (2 * PI * INR (j / 2) * x).
Definition printed_coefficient (m j : nat) (records : list R) : R := mean m (map (wave (j + 1)) records).
Definition repaired_coefficient (m j : nat) (records : list R) : R :=
    mean m (map (wave (j + 2)) records) / sqrt 2.
Definition algorithm_8 (coefficient : nat -> nat -> list R -> R) (J h m : nat) (tau eps : R) :
    (nat -> list R) -> list answer -> R :=
  vector_mean J h 1 0 2 tau eps (coefficient m).
(* kent-alg-8 part: privacy of the whole transcript, as printed and repaired *)
Theorem algorithm_8_is_private J h m tau eps : (1 < J)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  private same_but_one eps (algorithm_8 printed_coefficient J h m tau eps) /\
  private same_but_one eps (algorithm_8 repaired_coefficient (J - 1) h m tau eps).
Proof.
  intros HJ Hh Ht He. rewrite <- (one_time eps) at 1 3. unfold algorithm_8.
  split; apply vector_mean_private; try assumption; try lia; lra.
Qed.

(* kent-alg-8 part: every vote is a distribution, every report a density *)
Theorem algorithm_8_is_lawful (coefficient : nat -> nat -> list R -> R) d h m tau eps seen u :
  0 < tau -> 0 < eps ->
  let ask := by_coordinates 0 2 tau (coefficient m) (plan d h 1) in
  lawful (ask seen) (follow eps ask seen u).
Proof. intros Ht He ask. apply by_coordinates_lawful; lra. Qed.

(* Algorithm 12: a budget above 1 is spread; coordinate j asks the folds j, ..., j + k - 1 at the share b. *)
Definition folds_printed (d : nat) (eps : R) : nat :=
  if Rle_dec eps 1 then 1 else if Rle_dec eps (INR d) then Nat.min (whole eps + 1) d else d.
Definition folds_repaired (d : nat) (eps : R) : nat :=
  if Rle_dec eps 1 then 1 else if Rle_dec eps (INR d) then whole eps else d.
Definition share (d : nat) (eps : R) : R :=
  if Rle_dec eps 1 then eps else if Rle_dec eps (INR d) then 1 else eps / INR d.
(* Algorithm 10 at the share: three votes and a margin of 5 above 1. *)
Definition general_vector_mean {X} (folds : nat -> R -> nat) (d h : nat) (tau eps : R) 
    (value : nat -> X -> R) :
    (nat -> X) -> list answer -> R :=
  if Rle_dec (share d eps) 1 then vector_mean d h (folds d eps) 0 2 tau (share d eps) value
  else vector_mean d h (folds d eps) 1 5 tau (share d eps) value.
Definition algorithm_12 (folds : nat -> R -> nat) (d h m : nat) (tau eps : R) : (nat -> list vector) ->
    list answer -> R :=
  general_vector_mean folds d h tau eps (coordinate_mean m).

Lemma above eps : 0 <= eps -> exists d, eps < INR d.
Proof. intros H. exists (whole eps + 1)%nat. rewrite plus_INR. simpl. now apply whole_spec. Qed.
Lemma share_positive d eps : (0 < d)%nat -> 0 < eps -> 0 < share d eps.
Proof.
  intros Hd He. apply lt_0_INR in Hd. unfold share.
  destruct (Rle_dec eps 1); [exact He |]. destruct (Rle_dec eps (INR d)); [lra | now apply Rdiv_lt_0_compat].
Qed.
Lemma repaired_cost d eps : (0 < d)%nat -> 0 < eps -> INR (folds_repaired d eps) * share d eps <= eps.
Proof.
  intros Hd He. apply lt_0_INR in Hd. unfold folds_repaired, share.
  destruct (Rle_dec eps 1); [rewrite one_time; lra |]. destruct (Rle_dec eps (INR d)).
  - destruct (whole_spec eps); lra.
  - right. field. lra.
Qed.
Lemma printed_cost d eps : 1 < eps < INR d -> eps < INR (folds_printed d eps) * share d eps.
Proof.
  intros H. unfold folds_printed, share. destruct (Rle_dec eps 1); [lra |].
  destruct (Rle_dec eps (INR d)); [| lra].
  rewrite Rmult_1_r. destruct (whole_spec eps) as [_ W]; [lra |].
  destruct (Nat.min_spec (whole eps + 1) d) as [[_ ->] | [_ ->]]; [rewrite plus_INR; simpl; lra | lra].
Qed.
Lemma vector_mean_nonneg {X} d h k reach margin tau b (value : nat -> X -> R) x o : 0 < tau -> 0 <= margin ->
    0 < b ->
  0 <= vector_mean d h k reach margin tau b value x o.
Proof.
  intros Ht Hm Hb. apply conversation_nonneg. intros.
  apply asked_nonneg; [exact Hb | now apply by_coordinates_fair].
Qed.
Lemma general_private {X} folds d h tau eps (value : nat -> X -> R) : (0 < d)%nat -> (0 < h)%nat -> 0 < tau ->
    0 < eps ->
  private same_but_one (INR (folds d eps) * share d eps) (general_vector_mean folds d h tau eps value).
Proof.
  intros Hd Hh Ht He. pose proof (share_positive d eps Hd He). unfold general_vector_mean.
  destruct (Rle_dec (share d eps) 1); apply vector_mean_private; try assumption; lra.
Qed.
Lemma general_within_budget {X} d h tau eps (value : nat -> X -> R) : (0 < d)%nat -> (0 < h)%nat -> 0 < tau ->
    0 < eps ->
  private same_but_one eps (general_vector_mean folds_repaired d h tau eps value).
Proof.
  intros Hd Hh Ht He. pose proof (share_positive d eps Hd He).
  apply larger_budget with (a := INR (folds_repaired d eps) * share d eps);
    [| now apply repaired_cost | now apply general_private].
  intros x o. unfold general_vector_mean. destruct (Rle_dec (share d eps) 1); apply vector_mean_nonneg; lra.
Qed.
(* kent-alg-12 part: repaired, the whole transcript is private at every budget *)
Theorem algorithm_12_repaired_is_private d h m tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  private same_but_one eps (algorithm_12 folds_repaired d h m tau eps).
Proof. apply general_within_budget. Qed.
(* kent-alg-12 part: every vote is a distribution, every report a density, as printed and repaired *)
Theorem algorithm_12_is_lawful (folds : nat -> R -> nat) reach margin d h m tau eps seen u : (0 < d)%nat ->
    0 < tau -> 0 < eps -> 0 <= margin ->
  let ask := by_coordinates reach margin tau (coordinate_mean m) (plan d h (folds d eps)) in
  lawful (ask seen) (follow (share d eps) ask seen u).
Proof.
  intros Hd Ht He Hm ask. apply by_coordinates_lawful; [exact Ht | exact Hm | now apply share_positive].
Qed.
(* kent-alg-12 part: what the printed folds cost *)
Theorem algorithm_12_printed_costs d h m tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  private same_but_one (INR (folds_printed d eps) * share d eps) (algorithm_12 folds_printed d h m tau eps).
Proof. apply general_private. Qed.
(* kent-alg-12 part: these costs are exact with six bins, printed and repaired *)
Theorem algorithm_12_loses folds d h m tau eps : (0 < d)%nat -> (0 < h)%nat -> (0 < m)%nat -> 0 < tau ->
    0 < eps ->
  (6 <= bins tau)%nat ->
  attains (same_but_one_among (records_in in_cube)) (INR (folds d eps) * share d eps)
    (algorithm_12 folds d h m tau eps).
Proof.
  intros Hd Hh Hm Ht He Hb. pose proof (share_positive d eps Hd He).
  assert (G : forall reach, (reach <= 1)%nat -> forall margin, 0 <= margin ->
    attains (same_but_one_among (records_in in_cube)) (INR (folds d eps) * share d eps)
      (vector_mean d h (folds d eps) reach margin tau (share d eps) (coordinate_mean m))).
  { intros reach Hr margin Hmargin. apply vector_mean_attains with (i := 1%nat) (i' := 4%nat)
      (u := repeat (fun _ => left_end tau 1) m) (v := repeat (fun _ => left_end tau 4) m); try assumption.
    - unfold apart. lia.
    - apply repeat_in. intros j. apply left_end_in_cube; [exact Ht | lia].
    - apply repeat_in. intros j. apply left_end_in_cube; [exact Ht | lia].
    - intros j _. now rewrite !coordinate_mean_repeat. }
  unfold algorithm_12, general_vector_mean. destruct (Rle_dec (share d eps) 1); apply G; lia || lra.
Qed.
(* The promise of the printed algorithm, for users with records in the cube. *)
Definition algorithm_12_as_printed_keeps (eps : R) : Prop :=
  forall d h m tau, (0 < d)%nat -> (0 < h)%nat -> (0 < m)%nat -> 0 < tau ->
  private (same_but_one_among (records_in in_cube)) eps (algorithm_12 folds_printed d h m tau eps).
(* kent-alg-12 part: refuted as printed for every budget above 1, in every dimension above the budget *)
Theorem algorithm_12_as_printed_is_not_private d h m tau eps : 1 < eps < INR d -> (0 < h)%nat ->
    (0 < m)%nat ->
  0 < tau -> (6 <= bins tau)%nat ->
  ~ private (same_but_one_among (records_in in_cube)) eps (algorithm_12 folds_printed d h m tau eps).
Proof.
  intros He Hh Hm Ht Hb. assert (Hd : (0 < d)%nat) by (apply INR_lt; simpl; lra).
  apply attained_refutes with (a := INR (folds_printed d eps) * share d eps); [| now apply printed_cost].
  apply algorithm_12_loses; auto. lra.
Qed.
(* kent-alg-12 part: so the printed promise is false for every budget above 1 *)
Theorem algorithm_12_as_printed_breaks_every_budget_above_1 eps : 1 < eps ->
    ~ algorithm_12_as_printed_keeps eps.
Proof.
  intros He P. destruct (many_bins 6) as (tau & Ht & Hb). destruct (above eps) as (d & Hd); [lra |].
  assert (0 < d)%nat by (apply INR_lt; simpl; lra).
  exact (algorithm_12_as_printed_is_not_private d 1 1 tau eps (conj He Hd) Nat.lt_0_1 Nat.lt_0_1 Ht Hb
    (P d 1%nat 1%nat tau H Nat.lt_0_1 Nat.lt_0_1 Ht)).
Qed.

(* Algorithm 13: Algorithm 12 after a public rotation. *)
Definition algorithm_13 (folds : nat -> R -> nat) (d h m : nat) (U : nat -> nat -> R) (tau eps : R) :
    (nat -> list vector) -> list answer -> R :=
  general_vector_mean folds d h tau eps (rotated d m U).
(* kent-alg-13 part: repaired, the whole transcript is private at every budget and for every public matrix *)
Theorem algorithm_13_repaired_is_private d h m U tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  private same_but_one eps (algorithm_13 folds_repaired d h m U tau eps).
Proof. apply general_within_budget. Qed.
(* kent-alg-13 part: every vote is a distribution, every report a density, as printed and repaired *)
Theorem algorithm_13_is_lawful (folds : nat -> R -> nat) reach margin d h m U tau eps seen u : (0 < d)%nat ->
    0 < tau -> 0 < eps -> 0 <= margin ->
  let ask := by_coordinates reach margin tau (rotated d m U) (plan d h (folds d eps)) in
  lawful (ask seen) (follow (share d eps) ask seen u).
Proof.
  intros Hd Ht He Hm ask. apply by_coordinates_lawful; [exact Ht | exact Hm | now apply share_positive].
Qed.
(* kent-alg-13 part: what the printed folds cost at most *)
Theorem algorithm_13_printed_costs d h m U tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  private same_but_one (INR (folds_printed d eps) * share d eps) (algorithm_13 folds_printed d h m U tau eps).
Proof. apply general_private. Qed.
Definition algorithm_13_as_printed_keeps (eps : R) : Prop :=
  forall d h m U tau, (0 < d)%nat -> (0 < h)%nat -> (0 < m)%nat -> rotation d U -> 0 < tau ->
  private (same_but_one_among (records_in (in_ball d))) eps (algorithm_13 folds_printed d h m U tau eps).
(* kent-alg-13 part: refuted as printed for budgets from 1 to the dimension, under every rotation *)
Theorem algorithm_13_as_printed_is_not_private d h m U tau eps i i' : 1 < eps < INR d -> (0 < h)%nat ->
    (0 < m)%nat ->
  0 < tau -> rotation d U -> (i < i' < bins tau)%nat ->
  INR d * left_end tau i ^ 2 <= 1 -> INR d * left_end tau i' ^ 2 <= 1 ->
  ~ private (same_but_one_among (records_in (in_ball d))) eps (algorithm_13 folds_printed d h m U tau eps).
Proof.
  intros He Hh Hm Ht O Hi N N'. assert (Hd : (0 < d)%nat) by (apply INR_lt; simpl; lra).
  apply attained_refutes with (a := INR (folds_printed d eps) * share d eps); [| now apply printed_cost].
  assert (S : share d eps = 1).
  { unfold share. destruct (Rle_dec eps 1); [lra |]. destruct (Rle_dec eps (INR d)); lra. }
  unfold algorithm_13, general_vector_mean. rewrite S. destruct (Rle_dec 1 1) as [_ | C]; [| lra].
  apply vector_mean_attains with (i := i) (i' := i')
    (u := repeat (unrotated d U (left_end tau i)) m) (v := repeat (unrotated d U (left_end tau i')) m);
    try assumption; try lra.
  - unfold apart. lia.
  - now apply unrotated_in_ball.
  - now apply unrotated_in_ball.
  - intros j Hj. now rewrite !rotated_unrotated.
Qed.
Lemma identity_rotation d : rotation d (fun i j => if Nat.eqb i j then 1 else 0).
Proof.
  intros i j Hi Hj. rewrite (sum_ext _ _ (fun l => if Nat.eqb i l then (if Nat.eqb j l then 1 else 0)
    else 0)).
  - rewrite (sum_pick d i (fun l => if Nat.eqb j l then 1 else 0)) by exact Hi. now rewrite Nat.eqb_sym.
  - intros l _. destruct (Nat.eqb i l); ring.
Qed.
(* kent-alg-13 part: so the printed promise is false for every budget above 1 *)
Theorem algorithm_13_as_printed_breaks_every_budget_above_1 eps : 1 < eps ->
    ~ algorithm_13_as_printed_keeps eps.
Proof.
  intros He P. destruct (above eps) as (d & Hd); [lra |].
  assert (D : (0 < d)%nat) by (apply INR_lt; simpl; lra).
  assert (D2 : 0 < INR (2 * d)) by (apply lt_0_INR; lia).
  set (tau := 1 / INR (2 * d)). assert (Ht : 0 < tau) by (apply Rdiv_lt_0_compat; lra).
  assert (D1 : 1 < INR d) by lra.
  assert (L0 : left_end tau d = 0). { unfold left_end, tau. rewrite mult_INR. simpl. field. lra. }
  assert (L1 : left_end tau (d + 1) = / INR d).
  { unfold left_end, tau. rewrite mult_INR, plus_INR. simpl. field. lra. }
  refine (algorithm_13_as_printed_is_not_private d 1 1 _ tau eps d (d + 1)
    (conj He Hd) Nat.lt_0_1 Nat.lt_0_1 Ht
    (identity_rotation d) _ _ _ (P d 1%nat 1%nat _ tau D Nat.lt_0_1 Nat.lt_0_1 (identity_rotation d) Ht)).
  - unfold tau. rewrite bins_whole by lia. assert (1 < d)%nat by (apply INR_lt; simpl; lra). lia.
  - rewrite L0. lra.
  - rewrite L1. replace (INR d * (/ INR d) ^ 2) with (/ INR d) by (field; lra).
    rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.
