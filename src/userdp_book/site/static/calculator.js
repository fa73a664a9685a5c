/* The calculator of rates: the formulas of userdp.transitions again, drawn with Plotly.
   A test compares the two over a grid, in a browser. Symbols as on the notation page. */
"use strict";

const userdpRates = (() => {
  const log = (x) => Math.log(Math.max(x, Math.E));
  const value = (n, epsilon) => n * Math.min(epsilon, epsilon ** 2);

  /* Each problem: its trivial risk, what n m records give, what the users alone give, where the two meet. */
  const exponential = (share) => (p) => Math.exp(-value(p.n, p.epsilon) / share(p));
  const crossing = (problem) => (p) =>
    problem.finite({ ...p, m: 1 }) * Math.exp(value(p.n, p.epsilon) / problem.share(p));

  const mean = {
    trivial: (p) => p.d,
    share: (p) => p.d,
    finite: (p) => p.d ** 2 / (p.n * p.m * Math.min(p.epsilon, p.epsilon ** 2, p.d)),
  };
  const sparse = {
    trivial: (p) => p.s,
    share: (p) => p.s,
    finite: (p) => Math.min(p.s / p.m, (p.s * p.d) / value(p.n * p.m, p.epsilon)),
  };
  const mixture = {
    trivial: (p) => p.k,
    share: (p) => p.k ** 2,
    finite: (p) => p.k ** 3 / value(p.n * p.m, p.epsilon),
  };
  const density = {
    trivial: () => 1,
    finite: (p) => value(p.n * p.m, p.epsilon) ** ((-2 * p.beta) / (2 * p.beta + 2)),
    alone: (p) => value(p.n, p.epsilon) ** (-2 * p.beta),
    transition: (p) => value(p.n, p.epsilon) ** (2 * p.beta + 1),
  };
  for (const problem of [mean, sparse, mixture]) {
    problem.alone = exponential(problem.share);
    problem.transition = crossing(problem);
  }
  /* One record each: for sparse means the term that hashing saves is not to be had. */
  mean.item = mean.finite;
  density.item = density.finite;
  sparse.item = (p) => (p.s * p.d) / value(p.n * p.m, p.epsilon);

  const problems = { mean, sparse, density, mixture };
  const capped = (name, rate, p) => Math.min(problems[name].trivial(p), rate);
  return {
    itemLevel: (name, p) => (problems[name].item ? capped(name, problems[name].item(p), p) : NaN),
    userLevel: (name, p) =>
      capped(name, Math.max(problems[name].finite(p), problems[name].alone(p)), p),
    infinite: (name, p) => capped(name, problems[name].alone(p), p),
    transition: (name, p) => problems[name].transition(p),
    trivial: (name, p) => problems[name].trivial(p),
  };
})();

