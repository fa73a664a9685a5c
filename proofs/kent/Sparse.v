(* Kent et al., the algorithms for sparse means: 6 and 7.
   Models of userdp.local.hashing.hashed_scores and userdp.local.sparse. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means Folds.
From Userdp.kent Require Import Vectors.
Import ListNotations.
Open Scope R_scope.

(* The sum of a user's public signs r over the coordinates of absolute value at least lambda. *)
Definition hashed_sum (d m : nat) (lambda : R) (r : nat -> R) (u : list vector) : R :=
  sum (seq 0 d) (fun j => if Rle_dec lambda (Rabs (coordinate_mean m j u)) then r j else 0).
(* The score of coordinate j: the average of sign times report. *)
Fixpoint signed_total (signs : nat -> nat -> R) (j t : nat) (seen : list answer) : R :=
  match seen with
  | [] => 0
  | Number z :: rest => signs t j * z + signed_total signs j (S t) rest
  | Vote _ :: rest => signed_total signs j (S t) rest
  end.
Definition selected (d s : nat) (signs : nat -> nat -> R) (reports : list answer) : list nat :=
  firstn s (filter (fun j => if Rle_dec (1 / 2) (signed_total signs j 0 reports / INR (length reports))
    then true else false) (seq 0 d)).
(* The first half sends hashed sums; the second is shared out over the selected coordinates, h voters each. *)
Definition algorithm_6 (n d m s : nat) (eta lambda tau : R) (signs : nat -> nat -> R) (seen : list answer) :
    question (list vector) :=
  let t := length seen in let half := (n / 2)%nat in
  let kept := selected d s signs (firstn half seen) in let h := (half / 2 / length kept)%nat in
  let fold := fun i => if (i <? half + half / 2)%nat then ((i - half) / h)%nat else
    ((i - half - half / 2) / h)%nat in
  let value := coordinate_mean m (nth (fold t) kept 0%nat) in
  if (t <? half)%nat then Ask (- eta) eta (hashed_sum d m lambda (signs t))
  else if (t <? half + half / 2)%nat then localise 0 tau value
  else refine 2 tau (winner tau (fun i => (half <=? i)%nat && (fold i =? fold t)%nat) seen) value.
Lemma algorithm_6_fair n d m s eta lambda tau signs seen : 0 < eta -> 0 < tau ->
  fair (algorithm_6 n d m s eta lambda tau signs seen).
Proof.
  intros He Ht. unfold algorithm_6. cbv zeta. destruct (length seen <? n / 2)%nat; [simpl; lra |].
  destruct (length seen <? n / 2 + n / 2 / 2)%nat; [now apply localise_fair | apply refine_fair; lra].
Qed.
(* kent-alg-6 part: privacy of the whole transcript, for all public signs *)
Theorem algorithm_6_is_private n d m s eta lambda tau signs eps : 0 < eta -> 0 < tau -> 0 < eps ->
  private replaced eps (transcript (follow eps (algorithm_6 n d m s eta lambda tau signs)) []).
Proof. intros H Ht He. apply follow_private; [exact He |]. intros. now apply algorithm_6_fair. Qed.
(* kent-alg-6 part: every vote is a distribution, every report a density *)
Theorem algorithm_6_is_lawful n d m s eta lambda tau signs eps seen u : 0 < eta -> 0 < tau -> 0 < eps ->
  lawful (algorithm_6 n d m s eta lambda tau signs seen)
    (follow eps (algorithm_6 n d m s eta lambda tau signs) seen u).
Proof. intros H Ht He. apply asked_lawful; [exact He | now apply algorithm_6_fair]. Qed.
(* The hashed sum of a user who chooses the coordinates of sign c. *)
Definition of_sign (r : nat -> R) (c : R) : vector := fun j => if Req_EM_T (r j) c then 1 else 0.
Lemma hashed_of_sign d m lambda r c : (0 < m)%nat -> 0 < lambda <= 1 ->
  hashed_sum d m lambda r (repeat (of_sign r c) m) = c * sum (seq 0 d) (of_sign r c).
Proof.
  intros Hm Hl. unfold hashed_sum. rewrite <- sum_scale. apply sum_ext. intros j _.
  rewrite coordinate_mean_repeat by exact Hm. unfold of_sign. destruct (Req_EM_T (r j) c) as [-> | _].
  - rewrite Rabs_R1. destruct (Rle_dec lambda 1); [ring | lra].
  - rewrite Rabs_R0. destruct (Rle_dec lambda 0); [lra | ring].
Qed.
(* kent-alg-6 part: with eta signs of either kind no smaller budget holds for the first half, by events *)
Theorem algorithm_6_first_half_loses_the_budget d m eta lambda r eps e : 0 < eta -> 0 < lambda <= 1 ->
    0 < eps -> (0 < m)%nat ->
  eta <= sum (seq 0 d) (of_sign r 1) -> eta <= sum (seq 0 d) (of_sign r (-1)) -> e < eps ->
  ~ private_by_masses anyone e (report (- eta) eta eps (hashed_sum d m lambda r)).
Proof.
  intros He Hl Hb Hm P N L.
  apply report_no_less with (x := repeat (of_sign r (-1)) m) (y := repeat (of_sign r 1) m); try lra;
    rewrite hashed_of_sign by assumption; lra.
Qed.

(* Algorithm 7: all coordinates by Algorithm 4 with this width;
    what follows is computed from the estimates. *)
Definition threshold_width (n m : nat) (eps : R) : R := sqrt (4 * ln (INR n * INR m * eps ^ 2) / INR m).
Definition algorithm_7 (d h m : nat) (kappa eps : R) : (nat -> list vector) -> list answer -> R :=
  let n := (2 * (d * h))%nat in let m' := horizon m (INR n * eps ^ 2 / (kappa * INR d)) in
  algorithm_4 d h m' (threshold_width n m' eps) eps.
Lemma threshold_width_positive n m eps : (0 < m)%nat -> 1 < INR n * INR m * eps ^ 2 ->
    0 < threshold_width n m eps.
Proof.
  intros Hm H. apply lt_INR in Hm. simpl in Hm. apply sqrt_lt_R0, Rdiv_lt_0_compat; [| exact Hm].
  apply Rmult_lt_0_compat; [lra |]. rewrite <- ln_1. apply ln_increasing; lra.
Qed.
(* kent-alg-7 part: privacy of the whole transcript *)
Theorem algorithm_7_is_private d h m kappa eps :
  let n := (2 * (d * h))%nat in let m' := horizon m (INR n * eps ^ 2 / (kappa * INR d)) in
  (0 < d)%nat -> (0 < h)%nat -> (0 < m')%nat -> 0 < eps -> 1 < INR n * INR m' * eps ^ 2 ->
  private same_but_one eps (algorithm_7 d h m kappa eps).
Proof. intros n m' Hd Hh Hm He H. apply algorithm_4_is_private; auto. now apply threshold_width_positive. Qed.
(* kent-alg-7 part: the loss is exactly the budget from two bins on *)
Theorem algorithm_7_loses_the_budget d h m kappa eps :
  let n := (2 * (d * h))%nat in let m' := horizon m (INR n * eps ^ 2 / (kappa * INR d)) in
  (0 < d)%nat -> (0 < h)%nat -> (0 < m')%nat -> 0 < eps -> 1 < INR n * INR m' * eps ^ 2 ->
  (2 <= bins (threshold_width n m' eps))%nat ->
  attains (same_but_one_among (records_in in_cube)) eps (algorithm_7 d h m kappa eps).
Proof. intros n m' Hd Hh Hm He H Hb. apply algorithm_4_loses_the_budget; auto.
  now apply threshold_width_positive. Qed.
