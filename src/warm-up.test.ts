/** A server warms itself up without a trace in what it serves. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { TestDatabase } from '../sql-tests/fixtures/database.ts';
import { SqlError } from './errors.ts';
import type { Inference } from './inference/provider.ts';
import { Keys } from './session/sign-in/keys.ts';
import { warmUp } from './warm-up.ts';

const KEYS = new Keys(
  { read: async () => null, write: async () => undefined },
  randomBytes,
  createSecretKey(randomBytes(32)),
);

test('the ways of most statements are gone, on a database of its own', async () => {
  const database = await TestDatabase.open();
  const logged: string[] = [];
  const { environment } = database;
  const before = environment.engine.catalog();
  await warmUp({ ...environment, log: (event) => logged.push(event) }, KEYS, 0);
  expect(environment.engine.catalog()).toBe(before);
  expect(environment.parser.known('SELECT id, body FROM warm WHERE id = 0')).toBeUndefined();
  expect(logged).toEqual([]);
  const session = await database.session();
  expect(await session.rows(`SELECT count(*) FROM pg_class WHERE relname = 'warm'`)).toEqual([['0']]);
  expect(await session.rows('SELECT count(*) FROM pg_stat_activity')).toEqual([['1']]);
  await database.close();
});

test('what fails is told', async () => {
  const database = await TestDatabase.open();
  const { environment } = database;
  const inference: Inference = Object.create(environment.inference, {
    model: {
      value: () => {
        throw new SqlError('undefined_object', 'no model today');
      },
    },
  });
  await expect(warmUp({ ...environment, inference }, KEYS, 0)).rejects.toThrow('a statement failed');
  await database.close();
});
