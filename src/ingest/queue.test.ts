/** Which waiting job begins next: datasets take turns, short files go first, and none is overtaken without end. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { OVERTAKEN_MAX } from '../session/datasets/queue-relations.ts';
import { SERVER_RELATIONS } from '../session/datasets/relations.ts';
import type { Query, ServerSession } from '../session/server-session.ts';
import { begin, type Job, readyJobs, succeed } from './queue.ts';

let database: TestDatabase;
let session: TestSession;
let own: ServerSession;

const run = <Result>(work: (query: Query) => Promise<Result>): Promise<Result> =>
  own.transaction(work, new AbortController().signal);

beforeEach(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  own = database.openOwn();
  for (const text of SERVER_RELATIONS) await run((query) => query(text));
});

afterEach(async () => {
  await own[Symbol.asyncDispose]();
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

let asked = 0;

/** @param sizes of files that are asked for in this order. */
async function ask(dataset: string, sizes: readonly number[], action = 'upsert'): Promise<void> {
  const rows = sizes.map((size) => {
    const names = `'${dataset}-${size}-${asked++}', '${dataset}', 'doc-${asked}'`;
    return `(${names}, '${action}', ${size}, 'queued', 0, now(), now())`;
  });
  await run((query) =>
    query(`INSERT INTO quern.handles
      (handle, dataset, doc_id, action, size, state, attempts, created_at, updated_at)
      VALUES ${rows.join(', ')}`),
  );
}

const named = ({ dataset, size }: Pick<Job, 'dataset' | 'size'>): string => `${dataset}-${size}`;

/** Does the next job, as a single lane would that asks the queue each time. */
async function doNext(): Promise<string | null> {
  const [job] = (await run(readyJobs)).jobs;
  if (job === undefined) return null;
  await run((query) => begin(query, job));
  await run((query) => succeed(query, job, 1));
  return named(job);
}

async function doAll(): Promise<readonly string[]> {
  const done: string[] = [];
  for (let next = await doNext(); next !== null; next = await doNext()) done.push(next);
  return done;
}

async function told(): Promise<readonly string[]> {
  const rows = await session.rows(
    "SELECT dataset || '-' || size FROM quern.ingest_queue JOIN quern.handles USING (handle, dataset) ORDER BY position",
  );
  return rows.map(([name]) => String(name));
}

describe('the queue', () => {
  it('takes the short files of a dataset first', async () => {
    await ask('a', [5_000_000, 40, 900_000, 41, 0]);
    const order = ['a-0', 'a-40', 'a-41', 'a-900000', 'a-5000000'];
    expect(await told()).toEqual(order);
    expect(await doAll()).toEqual(order);
  });

  it('lets datasets take turns, whatever their files weigh', async () => {
    await ask('a', [10, 20, 30, 40]);
    await ask('b', [7_000, 8_000]);
    await ask('c', [9_000_000]);
    const order = ['a-10', 'b-7000', 'c-9000000', 'a-20', 'b-8000', 'a-30', 'a-40'];
    expect(await told()).toEqual(order);
    expect(await doAll()).toEqual(order);
  });

  it('gives the next turn to the dataset that had none for the longest', async () => {
    await ask('a', [10, 20, 30]);
    expect(await doNext()).toBe('a-10');
    await ask('b', [8_000]);
    expect(await told()).toEqual(['b-8000', 'a-20', 'a-30']);
    expect(await doNext()).toBe('b-8000');
    await ask('c', [9_000, 9_001]);
    await ask('b', [8_001]);
    expect(await doAll()).toEqual(['c-9000', 'a-20', 'b-8001', 'c-9001', 'a-30']);
  });

  it('makes documents anew after what users ask for', async () => {
    await ask('a', [1], 'rebuild');
    await ask('a', [1_000_000]);
    await ask('b', [2], 'rebuild');
    expect(await doAll()).toEqual(['a-1000000', 'b-2', 'a-1']);
  });

  it('begins the largest file after so many later ones at most', async () => {
    await ask('a', [512 * 1024 * 1024]);
    await ask(
      'a',
      Array.from({ length: OVERTAKEN_MAX + 200 }, () => 0),
    );
    const order = await told();
    const overtaken = order.indexOf(`a-${512 * 1024 * 1024}`);
    expect(overtaken).toBeGreaterThan(OVERTAKEN_MAX / 2);
    expect(overtaken).toBeLessThanOrEqual(OVERTAKEN_MAX);
  });

  it('tells how long a waiting job will take, by what the last ones took', async () => {
    const estimates = () => session.rows('SELECT estimate FROM quern.ingest_queue ORDER BY position');
    await ask('a', [100_000]);
    expect(await estimates()).toEqual([[null]]);
    await run((query) =>
      query(`UPDATE quern.handles SET state = 'ready', begun_at = updated_at - interval '8 seconds'`),
    );
    await ask('a', [100_000, 100_001]);
    await ask('b', [1_000_000]);
    const seconds = await session.rows(
      'SELECT round(extract(epoch FROM estimate)) FROM quern.ingest_queue ORDER BY position',
    );
    expect(seconds).toEqual([['4'], ['30'], ['34']]);
    await run((query) =>
      query("UPDATE quern.handles SET not_before = now() + interval '1 day' WHERE dataset = 'b'"),
    );
    const late = "SELECT estimate > interval '23 hours' FROM quern.ingest_queue WHERE dataset = 'b'";
    expect(await session.rows(late)).toEqual([['t']]);
  });

  it('has no position for what is under way', async () => {
    await ask('a', [10, 20]);
    const [job] = (await run(readyJobs)).jobs;
    await run((query) => begin(query, job as Job));
    const rows = await session.rows('SELECT state, position FROM quern.ingest_queue ORDER BY handle');
    expect(rows).toEqual([
      ['parsing', null],
      ['queued', '1'],
    ]);
  });
});
