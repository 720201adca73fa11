/** Leases of jobs that stand in a relation: who may write what becomes of one, and when it is tried again. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestDatabase } from '../../sql-tests/fixtures/database.ts';
import type { Query, ServerSession } from '../session/server-session.ts';
import { OID } from '../types/oids.ts';
import {
  claim,
  hold,
  isOurs,
  type Lease,
  msUntilRetry,
  postpone,
  type QueueTable,
  refuseEndless,
  requeue,
} from './queue-table.ts';

const JOBS: QueueTable = {
  relation: 'quern.jobs',
  key: ['id', OID.text],
  underWay: ['running', 'ending'],
  with: { claim: 'begun = begun + 1', change: 'changes = changes + 1' },
  begunMax: 3,
  retry: { ms: 3_600_000, msMax: 5_000_000 },
};
const LATER = { reason: 'it fails', attemptsMax: 3 };

let database: TestDatabase;
let own: ServerSession;

const run = <Result>(work: (query: Query) => Promise<Result>): Promise<Result> =>
  own.transaction(work, new AbortController().signal);

beforeEach(async () => {
  database = await TestDatabase.open();
  own = database.openOwn();
  await run((query) =>
    query(`CREATE TABLE quern.jobs (id text PRIMARY KEY, state text NOT NULL, attempts integer NOT NULL,
      reason text, not_before timestamptz, begun integer DEFAULT 0, changes integer DEFAULT 0)`),
  );
  await run((query) =>
    query("INSERT INTO quern.jobs (id, state, attempts) VALUES ('a', 'queued', 0), ('b', 'queued', 0)"),
  );
});

afterEach(async () => {
  await own[Symbol.asyncDispose]();
  await database.close();
});

const lease = (attempt: number): Lease => ({ key: 'a', attempt });

it('takes a job once, for the attempt that was read', async () => {
  expect(await run((query) => claim(query, JOBS, lease(1)))).toBe(true);
  expect(await run((query) => claim(query, JOBS, lease(1)))).toBe(false);
  expect(await run((query) => hold(query, JOBS, lease(1)))).toBe(true);
  expect(await run((query) => postpone(query, JOBS, lease(1), LATER))).toBe(true);
  // Whoever has read it before it was tried may not take it before its time.
  expect(await run((query) => claim(query, JOBS, lease(1)))).toBe(false);
  expect(await run((query) => hold(query, JOBS, lease(1)))).toBe(false);
});

it('belongs to one attempt, also when it has ended in the same transaction', async () => {
  await run((query) => claim(query, JOBS, lease(1)));
  await run(async (query) => {
    await query("UPDATE quern.jobs SET state = 'done' WHERE id = 'a'");
    expect(await hold(query, JOBS, lease(1))).toBe(false);
    expect(await isOurs(query, JOBS, lease(1))).toBe(true);
    expect(await isOurs(query, JOBS, lease(2))).toBe(false);
    await query("DELETE FROM quern.jobs WHERE id = 'a'");
    expect(await isOurs(query, JOBS, lease(1))).toBe(false);
  });
});

it('waits twice as long each time, up to a most, and so often at most', async () => {
  const waits: number[] = [];
  for (const attempt of [1, 2, 3]) {
    await run((query) => query("UPDATE quern.jobs SET not_before = NULL WHERE id = 'a'"));
    await run((query) => claim(query, JOBS, lease(attempt)));
    const isPostponed = await run((query) => postpone(query, JOBS, lease(attempt), LATER));
    expect(isPostponed).toBe(attempt < 3);
    if (isPostponed) waits.push(Math.ceil(((await run((query) => msUntilRetry(query, JOBS))) ?? 0) / 1e5));
  }
  expect(waits).toEqual([36, 50]);
});

it('ends instead of waiting where a condition of its row says so', async () => {
  await run((query) => claim(query, JOBS, lease(1)));
  const unless = "EXISTS (SELECT 1 FROM quern.jobs l WHERE l.id > q.id AND l.state = 'queued')";
  expect(await run((query) => postpone(query, JOBS, lease(1), { ...LATER, unless }))).toBe(false);
});

it('a job that is due and does not begin wakes nobody', async () => {
  expect(await run((query) => msUntilRetry(query, JOBS))).toBeNull();
  await run((query) => query("UPDATE quern.jobs SET not_before = now() - interval '1 hour'"));
  expect(await run((query) => msUntilRetry(query, JOBS))).toBeNull();
});

it('begins anew after a start, and not for ever', async () => {
  await run((query) => claim(query, JOBS, lease(1)));
  await run((query) => query("UPDATE quern.jobs SET state = 'ending' WHERE id = 'a'"));
  await run((query) => requeue(query, JOBS));
  expect(await run((query) => isOurs(query, JOBS, lease(1)))).toBe(true);
  expect(await run((query) => hold(query, JOBS, lease(1)))).toBe(false);
  expect(await run((query) => claim(query, JOBS, lease(2)))).toBe(true);
  expect(() => refuseEndless(JOBS, lease(3))).not.toThrow();
  expect(() => refuseEndless(JOBS, lease(4))).toThrow('it was begun 3 times, and never ended');
});
