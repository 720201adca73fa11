/**
 * Cost of scoring columns as the fields of one text beside summing their scores, in the engine: the same texts in
 * two and in three columns, every query both ways in turn.
 */
import { TestDatabase } from '../../sql-tests/fixtures/database.ts';
import type { PreparedArm, Snapshot } from '../../src/engine/engine.ts';
import { type KeywordTask, keywordTasks, keywordTexts } from '../retrieval/keyword-texts.ts';
import { median, report } from '../statistics.ts';

const K = 10;
const QUERIES = 60;
const ROUNDS = 8;
const BATCH_ROWS = 1_000;
/** Words of the first column and of the last. */
const TITLE_WORDS = 5;
const NAMES_WORDS = 12;
const COLUMNS = ['body', 'title', 'names'];
const LIVE = new AbortController().signal;

type Request = Parameters<Snapshot['prepare']>[2];

export async function fieldsSpeed(quick: boolean): Promise<void> {
  const texts = keywordTexts(quick ? 20_000 : 200_000);
  const tasks = keywordTasks(texts, QUERIES).filter(({ shape }) => shape !== 'phrase');
  const settings = { headRows: 1_000_000, headBytes: 2 ** 31, memoryBytes: 6 * 2 ** 30 };
  const database = await TestDatabase.open({ settings });
  try {
    await load(database, texts);
    for (const columns of [2, 3]) for (const task of tasks) await compare(database, columns, task);
  } finally {
    await database.close();
  }
}

async function load(database: TestDatabase, texts: readonly string[]): Promise<void> {
  const session = await database.session();
  const columns = COLUMNS.map((name) => `${name} text INDEX keyword_index()`);
  await session.rows(`CREATE TABLE plots (_id text, ${columns.join()})`);
  for (let from = 0; from < texts.length; from += BATCH_ROWS) {
    const rows = texts.slice(from, from + BATCH_ROWS).map((text, i) => {
      const words = text.replaceAll("'", "''").split(' ');
      const title = words.slice(0, TITLE_WORDS).join(' ');
      const names = words.slice(-NAMES_WORDS).join(' ');
      return `('${from + i}', '${words.join(' ')}', '${title}', '${names}')`;
    });
    await session.rows(`INSERT INTO plots (_id, ${COLUMNS.join()}) VALUES ${rows.join()}`);
  }
  await database.environment.engine.flush();
}

async function compare(database: TestDatabase, columns: number, task: KeywordTask): Promise<void> {
  using snapshot = database.environment.engine.snapshot();
  const relation = [...snapshot.catalog.relations.values()].find(({ name }) => name === 'plots');
  if (relation === undefined) throw new Error('the relation is there');
  const indexes = relation.indexes.filter(({ kind }) => kind === 'keyword').map(({ oid }) => oid);
  const chosen = indexes.slice(0, columns);
  const times = { separate: task.queries.map(() => Infinity), together: task.queries.map(() => Infinity) };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, query] of task.queries.entries()) {
      for (const how of ['separate', 'together'] as const) {
        const request: Request = {
          kind: 'keyword',
          indexes: chosen,
          ...(how === 'together' && { together: chosen.map(() => 1) }),
          operator: 'match',
          query,
          weight: 1,
          option: task.shape === 'all' ? 1 : 0,
          b: 0.75,
          k1: 1.2,
        };
        const began = performance.now();
        await search(snapshot, await snapshot.prepare(relation.oid, null, request), relation.oid);
        times[how][i] = Math.min(times[how][i] as number, (performance.now() - began) * 1000);
      }
    }
  }
  const mean = (list: readonly number[]): number => list.reduce((sum, time) => sum + time, 0) / list.length;
  const shown = (list: readonly number[]): string =>
    `p50 ${median(list).toFixed(0)} µs, mean ${mean(list).toFixed(0)}`;
  report(
    `${columns} columns together / summed, ${task.name}: mean time`,
    mean(times.together) / mean(times.separate),
    {
      bar: '<= 1.2',
      together: shown(times.together),
      summed: shown(times.separate),
    },
  );
}

async function search(snapshot: Snapshot, arm: PreparedArm, relation: number): Promise<void> {
  for (const part of snapshot.parts(relation, null)) await arm.search(part, K, null, LIVE);
}
