(* Coordinates shared out over folds of users: who is asked when, how often, and what that costs.
   Model of userdp.local.vector: split_users, _members, localised_vector_mean. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat ZArith.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace Means.
Import ListNotations.
Open Scope R_scope.

(* d folds, each of h users who vote and h who report: the voters of fold f are f h, ..., f h + h - 1, and the
   reporters come d h later. Coordinate j asks the k folds j, ..., j + k - 1 modulo d. *)
Definition members (d h k j : nat) : list nat := flat_map (fun i => seq ((j + i) mod d * h) h) (seq 0 k).
Definition turns_for (d h k j : nat) : list (nat * nat * bool) :=
  map (fun u => (u, j, true)) (members d h k j) ++ map (fun u => ((d * h + u)%nat, j, false))
    (members d h k j).
Definition plan (d h k : nat) : list (nat * nat * bool) := flat_map (turns_for d h k) (seq 0 d).
Definition user_of (turn : nat * nat * bool) : nat := fst (fst turn).
Definition speakers (d h k : nat) : list nat := map user_of (plan d h k).
Definition concerns (turns : list (nat * nat * bool)) (j t : nat) : bool :=
  match nth_error turns t with Some (_, i, _) => Nat.eqb i j | None => false end.
(* Each coordinate is localised and refined by the answers of its own folds;
    value j u is user u's coordinate j. *)
Definition by_coordinates {X} (reach : nat) (margin tau : R) (value : nat -> X -> R)
    (turns : list (nat * nat * bool)) (seen : list answer) : question X :=
  match nth_error turns (length seen) with
  | Some (_, j, false) => refine margin tau (winner tau (concerns turns j) seen) (value j)
  | Some (_, j, true) => localise reach tau (value j)
  | None => localise reach tau (value 0%nat)
  end.
Definition vector_mean {X} (d h k reach : nat) (margin tau b : R) (value : nat -> X -> R) :
    (nat -> X) -> list answer -> R :=
  conversation (follow b (by_coordinates reach margin tau value (plan d h k))) [] (speakers d h k).

Definition total (l : list nat) (f : nat -> nat) : nat := fold_right (fun a s => (f a + s)%nat) 0%nat l.
Lemma total_ext l f g : (forall a, In a l -> f a = g a) -> total l f = total l g.
Proof. induction l; simpl; intros H; [reflexivity |]. f_equal; auto. Qed.
Lemma total_plus l f g : total l (fun a => f a + g a)%nat = (total l f + total l g)%nat.
Proof. induction l; simpl; lia. Qed.
Lemma total_const l c : total l (fun _ => c) = (length l * c)%nat.
Proof. induction l; simpl; lia. Qed.
Lemma total_swap k l f : total k (fun a => total l (f a)) = total l (fun b => total k (fun a => f a b)).
Proof.
  induction k as [| a k IH]; simpl; [now rewrite total_const, Nat.mul_0_r |]. now rewrite IH, <- total_plus.
Qed.
Lemma times_flat_map i f l : asked_times i (flat_map f l) = total l (fun a => asked_times i (f a)).
Proof. unfold asked_times. induction l; simpl; [reflexivity |]. now rewrite count_occ_app, IHl. Qed.
Lemma times_seq i h : forall a, asked_times i (seq a h) = if (a <=? i) && (i <? a + h) then 1%nat else 0%nat.
Proof.
  unfold asked_times. induction h as [| h IH]; intros a; simpl.
  - destruct (Nat.leb_spec a i), (Nat.ltb_spec i (a + 0)); simpl; lia.
  - rewrite IH. destruct (Nat.eq_dec a i) as [-> | N].
    + destruct (Nat.leb_spec (S i) i), (Nat.leb_spec i i), (Nat.ltb_spec i (i + S h)); simpl; lia.
    + destruct (Nat.leb_spec (S a) i), (Nat.leb_spec a i), (Nat.ltb_spec i (S a + h)),
      (Nat.ltb_spec i (a + S h));
        simpl; lia.
Qed.
Lemma in_fold i f h : (0 < h)%nat -> ((f * h <=? i) && (i <? f * h + h))%nat = (f =? i / h)%nat.
Proof.
  intros Hh. pose proof (Nat.div_mod_eq i h). pose proof (Nat.mod_upper_bound i h ltac:(lia)).
  destruct (Nat.eqb_spec f (i / h)) as [-> | N].
  - destruct (Nat.leb_spec (i / h * h) i), (Nat.ltb_spec i (i / h * h + h)); simpl; try reflexivity; nia.
  - destruct (Nat.leb_spec (f * h) i), (Nat.ltb_spec i (f * h + h)); simpl; try reflexivity. exfalso. apply N.
    assert (f < i / h \/ f = i / h \/ i / h < f)%nat as [L | [E | L]] by lia; [nia | exact E | nia].
Qed.
(* Among d successive numbers exactly one has a given remainder. *)
Lemma one_remainder d i f : (f < d)%nat ->
  total (seq 0 d) (fun j => if ((j + i) mod d =? f)%nat then 1%nat else 0%nat) = 1%nat.
Proof.
  intros Hf. assert (N : d <> 0%nat) by lia.
  assert (E : forall l, total l (fun j => if ((j + i) mod d =? f)%nat then 1%nat else 0%nat) =
    count_occ Nat.eq_dec (map (fun j => (j + i) mod d)%nat l) f).
  { induction l as [| a l IH]; simpl; [reflexivity |]. rewrite IH.
    destruct (Nat.eq_dec ((a + i) mod d) f) as [-> | M]; [now rewrite Nat.eqb_refl |].
    apply Nat.eqb_neq in M. now rewrite M. }
  rewrite E. clear E. set (l := map (fun j => (j + i) mod d)%nat (seq 0 d)).
  assert (D : NoDup l).
  { unfold l. assert (G : forall n a, (a + n <= d)%nat -> NoDup (map (fun j => (j + i) mod d)%nat (seq a n))).
    { induction n as [| n IH]; intros a Ha; simpl; constructor; [| apply IH; lia].
      intros C. apply in_map_iff in C. destruct C as (b & Eb & Hb). apply in_seq in Hb.
      pose proof (Nat.div_mod_eq (a + i) d). pose proof (Nat.div_mod_eq (b + i) d). rewrite Eb in H0.
      set (q := ((a + i) / d)%nat) in *. set (p := ((b + i) / d)%nat) in *.
      destruct (Nat.le_gt_cases p q) as [L | L].
      - apply (Nat.mul_le_mono_l _ _ d) in L. lia.
      - apply (Nat.mul_le_mono_l (S q) p d) in L. lia. }
    apply G. lia. }
  assert (I : In f l).
  { unfold l. apply in_map_iff. exists ((f + (d - i mod d)) mod d)%nat. split.
    - rewrite Nat.add_mod_idemp_l by exact N. pose proof (Nat.mod_upper_bound i d N).
      pose proof (Nat.div_mod_eq i d).
      replace (f + (d - i mod d) + i)%nat with (f + (1 + i / d) * d)%nat by nia.
      rewrite Nat.mod_add by exact N. now apply Nat.mod_small.
    - apply in_seq. pose proof (Nat.mod_upper_bound (f + (d - i mod d)) d N). lia. }
  rewrite (NoDup_count_occ Nat.eq_dec) in D. specialize (D f). apply (count_occ_In Nat.eq_dec) in I. lia.
Qed.
Lemma times_member d h k i : (0 < h)%nat -> (i < d * h)%nat ->
  total (seq 0 d) (fun j => asked_times i (members d h k j)) = k.
Proof.
  intros Hh Hi. assert (F : (i / h < d)%nat) by (apply Nat.div_lt_upper_bound; lia).
  rewrite (total_ext _ _ (fun j => total (seq 0 k)
    (fun a => if ((j + a) mod d =? i / h)%nat then 1%nat else 0%nat))).
  - rewrite total_swap. rewrite (total_ext _ _ (fun _ => 1%nat)).
    + rewrite total_const, seq_length. lia.
    + intros a _. now apply one_remainder.
  - intros j _. unfold members. rewrite times_flat_map. apply total_ext. intros a _.
    now rewrite times_seq, in_fold.
Qed.
Lemma members_small d h k j u : (0 < d)%nat -> In u (members d h k j) -> (u < d * h)%nat.
Proof.
  intros Hd H. apply in_flat_map in H. destruct H as (a & _ & H). apply in_seq in H.
  pose proof (Nat.mod_upper_bound (j + a) d ltac:(lia)). nia.
Qed.
Lemma times_shift n i l : asked_times i (map (fun u => (n + u)%nat) l) =
    if (n <=? i)%nat then asked_times (i - n) l else 0%nat.
Proof.
  unfold asked_times. induction l as [| a l IH]; simpl; [now destruct (n <=? i)%nat |].
  rewrite IH. destruct (Nat.leb_spec n i), (Nat.eq_dec (n + a) i), (Nat.eq_dec a (i - n)); lia.
Qed.
Lemma times_none i l n : (forall u, In u l -> (u < n)%nat) -> (n <= i)%nat -> asked_times i l = 0%nat.
Proof. intros H Hi. apply count_occ_not_In. intros C. apply H in C. lia. Qed.
Lemma speakers_of d h k j : map user_of (turns_for d h k j) =
  members d h k j ++ map (fun u => (d * h + u)%nat) (members d h k j).
Proof. unfold turns_for. rewrite map_app, !map_map. unfold user_of. simpl. now rewrite map_id. Qed.
Lemma speakers_flat d h k : speakers d h k = flat_map (fun j => map user_of (turns_for d h k j)) (seq 0 d).
Proof.
  unfold speakers, plan. induction (seq 0 d) as [| j l IH]; [reflexivity |].
  cbn [flat_map]. now rewrite map_app, IH.
Qed.
Lemma times_asked d h k i : (0 < d)%nat -> (0 < h)%nat ->
  asked_times i (speakers d h k) = if (i <? 2 * (d * h))%nat then k else 0%nat.
Proof.
  intros Hd Hh. rewrite speakers_flat, times_flat_map.
  rewrite (total_ext _ _ (fun j => asked_times i (members d h k j) +
    (if (d * h <=? i)%nat then asked_times (i - d * h) (members d h k j) else 0))%nat).
  2: { intros j _. rewrite speakers_of. unfold asked_times at 1. rewrite count_occ_app.
       fold (asked_times i (members d h k j)). f_equal. apply times_shift. }
  rewrite total_plus. destruct (Nat.leb_spec (d * h) i) as [Hi | Hi].
  - rewrite (total_ext _ (fun j => asked_times i (members d h k j)) (fun _ => 0%nat)).
    2: { intros j _. apply times_none with (n := (d * h)%nat);
      [| exact Hi]. intros u. now apply members_small. }
    rewrite total_const, Nat.mul_0_r. destruct (Nat.ltb_spec i (2 * (d * h))) as [L | L].
    + rewrite times_member by lia. lia.
    + rewrite (total_ext _ _ (fun _ => 0%nat)); [rewrite total_const; lia |].
      intros j _. apply times_none with (n := (d * h)%nat); [| lia]. intros u. now apply members_small.
  - rewrite times_member by lia. rewrite total_const. destruct (Nat.ltb_spec i (2 * (d * h))); lia.
Qed.

Lemma by_coordinates_fair {X} reach margin tau (value : nat -> X -> R) turns seen : 0 < tau -> 0 <= margin ->
  fair (by_coordinates reach margin tau value turns seen).
Proof.
  intros Ht Hm. unfold by_coordinates. destruct (nth_error turns (length seen)) as [[[u j] [|]] |];
    [now apply localise_fair | now apply refine_fair | now apply localise_fair].
Qed.
(* Every vote is a distribution, every report a density. *)
Lemma by_coordinates_lawful {X} reach margin tau (value : nat -> X -> R) turns b seen u : 0 < tau ->
    0 <= margin -> 0 < b ->
  lawful (by_coordinates reach margin tau value turns seen)
    (follow b (by_coordinates reach margin tau value turns) seen u).
Proof. intros Ht Hm Hb. apply asked_lawful; [exact Hb | now apply by_coordinates_fair]. Qed.
(* Who serves in k folds at budget b each loses k b, *)
Lemma vector_mean_private {X} d h k reach margin tau b (value : nat -> X -> R) :
  (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 <= margin -> 0 < b ->
  private same_but_one (INR k * b) (vector_mean d h k reach margin tau b value).
Proof.
  intros Hd Hh Ht Hm Hb. apply follow_often_private; [exact Hb | intros; now apply by_coordinates_fair |].
  intros i. rewrite times_asked by assumption. destruct (i <? 2 * (d * h))%nat; lia.
Qed.
(* and exactly that, if two values of the data are far enough apart in all coordinates. *)
Lemma vector_mean_attains {X} d h k reach margin tau b (value : nat -> X -> R) (allowed : X -> Prop) u v
    i i' :
  (0 < d)%nat -> (0 < h)%nat -> 0 < tau -> 0 <= margin -> 0 < b -> apart reach tau i i' -> allowed u ->
    allowed v ->
  (forall j, (j < d)%nat -> value j u = left_end tau i /\ value j v = left_end tau i') ->
  attains (same_but_one_among allowed) (INR k * b) (vector_mean d h k reach margin tau b value).
Proof.
  intros Hd Hh Ht Hm Hb B Au Av V.
  replace k with (asked_times 0 (speakers d h k)) at 1.
  2: { rewrite times_asked by assumption. destruct (Nat.ltb_spec 0 (2 * (d * h))); [reflexivity | nia]. }
  apply follow_often_attains with (u := u) (v := v);
    [exact Hb | exact Au | exact Av | intros; now apply by_coordinates_fair |].
  intros seen E. unfold speakers in E. rewrite nth_error_map in E. unfold by_coordinates.
  destruct (nth_error (plan d h k) (length seen)) as [[[w j] r] |] eqn:T; [| discriminate].
  simpl in E. injection E as E. unfold user_of in E. simpl in E. subst w.
  apply nth_error_In, in_flat_map in T. destruct T as (a & Ha & T). apply in_seq in Ha. apply in_app_or in T.
  destruct T as [T | T]; apply in_map_iff in T; destruct T as (w & E & _); injection E as Ew Ej Er; subst.
  - apply localise_attains with (i := i) (j := i'); try assumption; apply V; lia.
  - exfalso. assert (0 < d * h)%nat by nia. lia.
Qed.
Lemma same_but_one_among_weaker {X O} (allowed : X -> Prop) eps (q : (nat -> X) -> O -> R) :
  private same_but_one eps q -> private (same_but_one_among allowed) eps q.
Proof. intros P x y o (H & _). now apply P. Qed.

(* A record is a vector; coordinate j of a user's mean over its first m records. *)
Definition vector := nat -> R.
Definition coordinate_mean (m j : nat) (records : list vector) : R := mean m (map (fun r => r j) records).
Lemma coordinate_mean_repeat m j r : (0 < m)%nat -> coordinate_mean m j (repeat r m) = r j.
Proof. intros H. unfold coordinate_mean.
  replace (map _ (repeat r m)) with (repeat (r j) m); [now apply mean_repeat |].
  clear H. induction m; simpl; congruence. Qed.
Definition records_in (allowed : vector -> Prop) (records : list vector) : Prop := forall r, In r records ->
    allowed r.
Definition in_cube (r : vector) : Prop := forall j, -1 <= r j <= 1.
Definition in_ball (d : nat) (r : vector) : Prop := sum (seq 0 d) (fun j => r j ^ 2) <= 1.
Lemma repeat_in (allowed : vector -> Prop) r m : allowed r -> records_in allowed (repeat r m).
Proof. intros H s Hs. apply repeat_spec in Hs. now subst. Qed.
(* The whole part of a budget. *)
Definition whole (eps : R) : nat := Z.to_nat (Int_part eps).
Lemma whole_spec eps : 0 <= eps -> INR (whole eps) <= eps < INR (whole eps) + 1.
Proof.
  intros H. assert (0 <= Int_part eps)%Z by (apply Int_part_ge; exact H). unfold whole.
  rewrite INR_IZR_INZ, Z2Nat.id by assumption. destruct (base_Int_part eps). lra.
Qed.
