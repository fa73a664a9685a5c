(* Liu et al., Lemma A.1 and Algorithm 2: one user moves the regularised minimiser by at most sqrt(s)/(rho n), attained. *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace liu.TwoApproximation liu.Sharp.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* A user holds at most s different items. *)
Definition held {I} (items : list I) (N : histogram I) : list I :=
  filter (fun j => if Req_EM_T (N j) 0 then false else true) items.
Definition holds_at_most {I} (s : nat) (items : list I) (N : histogram I) : Prop :=
  proper_user items N /\ (length (held items N) <= s)%nat.
Lemma cauchy_schwarz {I} (l : list I) (N : I -> R) : sum l N * sum l N <= INR (length l) * sum l (fun j => N j * N j).
Proof.
  induction l as [| j l IH]; [simpl; lra |]. simpl length. rewrite S_INR. simpl Privacy.sum.
  set (a := N j). set (b := sum l N) in *. set (c := sum l (fun j => N j * N j)) in *.
  assert (X : 2 * a * b <= INR (length l) * (a * a) + c).
  { unfold b, c. clear. induction l as [| i l IH]; [simpl; lra |]. simpl length. rewrite S_INR. simpl Privacy.sum.
    pose proof (pow2_ge_0 (a - N i)). nra. }
  nra.
Qed.
Lemma ratio_at_most_root {I} (s : nat) (items : list I) N : holds_at_most s items N ->
  0 <= ratio items (norm2 items) N <= sqrt (INR s).
