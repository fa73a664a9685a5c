// Reduce a page of the built book to its article, unfold and typeset it. Returns what is missing.
async () => {
  const article = document.querySelector("article") || document.body;
  const every = (what, act) => article.querySelectorAll(what).forEach(act);
  const typesetter = document.querySelector("script[src*='/mathjax/']");

  // Formulas take their size from the letters beside them, so the faces come first, however late they are.
  const sheets = [...document.querySelectorAll("link[rel='stylesheet']")].filter((e) => !e.sheet);
  await Promise.all(sheets.map((e) => new Promise((done) => { e.onload = e.onerror = done; })));
  article.getBoundingClientRect(); // the faces are known once the page is laid out
  await Promise.all([...document.fonts].map((face) => face.load().catch(() => {})));
  // On paper what is looked up would bury what is read: boxes, proofs and what was found wrong stay; sources, walks,
  // keys, tests' names and the rows of what was found right are on the site.
  if (matchMedia("print").matches) {
    every(".behind > :is(.implementation, .machine-checked, .walk), .held, .claim:is(.claim-holds, .claim-context)", (e) => e.remove());
    every(".claim .claim-numbers, .claim-key", (e) => e.remove());
    every(".behind p", (e) => { if (/^(Measured|Checked) by /.test(e.textContent)) e.remove(); });
    every(".behind, .cell_output, .cell", (e) => { if (!e.querySelector("img, svg") && !e.textContent.trim()) e.remove(); });
  }
  // What is folded about a figure stays on the site, as do rows that are made when asked for.
  every("template, .run-bar, details.hide", (e) => e.remove());
  every("script, style, button, .headerlink, .sd-tab-set > input, .moving-controls, .all-folds", (e) => e.remove());
  every("details", (e) => { e.open = true; });
  every("summary:not(.opens > *)", (e) => e.replaceChildren(...(e.querySelector(".collapsed") || e).childNodes));
  every(".toggle-hidden", (e) => e.classList.remove("toggle-hidden"));
  every("a.image-reference", (e) => e.replaceWith(...e.childNodes));
  // What a script would choose from a page is all of it here.
  every("a[href*='?']:not([href*=':'])", (e) => e.setAttribute("href", e.getAttribute("href").split("?")[0]));
  every("picture > source", (e) => e.remove());
  every("img", (e) => { e.loading = "eager"; });

  document.body.replaceChildren(article);
  document.body.removeAttribute("class");
  document.documentElement.dataset.theme = "light";

  const faults = [];
  if (typesetter && article.querySelector(".math, mjx-container")) {
    // Only now, without what serves a reader at a screen: half of the work.
    const own = window.MathJax || {};
    window.MathJax = { ...own, options: { ...own.options, enableMenu: false, enableAssistiveMml: false } };
    const script = document.createElement("script");
    script.src = typesetter.src.split("?")[0] + "?wanted";
    await new Promise((done) => {
      script.onload = done;
      script.onerror = () => { faults.push("no MathJax"); done(); };
      document.head.append(script);
    });
    await window.MathJax.startup?.promise;
  }

  const images = [...article.querySelectorAll("img")];
  await Promise.all(images.map((e) => e.decode().catch(() => {})));
  await document.fonts.ready;
  images.filter((e) => !e.naturalWidth).forEach((e) => faults.push(`no picture ${e.src}`));
  every("mjx-merror", (e) => faults.push(`math in error: ${e.textContent}`));
  return faults;
}
