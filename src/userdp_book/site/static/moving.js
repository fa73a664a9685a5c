/* Figures that move: sliders choose a row of a table that the build computed; nothing is computed here. */
"use strict";

const userdpMoving = (() => {
  function start(root) {
    const data = JSON.parse(root.querySelector("script").textContent);
    const svg = root.querySelector(".userdp-chart"), inputs = [...root.querySelectorAll("input")];
    const columns = Object.fromEntries(Object.entries(data.columns).map(([name, text]) => [name, text.split(" ")]));

    /* All that can be said at the present setting, by name, and the curves beside it. */
    function look() {
      const said = {}, curves = {};
      let row = 0, here = 0;
      for (const input of inputs) {
        const place = Number(input.value), all = data.sliders[input.name];
        said[input.name] = all[place];
        if (input.name === data.along) here = place;
        else row = row * all.length + place;
      }
      const count = data.at.length;
      for (const [name, column] of Object.entries(columns)) {
        const whole = column.length === data.rows * count;
        curves[name] = data.at.map((_, i) => column[whole ? row * count + i : row]);
        said[name] = curves[name][here];
      }
      return { said, curves, here };
    }

    function sentence(said) {
      const [one, other, within, beyond] = data.verdict ?? [];
      const broken = Number(said[one]) > Number(said[other]);
      root.classList.toggle("moving-broken", data.breaks && broken);
      const words = data.says + (one ? ` ${broken ? beyond : within}` : "");
      return words.replace(/\{([^}]+)\}/g, (_, name) => said[name]);
    }

    function draw() {
      const { said, curves, here } = look();
      userdpChart.draw(svg, data.at, curves, data.at[here], said);
      for (const input of inputs) {
        input.setAttribute("aria-valuetext", said[input.name]);
        input.closest("label").querySelector("output").textContent = said[input.name];
      }
      for (const value of root.querySelectorAll("[data-value]")) value.textContent = said[value.dataset.value];
      root.querySelector(".moving-says").textContent = sentence(said);
    }

    root.querySelector(".moving-controls").hidden = false;
    root.addEventListener("input", draw);
    draw();
  }
  return { start };
})();

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".userdp-moving").forEach(userdpMoving.start));
