/**
 * Unit costs of plans (`src/physical/unit-costs.ts`): processor time of a row read, of a key looked up and of a
 * comparison, over a million rows, told in units of which a row read is .01.
 *
 *     ./scripts/bench unit-costs
 */
import { UNIT_COSTS } from '../src/physical/unit-costs.ts';
import { TestDatabase, type TestSession } from '../sql-tests/fixtures/database.ts';
import { options } from './options.ts';
import { median, report } from './statistics.ts';

const ROWS = options.quick ? 100_000 : 1_000_000;
const ROUNDS = 15;
/** Keys of one statement. */
const KEYS = 1_000;
/** All rows meet them. */
const COMPARISONS = ['x >= 0', 'x < 1000', 'id > 0', 'x <> -1'];

/** Microseconds of processor time, the median of some rounds. */
async function microseconds(session: TestSession, statement: string): Promise<number> {
  await session.rows(statement);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await session.rows(statement);
    const { user, system } = process.cpuUsage(before);
    times.push(user + system);
  }
  return median(times);
}

const database = await TestDatabase.open();
const session = await database.session();
await session.rows(`
  CREATE TABLE t (id int PRIMARY KEY, x int, s text);
  INSERT INTO t SELECT i, i % 1000, 'some words of row ' || i FROM generate_series(1, ${ROWS}) i;
  ANALYZE t; VACUUM FULL t`);
const keys = Array.from({ length: KEYS }, (_, i) => 1 + Math.floor((i * ROWS) / KEYS)).join();
const nothing = await microseconds(session, 'SELECT count(*) FROM t WHERE id = 1');
const reading = await microseconds(session, 'SELECT max(x) FROM t');
const comparing = await microseconds(session, `SELECT max(x) FROM t WHERE ${COMPARISONS.join(' AND ')}`);
const looking = await microseconds(session, `SELECT count(*) FROM t WHERE id = ANY ('{${keys}}')`);
await database.close();

const rowRead = (reading - nothing) / ROWS;
const measured = {
  rowRead,
  indexProbe: (looking - nothing) / KEYS,
  comparison: (comparing - reading) / ROWS / COMPARISONS.length,
};
for (const [name, each] of Object.entries(measured)) {
  const stands = String(UNIT_COSTS[name as keyof typeof UNIT_COSTS]);
  report(name, (0.01 * each) / rowRead, { nanoseconds: (1000 * each).toFixed(1), stands });
}
