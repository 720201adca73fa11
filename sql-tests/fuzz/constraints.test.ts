/** Rounds of the generator of constraints: PostgreSQL's answers, statement by statement. */
import { describe, expect, it } from 'vitest';
import { postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { seeded } from '../faults/mutations.ts';
import { startInProcess } from '../runner/in-process.ts';
import { connectSide } from './compare.ts';
import { constraintRound } from './constraints.ts';

/** Two keys of one statement's rows; NULLs of two rows; others by the hundred. */
const SEEDS = [5113, 5297, ...Array.from({ length: 13 }, (_, i) => 20_261_122 + i)];

describe.skipIf(postgresPrograms() === undefined)('tables with constraints', () => {
  it('hold in transactions as PostgreSQL holds them', async () => {
    await using postgres = await startPostgres({ fsync: 'off' });
    await using quern = await startInProcess('memory');
    await using wanted = await connectSide(postgres);
    await using tested = await connectSide(quern.address);
    const found = [];
    for (const seed of SEEDS) {
      const difference = await constraintRound(seeded(seed), { wanted, tested });
      if (difference !== null) found.push({ seed, ...difference });
    }
    expect(found).toEqual([]);
  });
});
