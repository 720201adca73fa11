/** Numbers of sequences: not given back by a rollback, not given twice after a restart. */
import { expect, test } from 'vitest';
import { emptyCatalog } from '../../../catalog/edit/edit.ts';
import type { Relation } from '../../../catalog/model.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { MASTER_KEY, NEVER } from '../../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from '../open.ts';

const SEQUENCE = 16384;

const sequence: Relation = {
  oid: SEQUENCE,
  namespace: 2200,
  name: 's',
  kind: 'sequence',
  columns: [],
  indexes: [],
  constraints: [],
  definition: null,
};

const READ_COMMITTED = { isolation: 'read committed', readOnly: false } as const;

test('numbers go on after rollback and restart, and begin anew in a new sequence', async () => {
  const store = new MemoryStore();
  let engine = await openEmbeddedEngine({ store, masterKey: MASTER_KEY });
  const make = async () => {
    const transaction = engine.begin(READ_COMMITTED);
    const relations = new Map([[SEQUENCE, sequence]]);
    await transaction.changeCatalog(() => ({ ...emptyCatalog(), relations }), NEVER);
    return transaction;
  };
  const undone = await make();
  expect(undone.nextValue(SEQUENCE)).toBe(1n);
  undone.rollback();

  const made = await make();
  expect([made.nextValue(SEQUENCE), made.nextValue(SEQUENCE)]).toEqual([1n, 2n]);
  await made.commit();

  const gap = engine.begin(READ_COMMITTED);
  expect(gap.nextValue(SEQUENCE)).toBe(3n);
  gap.rollback();
  const kept = engine.begin(READ_COMMITTED);
  expect(kept.nextValue(SEQUENCE)).toBe(4n);
  await kept.commit();

  await engine.flush();
  engine = await openEmbeddedEngine({ store, masterKey: MASTER_KEY });
  const later = engine.begin(READ_COMMITTED);
  expect(later.nextValue(SEQUENCE)).toBe(5n);
  later.setValue(SEQUENCE, { last: 40n, called: false });
  expect(later.nextValue(SEQUENCE)).toBe(40n);
  await later.commit();
  const readOnly = engine.begin({ ...READ_COMMITTED, readOnly: true });
  expect(() => readOnly.nextValue(SEQUENCE)).toThrow('read-only');
  readOnly.rollback();
  await engine.close();
});
