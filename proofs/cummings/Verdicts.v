(* Cummings et al.: Lemma 2.1 for every law of the users' own means, and the ideal estimator in one theorem. *)
From Coq Require Import Reals List Lra Lia Bool.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace.
From Userdp Require Import kent.Information kent.Assouad cummings.Weights cummings.Estimators.
Import ListNotations.
Open Scope R_scope.

(* Lemma 2.1. The mean over users, of functions of a class on which it is additive: every probability law gives one. *)
Definition additive {X} (class : (X -> R) -> Prop) (E : (X -> R) -> R) : Prop :=
  forall f g, class f -> class g -> class (fun x => f x + g x) /\ E (fun x => f x + g x) = E f + E g.
(* m records of a user with own mean q are coins; their average. *)
Definition average (v : list bool) : R := INR (ones v) / INR (length v).
Definition mean_given (q : R) (m : nat) (f : R -> R) : R := sum (vectors m) (fun v => prior q v * f (average v)).

Lemma ones_true v : INR (ones (true :: v)) = INR (ones v) + 1.
Proof. change (ones (true :: v)) with (S (ones v)). now rewrite S_INR. Qed.
Lemma ones_false v : ones (false :: v) = ones v.
Proof. reflexivity. Qed.
Lemma coins_mean q m : sum (vectors m) (fun v => prior q v * INR (ones v)) = INR m * q.
Proof.
  induction m as [| m IH]; [simpl; ring |]. rewrite sum_vectors, S_INR.
  rewrite (sum_ext _ _ (fun v => q * (prior q v * INR (ones v)) + q * prior q v)).
  2:{ intros v _. rewrite ones_true. cbn [prior]. ring. }
  rewrite (sum_ext _ (fun v => prior q (false :: v) * _) (fun v => (1 - q) * (prior q v * INR (ones v)))).
  2:{ intros v _. rewrite ones_false. cbn [prior]. ring. }
  rewrite sum_plus, !sum_scale, IH, prior_total. ring.
Qed.
Lemma coins_square q m : sum (vectors m) (fun v => prior q v * INR (ones v) ^ 2) = INR m * (q * (1 - q)) + INR m ^ 2 * q ^ 2.
Proof.
  induction m as [| m IH]; [simpl; ring |]. rewrite sum_vectors, S_INR.
  rewrite (sum_ext _ _ (fun v => q * (prior q v * INR (ones v) ^ 2) + (2 * q * (prior q v * INR (ones v)) + q * prior q v))).
  2:{ intros v _. rewrite ones_true. cbn [prior]. ring. }
  rewrite (sum_ext _ (fun v => prior q (false :: v) * _) (fun v => (1 - q) * (prior q v * INR (ones v) ^ 2))).
  2:{ intros v _. rewrite ones_false. cbn [prior]. ring. }
  rewrite !sum_plus, !sum_scale, IH, coins_mean, prior_total. ring.
Qed.
Lemma squared_distance_given q m c : (0 < m)%nat ->
  mean_given q m (fun a => (a - c) ^ 2) = (1 - / INR m) * q ^ 2 + ((/ INR m - 2 * c) * q + c ^ 2).
Proof.
  intros Hm. apply lt_0_INR in Hm. unfold mean_given.
  rewrite (sum_ext _ _ (fun v => / INR m ^ 2 * (prior q v * INR (ones v) ^ 2) + (- 2 * c / INR m * (prior q v * INR (ones v)) + c ^ 2 * prior q v))).
  - rewrite !sum_plus, !sum_scale, coins_square, coins_mean, prior_total. field. lra.
  - intros v Hv. apply in_vectors in Hv. unfold average. rewrite Hv. field. lra.
Qed.
Lemma mean_given_is q m : (0 < m)%nat -> mean_given q m (fun a => a) = q.
Proof.
  intros Hm. apply lt_0_INR in Hm. unfold mean_given. rewrite (sum_ext _ _ (fun v => / INR m * (prior q v * INR (ones v)))).
  - rewrite sum_scale, coins_mean. field. lra.
  - intros v Hv. apply in_vectors in Hv. unfold average. rewrite Hv. field. lra.
Qed.
(* cummings-lem-2.1 whole *)
Theorem variance_of_a_users_average_for_every_law {X} class E (own : X -> R) m : expectation class E -> additive class E ->
  class own -> class (fun x => own x ^ 2) -> (forall x, 0 <= own x <= 1) -> (0 < m)%nat ->
  let theta := E own in let spread := E (fun x => (own x - theta) ^ 2) in
  spread <= theta * (1 - theta) /\
  E (fun x => mean_given (own x) m (fun a => a)) = theta /\
  E (fun x => mean_given (own x) m (fun a => (a - theta) ^ 2)) = theta * (1 - theta) / INR m + (1 - 1 / INR m) * spread.
Proof.
  intros (C & Sc & Mo) Ad Cq Cq2 Hq Hm theta spread. pose proof (lt_0_INR m Hm) as HM.
  assert (Poly : forall a b c, E (fun x => a * own x ^ 2 + (b * own x + c)) = a * E (fun x => own x ^ 2) + (b * theta + c)).
  { intros a b c. destruct (Sc a _ Cq2) as [C1 E1]. destruct (Sc b _ Cq) as [C2 E2]. destruct (C c) as [C3 E3].
    destruct (Ad _ _ C2 C3) as [C4 E4]. destruct (Ad _ _ C1 C4) as [_ E5]. rewrite E5, E4, E1, E2, E3. reflexivity. }
  assert (Sp : spread = E (fun x => own x ^ 2) - theta ^ 2).
  { unfold spread. replace (fun x => (own x - theta) ^ 2) with (fun x => 1 * own x ^ 2 + (- 2 * theta * own x + theta ^ 2)).
    - rewrite Poly. ring.
    - apply FunctionalExtensionality.functional_extensionality. intros x. ring. }
  split; [| split].
  - assert (L : E (fun x => own x ^ 2) <= theta) by (apply Mo; auto; intros x; specialize (Hq x); nra). lra.
  - replace (fun x => mean_given (own x) m (fun a => a)) with own; [reflexivity |].
    apply FunctionalExtensionality.functional_extensionality. intros x. now rewrite mean_given_is.
  - replace (fun x => mean_given (own x) m (fun a => (a - theta) ^ 2)) with
      (fun x => (1 - / INR m) * own x ^ 2 + ((/ INR m - 2 * theta) * own x + theta ^ 2)).
    + rewrite Poly, Sp. field. lra.
    + apply FunctionalExtensionality.functional_extensionality. intros x. now rewrite squared_distance_given.
Qed.

(* Algorithm 1: weights and windows of length d u from low u; the noise has the scale of the widest weighted window. *)
Definition public_terms {U} (users : list U) (w low d : U -> R) : list terms :=
  map (fun u => {| weight := w u; low := low u; high := low u + d u |}) users.
Lemma weighted_mean_app a b x y : length a = length x ->
  weighted_mean (a ++ b) (x ++ y) = weighted_mean a x + weighted_mean b y.
Proof.
  revert x. induction a as [| p a IH]; intros [| z x] H; try discriminate; unfold weighted_mean in *; simpl; [ring |].
  rewrite IH by (simpl in H; lia). ring.
Qed.
Lemma widest_loses public p scale eps e : In p public -> width p = scale -> 0 < scale -> low p <= high p -> 0 < eps -> e < eps ->
  ~ private_by_masses replaced e (ideal public scale eps).
Proof.
  intros Hp W Hs Hl He Hlt. destruct (in_split p public Hp) as (a & b & ->).
  apply laplace_no_less with (s := scale) (x := map low a ++ low p :: map low b) (y := map low a ++ high p :: map low b).
  - now apply Rdiv_lt_0_compat.
  - now exists (map low a), (low p), (high p), (map low b).
  - rewrite !weighted_mean_app by (now rewrite map_length). unfold weighted_mean at 2 4. simpl.
    rewrite !project_inside by lra. unfold width in W. fold (weighted_mean b (map low b)). rewrite <- W. ring.
  - lra.
  - replace (scale / (scale / eps)) with eps by (field; lra). exact Hlt.
Qed.
(* Some cap binds: otherwise it could be lowered for nothing. *)
Lemma some_window_is_widest {U} (users : list U) v d k T : (forall u, 0 < v u) -> (forall u, 0 < d u) -> 0 < k -> 0 < T ->
  balance users v d k T = 0 -> users <> [] -> exists u, In u users /\ capped users v d T u * d u = T / sum users (raw v d T).
Proof.
  intros Hv Hd Hk HT B N. destruct (Exists_dec (fun u => T * v u / d u < 1) users) as [X | X]; [intros; apply Rlt_dec | |].
  - apply Exists_exists in X. destruct X as (u & Hu & L). exists u. split; [exact Hu |]. pose proof (Hd u). pose proof (Hv u).
    pose proof (total_positive users v d Hv Hd N T HT) as P. unfold capped. replace (raw v d T u) with (T / d u); [field; lra |].
    unfold raw. rewrite Rmin_right; [reflexivity |]. apply Rmult_le_reg_r with (v u); [lra |]. rewrite Rinv_l by lra.
    unfold Rdiv in *. lra.
  - exfalso. unfold balance in B. assert (Z : sum users (fun u => / d u * Rmax (1 - T * v u / d u) 0) = 0).
    { rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_const; ring |]. intros u Hu.
      rewrite Rmax_right; [ring |]. enough (~ T * v u / d u < 1) by lra. intros C. apply X, Exists_exists. now exists u. }
    rewrite Z in B. assert (0 < k * T) by now apply Rmult_lt_0_compat. lra.
