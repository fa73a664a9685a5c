/* The calculator: native inputs, a sentence, a chart and a table; the setting is kept in the address. */
"use strict";

const userdpCalculator = (() => {
  const RECORDS = Array.from({ length: 25 }, (_, i) => 10 ** (i / 2));
  const TONES = { "no privacy": "text-muted", "two-point reports": "a", "average of all users": "a", "Laplace reports": "b", "improved mean": "c", "weighted mean of clipped users": "c" };
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

  function chart(box, curves, setting, words) {
    const width = Math.max(box.clientWidth, 280), height = 300, left = 46, bottom = 40;
    const values = curves.flatMap(Object.values).map(Math.log10);
    const low = Math.floor(Math.min(...values)), high = Math.ceil(Math.max(...values, 0));
    const x = (m) => left + (Math.log10(m) / 12) * (width - left - 22);
    const y = (error) => 10 + ((high - Math.log10(error)) / (high - low)) * (height - 10 - bottom);
    const parts = [];
    for (let power = low; power <= high; power += Math.ceil((high - low) / 6))
      parts.push(`<path class="grid" d="M${left} ${y(10 ** power)}H${width - 22}"/><text x="${left - 6}" y="${y(10 ** power) + 4}" text-anchor="end">10<tspan dy="-5" font-size="9">${power}</tspan></text>`);
    for (let power = 0; power <= 12; power += 3)
      parts.push(`<text x="${x(10 ** power)}" y="${height - bottom + 18}" text-anchor="middle">10<tspan dy="-5" font-size="9">${power}</tspan></text>`);
    parts.push(`<text x="${(left + width) / 2}" y="${height - 4}" text-anchor="middle">records of each user</text><path class="here" d="M${x(setting.m)} 10V${height - bottom}"/>`);
    for (const [name, tone] of Object.entries(TONES)) {
      const points = RECORDS.flatMap((m, i) => (curves[i][name] ? [`${x(m).toFixed(1)},${y(curves[i][name]).toFixed(1)}`] : []));
      if (points.length) parts.push(`<polyline class="tone-${tone}" points="${points.join(" ")}"><title>${name}</title></polyline>`);
    }
    box.innerHTML = `<svg role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${parts.join("")}</svg>`;
    box.firstChild.setAttribute("aria-label", `Error of each method against the records of each user. ${words}`);
  }

  function draw(root) {
    const setting = read(root), here = userdpPlan.errors(setting);
    const key = JSON.stringify({ ...setting, m: 0 });
    if (root.dataset.key !== key) [root.dataset.key, root.curves] = [key, RECORDS.map((m) => userdpPlan.errors({ ...setting, m }))];
    const curves = root.curves;
    const words = sentence(setting, here, curves);
    root.querySelector(".calculator-advice").textContent = words;
    chart(root.querySelector(".calculator-chart"), curves, setting, words);
    root.querySelector("tbody").innerHTML = Object.entries(here)
      .sort((a, b) => a[1] - b[1])
      .map(([name, error]) => `<tr><th scope="row"><span class="calculator-key tone-${TONES[name]}"></span>${name}</th><td>${shown(error)}</td><td>${shown(error / here["no privacy"])}</td></tr>`)
      .join("");
  }

  function start() {
    for (const root of document.querySelectorAll(".userdp-calculator")) {
      restore(root);
      root.hidden = false;
      root.addEventListener("input", () => { draw(root); remember(root); });
      addEventListener("resize", () => draw(root));
      draw(root);
    }
  }
  return { start };
})();

document.addEventListener("DOMContentLoaded", userdpCalculator.start);
