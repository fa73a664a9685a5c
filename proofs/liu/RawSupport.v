(* Liu et al., Algorithm 3 and Lemma 5.1: which items are released. The printed support leaks; the clipped one does not. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Coquelicot Require Import Coquelicot.
From Userdp Require Import Privacy Tools Guarantees Votes Laplace.
Import ListNotations.
Open Scope R_scope.
#[local] Notation sum := Privacy.sum.

(* The threshold, and the chance that a count of h passes it with Laplace noise of scale b (for h <= t). *)
Definition threshold (C b delta : R) : R := C + b * ln (C / (2 * delta)).
Definition passes (b t h : R) : R := exp (- (t - h) / b) / 2.
(* Items are released independently of each other. *)
Fixpoint releases (p : list R) (o : list bool) : R :=
  match p, o with
  | [], [] => 1
  | x :: p, c :: o => (if c then x else 1 - x) * releases p o
  | _, _ => 0
  end.
Definition something (o : list bool) : bool := existsb (fun c => c) o.
Fixpoint silence (p : list R) : R := match p with [] => 1 | x :: p => (1 - x) * silence p end.
(* What one user adds: counts of items that nobody else has, after clipping; items of raw count 0 are never released. *)
Definition printed_release (b t : R) (raw clipped : list R) : list R :=
  map (fun rc => if Rlt_dec 0 (fst rc) then passes b t (snd rc) else 0) (combine raw clipped).
Definition repaired_release (b t : R) (clipped : list R) : list R :=
  map (fun c => if Rlt_dec 0 c then passes b t c else 0) clipped.

Lemma chance_that_noise_passes b h t T : 0 < b -> h <= t -> t <= T ->
  RInt (fun o => laplace_density b (o - h)) t T = passes b t h - passes b T h.
Proof.
  intros Hb H HT. rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ (laplace_right b h t T Hb ltac:(lra))).
  unfold passes. do 2 f_equal; f_equal; f_equal; unfold Rdiv; ring.
Qed.
Lemma releases_total p : sum (vectors (length p)) (releases p) = 1.
Proof.
  induction p as [| x p IH]; simpl; [ring |]. rewrite sum_app, !sum_map. simpl. rewrite !sum_scale, IH. ring.
Qed.
Lemma chance_of_something p : chance (vectors (length p)) (releases p) something = 1 - silence p.
Proof.
  unfold chance. rewrite sum_filter. induction p as [| x p IH]; simpl; [ring |].
  rewrite sum_app, !sum_map. simpl.
  rewrite (sum_ext _ (fun o => if something o then (1 - x) * releases p o else 0)
    (fun o => (1 - x) * (if something o then releases p o else 0))) by (intros o _; destruct (something o); ring).
  rewrite !sum_scale, releases_total, IH. ring.
Qed.
Lemma passes_at_threshold C b delta h : 0 < C -> 0 < b -> 0 < delta ->
  passes b (threshold C b delta) h = delta / C * exp (- (C - h) / b).
Proof.
  intros HC Hb Hd. unfold passes, threshold.
  replace (- (C + b * ln (C / (2 * delta)) - h) / b) with (- ln (C / (2 * delta)) + - (C - h) / b) by (field; lra).
  rewrite exp_plus, exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

(* One user with a record of each of K + 1 items that nobody else has, C = 1: the clip keeps one of them. *)
Definition raw_counts (K : nat) : list R := repeat 1 (S K).
Definition kept_counts (K : nat) : list R := 1 :: repeat 0 K.
Definition exposed (K : nat) (eps delta : R) : list R :=
  printed_release (/ eps) (threshold 1 (/ eps) delta) (raw_counts K) (kept_counts K).
(* Without that user nobody holds these items, and none is released. *)
Definition nothing (K : nat) : list R := repeat 0 (S K).

Lemma exposed_form K eps delta : 0 < eps -> 0 < delta ->
  exposed K eps delta = delta :: repeat (delta * exp (- eps)) K.
Proof.
  intros He Hd. assert (Hi : 0 < / eps) by now apply Rinv_0_lt_compat.
  unfold exposed, printed_release, raw_counts, kept_counts. simpl. destruct (Rlt_dec 0 1) as [_ |]; [| lra].
  f_equal.
  - rewrite passes_at_threshold by lra. replace (- (1 - 1) / / eps) with 0 by (field; lra). rewrite exp_0. field.
  - induction K as [| K IH]; simpl; [reflexivity |]. rewrite IH. f_equal. destruct (Rlt_dec 0 1) as [_ |]; [| lra].
    rewrite passes_at_threshold by lra. replace (- (1 - 0) / / eps) with (- eps) by (field; lra). field.
