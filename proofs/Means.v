(* What a server asks a user: a vote for bins, or a number on an interval chosen by earlier votes.
   Models of userdp.local.localise (Bins, Ballot) and of the two rounds of userdp.local.mean. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat ZArith.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace.
Import ListNotations.
Open Scope R_scope.

(* One question to one user, at budget eps: a vote of d entries, at most r of them ones,
    or a number on [l, u]. *)
Inductive answer := Vote (v : list bool) | Number (z : R).
Inductive question X := Cast (d r : nat) (f : X -> list bool) | Ask (l u : R) (f : X -> R).
Arguments Cast {X}. Arguments Ask {X}.
Definition fair {X} (w : question X) : Prop :=
  match w with Cast d r f => (0 < r)%nat /\ ballots d r f | Ask l u _ => l < u end.
Definition asked {X} (eps : R) (w : question X) (x : X) (a : answer) : R :=
  match w, a with
  | Cast d r f, Vote v => vote r eps f x v
  | Ask l u f, Number z => report l u eps f x z
  | _, _ => 0
  end.
(* The answer to a vote is one of 2^d vectors, to another question a real number. *)
Definition lawful {X} (w : question X) (p : answer -> R) : Prop :=
  match w with
  | Cast d _ _ => distribution (vectors d) (fun v => p (Vote v)) /\ forall z, p (Number z) = 0
  | Ask _ _ _ => density (fun z => p (Number z)) /\ forall v, p (Vote v) = 0
  end.
(* A protocol chooses its next question by the answers so far. *)
Definition follow {X} (eps : R) (protocol : list answer -> question X) (seen : list answer) : X -> answer ->
    R :=
  asked eps (protocol seen).

Lemma asked_nonneg {X} eps (w : question X) x a : 0 < eps -> fair w -> 0 <= asked eps w x a.
Proof.
  intros He F. destruct w, a; simpl in *; try lra; [apply unary_nonneg |].
  left. now apply report_positive.
Qed.
Lemma asked_private {X} eps (w : question X) : 0 < eps -> fair w -> private anyone eps (asked eps w).
Proof.
  intros He F x y a H. destruct w as [d r f | l u f], a; simpl in *; try lra.
  - destruct F as [Hr B]. apply (vote_private d r eps f); auto; lra.
  - now apply report_private.
Qed.
Lemma asked_lawful {X} eps (w : question X) x : 0 < eps -> fair w -> lawful w (asked eps w x).
Proof.
  intros He F. destruct w as [d r f | l u f]; simpl in *; split; auto.
  - now apply vote_distribution.
  - now apply report_is_density.
Qed.
Lemma asked_possible {X} eps (w : question X) x : 0 < eps -> fair w -> exists a, 0 < asked eps w x a.
Proof.
  intros He F. destruct w as [d r f | l u f].
  - exists (Vote (f x)). simpl. now apply unary_positive.
  - exists (Number 0). simpl. now apply report_positive.
Qed.
(* Everything that a sequentially interactive protocol of this kind sees of a user. *)
Lemma follow_private {X} eps (protocol : list answer -> question X) : 0 < eps ->
  (forall seen, fair (protocol seen)) -> private replaced eps (transcript (follow eps protocol) []).
Proof.
  intros He F. apply transcript_private; intros; [now apply asked_nonneg | now apply asked_private].
Qed.
Lemma follow_attains {X} eps (protocol : list answer -> question X) u v : 0 < eps ->
  (forall seen, fair (protocol seen)) ->
  (exists a, 0 < asked eps (protocol []) v a /\
    asked eps (protocol []) u a = exp eps * asked eps (protocol []) v a) ->
  forall others, exists answers, 0 < transcript (follow eps protocol) [] (v :: others) answers /\
    transcript (follow eps protocol) [] (u :: others) answers =
      exp eps * transcript (follow eps protocol) [] (v :: others) answers.
Proof. intros He F A. apply transcript_attains; [intros; now apply asked_possible | exact A]. Qed.
Lemma cast_attains {X} eps d r (f : X -> list bool) u v : (0 < r)%nat -> length (f u) = length (f v) ->
  differences (f u) (f v) = (2 * r)%nat ->
  exists a, 0 < asked eps (Cast d r f) v a /\ asked eps (Cast d r f) u a =
    exp eps * asked eps (Cast d r f) v a.
Proof.
  intros Hr L D. exists (Vote (f u)). simpl. unfold vote. split; [now apply unary_positive |].
  rewrite <- (log_odds_budget r eps Hr) at 2. rewrite <- D. now apply unary_loss_attained.
Qed.
(* The same where users answer several times: k questions to a user cost k budgets. *)
Definition asked_times (i : nat) (turns : list nat) : nat := count_occ Nat.eq_dec turns i.
Lemma spent_constant i b turns : forall t, spent i (fun _ => b) t turns = INR (asked_times i turns) * b.
Proof.
  unfold asked_times. induction turns as [| j turns IH]; intros t; simpl spent; [simpl; ring |].
  rewrite IH. simpl count_occ. destruct (Nat.eq_dec j i) as [-> | N].
  - rewrite Nat.eqb_refl, S_INR. ring.
  - apply Nat.eqb_neq in N. rewrite N. ring.
Qed.
Lemma follow_often_private {X} eps k (protocol : list answer -> question X) turns : 0 < eps ->
  (forall seen, fair (protocol seen)) -> (forall i, asked_times i turns <= k)%nat ->
  private same_but_one (INR k * eps) (conversation (follow eps protocol) [] turns).
Proof.
  intros He F K. apply conversation_private with (budget := fun _ => eps).
  - intros. now apply asked_nonneg.
  - intros. now apply asked_private.
  - intros i. rewrite spent_constant. apply Rmult_le_compat_r; [lra |]. apply le_INR, K.
Qed.
(* If the same two values u, v of user i's data attain the loss of every question to i, all of it adds up. *)
Lemma follow_often_attains {X} eps (protocol : list answer -> question X) (allowed : X -> Prop) i
    (u v : X) turns :
  0 < eps -> allowed u -> allowed v ->
  (forall seen, fair (protocol seen)) ->
  (forall seen, nth_error turns (length seen) = Some i -> exists a,
    0 < asked eps (protocol seen) v a /\
    asked eps (protocol seen) u a = exp eps * asked eps (protocol seen) v a) ->
  attains (same_but_one_among allowed) (INR (asked_times i turns) * eps)
    (conversation (follow eps protocol) [] turns).
Proof.
  intros He Bu Bv F A. exists (fun j => if Nat.eqb j i then u else v), (fun _ => v).
  enough (G : forall rest seen, (forall s, nth_error rest s = nth_error turns (length seen + s)) ->
    exists answers, 0 < conversation (follow eps protocol) seen rest (fun _ => v) answers /\
      conversation (follow eps protocol) seen rest (fun j => if Nat.eqb j i then u else v) answers =
        exp (INR (asked_times i rest) * eps) * conversation (follow eps protocol) seen rest
          (fun _ => v) answers).
  { destruct (G turns []) as (answers & P & E); [reflexivity |]. exists answers.
    split; [| split; [exact P | exact E]]. split; [| split; [| intros j; exact Bv]].
    - exists i. intros j N. apply Nat.eqb_neq in N. now rewrite N.
    - intros j. now destruct (Nat.eqb j i). }
  induction rest as [| j rest IH]; intros seen Hs.
  - exists []. simpl. rewrite Rmult_0_l, exp_0. lra.
  - assert (S : exists a, 0 < asked eps (protocol seen) v a /\
      asked eps (protocol seen) (if Nat.eqb j i then u else v) a =
        exp ((if Nat.eqb j i then 1 else 0) * eps) * asked eps (protocol seen) v a).
    { destruct (Nat.eqb_spec j i) as [-> | N].
      - destruct (A seen) as (a & P & E); [specialize (Hs 0%nat); now rewrite Nat.add_0_r in Hs |].
        exists a. now rewrite Rmult_1_l.
      - destruct (asked_possible eps (protocol seen) v He (F seen)) as (a & P).
        exists a. rewrite Rmult_0_l, exp_0. split; [exact P | ring]. }
    destruct S as (a & Pa & Ea). destruct (IH (seen ++ [a])) as (answers & P & E).
    { intros s. rewrite app_length. simpl. replace (length seen + 1 + s)%nat with (length seen + S s)%nat by
      lia.
      exact (Hs (S s)). }
    exists (a :: answers). cbn [conversation]. unfold follow at 1 3 5. split; [now apply Rmult_lt_0_compat |].
    rewrite E, Ea. unfold asked_times. simpl count_occ.
    destruct (Nat.eqb_spec j i) as [-> | N].
    + destruct (Nat.eq_dec i i) as [_ | C]; [| now destruct C]. rewrite S_INR, Rmult_plus_distr_r, exp_plus.
    ring.
    + destruct (Nat.eq_dec j i) as [C | _]; [now destruct N |]. rewrite Rmult_0_l, exp_0. ring.
Qed.

(* Bins of half-width tau cover [-1, 1] from the left; a mean on an edge is in the bin on its right. *)
Definition bins (tau : R) : nat := Z.to_nat (- Int_part (- (1 / tau))).
Definition bin (tau x : R) : nat :=
  Nat.min (bins tau - 1) (Z.to_nat (Int_part ((project (-1) 1 x + 1) / (2 * tau)))).
(* The left end of bin j. *)
Definition left_end (tau : R) (j : nat) : R := -1 + 2 * INR j * tau.
(* Of d entries those from the first to the last are one. *)
Definition window (d first last : nat) : list bool :=
  repeat false first ++ repeat true (last + 1 - first) ++ repeat false (d - (last + 1)).
(* Votes for the bin of f u and for those within reach of it. *)
Definition ballot {X} (reach : nat) (tau : R) (f : X -> R) (u : X) : list bool :=
  let b := bin tau (f u) in window (bins tau) (b - reach) (Nat.min (b + reach) (bins tau - 1)).
(* The first bin with the most votes among those that count. *)
Definition votes_for (counts : nat -> bool) (j : nat) : nat -> list answer -> nat :=
  fix from t seen := match seen with
  | [] => 0%nat
  | Vote v :: rest => ((if counts t && nth j v false then 1 else 0) + from (S t) rest)%nat
  | Number _ :: rest => from (S t) rest
  end.
Fixpoint most (votes : nat -> nat) (d : nat) : nat :=
  match d with O => O | S d => if Nat.ltb (votes (most votes d)) (votes d) then d else most votes d end.
Definition winner (tau : R) (counts : nat -> bool) (seen : list answer) : nat :=
  most (fun j => votes_for counts j 0 seen) (bins tau).
(* The two questions of a localised mean: a vote; a number on the winner's bin, widened by the margin. *)
Definition localise {X} (reach : nat) (tau : R) (f : X -> R) : question X :=
  Cast (bins tau) (2 * reach + 1) (ballot reach tau f).
Definition refine {X} (margin tau : R) (j : nat) (f : X -> R) : question X :=
  Ask (left_end tau j - margin * tau) (left_end tau (j + 1) + margin * tau) f.

Lemma bins_positive tau : 0 < tau -> (0 < bins tau)%nat.
Proof.
  intros H. unfold bins. destruct (base_Int_part (- (1 / tau))) as [I _].
  assert (0 < 1 / tau) by (apply Rdiv_lt_0_compat; lra).
  assert (IZR (Int_part (- (1 / tau))) < 0) by lra. apply lt_IZR in H1. lia.
Qed.
Lemma bin_in_range tau x : 0 < tau -> (bin tau x < bins tau)%nat.
Proof. intros H. pose proof (bins_positive tau H). unfold bin. lia. Qed.
Lemma window_length d first last : (first <= last < d)%nat -> length (window d first last) = d.
Proof. intros H. unfold window. rewrite !app_length, !repeat_length. lia. Qed.
Lemma window_ones d first last : ones (window d first last) = (last + 1 - first)%nat.
Proof. unfold window. rewrite !ones_app, ones_repeat_true, !ones_repeat_false. lia. Qed.
Lemma window_differences d a b a' b' : (a <= b < a')%nat -> (a' <= b' < d)%nat ->
  differences (window d a b) (window d a' b') = (b + 1 - a + (b' + 1 - a'))%nat.
Proof.
  intros H H'. unfold window.
  replace (repeat false (d - (b + 1))) with
    (repeat false (a' - (b + 1)) ++ repeat false (b' + 1 - a') ++ repeat false (d - (b' + 1))).
  2: { rewrite <- !repeat_app. f_equal. lia. }
  replace (repeat false a') with (repeat false a ++ repeat false (b + 1 - a) ++ repeat false (a' - (b + 1))).
  2: { rewrite <- !repeat_app. f_equal. lia. }
  rewrite <- !app_assoc. rewrite !differences_app by now rewrite !repeat_length.
  rewrite !differences_self, !differences_repeat by discriminate. lia.
Qed.
Lemma ballot_ballots {X} reach tau (f : X -> R) : 0 < tau ->
    ballots (bins tau) (2 * reach + 1) (ballot reach tau f).
Proof.
  intros H u. pose proof (bin_in_range tau (f u) H). unfold ballot. cbv zeta. split.
  - apply window_length. lia.
  - rewrite window_ones. lia.
Qed.
Lemma localise_fair {X} reach tau (f : X -> R) : 0 < tau -> fair (localise reach tau f).
Proof. intros H. split; [lia | now apply ballot_ballots]. Qed.
Lemma refine_fair {X} margin tau j (f : X -> R) : 0 < tau -> 0 <= margin -> fair (refine margin tau j f).
Proof.
  intros H Hm. simpl. unfold left_end. rewrite plus_INR. simpl.
  assert (0 <= margin * tau) by (apply Rmult_le_pos; lra). lra.
Qed.
(* The length of the interval, which is the sensitivity of a report. *)
Lemma refine_length margin tau j :
  (left_end tau (j + 1) + margin * tau) - (left_end tau j - margin * tau) = (2 + 2 * margin) * tau.
Proof. unfold left_end. rewrite plus_INR. simpl. ring. Qed.
(* Two means far enough apart differ in all the votes that they cast. *)
Lemma ballot_differences {X} reach tau (f : X -> R) u v : 0 < tau ->
  (reach <= bin tau (f u))%nat -> (bin tau (f u) + 2 * reach < bin tau (f v))%nat ->
  (bin tau (f v) + reach < bins tau)%nat ->
  differences (ballot reach tau f u) (ballot reach tau f v) = (2 * (2 * reach + 1))%nat.
Proof. intros H A B C. unfold ballot. cbv zeta. rewrite window_differences by lia. lia. Qed.
Lemma Int_part_ge z x : IZR z <= x -> (z <= Int_part x)%Z.
Proof. intros H. destruct (base_Int_part x) as [_ I]. assert (IZR z < IZR (Int_part x) + 1) by lra.
  rewrite <- plus_IZR in H0. apply lt_IZR in H0. lia. Qed.
Lemma Int_part_is z x : IZR z <= x < IZR z + 1 -> Int_part x = z.
Proof.
  intros [A B]. apply Int_part_ge in A. destruct (base_Int_part x) as [I _].
  assert (IZR (Int_part x) < IZR (z + 1)) by (rewrite plus_IZR; lra). apply lt_IZR in H. lia.
Qed.
(* Bin j begins before 1. *)
Lemma bins_reach tau j : 0 < tau -> (j < bins tau)%nat -> INR j * tau < 1.
Proof.
  intros H Hj. unfold bins in Hj. destruct (base_Int_part (- (1 / tau))) as [_ I].
  assert (B : (Z.of_nat j + 1 <= - Int_part (- (1 / tau)))%Z) by lia.
  apply IZR_le in B. rewrite opp_IZR, plus_IZR, <- INR_IZR_INZ in B.
  assert (L : INR j < 1 / tau) by lra. apply Rmult_lt_compat_r with (r := tau) in L; [| exact H].
  replace (1 / tau * tau) with 1 in L by (field; lra). exact L.
Qed.
(* Every bin holds its left end. *)
Lemma bin_of_left_end tau j : 0 < tau -> (j < bins tau)%nat -> bin tau (left_end tau j) = j.
Proof.
  intros H Hj. pose proof (bins_reach tau j H Hj) as B. pose proof (pos_INR j).
  assert (0 <= INR j * tau) by (apply Rmult_le_pos; lra). unfold bin, left_end. rewrite project_inside by lra.
  replace ((-1 + 2 * INR j * tau + 1) / (2 * tau)) with (INR j) by (field; lra).
  rewrite (Int_part_is (Z.of_nat j)) by (rewrite <- INR_IZR_INZ; lra). rewrite Nat2Z.id. lia.
Qed.
(* There can be any number of bins. *)
Lemma bins_whole k : (0 < k)%nat -> bins (1 / INR k) = k.
Proof.
  intros H. apply lt_0_INR in H. unfold bins. replace (1 / (1 / INR k)) with (INR k) by (field; lra).
  rewrite (Int_part_is (- Z.of_nat k)); [lia |]. rewrite opp_IZR, <- INR_IZR_INZ. lra.
Qed.
Lemma many_bins k : exists tau, 0 < tau /\ (k <= bins tau)%nat.
Proof.
  exists (1 / INR (k + 1)). rewrite bins_whole by lia. split; [| lia].
  apply Rdiv_lt_0_compat; [lra | apply lt_0_INR; lia].
Qed.
(* Users whose means are left ends far enough apart lose all the budget by their votes. *)
Definition apart (reach : nat) (tau : R) (i j : nat) : Prop :=
  (reach <= i)%nat /\ (i + 2 * reach < j)%nat /\ (j + reach < bins tau)%nat.
Lemma localise_attains {X} eps reach tau (f : X -> R) u v i j : 0 < tau -> apart reach tau i j ->
  f u = left_end tau i -> f v = left_end tau j ->
  exists a, 0 < asked eps (localise reach tau f) v a /\
    asked eps (localise reach tau f) u a = exp eps * asked eps (localise reach tau f) v a.
Proof.
  intros H (A & B & D) U V.
  destruct (ballot_ballots reach tau f H u) as [Lu _], (ballot_ballots reach tau f H v) as [Lv _].
  apply cast_attains; [lia | congruence |]. apply ballot_differences; [exact H | ..];
    rewrite ?U, ?V, !bin_of_left_end by (try exact H; lia); lia.
Qed.
(* The closest such pair. *)
Lemma nearest_apart reach tau : (4 * reach + 2 <= bins tau)%nat -> apart reach tau reach (3 * reach + 1).
Proof. unfold apart. lia. Qed.

(* Users have lists of records; the mean is that of the first m. *)
Definition mean (m : nat) (records : list R) : R := Privacy.sum (firstn m records) (fun x => x) / INR m.
Lemma mean_repeat m c : (0 < m)%nat -> mean m (repeat c m) = c.
Proof.
  intros H. unfold mean. rewrite firstn_all2 by (rewrite repeat_length; lia).
  assert (S : forall n, Privacy.sum (repeat c n) (fun x => x) = INR n * c).
  { induction n as [| n IH]; [simpl; ring |]. rewrite S_INR. simpl. rewrite IH. ring. }
  rewrite S. field. apply lt_INR in H. simpl in H. lra.
Qed.
(* How many records are used: at most m, and at most the exponential of x. *)
Definition horizon (m : nat) (x : R) : nat := Nat.min m (Z.to_nat (Int_part (exp x))).
Lemma horizon_positive m x : (0 < m)%nat -> 0 <= x -> (0 < horizon m x)%nat.
Proof.
  intros H Hx. pose proof (one_le_exp x Hx) as E. apply (Int_part_ge 1) in E. unfold horizon. lia.
Qed.
