// Fit a page to paper. Returns its title, the words and ids of the headings below it, and what the index names:
// each box by its title, and each term where a section is about it.
(terms) => {
  // What would run over the edge is drawn smaller; on a screen it scrolls.
  const width = document.querySelector("article").clientWidth;
  document.querySelectorAll("table, mjx-container[display='true']").forEach((e) => {
    const room = Math.min(width, e.parentElement.clientWidth || width);
    if (e.scrollWidth > room + 1) e.style.zoom = room / e.scrollWidth;
  });

  const boxes = [...document.querySelectorAll(".proof[id]")].map((e) => {
    const title = e.querySelector(".admonition-title").cloneNode(true);
    title.querySelectorAll(".ribbon").forEach((ribbon) => ribbon.remove());
    return { name: title.textContent.trim().replace(/\s+/g, " "), id: e.id, box: true };
  });

  // Of every section its own words, and of every term in them the first place and how much is said of it there:
  // a definition counts more than a heading or the title of a box, and these more than a mention.
  const plain = (s) => s.toLowerCase().replace(/’/g, "'");
  const known = new Map(terms.map((t) => [plain(t), t]));
  const escaped = [...known.keys()].sort((a, b) => b.length - a.length).map((t) => t.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\w-])(${escaped.join("|")})(?:e?s)?(?![\\w-])`, "g");
  const weights = [["dt", 100], ["h1, h2, h3", 20], [".admonition-title", 10], ["em, strong", 3]];
  const found = new Map();
  const walker = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  for (let node; terms.length && (node = walker.nextNode());) {
    const around = node.parentElement;
    if (around.closest("pre, code, table, svg, mjx-container, .ribbon, .visually-hidden, .sr-only")) continue;
    if (!around.checkVisibility()) continue;
    for (const match of plain(node.data).matchAll(pattern)) {
      const term = known.get(match[1]), section = around.closest("section[id], article");
      const weight = weights.find(([where]) => around.closest(where))?.[1] || 1;
      const key = term + " " + section.id, one = found.get(key);
      if (!one) found.set(key, { name: term, weight, node, start: match.index, length: match[0].length });
      else one.weight += weight;
    }
  }
  const mentions = [...found.values()].filter((one) => one.weight > 1);
  // From behind, so that what is split off a text leaves the places before it.
  mentions.reverse().forEach((one, number) => {
    const mark = document.createElement("span"), text = one.node.splitText(one.start);
    text.splitText(one.length);
    mark.id = `indexed-${number}`; // Sphinx has ids like index-0
    // A place within a line is looked for where its block begins, which may be the page before.
    mark.style.display = "inline-block";
    text.replaceWith(mark);
    mark.append(text);
    one.id = mark.id;
  });

  // Chromium names a place in the PDF only if some link on the same page goes there.
  const holder = document.createElement("div");
  holder.style.display = "none";
  document.querySelectorAll("[id]").forEach((e) => {
    const link = document.createElement("a");
    link.href = "#" + e.id;
    holder.append(link);
  });
  document.body.append(holder);

  const headings = [...document.querySelectorAll("section[id] > h2")];
  return {
    title: document.querySelector("h1").innerText.trim(),
    headings: headings.map((e) => [e.innerText.trim(), e.parentElement.id]),
    indexed: [...boxes, ...mentions.map(({ name, id, weight }) => ({ name, id, weight }))],
  };
}
