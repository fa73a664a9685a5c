(* Kent et al., the error of Algorithm 1 behind the upper bound of Theorem 1. Model of the checks of
    kent-thm-1. *)
From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Userdp Require Import Privacy Tools Guarantees Votes.
From Userdp.kent Require Import Calculus.
Import ListNotations.
Open Scope R_scope.

(* All n users hold the point of one ball. Its votes are the n entries that are one, the votes of another ball
   entries that are zero; the chance that the other ball has at least as many votes: *)
Definition overtaken (n : nat) (eps : R) : R :=
  sum (vectors n) (fun x => sum (vectors n) (fun y =>
    unary (eps / 2) (repeat true n) x * unary (eps / 2) (repeat false n) y *
    (if Nat.leb (ones x) (ones y) then 1 else 0))).
Lemma ones_cons b x : ones (b :: x) = ((if b then 1 else 0) + ones x)%nat.
Proof. unfold ones. simpl. destruct b; simpl; lia. Qed.
Lemma generating_votes a c b n :
  sum (vectors n) (fun x => unary a (repeat b n) x * exp (c * INR (ones x))) =
  (respond a b true * exp c + respond a b false) ^ n.
Proof.
  induction n as [| n IH].
  - simpl. unfold ones. simpl. rewrite Rmult_0_r, exp_0. ring.
  - simpl vectors. rewrite sum_app, !sum_map. simpl repeat. cbn [unary].
    rewrite (sum_ext _ _ (fun x => respond a b true * exp c *
      (unary a (repeat b n) x * exp (c * INR (ones x))))).
    + rewrite (sum_ext _ (fun x => respond a b false * unary a (repeat b n) x * exp
      (c * INR (ones (false :: x))))
        (fun x => respond a b false * (unary a (repeat b n) x * exp (c * INR (ones x))))).
      * rewrite !sum_scale, IH. simpl. ring.
      * intros x _. rewrite ones_cons. simpl plus. ring.
    + intros x _. rewrite ones_cons, plus_INR, Rmult_plus_distr_l, exp_plus. simpl (INR 1). rewrite Rmult_1_r.
    ring.
Qed.
Lemma overtaken_rarely n eps : 0 <= eps ->
  overtaken n eps <= (4 * exp (eps / 2) / (1 + exp (eps / 2)) ^ 2) ^ n.
Proof.
  intros He. set (a := eps / 2).
  assert (B : overtaken n eps <= sum (vectors n) (fun x => sum (vectors n) (fun y =>
    (unary a (repeat true n) x * exp (- a * INR (ones x))) *
      (unary a (repeat false n) y * exp (a * INR (ones y)))))).
  { apply sum_le. intros x _. apply sum_le. intros y _. fold a.
    replace (unary a (repeat true n) x * exp (- a * INR (ones x)) *
      (unary a (repeat false n) y * exp (a * INR (ones y))))
      with (unary a (repeat true n) x * unary a (repeat false n) y *
        (exp (- a * INR (ones x)) * exp (a * INR (ones y)))) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; apply unary_nonneg |]. rewrite <- exp_plus.
    destruct (Nat.leb_spec (ones x) (ones y)) as [L | _]; [| left; apply exp_pos].
    apply one_le_exp. apply le_INR in L. assert (0 <= a * (INR (ones y) - INR (ones x))).
    { apply Rmult_le_pos; unfold a; lra. } lra. }
  apply Rle_trans with (1 := B).
  rewrite (sum_ext _ _ (fun x => (unary a (repeat true n) x * exp (- a * INR (ones x))) *
    sum (vectors n) (fun y => unary a (repeat false n) y * exp (a * INR (ones y))))) by
      (intros; apply sum_scale).
  rewrite sum_scale_r, !generating_votes, <- Rpow_mult_distr. right. f_equal. unfold respond. simpl eqb.
  cbv iota.
  rewrite exp_Ropp. pose proof (exp_pos a). field. lra.
Qed.
(* kent-thm-1 part: a wrong ball overtakes the right one with probability at most exp (- n a / 20) *)
Theorem wrong_ball_overtakes_rarely n eps : 0 < eps -> (1 <= n)%nat ->
  overtaken n eps <= exp (- (INR n * Rmin eps (eps ^ 2)) / 20).
Proof.
  intros He Hn. apply Rle_trans with (1 := overtaken_rarely n eps (Rlt_le _ _ He)).
  now apply chernoff_factor_bound.
Qed.
