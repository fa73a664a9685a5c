/* Figures that move: sliders choose a row of a table that the build computed; nothing is computed here. */
"use strict";

const userdpMoving = (() => {
  function start(root) {
    const data = JSON.parse(root.querySelector("script").textContent);
    const svg = root.querySelector(".userdp-chart"), settings = {}, known = {};
    for (const [name, [label, first, ...shown]] of Object.entries(data.sliders)) [settings[name], known[name]] = [shown, [label, first]];
    const element = (name, properties, ...children) => {
      const made = Object.assign(document.createElement(name), properties);
      made.append(...children);
      return made;
    };

    /* A slider; a row of buttons of which one is down where its settings are words, under a name of its own on the page. */
    const range = (name, [label, first]) => element("label", {}, `${label} `, element("output", {}),
      element("input", { type: "range", name, min: 0, max: settings[name].length - 1, step: 1, value: first }));
    const button = (name, words, value, checked) => element("label", {},
      element("input", { type: "radio", name, value, defaultChecked: checked }), element("span", { textContent: words.replaceAll("\u00a0", " ") }));
    const choice = (name, [label, first]) => element("fieldset", { className: "moving-choice" }, element("legend", { textContent: label }),
      ...settings[name].map((words, place) => button(name, words, place, place === first)));
    const presets = Object.entries(data.presets).map(([textContent, places]) => element("button", { type: "button", textContent, onclick: () => set(places) }));
    root.querySelector(".moving-controls").append(
      ...(presets.length ? [element("p", { className: "moving-presets" }, ...presets)] : []),
      ...Object.keys(settings).map((name) => (settings[name].some((one) => /^[a-z]/i.test(one)) ? choice : range)(name, known[name])));
    const inputs = () => [...root.querySelectorAll("input[type=range], input:checked")];
    const terms = data.columns.best ? [...root.parentElement.querySelectorAll("dt")] : [];
    const [along, ...others] = Object.keys(settings), rows = others.reduce((all, name) => all * settings[name].length, 1);
    const columns = Object.fromEntries(Object.entries(data.columns).map(([name, text]) => [name, text.split(" ")]));

    /* All that can be said at the present setting, by name, and the curves beside it. */
    function look() {
      const said = {}, curves = {};
      let row = 0, here = 0;
      for (const input of inputs()) {
        const place = Number(input.value), all = settings[input.name];
        said[input.name] = all[place];
        if (input.name === along) here = place;
        else row = row * all.length + place;
      }
      const count = data.at.length;
      for (const [name, column] of Object.entries(columns)) {
        const whole = column.length === rows * count;
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
      return raised(filled(words, said));
    }

    const high = (power) => [...power].map((one) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(one)]).join("");
    const raised = (words) => words.replace(/(\d)e(-?\d+)\b/g, (_, digit, power) => `${digit} · 10${high(power)}`);
    // Words in a column have a space that does not end them.
    const filled = (words, said) => words.replace(/\{([^}]+)\}/g, (_, name) => said[name]).replaceAll("\u00a0", " ");

    function draw() {
      const { said, curves, here } = look();
      userdpChart.draw(svg, data.at, curves, data.at[here], said);
      for (const input of inputs().filter((one) => one.type === "range")) {
        input.setAttribute("aria-valuetext", raised(said[input.name]));
        input.closest("label").querySelector("output").textContent = raised(said[input.name]);
      }
      for (const value of root.querySelectorAll("[data-value]")) value.textContent = raised(said[value.dataset.value]);
      root.querySelector(".moving-says").textContent = sentence(said);
      if (data.code) root.querySelector(".moving-code").textContent = filled(data.code, said);
      for (const term of terms) term.hidden = term.nextElementSibling.hidden = term.textContent.trim() !== filled("{best}", said);
    }

    function set(places) {
      inputs().forEach((input, i) => {
        if (places[i] === null) return;
        if (input.type === "range") input.value = places[i];
        else root.querySelector(`[name="${input.name}"][value="${places[i]}"]`).checked = true;
      });
      draw();
    }

    root.addEventListener("input", draw);
    draw();
  }
  return { start };
})();

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".userdp-moving").forEach(userdpMoving.start));
