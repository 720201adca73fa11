/** Rows that leave memory: runs that are merged, partitions by keys, batches that are kept; and what they may take. */
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unlimitedAccount } from '../../../sql-tests/fixtures/account.ts';
import type { SortKey } from '../../plan/plan.ts';
import { TemporaryFiles } from '../../storage/temporary-file.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { type Batch, type VectorKind, vectorOf } from '../../types/column/vector.ts';
import { HeldRows } from '../held-rows.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import type { Run } from '../state.ts';
import { KeptBatches } from './kept-batches.ts';
import { KeyHash } from './key-hash.ts';
import { Partitions } from './partitions.ts';
import { SortedRuns } from './sorted-runs.ts';
import { SpillSpace } from './space.ts';

function spaceOf(memoryBytes: number, diskBytes = Number.POSITIVE_INFINITY): SpillSpace {
  return new SpillSpace(new TemporaryFiles(tmpdir()), () => ({ memoryBytes, diskBytes }));
}

/** Only what spilling reads. */
function runOf(spill: SpillSpace): Run {
  const { signal } = new AbortController();
  return { context: { spill, signal, yieldToOthers: () => null } } as unknown as Run;
}

const batchOf = (kinds: readonly VectorKind[], rows: readonly (readonly Datum[])[]): Batch => ({
  length: rows.length,
  columns: kinds.map((kind, i) =>
    vectorOf(
      kind,
      rows.map((row) => row[i] ?? null),
    ),
  ),
});

const rowsOf = ({ length, columns }: Batch): Datum[][] =>
  Array.from({ length }, (_, row) => columns.map((column) => column.get(row)));

const byFirst: SortKey = {
  expression: { kind: 'column', index: 0, type: { oid: OID.int4, modifier: -1 } },
  descending: false,
  nullsFirst: false,
};

/** Rows of key and place, NULLs last. */
function sorted(rows: readonly (readonly Datum[])[]): (readonly Datum[])[] {
  const keyOf = ([key]: readonly Datum[]): number => (key === null ? 2 ** 31 : Number(key));
  return rows.toSorted((a, b) => keyOf(a) - keyOf(b));
}

describe('sorted runs', () => {
  const keys = fc.array(
    fc.array(fc.option(fc.integer({ min: 0, max: 50 })), { minLength: 1, maxLength: 300 }),
    {
      minLength: 1,
      maxLength: 20,
    },
  );

  it('give all rows in order, equal ones as they came', async () => {
    await fc.assert(
      fc.asyncProperty(keys, async (runs) => {
        using made = new SortedRuns({ keys: [byFirst], places: [0] }, runOf(spaceOf(64 * 1024)));
        let place = 0;
        const all = runs.map((values) => values.map((key): Datum[] => [key, place++, `text ${key}`]));
        for (const rows of all) {
          const inOrder = sorted(rows);
          const order = Uint32Array.from(inOrder, (row) => rows.indexOf(row as Datum[]));
          await made.add({ all: batchOf(['int32', 'float64', 'text'], rows), order });
        }
        const merged = await made.merged();
        const given: Datum[][] = [];
        for (let batch = await merged.next(); batch !== null; batch = await merged.next()) {
          expect(batch.length).toBeGreaterThan(0);
          given.push(...rowsOf(batch));
        }
        expect(given).toEqual(sorted(all.flat()));
        expect(await merged.next()).toBeNull();
      }),
      { numRuns: 30 },
    );
  });
});

describe('partitions', () => {
  it('hold each row once, those of one key together and as they came, on every level', async () => {
    const space = spaceOf(64 * 1024);
    const hash = new KeyHash([{ oid: OID.int4, modifier: -1 }]);
    for (const level of [0, 1, 5]) {
      using partitions = new Partitions(runOf(space), level);
      for (let start = 0; start < 6_000; start += 1000) {
        const rows = Array.from({ length: 1000 }, (_, i) => [(start + i) % 701, start + i]);
        const batch = batchOf(['int32', 'int32'], rows);
        await partitions.add(batch, hash.of(batch.columns.slice(0, 1), batch.length));
      }
      const found = new Map<Datum, number>();
      let count = 0;
      for (const [number, { blocks, rows }] of (await partitions.finish()).entries()) {
        let last = -1;
        for (const block of blocks) {
          const { batch, hashes } = await partitions.read(block);
          expect(hashes).toEqual(hash.of(batch.columns.slice(0, 1), batch.length));
          for (const [key, place] of rowsOf(batch)) {
            expect(found.get(key ?? null) ?? number).toBe(number);
            found.set(key ?? null, number);
            expect(Number(place)).toBeGreaterThan(last);
            last = Number(place);
            count++;
          }
        }
        expect(rows >= 0).toBe(true);
      }
      expect(count).toBe(6_000);
      expect(new Set(found.values()).size).toBeGreaterThan(level === 5 ? 1 : 16);
    }
  });
});

