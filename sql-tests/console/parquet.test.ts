/** Parquet as pyarrow writes it (`sql-tests/fixtures/parquet/make.py`): every type, with every digit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parquetRecords } from '../../src/clients/console/pages/collections/import/parquet.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/parquet');

async function recordsOf(name: string): Promise<readonly Record<string, unknown>[]> {
  const file = new File([readFileSync(join(FIXTURES, name))], name);
  const rows: Record<string, unknown>[] = [];
  for await (const { values } of parquetRecords(file, () => undefined)) rows.push(Object.fromEntries(values));
  return rows;
}

it('values of all types keep their digits', async () => {
  const [first, second, third] = await recordsOf('types.parquet');
  expect(first).toEqual({
    id: '1',
    price: '12.30',
    at: '2024-01-02T03:04:05.678901Z',
    local: '2024-01-02T03:04:05Z',
    ns: '2024-01-02T03:04:05.678901234Z',
    day: '2024-01-02',
    tags: ['a', 'b'],
    nums: ['1', '1152921504606846976'],
    who: { name: 'Ann', age: 3 },
    map: { k: 1 },
    ok: true,
    x: 0.1,
    f: Math.fround(0.1),
    u: '9223372036854775809',
    time: '01:02:03.000456',
    bytes: '\\x00ff',
    cat: 'x',
    text: 'שלום 🎬',
  });
  expect(second).toMatchObject({ price: '-0.01', at: null, tags: [], who: null, x: 'NaN', text: '' });
  expect(third).toMatchObject({
    id: '9007199254740993',
    at: '1960-01-01T00:00:00Z',
    day: '1969-12-31',
    x: 'Infinity',
    tags: null,
  });
});

it('a packing that is not read is named, with what to do', async () => {
  await expect(recordsOf('zstd.parquet')).rejects.toThrow('packed with ZSTD');
});
