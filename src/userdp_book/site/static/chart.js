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
  return { draw };
})();
