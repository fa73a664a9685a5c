// The article as XHTML: math as MathML from MathJax's own tree, links to other pages by their new names.
([docnames, ending]) => {
  // Readers of today know letters by their code, and no longer by the attribute that asks for another alphabet:
  // where each alphabet has its A, a and 0, and which of its letters are elsewhere.
  const alphabets = {
    "bold": [0x1d400, 0x1d41a, 0x1d7ce, {}],
    "bold-italic": [0x1d468, 0x1d482, 0, {}],
    "double-struck": [0x1d538, 0x1d552, 0x1d7d8,
      { C: "\u2102", H: "\u210d", N: "\u2115", P: "\u2119", Q: "\u211a", R: "\u211d", Z: "\u2124" }],
    "script": [0x1d49c, 0x1d4b6, 0, { B: "\u212c", E: "\u2130", F: "\u2131", H: "\u210b", I: "\u2110",
      L: "\u2112", M: "\u2133", R: "\u211b", e: "\u212f", g: "\u210a", o: "\u2134" }],
    "fraktur": [0x1d504, 0x1d51e, 0, { C: "\u212d", H: "\u210c", I: "\u2111", R: "\u211c", Z: "\u2128" }],
  };
  const inAlphabet = (text, [upper, lower, digit, elsewhere]) => [...text].map((c) => {
    if (elsewhere[c]) return elsewhere[c];
    const first = /[A-Z]/.test(c) ? [upper, "A"] : /[a-z]/.test(c) ? [lower, "a"] : /[0-9]/.test(c) ? [digit, "0"] : [0];
    return first[0] ? String.fromCodePoint(first[0] + c.charCodeAt(0) - first[1].charCodeAt(0)) : c;
  }).join("");
  const spellOut = (math) => math.querySelectorAll("[mathvariant]").forEach((e) => {
    const name = e.getAttribute("mathvariant").replace(/^-tex-(bold-)?calligraphic$/, "script");
    if (name === "normal") return;
    if (alphabets[name] && !e.children.length) e.textContent = inAlphabet(e.textContent, alphabets[name]);
    e.removeAttribute("mathvariant");
    // A single letter is slanted by default.
    if (e.localName === "mi" && !/[A-Za-z\u0370-\u03ff]/.test(e.textContent)) e.setAttribute("mathvariant", "normal");
  });

  const article = document.querySelector("article");

  for (const item of window.MathJax?.startup?.document?.math || []) {
    if (!item.typesetRoot?.isConnected) continue;
    const parsed = new DOMParser().parseFromString(MathJax.startup.toMML(item.root), "text/xml");
    const math = document.importNode(parsed.documentElement, true);
    math.setAttribute("alttext", item.math.trim());
    math.setAttribute("display", item.display ? "block" : "inline");
    [math, ...math.querySelectorAll("*")].forEach((e) =>
      e.getAttributeNames().filter((n) => n.startsWith("data-")).forEach((n) => e.removeAttribute(n)));
    spellOut(math);
    item.typesetRoot.replaceWith(math);
  }

  const address = new RegExp("^" + location.href.slice(0, location.href.indexOf("/book/") + 1));
  article.querySelectorAll("a[href]").forEach((link) => {
    const whole = new URL(link.getAttribute("href"), location.href).href; // that of a drawing's link is no string
    if (!whole.startsWith("file:")) return;
    const [path, fragment] = whole.split("#");
    const docname = decodeURI(path).replace(address, "").replace(/\.html$/, "");
    if (docnames.includes(docname)) {
      const own = decodeURI(path) === decodeURI(location.href.split("#")[0]);
      const href = link.getAttribute("href").split("#")[0].replace(/\.html$/, ending);
      link.setAttribute("href", (own ? "" : href) + (fragment ? "#" + fragment : ""));
      if (!link.getAttribute("href")) link.removeAttribute("href");
    } else {
      link.removeAttribute("href");
      link.removeAttribute("download");
    }
  });

  // What HTML still understands and an EPUB may not contain.
  const aligned = (v) => `text-align: ${v}`;
  const styles = { width: (v) => `width: ${v}`, align: aligned, halign: aligned, valign: (v) => `vertical-align: ${v}` };
  for (const [name, style] of Object.entries(styles)) {
    article.querySelectorAll(`:is(table, col, td, th, tr, p, div)[${name}]`).forEach((e) => {
      e.style.cssText += style(e.getAttribute(name));
      e.removeAttribute(name);
    });
  }
  article.querySelectorAll("*").forEach((e) => {
    for (const name of e.getAttributeNames()) {
      if (/^(data-|on)/.test(name) || !/^[A-Za-z_][\w:.-]*$/.test(name)) e.removeAttribute(name);
    }
  });
  article.querySelectorAll("table[border]").forEach((e) => e.removeAttribute("border"));
  article.querySelectorAll("[loading]").forEach((e) => e.removeAttribute("loading"));
  const body = document.createElement("body");
  body.append(...article.childNodes);
  return {
    title: (body.querySelector("h1")?.textContent || document.title).trim(),
    body: new XMLSerializer().serializeToString(body),
    images: [...body.querySelectorAll("img")].map((e) => e.getAttribute("src")),
  };
}