Proof.
  intros (P & L). unfold ratio, norm2. set (q := sum items (fun j => N j * N j)).
  assert (Hq : 0 <= q) by (apply sum_nonneg; intros; nra).
  assert (Hs : 0 <= size items N) by (apply sum_nonneg; exact P).
  assert (CS : size items N * size items N <= INR s * q).
  { assert (S1 : sum (held items N) N = size items N).
    { unfold held. rewrite sum_filter. apply sum_ext. intros j _. destruct (Req_EM_T (N j) 0); lra. }
    assert (S2 : sum (held items N) (fun j => N j * N j) = q).
    { unfold held. rewrite sum_filter. apply sum_ext. intros j _. destruct (Req_EM_T (N j) 0) as [E |]; [rewrite E; ring | reflexivity]. }
    pose proof (cauchy_schwarz (held items N) N) as X. rewrite S1, S2 in X. apply le_INR in L.
    assert (INR (length (held items N)) * q <= INR s * q) by (now apply Rmult_le_compat_r). lra. }
  destruct Hq as [Hq | Hq].
  - assert (Q : 0 < sqrt q) by now apply sqrt_lt_R0. split.
    { apply Rmult_le_pos; [exact Hs | left; now apply Rinv_0_lt_compat]. }
    apply Rmult_le_reg_r with (sqrt q); [exact Q |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite <- sqrt_mult by (try apply pos_INR; lra). rewrite <- (sqrt_square (size items N) Hs). now apply sqrt_le_1_alt.
  - assert (Z : size items N = 0) by (rewrite <- Hq in CS; nra). rewrite Z. unfold Rdiv. rewrite Rmult_0_l.
    pose proof (sqrt_pos (INR s)). lra.
Qed.
Lemma share_slope r s m a b : 0 <= r <= s -> a <= b -> - (s * (b - a)) <= r * Rmax (m - b) 0 - r * Rmax (m - a) 0 <= 0.
Proof.
  intros Hr H. pose proof (share_lipschitz r s m b a Hr) as L. rewrite (Rabs_pos_eq (b - a)) in L by lra. split; [lra |].
  enough (r * Rmax (m - b) 0 <= r * Rmax (m - a) 0) by lra. apply Rmult_le_compat_l; [lra |].
  apply Rmax_lub; [eapply Rle_trans; [| apply Rmax_l]; lra | apply Rmax_r].
Qed.
Section Move.
Context {I : Type}.
Variables (items : list I) (M rho n s : R).
Hypothesis Hn : 0 < n.
Hypothesis Hr : 0 < rho.
#[local] Notation norm := (norm2 items).
#[local] Notation F := (regularised items norm M rho n).
Definition light (users : list (histogram I)) : Prop := forall N, In N users -> 0 <= ratio items norm N <= s.
Lemma minimisers_move users users' C1 C2 (d : R -> R) : light users -> light users' ->
  (forall C, surrogate items norm M users C - surrogate items norm M users' C = d C) ->
  (forall a b, a <= b -> - (s * (b - a)) <= d b - d a <= s * (b - a)) ->
  minimises (F users) C1 -> minimises (F users') C2 -> Rabs (C1 - C2) <= s / (rho * n).
Proof.
  intros L1 L2 D Sl [P1 M1] [P2 M2]. set (g1 := fun C => surrogate items norm M users C / n). set (g2 := fun C => surrogate items norm M users' C / n).
  assert (Cv : forall us, light us -> forall a b t, 0 <= t <= 1 ->
    surrogate items norm M us (a + t * (b - a)) / n <= (1 - t) * (surrogate items norm M us a / n) + t * (surrogate items norm M us b / n)).
  { intros us Lu a b t Ht. replace ((1 - t) * (surrogate items norm M us a / n) + t * (surrogate items norm M us b / n))
      with (((1 - t) * surrogate items norm M us a + t * surrogate items norm M us b) / n) by (field; lra).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |]. apply surrogate_convex; [intros; now apply Lu | exact Ht]. }
  pose proof (strongly_convex_gap g1 rho C1 C2 Hr P1 P2 (fun t => Cv users L1 C1 C2 t) M1) as G1.
  pose proof (strongly_convex_gap g2 rho C2 C1 Hr P2 P1 (fun t => Cv users' L2 C2 C1 t) M2) as G2.
  assert (E : forall C, g1 C - g2 C = d C / n) by (intros C; unfold g1, g2; rewrite <- D; field; lra).
  pose proof (E C1) as E1. pose proof (E C2) as E2.
  assert (K : rho * (C1 - C2) ^ 2 <= (d C2 - d C1) / n).
  { replace ((d C2 - d C1) / n) with (d C2 / n - d C1 / n) by (field; lra).
    assert ((C2 - C1) ^ 2 = (C1 - C2) ^ 2) by ring. lra. }
  assert (U : d C2 - d C1 <= s * Rabs (C1 - C2)).
  { destruct (Rle_or_lt C1 C2) as [H | H].
    - rewrite Rabs_left1 by lra. pose proof (Sl C1 C2 H). lra.
    - rewrite Rabs_pos_eq by lra. pose proof (Sl C2 C1 (Rlt_le _ _ H)). lra. }
  set (x := Rabs (C1 - C2)) in *. assert (Hx : 0 <= x) by apply Rabs_pos.
  assert (X2 : (C1 - C2) ^ 2 = x * x) by (unfold x; rewrite <- pow2_abs; ring). rewrite X2 in K.
  apply Rmult_le_reg_r with (rho * n); [now apply Rmult_lt_0_compat |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, Rmult_lt_0_compat; lra).
  assert (K2 : rho * n * (x * x) <= s * x).
  { apply Rmult_le_compat_r with (r := n) in K; [| lra]. unfold Rdiv in K. rewrite (Rmult_assoc _ (/ n)), Rinv_l in K by lra. lra. }
  destruct Hx as [Hx | <-]; [| rewrite Rmult_0_l; destruct (Rle_or_lt 0 s); [assumption |]].
  - apply Rmult_le_reg_r with x; [exact Hx | lra].
  - pose proof (Sl 0 1 ltac:(lra)). lra.
Qed.
Lemma replaced_user_moves_the_minimiser users users' C1 C2 : light users -> light users' -> replaced users users' ->
  minimises (F users) C1 -> minimises (F users') C2 -> Rabs (C1 - C2) <= s / (rho * n).
Proof.
  intros L1 L2 (a & u & v & b & -> & ->). assert (Hu : 0 <= ratio items norm u <= s) by (apply L1, in_elt).
  assert (Hv : 0 <= ratio items norm v <= s) by (apply L2, in_elt).
  apply (minimisers_move _ _ C1 C2 (fun C => share items norm u C - share items norm v C) L1 L2).
  - intros C. unfold surrogate, share. rewrite !sum_app. simpl. ring.
  - intros c e H. unfold share. pose proof (share_slope _ _ (norm u) c e Hu H). pose proof (share_slope _ _ (norm v) c e Hv H). lra.
Qed.
End Move.

Definition users_of {I} (s : nat) (items : list I) (users : list (histogram I)) : Prop :=
  forall N, In N users -> holds_at_most s items N.
Lemma users_are_light {I} s (items : list I) users : users_of s items users -> light items (sqrt (INR s)) users.
Proof. intros H N HN. now apply ratio_at_most_root, H. Qed.
(* liu-lem-a.1 whole *)
Theorem printed_sensitivity_of_the_minimiser {I} (items : list I) s M rho n users users' C1 C2 : 0 < n -> 0 < rho ->
  users_of s items users -> users_of s items users' -> replaced users users' ->
  minimises (regularised items (norm2 items) M rho n users) C1 -> minimises (regularised items (norm2 items) M rho n users') C2 ->
  Rabs (C1 - C2) <= 4 * sqrt (INR s) / (rho * n).
Proof.
  intros Hn Hr U U' H M1 M2. apply Rle_trans with (sqrt (INR s) / (rho * n)).
  - apply (replaced_user_moves_the_minimiser items M rho n _ Hn Hr users users'); auto using users_are_light.
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra |]. pose proof (sqrt_pos (INR s)). lra.
Qed.
(* liu-lem-a.1 part: the sharp constant is 1 in place of 4 *)
Theorem sharp_sensitivity_of_the_minimiser {I} (items : list I) s M rho n users users' C1 C2 : 0 < n -> 0 < rho ->
  users_of s items users -> users_of s items users' -> replaced users users' ->
  minimises (regularised items (norm2 items) M rho n users) C1 -> minimises (regularised items (norm2 items) M rho n users') C2 ->
  Rabs (C1 - C2) <= sqrt (INR s) / (rho * n).
Proof.
  intros Hn Hr U U' H M1 M2.
  apply (replaced_user_moves_the_minimiser items M rho n _ Hn Hr users users'); auto using users_are_light.
Qed.

(* Algorithm 2: the minimiser with Laplace noise; c is any rule that returns it. *)
Definition neighbours_with {I} (s : nat) (items : list I) (x y : list (histogram I)) : Prop :=
  replaced x y /\ users_of s items x /\ users_of s items y.
(* liu-alg-2, liu-cor-4.5 part: privacy; as printed, with four times the noise, it costs a quarter of the budget *)
Theorem output_perturbation_is_private {I} (items : list I) s M rho n eps c : (0 < s)%nat -> 0 < n -> 0 < rho -> 0 < eps ->
  (forall users, minimises (regularised items (norm2 items) M rho n users) (c users)) ->
  let repaired := sqrt (INR s) / (rho * n) in let printed := 4 * sqrt (INR s) / (rho * n) in
  private_by_masses (neighbours_with s items) eps (laplace c (repaired / eps)) /\
  private_by_masses (neighbours_with s items) (eps / 4) (laplace c (printed / eps)).
Proof.
  intros Hs Hn Hr He Min repaired printed.
  assert (P : 0 < repaired).
  { unfold repaired. apply Rdiv_lt_0_compat; [apply sqrt_lt_R0, lt_0_INR; lia | now apply Rmult_lt_0_compat]. }
  assert (S : sensitivity (neighbours_with s items) c repaired).
  { intros x y (H & Ux & Uy). now apply (sharp_sensitivity_of_the_minimiser items s M rho n x y). }
  split; [now apply laplace_private_by_masses |].
  replace (printed / eps) with (repaired / (eps / 4)); [apply laplace_private_by_masses; lra || exact S |].
  unfold printed, repaired. field. repeat split; lra.
Qed.
(* liu-alg-2 part: what it returns may be negative, with a chance of 1/2 exp(-C'/b) for noise of scale b *)
Theorem output_perturbation_may_be_negative {X} (c : X -> R) b x T : 0 < b -> 0 <= c x -> 0 < T ->
  mass (laplace c b x) [(- T, 0)] = / 2 * (exp (- c x / b) - exp (- (T + c x) / b)) /\ 0 < mass (laplace c b x) [(- T, 0)].
Proof.
  intros Hb Hc HT. assert (E : mass (laplace c b x) [(- T, 0)] = / 2 * (exp (- c x / b) - exp (- (T + c x) / b))).
  { unfold mass. simpl. rewrite Rplus_0_r. unfold laplace.
    rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ (laplace_left b (c x) (- T) 0 Hb ltac:(lra))).
    replace (0 - c x) with (- c x) by ring. replace (- T - c x) with (- (T + c x)) by ring. field. }
  split; [exact E |]. rewrite E. apply Rmult_lt_0_compat; [lra |].
  enough (exp (- (T + c x) / b) < exp (- c x / b)) by lra. apply exp_increasing.
  apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat | lra].
Qed.
