(* Liu et al., Lemma B.2: the mean of an exponential variable of rate nu below a. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* liu-lem-b.2 whole *)
Theorem truncated_exponential_mean nu a : 0 < nu -> 0 <= a ->
  RInt (fun x => x * (nu * exp (- nu * x))) 0 a = 1 / nu - exp (- nu * a) * (a + 1 / nu).
Proof.
  intros Hn Ha. apply (is_RInt_unique (V := R_CompleteNormedModule)).
  replace (1 / nu - exp (- nu * a) * (a + 1 / nu)) with
    (minus (- (a + 1 / nu) * exp (- nu * a)) (- (0 + 1 / nu) * exp (- nu * 0))).
  2:{ unfold minus, plus, opp. simpl. rewrite Rmult_0_r, exp_0. ring. }
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - (x + 1 / nu) * exp (- nu * x))).
  - intros x _. auto_derive; [exact I |]. match goal with |- ?l = ?r => change (@eq R l r) end. field. lra.
  - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I.
Qed.
