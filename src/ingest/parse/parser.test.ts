/** Files that take more memory than a parser may have fail by themselves, with the reason; a large sheet takes little. */
import { expect, it } from 'vitest';
import { workbook } from '../../../sql-tests/fixtures/workbook.ts';
import { readBatch } from '../tables/table-batches.ts';
import { PARSE_LIMITS } from './parse-limits.ts';
import { Parser } from './parser.ts';

const order = (name: string, bytes: Uint8Array) => ({
  bytes,
  name,
  password: undefined,
  limits: PARSE_LIMITS,
  onProgress: () => undefined,
  signal: new AbortController().signal,
});

it('says that a file takes too much memory, and reads the next one', async () => {
  using parser = new Parser(48);
  const nested = Buffer.from(`<p>${'a<p>'.repeat(600_000)}`);
  await expect(parser.parse(order('a.html', nested))).rejects.toMatchObject({
    problem: 'limit_exceeded',
    message: 'reading it takes more than 48 MB of memory',
  });
  const next = await parser.parse(order('b.txt', Buffer.from('whales sing')));
  expect(next.chunks.map(({ text }) => text)).toEqual(['whales sing']);
});

it('reads a sheet of 120,000 cells, row names and numbers of all pieces', async () => {
  using parser = new Parser(160);
  const rows = [['Customer', '2023', '2022', 'Share']];
  const body = Array.from({ length: 30_000 }, (_, i) => [`Customer ${i + 1}`, i, 2 * i, (i % 100) / 100]);
  const { tables } = await parser.parse(order('a.xlsx', workbook([...rows, ...body])));
  const batches = tables.map(readBatch);
  expect(batches.flatMap((batch) => batch.tables).length).toBe(1);
  const columns = batches.flatMap(({ lines }) => lines.path.filter((_, i) => lines.isRow[i] !== true));
  expect(columns).toEqual(['Customer', '2023', '2022', 'Share']);
  const names = batches.flatMap(({ lines }) => lines.path.filter((_, i) => lines.isRow[i] === true));
  expect([names.length, names.at(-1)]).toEqual([30_000, 'Customer 30000']);
  const numbers = batches.flatMap(({ cells }) => cells.number.filter((number) => number !== null));
  expect(numbers.length).toBe(90_000);
  expect(numbers.reduce((sum, number) => sum + Number(number), 0)).toBeCloseTo(
    (3 * 29_999 * 30_000) / 2 + (300 * 99 * 100) / 200,
  );
  const places = batches.flatMap(({ cells }) => cells.row.map((row, i) => `${row} ${cells.column[i]}`));
  expect(new Set(places).size).toBe(120_004);
});
