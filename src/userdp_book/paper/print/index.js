// The index, in the place of a page: each term with the pages of the sections that say most about it, each box.
([parts, order]) => {
  const MOST = 8; // pages of a term
  const up = "../".repeat(order[0].docname.split("/").length - 1);
  const collator = new Intl.Collator("en-GB", { numeric: true });
  const named = (wanted) => {
    const names = new Map();
    for (const { docname, first, indexed, places } of parts) {
      for (const { name, id, weight, box } of indexed) {
        if (Boolean(box) !== wanted || !places[id]) continue;
        const place = { page: first + places[id][0], href: `${up}${docname}.html#${id}`, weight };
        names.set(name, [...(names.get(name) || []), place]);
      }
    }
    return [...names].sort(([a], [b]) => collator.compare(a, b));
  };
  const most = (places) => {
    const pages = new Map(); // of one page the place that says most
    places.sort((a, b) => a.weight - b.weight).forEach((one) => pages.set(one.page, one));
    return [...pages.values()].sort((a, b) => b.weight - a.weight).slice(0, MOST).sort((a, b) => a.page - b.page);
  };
  const article = document.createElement("article");
  article.className = "bd-article";
  document.body.replaceChildren(article);
  const add = (to, name, ...inner) => {
    const element = document.createElement(name);
    element.append(...inner);
    to.append(element);
    return element;
  };
  add(article, "h1", "Index");
  for (const [heading, boxes] of [["Terms", false], ["Statements", true]]) {
    add(article, "h2", heading);
    const list = add(article, "nav");
    list.className = "index-of-the-book";
    for (const [name, places] of named(boxes)) {
      const row = add(list, "p", name);
      for (const { page, href } of most(places)) {
        row.append(", ");
        add(row, "a", String(page)).href = href;
      }
    }
  }
}
