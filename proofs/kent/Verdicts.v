(* Kent et al., what the book says about each algorithm, in one theorem: the whole transcript is private at the budget,
   what a user sends is a distribution or a density, and no smaller budget holds. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means Folds.
From Userdp.kent Require Import Univariate Cover Mixture Vectors Sparse.
Import ListNotations.
Open Scope R_scope.

(* A protocol that asks each user once: for two users at least, some user's data are exchanged at the cost of the budget. *)
Definition costs {X} (eps : R) (protocol : list answer -> question X) : Prop := exists u v, forall others, exists answers,
  0 < transcript (follow eps protocol) [] (v :: others) answers /\
  transcript (follow eps protocol) [] (u :: others) answers = exp eps * transcript (follow eps protocol) [] (v :: others) answers.
Definition sound {X} (eps : R) (protocol : list answer -> question X) : Prop :=
  private replaced eps (transcript (follow eps protocol) []) /\
  forall seen u, lawful (protocol seen) (follow eps protocol seen u).

(* kent-alg-1 whole; with overlapping balls it is refuted at every budget, with disjoint ones it holds *)
Theorem algorithm_1_verdict : (forall eps, 0 < eps -> ~ algorithm_1_as_printed_keeps eps) /\
  forall (X : Type) N eps (holds : nat -> X -> bool), 0 < eps -> sound eps (algorithm_1 N holds) /\
    ((exists x y, (first_ball N (fun j => holds j x) < N)%nat /\ (first_ball N (fun j => holds j y) < N)%nat /\
      first_ball N (fun j => holds j x) <> first_ball N (fun j => holds j y)) -> costs eps (algorithm_1 N holds)).
Proof.
  split; [exact algorithm_1_as_printed_breaks_every_budget |]. intros X N eps holds He. split.
  - split; [now apply algorithm_1_is_private | intros; now apply algorithm_1_is_lawful].
  - intros (x & y & Hx & Hy & D). exists x, y. intros others. now apply algorithm_1_loses_the_budget.
Qed.
(* kent-alg-2 whole *)
Theorem algorithm_2_verdict n m tau eps : 0 < tau -> 0 < eps -> sound eps (algorithm_2 n m tau) /\
  ((2 <= n)%nat -> (0 < m)%nat -> (2 <= bins tau)%nat -> costs eps (algorithm_2 n m tau)).
Proof.
  intros Ht He. split; [split; [now apply algorithm_2_is_private | intros; now apply algorithm_2_is_lawful] |].
  intros Hn Hm Hb. eexists _, _. intros others. now apply algorithm_2_loses_the_budget.
Qed.
(* kent-alg-3 whole *)
Theorem algorithm_3_verdict n m kappa eps : let m' := horizon m (INR n * eps ^ 2 / kappa) in
  0 < eps -> 0 < kappa -> (0 < m)%nat -> 1 < INR n * INR m' * eps ^ 2 -> sound eps (algorithm_3 n m kappa eps) /\
  ((2 <= n)%nat -> (2 <= bins (width n m' eps))%nat -> costs eps (algorithm_3 n m kappa eps)).
