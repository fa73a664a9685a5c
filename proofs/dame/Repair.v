(* DAME, Theorem 2 repaired: what the lemmas bound adds up to 1646 ln(...) / (n eps^2 E^2). And Lemmas S3, S7, S9, S11. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools dame.Bounds.
Import ListNotations.
Open Scope R_scope.

(* (12) repaired: no minimum with 1, and 1 where no size qualifies. p is the share of users with at least cap records. *)
Definition repaired_cap (N p : R) (cap : nat) : Prop := (1 <= cap)%nat /\ ((cap > 1)%nat -> phi N cap <= p ^ 2).
Definition width (N : R) (cap : nat) : R := sqrt (2 * log_term N cap / INR cap).
(* The three parts: the variance of n/2 reports, the squared bias if the vote succeeds, and if it fails. *)
Definition variance_part (n eps : R) (cap : nat) (E : R) : R :=
  INR cap / E ^ 2 * (2 / n) * (14 * width (n * eps ^ 2) cap) ^ 2 * (/ 4 + 2 / eps ^ 2).
Definition bias_part (N E : R) : R := / (N * E ^ 2).
Definition failure_part (N p : R) (cap : nat) : R :=
  if (cap =? 1)%nat then 0 else 4 * (/ width N cap * exp (- (N * p ^ 2 / 579))).

Lemma log_term_above_2 N cap : 2 < log_term N cap.
Proof.
  unfold log_term. pose proof ln_8_bounds. pose proof (Rmax_r (sqrt (INR cap * N)) 1) as M.
  enough (ln 8 <= ln (8 * Rmax (sqrt (INR cap * N)) 1)) by lra.
  destruct (Rle_lt_or_eq_dec 8 (8 * Rmax (sqrt (INR cap * N)) 1) ltac:(lra)) as [L | L].
  - left. apply ln_increasing; lra.
  - right. now rewrite <- L.
Qed.
Lemma width_squared N cap : (1 <= cap)%nat -> 0 < N -> width N cap ^ 2 = 2 * log_term N cap / INR cap.
Proof.
  intros Hc H. unfold width. pose proof (log_term_above_2 N cap). apply pow2_sqrt.
  apply le_INR in Hc. simpl in Hc. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
Qed.
Lemma width_positive N cap : (1 <= cap)%nat -> 0 < width N cap.
Proof.
  intros Hc. pose proof (log_term_above_2 N cap). apply sqrt_lt_R0. apply le_INR in Hc. simpl in Hc.
  apply Rdiv_lt_0_compat; lra.
Qed.
Lemma square_le a b : 0 <= b -> a ^ 2 <= b ^ 2 -> a <= b.
Proof. intros Hb H. destruct (Rle_or_lt a b) as [L | L]; [exact L |]. nra. Qed.

(* A cap above 1 needs N in the hundreds; then the failure term is small. *)
Lemma failure_is_small N p cap : 0 < N -> 0 <= p <= 1 -> repaired_cap N p cap ->
  failure_part N p cap <= 0.02 * (log_term N cap / (N * INR cap)).
Proof.
  intros HN Hp [Hc Hphi]. unfold failure_part. pose proof (log_term_above_2 N cap) as HL.
  pose proof (le_INR _ _ Hc) as HC. simpl in HC.
  destruct (Nat.eqb_spec cap 1) as [-> | N1].
  { apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; lra]. }
  specialize (Hphi ltac:(lia)). set (L := log_term N cap) in *. set (C := INR cap) in *.
  assert (P1 : p ^ 2 <= 1) by nra. pose proof (phi_positive N cap HN) as PP.
  assert (BN : 868.5 < N).
  { assert (K : 868.5 / N < 1) by lra. apply Rmult_lt_compat_r with (r := N) in K; [| exact HN].
    unfold Rdiv in K. rewrite Rmult_assoc, Rinv_l in K; lra. }
  set (y := C * N). assert (Y : 1 <= y) by (unfold y; nra).
  set (x := 8 * y). assert (X : x_of N cap = x) by (unfold x_of, x; fold C y; rewrite Rmax_left; lra).
  assert (LX0 : 2 < ln x).
  { pose proof ln_8_bounds. destruct (Rle_lt_or_eq_dec 8 x) as [M | M]; [unfold x; lra | |].
    - apply ln_increasing in M; lra.
    - rewrite <- M. lra. }
  (* ln x <= 2 L *)
  assert (LX : ln x <= 2 * L).
  { unfold L, log_term. fold C y. set (s := sqrt y).
    assert (S : s * s = y) by (apply sqrt_sqrt; lra).
    assert (S1 : 1 <= s) by (rewrite <- sqrt_1; apply sqrt_le_1; lra).
    rewrite Rmax_left by lra. replace (2 * ln (8 * s)) with (ln (8 * s * (8 * s))) by (rewrite ln_mult by lra; ring).
    unfold x. destruct (Rle_lt_or_eq_dec (8 * y) (8 * s * (8 * s))) as [M | M]; [nra | left; apply ln_increasing; lra | right; now rewrite M]. }
  (* the exponential, squared, is at most (ln x / x)^3 *)
  set (e := exp (- (N * p ^ 2 / 579))). assert (Pe : 0 < e) by apply exp_pos.
  assert (E2 : e ^ 2 <= (ln x / x) ^ 3).
  { pose proof (ratio_above_3 x ltac:(unfold x; lra)) as Rt.
    assert (Ex : e ^ 2 <= exp (- (3 * ln (x / ln x)))).
    { replace (e ^ 2) with (e * e) by ring. unfold e. rewrite <- exp_plus. apply exp_le. unfold phi in Hphi. rewrite X in Hphi.
      apply Rmult_le_compat_l with (r := 2 * N / 579) in Hphi; [| apply Rmult_le_pos; lra].
      replace (2 * N / 579 * (868.5 / N * ln (x / ln x))) with (2 / 579 * 868.5 * ln (x / ln x)) in Hphi by (field; lra).
      lra. }
    eapply Rle_trans; [exact Ex |]. right.
    replace (3 * ln (x / ln x)) with (ln (x / ln x) + (ln (x / ln x) + ln (x / ln x))) by ring.
    rewrite exp_Ropp, !exp_plus, !exp_ln by lra. field. repeat split; (lra || (unfold x; lra)). }
  apply square_le.
  { apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; lra]. }
  pose proof (width_squared N cap Hc HN) as W2. fold L C in W2. pose proof (width_positive N cap Hc) as W.
  set (w := width N cap) in *.
  replace ((4 * (/ w * e)) ^ 2) with (16 * / (w ^ 2) * e ^ 2) by (field; lra). rewrite W2.
  replace (16 * / (2 * L / C)) with (8 * C / L) by (field; split; lra).
  apply Rle_trans with (8 * C / L * (2 * L / x) ^ 3).
  - apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra] |].
    eapply Rle_trans; [exact E2 |]. apply pow_incr. split.
    + apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; unfold x; lra].
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; unfold x; lra | exact LX].
  - replace (8 * C / L * (2 * L / x) ^ 3) with ((L / (N * C)) ^ 2 * (/ 8 * / N)).
    2:{ unfold x, y. field. repeat split; lra. }
    replace ((0.02 * (L / (N * C))) ^ 2) with ((L / (N * C)) ^ 2 * 0.02 ^ 2) by ring.
    apply Rmult_le_compat_l; [apply pow2_ge_0 |].
    apply Rmult_le_reg_r with N; [exact HN |]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
