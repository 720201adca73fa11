/** The catalog lists the ranking functions that the binder reads, with their arguments. */
import { expect, it } from 'vitest';
import { RANKING_FUNCTIONS } from '../../src/functions/search/ranking-functions.ts';
import { TestDatabase } from '../fixtures/database.ts';

it.each(RANKING_FUNCTIONS)('$name is known to the binder', async ({ name, set }) => {
  await using database = await closing();
  const call = `${name}(nothing => 1)`;
  const text = set ? `SELECT * FROM ${call}` : `SELECT ${call}`;
  const error = await database.session.rows(text).then(
    () => null,
    (thrown: Error) => thrown,
  );
  expect(error?.message).not.toMatch(/^function .* does not exist$/);
});

async function closing() {
  const database = await TestDatabase.open();
  const session = await database.session();
  return { session, [Symbol.asyncDispose]: () => database.close() };
}
