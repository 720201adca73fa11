/** Tables of files as rows: what cells say, where they stand, how long they are there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIngestion } from '../../../sql-tests/fixtures/ingestion.ts';
import { workbook } from '../../../sql-tests/fixtures/workbook.ts';
import { upgradeDataset } from '../upgrade.ts';

const SAMPLE = join(import.meta.dirname, '../../../samples/documents/school-enrollment-projections.pdf');

let files: TestIngestion;

beforeAll(async () => {
  files = await TestIngestion.open();
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
});

afterAll(() => files[Symbol.asyncDispose]());

const rows = (text: string) => files.session.rows(text);

const MARKDOWN = `# Results

(in millions of dollars)

| | 2023 | 2022 |
|---|---|---|
| North | 1,577 | (987) |
| Margin | 12.5% | – |
| Total | 590 | 1.5bn |
`;
const HTML = `<h1>Results</h1><table><caption>Umsatz in TEUR</caption>
<tr><th></th><th colspan="2">Geschäftsjahr</th></tr><tr><th></th><th>2023</th><th>2022</th></tr>
<tr><td>Nord</td><td>12.300,5</td><td>1.577</td></tr></table>`;
const NUMBERS = `SELECT row_path, column_path, number, unit, scale, period, year FROM notes.cell_paths
  WHERE number IS NOT NULL AND doc_id = `;

describe('cells', () => {
  it('say what they are in and of, row by row', async () => {
    await files.wait(await files.upload('md', MARKDOWN, { name: 'a.md' }));
    expect(await rows(`${NUMBERS} 'md' ORDER BY "row", "column"`)).toEqual([
      ['North', '2023', '1577', '$', '1000000', '2023', '2023'],
      ['North', '2022', '-987', '$', '1000000', '2022', '2022'],
      ['Margin', '2023', '12.5', '%', '0.01', '2023', '2023'],
      ['Total', '2023', '590', '$', '1000000', '2023', '2023'],
      ['Total', '2022', '1.5', '$', '1000000000', '2022', '2022'],
    ]);
    expect(
      await rows("SELECT heading, unit, scale, currency, header_rows FROM notes.tables WHERE doc_id = 'md'"),
    ).toEqual([['Results', '$', '1000000', '$', '1']]);
  });

  it('have headers over several columns, and marks of their own language', async () => {
    await files.wait(await files.upload('html', HTML, { name: 'a.html' }));
    expect(await rows(`${NUMBERS} 'html' ORDER BY "row", "column"`)).toEqual([
      ['Nord', 'Geschäftsjahr > 2023', '12300.5', 'EUR', '1000', '2023', '2023'],
      ['Nord', 'Geschäftsjahr > 2022', '1577', 'EUR', '1000', '2022', '2022'],
    ]);
    expect(
      await rows(`SELECT row, "column", row_end, column_end, is_header, text FROM notes.cells
        WHERE doc_id = 'html' AND row < 3 ORDER BY row, "column"`),
    ).toEqual([
      ['1', '2', '1', '3', 't', 'Geschäftsjahr'],
      ['2', '2', '2', '2', 't', '2023'],
      ['2', '3', '2', '3', 't', '2022'],
    ]);
  });

  it('of a number that may be another have none, and say why', async () => {
    await files.wait(await files.upload('csv', 'Position;2023\nA;1.577\nB;300\n', { name: 'a.csv' }));
    expect(
      await rows(
        'SELECT text, number, doubt FROM notes.cells WHERE doc_id = \'csv\' AND row > 1 AND "column" = 2',
      ),
    ).toEqual([
      ['1.577', null, '"1.577" may be 1577 or 1.577'],
      ['300', '300', null],
    ]);
  });

  it('of a sheet have its numbers, not what it shows of them', async () => {
    const bytes = workbook([
      ['', 2023, 2022],
      ['Sales', { number: 1577.256, format: '#,##0' }, 0.1],
      ['Share', { number: 0.1254, format: '0%' }, { number: 45_000, format: 'yyyy-mm-dd' }],
    ]);
    await files.wait(await files.uploadBytes('xlsx', bytes, { name: 'a.xlsx' }));
    expect(
      await rows(
        'SELECT row_path, column_path, text, number, unit, scale, page FROM notes.cell_paths WHERE doc_id = \'xlsx\' AND row > 1 AND "column" > 1 ORDER BY row, "column"',
      ),
    ).toEqual([
      ['Sales', '2023', '1,577', '1577.256', null, null, '1'],
      ['Sales', '2022', '0.1', '0.1', null, null, '1'],
      ['Share', '2023', '13%', '0.1254', '%', '1', '1'],
      ['Share', '2022', '2023-03-15', null, null, null, '1'],
    ]);
  });

  it('of a page have their places, on it and in the chunk that shows them', async () => {
    await files.wait(await files.uploadBytes('pdf', readFileSync(SAMPLE), { name: 'a.pdf' }));
    const [[cells, numbers, placed, boxed] = []] = await rows(
      `SELECT count(*), count(number), count(content_id), count(box) FROM notes.cells WHERE doc_id = 'pdf'`,
    );
    expect([Number(cells) > 100, Number(numbers) > 50, Number(placed) > 80, boxed]).toEqual([
      true,
      true,
      true,
      cells,
    ]);
    for (const docId of ['pdf', 'md', 'html', 'csv', 'xlsx']) {
      const wrong = await rows(
        `SELECT x.text, substr(c.text, x.chunk_start + 1, x.chunk_end - x.chunk_start) FROM notes.cells x
           JOIN notes.chunks c USING (content_id)
         WHERE x.doc_id = '${docId}'
           AND substr(c.text, x.chunk_start + 1, x.chunk_end - x.chunk_start) <> x.text`,
      );
      expect(wrong).toEqual([]);
    }
  });
});

describe('tables of a document', () => {
  const kept = `SELECT (SELECT count(*) FROM notes.tables WHERE doc_id = 'k'),
    (SELECT count(*) FROM notes.cells WHERE doc_id = 'k'), (SELECT count(*) FROM notes._lines WHERE doc_id = 'k'),
    (SELECT max(version) FROM notes.tables WHERE doc_id = 'k')`;

  it('are those of its version, and go with it', async () => {
    await files.wait(await files.upload('k', MARKDOWN, { name: 'k.md' }));
    expect(await rows(kept)).toEqual([['1', '11', '5', '1']]);
    await files.wait(await files.upload('k', HTML, { name: 'k.html' }));
    expect(await rows(kept)).toEqual([['1', '6', '3', '2']]);
    const [[handle] = []] = await rows("SELECT quern.delete_document('notes', 'k')");
    await files.wait(String(handle));
    expect(await rows(kept)).toEqual([['0', '0', '0', null]]);
  });

  it('come to datasets that had none, and nothing else of these changes', async () => {
    await rows("CREATE DATASET old WITH (embedding_model = 'hash')");
    await files.wait(await files.upload('a', MARKDOWN, { name: 'a.md', dataset: 'old' }));
    await files.wait(await files.upload('b', HTML, { name: 'b.html', dataset: 'old' }));
    const told = async () => [
      await rows('SELECT doc_id, version, status, updated_at FROM old.documents ORDER BY 1'),
      await rows('SELECT content_id, _id, text FROM old.chunks ORDER BY 1'),
      await rows(`SELECT doc_id, "row", "column", row_path, number, content_id, chunk_start
        FROM old.cell_paths ORDER BY 1, 2, 3`),
    ];
    const before = await told();
    await files.stop();
    await using own = files.database.openOwn();
    await own.transaction(async (query) => {
      await query('DROP VIEW old.cell_paths');
      await query('DROP TABLE old.tables, old.cells, old._lines');
      await query('ALTER TABLE old.documents DROP COLUMN cells_as');
    }, new AbortController().signal);
    await files.start();
    await files.until('SELECT doc_id FROM quern.ingest_queue', []);
    expect(await told()).toEqual(before);
    expect(
      await rows("SELECT doc_id, state FROM quern.handles WHERE action = 'read tables' ORDER BY 1"),
    ).toEqual([
      ['a', 'ready'],
      ['b', 'ready'],
    ]);
  });

  it('are told of while they are on their way', async () => {
    await files.stop();
    await using own = files.database.openOwn();
    await own.transaction(async (query) => {
      await query('UPDATE old.documents SET cells_as = 0');
      await upgradeDataset(query, 'old', files.database.environment.seal);
    }, new AbortController().signal);
    const pending = 'SELECT relation, doc_id, state FROM quern.pending ORDER BY 2';
    expect(await rows(pending)).toEqual([
      ['cells', 'a', 'queued'],
      ['cells', 'b', 'queued'],
    ]);
    await files.start();
    await files.until('SELECT doc_id FROM quern.ingest_queue', []);
    expect(await rows(pending)).toEqual([]);
  });

  it('are dropped with their dataset', async () => {
    await rows('DROP DATASET notes, old');
    expect(
      await rows(
        "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname IN ('notes', 'old')",
      ),
    ).toEqual([]);
  });
});
