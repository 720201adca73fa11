/**
 * Functions that rank or search a stored relation, as the catalog lists them and mistyped names are corrected to. The
 * binder reads their calls itself (`sql/bind/ranking`): what they mean depends on columns and indexes.
 */

interface RankingFunction {
  readonly name: string;
  /** `name type` of the arguments in order. */
  readonly args: readonly string[];
  /** How many at the end may be left out. */
  readonly optional: number;
  readonly returns: string;
  readonly set: boolean;
  readonly summary: string;
}

const row = (call: string, returns: string, summary: string, set = false): RankingFunction => {
  const [, name = '', inside = ''] = /^(\w+)\((.*)\)$/.exec(call) ?? [];
  const [required = '', optional = ''] = inside.split('|');
  const list = (text: string): readonly string[] => text.split(',').flatMap((part) => part.trim() || []);
  const args = [...list(required), ...list(optional)];
  return { name, args, optional: list(optional).length, returns, set, summary };
};

export const RANKING_FUNCTIONS: readonly RankingFunction[] = [
  row('embedding(col any)', 'vector', 'The vector of a semantic index over the column.'),
  row('semantic_similarity(col any, query text)', 'float8', 'How near in meaning a text is to a query.'),
  row(
    'vector_distance(col any, query any | skip_refine bool)',
    'float8',
    'Distance to a vector, by an index.',
  ),
  row(
    'multi_vector_distance(col any, query any | candidates int4)',
    'float8',
    "MaxSim of a query's vectors and a matrix.",
  ),
  row('match(query text | col any, weight float8, all_terms bool)', 'bool', 'True where words are found.'),
  row('matches(query text | col any, weight float8, all_terms bool)', 'bool', 'As match().'),
  row(
    'match_tokens(query _text | col any, weight float8, all_terms bool)',
    'bool',
    'True where tokens are found, each as it is.',
  ),
  row(
    'should(query text | col any, weight float8, all_terms bool)',
    'bool',
    'Always true: words that are found raise the score.',
  ),
  row('match_all(col any, query _text)', 'bool', 'True where all of the words are found.'),
  row('match_any(col any, query _text)', 'bool', 'True where one of the words is found.'),
  row('phrase(col any, query text | slop int4)', 'bool', 'True where words follow each other.'),
  row('fuzzy(col any, query text | distance int4)', 'bool', 'True where words like these are found.'),
  row('prefix(col any, query text)', 'bool', 'True where a word begins so.'),
  row('bm25(col any, query text)', 'float8', 'BM25 of a query over a column.'),
  row('bm25_score(| b float8, k1 float8)', 'float8', "BM25 of the statement's keyword predicates."),
  row('explain_score(| b float8, k1 float8)', 'jsonb', 'What a score is made of.'),
  row('snippet(col any | query text, options any)', 'text', 'The part of a text that answers best.'),
  row(
    'highlight(col any | query text, before text, after text, html bool, options any)',
    'text',
    'A text with the words that were found marked.',
  ),
  row('hybrid(collection text, query text)', 'record', 'The best rows by words and meaning together.', true),
  row('more_like(collection text, like any)', 'record', 'Rows like examples.', true),
  row(
    'facets(collection text, query text, columns any)',
    'record',
    'Counts of values among what is found.',
    true,
  ),
];