Proof.
  intros m' He Hk Hm H. assert (Hm' : (0 < m')%nat).
  { apply horizon_positive; [exact Hm |]. apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat].
    apply Rmult_le_pos; [apply pos_INR | apply pow2_ge_0]. }
  destruct (algorithm_2_verdict n m' (width n m' eps) eps (width_positive n m' eps Hm' H) He) as [S C].
  split; [exact S | intros Hn Hb; exact (C Hn Hm' Hb)].
Qed.
(* kent-alg-10 whole; with closed bins it is refuted, with half-open ones it holds *)
Theorem algorithm_10_verdict : (forall eps, 0 < eps -> ~ closed_bins_keep_the_budget 0 eps /\ ~ closed_bins_keep_the_budget 1 eps) /\
  forall n m tau eps, 0 < tau -> 0 < eps -> sound eps (algorithm_10 n m tau eps) /\
    ((2 <= n)%nat -> (0 < m)%nat -> (6 <= bins tau)%nat -> costs eps (algorithm_10 n m tau eps)).
Proof.
  split; [exact algorithm_10_with_closed_bins_is_not_private |]. intros n m tau eps Ht He. split.
  - split; [now apply algorithm_10_is_private | intros; now apply algorithm_10_is_lawful].
  - intros Hn Hm Hb. destruct (Rle_or_lt eps 1) as [S | S].
    + eexists (repeat (left_end tau 0) m), (repeat (left_end tau 1) m). intros others.
      apply follow_attains; [exact He | intros; now apply algorithm_10_fair |]. unfold algorithm_10.
      destruct (Rle_dec eps 1); [| lra]. unfold algorithm_2. simpl length. rewrite first_is_asked by exact Hn.
      eapply localise_attains; [exact Ht | apply nearest_apart; lia | ..]; now apply mean_repeat.
    + eexists _, _. intros others. now apply algorithm_10_loses_the_budget.
Qed.
(* kent-alg-11 whole *)
Theorem algorithm_11_verdict n m kappa eps : let m' := horizon m (INR n * Rmin eps (eps ^ 2) / kappa) in
  0 < eps -> 0 < kappa -> (0 < m)%nat -> 1 < INR n * INR m' * Rmin 1 (eps ^ 2) -> sound eps (algorithm_11 n m kappa eps) /\
  ((2 <= n)%nat -> (6 <= bins (general_width n m' eps))%nat -> costs eps (algorithm_11 n m kappa eps)).
