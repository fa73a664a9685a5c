(* Kent et al., the two steps behind Lemmas 13 and 15 that need neither matchings nor limits: cut and paste
    for
   transcripts, and the contraction by one private report. Models: the checks of kent-lem-13 and kent-lem-15.
   *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees.
Import ListNotations.
Open Scope R_scope.

(* Lemma 13, cut and paste. In turn t a user's report has the weight f t past z,
    or g t past z if the user's data
   come from the other law; those are the users t with changed t. *)
Fixpoint mixed {A} (f g : nat -> list A -> A -> R) (changed : nat -> bool) (past : list A) (reports : list A)
    : R :=
  match reports with
  | [] => 1
  | z :: rest => (if changed (length past) then g else f) (length past) past z *
      mixed f g changed (past ++ [z]) rest
  end.
Lemma mixed_nonneg {A} (f g : nat -> list A -> A -> R) changed : (forall t past z, 0 <= f t past z) ->
  (forall t past z, 0 <= g t past z) -> forall reports past, 0 <= mixed f g changed past reports.
Proof.
  intros F G. induction reports as [| z rest IH]; intros past; simpl; [lra |].
  apply Rmult_le_pos; [destruct (changed (length past)); auto | apply IH].
Qed.
(* For disjoint sets of users the product of two laws is that of the law for none and the law for both. *)
Lemma cut_and_paste_products {A} (f g : nat -> list A -> A -> R) (a b : nat -> bool) :
  (forall t, a t && b t = false) -> forall reports past,
  mixed f g a past reports * mixed f g b past reports =
  mixed f g (fun _ => false) past reports * mixed f g (fun t => a t || b t) past reports.
Proof.
  intros D. induction reports as [| z rest IH]; intros past; simpl; [ring |].
  set (t := length past). specialize (D t). specialize (IH (past ++ [z])).
  set (h := fun c : bool => (if c then g else f) t past z).
  change ((if a t then g else f) t past z) with (h (a t)).
  change ((if b t then g else f) t past z) with (h (b t)).
  change ((if a t || b t then g else f) t past z) with (h (a t || b t)). change (f t past z) with (h false).
  replace (h (a t) * mixed f g a (past ++ [z]) rest * (h (b t) * mixed f g b (past ++ [z]) rest)) with
    (h (a t) * h (b t) * (mixed f g a (past ++ [z]) rest * mixed f g b (past ++ [z]) rest)) by ring.
  rewrite IH. destruct (a t), (b t); simpl in *; try discriminate; ring.
Qed.
Definition hellinger {O} (outputs : list O) (p q : O -> R) : R := 1 - sum outputs (fun o => sqrt (p o * q o)).
(* kent-lem-13 part: cut and paste, for finitely many transcripts of a sequentially interactive protocol *)
Theorem cut_and_paste {A} (f g : nat -> list A -> A -> R) (a b : nat -> bool) (transcripts : list (list A)) :
  (forall t, a t && b t = false) ->
  hellinger transcripts (mixed f g a []) (mixed f g b []) =
  hellinger transcripts (mixed f g (fun _ => false) []) (mixed f g (fun t => a t || b t) []).
Proof.
  intros D. unfold hellinger. f_equal. apply sum_ext. intros reports _. f_equal.
  now apply cut_and_paste_products.
Qed.

(* Lemma 15, one report. Data have weights p on a finite list; the fluctuations phi_0, ...,
    phi_(k-1) have mean 0,
   are orthogonal, and have mean squares of at most eta^2. *)
Definition mean_over {X} (data : list X) (p : X -> R) (f : X -> R) : R := sum data (fun x => p x * f x).
Definition fluctuations {X} (data : list X) (p : X -> R) (k : nat) (phi : nat -> X -> R) (eta : R) : Prop :=
  (forall j, (j < k)%nat -> mean_over data p (phi j) = 0) /\
  (forall i j, (i < k)%nat -> (j < k)%nat -> i <> j -> mean_over data p (fun x => phi i x * phi j x) = 0) /\
  (forall j, (j < k)%nat -> mean_over data p (fun x => phi j x ^ 2) <= eta ^ 2).
Definition variance {X} (data : list X) (p : X -> R) (f : X -> R) : R :=
  mean_over data p (fun x => (f x - mean_over data p f) ^ 2).
Section One_report.
  Context {X : Type} (data : list X) (p : X -> R).
  Hypothesis D : distribution data p.
  Let E := mean_over data p.
  Lemma E_plus f g : E (fun x => f x + g x) = E f + E g.
  Proof.
    unfold E, mean_over. rewrite <- sum_plus. apply sum_ext. intros. ring.
  Qed.
  Lemma E_scale c f : E (fun x => c * f x) = c * E f.
  Proof. unfold E, mean_over. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.
  Lemma E_const c : E (fun _ => c) = c.
  Proof. unfold E, mean_over. rewrite sum_scale_r. destruct D as [_ ->]. ring. Qed.
  Lemma E_ext f g : (forall x, f x = g x) -> E f = E g.
  Proof. intros H. unfold E, mean_over. apply sum_ext. intros. now rewrite H. Qed.
  Lemma E_le f g : (forall x, f x <= g x) -> E f <= E g.
  Proof. intros H. apply sum_le. intros x Hx. apply Rmult_le_compat_l; [now apply D | apply H]. Qed.
  Lemma E_sum {J} (l : list J) (f : J -> X -> R) : E (fun x => sum l (fun j => f j x)) =
    sum l (fun j => E (f j)).
  Proof.
    induction l as [| j l IH]; [exact (E_const 0) |]. 
    change (E (fun x => f j x + sum l (fun j => f j x)) = E (f j) + sum l (fun j => E (f j))).
    now rewrite E_plus, IH.
  Qed.
  (* Bessel's inequality. *)
  Lemma bessel k phi eta q : 0 < eta -> fluctuations data p k phi eta ->
    sum (seq 0 k) (fun j => E (fun x => phi j x * q x) ^ 2) <= eta ^ 2 * variance data p q.
  Proof.
    intros He (M & O & S). set (c := fun j => E (fun x => phi j x * q x)). set (mu := E q).
    set (T := fun x => sum (seq 0 k) (fun j => c j * phi j x)). set (Q := sum (seq 0 k) (fun j => c j ^ 2)).
    assert (He2 : 0 < eta ^ 2) by now apply pow_lt.
    assert (P : 0 <= E (fun x => (q x - mu - / eta ^ 2 * T x) ^ 2)).
    { rewrite <- (E_const 0). apply E_le. intros. apply pow2_ge_0. }
    assert (A : E (fun x => (q x - mu) * T x) = Q).
    { rewrite (E_ext _ (fun x => sum (seq 0 k) (fun j => c j * (phi j x * q x) + (- (c j * mu)) * phi j x))).
      - rewrite E_sum. apply sum_ext. intros j Hj. apply in_seq in Hj. rewrite E_plus, !E_scale.
        assert (Z : E (phi j) = 0) by (apply M; lia). rewrite Z. unfold c. ring.
      - intros x. unfold T. rewrite <- sum_scale. apply sum_ext. intros. ring. }
    assert (B : E (fun x => T x ^ 2) <= eta ^ 2 * Q).
    { rewrite (E_ext _ (fun x => sum (seq 0 k)
      (fun i => sum (seq 0 k) (fun j => c i * c j * (phi i x * phi j x))))).
      - rewrite E_sum. unfold Q. rewrite <- sum_scale. apply sum_le. intros i Hi. apply in_seq in Hi.
      rewrite E_sum.
        rewrite (sum_ext _ _ (fun j => if Nat.eqb i j then c i ^ 2 * E (fun x => phi i x ^ 2) else 0)).
        + assert (G : forall n a, sum (seq a n) (fun j => if Nat.eqb i j then c i ^ 2 * E
          (fun x => phi i x ^ 2) else 0)
            <= eta ^ 2 * c i ^ 2).
          { assert (U : c i ^ 2 * E (fun x => phi i x ^ 2) <= eta ^ 2 * c i ^ 2).
            { rewrite (Rmult_comm (eta ^ 2)). apply Rmult_le_compat_l; [apply pow2_ge_0 | apply S; lia]. }
            assert (U0 : 0 <= eta ^ 2 * c i ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]).
            assert (Z : forall n a, (i < a)%nat ->
              sum (seq a n) (fun j => if Nat.eqb i j then c i ^ 2 * E (fun x => phi i x ^ 2) else 0) = 0).
            { induction n as [| n IH]; intros a Ha; simpl sum; [reflexivity |]. rewrite IH by lia.
              destruct (Nat.eqb_spec i a); [lia | ring]. }
            induction n as [| n IH]; intros a; simpl sum; [exact U0 |].
            destruct (Nat.eqb_spec i a) as [-> | N]; [rewrite Z by lia; rewrite Rplus_0_r; exact U |].
            rewrite Rplus_0_l. apply IH. }
          apply G.
        + intros j Hj. apply in_seq in Hj. rewrite E_scale. destruct (Nat.eqb_spec i j) as [<- | N].
          * rewrite (E_ext (fun x => phi i x ^ 2) (fun x => phi i x * phi i x)) by (intros; ring). ring.
          * assert (Z : E (fun x => phi i x * phi j x) = 0) by (apply O; lia). rewrite Z. ring.
      - intros x. unfold T. replace (sum (seq 0 k) (fun j => c j * phi j x) ^ 2) with
          (sum (seq 0 k) (fun j => c j * phi j x) * sum (seq 0 k) (fun j => c j * phi j x)) by ring.
        rewrite <- sum_scale_r. apply sum_ext. intros i _. rewrite <- sum_scale. apply sum_ext. intros. ring.
        }
    rewrite (E_ext _ (fun x => (q x - mu) ^ 2 +
      ((- 2 * / eta ^ 2) * ((q x - mu) * T x) + (/ eta ^ 2) ^ 2 * T x ^ 2))) in P by (intros; ring).
    rewrite E_plus, E_plus, !E_scale, A in P. fold (variance data p q) in P.
    change (E (fun x => (q x - mu) ^ 2)) with (variance data p q) in P.
    assert (I : 0 < / eta ^ 2) by now apply Rinv_0_lt_compat.
    assert (B' : (/ eta ^ 2) ^ 2 * E (fun x => T x ^ 2) <= / eta ^ 2 * Q).
    { apply Rmult_le_compat_l with (r := (/ eta ^ 2) ^ 2) in B; [| apply pow2_ge_0].
      replace ((/ eta ^ 2) ^ 2 * (eta ^ 2 * Q)) with (/ eta ^ 2 * Q) in B by (field; lra). exact B. }
    assert (V : / eta ^ 2 * Q <= variance data p q) by lra.
    apply Rmult_le_compat_l with (r := eta ^ 2) in V; [| lra].
    replace (eta ^ 2 * (/ eta ^ 2 * Q)) with Q in V by (field; lra). exact V.
  Qed.
  (* A private probability of one report varies little over the data. *)
  Lemma private_variance eps q : 0 <= eps -> (forall x, 0 <= q x) -> (forall x y, q x <= exp eps * q y) ->
    variance data p q <= (exp eps - 1) ^ 2 / (4 * exp eps) * E q ^ 2.
  Proof.
    intros He N P. set (mu := E q). pose proof (exp_pos eps) as Xp. set (k := exp eps) in *.
    (* every two values a, b have (a - mu)(b - mu) bounded: use mu / k <= q <= k mu with a common floor *)
    assert (U : forall x y, q x <= k * q y) by exact P.
    (* (q x - mu)^2 averages to at most the product of the distances of mu from two bounds l and k l *)
    assert (H : exists l, 0 <= l /\ forall x, In x data -> l <= q x <= k * l).
    { assert (D0 : data <> []) by (intros Z; destruct D as [_ S]; rewrite Z in S; simpl in S; lra).
      assert (M : exists a, In a data /\ forall x, In x data -> q a <= q x).
      { clear -D0. induction data as [| a rest IH]; [easy |]. destruct rest as [| b rest].
        - exists a. split; [now left |]. intros x [<- | []]. lra.
        - destruct IH as (l & Hl & L); [discriminate |]. destruct (Rle_or_lt (q a) (q l)) as [H | H].
          + exists a. split; [now left |]. intros x [<- | Hx]; [lra |]. specialize (L x Hx). lra.
          + exists l. split; [now right |]. intros x [<- | Hx]; [lra | now apply L]. }
      destruct M as (a & _ & L). exists (q a). split; [apply N |]. intros x Hx.
      split; [now apply L | apply U]. }
    destruct H as (l & L0 & L).
    assert (V : variance data p q <= (mu - l) * (k * l - mu)).
    { unfold variance. fold E. change (mean_over data p q) with mu.
      apply Rle_trans with (E (fun x => (k * l + l - 2 * mu) * q x + (mu ^ 2 - k * l * l))).
      - apply sum_le. intros x Hx. apply Rmult_le_compat_l; [now apply D |]. destruct (L x Hx).
        assert (0 <= (q x - l) * (k * l - q x)) by (apply Rmult_le_pos; lra). lra.
      - rewrite (E_plus (fun x => (k * l + l - 2 * mu) * q x) (fun _ => mu ^ 2 - k * l * l)), E_scale,
        E_const.
        fold mu. right. ring. }
    apply Rle_trans with (1 := V). apply Rmult_le_reg_r with (4 * k); [lra |].
    replace ((k - 1) ^ 2 / (4 * k) * mu ^ 2 * (4 * k)) with ((k - 1) ^ 2 * mu ^ 2) by (field; lra).
    pose proof (pow2_ge_0 (2 * k * l - (k + 1) * mu)). lra.
  Qed.
End One_report.
Lemma sinh_half eps : (exp eps - 1) ^ 2 / (4 * exp eps) = ((exp (eps / 2) - exp (- (eps / 2))) / 2) ^ 2.
Proof.
  assert (E : exp eps = exp (eps / 2) * exp (eps / 2)) by (rewrite <- exp_plus; f_equal; field).
  rewrite exp_Ropp, E. pose proof (exp_pos (eps / 2)). field. lra.
Qed.
(* kent-lem-15 part: what one private report tells about all coins together is at most sinh(eps/2)^2 eta^2 *)
Theorem coins_share_one_variance {X O} (data : list X) p (outputs : list O) (q : X -> O -> R) eps eta k phi :
  0 <= eps -> 0 < eta -> distribution data p -> (forall x, distribution outputs (q x)) -> complete outputs ->
  private anyone eps q -> fluctuations data p k phi eta ->
  (forall z, 0 < mean_over data p (fun x => q x z)) ->
  sum outputs (fun z => sum (seq 0 k) (fun j => mean_over data p (fun x => phi j x * q x z) ^ 2) /
    mean_over data p (fun x => q x z)) <= ((exp (eps / 2) - exp (- (eps / 2))) / 2) ^ 2 * eta ^ 2.
Proof.
  intros He Ht D Q [_ C] P F Pos. rewrite <- sinh_half. set (s := (exp eps - 1) ^ 2 / (4 * exp eps)).
  assert (T : sum outputs (fun z => mean_over data p (fun x => q x z)) = 1).
  { unfold mean_over. rewrite sum_swap. rewrite (sum_ext _ _ p); [apply D |]. intros x _.
    rewrite sum_scale. destruct (Q x) as [_ ->]. ring. }
  replace (s * eta ^ 2) with (s * eta ^ 2 * 1) by ring. rewrite <- T, <- sum_scale. apply sum_le. intros z _.
  specialize (Pos z). set (mu := mean_over data p (fun x => q x z)) in *.
  apply Rmult_le_reg_r with mu; [exact Pos |].
  replace (sum (seq 0 k) (fun j => mean_over data p (fun x => phi j x * q x z) ^ 2) / mu * mu) with
    (sum (seq 0 k) (fun j => mean_over data p (fun x => phi j x * q x z) ^ 2)) by (field; lra).
  eapply Rle_trans; [apply (bessel data p D k phi eta (fun x => q x z) Ht F) |].
  pose proof (private_variance data p D eps (fun x => q x z) He) as V.
  assert (V' : variance data p (fun x => q x z) <= s * mu ^ 2).
  { apply V; [intros x; apply Q, C | intros x y; now apply P]. }
  apply Rmult_le_compat_l with (r := eta ^ 2) in V'; [| apply pow2_ge_0]. lra.
Qed.
