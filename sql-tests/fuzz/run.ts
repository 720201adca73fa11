/** A run of generated statements; those that write are taken back, so that each sees the same tables. */
import { seeded } from '../faults/mutations.ts';
import { type Difference, difference, type Side } from './compare.ts';
import { QueryMaker } from './queries.ts';
import { styles } from './shapes.ts';
import { setup } from './tables.ts';

/** One statement in this many writes. */
const CHANGE_EVERY = 8;
/** After so many dates are written and read another way. */
const STYLES_EVERY = 50;

export async function fuzz(options: {
  readonly wanted: Side;
  readonly tested: Side;
  readonly seed: number;
  readonly count: number;
}): Promise<readonly Difference[]> {
  const { wanted, tested, seed, count } = options;
  const random = seeded(seed);
  const both = async (sql: string): Promise<void> => {
    await wanted.run(sql);
    await tested.run(sql);
  };
  for (const sql of setup(random)) await both(sql);
  const maker = new QueryMaker(random);
  const found: Difference[] = [];
  for (let i = 0; i < count; i++) {
    if (i % STYLES_EVERY === STYLES_EVERY - 1) for (const sql of styles(random)) await both(sql);
    const writes = i % CHANGE_EVERY === CHANGE_EVERY - 1;
    const sql = writes ? maker.change() : maker.query();
    if (writes) await both('BEGIN');
    const what = await difference(wanted, tested, sql);
    if (writes) await both('ROLLBACK');
    if (what !== null) found.push({ sql, what });
  }
  return found;
}