Proof.
  intros m' He Hk Hm H. assert (Hm' : (0 < m')%nat).
  { apply horizon_positive; [exact Hm |]. apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat].
    apply Rmult_le_pos; [apply pos_INR | apply Rmin_glb; [lra | apply pow2_ge_0]]. }
  destruct algorithm_10_verdict as [_ V].
  destruct (V n m' (general_width n m' eps) eps (general_width_positive n m' eps Hm' H) He) as [S C].
  split; [exact S | intros Hn Hb; exact (C Hn Hm' Hb)].
Qed.

(* A protocol with folds: user i answers about coordinate j. *)
Definition sound_by_folds {X} (d h k reach : nat) (margin tau budget b : R) (value : nat -> X -> R) : Prop :=
  private same_but_one budget (vector_mean d h k reach margin tau b value) /\
  forall seen u, let ask := by_coordinates reach margin tau value (plan d h k) in lawful (ask seen) (follow b ask seen u).
Lemma one_fold_sound {X} d h tau eps (value : nat -> X -> R) : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  sound_by_folds d h 1 0 2 tau eps eps value.
Proof.
  intros Hd Hh Ht He. split; [| intros; apply by_coordinates_lawful; lra].
  rewrite <- (one_time eps) at 1. apply vector_mean_private; try assumption; lra.
Qed.
(* kent-alg-4 whole *)
Theorem algorithm_4_verdict d h m tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  sound_by_folds d h 1 0 2 tau eps eps (coordinate_mean m) /\
  ((0 < m)%nat -> (2 <= bins tau)%nat -> attains (same_but_one_among (records_in in_cube)) eps (algorithm_4 d h m tau eps)).
Proof. intros Hd Hh Ht He. split; [now apply one_fold_sound |]. intros Hm Hb. now apply algorithm_4_loses_the_budget. Qed.
(* kent-alg-5 whole *)
Theorem algorithm_5_verdict d h m U tau eps : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps -> rotation d U ->
  sound_by_folds d h 1 0 2 tau eps eps (rotated d m U) /\
  forall i i', (0 < m)%nat -> (i < i' < bins tau)%nat -> INR d * left_end tau i ^ 2 <= 1 -> INR d * left_end tau i' ^ 2 <= 1 ->
    attains (same_but_one_among (records_in (Folds.in_ball d))) eps (algorithm_5 d h m U tau eps).
Proof.
  intros Hd Hh Ht He O. split; [now apply one_fold_sound |]. intros i i' Hm Hi L L'.
  now apply algorithm_5_loses_the_budget with (i := i) (i' := i').
Qed.
(* kent-alg-6 whole *)
Theorem algorithm_6_verdict n d m s eta lambda tau signs eps : 0 < eta -> 0 < tau -> 0 < eps ->
  sound eps (algorithm_6 n d m s eta lambda tau signs) /\
  forall t e, 0 < lambda <= 1 -> (0 < m)%nat -> eta <= sum (seq 0 d) (of_sign (signs t) 1) ->
    eta <= sum (seq 0 d) (of_sign (signs t) (-1)) -> e < eps ->
    ~ private_by_masses anyone e (report (- eta) eta eps (hashed_sum d m lambda (signs t))).
Proof.
  intros H Ht He. split; [split; [now apply algorithm_6_is_private | intros; now apply algorithm_6_is_lawful] |].
  intros t e Hl Hm P N L. now apply algorithm_6_first_half_loses_the_budget.
Qed.
(* kent-alg-7 whole *)
Theorem algorithm_7_verdict d h m kappa eps :
  let n := (2 * (d * h))%nat in let m' := horizon m (INR n * eps ^ 2 / (kappa * INR d)) in let tau := threshold_width n m' eps in
  (0 < d)%nat -> (0 < h)%nat -> (0 < m')%nat -> 0 < eps -> 1 < INR n * INR m' * eps ^ 2 ->
  sound_by_folds d h 1 0 2 tau eps eps (coordinate_mean m') /\
  ((2 <= bins tau)%nat -> attains (same_but_one_among (records_in in_cube)) eps (algorithm_7 d h m kappa eps)).
Proof.
  intros n m' tau Hd Hh Hm He H. split; [apply one_fold_sound; auto; now apply threshold_width_positive |].
  intros Hb. now apply algorithm_7_loses_the_budget.
Qed.
(* kent-alg-9 whole; as its proof reads it is refuted, as repaired it holds *)
Theorem algorithm_9_verdict :
  (forall eps, 0 < eps -> ~ algorithm_9_as_its_proof_reads_keeps 3 eps /\ ~ algorithm_9_as_its_proof_reads_keeps 4 eps) /\
  forall n m k tau eps signs midpoints, 0 < tau -> 0 < eps -> sound eps (algorithm_9 n m k tau signs midpoints) /\
    ((6 <= n)%nat -> (0 < m)%nat -> (2 <= bins tau)%nat -> costs eps (algorithm_9 n m k tau signs midpoints)).
Proof.
  split; [exact algorithm_9_as_its_proof_reads_breaks_every_budget |]. intros n m k tau eps signs M Ht He. split.
  - split; [now apply algorithm_9_repaired_is_private | intros; now apply algorithm_9_is_lawful].
  - intros Hn Hm Hb. exists (repeat (left_end tau 0) m), (repeat (left_end tau 1) m). intros others.
    apply follow_attains; [exact He | intros; now apply algorithm_9_fair |]. unfold algorithm_9. cbv zeta. simpl length.
    replace (0 <? n / 3)%nat with true by (symmetry; apply Nat.ltb_lt, Nat.div_str_pos; lia).
    eapply localise_attains; [exact Ht | apply nearest_apart; exact Hb | ..]; now apply mean_repeat.
Qed.

(* Algorithm 8: a fold whose coordinate can be at either end is enough. *)
Lemma turn_of_fold d h t w j r : (0 < d)%nat -> (0 < h)%nat -> nth_error (plan d h 1) t = Some (w, j, r) ->
  (w / h = j \/ (w - d * h) / h = j /\ d * h <= w)%nat.
Proof.
  intros Hd Hh E. apply nth_error_In, in_flat_map in E. destruct E as (a & Ha & E). apply in_seq in Ha.
  assert (M : forall u, In u (members d h 1 a) -> (u / h = a)%nat).
  { intros u Hu. apply in_flat_map in Hu. destruct Hu as (i & Hi & Hu). apply in_seq in Hu. apply in_seq in Hi.
    replace (a + i)%nat with a in Hu by lia. rewrite Nat.mod_small in Hu by lia.
    symmetry. apply (Nat.div_unique u h a (u - a * h)); lia. }
  apply in_app_or in E. destruct E as [E | E]; apply in_map_iff in E; destruct E as (u & E & Hu); injection E as <- <- <-.
  - left. now apply M.
  - right. split; [| lia]. replace (d * h + u - d * h)%nat with u by lia. now apply M.
Qed.
Lemma turn_of_voter d h t i r j : (0 < h)%nat -> (i < d * h)%nat -> nth_error (plan d h 1) t = Some (i, j, r) -> r = true.
Proof.
  intros Hh Hi E. apply nth_error_In, in_flat_map in E. destruct E as (a & Ha & E). apply in_app_or in E.
  destruct E as [E | E]; apply in_map_iff in E; destruct E as (u & E & _); injection E as Ew Ej Er; [now symmetry | lia].
Qed.
Lemma fold_attains {X} d h tau eps (value : nat -> X -> R) (allowed : X -> Prop) j u v :
  (j < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps -> allowed u -> allowed v ->
  (bin tau (value j u) < bin tau (value j v))%nat ->
  attains (same_but_one_among allowed) eps (vector_mean d h 1 0 2 tau eps value).
Proof.
  intros Hj Hh Ht He Au Av B. assert (Hd : (0 < d)%nat) by lia. assert (Hi : (j * h < d * h)%nat) by nia.
  rewrite <- (one_time eps) at 1. replace 1%nat with (asked_times (j * h) (speakers d h 1)) at 1.
  2:{ rewrite times_asked by lia. destruct (Nat.ltb_spec (j * h) (2 * (d * h))); [reflexivity | lia]. }
  apply follow_often_attains with (u := u) (v := v); auto; [intros; apply by_coordinates_fair; lra |].
  intros seen E. unfold speakers in E. rewrite nth_error_map in E. unfold by_coordinates.
  destruct (nth_error (plan d h 1) (length seen)) as [[[w i] r] |] eqn:T; [| discriminate].
  simpl in E. injection E as E. unfold user_of in E. simpl in E. subst w.
  pose proof (turn_of_voter d h _ _ _ _ Hh Hi T) as ->.
  destruct (turn_of_fold d h _ _ _ _ Hd Hh T) as [F | [_ F]]; [| lia]. rewrite Nat.div_mul in F by lia. subst i.
  destruct (ballot_ballots 0 tau (value j) Ht u) as [Lu _], (ballot_ballots 0 tau (value j) Ht v) as [Lv _].
  apply cast_attains; [lia | congruence |]. apply (ballot_differences 0); [exact Ht | lia | lia |].
  pose proof (bin_in_range tau (value j v) Ht). lia.
Qed.
Lemma ends_apart tau : 0 < tau -> (2 <= bins tau)%nat -> forall x y, x <= -1 -> 1 <= y -> (bin tau x < bin tau y)%nat.
Proof.
  intros Ht Hb x y Hx Hy. pose proof (bins_reach tau 1 Ht ltac:(lia)) as L. simpl in L. unfold bin.
  assert (Px : project (-1) 1 x = -1) by (unfold project; rewrite Rmin_right, Rmax_left by lra; reflexivity).
  assert (Py : project (-1) 1 y = 1) by (unfold project; rewrite Rmin_left, Rmax_right by lra; reflexivity). rewrite Px, Py.
  replace ((-1 + 1) / (2 * tau)) with 0 by (field; lra). rewrite (Int_part_is 0 0) by lra.
  enough (1 <= Int_part ((1 + 1) / (2 * tau)))%Z by lia. apply Int_part_ge.
  apply Rmult_le_reg_r with (2 * tau); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma mean_of_wave m x : (0 < m)%nat -> forall j, mean m (map (wave j) (repeat x m)) = wave j x.
Proof.
  intros Hm j. replace (map (wave j) (repeat x m)) with (repeat (wave j x) m); [now apply mean_repeat |].
  clear Hm. induction m; simpl; congruence.
Qed.
Lemma second_wave : wave 2 0 = sqrt 2 /\ wave 2 (1 / 2) = - sqrt 2.
Proof.
  unfold wave. simpl. split.
  - rewrite Rmult_0_r, cos_0. ring.
  - replace (2 * PI * 1 * (1 / 2)) with PI by field. rewrite cos_PI. ring.
Qed.
Definition in_unit (records : list R) : Prop := forall x, In x records -> 0 <= x <= 1.
(* kent-alg-8 whole; as printed and with the coefficients divided by the root of two *)
Theorem algorithm_8_verdict J h m tau eps : (1 < J)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  sound_by_folds J h 1 0 2 tau eps eps (printed_coefficient m) /\
  sound_by_folds (J - 1) h 1 0 2 tau eps eps (repaired_coefficient m) /\
  ((0 < m)%nat -> (2 <= bins tau)%nat ->
    attains (same_but_one_among in_unit) eps (algorithm_8 printed_coefficient J h m tau eps) /\
    attains (same_but_one_among in_unit) eps (algorithm_8 repaired_coefficient (J - 1) h m tau eps)).
Proof.
  intros HJ Hh Ht He. split; [apply one_fold_sound; auto; lia |]. split; [apply one_fold_sound; auto; lia |].
  intros Hm Hb. destruct second_wave as [W0 W1]. pose proof Rlt_sqrt2_0 as S0. pose proof (sqrt_sqrt 2 ltac:(lra)) as S2.
  assert (S1 : 1 <= sqrt 2) by (rewrite <- sqrt_1; apply sqrt_le_1; lra).
  assert (In0 : in_unit (repeat 0 m)) by (intros x Hx; apply repeat_spec in Hx; lra).
  assert (In1 : in_unit (repeat (1 / 2) m)) by (intros x Hx; apply repeat_spec in Hx; lra).
  unfold algorithm_8. split.
  - apply fold_attains with (j := 1%nat) (u := repeat (1 / 2) m) (v := repeat 0 m); try assumption.
    unfold printed_coefficient. simpl Nat.add. rewrite !mean_of_wave, W0, W1 by exact Hm.
    apply ends_apart; auto; lra.
  - apply fold_attains with (j := 0%nat) (u := repeat (1 / 2) m) (v := repeat 0 m); try assumption; [lia |].
    unfold repaired_coefficient. simpl Nat.add. rewrite !mean_of_wave, W0, W1 by exact Hm.
    replace (- sqrt 2 / sqrt 2) with (-1) by (field; lra). replace (sqrt 2 / sqrt 2) with 1 by (field; lra).
    apply ends_apart; auto; lra.
Qed.

(* Algorithms 12 and 13: how far a vote reaches and how much an interval is widened depends on the share. *)
Definition reach_of (d : nat) (eps : R) : nat := if Rle_dec (share d eps) 1 then 0 else 1.
Definition margin_of (d : nat) (eps : R) : R := if Rle_dec (share d eps) 1 then 2 else 5.
Lemma general_is_vector_mean {X} folds d h tau eps (value : nat -> X -> R) :
  general_vector_mean folds d h tau eps value =
    vector_mean d h (folds d eps) (reach_of d eps) (margin_of d eps) tau (share d eps) value.
Proof. unfold general_vector_mean, reach_of, margin_of. now destruct (Rle_dec (share d eps) 1). Qed.
Lemma margin_nonneg d eps : 0 <= margin_of d eps.
Proof. unfold margin_of. destruct (Rle_dec _ _); lra. Qed.
Lemma repaired_sound {X} d h tau eps (value : nat -> X -> R) : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
  sound_by_folds d h (folds_repaired d eps) (reach_of d eps) (margin_of d eps) tau eps (share d eps) value.
Proof.
  intros Hd Hh Ht He. split.
  - rewrite <- general_is_vector_mean. now apply general_within_budget.
  - intros. apply by_coordinates_lawful; [exact Ht | apply margin_nonneg | now apply share_positive].
Qed.
(* As printed the algorithms keep the budgets that leave each user in one fold. *)
Lemma printed_private {X} d h tau eps (value : nat -> X -> R) : (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps <= 1 ->
  private same_but_one eps (general_vector_mean folds_printed d h tau eps value).
Proof.
  intros Hd Hh Ht He. pose proof (general_private folds_printed d h tau eps value Hd Hh Ht ltac:(lra)) as P.
  replace (INR (folds_printed d eps) * share d eps) with eps in P; [exact P |].
  unfold folds_printed, share. destruct (Rle_dec eps 1); [simpl; ring | lra].
Qed.
(* kent-alg-12 whole; as printed it is refuted at every budget above 1 and keeps those up to 1, repaired it keeps all *)
Theorem algorithm_12_verdict : (forall eps, 1 < eps -> ~ algorithm_12_as_printed_keeps eps) /\
  forall d h m tau eps, (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps ->
    (eps <= 1 -> private same_but_one eps (algorithm_12 folds_printed d h m tau eps)) /\
    sound_by_folds d h (folds_repaired d eps) (reach_of d eps) (margin_of d eps) tau eps (share d eps) (coordinate_mean m) /\
    ((0 < m)%nat -> (6 <= bins tau)%nat -> forall folds, attains (same_but_one_among (records_in in_cube))
      (INR (folds d eps) * share d eps) (algorithm_12 folds d h m tau eps)).
Proof.
  split; [exact algorithm_12_as_printed_breaks_every_budget_above_1 |]. intros d h m tau eps Hd Hh Ht He.
  split; [intros; now apply printed_private |]. split; [now apply repaired_sound |].
  intros Hm Hb folds. now apply algorithm_12_loses.
Qed.
(* kent-alg-13 whole; as printed it is refuted at every budget above 1 and keeps those up to 1, repaired it keeps all *)
Theorem algorithm_13_verdict : (forall eps, 1 < eps -> ~ algorithm_13_as_printed_keeps eps) /\
  forall d h m U tau eps, (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 < eps -> rotation d U ->
    (eps <= 1 -> private same_but_one eps (algorithm_13 folds_printed d h m U tau eps)) /\
    sound_by_folds d h (folds_repaired d eps) (reach_of d eps) (margin_of d eps) tau eps (share d eps) (rotated d m U) /\
    (forall folds i i', (0 < m)%nat -> apart (reach_of d eps) tau i i' ->
      INR d * left_end tau i ^ 2 <= 1 -> INR d * left_end tau i' ^ 2 <= 1 ->
      attains (same_but_one_among (records_in (Folds.in_ball d))) (INR (folds d eps) * share d eps)
        (algorithm_13 folds d h m U tau eps)).
Proof.
  split; [exact algorithm_13_as_printed_breaks_every_budget_above_1 |]. intros d h m U tau eps Hd Hh Ht He O.
  split; [intros; now apply printed_private |]. split; [now apply repaired_sound |].
  intros folds i i' Hm Hi N N'. unfold algorithm_13. rewrite general_is_vector_mean.
  apply vector_mean_attains with (i := i) (i' := i')
    (u := repeat (unrotated d U (left_end tau i)) m) (v := repeat (unrotated d U (left_end tau i')) m);
    try assumption.
  - apply margin_nonneg.
  - now apply share_positive.
  - now apply unrotated_in_ball.
  - now apply unrotated_in_ball.
  - intros j Hj. now rewrite !rotated_unrotated.
Qed.
