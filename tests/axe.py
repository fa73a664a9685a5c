"""What an accessibility checker, axe-core, finds in a page, light and dark.

Two things make this affordable. The contrast of text is measured on one or two elements for each way in
which the book paints text (theme, colour, size, weight, everything behind it; a link also by the text that
it stands in) instead of on every word of every page. And what is one text to a reader becomes one text: the
coloured words of a program; a formula, whose glyphs are hidden from screen readers, which read the MathML
beside them.
"""

from importlib.resources import files

UNFOLD = """() => {
  // What opens or changes its colours does so at once, not over a fraction of a second.
  const still = document.head.appendChild(document.createElement('style'));
  still.textContent = '*, ::before, ::after { transition: none !important; animation: none !important }';
  document.querySelectorAll('details').forEach(e => { e.removeAttribute('name'); e.open = true; });
  document.querySelectorAll('.toggle-hidden').forEach(e => e.classList.remove('toggle-hidden'));
  document.querySelectorAll('mjx-math').forEach(e => e.remove());
}"""
THEME = "theme => { document.documentElement.dataset.theme = theme; }"
MARK = """known => {
  const behind = new Map(), painted = new Map();
  const backdrop = e => {
    if (!e) return '';
    if (!behind.has(e)) {
      const s = getComputedStyle(e);
      const look = `${s.backgroundColor} ${s.backgroundImage} ${s.opacity}|`;
      const own = look === 'rgba(0, 0, 0, 0) none 1|' ? '' : look;
      behind.set(e, own + backdrop(e.parentElement));
    }
    return behind.get(e);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility()) continue;
    const s = getComputedStyle(e), link = e.closest('a[href]'), around = link && link.parentElement;
    const alone = link && around.textContent.trim() === link.textContent.trim();
    const amid = link && !alone && getComputedStyle(around).color;
    const key = [s.color, s.fontSize, s.fontWeight, s.textDecorationLine, backdrop(e), amid].join(';');
    painted.set(key, [...(painted.get(key) || []), e].slice(0, 2));
  }
  known.forEach(key => painted.delete(key));
  [...painted.values()].flat().forEach(e => e.setAttribute('data-painted', ''));
  return [...painted.keys()];
}"""
JOIN = """() => {
  document.querySelectorAll('math').forEach(e => { e.textContent = e.textContent; });
  const word = e => e.getAttributeNames().every(name => name === 'class') && !e.closest('[data-painted]');
  [...document.querySelectorAll('pre span')].filter(word).forEach(
    e => e.querySelector('[data-painted]') || e.replaceWith(...e.childNodes));
  document.querySelectorAll('pre').forEach(e => e.normalize());
}"""
LIMIT = """() => axe.configure({rules: [
  ...axe._audit.rules.filter(r => ['minor', 'moderate'].includes(r.impact)).map(
    r => ({id: r.id, enabled: false})),
  {id: 'color-contrast', selector: '[data-painted], [data-painted] *'},
  {id: 'link-in-text-block', selector: 'a[href][data-painted], [data-painted] a[href]'},
]})"""
CHECK = """async options => {
  const found = await axe.run({resultTypes: ['violations'], preload: false, ...options});
  return found.violations.filter(v => ['serious', 'critical'].includes(v.impact)).flatMap(
    v => v.nodes.map(n => `${v.id}: ${n.target.join(' ')}: ${n.failureSummary}`));
}"""
OF_COLOUR = {"runOnly": ["color-contrast", "link-in-text-block"]}


def findings(tab, known=None):
    """What axe finds serious or critical in a page as it is, light, and in its colours, dark.

    Contrast is measured where text is painted in a way that is not known; then it is.
    """
    known = {"light": set(), "dark": set()} if known is None else known
    new = {}
    tab.evaluate(UNFOLD)
    for theme in ("light", "dark"):
        tab.evaluate(THEME, theme)
        new[theme] = tab.evaluate(MARK, list(known[theme]))
        known[theme].update(new[theme])
    tab.evaluate(JOIN)
    tab.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf8"))
    tab.evaluate(LIMIT)
    found = {"dark": tab.evaluate(CHECK, OF_COLOUR) if new["dark"] else []}
    tab.evaluate(THEME, "light")
    found["light"] = tab.evaluate(CHECK, {})
    return {theme: faults for theme, faults in found.items() if faults}
