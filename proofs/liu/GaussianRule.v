(* Liu et al., Theorem 4.3: the same for Gaussian noise, whose mass is a positive number that the proofs need not know. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace liu.Noise liu.TwoApproximation liu.Rules.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

Definition bell (z : R) : R := exp (- z ^ 2 / 2).
(* The Gaussian density is bell / K, K its mass; what is known of K here is that it is the mass. *)
Definition bell_mass (K : R) : Prop := 0 < K /\ is_lim (fun T => RInt bell (- T) T) p_infty K.
Definition gaussian_distance (K beta : R) : R := (2 * bell beta + 2 * beta * RInt bell 0 beta) / K.

(* The mean distance of Gaussian noise needs no knowledge of its mass. *)
Lemma bell_continuous z : continuous bell z.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive. exact I. Qed.
Lemma bell_even z : bell (- z) = bell z.
Proof. unfold bell. f_equal. field. Qed.
Lemma gaussian_symmetric K : bell_mass K -> symmetric_noise (fun z => bell z / K).
Proof.
  intros [HK L]. split; [| split; [| split]].
  - intros z. left. apply Rdiv_lt_0_compat; [apply exp_pos | exact HK].
  - intros z. now rewrite bell_even.
  - intros z. apply (continuous_mult (K := R_AbsRing)); [apply bell_continuous | apply continuous_const].
  - replace (Finite 1) with (Finite (/ K * K)) by (f_equal; field; lra).
    apply is_lim_ext with (f := fun T => / K * RInt bell (- T) T).
    + intros T. rewrite (RInt_ext (fun z => bell z / K) (fun z => scal (/ K) (bell z))).
      * rewrite (RInt_scal (V := R_CompleteNormedModule)); [reflexivity |].
        apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply bell_continuous.
      * intros z _. unfold scal, Rdiv. simpl. unfold mult. simpl. ring.
    + apply (is_lim_scal_l _ (/ K) p_infty K), L.
Qed.
Lemma bell_moment a b : is_RInt (fun z => z * bell z) a b (bell a - bell b).
Proof.
  replace (bell a - bell b) with (minus (- bell b) (- bell a)) by (unfold minus, plus, opp; simpl; ring).
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun z => - bell z)).
  - intros z _. unfold bell. auto_derive; [exact I |]. unfold Rdiv. simpl. field.
  - intros z _. apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive. exact I.
Qed.
Lemma bell_is_RInt a b : is_RInt bell a b (RInt bell a b).
Proof.
  apply (RInt_correct (V := R_CompleteNormedModule)), (ex_RInt_continuous (V := R_CompleteNormedModule)).
  intros; apply bell_continuous.
Qed.
Lemma bell_mirrored a : RInt bell (- a) 0 = RInt bell 0 a.
Proof.
  assert (X : is_RInt (fun y => opp (bell (- y))) a 0 (RInt bell (- a) 0)).
  { apply (is_RInt_comp_opp (V := R_NormedModule) bell). rewrite Ropp_0. apply bell_is_RInt. }
  apply (is_RInt_swap (V := R_NormedModule)), (is_RInt_opp (V := R_NormedModule)) in X.
  apply (is_RInt_unique (V := R_CompleteNormedModule)) in X. rewrite <- (RInt_ext bell) in X.
  - rewrite X. unfold opp. simpl. now rewrite Ropp_involutive.
  - intros z _. unfold opp. simpl. now rewrite bell_even, Ropp_involutive.
Qed.
Lemma gaussian_distance_up_to K beta T : 0 < K -> 0 <= T -> - T <= beta <= T ->
  RInt (fun z => Rabs (z - beta) * (bell z / K)) (- T) T = gaussian_distance K beta - 2 * bell T / K.
Proof.
  intros HK HT Hb. apply (is_RInt_unique (V := R_CompleteNormedModule)).
  assert (P : forall s a b, is_RInt (fun z => s / K * (beta * bell z - z * bell z)) a b
    (s / K * (beta * RInt bell a b - (bell a - bell b)))).
  { intros s a b. apply (is_RInt_scal (V := R_NormedModule)).
    apply (is_RInt_minus (V := R_NormedModule)); [| apply bell_moment].
    apply (is_RInt_scal (V := R_NormedModule)), bell_is_RInt. }
  assert (A : is_RInt (fun z => Rabs (z - beta) * (bell z / K)) (- T) beta
    (1 / K * (beta * RInt bell (- T) beta - (bell (- T) - bell beta)))).
  { eapply is_RInt_ext; [| apply (P 1)]. intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra. simpl.
    rewrite Rabs_left1 by lra. field. lra. }
  assert (B : is_RInt (fun z => Rabs (z - beta) * (bell z / K)) beta T
    (-1 / K * (beta * RInt bell beta T - (bell beta - bell T)))).
  { eapply is_RInt_ext; [| apply (P (-1))]. intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra. simpl.
    rewrite Rabs_pos_eq by lra. field. lra. }
  pose proof (is_RInt_Chasles (V := R_NormedModule) _ _ _ _ _ _ A B) as S. unfold plus in S. simpl in S.
  assert (C : forall a b c, RInt bell a b + RInt bell b c = RInt bell a c).
  { intros a b c. apply (RInt_Chasles (V := R_CompleteNormedModule)); eexists; apply bell_is_RInt. }
  pose proof (C (- T) 0 beta) as C1. pose proof (C 0 beta T) as C2. rewrite bell_mirrored in C1.
  match type of S with is_RInt _ _ _ ?v => replace v with (gaussian_distance K beta - 2 * bell T / K) in S; [exact S |] end.
  unfold gaussian_distance. rewrite bell_even, <- C1. replace (RInt bell beta T) with (RInt bell 0 T - RInt bell 0 beta) by lra.
  field. lra.
