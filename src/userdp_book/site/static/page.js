/* What a page offers beside its text: what a link points to, shown in its place; all folds at once; a figure in full. */
"use strict";

const userdpPage = (() => {
  const base = new URL(".", document.currentScript.src);
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  /* ---- what a link points to ---- */

  const pages = new Map();
  // A page of the book, fetched once; this one is here already.
  function pageOf(url) {
    const address = url.origin + url.pathname;
    if (address === location.origin + location.pathname) return Promise.resolve(document);
    if (!pages.has(address)) pages.set(address, fetch(address).then((answer) => answer.text()).then((text) => new DOMParser().parseFromString(text, "text/html")));
    return pages.get(address);
  }

  // Of a term its meaning, of an entry of the bibliography the entry, of a heading its beginning, of all else itself.
  function part(found, id) {
    const target = found.getElementById(id);
    if (!target) return null;
    if (target.matches("dt")) return target.nextElementSibling;
    if (target.matches("section")) return element("div", {}, ...[...target.children].slice(0, 3).map((one) => one.cloneNode(true)));
    const box = target.closest("figure, .proof, .citation, .moving, div.math, .claim") ?? target;
    return box.matches("span") ? box.parentElement : box;
  }

  async function preview(link) {
    const url = new URL(link.href), found = part(await pageOf(url), decodeURIComponent(url.hash.slice(1)));
    if (!found) return null;
    const copy = element("div", { className: "bd-article preview" }, found.cloneNode(true));
    for (const one of copy.querySelectorAll("[id]")) one.removeAttribute("id");
    for (const one of copy.querySelectorAll("script, button, .headerlink, .behind, .run-bar, details:not(.claim-row)")) one.remove();
    for (const one of copy.querySelectorAll("img, source, a")) for (const name of ["src", "srcset", "href"])
      if (one.hasAttribute(name)) one.setAttribute(name, new URL(one.getAttribute(name), url).href);
    await window.MathJax?.typesetPromise?.([copy]);
    return copy;
  }

  const LINKS = ".bd-article a.internal[href*='#'], .bd-article a.reference[href^='#'], .bd-article a[href*='bibliography.html#']";
  let loaded;
  const script = (name) => new Promise((done, fail) => document.head.append(element("script", { src: new URL(`tippy/${name}`, base), onload: done, onerror: fail })));
  // The library comes with the first link that somebody points to.
  function load() {
    document.head.append(element("link", { rel: "stylesheet", href: new URL("tippy/tippy.css", base) }));
    return script("popper.min.js").then(() => script("tippy.umd.min.js"));
  }

  async function show(event) {
    const link = event.target.closest?.(LINKS);
    if (!link || link._tippy || link.matches(".headerlink, .preview a") || link.origin !== location.origin) return;
    await (loaded ??= load());
    if (link._tippy) return;
    tippy(link, {
      content: "…", interactive: true, maxWidth: 520, delay: [250, 100], touch: ["hold", 400], theme: "userdp", appendTo: document.body, placement: "bottom-start",
      onShow(tip) {
        if (tip.filled) return;
        tip.filled = true;
        preview(link).then((copy) => (copy ? tip.setContent(copy) : tip.destroy())).catch(() => tip.destroy());
      },
    });
    if (link.matches(":hover, :focus")) link._tippy.show();
  }

  /* ---- all folds at once ---- */

  const FOLDS = "article details:not(.claim-row, .api-entry)";
  function offerFolds() {
    const folds = [...document.querySelectorAll(FOLDS)], title = document.querySelector("article h1");
    if (!title || folds.length < 2) return;
    const names = new Map(folds.map((fold) => [fold, fold.getAttribute("name")]));
    const set = (open) => {
      for (const fold of folds) {
        // Tabs of one row are open one at a time, unless all are.
        if (open) fold.removeAttribute("name"); else if (names.get(fold)) fold.setAttribute("name", names.get(fold));
        fold.open = open;
      }
    };
    const button = (text, open) => element("button", { type: "button", textContent: text, onclick: () => set(open) });
    const offer = element("p", { className: "all-folds" }, button("open all", true), " · ", button("close all", false));
    const contents = document.querySelector(".sidebar-secondary-item");
    if (contents) contents.append(offer); else title.after(offer);
  }

  /* What a reader is led to stands in no closed fold. */
  function unfold(one) {
    for (let fold = one.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }

  /* What one bar opens, it opens in whole. */
  function openRuns() {
    for (const bar of document.querySelectorAll(".run-bar"))
      bar.addEventListener("toggle", () => bar.parentElement.querySelectorAll("details.hide").forEach((fold) => { fold.open = bar.open; }));
  }

  /* ---- a figure in full ---- */

  function enlarge(event) {
    const image = event.target.closest("article figure img, article .cell_output > img, article .output > img");
    if (!image || !matchMedia("(max-width: 48rem)").matches) return;
    const dialog = element("dialog", { className: "full", ariaLabel: "The figure in full" });
    const close = element("button", { type: "button", textContent: "×", ariaLabel: "Close", onclick: () => dialog.close() });
    dialog.append(close, element("img", { src: image.src, alt: image.alt }));
    dialog.addEventListener("close", () => { dialog.remove(); image.focus(); });
    document.body.append(dialog);
    dialog.showModal();
  }

  function offerFull() {
    for (const image of document.querySelectorAll("article figure img")) {
      image.tabIndex = matchMedia("(max-width: 48rem)").matches ? 0 : -1;
      image.addEventListener("keydown", (event) => event.key === "Enter" && enlarge(event));
    }
    document.addEventListener("click", enlarge);
  }

  /* ---- a graph: what leads to and from the statement that is pointed to ---- */

  function follow(graph) {
    const edges = [...graph.querySelectorAll("path[data-from]")];
    const reach = (start, near, far) => {
      const found = new Set([start]);
      for (const one of found) for (const edge of edges) if (edge.dataset[near] === one) found.add(edge.dataset[far]);
      return found;
    };
    const mark = (event) => {
      const id = event.target.closest("[data-id]")?.dataset.id;
      graph.classList.toggle("pointed", Boolean(id));
      if (!id) return;
      const up = reach(id, "from", "to"), down = reach(id, "to", "from");
      for (const node of graph.querySelectorAll("[data-id]")) node.classList.toggle("kept", up.has(node.dataset.id) || down.has(node.dataset.id));
      for (const { dataset, classList } of edges) classList.toggle("kept", up.has(dataset.from) && up.has(dataset.to) || down.has(dataset.from) && down.has(dataset.to));
    };
    const clear = () => graph.classList.remove("pointed");
    for (const [name, act] of [["pointerover", mark], ["focusin", mark], ["pointerleave", clear], ["focusout", clear]]) graph.addEventListener(name, act);
  }

  /* On a telephone a formula that is too wide is broken at the top level: at a wide blank, before a relation, before a sum. */
  const BREAKS = [/^\\q?quad$/, /^(\\(le|leq|ge|geq|approx|sim|ll|gg|to)|[=<>])$/, /^[+-]$/];
  const OPEN = /^([{([]|\\\{|\\left)$/, CLOSE = /^([})\]]|\\\}|\\right)$/, UNSEEN = /^([{}^_\s]|\\[,;:! ]|\\([bB]igg?[lrm]?|left|right|tfrac|frac))$/;
  const tokens = (tex) => tex.match(/\\[a-zA-Z]+|\\?[^]/g) ?? [];
  const weight = (tex) => tokens(tex).filter((token) => !UNSEEN.test(token)).length;

  // Not after a sign, of which it would be the second, nor in an index.
  function pieces(tex, at) {
    let depth = 0, last = "";
    const found = [""];
    for (const token of tokens(tex)) {
      depth += OPEN.test(token) - CLOSE.test(token);
      if (depth === 0 && at.test(token) && /[^_^]/.test(last) && !BREAKS.some((sign) => sign.test(last))) found.push("");
      found[found.length - 1] += token;
      if (token.trim()) last = /[_^]/.test(last) ? "x" : token;
    }
    return found;
  }

  function broken(tex, part) {
    const body = tex.replace(/\\(begin|end)\{(split|aligned|gathered)\}/g, "");
    if (/\\begin|\\tag/.test(body)) return tex;
    const whole = body.split("\\\\").map((line) => line.replaceAll("&", "")), room = part * Math.max(...whole.map(weight));
    let lines = whole;
    for (const at of BREAKS) lines = lines.flatMap((line) => (weight(line) > room ? pieces(line, at) : [line]));
    const first = (line) => tokens(line.trimStart())[0] ?? "", blank = (line) => BREAKS[0].test(first(line));
    const set = lines.map((line) => (blank(line) ? line.trimStart().slice(first(line).length) : line))
      .map((line) => (BREAKS.some((sign) => sign.test(first(line))) ? `\\quad{}${line}` : line));
    return lines.length > whole.length ? `\\begin{aligned}&${set.join("\\\\&")}\\end{aligned}` : tex;
  }

  /* One that is a little too wide is set smaller, down to 14 pixels; a wider one scrolls as it is. */
  async function fit() {
    await window.MathJax?.startup?.promise;
    const page = window.MathJax?.startup?.document;
    // The part of it that fits, and the size of letters at which all would.
    const room = (one) => {
      const part = 0.99 * one.clientWidth / one.scrollWidth;
      return [part, part * parseFloat(getComputedStyle(one).fontSize)];
    };
    for (const item of page ? [...page.math] : []) {
      const { typesetRoot: one, math } = item;
      if (!item.display || !one?.clientWidth) continue;
      const [part, size] = room(one), tex = size < 15 ? broken(math, part) : math;
      if (tex === math) continue;
      item.typesetRoot = await MathJax.tex2chtmlPromise(tex, MathJax.getMetricsFor(one.parentElement, true));
      one.replaceWith(item.typesetRoot);
    }
    page?.clear().updateDocument();
    const sizes = [...document.querySelectorAll("mjx-container[display='true']")].map((one) => [one, ...room(one)]);
    for (const [one, part, size] of sizes) if (part < 0.99 && size >= 14) one.style.fontSize = `${size}px`;
  }

  /* There a table of words that is too wide, or has cells of ten lines, is a block for each row. */
  function stack() {
    for (const frame of document.querySelectorAll("article .pst-scrollable-table-container")) {
      const table = frame.querySelector("table"), heads = [...table?.querySelectorAll("thead th") ?? []], cells = [...table?.querySelectorAll("tbody td") ?? []];
      const words = cells.filter((cell) => cell.textContent.trim().split(/\s+/).length > 3).length, wide = frame.scrollWidth > frame.clientWidth + 1;
      const tall = heads.length > 2 && cells.some((cell) => cell.clientHeight > 240);
      if (!wide && !tall || 4 * words < cells.length || table.closest(".userdp-filtered") || table.querySelector("[rowspan], [colspan], tbody th")) continue;
      table.classList.add("stacked");
      for (const cell of cells) if (cell.cellIndex && cell.textContent.trim())
        cell.prepend(element("span", { className: "head" }, ...heads[cell.cellIndex].cloneNode(true).childNodes, ": "));
    }
  }

  /* There a line of code that is too long goes on below itself, two letters further in than it began. */
  function hang() {
    for (const code of document.querySelectorAll("article .highlight pre")) {
      const lines = code.innerHTML.trimEnd().split("\n").map((line) => {
        const made = element("span", { className: "line", innerHTML: line });
        made.style.setProperty("--in", `${made.textContent.search(/\S|$/)}ch`);
        return made;
      });
      code.replaceChildren(...lines.flatMap((line) => [line, "\n"]));
    }
  }

  /* The theme leaves the sidebar as it was on the page before. */
  function showPlace() {
    const bar = document.querySelector(".bd-sidebar-primary"), here = [...bar?.querySelectorAll("a.current") ?? []].at(-1);
    if (!here) return;
    const { top, bottom } = here.getBoundingClientRect(), frame = bar.getBoundingClientRect();
    const free = bar.querySelector(".search-button-field")?.getBoundingClientRect().bottom ?? frame.top;
    if (top < free || bottom > frame.bottom) bar.scrollTop += top - frame.top - bar.clientHeight / 2;
  }

  function start() {
    window.addEventListener("load", showPlace);
    if (matchMedia("(max-width: 48rem)").matches) {
      window.addEventListener("load", fit);
      stack();
      hang();
    }
    offerFolds();
    openRuns();
    offerFull();
    document.querySelectorAll(".statement-graph").forEach(follow);
    for (const name of ["pointerover", "focusin", "touchstart"]) document.addEventListener(name, show, { passive: true });
  }
  return { start, preview, broken, unfold };
})();

window.addEventListener("DOMContentLoaded", userdpPage.start);
