/** Rows of a part read one by one are those read in a run: every kind of column, in heads and in segments. */
import { expect, test } from 'vitest';
import type { Relation } from '../../../catalog/model.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { typeByOid } from '../../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../../types/settings.ts';
import { type Vector, vectorOf } from '../../../types/column/vector.ts';
import {
  BOOKS,
  begin,
  books,
  MASTER_KEY,
  NEVER,
  withRelation,
} from '../../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from '../open.ts';

const ROWS = 40;
const KINDS: readonly { readonly oid: number; readonly make: (row: number) => string }[] = [
  { oid: OID.int4, make: String },
  { oid: OID.bool, make: (row) => String(row % 3 === 0) },
  { oid: OID.float8, make: (row) => String(row / 8) },
  { oid: OID.text, make: (row) => `text ${row}` },
  { oid: OID.text, make: (row) => `word ${row % 2}` },
  { oid: OID.numeric, make: (row) => `${row}.25` },
  { oid: OID.numeric, make: (row) => (row % 2 ? '1e30' : `0.${row}`) },
  { oid: OID.jsonb, make: (row) => `{"row": ${row}}` },
  { oid: OID.uuid, make: (row) => `00000000-0000-0000-0000-0000000000${10 + row}` },
  { oid: OID.vector, make: (row) => `[${row},${row / 2}]` },
];
const ATTRIBUTES = KINDS.map((_, i) => 10 + i);

const relation: Relation = {
  ...books,
  columns: [
    ...books.columns.slice(0, 1),
    ...KINDS.map(({ oid }, i) => ({
      ...(books.columns[2] as Relation['columns'][number]),
      attribute: ATTRIBUTES[i] as number,
      name: `c${i}`,
      type: { oid, modifier: -1 },
    })),
  ],
  indexes: books.indexes.slice(0, 1),
};

function columnOf({ oid, make }: (typeof KINDS)[number]): Vector {
  const type = typeByOid(oid);
  const values = Array.from({ length: ROWS }, (_, row): Datum => {
    return row % 7 === 3 ? null : type.parse(make(row), -1, DEFAULT_SETTINGS);
  });
  return vectorOf(type.vector, values);
}

const datumsOf = (vector: Vector): Datum[] =>
  Array.from({ length: vector.length }, (_, row) => vector.get(row));

test.each([['head'], ['segment']])('rows of a %s', async (where) => {
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: new MemoryStore() });
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withRelation(catalog, relation), NEVER);
  const ids = Array.from({ length: ROWS }, (_, row) => `id ${row}`);
  const columns = new Map<number, Vector>([[1, vectorOf('text', ids)]]);
  for (const [i, kind] of KINDS.entries()) columns.set(ATTRIBUTES[i] as number, columnOf(kind));
  await transaction.insert(BOOKS, null, { length: ROWS, columns, embeddings: new Map() }, 'error', NEVER);
  await transaction.commit();
  if (where === 'segment') await engine.flush();
  const snapshot = engine.snapshot();
  const [part] = snapshot.parts(BOOKS, null);
  if (part === undefined) throw new Error('no part');
  const whole = await part.read(ATTRIBUTES, 0, ROWS);
  for (const rows of [[], [5], [4, 5, 6], [0, 3, 9, 39], [1, 2, 10, 11, 24]]) {
    const some = await part.readRows(ATTRIBUTES, Uint32Array.from(rows));
    for (const [i, vector] of some.entries()) {
      expect(datumsOf(vector)).toEqual(rows.map((row) => whole[i]?.get(row)));
    }
  }
  snapshot[Symbol.dispose]();
  await engine.close();
});
