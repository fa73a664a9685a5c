(* Sums, exponentials, and functions that rise from zero: what the proofs use and no statement needs. *)
From Coq Require Import Reals List Lra Lia.
From Userdp Require Import Privacy.
Import ListNotations.
Open Scope R_scope.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H | ->]; [left; now apply exp_increasing | now right]. Qed.
Lemma one_le_exp a : 0 <= a -> 1 <= exp a.
Proof. intros H. rewrite <- exp_0. now apply exp_le. Qed.
Lemma one_lt_exp a : 0 < a -> 1 < exp a.
Proof. intros H. rewrite <- exp_0. now apply exp_increasing. Qed.
Lemma exp_double a : exp (2 * a) = exp a * exp a.
Proof. rewrite <- exp_plus. f_equal. ring. Qed.
Lemma exp_times_opposite a : exp a * exp (- a) = 1.
Proof. rewrite <- exp_plus. replace (a + - a) with 0 by ring. apply exp_0. Qed.

(* A budget e and a weight: what only grows. *)
Lemma below_grown e p : 0 <= e -> 0 <= p -> p <= exp e * p.
Proof. intros H Hp. pose proof (one_le_exp e H). rewrite <- (Rmult_1_l p) at 1. now apply Rmult_le_compat_r.
  Qed.
Lemma product_le a b p q r s :
  0 <= p -> 0 <= r -> p <= exp a * q -> r <= exp b * s -> p * r <= exp (a + b) * (q * s).
Proof.
  intros Hp Hr H1 H2. rewrite exp_plus.
  replace (exp a * exp b * (q * s)) with ((exp a * q) * (exp b * s)) by ring. now apply Rmult_le_compat.
Qed.

(* Sums. *)
Lemma sum_le {A} (l : list A) f g : (forall a, In a l -> f a <= g a) -> sum l f <= sum l g.
Proof. induction l; simpl; intros H; [lra |]. apply Rplus_le_compat; auto. Qed.
Lemma sum_ext {A} (l : list A) f g : (forall a, In a l -> f a = g a) -> sum l f = sum l g.
Proof. induction l; simpl; intros H; [reflexivity |]. f_equal; auto. Qed.
Lemma sum_scale {A} (l : list A) c f : sum l (fun a => c * f a) = c * sum l f.
Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
Lemma sum_scale_r {A} (l : list A) c f : sum l (fun a => f a * c) = sum l f * c.
Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
Lemma sum_plus {A} (l : list A) f g : sum l (fun a => f a + g a) = sum l f + sum l g.
Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
Lemma sum_minus {A} (l : list A) f g : sum l (fun a => f a - g a) = sum l f - sum l g.
Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
Lemma sum_const {A} (l : list A) c : sum l (fun _ => c) = INR (length l) * c.
Proof. induction l; [simpl; ring |]. simpl length. rewrite S_INR. simpl. rewrite IHl. ring. Qed.
Lemma sum_nonneg {A} (l : list A) f : (forall a, In a l -> 0 <= f a) -> 0 <= sum l f.
Proof. induction l; simpl; intros H; [lra |]. apply Rplus_le_le_0_compat; auto. Qed.
Lemma sum_pos {A} (l : list A) f : l <> [] -> (forall a, In a l -> 0 < f a) -> 0 < sum l f.
Proof.
  destruct l as [| a l]; [easy |]. intros _ H. simpl.
  apply Rplus_lt_le_0_compat; [apply H; now left |].
  apply sum_nonneg. intros b Hb. left. apply H. now right.
Qed.
Lemma sum_app {A} (k l : list A) f : sum (k ++ l) f = sum k f + sum l f.
Proof. induction k; simpl; rewrite ?IHk; ring. Qed.
Lemma sum_map {A B} (g : A -> B) l f : sum (map g l) f = sum l (fun a => f (g a)).
Proof. induction l; simpl; rewrite ?IHl; reflexivity. Qed.
Lemma sum_swap {A B} (k : list A) (l : list B) f :
  sum k (fun a => sum l (fun b => f a b)) = sum l (fun b => sum k (fun a => f a b)).
Proof.
  induction k as [| a k IH]; simpl; [rewrite sum_const; ring |].
  rewrite IH, <- sum_plus. reflexivity.
Qed.
Lemma sum_pairs {A B} (k : list A) (l : list B) f :
  sum (list_prod k l) f = sum k (fun a => sum l (fun b => f (a, b))).
Proof.
  induction k as [| a k IH]; simpl; [reflexivity |]. now rewrite sum_app, sum_map, IH.
Qed.
Lemma sum_member {A} (l : list A) f a : (forall b, In b l -> 0 <= f b) -> In a l -> f a <= sum l f.
Proof.
  induction l as [| b l IH]; simpl; intros H Hi; [destruct Hi |].
  destruct Hi as [-> | Hi].
  - assert (0 <= sum l f) by (apply sum_nonneg; auto). lra.
  - assert (f a <= sum l f) by (apply IH; auto). assert (0 <= f b) by auto. lra.
Qed.
Lemma sum_filter {A} (l : list A) event f :
  sum (filter event l) f = sum l (fun a => if event a then f a else 0).
Proof. induction l as [| a l IH]; simpl; [reflexivity |]. destruct (event a); simpl; rewrite IH; ring. Qed.

(* The event of one output. *)
Lemma only {O} (same : forall a b : O, {a = b} + {a <> b}) outputs o : NoDup outputs -> In o outputs ->
  filter (fun a => if same a o then true else false) outputs = [o].
Proof.
  intros Hd. induction Hd as [| b l Hb Hd IH]; intros Hi; [destruct Hi |].
  simpl. destruct (same b o) as [-> | N].
  - f_equal. clear IH Hi Hd. induction l as [| c l IH]; [reflexivity |]. simpl in *.
    destruct (same c o) as [-> | _]; [tauto | apply IH; tauto].
  - apply IH. destruct Hi; [contradiction | assumption].
Qed.

(* A function that is 0 at 0 and whose derivative is not negative. *)
Lemma rises (f f' : R -> R) b : f 0 = 0 ->
  (forall x, 0 <= x <= b -> derivable_pt_lim f x (f' x)) -> (forall x, 0 <= x <= b -> 0 <= f' x) ->
  forall x, 0 <= x <= b -> 0 <= f x.
Proof.
  intros H0 Hd Hp x [[Hx | <-] Hb]; [| lra].
  assert (P : forall c, 0 <= c <= x -> derivable_pt_lim f c (f' c)) by (intros; apply Hd; lra).
  destruct (MVT_cor2 f f' 0 x Hx P) as (c & E & Hc).
  assert (0 <= f' c * (x - 0)) by (apply Rmult_le_pos; [apply Hp |]; lra). lra.
Qed.
