/* Of what Sphinx wrote, show a part: rows and boxes carry classes such as by-paper-kent, and each kind of class becomes
   a choice. What is chosen and typed stands in the address; a click on a column's head sorts. Without this script
   everything is shown, except what stands in a template. */
"use strict";

const userdpFilter = (() => {
  const FIELD = /^by-([a-z]+)-(.+)$/;
  const values = (row) => Object.fromEntries([...row.classList].map((name) => name.match(FIELD)).filter(Boolean).map(([, field, value]) => [field, value]));

  function chooser(field, counts) {
    const label = document.createElement("label");
    const select = Object.assign(document.createElement("select"), { name: field });
    select.append(new Option(`any ${field}`, ""), ...Object.entries(counts).map(([value, count]) => new Option(`${value.replaceAll("-", " ")} (${count})`, value)));
    label.append(select);
    select.setAttribute("aria-label", field);
    return label;
  }

  function bar(rows) {
    const found = {};
    for (const row of rows) for (const [field, value] of Object.entries(values(row))) {
      found[field] ??= {};
      found[field][value] = (found[field][value] ?? 0) + 1;
    }
    const form = Object.assign(document.createElement("form"), { className: "userdp-filter" });
    form.append(...Object.entries(found).map(([field, counts]) => chooser(field, counts)));
    const search = Object.assign(document.createElement("input"), { type: "search", name: "q", placeholder: "search" });
    search.setAttribute("aria-label", "search");
    const count = document.createElement("output");
    form.append(search, count);
    return form;
  }

  function start(box) {
    const rows = [...box.querySelectorAll("[class*='by-']")];
    const tables = [...new Set(rows.map((row) => row.closest("table")).filter(Boolean))];
    const form = bar(rows);
    const asked = new URLSearchParams(location.search);
    for (const control of form.querySelectorAll("select, input")) control.value = asked.get(control.name) ?? "";
    const show = () => {
      const wanted = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
      const fits = (row) => Object.entries(wanted).every(([field, value]) =>
        field === "q" ? row.textContent.toLowerCase().includes(value.toLowerCase()) : values(row)[field] === value);
      for (const row of rows) row.hidden = !fits(row);
      if (Object.keys(wanted).length) for (const part of box.querySelectorAll("details.part")) part.open = true;
      form.querySelector("output").value = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows shown`;
      // A table whose rows are all hidden goes with its title.
      for (const table of tables) table.hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
      const empty = (part) => part.querySelector("[class*='by-']:not([hidden])") === null;
      for (const part of box.querySelectorAll("section")) part.hidden = empty(part);
      for (const title of box.querySelectorAll(".rubric")) {
        let next = title.nextElementSibling;
        while (next && empty(next) && !next.matches(".rubric")) next = next.nextElementSibling;
        title.hidden = !next || next.matches(".rubric");
      }
      const query = new URLSearchParams(wanted).toString();
      history.replaceState(null, "", `${location.pathname}${query && "?"}${query}${location.hash}`);
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    // Below the title, where the box is a section.
    const title = box.querySelector(":scope > :is(h2, h3)");
    if (title) title.after(form); else box.prepend(form);
    tables.filter((table) => !table.tHead.querySelector("button")).forEach(sortable);
    show();
  }
  // "≤ 5.66 · 10⁻⁷" sorts as a number, words as words, nothing last.
  const HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
  function key(row, column) {
    const text = row.cells[column].textContent.trim();
    const found = text.match(/^(?:claimed )?[≤≥<> ]*(−?[\d.]+)(?: · 10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))?$/);
    if (!found) return [text === "" || text === "–" ? 2 : 1, text];
    const power = [...(found[2] ?? "⁰")].map((one) => "0123456789-"[HIGH.indexOf(one)]).join("");
    return [0, Number(`${found[1].replace("−", "-")}e${power}`)];
  }

  const compare = ([a, b], [c, d]) => a - c || (a === 0 ? b - d : a === 1 ? b.localeCompare(d) : 0);

  // Up, down, and as Sphinx wrote them.
  function sortable(table) {
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells];
    for (const [column, head] of heads.entries()) {
      const button = Object.assign(document.createElement("button"), { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { null: "ascending", ascending: "descending" }[head.getAttribute("aria-sort")];
        for (const other of heads) other.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        const sign = next === "descending" ? -1 : 1;
        const order = next ? rows.toSorted((a, b) => {
          const [first, second] = [key(a, column), key(b, column)];
          return first[0] === 2 || second[0] === 2 ? first[0] - second[0] : sign * compare(first, second);
        }) : rows;
        table.tBodies[0].append(...order);
      });
    }
  }

  /* Rows in a template are made when they are asked for, or when the address asks for some of them. */
  function offer(box) {
    const held = box.querySelector("template.on-demand");
    if (!held) return start(box);
    const rows = "[class*='by-']", count = held.content.querySelectorAll(rows).length, more = box.querySelector(rows) !== null;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "btn on-demand", textContent: more ? `Show ${count} more rows` : `Show all ${count} rows` });
    const make = () => {
      button.remove();
      box.querySelector(".userdp-filter")?.remove();
      held.replaceWith(held.content);
      start(box);
      window.MathJax?.typesetPromise?.([box]);
    };
    button.addEventListener("click", make);
    held.before(button);
    if (location.search || location.hash.startsWith("#claim-")) make(); else if (more) start(box);
  }

  return () => document.querySelectorAll(".userdp-filtered").forEach(offer);
})();

window.addEventListener("DOMContentLoaded", userdpFilter);