Qed.
(* liu-thm-4.3 part: the expected error of a count with Gaussian noise *)
Theorem mean_distance_of_gaussian_noise K : bell_mass K -> mean_distance (fun z => bell z / K) (gaussian_distance K).
Proof.
  intros [HK _] beta. apply is_lim_ext_loc with (f := fun T => gaussian_distance K beta - 2 * bell T / K).
  - exists (Rabs beta). intros T HT. symmetry. apply gaussian_distance_up_to; [exact HK | |].
    + pose proof (Rabs_pos beta). lra.
    + pose proof (Rle_abs beta). pose proof (Rle_abs (- beta)) as L. rewrite Rabs_Ropp in L. lra.
  - replace (Finite (gaussian_distance K beta)) with (Finite (gaussian_distance K beta - 0)) by (f_equal; ring).
    apply is_lim_minus'; [apply is_lim_const |].
    apply is_lim_le_le_loc with (f := fun _ => 0) (g := fun T => 2 / K * ((T + 1) * exp (- T))).
    + exists 2. intros T HT. split.
      * left. apply Rdiv_lt_0_compat; [pose proof (exp_pos (- T ^ 2 / 2)); unfold bell; lra | exact HK].
      * replace (2 * bell T / K) with (2 / K * bell T) by (field; lra).
        apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra |].
        apply Rle_trans with (1 * exp (- T)); [rewrite Rmult_1_l; apply exp_le; nra |].
        apply Rmult_le_compat_r; [left; apply exp_pos | lra].
    + apply is_lim_const.
    + replace (Finite 0) with (Finite (2 / K * 0)) by (f_equal; ring). apply (is_lim_scal_l _ (2 / K) p_infty 0), tail_vanishes.
Qed.
Lemma norm2_nonneg {I} (items : list I) N : 0 <= norm2 items N /\ (norm2 items N = 0 -> size items N = 0).
Proof.
  split; [apply sqrt_pos |]. unfold norm2. intros E. apply sqrt_eq_0 in E; [| apply sum_nonneg; intros; nra].
  rewrite <- (sum_ext items (fun _ => 0)).
  - rewrite sum_const. ring.
  - intros j Hj. symmetry. pose proof (sum_member items (fun j => N j * N j) j ltac:(intros; simpl; nra) Hj) as L.
    simpl in L. rewrite E in L. nra.
Qed.
(* liu-thm-4.3 whole; the mean of all noise is d sigma times E|Z|, and E|Z| = 2/K is sqrt(2/pi) *)
Theorem smallest_light_bound_is_a_two_approximation {I} (items : list I) (users : list (histogram I)) sigma K C :
  0 < sigma -> bell_mass K -> (forall N, In N users -> proper_user items N) ->
  smallest_light items (norm2 items) users (INR (length items) * (sigma * (2 / K))) C ->
  forall c, 0 < c -> loss (norm2 items) (gaussian_distance K) sigma items users C <=
    2 * loss (norm2 items) (gaussian_distance K) sigma items users c.
Proof.
  intros Hs HK Pr HC. assert (E0 : gaussian_distance K 0 = 2 / K).
  { unfold gaussian_distance, bell. replace (- 0 ^ 2 / 2) with 0 by field. rewrite exp_0. field. apply Rgt_not_eq, HK. }
  assert (Nm : forall N, In N users -> 0 <= norm2 items N /\ (norm2 items N = 0 -> size items N = 0)) by (intros; apply norm2_nonneg).
  apply (minimiser_of_surrogate_approximates items (norm2 items) users Pr Nm (gaussian_distance K) sigma Hs).
  - exact (distance_at_least_the_point _ _ (gaussian_symmetric K HK) (mean_distance_of_gaussian_noise K HK)).
  - exact (distance_at_least_that_from_0 _ _ (gaussian_symmetric K HK) (mean_distance_of_gaussian_noise K HK)).
  - exact (distance_at_most_the_sum _ _ (gaussian_symmetric K HK) (mean_distance_of_gaussian_noise K HK)).
  - apply HC.
  - rewrite E0. now apply (smallest_light_minimises items (norm2 items) users Pr Nm).
Qed.
