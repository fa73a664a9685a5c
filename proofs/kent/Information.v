(* Kent et al., what one report tells: Remark 1, Lemma 21, and Lemma 22 refuted. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat ZArith.
From Userdp Require Import Privacy Tools Guarantees Votes.
Import ListNotations.
Open Scope R_scope.

(* The mean of functions of a user's data,
    over any class of functions: every probability measure gives one. *)
Definition expectation {X} (class : (X -> R) -> Prop) (E : (X -> R) -> R) : Prop :=
  (forall c, class (fun _ => c) /\ E (fun _ => c) = c) /\
  (forall c f, class f -> class (fun x => c * f x) /\ E (fun x => c * f x) = c * E f) /\
  (forall f g, class f -> class g -> (forall x, f x <= g x) -> E f <= E g).
(* Weights on finitely many data sets are an instance. *)
Lemma weights_are_an_expectation {X} (data : list X) (p : X -> R) : distribution data p ->
  expectation (fun _ => True) (fun f => sum data (fun x => p x * f x)).
Proof.
  intros [N S]. split; [| split].
  - intros c. split; [exact I |]. rewrite sum_scale_r, S. ring.
  - intros c f _. split; [exact I |]. rewrite <- sum_scale. apply sum_ext. intros. ring.
  - intros f g _ _ L. apply sum_le. intros x Hx. apply Rmult_le_compat_l; auto.
Qed.
(* kent-lem-21 whole *)
Theorem private_likelihood_ratios_are_bounded {X O} eps (q : X -> O -> R) class E1 E2 z :
  private anyone eps q -> expectation class E1 -> expectation class E2 -> class (fun x => q x z) ->
  E1 (fun x => q x z) <= exp eps * E2 (fun x => q x z) /\
  exp (- eps) * E2 (fun x => q x z) <= E1 (fun x => q x z).
Proof.
  intros P M1 M2 Q.
  assert (G : forall E F, expectation class E -> expectation class F ->
    E (fun x => q x z) <= exp eps * F (fun x => q x z)).
  { intros E F (CE & SE & LE) (CF & SF & LF).
    destruct (SF (exp eps) _ Q) as [Q' <-]. destruct (CF (E (fun x => q x z))) as [C <-].
    apply LF; [exact C | exact Q' |]. intros y. destruct (CE (exp eps * q y z)) as [C' <-].
    apply LE; [exact Q | exact C' |]. intros x. now apply P. }
  split; [now apply G |].
  apply Rmult_le_reg_l with (exp eps); [apply exp_pos |].
  rewrite <- Rmult_assoc, exp_times_opposite, Rmult_1_l. now apply G.
Qed.
(* kent-lem-21 part: the sharper form for close laws on finitely many data sets *)
Theorem close_laws_have_close_reports {X O} eps (q : X -> O -> R) (data : list X) p1 p2 z :
  private anyone eps q -> 0 <= eps -> (forall x, 0 <= q x z) -> distribution data p1 ->
    distribution data p2 ->
  let m p := sum data (fun x => p x * q x z) in
  let tv := sum data (fun x => Rabs (p1 x - p2 x)) / 2 in
  m p1 <= (1 + (exp eps - 1) * tv) * m p2.
Proof.
  intros P He Q [N1 S1] [N2 S2] m tv.
  assert (M : exists l, In l data /\ forall x, In x data -> q l z <= q x z).
  { assert (D : data <> []) by (intros ->; simpl in S1; lra). clear -D.
    induction data as [| a rest IH]; [easy |]. destruct rest as [| b rest].
    - exists a. split; [now left |]. intros x [<- | []]. lra.
    - destruct IH as (l & Hl & L); [discriminate |]. destruct (Rle_or_lt (q a z) (q l z)) as [H | H].
      + exists a. split; [now left |]. intros x [<- | Hx]; [lra |]. specialize (L x Hx). lra.
      + exists l. split; [now right |]. intros x [<- | Hx]; [lra | now apply L]. }
  destruct M as (a & Ha & L). set (l := q a z) in *. assert (L0 : 0 <= l) by apply Q.
  assert (T : sum data (fun x => (p1 x - p2 x) * (q x z - l)) <= tv * ((exp eps - 1) * l)).
  { apply Rle_trans with (sum data (fun x => (Rabs (p1 x - p2 x) + (p1 x - p2 x)) / 2 * ((exp eps - 1) * l))).
    - apply sum_le. intros x Hx. specialize (L x Hx). assert (U : q x z <= exp eps * l) by now apply P.
      destruct (Rle_or_lt 0 (p1 x - p2 x)) as [H | H].
      + rewrite Rabs_pos_eq by exact H. replace ((p1 x - p2 x + (p1 x - p2 x)) / 2) with (p1 x - p2 x) by
        field.
        apply Rmult_le_compat_l; lra.
      + rewrite Rabs_left by exact H.
        replace ((- (p1 x - p2 x) + (p1 x - p2 x)) / 2 * ((exp eps - 1) * l)) with 0 by field.
        replace ((p1 x - p2 x) * (q x z - l)) with (- ((p2 x - p1 x) * (q x z - l))) by ring.
        assert (0 <= (p2 x - p1 x) * (q x z - l)) by (apply Rmult_le_pos; lra). lra.
    - rewrite sum_scale_r. right. f_equal. unfold tv, Rdiv. rewrite sum_scale_r, sum_plus, sum_minus, S1, S2.
    ring. }
  assert (E : sum data (fun x => (p1 x - p2 x) * (q x z - l)) = m p1 - m p2).
  { unfold m. rewrite <- sum_minus. rewrite
    (sum_ext _ _ (fun x => (p1 x * q x z - p2 x * q x z) - l * (p1 x - p2 x))).
    - rewrite sum_minus, sum_scale, (sum_minus _ p1 p2), S1, S2. ring.
    - intros. ring. }
  assert (B : l <= m p2).
  { rewrite <- (Rmult_1_l l), <- S2, <- sum_scale_r. apply sum_le. intros x Hx. apply Rmult_le_compat_l;
    auto. }
  assert (V : 0 <= tv). { apply Rmult_le_pos; [apply sum_nonneg; intros; apply Rabs_pos | lra]. }
  pose proof (one_le_exp eps He) as X1.
  assert (tv * ((exp eps - 1) * l) <= tv * ((exp eps - 1) * m p2)).
  { apply Rmult_le_compat_l; [exact V |]. apply Rmult_le_compat_l; lra. }
  lra.
Qed.

(* Remark 1: a user with m records is one item from a larger alphabet, the lists of m letters. *)
Fixpoint words {X} (alphabet : list X) (m : nat) : list (list X) :=
  match m with O => [[]] | S m => flat_map (fun a => map (cons a) (words alphabet m)) alphabet end.
Fixpoint product {X} (p : X -> R) (word : list X) : R :=
  match word with [] => 1 | a :: rest => p a * product p rest end.
Definition user_level {X O} (eps : R) (channel : list X -> O -> R) (m : nat) : Prop :=
  forall x y z, length x = m -> length y = m -> channel x z <= exp eps * channel y z.
Definition items {X} (m : nat) (x y : list X) : Prop := length x = m /\ length y = m.
Lemma sum_words {X} (alphabet : list X) m f :
  sum (words alphabet (S m)) f = sum alphabet (fun a => sum (words alphabet m) (fun w => f (a :: w))).
Proof.
  cbn [words]. generalize (words alphabet m). intros ws.
  induction alphabet as [| a l IH]; simpl; [reflexivity |].
  now rewrite sum_app, sum_map, IH.
Qed.
Lemma product_distribution {X} (alphabet : list X) p m : distribution alphabet p ->
  distribution (words alphabet m) (product p).
Proof.
  intros [N S]. split.
  - induction m as [| m IH]; intros w Hw; simpl in Hw; [destruct Hw as [<- | []]; simpl; lra |].
    apply in_flat_map in Hw. destruct Hw as (a & Ha & Hw). apply in_map_iff in Hw.
    destruct Hw as (r & <- & Hr).
    simpl. apply Rmult_le_pos; auto.
  - induction m as [| m IH]; [simpl; ring |]. rewrite sum_words.
    rewrite (sum_ext _ _ p); [exact S |]. intros a _. simpl. rewrite sum_scale, IH. ring.
Qed.
Lemma product_sum {X} (alphabet : list X) p f m : distribution alphabet p ->
  sum (words alphabet m) (fun w => product p w * sum w f) = INR m * sum alphabet (fun a => p a * f a).
Proof.
  intros D. induction m as [| m IH]; [simpl; ring |]. rewrite sum_words, S_INR.
  rewrite (sum_ext _ _ (fun a => p a * f a + p a * (INR m * sum alphabet (fun a => p a * f a)))).
  - rewrite sum_plus, sum_scale_r. destruct D as [_ ->]. ring.
  - intros a _. rewrite <- IH. simpl.
    rewrite (sum_ext _ _ (fun w => p a * f a * product p w + p a * (product p w * sum w f))) by
      (intros; ring).
    rewrite sum_plus, !sum_scale. destruct (product_distribution alphabet p m D) as [_ ->]. ring.
Qed.
(* kent-rem-1 part: finitely many letters; user level is item level on lists, of the product law, same mean *)
Theorem user_level_is_item_level {X O} (alphabet : list X) p (f : X -> R) m eps (channel : list X -> O -> R) :
  distribution alphabet p -> (0 < m)%nat ->
  (user_level eps channel m <-> private (items m) eps channel) /\
  distribution (words alphabet m) (product p) /\
  sum (words alphabet m) (fun w => product p w * (sum w f / INR m)) = sum alphabet (fun a => p a * f a).
Proof.
  intros D Hm. split; [| split].
  - split; [intros U x y z [Hx Hy] | intros P x y z Hx Hy]; [now apply U | now apply P].
  - now apply product_distribution.
  - rewrite (sum_ext _ _ (fun w => product p w * sum w f * / INR m)) by (intros; unfold Rdiv; ring).
    rewrite sum_scale_r, product_sum by exact D. field. apply not_0_INR. lia.
Qed.

(* Lemma 22, with finitely many parameters and reports: m v z is the probability of the report z under v. *)
Definition average {V O} (parameters : list V) (m : V -> O -> R) (z : O) : R :=
  sum parameters (fun v => m v z) / INR (length parameters).
Definition kept {V O} (parameters : list V) (m : V -> O -> R) (eps : R) (v : V) (z : O) : R :=
  let ratio := m v z / average parameters m z in
  if Rle_dec (exp (- 2 * eps)) ratio then if Rle_dec ratio (exp (2 * eps)) then m v z else 0 else 0.
(* The laws of the report given V = v and B = 0, and given B = 0. *)
Definition given_v {V O} (parameters : list V) (outputs : list O) m eps (v : V) (z : O) : R :=
  kept parameters m eps v z / sum outputs (kept parameters m eps v).
Definition given_B {V O} (parameters : list V) (outputs : list O) (m : V -> O -> R) eps (z : O) : R :=
  sum parameters (fun v => kept parameters m eps v z) /
  sum parameters (fun v => sum outputs (kept parameters m eps v)).
(* The sum over z of (p - q) log (p / q) is at most b; it is infinite where p = 0 < q or q = 0 < p. *)
Definition divergence_at_most {O} (outputs : list O) (p q : O -> R) (b : R) : Prop :=
  (forall z, In z outputs -> (0 < p z <-> 0 < q z)) /\
  sum outputs (fun z => (p z - q z) * ln (p z / q z)) <= b.
Definition lemma_22 : Prop := exists c C, 0 < c /\ 0 < C /\
  forall (n : nat) eps delta (V O : Type) (parameters : list V) (outputs : list O) (m : V -> O -> R),
  0 < eps -> C < INR n * Rmin 1 eps -> delta <= c * Rmin 1 eps / (INR n * ln (INR n)) ->
  complete parameters -> complete outputs -> (forall v, distribution outputs (m v)) ->
  approximately_private anyone eps delta outputs m ->
  forall v, divergence_at_most outputs (given_v parameters outputs m eps v) (given_B parameters outputs m eps)
    (C * Rmin eps (eps ^ 2)).
(* Two parameters, two reports: the report true has probability s under one and s t^2 under the other. *)
Definition rare (s t : R) (v z : bool) : R :=
  let p := if v then s else s * t ^ 2 in if z then p else 1 - p.
Lemma booleans_complete : complete [true; false].
Proof. split; [repeat constructor; simpl; intuition discriminate | intros []; simpl; auto]. Qed.
Lemma rare_distribution s t v : 0 < t < 1 -> 0 < s < 1 -> distribution [true; false] (rare s t v).
Proof.
  intros Ht Hs. assert (0 < t ^ 2 < 1) by (simpl; split; [apply Rmult_lt_0_compat; lra | nra]).
  assert (0 < s * t ^ 2 < 1) by (split; [apply Rmult_lt_0_compat; lra | nra]).
  split; [intros z _; destruct v, z; unfold rare; lra | destruct v; unfold rare; simpl sum; lra].
Qed.
Lemma rare_private eps s t : 0 < eps -> 0 < t < 1 -> 0 < s < 1 ->
  approximately_private anyone eps s [true; false] (rare s t).
Proof.
  intros He Ht Hs x y event _. pose proof (one_lt_exp eps He) as E.
  assert (0 < t ^ 2 < 1) by (simpl; split; [apply Rmult_lt_0_compat; lra | nra]).
  assert (0 < s * t ^ 2 < s) by (split; [apply Rmult_lt_0_compat; lra | nra]).
  assert (G : chance [true; false] (rare s t x) event <= chance [true; false] (rare s t y) event + s).
  { unfold chance, rare. cbn [filter]. destruct (event true), (event false), x, y; cbn [sum fold_right];
    lra. }
  assert (N : 0 <= chance [true; false] (rare s t y) event).
  { apply sum_nonneg. intros z _. destruct (rare_distribution s t y Ht Hs) as [P _]. apply P. destruct z;
    simpl; auto. }
  assert (chance [true; false] (rare s t y) event <= exp eps * chance [true; false] (rare s t y) event).
  { apply below_grown; lra. } lra.
Qed.
(* What is kept: the rare report under the first parameter alone, the other under both. *)
Lemma rare_kept eps s : 0 < eps -> 0 < s -> s <= 1 - exp (- 2 * eps) ->
  let k := kept [true; false] (rare s (exp (- 2 * eps))) eps in
  k true true = s /\ k false true = 0 /\ k true false = 1 - s /\ k false false = 1 - s * exp (- 2 * eps) ^ 2.
Proof.
  intros He Hs. set (t := exp (- 2 * eps)). intros Hst k.
  assert (Ht : 0 < t < 1).
  { split; [apply exp_pos |]. unfold t. rewrite <- exp_0. apply exp_increasing. lra. }
  assert (T2 : 0 < t ^ 2 < 1) by (simpl; split; [apply Rmult_lt_0_compat; lra | nra]).
  assert (TT : t ^ 2 < t) by nra.
  assert (Ei : exp (2 * eps) = / t).
  { unfold t. replace (-2 * eps) with (- (2 * eps)) by ring. now rewrite exp_Ropp, Rinv_inv. }
  assert (A1 : average [true; false] (rare s t) true = s * (1 + t ^ 2) / 2) by
    (unfold average, rare; simpl; field).
  assert (A2 : average [true; false] (rare s t) false = (2 - s * (1 + t ^ 2)) / 2) by
    (unfold average, rare; simpl; field).
  assert (S1 : s < 1) by lra.
  assert (S2 : 0 < s * t ^ 2 < s) by (split; [apply Rmult_lt_0_compat; lra | nra]).
  unfold k, kept. cbv zeta. rewrite A1, A2, Ei. fold t. unfold rare.
  assert (Lo : forall p a, 0 < a -> (t <= p / a <-> t * a <= p)).
  { intros p a Ha. split; intros H.
    - apply Rmult_le_compat_r with (r := a) in H; [| lra]. replace (p / a * a) with p in H by (field; lra).
    exact H.
    - apply Rmult_le_reg_r with a; [exact Ha |]. replace (p / a * a) with p by (field; lra). exact H. }
  assert (Hi : forall p a, 0 < a -> (p / a <= / t <-> t * p <= a)).
  { intros p a Ha. assert (0 < a * / t) by
    (apply Rmult_lt_0_compat; [exact Ha | apply Rinv_0_lt_compat; lra]).
    split; intros H0.
    - apply Rmult_le_compat_r with (r := a * t) in H0; [| nra].
      replace (p / a * (a * t)) with (t * p) in H0 by (field; lra).
      replace (/ t * (a * t)) with a in H0 by (field; lra). exact H0.
    - apply Rmult_le_reg_r with (a * t); [nra |].
      replace (p / a * (a * t)) with (t * p) by (field; lra).
      replace (/ t * (a * t)) with a by (field; lra). exact H0. }
  assert (P1 : 0 < s * (1 + t ^ 2) / 2) by nra. assert (P2 : 0 < (2 - s * (1 + t ^ 2)) / 2) by nra.
  repeat split.
  - destruct (Rle_dec t _) as [_ | N]; [destruct (Rle_dec _ (/ t)) as [_ | N]; [reflexivity |] |].
    + destruct N. apply Hi; [exact P1 | nra].
    + destruct N. apply Lo; [exact P1 | nra].
  - destruct (Rle_dec t _) as [H | _]; [| reflexivity]. apply Lo in H; [| exact P1]. exfalso.
    assert (0 < s * t * (1 - t) ^ 2) by (repeat apply Rmult_lt_0_compat; try lra; apply pow_lt; lra). nra.
  - destruct (Rle_dec t _) as [_ | N]; [destruct (Rle_dec _ (/ t)) as [_ | N]; [reflexivity |] |].
    + destruct N. apply Hi; [exact P2 | nra].
    + destruct N. apply Lo; [exact P2 | nra].
  - destruct (Rle_dec t _) as [_ | N]; [destruct (Rle_dec _ (/ t)) as [_ | N]; [reflexivity |] |].
    + destruct N. apply Hi; [exact P2 | nra].
    + destruct N. apply Lo; [exact P2 | nra].
Qed.
(* At every budget: however small delta = s is, the sum of the lemma is infinite for the second parameter. *)
Lemma rare_diverges eps s b : 0 < eps -> 0 < s -> s <= 1 - exp (- 2 * eps) ->
  ~ divergence_at_most [true; false] (given_v [true; false] [true; false]
    (rare s (exp (- 2 * eps))) eps false)
    (given_B [true; false] [true; false] (rare s (exp (- 2 * eps))) eps) b.
Proof.
  intros He Hs Hst [D _]. pose proof (rare_kept eps s He Hs Hst) as K. cbv zeta in K.
  destruct K as (K1 & K2 & K3 & K4). specialize (D true (or_introl eq_refl)). destruct D as [_ D].
  pose proof (exp_pos (- 2 * eps)) as T. assert (T1 : exp (- 2 * eps) < 1).
  { rewrite <- exp_0. apply exp_increasing. lra. }
  set (t := exp (- 2 * eps)) in *.
  assert (S2 : 0 < s * t ^ 2 < 1) by (split; [apply Rmult_lt_0_compat; [| apply pow_lt]; lra | nra]).
  unfold given_v, given_B in D. simpl sum in D. rewrite K1, K2, K3, K4 in D.
  assert (P : 0 < (s + (0 + 0)) / (s + (1 - s + 0) + (0 + (1 - s * t ^ 2 + 0) + 0))) by
    (apply Rdiv_lt_0_compat; lra).
  specialize (D P). unfold Rdiv in D. rewrite Rmult_0_l in D. lra.
Qed.
(* kent-lem-22 whole *)
Theorem lemma_22_is_false : ~ lemma_22.
Proof.
  intros (c & C & Hc & HC & L).
  destruct (archimed (C + 3)) as [U _]. set (z := up (C + 3)) in *.
  assert (Z : (0 <= z)%Z). { apply le_IZR. simpl. lra. }
  set (n := Z.to_nat z). assert (N : INR n = IZR z) by (unfold n; now rewrite INR_IZR_INZ, Z2Nat.id).
  assert (Hn : 3 < INR n) by lra. assert (Hl : 0 < ln (INR n)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (M : Rmin 1 1 = 1) by (apply Rmin_left; lra).
  set (t := exp (- 2 * 1)). assert (T : t < 1).
  { pose proof (exp_increasing (- 2 * 1) 0 ltac:(lra)) as G. rewrite exp_0 in G. exact G. }
  assert (T0 : 0 < t) by apply exp_pos.
  set (s := Rmin (1 - t) (c * 1 / (INR n * ln (INR n)))).
  assert (Q : 0 < c * 1 / (INR n * ln (INR n))).
  { apply Rdiv_lt_0_compat; [lra |]. apply Rmult_lt_0_compat; lra. }
  assert (S0 : 0 < s) by (unfold s; apply Rmin_glb_lt; lra).
  assert (S1 : s <= 1 - t) by apply Rmin_l.
  apply (rare_diverges 1 s (C * Rmin 1 (1 ^ 2)) Rlt_0_1 S0 S1). fold t.
  apply (L n 1 s bool bool); try exact booleans_complete; try lra.
  - rewrite M. lra.
  - rewrite M. apply Rmin_r.
  - intros v. apply rare_distribution; split; lra.
  - apply rare_private; try split; lra.
Qed.
