/** Large parameters, results and literals: read and written elsewhere, with the values of any other. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTurns } from '../../../sql-tests/faults/turn-watch.ts';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';

const TURN_MS_MAX = 250;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
});

afterAll(async () => {
  database.environment.helpers.close();
  await database.close();
});

it('reads a large parameter as it reads a small one', async () => {
  const text = `[${'1.50, {"b": 1, "a": "é"}, '.repeat(40_000)}null]`;
  const jsonb = typeByOid(OID.jsonb);
  const [read, binary] = await inTurns(TURN_MS_MAX, async () => {
    const given = await session.session.readParameter(Buffer.from(text), OID.jsonb, false);
    return [given, await session.session.readParameter(jsonb.send(given), OID.jsonb, true)];
  });
  expect(read).toBe(jsonb.parse(text, -1, DEFAULT_SETTINGS));
  expect(binary).toBe(read);
});

it('tells what is wrong with one', async () => {
  const wrong = session.session.readParameter(Buffer.from(`[${'1, '.repeat(80_000)}`), OID.jsonb, false);
  await expect(wrong).rejects.toMatchObject({ sqlstate: '22P02' });
  expect(await session.rows('SELECT 1')).toEqual([['1']]);
});

it('writes a large array as it writes a small one', async () => {
  const rows = await inTurns(TURN_MS_MAX, () =>
    session.rows(`SELECT i, array_fill('a"b'::text, ARRAY[i * 30000]), 'x' FROM generate_series(1, 3) i`),
  );
  const expected = (count: number): string => `{${'"a\\"b",'.repeat(count).slice(0, -1)}}`;
  expect(rows).toEqual([1, 2, 3].map((i) => [String(i), expected(i * 30_000), 'x']));
});

it('reads a large literal when its statement runs', async () => {
  const text = `[${'1,'.repeat(100_000)}1]`;
  expect(await session.rows(`SELECT jsonb_array_length('${text}')`)).toEqual([['100001']]);
  expect(await session.rows(`SELECT cardinality('{${text.slice(1, -1)}}'::int[])`)).toEqual([['100001']]);
  expect((await session.error(`SELECT '${text}x'::jsonb`)).sqlstate).toBe('22P02');
});
