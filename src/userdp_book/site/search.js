// What a search finds: a statement's box by its number, a function by its name, else pages by how much they say of it.
const KINDS = {
  alg: "Algorithm", asm: "Assumption", cor: "Corollary", def: "Definition", eq: "Equation", ex: "Example",
  fig: "Figure", lem: "Lemma", prop: "Proposition", rem: "Remark", tab: "Table", thm: "Theorem",
};
var Scorer = {
  score: (result) => {
    const [, kind, number] = /^#\w+-([a-z]+)-([\w.]+)$/.exec(result[2]) || [];
    if (KINDS[kind]) result[1] = `${KINDS[kind]} ${number.toUpperCase()} › ${result[1]}`;
    return result[4];
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

// "Where does Kent's Algorithm 9 leak?" asks for Kent's Algorithm 9.
const STATEMENT = /\b(theorem|lemma|proposition|corollary|algorithm|figure|table) ([\w.]*\d[\w.]*)/i, PAPER = /\b(kent|dame|cummings|liu)\b/i;
function userdpNamed(query) {
  const [, ...statement] = STATEMENT.exec(query) ?? [], paper = PAPER.exec(query.replace(/\bpla\b/i, "dame"));
  return statement.length ? [paper?.[0], ...statement].filter(Boolean).join(" ") : query;
}
// Words of the field, and of those who come to it, for one thing.
const SYNONYMS = [
  "event item record row entry", "user person people customer individual", "visits lunch purchase loan count counts histogram",
  "clip clipping cap bound truncate contribution", "law distribution", "loss leak leaks spends charges charge broken", "budget epsilon eps ε",
  "error risk accuracy precise rmse", "mean average", "trusted curator central server", "local untrusted nobody", "install setup download",
  "csv file table frame pandas parquet spreadsheet", "wrong false mistake slip error correction corrections erratum errata",
  "teach course lab labs student assignment exercise exercises homework", "cite citation reference bibtex", "browser online web pyodide",
  "rerun reproduce rebuild", "unequal different heterogeneous", "optimal best minimax", "density kde fourier", "test audit auditing check",
  "noise laplace gaussian", "method algorithm estimator procedure", "symbol notation letter", "proof proved coq machine formal verified",
  "pdf epub print paper offline", "time seconds fast slow cost", "sparse sparsity", "cluster mixture component", "unknown open domain items",
].map((line) => line.split(" "));
const IDLE = new Set("a an and are as at be by can did do does for from has have how i if in into is it its many me much my not of on one or should so than that the their them there they this to was we what when where which who why will with you your".split(" "));

// What is looked up or repeats other pages comes after the page that explains.
const ASIDE = [["book/reference/api", 0.3], ["book/reference/glossary", 0.6], ["book/teach/student", 0.6]];

/* Pages in the order of what they say of the query's words: [page, score]. Ties stay in the order of reading. */
function userdpRank({ docs, words }, query, stem) {
  const scores = new Array(docs.length).fill(0), met = new Array(docs.length).fill(0);
  const asked = query.toLowerCase().match(/\p{L}+|\p{N}+/gu)?.filter((word) => !IDLE.has(word)) ?? [];
  for (const word of new Set(asked)) {
    const best = new Map();
    const others = SYNONYMS.filter((line) => line.includes(word)).flat().filter((other) => other !== word);
    for (const [one, weight] of [[word, 1], ...others.map((other) => [other, 0.35])]) {
      const found = words[stem(one)] ?? [];
      for (let i = 0; i < found.length; i += 2) best.set(found[i], Math.max(best.get(found[i]) ?? 0, weight * found[i + 1]));
    }
    for (const [page, score] of best) {
      met[page] += 1;
      scores[page] += score * (ASIDE.find(([name]) => docs[page].startsWith(name))?.[1] ?? 1);
    }
  }
  // Who asks with four words is better served by a page that says three of them.
  for (const page of scores.keys()) scores[page] *= met[page];
  return [...scores.entries()].filter(([, score]) => score > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

if (typeof Search !== "undefined") {
  // A page that is opened from a result marks the words that were asked for, but no single letters and digits.
  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const parsed = parse(query), marked = parsed[3];
    for (const word of marked) if (word.length < 3) marked.delete(word);
    localStorage.setItem("sphinx_highlight_terms", [...marked].join(" "));
    return parsed;
  };
  const search = Search.performSearch, perform = Search._performSearch;
  Search.performSearch = (query) => search(userdpNamed(query));
  Search._performSearch = (query, terms, ...rest) => {
    const { userdp, docnames, filenames, titles } = Search._index;
    // A name in the code has a stroke or a dot in it; Sphinx knows those.
    if (STATEMENT.test(query) || /^[\w.]*[_.]\w+(\(\))?$/.test(query)) return perform(query, terms, ...rest);
    document.getElementById("search-progress")?.replaceChildren();
    const stemmer = new Stemmer();
    // Sphinx shows the last first.
    return userdpRank(userdp, query, (word) => stemmer.stemWord(word)).slice(0, 40).reverse().map(([page, score]) => {
      const place = docnames.indexOf(userdp.docs[page]);
      return [docnames[place], titles[place], "", null, score, filenames[place]];
    });
  };
  // Under a result stands the first sentence of its page; under a box what Sphinx cuts out of its page.
  const summary = Search.makeSearchSummary, said = (html) => /<meta name="description" content="([^"]*)"/.exec(html)?.[1];
  Search.makeSearchSummary = (html, words, anchor) => {
    if (anchor || !said(html)) return summary(html, words, anchor);
    const line = Object.assign(document.createElement("p"), { className: "context" });
    line.innerHTML = said(html);
    return line;
  };
}
if (typeof module !== "undefined") module.exports = { userdpNamed, userdpRank };
