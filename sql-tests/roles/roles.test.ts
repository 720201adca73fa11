/** Rounds of generated statements of roles and grants: PostgreSQL 18 answers the same, and holds the same afterwards. */
import { describe, expect, it } from 'vitest';
import { postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { seeded } from '../faults/mutations.ts';
import { startInProcess } from '../runner/in-process.ts';
import { renamedPostgres } from './renamed.ts';
import { connectRoleSide, roleRound } from './round.ts';

const ROUNDS = Number(process.env.ROLE_ROUNDS ?? 6);
const SEEDS = Array.from({ length: ROUNDS }, (_, i) => 20_261_128 + i);

describe.skipIf(postgresPrograms() === undefined)('roles and grants', () => {
  it('are what they are in PostgreSQL', async () => {
    await using postgres = await startPostgres({ fsync: 'off' });
    await using quern = await startInProcess('memory');
    await using wanted = await connectRoleSide(await renamedPostgres(postgres));
    await using tested = await connectRoleSide(quern.address);
    const found = [];
    for (const seed of SEEDS) {
      const difference = await roleRound(seeded(seed), { wanted, tested });
      if (difference !== null) found.push({ seed, ...difference });
    }
    expect(found).toEqual([]);
  });
});
