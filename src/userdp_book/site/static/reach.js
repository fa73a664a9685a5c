/* For readers without a mouse or a screen: names for the arrows of the table of contents, which the theme leaves
   unnamed, a tab stop on whatever scrolls sideways, the focus left where it was; and a link into a fold opens it. */
"use strict";

const userdpReach = (() => {
  function nameArrows() {
    for (const summary of document.querySelectorAll("nav li > details > summary:not([aria-label])")) {
      const link = summary.closest("li").querySelector("a");
      summary.setAttribute("aria-label", `Pages under ${link.textContent.trim()}`);
    }
  }

  /* All are measured before any is changed, so that the page is laid out once. */
  function addTabStops() {
    const boxes = document.querySelectorAll("article td, article .output, article mjx-container, article span.math, article pre, article .pst-scrollable-table-container, article .statement-graph, article .window");
    const measured = [...boxes].map((box) => {
      const style = getComputedStyle(box), slack = box.matches("span") ? 4 : 0; // an accent of a formula runs over
      const wide = box.scrollWidth > box.clientWidth + slack;
      const scrolls = wide && /auto|scroll/.test(style.overflowX) || box.scrollHeight > box.clientHeight && /auto|scroll/.test(style.overflowY);
      return [box, scrolls, scrolls && wide, box.scrollWidth - box.clientWidth];
    });
    for (const [box, scrolls, sideways, hidden] of measured) {
      box.classList.toggle("scrolls", sideways);
      if (sideways) box.style.setProperty("--hidden", `${hidden}px`); // it fades no more than is hidden
      if (scrolls && box.tabIndex < 0) box.tabIndex = 0; // the theme takes stops away from what does not scroll
    }
  }

  /* Folds that open together, as all of a page do, are measured once. */
  let due = 0;
  function addSoon() {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(addTabStops);
  }

  /* The theme takes the focus off its switch, so that a second press of the key would do nothing. */
  function keepFocus() {
    for (const button of document.querySelectorAll(".theme-switch-button"))
      button.addEventListener("click", (event) => event.detail === 0 && setTimeout(() => button.focus()));
  }

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folds = [...document.querySelectorAll("article .toggle-hidden")].filter((fold) => target && fold.contains(target));
    for (const fold of folds) fold.querySelector("button.toggle-button")?.click();
    const row = target?.querySelector(":scope > details.opens") ?? target?.closest("details");
    if (row) userdpPage.unfold(row);
    if (folds.length || row) target.scrollIntoView();
  }

  async function start() {
    nameArrows();
    openTarget();
    keepFocus();
    // A bibliography is marked as a list although it has anchors between its entries.
    document.querySelectorAll(".citation-list[role=list]").forEach((e) => e.removeAttribute("role"));
    // A name for screen readers that leaves out the words one sees.
    for (const one of document.querySelectorAll(".search-button-field[aria-label], summary[aria-label='Toggle hidden content']")) one.removeAttribute("aria-label");
    addTabStops();
    await window.MathJax?.startup?.promise;
    await document.fonts.ready;
    new ResizeObserver(addTabStops).observe(document.querySelector("article") ?? document.body);
  }
  return { start, addTabStops, addSoon, openTarget };
})();

window.addEventListener("load", userdpReach.start);
document.addEventListener("toggle", userdpReach.addSoon, true);
window.addEventListener("hashchange", userdpReach.openTarget);
