(* The mean distance of symmetric noise from a point: at least the point, at least that from 0, at most their sum. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Laplace.
Import ListNotations.
Open Scope R_scope.

(* A density p of noise of scale 1, and its mean distance ell beta from beta. *)
Definition symmetric_noise (p : R -> R) : Prop := (forall z, 0 <= p z) /\ (forall z, p (- z) = p z) /\
  (forall z, continuous p z) /\ is_lim (fun T => RInt p (- T) T) p_infty 1.
Definition mean_distance (p ell : R -> R) : Prop := forall beta,
  is_lim (fun T => RInt (fun z => Rabs (z - beta) * p z) (- T) T) p_infty (ell beta).

Section Distance.
Variables p ell : R -> R.
Hypothesis N : symmetric_noise p.
Hypothesis D : mean_distance p ell.

Lemma noise_continuous_with (f : R -> R) z : continuous f z -> continuous (fun z => f z * p z) z.
Proof. intros F. apply (continuous_mult (K := R_AbsRing)); [exact F |]. destruct N as (_ & _ & C & _). apply C. Qed.
Lemma shift_continuous beta z : continuous (fun z => Rabs (z - beta)) z.
Proof.
  apply continuous_comp; [| apply continuous_Rabs].
  apply (continuous_minus (V := R_NormedModule)); [apply continuous_id | apply continuous_const].
Qed.
Lemma integrable (f : R -> R) a b : (forall z, continuous f z) -> ex_RInt f a b.
Proof. intros F. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply F. Qed.
Lemma p_integrable a b : ex_RInt p a b.
Proof. apply integrable. apply N. Qed.
Lemma distance_integrable beta a b : ex_RInt (fun z => Rabs (z - beta) * p z) a b.
Proof. apply integrable. intros z. apply noise_continuous_with, shift_continuous. Qed.
Lemma first_moment_vanishes T : RInt (fun z => z * p z) (- T) T = 0.
Proof.
  assert (E : ex_RInt (fun z => z * p z) (- T) T).
  { apply integrable. intros z. apply noise_continuous_with, continuous_id. }
  assert (M : RInt (fun z => z * p z) (- T) T = - RInt (fun z => z * p z) (- T) T); [| lra].
  assert (X : is_RInt (fun y => opp ((- y) * p (- y))) T (- T) (RInt (fun z => z * p z) (- T) T)).
  { apply (is_RInt_comp_opp (V := R_NormedModule) (fun z => z * p z)). rewrite Ropp_involutive.
    now apply (RInt_correct (V := R_CompleteNormedModule)). }
  apply (is_RInt_swap (V := R_NormedModule)) in X. apply (is_RInt_unique (V := R_CompleteNormedModule)) in X.
  rewrite <- (RInt_ext (fun z => z * p z)) in X.
  - rewrite X at 1. unfold opp. simpl. ring.
  - intros z _. destruct N as (_ & S & _). rewrite S. unfold opp. simpl. ring.
Qed.
Lemma mirrored beta T : RInt (fun z => Rabs (z + beta) * p z) (- T) T = RInt (fun z => Rabs (z - beta) * p z) (- T) T.
Proof.
  assert (X : is_RInt (fun y => opp (Rabs (- y - beta) * p (- y))) T (- T) (RInt (fun z => Rabs (z - beta) * p z) (- T) T)).
  { apply (is_RInt_comp_opp (V := R_NormedModule) (fun z => Rabs (z - beta) * p z)). rewrite Ropp_involutive.
    apply (RInt_correct (V := R_CompleteNormedModule)), distance_integrable. }
  apply (is_RInt_swap (V := R_NormedModule)), (is_RInt_opp (V := R_NormedModule)) in X.
  apply (is_RInt_unique (V := R_CompleteNormedModule)) in X.
  rewrite <- (RInt_ext (fun z => Rabs (z + beta) * p z)) in X.
  - rewrite X. unfold opp. simpl. ring.
  - intros z _. destruct N as (_ & S & _). rewrite S. unfold opp. simpl. rewrite Ropp_involutive.
    replace (- z - beta) with (- (z + beta)) by ring. now rewrite Rabs_Ropp.
Qed.
Lemma p_mass : is_lim (fun T => RInt p (- T) T) p_infty 1.
Proof. apply N. Qed.
Lemma limit_le (f g : R -> R) (a b : R) : is_lim f p_infty a -> is_lim g p_infty b ->
  (forall T, 0 <= T -> f T <= g T) -> a <= b.
Proof.
  intros F G H. apply (is_lim_le_loc f g p_infty a b); [| exact F | exact G]. exists 0. intros T HT. apply H. lra.
Qed.
Lemma distance_at_least_the_point beta : beta <= ell beta.
Proof.
  apply (limit_le (fun T => beta * RInt p (- T) T) (fun T => RInt (fun z => Rabs (z - beta) * p z) (- T) T)
    beta (ell beta)); [| apply D |].
  - replace (Finite beta) with (Rbar_mult beta 1) by (simpl; f_equal; ring). apply is_lim_scal_l, p_mass.
  - intros T HT. pose proof (first_moment_vanishes T) as Z.
    replace (beta * RInt p (- T) T) with (RInt (fun z => minus (scal beta (p z)) (z * p z)) (- T) T).
    + apply RInt_le; [lra | | apply distance_integrable |].
      * apply (ex_RInt_minus (V := R_NormedModule)); [apply (ex_RInt_scal (V := R_NormedModule)), p_integrable |].
        apply integrable. intros z. apply noise_continuous_with, continuous_id.
      * intros z _. unfold minus, plus, opp, scal. simpl. unfold mult. simpl.
        replace (beta * p z + - (z * p z)) with ((beta - z) * p z) by ring.
        apply Rmult_le_compat_r; [apply N |]. rewrite Rabs_minus_sym. apply Rle_abs.
    + rewrite (RInt_minus (V := R_CompleteNormedModule)).
      * rewrite Z, (RInt_scal (V := R_CompleteNormedModule)) by apply p_integrable.
        unfold minus, plus, opp, scal. simpl. unfold mult. simpl. ring.
      * apply (ex_RInt_scal (V := R_NormedModule)), p_integrable.
      * apply integrable. intros z. apply noise_continuous_with, continuous_id.
Qed.
Lemma distance_at_most_the_sum beta : 0 <= beta -> ell beta <= ell 0 + beta.
Proof.
  intros Hb. apply (limit_le (fun T => RInt (fun z => Rabs (z - beta) * p z) (- T) T)
    (fun T => RInt (fun z => Rabs (z - 0) * p z) (- T) T + beta * RInt p (- T) T)); [apply D | |].
  - replace (Finite (ell 0 + beta)) with (Finite (ell 0 + beta * 1)) by (f_equal; ring).
    apply is_lim_plus'; [apply D |]. apply (is_lim_scal_l _ beta p_infty 1), p_mass.
  - intros T HT.
    replace (RInt (fun z => Rabs (z - 0) * p z) (- T) T + beta * RInt p (- T) T)
      with (RInt (fun z => plus (Rabs (z - 0) * p z) (scal beta (p z))) (- T) T).
    + apply RInt_le; [lra | apply distance_integrable | |].
      * apply (ex_RInt_plus (V := R_NormedModule)); [apply distance_integrable |].
        apply (ex_RInt_scal (V := R_NormedModule)), p_integrable.
      * intros z _. unfold plus, scal. simpl. unfold mult. simpl. rewrite <- Rmult_plus_distr_r.
        apply Rmult_le_compat_r; [apply N |]. rewrite Rminus_0_r. pose proof (Rabs_triang z (- beta)) as Tr.
        rewrite Rabs_Ropp, (Rabs_pos_eq beta Hb) in Tr. exact Tr.
    + rewrite (RInt_plus (V := R_CompleteNormedModule)).
      * rewrite (RInt_scal (V := R_CompleteNormedModule)) by apply p_integrable. reflexivity.
      * apply distance_integrable.
      * apply (ex_RInt_scal (V := R_NormedModule)), p_integrable.
Qed.
Lemma distance_at_least_that_from_0 beta : ell 0 <= ell beta.
Proof.
  apply (limit_le (fun T => RInt (fun z => Rabs (z - 0) * p z) (- T) T)
    (fun T => RInt (fun z => Rabs (z - beta) * p z) (- T) T)); [apply D | apply D |].
  intros T HT. set (I := RInt (fun z => Rabs (z - beta) * p z) (- T) T).
  assert (Em : ex_RInt (fun z => Rabs (z + beta) * p z) (- T) T).
  { apply integrable. intros z. apply noise_continuous_with.
    apply (continuous_ext (fun z => Rabs (z - - beta))); [| apply shift_continuous]. intros y. f_equal. ring. }
  assert (S : RInt (fun z => plus (Rabs (z - beta) * p z) (Rabs (z + beta) * p z)) (- T) T = I + I).
  { rewrite (RInt_plus (V := R_CompleteNormedModule)); [| apply distance_integrable | exact Em].
    rewrite mirrored. reflexivity. }
  assert (L : RInt (fun z => scal 2 (Rabs (z - 0) * p z)) (- T) T <= I + I).
  { rewrite <- S. apply RInt_le; [lra | | |].
    - apply (ex_RInt_scal (V := R_NormedModule)), distance_integrable.
    - apply (ex_RInt_plus (V := R_NormedModule)); [apply distance_integrable | exact Em].
    - intros z _. unfold plus, scal. simpl. unfold mult. simpl. rewrite <- Rmult_assoc, <- Rmult_plus_distr_r.
      apply Rmult_le_compat_r; [apply N |]. rewrite Rminus_0_r. pose proof (Rabs_triang (z - beta) (z + beta)) as Tr.
      replace (z - beta + (z + beta)) with (2 * z) in Tr by ring. rewrite Rabs_mult, (Rabs_pos_eq 2) in Tr by lra. exact Tr. }
  rewrite (RInt_scal (V := R_CompleteNormedModule)) in L by apply distance_integrable.
  unfold scal in L. simpl in L. unfold mult in L. simpl in L. lra.
Qed.
End Distance.
