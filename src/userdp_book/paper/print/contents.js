// The title and the table of contents, in the place of a page.
([parts, order]) => {
  const colophon = "The pages of the HTML book, printed: text and figures under CC BY 4.0, code under BSD-3-Clause. "
    + "Proofs and solutions are open; on the site are the ledgers, all checks and tests, folded code, "
    + "machine-checked sources, walks through the papers and the labs.";
  const known = new Map(parts.map((part) => [part.docname, part]));
  const up = "../".repeat(order[0].docname.split("/").length - 1);
  const add = (to, name, text, properties = {}) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(text);
    to.append(element);
    return element;
  };
  const article = add(document.body, "article", "", { className: "bd-article" });
  document.body.replaceChildren(article);
  add(article, "h1", parts[0].title);
  add(article, "p", colophon);
  add(article, "h2", "Contents");
  const nav = add(article, "nav", "", { className: "of-the-book" });
  const last = parts.at(-1);
  const index = { title: "Index", first: last.first + last.sheets, docname: "index" };
  for (const { level, caption, docname } of [...order, { level: 0, caption: "", docname: "index" }]) {
    const row = add(nav, "p", caption, { className: caption && "caption" });
    if (caption) continue;
    const { title, first } = known.get(docname) || index;
    row.style.marginLeft = `${1.5 * level}em`;
    add(row, "a", title, { href: `${up}${docname}.html` });
    add(row, "span", String(first), { className: "page" });
  }
}
