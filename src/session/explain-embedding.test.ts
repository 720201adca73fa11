/** EXPLAIN (ANALYZE) and quern.recall_check beside a model that takes long: its time is told, and told apart. */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { HASH_MODEL } from '../inference/hash-model.ts';
import type { EmbeddingModel, Inference } from '../inference/provider.ts';
import { createInference } from '../inference/registry.ts';

const SLOW_MS = 300;

/** Takes its time for a query that it has not had. */
class SlowModel implements EmbeddingModel {
  readonly name = 'slow';
  readonly leastCosine = -1;
  readonly dimension = HASH_MODEL.dimension;
  readonly fingerprint = 'slow';
  readonly isOutside = false;
  readonly #known = new Set<string>();

  hasQuery(text: string): boolean {
    return this.#known.has(text);
  }

  async embedQuery(text: string, signal: AbortSignal): Promise<Float32Array> {
    if (!this.#known.has(text)) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    this.#known.add(text);
    return HASH_MODEL.embedQuery(text, signal, FREELY);
  }

  embedDocuments = HASH_MODEL.embedDocuments;
  tokens = HASH_MODEL.tokens;
  passages = HASH_MODEL.passages;
  warm = HASH_MODEL.warm;
}

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  const own = await createInference({ modelsFolder: '/nowhere', threads: 1, rerank: 'words' });
  const slow = new SlowModel();
  const inference: Inference = {
    ...own,
    model: (name) => (name === 'slow' ? slow : own.model(name)),
    models: () => ['hash', 'slow'],
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
  database = await TestDatabase.open({ inference });
  session = await database.session();
  await session.rows(`CREATE TABLE notes (_id text, title text INDEX keyword_index(),
    body text INDEX semantic_index(model => 'slow'), year int)`);
  await session.rows(`INSERT INTO notes (_id, title, body, year)
    SELECT i::text, 'title ' || i, 'body of note ' || i, i % 10 FROM generate_series(1, 500) i`);
});

afterAll(async () => {
  await database.close();
});

const explain = async (options: string, text: string): Promise<string> =>
  (await session.rows(`EXPLAIN (${options}) ${text}`)).flat().join('\n');
const BEST = `SELECT _id FROM notes ORDER BY semantic_similarity(body, 'a note') DESC LIMIT 3`;
const HYBRID = `SELECT _id FROM hybrid('notes', 'title of note 7', k => 3) WHERE year > 4`;

test('the embedding of a query is a line of its own, once computed and then cached', async () => {
  const first = await explain('ANALYZE', BEST);
  const ms = Number(/Query Embedding: model=slow time=([\d.]+) ms \(computed\)/.exec(first)?.[1]);
  expect(ms).toBeGreaterThan(SLOW_MS - 10);
  const search = Number(/Search 1: .* time=([\d.]+) ms/.exec(first)?.[1]);
  const node = Number(/actual time=[\d.]+\.\.([\d.]+) /.exec(first)?.[1]);
  const whole = Number(/Execution Time: ([\d.]+) ms/.exec(first)?.[1]);
  expect(first).toMatch(/Planning Time: [\d.]+ ms/);
  expect(node).toBeGreaterThanOrEqual(ms + search - 1);
  expect(whole).toBeGreaterThanOrEqual(node - 1);
  expect(await explain('ANALYZE', BEST)).toMatch(/Query Embedding: model=slow time=[\d.]+ ms \(cached\)/);
  expect(await explain('ANALYZE, TIMING OFF', BEST)).toContain('Query Embedding: model=slow (cached)');
});

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Loops': number;
  readonly 'Query Embeddings'?: readonly { Model: string; Cached: string; Time: number }[];
  readonly Searches?: readonly { Strategy: string; Candidates: number; Time: number }[];
  readonly 'Estimated Selectivity'?: number;
  readonly Selectivity?: number;
  readonly Plans?: readonly Node[];
}

test('hybrid() shows its searches as they were executed, with their filter, and the embedding', async () => {
  const [{ Plan: plan, ...times }] = JSON.parse(await explain('ANALYZE, FORMAT JSON', HYBRID)) as [
    { Plan: Node; 'Planning Time': number; 'Execution Time': number },
  ];
  expect(plan['Node Type']).toBe('Fusion');
  expect(plan['Query Embeddings']).toMatchObject([{ Model: 'slow', Cached: 'false' }]);
  expect(plan.Plans?.map((scan) => scan['Node Type'])).toEqual(['Vector Search', 'Keyword Search']);
  for (const scan of plan.Plans ?? []) {
    expect(scan['Actual Loops']).toBe(1);
    expect(scan.Searches?.map((search) => search.Candidates > 0)).toEqual([true]);
    expect(scan.Selectivity).toBeCloseTo(0.5, 2);
    expect(scan['Estimated Selectivity']).toBeGreaterThan(0);
  }
  expect(times['Execution Time']).toBeGreaterThan(SLOW_MS - 10);
  expect(times['Planning Time']).toBeGreaterThanOrEqual(0);
  const text = await explain('ANALYZE', HYBRID);
  expect(text).not.toContain('never executed');
  expect(text).toMatch(/Search 2: strategy=.* time=/);
});

test('a hybrid() that finds nothing was executed, too', async () => {
  const text = await explain('ANALYZE', "SELECT _id FROM hybrid('notes', 'title') WHERE year > 100");
  expect(text).toMatch(/actual time=.* rows=0 loops=1/);
  expect(text).not.toContain('NaN');
});

test('recall_check times searches, not the embedding of the texts it asks for', async () => {
  const [[json]] = (await session.rows(`SELECT quern.recall_check('notes', 'body', NULL, 5, 5)`)) as [
    [string],
  ];
  const { p50_ms: index, exact_p50_ms: exact, sample } = JSON.parse(json) as Record<string, number>;
  expect(sample).toBeGreaterThan(0);
  expect(index).toBeLessThan(SLOW_MS / 2);
  expect(exact).toBeLessThan(SLOW_MS / 2);
});
