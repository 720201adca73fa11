/** A short run of the generator: every statement must be answered as PostgreSQL answers it. */
import { describe, expect, it } from 'vitest';
import { postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { startInProcess } from '../runner/in-process.ts';
import { connectSide, dependsOnPlan, difference } from './compare.ts';
import { seeded } from '../faults/mutations.ts';
import { numberQuery } from './numbers.ts';
import { fuzz } from './run.ts';

const SEED = 20_261_121;
const STATEMENTS_COUNT = 250;
const NUMBERS_COUNT = 1_500;

describe.skipIf(postgresPrograms() === undefined)('generated queries', () => {
  it('are answered as PostgreSQL answers them', async () => {
    await using postgres = await startPostgres({ fsync: 'off' });
    await using quern = await startInProcess('memory');
    await using wanted = await connectSide(postgres);
    await using tested = await connectSide(quern.address);
    const found = await fuzz({ wanted, tested, seed: SEED, count: STATEMENTS_COUNT });
    expect(found.filter((one) => !dependsOnPlan(one))).toEqual([]);
  });

  it('of numbers are answered as PostgreSQL answers them', async () => {
    await using postgres = await startPostgres({ fsync: 'off' });
    await using quern = await startInProcess('memory');
    await using wanted = await connectSide(postgres);
    await using tested = await connectSide(quern.address);
    const random = seeded(SEED);
    const found: string[] = [];
    for (let i = 0; i < NUMBERS_COUNT; i++) {
      const sql = numberQuery(random);
      const what = await difference(wanted, tested, sql);
      if (what !== null) found.push(`${sql}: ${what}`);
    }
    expect(found).toEqual([]);
  });
});
