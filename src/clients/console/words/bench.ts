/** Words of the search bench. */

export const BENCH_WORDS = {
  source: 'What to search',
  query: 'What to look for',
  filter: 'Condition, as in WHERE',
  method: 'How hybrid joins the arms',
  none: 'Nothing to compare yet',
  noneSaid:
    'The bench compares searches by words, by meaning and by both. It needs a collection with a keyword or a semantic index.',
  toCollections: 'Go to collections',
  empty: 'Ask once, see three answers',
  emptySaid:
    'What words find stands at the left, what meaning finds at the right, and what both find together in the middle. Lines join the same row; a click says what its score is made of.',
  lanes: 'Search',
  arms: { keyword: 'Keyword', hybrid: 'Hybrid', meaning: 'Meaning' },
  glance: ({ both, keyword, meaning }: Readonly<Record<'both' | 'keyword' | 'meaning', number>>) =>
    `${both} found by both, ${keyword} by words alone, ${meaning} by meaning alone.`,
  missing: {
    keyword: 'There is no keyword index: words cannot be ranked.',
    meaning: 'There is no semantic index: meaning cannot be ranked.',
    hybrid: 'There is neither a keyword nor a semantic index.',
  },
  nothing: 'Nothing was found.',
  alone: 'only here',
  score: (score: string) => `score ${score}`,
  shares: (keyword: number, meaning: number) => `${keyword} % by words, ${meaning} % by meaning`,
  copyExplanation: 'Copy the explanation as JSON',
  byMethod: (method: string) => `joined by ${method}`,
  seeRow: 'Open the row',
  rawScore: 'score',
  rank: 'rank',
  notFound: 'not found',
  contribution: 'adds',
  sum: (weight: string, normalized: string, sum: string) => `${weight} × ${normalized} = ${sum}`,
  share: (percent: number) => `${percent} % of the score`,
  term: 'Word',
  where: 'Where',
  rows: 'In rows',
  adds: 'Adds',
  times: (column: string, times: number) => `${column}${times === 1 ? '' : ` ×${times}`}`,
  otherTerms: (terms: string) => `${terms} more words`,
  passage: (at: number, of: number) =>
    of === 1 ? 'The text that was compared' : `Passage ${at} of ${of}, the most alike`,
} as const;
