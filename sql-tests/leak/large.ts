/** Searches of relations that are large enough to have graphs, which are made of hidden rows too. */
import { seededRandom } from '../../src/seeded-random.ts';
import type { Case } from './cases.ts';
import type { Comparison, Twins } from './leak.ts';

const SEARCHES = 100;
const WANTED = 10;

export interface LargeComparison {
  readonly exact: Comparison;
  /** Share of the true nearest rows that both servers found by their graphs; the lesser of the two. */
  readonly recall: number;
  /** Rows that have another score than by exact search. */
  readonly otherScores: number;
}

export async function largeSearches(twins: Twins, seed: number): Promise<LargeComparison> {
  const random = seededRandom(seed);
  const queries = Array.from({ length: SEARCHES }, () => {
    // Between two rows that are seen, as `world.ts` makes them.
    const g = random() * 80_000;
    const vector = Array.from({ length: 64 }, (_, i) => Math.sin(g * (i + 1) * 0.7 + i + 2).toFixed(6)).join(
      ',',
    );
    return `SELECT id, v <=> '[${vector}]' FROM large ORDER BY v <=> '[${vector}]', id LIMIT ${WANTED}`;
  });
  const of = (sql: string): Case => ({ as: 'policies', surface: 'large', sql, asSet: false });
  const words = [7, 23, 49].map(
    (n) =>
      `SELECT id, bm25_score() FROM large WHERE match('word${n} acme other_a other_b', body) ORDER BY 2 DESC, id LIMIT 20`,
  );
  const exact = await twins.compare(
    [...queries.map((sql) => `SET LOCAL quern.exact = on; ${sql}`), ...words].map(of),
  );
  let otherScores = 0;
  const found = [0, 0];
  for (const sql of queries) {
    const [truth] = await twins.lines(of(`SET LOCAL quern.exact = on; ${sql}`));
    const wanted = new Map(rowsIn(truth));
    for (const [side, lines] of (await twins.lines(of(sql))).entries()) {
      for (const [id, score] of rowsIn(lines)) {
        if (!wanted.has(id)) continue;
        found[side] = (found[side] ?? 0) + 1;
        if (wanted.get(id) !== score) otherScores++;
      }
    }
  }
  return { exact, recall: Math.min(...found) / (SEARCHES * WANTED), otherScores };
}

const rowsIn = (lines: readonly string[] = []): [string, string][] =>
  lines.filter((line) => line.startsWith('D ')).map((line) => JSON.parse(line.slice(2)) as [string, string]);
