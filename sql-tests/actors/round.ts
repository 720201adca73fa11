/** Generated rounds of actors on two servers: statement by statement the same answers, then the same picture. */
import type { Random } from '../faults/mutations.ts';
import { exceptionFor } from './exceptions.ts';
import type { ActorSide } from './side.ts';
import { actorCase } from './statements.ts';
import { CLEANED, MADE, PICTURE } from './world.ts';

interface Sides {
  readonly wanted: ActorSide;
  readonly tested: ActorSide;
}

export interface ActorDifference {
  readonly sql: string;
  readonly wanted: string;
  readonly tested: string;
  /** Statements of the round before it. */
  readonly history: readonly string[];
}

export interface RoundResult {
  readonly statements: number;
  /** Statements that Quern has not, and answers that differ for a reason, by that. */
  readonly leftOut: ReadonlyMap<string, number>;
  readonly difference: ActorDifference | null;
}

const NOT_HERE = /^0A000 /;

/** An error for one side alone, where the other has had one: a block of transaction is aborted in both. */
const FAILS = 'SELECT a_fails';

/** @param most statements of the round. */
export async function actorRound(
  random: Random,
  { wanted, tested }: Sides,
  most: number,
): Promise<RoundResult> {
  for (const side of [wanted, tested]) for (const sql of CLEANED) await side.run(sql);
  const leftOut = new Map<string, number>();
  const history: string[] = [];
  let statements = 0;
  const compare = async (sql: string): Promise<ActorDifference | null> => {
    statements++;
    const actual = await tested.run(sql);
    if (NOT_HERE.test(actual)) {
      await wanted.run(FAILS);
      const reason = actual.split('\n')[0] ?? '';
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
      return null;
    }
    const expected = await wanted.run(sql);
    history.push(sql);
    if (expected === actual) return null;
    const reason = exceptionFor(sql, expected, actual);
    if (reason === null) return { sql, wanted: expected, tested: actual, history };
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    return null;
  };
  const result = (difference: ActorDifference | null): RoundResult => ({ statements, leftOut, difference });
  for (const sql of MADE) {
    const difference = await compare(sql);
    if (difference !== null) return result(difference);
  }
  statements = 0;
  while (statements < most) {
    for (const sql of actorCase(random)) {
      const difference = await compare(sql);
      if (difference !== null) return result(difference);
    }
  }
  for (const sql of PICTURE) {
    const difference = await compare(sql);
    if (difference !== null) return result(difference);
  }
  return result(null);
}
