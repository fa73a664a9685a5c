/* For readers without a mouse or a screen: names for the arrows of the table of contents, which the theme leaves
   unnamed, a tab stop on whatever scrolls sideways, and the focus left where it was. */
"use strict";

const userdpReach = (() => {
  function nameArrows() {
    for (const summary of document.querySelectorAll("nav li > details > summary:not([aria-label])")) {
      const link = summary.closest("li").querySelector("a");
      summary.setAttribute("aria-label", `Pages under ${link.textContent.trim()}`);
    }
  }

  function addTabStops() {
    for (const box of document.querySelectorAll("article td, article .output, article mjx-container, article pre, article .pst-scrollable-table-container")) {
      const scrolls = box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX);
      if (scrolls && !box.hasAttribute("tabindex")) box.tabIndex = 0;
    }
  }

  /* The theme takes the focus off its switch, so that a second press of the key would do nothing. */
  function keepFocus() {
    for (const button of document.querySelectorAll(".theme-switch-button"))
      button.addEventListener("click", (event) => event.detail === 0 && setTimeout(() => button.focus()));
  }

  async function start() {
    nameArrows();
    keepFocus();
    // A bibliography is marked as a list although it has anchors between its entries.
    document.querySelectorAll(".citation-list[role=list]").forEach((e) => e.removeAttribute("role"));
    addTabStops();
    await window.MathJax?.startup?.promise;
    addTabStops();
  }
  return { start, addTabStops };
})();

window.addEventListener("load", userdpReach.start);
window.addEventListener("resize", userdpReach.addTabStops);