const userdpCalculator = (() => {
  const used = {
    mean: ["n", "m", "epsilon", "d"],
    sparse: ["n", "m", "epsilon", "d", "s"],
    density: ["n", "m", "epsilon", "beta"],
    mixture: ["n", "m", "epsilon", "k"],
  };
  const whole = new Set(["n", "m", "d", "s", "k"]);

  const shown = (x) => {
    if (!Number.isFinite(x)) return "beyond 1e308";
    if (x === 0 || (x >= 0.001 && x < 1e5)) return String(Number(x.toPrecision(3)));
    return x.toExponential(2);
  };

  function read(root) {
    const p = {};
    for (const input of root.querySelectorAll("input[type=range]")) {
      const x = 10 ** Number(input.value);
      p[input.name] = whole.has(input.name) ? Math.max(1, Math.round(x)) : Number(x.toPrecision(3));
    }
    p.s = Math.min(p.s, p.d);
    return p;
  }

  function regime(name, p) {
    const rate = userdpRates.userLevel(name, p);
    const floor = userdpRates.infinite(name, p);
    const change = userdpRates.transition(name, p);
    if (floor >= userdpRates.trivial(name, p))
      return "Too few users for this budget: no number of records beats a constant estimate.";
    if (rate >= userdpRates.trivial(name, p))
      return "Too few records so far: the rate is that of a constant estimate.";
    if (change <= 1) return "One record each is enough: more records do not lower the rate.";
    if (!Number.isFinite(change)) return "More records still help: the rate falls for as many as anyone could hold.";
    if (p.m < change)
      return `More records still help: the rate falls until each user holds about ${shown(change)} records.`;
    return `More records no longer help: past about ${shown(change)} records only more users or a larger budget do.`;
  }

  function grid(name, p) {
    const change = Math.log10(userdpRates.transition(name, p));
    const end = Math.min(60, Math.max(6, Math.log10(p.m) + 1, Number.isFinite(change) ? change + 2 : 60));
    return Array.from({ length: 241 }, (_, i) => 10 ** ((end * i) / 240));
  }

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function draw(root) {
    const name = root.querySelector("select").value;
    const p = read(root);
    for (const input of root.querySelectorAll("input[type=range]")) {
      input.closest("label").hidden = !used[name].includes(input.name);
      input.closest("label").querySelector("output").textContent = shown(p[input.name]);
      input.setAttribute("aria-valuetext", shown(p[input.name]));
    }
    const m = grid(name, p);
    const curve = (rate) => m.map((records) => rate(name, { ...p, m: records }));
    const change = userdpRates.transition(name, p);
    const point = userdpRates.userLevel(name, p);
    const line = (rate, label, tone, dash) => ({
      x: m, y: curve(rate), name: label, mode: "lines", line: { color: tone, dash, width: 2.5 },
    });
    const text = colour("--pst-color-text-base");
    const traces = [
      line(userdpRates.userLevel, "user level", "#0072b2", "solid"),
      line(userdpRates.infinite, "infinitely many records", "#d55e00", "dash"),
      { x: [p.m], y: [point], name: "you are here", mode: "markers",
        marker: { color: text, size: 11, symbol: "diamond" } },
    ];
    if (name !== "mixture")
      traces.splice(1, 0, line(userdpRates.itemLevel, "item level", "#009e73", "dot"));
    const axis = (title) => ({
      type: "log", title: { text: title }, exponentformat: "power", gridcolor: colour("--pst-color-border"),
    });
    const here = Number.isFinite(change) && change >= 1;
    Plotly.react(root.querySelector(".calculator-chart"), traces, {
      xaxis: axis("records of each user, m"), yaxis: axis("rate"),
      shapes: here ? [{ type: "line", x0: change, x1: change, yref: "paper", y0: 0, y1: 1,
        line: { color: text, width: 1, dash: "dashdot" } }] : [],
      legend: { orientation: "h", y: -0.25 }, margin: { l: 70, r: 10, t: 10, b: 50 },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: text },
    }, { responsive: true, displayModeBar: false });
    root.querySelector(".calculator-regime").textContent = regime(name, p);
    const numbers = {
      "user level, n users with m records": point,
      "item level, n m users with one record": userdpRates.itemLevel(name, p),
      "infinitely many records": userdpRates.infinite(name, p),
      "records at the phase transition": change,
    };
    root.querySelector("tbody").innerHTML = Object.entries(numbers)
      .map(([what, x]) => `<tr><th scope="row">${what}</th><td>${Number.isNaN(x) ? "–" : shown(x)}</td></tr>`)
      .join("");
  }

  function start() {
    for (const root of document.querySelectorAll(".userdp-calculator")) {
      root.addEventListener("input", () => draw(root));
      new MutationObserver(() => draw(root)).observe(document.documentElement, {
        attributes: true, attributeFilter: ["data-theme"],
      });
      draw(root);
    }
  }
  return { start };
})();

document.addEventListener("DOMContentLoaded", userdpCalculator.start);