Qed.
Lemma silence_repeat x K : silence (repeat x K) = (1 - x) ^ K.
Proof. induction K as [| K IH]; simpl; [reflexivity |]. now rewrite IH. Qed.
Lemma exposed_chance K eps delta : 0 < eps -> 0 < delta ->
  chance (vectors (S K)) (releases (exposed K eps delta)) something = 1 - (1 - delta) * (1 - delta * exp (- eps)) ^ K.
Proof.
  intros He Hd. assert (L : length (exposed K eps delta) = S K) by (rewrite exposed_form by assumption; simpl; now rewrite repeat_length).
  rewrite <- L, chance_of_something, exposed_form by assumption. simpl. now rewrite silence_repeat.
Qed.
Lemma nothing_chance K : chance (vectors (S K)) (releases (nothing K)) something = 0.
Proof.
  assert (L : length (nothing K) = S K) by (unfold nothing; now rewrite repeat_length).
  rewrite <- L, chance_of_something. unfold nothing. rewrite silence_repeat, Rminus_0_r, pow1. ring.
Qed.
(* Lemma 5.1 for the printed support: present is whether the user with K + 1 items of its own is there. *)
Definition with_or_without (K : nat) (eps delta : R) (present : bool) : list bool -> R :=
  releases (if present then exposed K eps delta else nothing K).
Definition printed : Prop := forall K eps delta, 0 < eps -> 0 < delta < / 2 ->
  approximately_private anyone eps delta (vectors (S K)) (with_or_without K eps delta).
(* liu-alg-3, liu-lem-5.1 part: the raw support breaks the promise by an event, at every budget and delta *)
Theorem raw_support_leaks : ~ printed /\ forall K eps delta e, (0 < K)%nat -> 0 < eps -> 0 < delta < / 2 ->
  ~ approximately_private anyone e delta (vectors (S K)) (with_or_without K eps delta).
