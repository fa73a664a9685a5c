(* Liu et al., Lemma 4.1 under Definition 3.1: two items are enough to need twice the budget, by an event, at every budget. *)
From Coq Require Import Reals List Lra Lia Bool.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Laplace liu.TwoApproximation liu.Histogram.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* Lemma 4.1, part 1, as printed, with Definition 3.1. *)
Definition printed_part_1 : Prop := forall (I : Type) (items : list I) C eps, 0 < C -> 0 < eps ->
  private_by_boxes (definition_3_1 items) eps 0 (algorithm_1 items C (C / eps)).
(* One user with C copies of the first of two items, replaced by one with C copies of the second. *)
Definition two_items : list bool := [true; false].
Definition copies (C : R) (j : bool) : histogram bool := fun i => if Bool.eqb i j then C else 0.
Definition corner (C T : R) : box bool := fun i => if i then (C, C + T) else (- T, 0).

Lemma copies_proper C j : 0 < C -> proper_users two_items [copies C j].
Proof. intros HC N [<- | []] i _. unfold copies. destruct (Bool.eqb i j); lra. Qed.
Lemma copies_neighbours C : 0 < C -> definition_3_1 two_items [copies C true] [copies C false].
Proof. intros HC. split; [now exists [], (copies C true), (copies C false), [] | split; now apply copies_proper]. Qed.
Lemma copies_totals C j i : 0 < C -> totals two_items C [copies C j] i = copies C j i.
Proof.
  intros HC. change (clipped (size two_items) C (copies C j) i + 0 = copies C j i). unfold clipped.
  assert (S : size two_items (copies C j) = C) by (unfold size, two_items, copies; destruct j; simpl; ring).
  rewrite S, Rmax_left by lra. field. lra.
Qed.
Lemma corner_masses C eps T : 0 < C -> 0 < eps -> 0 < T -> let b := C / eps in let q := exp (- T / b) in
  algorithm_1 two_items C b [copies C true] [corner C T] = / 4 * (1 - q) ^ 2 /\
  algorithm_1 two_items C b [copies C false] [corner C T] = exp (- (2 * eps)) * (/ 4 * (1 - q) ^ 2).
Proof.
  intros HC He HT b q. assert (Hb : 0 < b) by now apply Rdiv_lt_0_compat.
  assert (Right : forall c, c <= C -> RInt (fun o => laplace_density b (o - c)) C (C + T) =
    exp ((c - C) / b) / 2 - exp ((c - (C + T)) / b) / 2).
  { intros c H. apply (is_RInt_unique (V := R_CompleteNormedModule)), laplace_right; [exact Hb | lra]. }
  assert (Left : forall c, 0 <= c -> RInt (fun o => laplace_density b (o - c)) (- T) 0 =
    exp ((0 - c) / b) / 2 - exp ((- T - c) / b) / 2).
  { intros c H. apply (is_RInt_unique (V := R_CompleteNormedModule)), laplace_left; [exact Hb | lra]. }
  assert (Cb : C / b = eps) by (unfold b; field; lra).
  unfold algorithm_1, noisy. cbn [Privacy.sum fold_right product two_items]. rewrite !copies_totals by exact HC.
  unfold corner, copies. simpl fst. simpl snd. simpl Bool.eqb. cbv iota.
  rewrite !Right, !Left by lra. fold q.
  replace ((C - C) / b) with 0 by (unfold Rdiv; ring). replace ((0 - 0) / b) with 0 by (unfold Rdiv; ring).
  replace ((C - (C + T)) / b) with (- T / b) by (unfold Rdiv; ring). replace ((- T - 0) / b) with (- T / b) by (unfold Rdiv; ring).
  replace ((0 - C) / b) with (- eps) by (rewrite <- Cb; unfold Rdiv; ring).
  replace ((0 - (C + T)) / b) with (- eps + - T / b) by (rewrite <- Cb; unfold Rdiv; ring).
  replace ((- T - C) / b) with (- eps + - T / b) by (rewrite <- Cb; unfold Rdiv; ring).
  replace (- (2 * eps)) with (- eps + - eps) by ring. rewrite !exp_plus, exp_0. fold q. split; field.
Qed.
Lemma corner_boxes C T : 0 < T -> boxes [corner C T].
Proof. intros HT B j [<- | []]. unfold corner. destruct j; simpl; lra. Qed.
Lemma silence_above C eps T : 0 < C -> 0 < eps -> 0 < T -> 0 < 1 - exp (- T / (C / eps)) < 1.
Proof.
  intros HC He HT. pose proof (exp_pos (- T / (C / eps))). split; [| lra].
  enough (exp (- T / (C / eps)) < 1) by lra. rewrite <- exp_0. apply exp_increasing.
  assert (0 < T / (C / eps)) by (apply Rdiv_lt_0_compat; [exact HT | now apply Rdiv_lt_0_compat]).
  replace (- T / (C / eps)) with (- (T / (C / eps))) by (unfold Rdiv; ring). lra.