(* dame-thm-2 part: with the repaired cap the parts of the proof add up to 1646 *)
Theorem parts_of_the_repaired_theorem_add_up_to_1646 n eps p cap E : 0 < n -> 0 < eps <= 22 / 35 ->
  let N := n * eps ^ 2 in 0 <= p <= 1 -> repaired_cap N p cap -> 0 < E -> E ^ 2 <= INR cap ->
  variance_part n eps cap E + bias_part N E + failure_part N p cap <= 1646 * log_term N cap / (N * E ^ 2).
Proof.
  intros Hn He N Hp Hr HE HEC. assert (Pe : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (HN : 0 < N) by (apply Rmult_lt_0_compat; assumption). pose proof (failure_is_small N p cap HN Hp Hr) as F.
  destruct Hr as [Hc _]. pose proof (le_INR _ _ Hc) as HC. simpl in HC.
  pose proof (log_term_above_2 N cap) as HL. pose proof (width_squared N cap Hc HN) as W.
  unfold variance_part, bias_part. fold N. rewrite Rpow_mult_distr, W.
  set (L := log_term N cap) in *. set (C := INR cap) in *. assert (PE : 0 < E ^ 2) by (apply pow_lt; lra).
  set (k := / (N * E ^ 2)). assert (Pk : 0 < k) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
  replace (C / E ^ 2 * (2 / n) * (14 ^ 2 * (2 * L / C)) * (/ 4 + 2 / eps ^ 2)) with ((1568 + 196 * eps ^ 2) * L * k).
  2:{ unfold k, N. field. repeat split; lra. }
  assert (F2 : 0.02 * (L / (N * C)) <= 0.02 * L * k).
  { unfold k, Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar.
    - apply Rmult_lt_0_compat; lra.
    - apply Rmult_le_compat_l; lra. }
  replace (1646 * L / (N * E ^ 2)) with (1646 * L * k) by (unfold k; field; lra).
  assert (E1 : eps ^ 2 <= (22 / 35) ^ 2) by (apply pow_incr; lra).
  assert (K1 : k <= 0.5 * L * k) by (rewrite <- (Rmult_1_l k) at 1; apply Rmult_le_compat_r; lra).
  assert (K2 : (1568 + 196 * eps ^ 2) * (L * k) <= 1645.45 * (L * k)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra. }
  assert (0 < L * k) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* dame-lem-s3 part: finitely many sizes *)