describe('hashes of keys', () => {
  const SAMPLES: readonly (readonly [number, readonly string[]])[] = [
    [OID.bool, ['t', 'f']],
    [OID.int4, ['1', '2', '-1']],
    [OID.int8, ['1', '-1', '9007199254740993']],
    [OID.float8, ['0', '-0', 'NaN', '1.5', 'Infinity']],
    [OID.numeric, ['1', '1.0', '1.00', '-1', 'NaN', '100000000000000000000.0']],
    [OID.text, ['a', 'b', 'über', '']],
    [OID.bpchar, ['a', 'a  ', 'b']],
    [OID.jsonb, ['{"a":1}', '{"a": 1.0}', '[]']],
    [OID.interval, ['1 day', '24 hours', '1 month', '30 days']],
    [OID.bytea, ['\\x00', '\\x01']],
  ];

  it.each(SAMPLES)('are equal for equal keys of type %i', (oid, texts) => {
    const type = typeByOid(oid);
    const ref = { oid, modifier: -1 };
    const datums = [...texts, ...texts].map((text) => type.parse(text, -1, DEFAULT_SETTINGS));
    const columns = [
      vectorOf(type.vector, [null, ...datums]),
      vectorOf('int32', new Array(datums.length + 1).fill(7)),
    ];
    const refs = [ref, { oid: OID.int4, modifier: -1 }];
    for (const width of [1, 2]) {
      const some = columns.slice(0, width);
      const held = new HeldRows(unlimitedAccount());
      const numbers = new KeyNumbers(refs.slice(0, width), true, held).insert(some, datums.length + 1);
      const hashes = new KeyHash(refs.slice(0, width)).of(some, datums.length + 1);
      const byNumber = new Map<number, number>();
      for (const [row, number] of numbers.entries()) {
        expect(byNumber.get(number) ?? hashes[row]).toBe(hashes[row]);
        byNumber.set(number, hashes[row] as number);
      }
      expect(new Set(byNumber.values()).size).toBe(byNumber.size);
    }
  });

  it('do not depend on how a text is kept', () => {
    const hash = new KeyHash([{ oid: OID.text, modifier: -1 }]);
    const texts = vectorOf('text', ['a', null, 'über']);
    const again = vectorOf('text', ['x', 'a', null, 'über']).take([1, 2, 3]).slice(0, 3);
    expect(hash.of([again], 3)).toEqual(hash.of([texts], 3));
  });
});

describe('kept batches', () => {
  it('are read again in any order, from memory and from disk', async () => {
    using kept = new KeptBatches(spaceOf(64 * 1024), unlimitedAccount());
    const batches = Array.from({ length: 50 }, (_, i) =>
      batchOf(
        ['int32', 'text'],
        Array.from({ length: 200 }, (_, row) => [i * 200 + row, `text ${i}`]),
      ),
    );
    for (const batch of batches) await kept.add(batch);
    expect(kept.count).toBe(50);
    for (const i of [49, 0, 7, 49, 25])
      expect(rowsOf(await kept.get(i))).toEqual(rowsOf(batches[i] as Batch));
  });
});

describe('temp_file_limit', () => {
  it('is for all files of a session together, and given back with them', async () => {
    const space = spaceOf(64 * 1024, 20_000);
    const batch = batchOf(
      ['float64'],
      Array.from({ length: 1000 }, (_, i) => [i]),
    );
    using first = await space.open();
    await first.write(batch);
    {
      using second = await space.open();
      await second.write(batch);
      await expect(second.write(batch)).rejects.toMatchObject({ condition: 'configuration_limit_exceeded' });
    }
    await first.write(batch);
    await expect(first.write(batch)).rejects.toThrow('temporary file size exceeds "temp_file_limit" (19kB)');
  });
});
