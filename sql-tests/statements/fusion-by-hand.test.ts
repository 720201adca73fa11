/** `hybrid()` beside fusion by hand: the arms asked one by one, and their scores and ranks put together here. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/seeded-random.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const ROWS = 300;
const K = 12;
const DEPTH = 25;
const QUERIES = ['w1', 'w3 w40', 'w2 w9 w60 w70'] as const;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  const random = seededRandom(5);
  const text = (): string =>
    Array.from({ length: 4 + Math.floor(random() * 20) }, () => `w${Math.floor(80 ** random())}`).join(' ');
  database = await TestDatabase.open({ settings: { headRows: 70 } });
  session = await database.session();
  await session.rows(`CREATE TABLE docs (_id text, title text INDEX keyword_index(),
    body text INDEX semantic_index(model => 'hash'), year int)`);
  const rows = Array.from({ length: ROWS }, (_, i) => `('d${i}', '${text()}', '${text()}', ${i % 10})`);
  for (let from = 0; from < ROWS; from += 60) {
    await session.rows(
      `INSERT INTO docs (_id, title, body, year) VALUES ${rows.slice(from, from + 60).join()}`,
    );
  }
});

afterAll(async () => {
  await database.close();
});

interface ByHand {
  /** Scores of all rows that have one. */
  readonly scores: ReadonlyMap<string, number>;
  /** The arm's best rows, best first. */
  readonly best: readonly string[];
}

async function armByHand(score: string, where: string): Promise<ByHand> {
  const rows = await session.rows(`SELECT _id, ${score} AS s FROM docs WHERE ${where} ORDER BY s DESC, _id`);
  const scores = new Map(rows.map(([id, s]) => [id as string, Number(s)] as const));
  return { scores, best: [...scores.keys()].slice(0, DEPTH) };
}

type Contribution = (arm: ByHand, candidates: ReadonlySet<string>, id: string) => number;

const rrf: Contribution = ({ best }, _, id) => (best.includes(id) ? 1 / (60 + best.indexOf(id) + 1) : 0);

/** A score as a share of the way from `least` to the best of the candidates. */
const scaled =
  (least: (known: readonly number[]) => number): Contribution =>
  ({ scores }, candidates, id) => {
    const known = [...candidates].flatMap((one) => scores.get(one) ?? []);
    const score = scores.get(id);
    if (score === undefined) return 0;
    return (score - least(known)) / (Math.max(...known) - least(known) || 1);
  };

const CASES = [
  { method: 'rrf', weights: [1, 1], by: [rrf, rrf] },
  { method: 'rrf', weights: [3, 0.5], by: [rrf, rrf] },
  { method: 'linear', weights: [3, 1], by: [scaled(() => -1), scaled(() => 0)] },
  { method: 'linear', weights: [1, 4], by: [scaled(() => -1), scaled(() => 0)] },
  {
    method: 'minmax',
    weights: [2, 1],
    by: [scaled((known) => Math.min(...known)), scaled((known) => Math.min(...known))],
  },
] as const;

it.each(CASES.flatMap((one) => ['true', 'year < 3'].map((filter) => ({ ...one, filter }))))(
  'gives what $method with weights $weights gives where $filter',
  async ({ method, weights, by, filter }) => {
    for (const query of QUERIES) {
      const arms = [
        await armByHand(`semantic_similarity(body, '${query}')`, filter),
        // Words of both columns: a semantic index keeps them, too.
        await armByHand('bm25_score()', `match('${query}') AND ${filter}`),
      ];
      const candidates = new Set(arms.flatMap(({ best }) => best));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const expected = [...candidates].map((id) => {
        const parts = arms.map((arm, i) => {
          return ((weights[i] as number) / total) * (by[i] as Contribution)(arm, candidates, id);
        });
        return { id, parts, score: parts.reduce((sum, part) => sum + part, 0) };
      });
      expected.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
      const rows = await session.rows(`SELECT _id, score, semantic_rank, keyword_rank, semantic_score,
        semantic_share, keyword_share FROM hybrid('docs', '${query}', method => '${method}',
        weights => ARRAY[${weights.join()}]::float8[], k => ${K}, depth => ${DEPTH}, filter => '${filter}')`);
      expect(rows.length).toBe(Math.min(K, candidates.size));
      for (const [i, row] of rows.entries()) {
        const one = expected.find(({ id }) => id === row[0]);
        expect(one).toBeDefined();
        if (one === undefined) continue;
        expect(Number(row[1])).toBeCloseTo(one.score, 9);
        expect(Number(row[1])).toBeCloseTo(expected[i]?.score ?? 0, 9);
        const ranks = arms.map(({ best }) => best.indexOf(one.id) + 1);
        expect([row[2], row[3]].map(Number)).toEqual(ranks);
        expect(Number(row[4])).toBeCloseTo(arms[0]?.scores.get(one.id) ?? 0, 6);
        for (const [arm, part] of one.parts.entries()) {
          expect(Number(row[5 + arm])).toBeCloseTo(part / one.score, 6);
        }
      }
    }
  },
);
