/* The plan in the page: the exact risks and proven bounds of userdp.planning for equal sizes, once more.
   A test compares the two in a browser. Errors are root mean squared, on the domain [-1, 1]. */
"use strict";

const userdpPlan = (() => {
  const { exp, log, sqrt, min, max, floor } = Math;
  const MOST_BINS = 1e6, ROOT = sqrt(2 * Math.PI);

  /* P(normal > x) for x >= 0, to seven digits (Press et al., erfc by a Chebyshev fit). */
  const FIT = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];
  function beyond(x) {
    const z = x / Math.SQRT2, t = 1 / (1 + z / 2);
    return (t * exp(-z * z + FIT.reduceRight((sum, c) => sum * t + c, 0))) / 2;
  }
  const tail = (x) => exp((-x * x) / 2); // Hoeffding's
  const excess = (x) => ROOT * beyond(x);
  const squareExcess = (x) => (x < 0 ? Infinity : max(4 * (tail(x) - x * excess(x)), 0));

  /* Chernoff's bound on a failed vote of users whose means have standard deviation r. */
  function voteFailure({ voters, tau }, r, epsilon) {
    const others = Math.ceil(1 / tau) - 2;
    if (others <= 0) return 0;
    const right = max(1 - tail(tau / r) - tail((2 * tau) / r), 0);
    const keep = 1 / (1 + exp(-epsilon / 2)), flip = 1 - keep;
    let least = 1;
    for (let i = 0; i < 40; i++) {
      const up = exp(((0.02 + (0.98 * i) / 39) * epsilon) / 2);
      const one = keep / up + flip, zero = flip / up + keep, chaseOne = keep * up + flip, chaseZero = flip * up + keep;
      least = min(least, right * one * zero * chaseZero ** 2 + (1 - right) * zero ** 2 * chaseOne * chaseZero);
    }
    return min(others * exp(voters * log(least)), 1);
  }

  /* The bound of userdp.theory.improved_plan on the risk of a vote and rounds of reports about the last estimate. */
  function bound(plan, r, epsilon) {
    let spill = 0, deviation, bias, offset, laplace;
    plan.rounds.forEach((round, i) => {
      offset = i ? bias + round.slack * deviation : plan.voters ? 3 * plan.tau : 1;
      if (i) spill += deviation * sqrt(squareExcess(round.slack));
      const scale = round.sigmas * r + offset, own = (sqrt(r * r + offset * offset) + (i ? spill : 0)) / scale;
      deviation = scale / Math.tanh(epsilon / 2) / sqrt(round.users);
      laplace = scale * sqrt((8 / epsilon ** 2 + min(own * own, 1)) / round.users);
      bias = round.sigmas ? r * excess(round.sigmas) : 0;
    });
    const rest = (bias + spill) ** 2 + (plan.voters ? 4 * voteFailure(plan, r, epsilon) : 0);
    return { twoPoint: deviation ** 2 + rest, laplace: laplace ** 2 + rest };
  }

  function build(x, n, r, vote, rounds) {
    const groups = rounds + vote, shares = x.slice(0, groups).map((y) => exp(max(-6, min(6, y))));
    const sum = shares.reduce((a, b) => a + b), users = shares.map((share) => max(floor((n * share) / sum), 1));
    users[users.indexOf(max(...users))] += n - users.reduce((a, b) => a + b);
    const rest = x.slice(groups).map((y) => exp(max(-6, min(6, y))));
    return {
      voters: vote ? users[0] : 0,
      tau: vote ? min(max(3 * r * rest[0], 1 / MOST_BINS), 0.25) : 1,
      rounds: Array.from({ length: rounds }, (_, i) => ({
        users: users[vote + i], sigmas: i || vote ? 3 * rest[vote + i] : 0, slack: i ? 2 * rest[vote + rounds + i - 1] : 0,
      })),
    };
  }

  /* Smallest bound over shares, width, sigmas and slacks: steps along each axis, halved when none helps. */
  function improved(n, r, epsilon) {
    let best = { risk: Infinity, plan: null };
    for (const [vote, rounds] of [[1, 1], [1, 2], [0, 2], [0, 3]]) {
      if (rounds + vote > n) continue;
      const risk = (y) => bound(build(y, n, r, vote, rounds), r, epsilon).twoPoint;
      let x = Array(3 * rounds - 1 + 2 * vote).fill(0), least = risk(x);
      for (let step = 0.8; step > 0.01; step /= 2)
        for (let moved = true, turn = 0; moved && turn < 40; turn++) {
          moved = false;
          for (let i = 0; i < x.length; i++)
            for (const move of [step, -step]) {
              const y = x.with(i, x[i] + move), found = risk(y);
              if (found < least) [x, least, moved] = [y, found, true];
            }
        }
      const plan = build(x, n, r, vote, rounds), both = bound(plan, r, epsilon);
      const found = min(both.twoPoint, both.laplace);
      if (found < best.risk) best = { risk: found, plan };
    }
    return best;
  }

  function quantile(p) { // x with P(normal > x) = p, by Newton's method
    let x = 0;
    for (let i = 0; i < 60; i++) x += ((beyond(x) - p) * ROOT) / tail(x);
    return x;
  }

  /* userdp.planning.central_means.weighted for equal sizes: a tenth of the users finds the centre. */
  function weighted(n, m, epsilon, spread) {
    const few = floor(n / 10), rest = 0.9 * n, variance = 0.25 / m + ((1 - 1 / m) * spread ** 2) / 4, z = quantile(0.0125);
    const reach = z * sqrt(0.25 / few) + z * z / few + log(40) / (epsilon * few);
    const window = min(sqrt(variance) * quantile(-Math.expm1(Math.log1p(-0.025) / n) / 2), 0.5);
    const half = min(reach + window, 0.5);
    return 4 * (variance / rest + 2 * ((2 * half) / (rest * epsilon)) ** 2);
  }

  /* Method -> predicted error, and "no privacy". */
  function errors({ n, m, epsilon, spread, trust }) {
    const user = min(1 / m + spread ** 2, 1), risks = { "no privacy": user / n };
    if (trust === "curator") {
      risks["average of all users"] = 8 / (n * epsilon) ** 2 + user / n;
      if (n >= 100) risks["weighted mean of clipped users"] = weighted(n, m, epsilon, spread);
    } else {
      risks["two-point reports"] = 1 / Math.tanh(epsilon / 2) ** 2 / n;
      risks["Laplace reports"] = (8 / epsilon ** 2 + user) / n;
      const localised = improved(n, sqrt(1 / m + spread ** 2), epsilon).risk;
      if (localised < risks["two-point reports"]) risks["improved mean"] = localised;
    }
    return Object.fromEntries(Object.entries(risks).map(([name, risk]) => [name, sqrt(risk)]));
  }
  return { errors, improved, bound };
})();
