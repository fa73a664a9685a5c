(* Kent et al., Algorithm 9: means of a mixture. Model of userdp.local.mixture.mixture_means. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means.
Import ListNotations.
Open Scope R_scope.

(* The first of k midpoints that is nearest to x. *)
Fixpoint nearest (M : nat -> R) (x : R) (k : nat) : nat :=
  match k with
  | O => O
  | S k => if Rlt_dec (Rabs (x - M k)) (Rabs (x - M (nearest M x k))) then k else nearest M x k
  end.
(* n users in thirds: a vote for a bin; a vote for the nearest midpoint; the distance from it, turned by
    a public
   sign. The midpoints are computed from the answers of the first third, by whatever rule. *)
Definition algorithm_9 (n m k : nat) (tau : R) (signs : nat -> nat -> R) (midpoints : list answer -> nat -> R)
    (seen : list answer) : question (list R) :=
  let t := length seen in let M := midpoints (firstn (n / 3) seen) in
  if (t <? n / 3)%nat then localise 0 tau (mean m)
  else if (t <? 2 * (n / 3))%nat then Cast k 1 (fun u => one_hot k (nearest M (mean m u) k))
  else Ask (- (3 * tau)) (3 * tau) (fun u =>
    let c := nearest M (mean m u) k in signs t c * project (- (3 * tau)) (3 * tau) (mean m u - M c)).
Lemma algorithm_9_fair n m k tau signs M seen : 0 < tau -> fair (algorithm_9 n m k tau signs M seen).
Proof.
  intros H. unfold algorithm_9. cbv zeta. destruct (length seen <? n / 3)%nat; [now apply localise_fair |].
  destruct (length seen <? 2 * (n / 3))%nat; simpl; [| lra]. split; [lia | apply one_hot_ballots].
Qed.
(* kent-alg-9 part: repaired, the whole transcript is private, for all public signs *)
Theorem algorithm_9_repaired_is_private n m k tau eps signs midpoints : 0 < tau -> 0 < eps ->
  private replaced eps (transcript (follow eps (algorithm_9 n m k tau signs midpoints)) []).
Proof. intros Ht He. apply follow_private; [exact He |]. intros. now apply algorithm_9_fair. Qed.
(* kent-alg-9 part: every vote is a distribution, every report a density *)
Theorem algorithm_9_is_lawful n m k tau eps signs midpoints seen u : 0 < tau -> 0 < eps ->
  lawful (algorithm_9 n m k tau signs midpoints seen)
    (follow eps (algorithm_9 n m k tau signs midpoints) seen u).
Proof. intros Ht He. apply asked_lawful; [exact He | now apply algorithm_9_fair]. Qed.
Lemma nearest_itself M k i : (forall j, (j < k)%nat -> j <> i -> M j <> M i) -> (i < k)%nat ->
    nearest M (M i) k = i.
Proof.
  intros D. assert (Z : forall x, Rabs (x - x) = 0) by (intros; rewrite Rminus_eq_0; apply Rabs_R0).
  induction k as [| k IH]; intros Hi; [lia |]. simpl.
  destruct (Nat.eq_dec i k) as [-> | N].
  - destruct (Rlt_dec _ _) as [_ | C]; [reflexivity |]. rewrite Z in C.
    destruct (Nat.eq_dec (nearest M (M k) k) k) as [E | E]; [exact E |]. exfalso. apply C, Rabs_pos_lt.
    intros F. assert (L : forall k' x, (0 < k')%nat -> (nearest M x k' < k')%nat).
    { clear. induction k' as [| [| k'] IH]; intros x H; [lia | |].
      - simpl. destruct (Rlt_dec _ _); lia.
      - cbn [nearest]. specialize (IH x ltac:(lia)). cbn [nearest] in IH.
      destruct (Rlt_dec (Rabs (x - M (S k'))) _); lia. }
    destruct k as [| k]; [now apply E |].
    apply (D (nearest M (M (S k)) (S k))); [| exact E | lra].
    pose proof (L (S k) (M (S k)) ltac:(lia)). lia.
  - rewrite IH by (try lia; intros j Hj; apply D; lia). rewrite Z.
    destruct (Rlt_dec _ _) as [C | _]; [| reflexivity]. pose proof (Rabs_pos (M i - M k)). lra.
Qed.
(* kent-alg-9 part: repaired, the second third loses exactly the budget from two components on *)
Theorem algorithm_9_second_third_loses_the_budget n m k tau eps signs midpoints seen :
  (n / 3 <= length seen < 2 * (n / 3))%nat -> (0 < m)%nat -> (2 <= k)%nat ->
  (forall i j, (i < k)%nat -> (j < k)%nat -> i <> j ->
    midpoints (firstn (n / 3) seen) i <> midpoints (firstn (n / 3) seen) j) ->
  attains anyone eps (follow eps (algorithm_9 n m k tau signs midpoints) seen).
Proof.
  intros Hs Hm Hk D. unfold follow, algorithm_9. cbv zeta.
  destruct (Nat.ltb_spec (length seen) (n / 3)) as [L | _]; [lia |].
  destruct (Nat.ltb_spec (length seen) (2 * (n / 3))) as [_ | L]; [| lia].
  set (M := midpoints (firstn (n / 3) seen)) in *.
  destruct (cast_attains eps k 1 (fun u => one_hot k (nearest M (mean m u) k)) (repeat (M 0%nat) m)
    (repeat (M 1%nat) m))
    as (a & P & E); [lia | now rewrite !one_hot_length | |].
  - rewrite !mean_repeat, !nearest_itself by (try lia; intros j Hj N; apply D; lia).
    apply one_hot_differences; lia.
  - now exists (repeat (M 0%nat) m), (repeat (M 1%nat) m), a.
Qed.

(* The second third as printed, read by the letter: a vote for the chosen bin that holds the mean. *)
Definition letter (tau eps : R) (chosen : list nat) (x : R) : list bool -> R :=
  unary (eps / 2) (map (fun j => Nat.eqb (bin tau x) j) chosen).
Lemma once (b : nat) chosen : NoDup chosen -> (ones (map (fun j => Nat.eqb b j) chosen) <= 1)%nat.
Proof.
  unfold ones. intros D. induction D as [| j l Hj D IH]; simpl; [lia |].
  destruct (Nat.eqb_spec b j) as [-> | N]; simpl; [| exact IH].
  replace (count_occ bool_dec (map (fun i => Nat.eqb j i) l) true) with 0%nat; [lia |].
  symmetry. apply count_occ_not_In. intros C. apply in_map_iff in C. destruct C as (i & E & Hi).
  apply Nat.eqb_eq in E. now subst.
Qed.
(* kent-alg-9 part: read by the letter, the second third is private *)
Theorem algorithm_9_by_the_letter_is_private tau eps chosen : 0 <= eps -> NoDup chosen ->
  private anyone eps (letter tau eps chosen).
Proof.
  intros He D. replace eps with (INR 2 * (eps / 2)) at 1 by (simpl; field).
  apply (unary_private _ 2 (fun x => map (fun j => Nat.eqb (bin tau x) j) chosen)); [lra | ..]; intros u v.
  - now rewrite !map_length.
  - pose proof (once (bin tau u) chosen D). pose proof (once (bin tau v) chosen D).
    pose proof (differences_at_most (map (fun j => Nat.eqb (bin tau u) j) chosen)
      (map (fun j => Nat.eqb (bin tau v) j) chosen)). lia.
Qed.

(* The same read as the proof does: a vote for every chosen bin whose widened interval holds the mean. *)
Definition in_widened (tau x : R) (j : nat) : bool :=
  if Rle_dec (left_end tau j - 2 * tau) x then if Rlt_dec x (left_end tau (j + 1) + 2 * tau) then true
    else false else false.
Definition widened (tau eps : R) (chosen : list nat) (x : R) : list bool -> R :=
  unary (eps / 2) (map (in_widened tau x) chosen).
(* Chosen bins are there, increase and are not adjacent. *)
Fixpoint choosable (tau : R) (from : nat) (chosen : list nat) : Prop :=
  match chosen with [] => True | j :: rest => (from <= j < bins tau)%nat /\ choosable tau (j + 2) rest end.
Definition algorithm_9_as_its_proof_reads_keeps (k : nat) (eps : R) : Prop :=
  forall tau chosen, 0 < tau -> choosable tau 0 chosen -> length chosen = k ->
  private (within 1) eps (widened tau eps chosen).
Lemma widened_yes tau x j : left_end tau j - 2 * tau <= x < left_end tau (j + 1) + 2 * tau ->
    in_widened tau x j = true.
Proof. intros H. unfold in_widened. destruct (Rle_dec _ _); [destruct (Rlt_dec _ _) |]; lra || reflexivity.
  Qed.
Lemma widened_no tau x j : x < left_end tau j - 2 * tau \/ left_end tau (j + 1) + 2 * tau <= x ->
    in_widened tau x j = false.
Proof. intros H. unfold in_widened. destruct (Rle_dec _ _); [destruct (Rlt_dec _ _) |]; lra || reflexivity.
  Qed.
Lemma widened_attains tau eps chosen k : 0 < tau -> (7 <= bins tau)%nat ->
  differences (map (in_widened tau (-1 + 3 * tau)) chosen) (map (in_widened tau (-1 + 11 * tau)) chosen) =
    k ->
  attains (within 1) (INR k * (eps / 2)) (widened tau eps chosen).
Proof.
  intros Ht Hb <-. pose proof (bins_reach tau 6 Ht ltac:(lia)) as B. simpl in B.
  exists (-1 + 3 * tau), (-1 + 11 * tau), (map (in_widened tau (-1 + 3 * tau)) chosen).
  split; [unfold within; lra |]. unfold widened. split; [apply unary_positive; now rewrite !map_length |].
  apply unary_loss_attained. now rewrite !map_length.
Qed.
Lemma widened_table tau : 0 < tau ->
  map (in_widened tau (-1 + 3 * tau)) [0; 2; 4; 6]%nat = [true; true; false; false] /\
  map (in_widened tau (-1 + 11 * tau)) [0; 2; 4; 6]%nat = [false; false; true; true].
Proof.
  intros H. unfold map.
  rewrite (widened_yes tau (-1 + 3 * tau) 0), (widened_yes tau (-1 + 3 * tau) 2),
    (widened_no tau (-1 + 3 * tau) 4),
    (widened_no tau (-1 + 3 * tau) 6), (widened_no tau (-1 + 11 * tau) 0), (widened_no tau (-1 + 11 * tau) 2),
    (widened_yes tau (-1 + 11 * tau) 4), (widened_yes tau (-1 + 11 * tau) 6);
    [now split | ..]; unfold left_end; simpl; lra.
Qed.
Lemma widened_four tau eps : 0 < tau -> (7 <= bins tau)%nat ->
  attains (within 1) (2 * eps) (widened tau eps [0; 2; 4; 6]%nat).
Proof.
  intros Ht Hb. replace (2 * eps) with (INR 4 * (eps / 2)) by (simpl; field).
  apply widened_attains; [exact Ht | exact Hb |]. destruct (widened_table tau Ht) as [-> ->]. reflexivity.
Qed.
Lemma widened_three tau eps : 0 < tau -> (7 <= bins tau)%nat ->
  attains (within 1) (3 / 2 * eps) (widened tau eps [0; 2; 4]%nat).
Proof.
  intros Ht Hb. replace (3 / 2 * eps) with (INR 3 * (eps / 2)) by (simpl; field).
  apply widened_attains; [exact Ht | exact Hb |]. destruct (widened_table tau Ht) as [E F].
  change (map (in_widened tau (-1 + 3 * tau)) [0; 2; 4]%nat) with
    (firstn 3 (map (in_widened tau (-1 + 3 * tau)) [0; 2; 4; 6]%nat)).
  change (map (in_widened tau (-1 + 11 * tau)) [0; 2; 4]%nat) with
    (firstn 3 (map (in_widened tau (-1 + 11 * tau)) [0; 2; 4; 6]%nat)).
  rewrite E, F. reflexivity.
Qed.
(* kent-alg-9 part: what the reading of the proof costs, 3/2 eps with three components and 2 eps with four *)
Theorem algorithm_9_as_its_proof_reads_loses tau eps : 0 < tau -> (7 <= bins tau)%nat ->
  attains (within 1) (3 / 2 * eps) (widened tau eps [0; 2; 4]%nat) /\
  attains (within 1) (2 * eps) (widened tau eps [0; 2; 4; 6]%nat).
Proof. intros Ht Hb. split; [now apply widened_three | now apply widened_four]. Qed.
(* kent-alg-9 part: so that reading breaks every budget, with three components and with four *)
Theorem algorithm_9_as_its_proof_reads_breaks_every_budget eps : 0 < eps ->
  ~ algorithm_9_as_its_proof_reads_keeps 3 eps /\ ~ algorithm_9_as_its_proof_reads_keeps 4 eps.
Proof.
  intros He. destruct (many_bins 7) as (tau & Ht & Hb). split; intros P.
  - refine (attained_refutes _ _ _ _ (widened_three tau eps Ht Hb) _ (P tau [0; 2; 4]%nat Ht _ eq_refl));
    [lra |].
    simpl. lia.
  - refine (attained_refutes _ _ _ _ (widened_four tau eps Ht Hb) _ (P tau [0; 2; 4; 6]%nat Ht _ eq_refl));
    [lra |].
    simpl. lia.
Qed.
