/** Many rows of numbers in one commit, as a large sheet's cells are: stored and counted in short turns of others. */
import { expect, test } from 'vitest';
import { TestDatabase } from '../fixtures/database.ts';
import { inTurns } from './turn-watch.ts';

/** Plans and sorts take up to 60 on a busy machine; a large commit that is put into memory at once takes hundreds. */
const TURN_MS_MAX = 150;
const ROWS = 40_000;
/** Rows are stored before their commit in a few goes of this, as those of a sheet of a million cells. */
const STAGED_BYTES = 1_000_000;

test(`${ROWS} rows of numbers are stored and analysed in short turns`, async () => {
  const database = await TestDatabase.open({ settings: { stagedBytes: STAGED_BYTES } });
  const session = await database.session();
  await inTurns(TURN_MS_MAX, async () => {
    await session.rows('DROP TABLE IF EXISTS cells');
    await session.rows('CREATE TABLE cells ("row" int, number numeric, scale numeric)');
    await session.rows(
      `INSERT INTO cells SELECT g, (g * 7919 % 1000003)::numeric / 100, g::numeric FROM generate_series(1, ${ROWS}) g`,
    );
    await session.rows('ANALYZE cells');
  });
  expect(await session.rows('SELECT count(*)::text FROM cells')).toEqual([[String(ROWS)]]);
  await session.session[Symbol.asyncDispose]();
  await database.close();
});