Qed.
(* cummings-alg-1 whole; the best weights of all, and a release that is private at exactly the budget *)
Theorem ideal_estimator_verdict {U} (users : list U) (v d low : U -> R) eps c : (forall u, 0 < v u) -> (forall u, 0 < d u) ->
  0 < eps -> 0 < c -> users <> [] -> exists T, 0 < T /\
    let total := sum users (raw v d T) in let w := capped users v d T in let scale := T / total in
    let public := public_terms users w low d in let k := c / eps ^ 2 in
    variance users v k w scale = / total /\
    (forall w' R0, weights users w' -> covers users d R0 w' -> / total <= variance users v k w' R0) /\
    private_by_masses replaced eps (ideal public scale eps) /\
    (forall means, density (ideal public scale eps means)) /\
    forall e, e < eps -> ~ private_by_masses replaced e (ideal public scale eps).
Proof.
  intros Hv Hd He Hc N. assert (Hk : 0 < c / eps ^ 2) by (apply Rdiv_lt_0_compat; [exact Hc | apply pow_lt; exact He]).
  destruct (root_exists users v d (c / eps ^ 2) Hv Hd Hk N) as (T & HT & B). exists T. split; [exact HT |].
  intros total w scale public k. pose proof (total_positive users v d Hv Hd N T HT) as P.
  assert (Hs : 0 < scale) by now apply Rdiv_lt_0_compat.
  destruct (capped_weights users v d Hv Hd N T HT) as [W0 _]. pose proof (capped_covered users v d Hv Hd N T HT) as Co.
  assert (V : valid public scale).
  { split; [exact Hs |]. intros p Hp. apply in_map_iff in Hp. destruct Hp as (u & <- & Hu). pose proof (Hd u). simpl.
    split; [now apply W0 | split; [lra |]]. unfold width. simpl. replace (low u + d u - low u) with (d u) by ring. now apply Co. }
  split; [now apply least_variance | split; [intros; now apply no_weights_are_better |]].
  split; [now apply ideal_estimator_is_private | split; [intros; now apply ideal_estimator_is_lawful |]].
  intros e Hlt. destruct (some_window_is_widest users v d k T Hv Hd Hk HT B N) as (u & Hu & Eu). pose proof (Hd u).
  apply widest_loses with (p := {| weight := w u; low := low u; high := low u + d u |}); try assumption.
  - apply in_map_iff. now exists u.
  - unfold width. simpl. replace (low u + d u - low u) with (d u) by ring. exact Eu.
  - simpl. lra.
Qed.
