// Sphinx's weights, and the name of a statement's box behind the title of its page.
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
const STATEMENT = /(?:\b(kent|dame|cummings|liu)\b.*?)?\b(theorem|lemma|proposition|corollary|algorithm|figure|table) ([\w.]*\d[\w.]*)/i;
if (typeof Search !== "undefined") {
  // A page that is opened from a result marks the words that were asked for, but no single letters and digits.
  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const parsed = parse(query), marked = parsed[3];
    for (const word of marked) if (word.length < 3) marked.delete(word);
    localStorage.setItem("sphinx_highlight_terms", [...marked].join(" "));
    return parsed;
  };
  const search = Search.performSearch;
  Search.performSearch = (query) => search(query.match(STATEMENT)?.slice(1).filter(Boolean).join(" ") ?? query);
}