Theorem root_weights_are_unbiased M cap theta : (0 < cap)%nat -> root_capped M cap <> 0 ->
  let E := root_capped M cap in
  theta = sqrt (INR cap) / E * Privacy.sum (support M) (fun m => if (cap <=? m)%nat then chance_of M m * theta else 0)
    + / E * Privacy.sum (support M) (fun m => if (cap <=? m)%nat then 0 else sqrt (INR m) * (chance_of M m * theta)).
Proof.
  intros Hc HE E. assert (S : sqrt (INR cap) * Privacy.sum (support M) (fun m => if (cap <=? m)%nat then chance_of M m * theta else 0)
    + Privacy.sum (support M) (fun m => if (cap <=? m)%nat then 0 else sqrt (INR m) * (chance_of M m * theta)) = E * theta).
  { unfold E, root_capped. rewrite <- sum_scale, <- sum_plus, <- sum_scale_r. apply sum_ext. intros m _.
    destruct (Nat.leb_spec cap m) as [L | L]; [rewrite Nat.min_r by exact L | rewrite Nat.min_l by lia]; ring. }
  apply Rmult_eq_reg_l with E; [| exact HE]. rewrite <- S. field. exact HE.
Qed.
Definition printed_s7 : Prop := forall N cap, (1 <= cap)%nat -> 0 < N ->
  4 * exp (- (INR cap * width N cap ^ 2 / 2)) <= / (4 * sqrt (INR cap * N)).
Lemma s7_value N cap : (1 <= cap)%nat -> 0 < N ->
  4 * exp (- (INR cap * width N cap ^ 2 / 2)) = / (2 * Rmax (sqrt (INR cap * N)) 1).
Proof.
  intros Hc HN. rewrite (width_squared N cap Hc HN). pose proof (le_INR _ _ Hc) as HC. simpl in HC.
  pose proof (Rmax_r (sqrt (INR cap * N)) 1). replace (INR cap * (2 * log_term N cap / INR cap) / 2) with (log_term N cap) by (field; lra).
  unfold log_term. rewrite exp_Ropp, exp_ln by lra. field. lra.
Qed.
(* dame-lem-s7 part: its last constant, for which 1/4 is printed, is 1/2 *)
Theorem last_constant_of_s7_is_one_half : ~ printed_s7 /\ forall N cap, (1 <= cap)%nat -> 0 < N ->
  4 * exp (- (INR cap * width N cap ^ 2 / 2)) <= / (2 * sqrt (INR cap * N)).
Proof.
  split.
  - intros P. specialize (P 1 1%nat ltac:(lia) ltac:(lra)). rewrite s7_value in P by (lia || lra).
    simpl in P. rewrite Rmult_1_r, sqrt_1, Rmax_left in P by lra. lra.
  - intros N cap Hc HN. rewrite s7_value by assumption. pose proof (le_INR _ _ Hc) as HC. simpl in HC.
    pose proof (sqrt_lt_R0 (INR cap * N) ltac:(apply Rmult_lt_0_compat; lra)).
    pose proof (Rmax_l (sqrt (INR cap * N)) 1). apply Rinv_le_contravar; lra.
Qed.
(* dame-lem-s9 whole *)
Theorem shrunk_means_stay_near_the_centre N cap i x theta s : (1 <= i <= cap)%nat -> 0 < N ->
  Rabs (s - theta) <= 5 * width N cap -> Rabs (x - theta) <= sqrt (2 * log_term N cap / INR i) ->
  let w := sqrt (INR i / INR cap) in Rabs (w * x + (1 - w) * s - s) <= 6 * width N cap.
Proof.
  intros Hi HN A B w. assert (Hc : (1 <= cap)%nat) by lia. pose proof (width_positive N cap Hc) as W.
  destruct Hi as [I1 I2]. apply le_INR in I1. apply le_INR in I2. simpl in I1.
  pose proof (log_term_above_2 N cap) as HL. set (L := log_term N cap) in *.
  assert (Hw : 0 <= w) by apply sqrt_pos.
  assert (Hr : 0 <= INR i / INR cap <= 1).
  { split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra] |].
    apply Rmult_le_reg_r with (INR cap); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (W1 : w <= 1) by (rewrite <- sqrt_1; apply sqrt_le_1; lra).
  assert (K : w * sqrt (2 * L / INR i) = width N cap).
  { unfold w, width. fold L. rewrite <- sqrt_mult_alt by lra. f_equal. field. lra. }
  replace (w * x + (1 - w) * s - s) with (w * ((x - theta) + - (s - theta))) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq w Hw). pose proof (Rabs_triang (x - theta) (- (s - theta))) as T. rewrite Rabs_Ropp in T.
  apply Rle_trans with (w * (sqrt (2 * L / INR i) + 5 * width N cap)); [apply Rmult_le_compat_l; lra |].
  rewrite Rmult_plus_distr_l, K. assert (w * (5 * width N cap) <= 1 * (5 * width N cap)) by (apply Rmult_le_compat_r; lra). lra.
Qed.
