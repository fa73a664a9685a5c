/* The calculator: native inputs, a sentence, a chart and a table; the setting is kept in the address. */
"use strict";

const userdpCalculator = (() => {
  const RECORDS = Array.from({ length: 17 }, (_, i) => 10 ** (i / 2)), DECADES = 3;
  const TABLE = '<table class="userdp-table"><thead><tr><th scope="col">method</th><th scope="col">error</th><th scope="col">times no privacy</th></tr></thead><tbody></tbody></table>';
  const names = (svg) => [...svg.querySelectorAll("polyline")].map((line) => line.dataset.line);
  const line = (svg, name) => svg.querySelector(`polyline[data-line="${name}"]`);
  const shown = (x) => (x >= 1e4 ? Math.round(x).toLocaleString("en") : x >= 1e-3 || x === 0 ? String(Number(x.toPrecision(2))) : x.toExponential(1));
  const count = (x) => (x >= 1e6 ? `10^${Number(Math.log10(x).toFixed(1))}` : shown(x));

  function read(root) {
    const setting = { trust: root.querySelector("select").value };
    for (const input of root.querySelectorAll("input")) {
      const x = Number(input.value);
      setting[input.name] = input.name === "spread" ? x : input.name === "epsilon" ? Number((10 ** x).toPrecision(2)) : Math.round(10 ** x);
      const words = input.name === "n" || input.name === "m" ? count(setting[input.name]) : shown(setting[input.name]);
      input.setAttribute("aria-valuetext", words);
      input.closest("label").querySelector("output").textContent = words;
    }
    return setting;
  }

  function restore(root) {
    for (const [name, value] of new URLSearchParams(location.search)) {
      const field = root.querySelector(`[name="${CSS.escape(name)}"]`);
      if (field) field.value = value;
    }
  }

  function remember(root) {
    const query = new URLSearchParams([...root.querySelectorAll("[name]")].map((field) => [field.name, field.value]));
    history.replaceState(null, "", `?${query}${location.hash}`);
  }

  function sentence(setting, here, curves) {
    const { "no privacy": plain, ...methods } = here;
    const [best, error] = Object.entries(methods).sort((a, b) => a[1] - b[1])[0];
    if (error > 0.5)
      return `Nothing useful at this budget: the best error, ${shown(error)}, is more than half of 1, that of a guess without data. More users or a larger budget are needed.`;
    const first = RECORDS.find((_, i) => curves[i]["improved mean"]);
    const pays = setting.trust === "curator" ? "" : first ? ` Localising pays from about ${count(first)} records a user.` : " Localising does not pay here.";
    return `Use ${best}: error ${shown(error)} on the domain from -1 to 1, ${shown(error / plain)} times that without privacy.${pays}`;
  }

  /* The powers of ten below the largest error of a method; what is smaller leaves the frame. */
  function chart(svg, curves, setting, here, words) {
    const lines = Object.fromEntries(names(svg).map((name) => [name, curves.map((errors) => errors[name])]));
    const largest = Math.max(...curves.flatMap(Object.values));
    userdpChart.begin(svg, Math.ceil(Math.log10(largest)) - DECADES);
    userdpChart.draw(svg, RECORDS, lines, setting.m, here);
    svg.setAttribute("aria-label", `Error of each method against the records of each user. ${words}`);
  }

  function draw(root) {
    const svg = root.querySelector(".userdp-chart"), setting = read(root), here = userdpPlan.errors(setting);
    const key = JSON.stringify({ ...setting, m: 0 });
    if (root.dataset.key !== key) [root.dataset.key, root.curves] = [key, RECORDS.map((m) => userdpPlan.errors({ ...setting, m }))];
    const curves = root.curves;
    const words = sentence(setting, here, curves);
    root.querySelector(".calculator-advice").textContent = words;
    chart(svg, curves, setting, here, words);
    root.querySelector("tbody").innerHTML = Object.entries(here)
      .sort((a, b) => a[1] - b[1])
      .map(([name, error]) => `<tr><th scope="row"><span class="calculator-key ${line(svg, name).getAttribute("class")}"></span>${name}</th><td>${shown(error)}</td><td>${shown(error / here["no privacy"])}</td></tr>`)
      .join("");
  }

  function start() {
    for (const root of document.querySelectorAll(".userdp-calculator")) {
      restore(root);
      root.querySelector(".calculator-controls").hidden = false;
      root.querySelector(".calculator-numbers").innerHTML = TABLE;
      root.addEventListener("input", () => { draw(root); remember(root); });
      draw(root);
    }
  }
  return { start };
})();

document.addEventListener("DOMContentLoaded", userdpCalculator.start);
