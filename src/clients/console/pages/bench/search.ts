/** The three searches of the bench, as statements and as what they found. */
import type { Json } from '../../server/messages.ts';
import { quoteName, quoteText } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import type { BenchSource } from './sources.ts';

export type Arm = 'keyword' | 'hybrid' | 'meaning';

export type Method = 'softmax' | 'linear' | 'minmax' | 'rrf';

export const METHODS: readonly Method[] = ['softmax', 'linear', 'minmax', 'rrf'];

export interface Asked {
  readonly source: BenchSource;
  readonly query: string;
  /** SQL of a condition; empty: none. */
  readonly filter: string;
  readonly method: Method;
  readonly count: number;
}

export interface Hit {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly score: number;
  readonly explanation: Explanation;
}

export interface Explanation {
  readonly score?: number;
  readonly method?: string;
  readonly arms?: readonly ArmExplanation[];
  readonly predicates?: readonly ArmExplanation[];
  readonly rankings?: readonly ArmExplanation[];
}

export interface ArmExplanation {
  readonly arm?: string;
  readonly function: string;
  readonly query: string;
  readonly column?: string;
  readonly score: number | null;
  readonly rank?: number | null;
  readonly weight?: number;
  readonly normalized?: number;
  readonly contribution?: number;
  readonly share?: number;
  readonly terms?: readonly Term[];
  readonly other_terms?: { readonly count: number; readonly contribution: number };
  readonly passage?: {
    readonly number: number;
    readonly of: number;
    readonly start: number;
    readonly length: number;
  };
}

export interface Term {
  readonly words: readonly string[];
  readonly idf: number;
  readonly documents: number;
  readonly contribution: number;
  readonly frequency?: number;
  readonly fields?: readonly {
    readonly column: string;
    readonly frequency: number;
    readonly contribution: number;
  }[];
}

export interface Found {
  readonly hits: readonly Hit[];
  readonly ms: number;
}

/** Null: the collection has no index that this search needs. */
function searchSql({ source, filter, method, count }: Asked, arm: Arm): string | null {
  const { sql, key, title, text, keywordColumns, semanticColumns } = source;
  const identity =
    key.length === 0 ? `''` : key.map((name) => `${quoteName(name)}::text`).join(` || ',' || `);
  const columns = `${identity} AS key, ${title === null ? 'NULL' : `left(${quoteName(title)}, 200)`} AS title,
  ${text === null ? 'NULL' : `left(${quoteName(text)}, 240)`} AS text`;
  const and = filter.trim() === '' ? '' : ` AND (${filter})`;
  const where = filter.trim() === '' ? '' : `\nWHERE ${filter}`;
  const [meaning] = semanticColumns;
  switch (arm) {
    case 'keyword':
      if (keywordColumns.length === 0 && meaning === undefined) return null;
      return `SELECT ${columns}, bm25_score() AS score, explain_score() AS explanation
FROM ${sql}
WHERE match($1)${and}
ORDER BY bm25_score() DESC LIMIT ${count}`;
    case 'meaning':
      if (meaning === undefined) return null;
      return `SELECT ${columns}, semantic_similarity(${quoteName(meaning)}, $1) AS score,
  explain_score() AS explanation
FROM ${sql}${where}
ORDER BY semantic_similarity(${quoteName(meaning)}, $1) DESC LIMIT ${count}`;
    case 'hybrid':
      if (keywordColumns.length === 0 && meaning === undefined) return null;
      return `SELECT ${columns}, score, explanation
FROM hybrid(${quoteText(sql)}, $1, k => ${count}, method => '${method}', explain => true)${where}`;
  }
}

/** To be read and copied: with the query in it. */
export const writtenSql = (asked: Asked, arm: Arm): string =>
  (searchSql(asked, arm) ?? '').replaceAll('$1', () => quoteText(asked.query));

const textOf = (value: Json | undefined): string => (value == null ? '' : String(value));

/** @throws StatementError. */
export async function search(asked: Asked, arm: Arm, signal: AbortSignal): Promise<Found | null> {
  const sql = searchSql(asked, arm);
  if (sql === null) return null;
  const beganMs = performance.now();
  const { rows } = await run(sql, { params: [asked.query], signal });
  const hits = rows.map(
    ([key, title, text, score, explanation]): Hit => ({
      key: textOf(key),
      title: textOf(title),
      text: textOf(text),
      score: Number(score),
      explanation: (explanation ?? {}) as unknown as Explanation,
    }),
  );
  return { hits, ms: performance.now() - beganMs };
}

/** Where hybrid's arms had a hit, and how much of its score is theirs. */
export function partsOf({
  arms = [],
}: Explanation): Readonly<
  Record<'keyword' | 'meaning', { readonly rank: number | null; readonly share: number }>
> {
  const of = (name: string) => {
    const own = arms.filter(({ arm }) => arm === name);
    const ranks = own.flatMap(({ rank }) => (rank == null ? [] : [rank]));
    return {
      rank: ranks.length === 0 ? null : Math.min(...ranks),
      share: own.reduce((sum, { share = 0 }) => sum + share, 0),
    };
  };
  return { keyword: of('keyword'), meaning: of('semantic') };
}
