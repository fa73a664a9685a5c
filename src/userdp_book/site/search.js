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
  const search = Search.performSearch;
  Search.performSearch = (query) => search(query.match(STATEMENT)?.slice(1).filter(Boolean).join(" ") ?? query);
}
