/** Rounds of several roles under generated policies and grants: PostgreSQL 18 answers the same, statement by statement. */
import { describe, expect, it } from 'vitest';
import { postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { seeded } from '../faults/mutations.ts';
import { renamedPostgres } from '../roles/renamed.ts';
import { startInProcess } from '../runner/in-process.ts';
import { exceptionFor } from './exceptions.ts';
import { actorRound } from './round.ts';
import { connectActorSide } from './side.ts';

const ROUNDS = 4;
const STATEMENTS_A_ROUND = 100;
const FIRST_SEED = 20_261_201;

describe.skipIf(postgresPrograms() === undefined)('actors', () => {
  it('see and write what they do in PostgreSQL', async () => {
    await using postgres = await startPostgres({ fsync: 'off' });
    await using quern = await startInProcess('memory');
    await using wanted = await connectActorSide(await renamedPostgres(postgres));
    await using tested = await connectActorSide(quern.address);
    const found = [];
    let statements = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const seed = FIRST_SEED + round;
      const result = await actorRound(seeded(seed), { wanted, tested }, STATEMENTS_A_ROUND);
      statements += result.statements;
      if (result.difference !== null) found.push({ seed, ...result.difference });
    }
    expect(found).toEqual([]);
    expect(statements).toBeGreaterThan(ROUNDS * STATEMENTS_A_ROUND - 1);
  });
});

describe('exceptions', () => {
  it('are of answers that both refuse, never of rows', () => {
    const rows = 'SELECT 1\n["1"]';
    for (const [wanted, tested] of [
      [rows, 'SELECT 0'],
      ['42501 permission denied for table a_notes', rows],
      [rows, '42501 permission denied for table a_notes'],
      ['23505 duplicate key value', 'INSERT 1'],
      ['0A000 COPY FROM not supported', 'COPY 2'],
    ] as const) {
      expect(exceptionFor('SELECT * FROM a_notes', wanted, tested)).toBeNull();
    }
  });
});
