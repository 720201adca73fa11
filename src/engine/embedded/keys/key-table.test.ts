/** Key names and their tables beside plain maps; claims of transactions beside each other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveKey, NAME_WORDS, NameCipher } from '../../../storage/seal.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { typeByOid } from '../../../types/registry.ts';
import { vectorOf } from '../../../types/column/vector.ts';
import {
  BOOKS,
  BOOKS_KEY,
  begin,
  MASTER_KEY,
  makeBooks,
  NEVER,
  rowsOf,
  upsert,
} from '../../../../sql-tests/fixtures/engine.ts';
import { keyName, keyNames } from './key-names.ts';
import { KeyTable } from './key-table.ts';
import { openEmbeddedEngine } from '../open.ts';

const cipher = new NameCipher(deriveKey(MASTER_KEY, 'names'));

const nameOf = (key: number): Uint32Array =>
  keyName(cipher, [key], [OID.int4]) ?? new Uint32Array(NAME_WORDS);

/** Rows of a key, newest first. */
function rowsWith(table: KeyTable, key: number): number[] {
  const rows: number[] = [];
  for (let row = table.newest(nameOf(key), 0); row >= 0; row = table.older(row)) rows.push(row);
  return rows;
}

test('a table finds the rows of a key, newest first, also after rows were taken back', async () => {
  const step = fc.oneof(
    fc.record({ push: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ keep: fc.nat({ max: 100 }) }),
    fc.record({ reserve: fc.nat({ max: 200 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
      const table = new KeyTable();
      const keys: number[] = [];
      for (const change of steps) {
        if ('push' in change) {
          table.push(change.push === 0 ? new Uint32Array(NAME_WORDS) : nameOf(change.push), 0);
          keys.push(change.push);
        } else if ('keep' in change) {
          keys.length = Math.floor((keys.length * change.keep) / 100);
          table.truncate(keys.length);
        } else await table.reserve(change.reserve, async () => {});
      }
      expect(table.rowCount).toBe(keys.length);
      for (let key = 1; key <= 40; key++) {
        const expected = [...keys.keys()].filter((row) => keys[row] === key).reverse();
        expect(rowsWith(table, key)).toEqual(expected);
      }
      const loaded = KeyTable.load(table.names, table.slots);
      for (let key = 1; key <= 40; key++) {
        expect(loaded.newest(nameOf(key), 0)).toBe(rowsWith(table, key)[0] ?? -1);
      }
    }),
    { numRuns: 100 },
  );
});

test.each<[string, number, readonly Datum[]]>([
  ['integers', OID.int4, [1, -1, 0, 2 ** 31 - 1]],
  ['doubles', OID.float8, [0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY]],
  ['texts', OID.text, ['', 'a', 'ab', 'x'.repeat(16), 'x'.repeat(17), 'ü'.repeat(40)]],
])('names of %s differ, are the same alone and in a batch', (_, oid, keys) => {
  const names = keyNames(cipher, [vectorOf(typeByOid(oid).vector, [...keys, null])], [oid]);
  const seen = new Set<string>();
  keys.forEach((key, row) => {
    const name = names.subarray(NAME_WORDS * row, NAME_WORDS * (row + 1));
    expect(keyName(cipher, [key], [oid])).toEqual(name);
    seen.add(name.join());
  });
  expect(seen.size).toBe(keys.length);
  expect([...names.subarray(NAME_WORDS * keys.length)]).toEqual([0, 0, 0, 0]);
});

test.each([OID.int4, OID.int8, OID.float8, OID.text, OID.date, OID.bool])(
  'a value of type %i has one name, whether NULLs stand beside it or not, and whether they are equal',
  (oid) => {
    const keys = oid === OID.bool ? [true, false] : oid === OID.text ? ['1', '2'] : [1, 2];
    const values = oid === OID.int8 ? [1n, 2n] : keys;
    for (const equalNulls of [0, 1]) {
      const nameOfFirst = (column: readonly Datum[]): Uint32Array =>
        keyNames(cipher, [vectorOf(typeByOid(oid).vector, column)], [oid], equalNulls).subarray(
          0,
          NAME_WORDS,
        );
      expect(nameOfFirst([...values, null])).toEqual(nameOfFirst(values));
      expect(keyName(cipher, values.slice(0, 1), [oid], equalNulls)).toEqual(nameOfFirst(values));
    }
  },
);

test('parts of a key are kept apart, and equal values have one name', () => {
  const two = [OID.text, OID.text];
  expect(keyName(cipher, ['a', 'bc'], two)).not.toEqual(keyName(cipher, ['ab', 'c'], two));
  expect(keyName(cipher, ['a', null], two)).toBeNull();
  expect(keyName(cipher, [-0], [OID.float8])).toEqual(keyName(cipher, [0], [OID.float8]));
  expect(keyName(cipher, ['a '], [OID.bpchar])).toEqual(keyName(cipher, ['a'], [OID.bpchar]));
});

test('who wants a claimed key waits, until the claim is committed or taken back', async () => {
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: new MemoryStore() });
  await makeBooks(engine);
  const insert = (transaction: ReturnType<typeof begin>, id: string) =>
    transaction.insert(BOOKS, null, rowsOf([{ id }]), 'error', NEVER);
  const first = begin(engine);
  const before = first.savepoint();
  await insert(first, 'a');
  await insert(first, 'b');
  const order: string[] = [];
  const second = begin(engine);
  const third = begin(engine);
  const waits = [
    insert(second, 'a').then(() => order.push('second')),
    insert(third, 'b').then(
      () => order.push('third'),
      (error: Error) => order.push(error.message),
    ),
  ];
  await new Promise((done) => setTimeout(done, 5));
  expect(order).toEqual([]);
  first.rollbackTo(before);
  await insert(first, 'c');
  await waits[0];
  await second.commit();
  await waits[1];
  third.rollback();
  await expect(insert(first, 'a')).rejects.toThrow('duplicate key');
  await first.commit();
  await upsert(engine, [{ id: 'd' }]);
  using snapshot = engine.snapshot();
  const found = ['a', 'b', 'c', 'd'].filter((id) => snapshot.lookup(BOOKS, null, BOOKS_KEY, [id]) !== null);
  expect(found).toEqual(['a', 'c', 'd']);
  expect(order.toSorted()).toEqual(['second', 'third']);
  await engine.close();
});