Qed.
(* liu-lem-4.1, liu-alg-1 part: part 1 refuted by an event, at every budget; no budget below twice the stated one holds *)
Theorem replaced_user_needs_twice_the_budget : ~ printed_part_1 /\ forall C eps e, 0 < C -> 0 < eps -> e < 2 * eps ->
  ~ private_by_boxes (definition_3_1 two_items) e 0 (algorithm_1 two_items C (C / eps)).
Proof.
  assert (A : forall C eps e, 0 < C -> 0 < eps -> e < 2 * eps ->
    ~ private_by_boxes (definition_3_1 two_items) e 0 (algorithm_1 two_items C (C / eps))).
  { intros C eps e HC He Hl P. specialize (P _ _ [corner C 1] (copies_neighbours C HC) (corner_boxes C 1 Rlt_0_1)).
    destruct (corner_masses C eps 1 HC He Rlt_0_1) as [E1 E2]. rewrite E1, E2 in P. pose proof (silence_above C eps 1 HC He Rlt_0_1) as Q.
    set (m := / 4 * (1 - exp (Ropp 1 / (C / eps))) ^ 2) in *.
    assert (Hm : 0 < m) by (apply Rmult_lt_0_compat; [lra | apply pow_lt; apply Q]).
    rewrite Rplus_0_r, <- Rmult_assoc, <- exp_plus in P.
    assert (L : exp (e + - (2 * eps)) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
    apply Rmult_lt_compat_r with (r := m) in L; lra. }
  split; [| exact A]. intros P. apply (A 1 1 1); try lra. apply P; lra.
Qed.
(* liu-lem-4.1, liu-def-3.1 part: nor does a small delta help: at the stated budget a slack of (1 - exp(-eps))/4 is needed *)
Theorem replaced_user_needs_a_large_slack C eps delta : 0 < C -> 0 < eps -> 0 <= delta < / 4 * (1 - exp (- eps)) ->
  ~ private_by_boxes (definition_3_1 two_items) eps delta (algorithm_1 two_items C (C / eps)).
Proof.
  intros HC He Hd P. set (g := 1 - exp (- eps)) in *.
  assert (Hg : 0 < g) by lra. set (rho := 4 * delta / g).
  assert (Hr : 0 <= rho < 1).
  { unfold rho. split; [apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat] |].
    apply Rmult_lt_reg_r with g; [exact Hg |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Hb : 0 < C / eps) by now apply Rdiv_lt_0_compat. set (b := C / eps) in *.
  set (T := - b * ln ((1 - rho) / 4)).
  assert (HT : 0 < T).
  { assert (ln ((1 - rho) / 4) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
    unfold T. replace (- b * ln ((1 - rho) / 4)) with (b * - ln ((1 - rho) / 4)) by ring. apply Rmult_lt_0_compat; lra. }
  specialize (P _ _ [corner C T] (copies_neighbours C HC) (corner_boxes C T HT)).
  destruct (corner_masses C eps T HC He HT) as [E1 E2]. fold b in E1, E2. rewrite E1, E2 in P.
  replace (exp (- T / b)) with ((1 - rho) / 4) in P.
  2:{ replace (- T / b) with (ln ((1 - rho) / 4)) by (unfold T; field; lra). rewrite exp_ln; lra. }
  rewrite <- Rmult_assoc, <- exp_plus in P. replace (eps + - (2 * eps)) with (- eps) in P by ring.
  replace (exp (- eps)) with (1 - g) in P by (unfold g; ring).
  assert (D : delta = rho * g / 4) by (unfold rho; field; lra).
  assert (K : rho < (1 - (1 - rho) / 4) ^ 2) by (simpl; nra).
  set (k := (1 - (1 - rho) / 4) ^ 2) in *. clearbody k. 
  assert (g * (k - rho) <= 0) by lra. assert (0 < g * (k - rho)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
(* liu-def-3.1 part: one user who is replaced moves the clipped total by at most 2C, attained; who comes or goes, by C *)
Theorem moves_of_the_clipped_total {I} (items : list I) C : 0 < C ->
  (forall x y, definition_3_1 items x y -> l1_move items (totals items C x) (totals items C y) <= 2 * C) /\
  (forall x y, comes_or_goes items x y -> l1_move items (totals items C x) (totals items C y) <= C) /\
  l1_move two_items (totals two_items C [copies C true]) (totals two_items C [copies C false]) = 2 * C.
Proof.
  intros HC. split; [intros; now apply replaced_move | split; [intros; now apply come_or_gone_move |]].
  unfold l1_move.
  rewrite (sum_ext two_items _ (fun j => Rabs (copies C true j - copies C false j))) by (intros; now rewrite !copies_totals by exact HC).
  unfold copies. simpl.
  rewrite Rminus_0_r, Rminus_0_l, Rabs_Ropp, Rabs_pos_eq by lra. ring.
Qed.