Proof.
  assert (A : forall K eps delta e, (0 < K)%nat -> 0 < eps -> 0 < delta < / 2 ->
    ~ approximately_private anyone e delta (vectors (S K)) (with_or_without K eps delta)).
  { intros K eps delta e HK He Hd P. specialize (P true false something I). unfold with_or_without in P.
    rewrite exposed_chance, nothing_chance in P by lra.
    assert (X : 0 < delta * exp (- eps) < 1).
    { pose proof (exp_pos (- eps)). assert (exp (- eps) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
      split; [apply Rmult_lt_0_compat |]; nra. }
    assert (Y : (1 - delta * exp (- eps)) ^ K < 1) by (apply pow_lt_1_compat; [lra | exact HK]).
    assert ((1 - delta) * (1 - delta * exp (- eps)) ^ K < (1 - delta) * 1) by (apply Rmult_lt_compat_l; lra). lra. }
  split; [| exact A]. intros P. apply (A 1%nat 1 (/ 4) 1); [lia | lra | lra |]. apply P; lra.
Qed.
(* liu-alg-3 part: with enough items the leak is as near to certain as one likes *)
Theorem raw_support_leaks_everything eps delta level : 0 < eps -> 0 < delta < / 2 -> level < 1 ->
  exists K, level < chance (vectors (S K)) (with_or_without K eps delta true) something.
Proof.
  intros He Hd Hl. set (x := 1 - delta * exp (- eps)).
  assert (X : 0 < x < 1).
  { pose proof (exp_pos (- eps)). assert (exp (- eps) < 1) by (rewrite <- exp_0; apply exp_increasing; lra). unfold x.
    assert (0 < delta * exp (- eps)) by (apply Rmult_lt_0_compat; lra). nra. }
  destruct (pow_lt_1_zero x ltac:(rewrite Rabs_pos_eq; lra) (1 - level) ltac:(lra)) as (K & HK). specialize (HK K (le_n K)).
  rewrite Rabs_pos_eq in HK by (apply pow_le; lra). exists K. unfold with_or_without. rewrite exposed_chance by lra. fold x.
  assert (0 <= x ^ K) by (apply pow_le; lra). nra.
Qed.

(* The repair. A clipped user keeps at most C items, each passing with chance at most delta / C. *)
Lemma silence_at_least p q : (forall x, In x p -> 0 <= x <= q) -> q <= 1 -> 1 - INR (length p) * q <= silence p.
Proof.
  intros H Hq. induction p as [| x p IH]; [simpl; lra |]. simpl length. rewrite S_INR. simpl.
  pose proof (H x (or_introl eq_refl)) as Hx. specialize (IH (fun y Hy => H y (or_intror Hy))).
  assert (S1 : silence p <= 1 /\ 0 <= silence p).
  { assert (G : forall l, (forall y, In y l -> 0 <= y <= q) -> silence l <= 1 /\ 0 <= silence l).
    { induction l as [| y l IHl]; simpl; intros Hl; [lra |]. destruct (IHl (fun z Hz => Hl z (or_intror Hz))).
      pose proof (Hl y (or_introl eq_refl)). nra. }
    apply G. intros y Hy. apply H. now right. }
  nra.
Qed.
Definition clipped_counts (C : nat) (counts : list R) : Prop :=
  (forall c, In c counts -> 1 <= c <= INR C) /\ sum counts (fun c => c) <= INR C.
(* liu-alg-3, liu-lem-5.1 part: on the clipped support a user who alone holds its items is exposed with chance at most delta *)
Theorem clipped_support_exposes_with_chance_at_most_delta C b delta counts : (0 < C)%nat -> 0 < b -> 0 < delta < / 2 ->
  clipped_counts C counts ->
  chance (vectors (length counts)) (releases (repaired_release b (threshold (INR C) b delta) counts)) something <= delta.
Proof.
  intros HC Hb Hd [H1 H2]. assert (Cp : 1 <= INR C) by (apply (le_INR 1); lia).
  assert (L : length (repaired_release b (threshold (INR C) b delta) counts) = length counts) by apply map_length.
  assert (N : INR (length counts) <= INR C).
  { rewrite <- (Rmult_1_r (INR (length counts))), <- sum_const. apply Rle_trans with (2 := H2). apply sum_le. intros c Hc. now apply H1. }
  rewrite <- L, chance_of_something.
  pose proof (silence_at_least (repaired_release b (threshold (INR C) b delta) counts) (delta / INR C)) as S. rewrite L in S.
  assert (Q : 0 < delta / INR C) by (apply Rdiv_lt_0_compat; lra).
  assert (Q1 : delta / INR C <= 1) by (apply Rmult_le_reg_r with (INR C); [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
  assert (D : INR (length counts) * (delta / INR C) <= delta).
  { apply Rle_trans with (INR C * (delta / INR C)); [apply Rmult_le_compat_r; lra | right; field; lra]. }
  enough (1 - INR (length counts) * (delta / INR C) <= silence (repaired_release b (threshold (INR C) b delta) counts)) by lra.
  apply S; [| exact Q1]. intros x Hx. unfold repaired_release in Hx. apply in_map_iff in Hx. destruct Hx as (c & <- & Hc).
  destruct (H1 c Hc) as [A B]. destruct (Rlt_dec 0 c) as [_ |]; [| lra].
  rewrite passes_at_threshold by lra. pose proof (exp_pos (- (INR C - c) / b)).
  assert (exp (- (INR C - c) / b) <= 1).
  { rewrite <- exp_0. apply exp_le. unfold Rdiv. assert (0 <= (INR C - c) * / b) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]). lra. }
  split; [apply Rmult_le_pos; lra |]. rewrite <- (Rmult_1_r (delta / INR C)) at 2. apply Rmult_le_compat_l; lra.
Qed.
(* The rest of the proof: common items lose e^(r/b), and new and gone items stay silent except with pi' and pi. *)
(* liu-lem-5.1 part: the slack of an event whose common part is pc' in one data set and at least pc' e^(-loss) in the other *)
Theorem exposed_items_cost_the_larger_of_two_slacks eps loss pi pi' pc pc' s s' : 0 <= loss <= eps ->
  0 <= pi <= 1 -> 0 <= pi' <= 1 -> 0 <= pc' <= 1 -> exp (- loss) * pc' <= pc ->
  s' <= pi' + (1 - pi') * pc' -> (1 - pi) * pc <= s -> s' <= exp eps * s + Rmax pi pi'.
Proof.
  intros Hl Hp Hp' Hc Hcc Hs' Hs. assert (G : 1 <= exp (eps - loss)) by (apply one_le_exp; lra).
  assert (A : (1 - pi) * pc' <= exp eps * s).
  { apply Rle_trans with (exp eps * ((1 - pi) * (exp (- loss) * pc'))).
    - replace (exp eps * ((1 - pi) * (exp (- loss) * pc'))) with (exp eps * exp (- loss) * ((1 - pi) * pc')) by ring.
      rewrite <- exp_plus. replace (eps + - loss) with (eps - loss) by ring.
      rewrite <- (Rmult_1_l ((1 - pi) * pc')) at 1. apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra.
    - apply Rmult_le_compat_l; [left; apply exp_pos |]. eapply Rle_trans; [| exact Hs]. apply Rmult_le_compat_l; lra. }
  pose proof (Rmax_l pi pi'). pose proof (Rmax_r pi pi').
  assert (pi' + (pi - pi') * pc' <= Rmax pi pi').
  { destruct (Rle_or_lt pi pi'); [| nra]. assert ((pi - pi') * pc' <= 0) by nra. lra. }
  lra.
Qed.
