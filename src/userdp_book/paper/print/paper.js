// Fit a page to paper. Returns its title, and the words and ids of the headings below it.
() => {
  // What would run over the edge is drawn smaller; on a screen it scrolls.
  const width = document.querySelector("article").clientWidth;
  document.querySelectorAll("table, mjx-container[display='true']").forEach((e) => {
    const room = Math.min(width, e.parentElement.clientWidth || width);
    if (e.scrollWidth > room + 1) e.style.zoom = room / e.scrollWidth;
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
  };
}
