(* Cummings et al., Appendix G: the lower bound of Lemma G.1 and the monotone windows of Lemma G.2 for one user with one
   record, refuted as printed or repaired. Continues Estimators.v, which refutes the monotonicity. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy Tools cummings.Estimators.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* A window of a chance to miss: the infimum of what misses with a chance of at most beta. *)
Definition window (miss : R -> R) (beta f : R) : Prop :=
  (forall alpha, f < alpha -> miss alpha <= beta) /\ (forall alpha, alpha < f -> beta < miss alpha).
Lemma one_window miss beta f g : window miss beta f -> window miss beta g -> f = g.
Proof.
  intros [F1 F2] [G1 G2]. destruct (Rtotal_order f g) as [L | [E | L]]; [| exact E |]; exfalso.
  - specialize (F1 ((f + g) / 2) ltac:(lra)). specialize (G2 ((f + g) / 2) ltac:(lra)). lra.
  - specialize (G1 ((f + g) / 2) ltac:(lra)). specialize (F2 ((f + g) / 2) ltac:(lra)). lra.
Qed.
(* Own means q with weights w about theta; a coin of mean q below q - g, and above q + g. *)
Definition far (users : list nat) (w q : nat -> R) (theta alpha : R) : R :=
  sum users (fun i => w i * (if Rle_dec alpha (Rabs (q i - theta)) then 1 else 0)).
