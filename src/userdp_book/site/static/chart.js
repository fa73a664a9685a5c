/* Moves curves, dots and the line of the present setting in a frame that the build drew (chart.py). */
"use strict";

const userdpChart = (() => {
  const scales = (svg) => JSON.parse(svg.dataset.axes).map(([start, slope, log]) => (v) => start + slope * (log ? Math.log10(v) : v));

  /* `curves` and `dots` have numbers by the names of the lines; what is missing or not finite is not drawn. */
  function draw(svg, at, curves, here, dots) {
    const [x, y] = scales(svg), frame = svg.querySelector(".here");
    frame.setAttribute("d", frame.getAttribute("d").replace(/M[^ ]+/, `M${x(here).toFixed(1)}`));
    for (const line of svg.querySelectorAll("[data-line]")) {
      const name = line.dataset.line;
      if (line.localName === "polyline") {
        const points = at.map((v, i) => [x(v), y(curves[name]?.[i])]).filter(([, height]) => Number.isFinite(height));
        line.setAttribute("points", points.map((pair) => pair.map((z) => z.toFixed(1)).join()).join(" "));
      } else {
        const height = y(dots[name]), seen = Number.isFinite(height);
        line.setAttribute("r", seen ? 4 : 0);
        if (seen) [["cx", x(here)], ["cy", height]].forEach(([side, z]) => line.setAttribute(side, z.toFixed(1)));
      }
    }
  }

  /* Let the vertical axis, of powers of ten one by one, begin at another power. */
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const power = (k) => ["0.1", "1", "10"][k + 1] ?? `10${String(k).replace("-", "⁻").replace(/[0-9]/g, (digit) => SUPERSCRIPT[digit])}`;
  function begin(svg, lowest) {
    const axes = JSON.parse(svg.dataset.axes), [, bottom] = /V([\d.]+)/.exec(svg.querySelector(".here").getAttribute("d"));
    axes[1][0] = bottom - axes[1][1] * lowest;
    svg.dataset.axes = JSON.stringify(axes);
    svg.querySelectorAll(".tick").forEach((tick, i) => { tick.textContent = power(lowest + i); });
  }
  return { draw, begin };
})();
