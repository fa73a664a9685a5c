/* Of what Sphinx wrote, show a part: rows and boxes carry classes such as by-paper-kent, and each kind of class becomes
   a choice. What is chosen and typed stands in the address. Without this script everything is shown. */
"use strict";

const userdpFilter = (() => {
  const FIELD = /^by-([a-z]+)-(.+)$/;
  const values = (row) => Object.fromEntries([...row.classList].map((name) => name.match(FIELD)).filter(Boolean).map(([, field, value]) => [field, value]));

  function chooser(field, options) {
    const label = document.createElement("label");
    const select = Object.assign(document.createElement("select"), { name: field });
    select.append(new Option(`any ${field}`, ""), ...options.map((value) => new Option(value.replaceAll("-", " "), value)));
    label.append(select);
    select.setAttribute("aria-label", field);
    return label;
  }

  function bar(rows) {
    const found = {};
    for (const row of rows) for (const [field, value] of Object.entries(values(row))) (found[field] ??= new Set()).add(value);
    const form = Object.assign(document.createElement("form"), { className: "userdp-filter" });
    form.append(...Object.entries(found).map(([field, options]) => chooser(field, [...options])));
    const search = Object.assign(document.createElement("input"), { type: "search", name: "q", placeholder: "search" });
    search.setAttribute("aria-label", "search");
    const count = document.createElement("output");
    form.append(search, count);
    return form;
  }

  function start(box) {
    const rows = [...box.querySelectorAll("[class*='by-']")];
    const form = bar(rows);
    const asked = new URLSearchParams(location.search);
    for (const control of form.querySelectorAll("select, input")) control.value = asked.get(control.name) ?? "";
    const show = () => {
      const wanted = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
      const fits = (row) => Object.entries(wanted).every(([field, value]) =>
        field === "q" ? row.textContent.toLowerCase().includes(value.toLowerCase()) : values(row)[field] === value);
      for (const row of rows) row.hidden = !fits(row);
      form.querySelector("output").value = `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
      for (const title of box.querySelectorAll("p.rubric")) {
        let next = title.nextElementSibling;
        while (next && next.hidden && !next.matches("p.rubric")) next = next.nextElementSibling;
        title.hidden = !next || next.matches("p.rubric");
      }
      const query = new URLSearchParams(wanted).toString();
      history.replaceState(null, "", `${location.pathname}${query && "?"}${query}${location.hash}`);
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    box.prepend(form);
    show();
  }
  return () => document.querySelectorAll(".userdp-filtered").forEach(start);
})();

window.addEventListener("DOMContentLoaded", userdpFilter);
