/* "Run here": the page's cells become editable and run where they stand, by Pyodide in a worker. Nothing is loaded
   before the click; what the book printed stays until the new output is there, and comes back by "Reset".
   A lab is the student copy of a notebook: its locked cells stay as they are, its checks say right or not yet, and
   what a student writes is kept in this browser and saved into that copy. */
"use strict";

(() => {
  const { base, notebook, packages, lab, long } = document.currentScript.dataset;
  const book = new URL(".", document.currentScript.src);
  const SYMBOLS = { holds: "✓", "holds after correction": "✎", refuted: "✗", "not reproducible": "?", context: "○", "not at your settings": "✗", right: "✓", "not yet": "✗" };
  const SIGNS = { "<=": "≤", ">=": "≥", "<": "<", ">": ">" };
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  // What stands in a field: a browser begins a line by a character or by an element.
  function textOf(field) {
    const copy = field.cloneNode(true);
    for (const end of copy.querySelectorAll("br")) end.replaceWith("\n");
    return copy.textContent;
  }
  // `n, m = 40, 400  # try m = 30 or 3000`: the page says what is safe and instructive to change.
  const COMMA = /, (?![^([]*[)\]])/;  // outside brackets
  const TRY = /^(\w+(?:, \w+)*) = (.+?) +# try (?:(\w+) = )?(.+)$/;
  let worker, issued, cells, bar;

  /* ---- outputs, as the book shows them ---- */

  function withMath(text) {
    return text.split(/(\$[^$]+\$)/).map((part) => /^\$.+\$$/.test(part)
      ? element("span", { className: "math notranslate nohighlight", textContent: `\\(${part.slice(1, -1)}\\)` }) : part);
  }

  const digits = (value) => Number(value.toPrecision(4)).toString();

  function claimBox(claim) {
    const slug = claim.verdict.replaceAll(" ", "-");
    const said = element("p", {}, element("span", { className: `verdict verdict-${slug}`, textContent: `${SYMBOLS[claim.verdict]} ${claim.verdict}` }),
      " ", element("span", { className: "evidence", textContent: claim.evidence ?? "" }), " ", ...withMath(claim.claim));
    const numbers = claim.measured == null ? "" : `measured ${digits(claim.measured)} · expected ${SIGNS[claim.relation] ?? ""} ${digits(claim.expected)}`;
    const tail = element("p", { className: "claim-numbers" }, numbers, ...(claim.note ? withMath(`${numbers && " · "}${claim.note}`) : []));
    return element("div", { className: `claim claim-${slug} docutils container` }, said, " ", tail);
  }

  function shown(output) {
    if (output.output_type === "stream") return element("div", { className: "output stream" }, element("pre", { textContent: output.text }));
    if (output.ename === "AssertionError" && /^.+$/.test(output.evalue)) return claimBox({ verdict: lab ? "not yet" : "not at your settings", claim: output.evalue });
    if (lab && output.ename === "NotImplementedError") return claimBox({ verdict: "not yet", claim: "An answer that this needs is still to be written." });
    if (output.output_type === "error") return element("div", { className: "output traceback" }, element("pre", { textContent: output.traceback.join("") }));
    const data = output.data, claim = data["application/vnd.userdp.claim+json"];
    if (claim) return claimBox(claim);
    if (data["image/png"]) return element("img", { src: `data:image/png;base64,${data["image/png"]}`, alt: "The figure, as it is at your settings" });
    if (data["text/html"]) return element("div", { className: "output text_html", innerHTML: data["text/html"] });
    return element("div", { className: "output text_plain" }, element("pre", { textContent: data["text/plain"] }));
  }

  /* ---- what the book has ---- */

  const joined = (text) => (Array.isArray(text) ? text.join("") : text);

  function facts(outputs) {
    return outputs.map((output) => {
      if (output.output_type === "stream") return joined(output.text).replace(/\s+/g, " ").trim();
      if (output.output_type === "error") return output.evalue;
      const data = output.data, claim = data["application/vnd.userdp.claim+json"];
      if (claim) return JSON.stringify([claim.key, claim.verdict, claim.measured, claim.expected]);
      if (data["image/png"]) return "a figure";
      return joined(data["text/html"] ?? data["text/plain"]).replace(/\s+/g, "");
    });
  }

  async function stored() {
    issued = await (await fetch(new URL(notebook, book))).json();
    return issued.cells.filter((cell) => cell.cell_type === "code" && !cell.metadata.tags?.includes("colab"));
  }

  /* ---- a lab ---- */

  const memory = `userdp lab ${lab}`;
  let unsaved = false;
  const fields = new Map();  // of each cell that a student may change, where its text stands on the page
  const nameOf = (cell) => cell.metadata.nbgrader?.grade_id ?? cell.id;
  const isCheck = (cell) => cell?.metadata.nbgrader?.grade && cell.cell_type === "code";

  function kept() {
    try { return JSON.parse(localStorage.getItem(memory)); } catch { return null; }
  }

  function keep() {
    unsaved = true;
    const own = [...fields].map(([cell, field]) => [nameOf(cell), textOf(field).trimEnd(), joined(cell.source)]);
    try {
      localStorage.setItem(memory, JSON.stringify(Object.fromEntries(own.filter(([, now, before]) => now !== before))));
    } catch { tell("this browser keeps nothing: save the file before you leave"); }
  }

  function openLab() {
    for (const question of issued.cells.filter((cell) => cell.cell_type === "markdown" && cell.metadata.nbgrader?.solution)) {
      const field = [...document.querySelectorAll("article p")].find((text) => text.textContent === joined(question.source));
      editable(field, "Your answer", keep);
      field.addEventListener("focus", () => textOf(field) === joined(question.source) && getSelection().selectAllChildren(field));
      fields.set(question, field);
    }
    const before = kept() ?? {};
    for (const [cell, field] of fields) if (nameOf(cell) in before) field.textContent = before[nameOf(cell)];
  }

  function save() {
    const filled = issued.cells.map((cell) => (fields.has(cell) ? { ...cell, source: textOf(fields.get(cell)).trimEnd() } : cell));
    const file = new Blob([JSON.stringify({ ...issued, cells: filled }, null, 1)], { type: "application/x-ipynb+json" });
    element("a", { href: URL.createObjectURL(file), download: `${lab}.ipynb` }).click();
    unsaved = false;
    tell(`${lab}.ipynb is in your downloads: hand it in`);
  }

  function startAgain() {
    if (!confirm("Forget all that you have written in this lab?")) return;
    for (const [cell, field] of fields) field.textContent = joined(cell.source);
    reset();
    localStorage.removeItem(memory);
    unsaved = false;
  }

  window.addEventListener("beforeunload", (event) => unsaved && event.preventDefault());  // the browser asks

  /* Right or not yet, beside the section in the page's contents; neither after a change above. */
  function mark(cell, verdict) {
    for (const line of document.querySelectorAll(`.section-nav a[href="#${cell.box.closest("section")?.id}"]`)) {
      line.querySelector(".verdict")?.remove();
      if (verdict) line.append(element("span", { className: `verdict verdict-${verdict.replace(" ", "-")}`, textContent: ` ${SYMBOLS[verdict]} ${verdict}` }));
    }
  }

  /* ---- the page ---- */

  function editable(field, label, act) {
    Object.assign(field, { contentEditable: "plaintext-only", spellcheck: false, ariaLabel: label, role: "textbox" });
    field.ariaMultiLine = "true";
    field.addEventListener("input", act);
    field.addEventListener("keydown", (event) => event.stopPropagation());  // a stroke is no search, an arrow no next page
  }

  /* A new line begins below the last one, or four blanks further after a colon. */
  function breakLine(field) {
    const { startContainer, startOffset } = getSelection().getRangeAt(0), above = new Range();
    above.setStart(field, 0);
    above.setEnd(startContainer, startOffset);
    const line = textOf(above.cloneContents()).split("\n").at(-1);
    document.execCommand("insertLineBreak");
    document.execCommand("insertText", false, /^ */.exec(line)[0] + (/:\s*$/.test(line) ? "    " : ""));
  }

  function prepare(box, id, of) {
    const code = box.querySelector(".cell_input pre");
    const cell = { id, box, code, of, html: code.innerHTML, source: code.textContent, output: box.querySelector(".cell_output"), done: false };
    if (of?.metadata.editable !== false) {
      editable(code, `Cell ${id + 1}, editable`, () => { touch(cell); if (lab) keep(); });
      code.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        if (event.shiftKey) runTo(cell); else breakLine(code);
      });
      if (lab) fields.set(of, code);
    }
    cell.button = element("button", { type: "button", className: "live-run", textContent: isCheck(of) ? "▶ Check" : "▶ Run", title: "Run the cells up to here (Shift+Enter)" });
    cell.button.addEventListener("click", () => runTo(cell));
    const suggested = tries(cell);
    box.querySelector(".cell_input").append(element("div", {}, cell.button, ...suggested));
    if (suggested.length) box.querySelector("details")?.setAttribute("open", "");
    return cell;
  }

  /* Whatever follows a change runs again. */
  function touch(cell) {
    for (const later of cells.slice(cell.id)) { later.done = false; mark(later); }
  }

  /* A button for each value that the page suggests: put it into the code and run the page, or a long one up to here. */
  function tries(cell) {
    return cell.source.split("\n").flatMap((line) => {
      const [, names, values, name = names, options] = TRY.exec(line) ?? [];
      const places = names?.split(", "), parts = places?.length > 1 ? values.split(COMMA) : [values];
      return (options?.split(" or ") ?? []).map((option) => {
        const changed = line.replace(`= ${values}`, `= ${parts.with(places.indexOf(name), option).join(", ")}`);
        return element("button", { type: "button", className: "live-run", textContent: `try ${name} = ${option}`, onclick: () => {
          cell.code.textContent = cell.source.replace(line, changed);
          touch(cell);
          runTo(long ? cell : cells.at(-1));
        } });
      });
    });
  }

  function tell(text) { bar.querySelector("output").value = text; }

  function runTo(last) {
    if (!worker) return begin().then(() => runTo(last));
    for (const cell of cells.slice(0, last.id + 1)) {
      if (cell.done && cell !== last) continue;
      cell.done = true;
      cell.box.classList.add("live-waiting");
      worker.postMessage({ id: cell.id, source: textOf(cell.code) });
    }
    tell("running");
  }

  function put(cell, outputs) {
    cell.box.classList.remove("live-waiting");
    if (outputs.some((output) => output.output_type === "error")) cell.box.querySelector("details")?.setAttribute("open", "");
    const fresh = element("div", { className: "cell_output docutils container live-output" }, ...outputs.map(shown));
    if (isCheck(cell.of) && !fresh.querySelector(".claim-not-yet")) fresh.append(claimBox(fresh.querySelector(".traceback")
      ? { verdict: "not yet", claim: "The check ended in an error: the last line above says which." }
      : { verdict: "right", claim: "This check passes; hidden ones run when the lab is marked." }));
    if (!lab && JSON.stringify(facts(outputs)) !== JSON.stringify(facts(cell.of?.outputs ?? []))) fresh.prepend(element("p", { className: "live-differs", textContent: "differs from the book" }));
    if (isCheck(cell.of)) mark(cell, fresh.querySelector(".claim-not-yet") ? "not yet" : "right");
    cell.fresh?.remove();
    if (cell.output) cell.output.hidden = true;
    (cell.output ?? cell.box.lastElementChild).after(fresh);
    cell.fresh = fresh;
    if (fresh.querySelector(".live-differs")) userdpPage.unfold(fresh);
    window.MathJax?.typesetPromise?.([fresh]);
    if (document.querySelector(".live-waiting")) return;
    document.querySelector(".live-differs")?.scrollIntoView({ block: "center", behavior: "smooth" });
    const count = (selector) => document.querySelectorAll(selector).length;
    tell(lab ? `done: ${count(".claim-right")} of ${cells.filter((one) => isCheck(one.of)).length} checks pass`
      : `done: ${count(".live-differs")} of ${count(".live-output")} cells differ from the book`);
  }

  function hear({ data }) {
    if (data.progress) tell(data.progress);
    if (data.failed) tell(/import|fetch|network/i.test(data.failed)
      ? "Python could not be loaded: without internet, make the book with `make live`, which puts Python beside it, or use the notebook (the download button)."
      : `could not run: ${data.failed}`);
    if (data.outputs) put(cells[data.id], data.outputs);
  }

  function begin() {
    worker = new Worker(new URL("worker.js", book), { type: "module" });
    worker.onerror = (event) => tell(`could not start: ${event.message ?? "no worker"}`);
    const ready = new Promise((resolve) => worker.addEventListener("message", ({ data }) => data.ready && resolve()));
    worker.addEventListener("message", hear);
    worker.postMessage({ start: { base: new URL(base, book).href, book: book.href, packages: packages.split(" ") } });
    tell("loading Python: some 50 MB, once");
    return ready.then(() => tell("ready: change a cell, then Shift+Enter"));
  }

  function stop() {
    worker?.terminate();
    worker = undefined;
    for (const cell of cells) { cell.done = false; cell.box.classList.remove("live-waiting"); }
    tell("stopped");
  }

  function reset() {
    for (const cell of cells) {
      cell.code.innerHTML = cell.html;
      cell.fresh?.remove();
      cell.fresh = undefined;
      mark(cell);
      cell.done = false;
      if (cell.output) cell.output.hidden = false;
    }
    worker?.postMessage({ forget: true });
    tell("as in the book");
  }

  /* A table of the reader's own, for a page that looks for this file: it goes to the worker and nowhere else. */
  const OWN = "my-table.csv";
  function chooser() {
    const field = element("input", { type: "file", accept: ".csv,text/csv" });
    field.addEventListener("change", async () => {
      const [file] = field.files;
      if (!file) return;
      if (!worker) await begin();
      worker.postMessage({ file: OWN, bytes: await file.arrayBuffer() });
      touch(cells[0]);
      runTo(cells.at(-1));
    });
    return element("label", { textContent: "Your CSV " }, field);
  }

  async function open() {
    const action = (text, act) => element("button", { type: "button", textContent: text, onclick: act });
    bar = element("div", { className: "live-bar", role: "region", ariaLabel: "Run here" },
      action("Run all", () => runTo(cells.at(-1))), action("Stop", stop),
      ...(lab ? [action("Save the file to hand in", save), action("Start again", startAgain)] : [action("Reset", reset)]), element("output", {}));
    document.body.append(bar);
    if (location.protocol === "file:") return tell("A browser runs nothing from a file: serve the book with `make serve`.");
    const before = await stored();
    const boxes = [...document.querySelectorAll("article div.cell:not(.cell-part)")].filter((box) => box.querySelector(".cell_input pre"));
    cells = boxes.map((box, id) => prepare(box, id, before[id]));
    if (lab) openLab();
    if (cells.some((cell) => cell.source.includes(OWN))) bar.prepend(chooser());
    await begin();
  }

  window.addEventListener("DOMContentLoaded", () => {
    const text = lab && kept() ? "Go on here" : "Run here";
    const start = element("button", { type: "button", className: "btn btn-sm live-start", ariaLabel: text, title: "Run and change this page's code in your browser" },
      "▶", element("span", { textContent: text }));
    start.addEventListener("click", () => { start.disabled = true; open(); }, { once: true });
    document.querySelector(".article-header-buttons")?.prepend(start);
  });
})();