Definition below (q g : R) : R := (if Rle_dec g q then 1 - q else 0) + (if Rle_dec g (q - 1) then q else 0).
Definition above (q g : R) : R := (if Rle_dec g (- q) then 1 - q else 0) + (if Rle_dec g (1 - q) then q else 0).
(* Lemma G.1 with n = 1 and one record, so that beta' is twice the root of beta and the average is a coin of mean theta. *)
Definition printed_lower_bound : Prop := forall users w q beta f a m b,
  distribution users w -> (forall i, In i users -> 0 <= q i <= 1 / 2) -> 0 < beta <= 1 ->
  let theta := sum users (fun i => w i * q i) in let beta' := 2 * sqrt beta in
  (forall i g, In i users -> window (misses (q i)) beta' g -> beta' / 2 <= below (q i) g /\ beta' / 4 <= above (q i) g) ->
  window (misses theta) beta f -> window (far users w q theta) beta' a -> window (far users w q theta) (beta / 2) m ->
  window (misses (Rmin (1 / 2) (theta + m))) beta' b -> a + b <= f.
(* The repair: own means at least a away from theta have weight tail, and each of their coins goes r farther out with a
   chance of at least tail / 4. *)
Definition misses_from (theta q alpha : R) : R :=
  (if Rle_dec alpha (Rabs (0 - theta)) then 1 - q else 0) + (if Rle_dec alpha (Rabs (1 - theta)) then q else 0).
Definition outward (theta q r : R) : R := if Rle_dec theta q then above q r else below q r.

Ltac cases := repeat match goal with
  | |- context [Rle_dec ?x ?y] => destruct (Rle_dec x y)
  | H : context [Rle_dec ?x ?y] |- _ => destruct (Rle_dec x y) end.
Lemma farther_out theta q a r : 0 <= q <= 1 -> 0 <= a -> a <= Rabs (q - theta) -> 0 <= r ->
  outward theta q r <= misses_from theta q (a + r).
Proof.
  intros Hq Ha H Hr. unfold outward, misses_from, above, below.
  destruct (Rle_dec theta q) as [L | L].
  - rewrite (Rabs_pos_eq (q - theta)) in H by lra. pose proof (Rle_abs (1 - theta)). pose proof (Rle_abs (- (0 - theta))).
    pose proof (Rle_abs (0 - theta)). rewrite Rabs_Ropp in *. cases; lra.
  - rewrite (Rabs_left (q - theta)) in H by lra. pose proof (Rle_abs (- (0 - theta))). pose proof (Rle_abs (1 - theta)).
    pose proof (Rle_abs (- (1 - theta))). rewrite !Rabs_Ropp in *. cases; lra.
Qed.
(* cummings-lem-g.1 part: the lower bound is refuted by own means 0 and 3/20; repaired, with the tail that points away from the mean *)
Theorem lower_bound_of_windows : ~ printed_lower_bound /\
  forall users w q theta a r tail, distribution users w -> (forall i, In i users -> 0 <= q i <= 1) -> 0 <= a -> 0 <= r -> 0 <= tail ->
    tail <= far users w q theta a ->
    (forall i, In i users -> a <= Rabs (q i - theta) -> tail / 4 <= outward theta (q i) r) ->
    tail ^ 2 / 4 <= sum users (fun i => w i * misses_from theta (q i) (a + r)).
Proof.
  split.
  - intros P. set (w := fun i : nat => match i with O => 4 / 5 | _ => 1 / 5 end).
    set (q := fun i : nat => match i with O => 0 | _ => 3 / 20 end).
    assert (Root : sqrt (1 / 25) = 1 / 5).
    { replace (1 / 25) with ((1 / 5) * (1 / 5)) by field. apply sqrt_square. lra. }
    assert (Theta : sum [0; 1]%nat (fun i => w i * q i) = 3 / 100) by (simpl; lra).
    assert (A0 : Rabs (0 - 3 / 100) = 3 / 100) by (rewrite Rabs_left; lra).
    assert (A1 : Rabs (3 / 20 - 3 / 100) = 12 / 100) by (rewrite Rabs_pos_eq; lra).
    assert (W0 : window (misses 0) (2 / 5) 0) by (split; intros; unfold misses; cases; lra).
    assert (W1 : window (misses (3 / 20)) (2 / 5) (3 / 20)) by (split; intros; unfold misses; cases; lra).
    specialize (P [0; 1]%nat w q (1 / 25) (3 / 100) (3 / 100) (12 / 100) (3 / 20)). cbv zeta in P.
    rewrite Root, Theta in P. replace (2 * (1 / 5)) with (2 / 5) in P by field.
    enough (3 / 100 + 3 / 20 <= 3 / 100) by lra. apply P.
    + split; [| simpl; lra]. intros i [<- | [<- | []]]; simpl; lra.
    + intros i [<- | [<- | []]]; simpl; lra.
    + lra.
    + intros i g [<- | [<- | []]] G; simpl in G |- *.
      * rewrite <- (one_window _ _ _ _ W0 G). unfold below, above. cases; lra.
      * rewrite <- (one_window _ _ _ _ W1 G). unfold below, above. cases; lra.
    + split; intros; unfold misses; cases; lra.
    + split; intros; unfold far; simpl; rewrite A0, A1; cases; lra.
    + split; intros; unfold far; simpl; rewrite A0, A1; cases; lra.
    + replace (Rmin (1 / 2) (3 / 100 + 12 / 100)) with (3 / 20) by (rewrite Rmin_right; lra). exact W1.
  - intros users w q theta a r tail [W0 _] Hq Ha Hr Ht F O.
    apply Rle_trans with (tail / 4 * far users w q theta a); [nra |].
    unfold far. rewrite <- sum_scale. apply sum_le. intros i Hi. specialize (W0 i Hi).
    destruct (Rle_dec a (Rabs (q i - theta))) as [L | L].
    + pose proof (farther_out theta (q i) a r (Hq i Hi) Ha L Hr). pose proof (O i Hi L).
      replace (tail / 4 * (w i * 1)) with (w i * (tail / 4)) by ring. apply Rmult_le_compat_l; lra.
    + rewrite !Rmult_0_r. apply Rmult_le_pos; [exact W0 |]. unfold misses_from. pose proof (Hq i Hi). cases; lra.
Qed.
(* The repair of the windows: quantiles at beta/2 of the lowest and 1 - beta/2 of the highest own mean. *)
Definition quantile_of_a_coin (q t : R) : R := if Rle_dec t (1 - q) then 0 else 1.
Definition outside (low high q beta : R) : R :=
  (if Rlt_dec 0 (quantile_of_a_coin low (beta / 2)) then 1 - q else 0) +
  (if Rlt_dec (quantile_of_a_coin high (1 - beta / 2)) 1 then q else 0).
(* cummings-lem-g.2 part: repaired for one record, quantiles grow with the mean and their window misses with a chance of at most beta *)
Theorem quantiles_of_coins_are_monotone : (forall p q t, p <= q -> quantile_of_a_coin p t <= quantile_of_a_coin q t) /\
  forall low high q beta, 0 <= low <= q -> q <= high <= 1 -> 0 <= beta <= 1 -> outside low high q beta <= beta.
Proof.
  split; [intros p q t H; unfold quantile_of_a_coin; cases; lra |].
  intros low high q beta H1 H2 Hb. unfold outside, quantile_of_a_coin.
  destruct (Rle_dec (beta / 2) (1 - low)), (Rle_dec (1 - beta / 2) (1 - high));
    repeat match goal with |- context [Rlt_dec ?x ?y] => destruct (Rlt_dec x y) end; lra.
Qed.
