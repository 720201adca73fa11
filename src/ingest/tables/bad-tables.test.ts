/** Tables that mislead: what is stored of their numbers is right or nothing, and says why where it could be read twice. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestIngestion } from '../../../sql-tests/fixtures/ingestion.ts';
import { workbook } from '../../../sql-tests/fixtures/workbook.ts';

let files: TestIngestion;

beforeAll(async () => {
  files = await TestIngestion.open();
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
});

afterAll(() => files[Symbol.asyncDispose]());

const rows = (sql: string) => files.session.rows(sql);

const markdown = (lines: readonly (readonly string[])[]): string =>
  lines
    .map((line, i) => `| ${line.join(' | ')} |\n${i === 0 ? `|${line.map(() => '---').join('|')}|\n` : ''}`)
    .join('');

/** Text, number, period and doubt of the cells below the header and beside the first column. */
async function stored(name: string, content: string | Uint8Array) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  await files.wait(await files.uploadBytes(name, bytes, { name }));
  return rows(`SELECT text, number, period, doubt FROM notes.cells
    WHERE doc_id = '${name}' AND NOT is_header AND "column" > 1 ORDER BY row, "column"`);
}

it('two kinds of separators in one column leave what both could be', async () => {
  const table = [
    ['Item', '2023'],
    ['A', '1.577'],
    ['B', '1,234.5'],
    ['C', '2.000,7'],
  ];
  expect(await stored('separators.md', markdown(table))).toEqual([
    ['1.577', null, '2023', '"1.577" may be 1577 or 1.577'],
    ['1,234.5', '1234.5', '2023', null],
    ['2.000,7', '2000.7', '2023', null],
  ]);
});

it('a column that changes scale half way has one of its own from there on', async () => {
  const table = [
    ['Item', '2023'],
    ['Revenue', '1,577'],
    ['(in thousands, except per share)', ''],
    ['Cost', '12,300'],
    ['Earnings per share', '1.25'],
  ];
  await stored('scales.md', `(in millions)\n\n${markdown(table)}`);
  const scales =
    "SELECT text, scale FROM notes.cells WHERE doc_id = 'scales.md' AND number IS NOT NULL ORDER BY row";
  expect(await rows(scales)).toEqual([
    ['1,577', '1000000'],
    ['12,300', '1000'],
    ['1.25', '1'],
  ]);
});

it('years that name rows are times, and beside them numbers', async () => {
  expect(await stored('years.csv', 'Year,Revenue,Staff\n2021,1000,2020\n2022,1100,2021\n')).toEqual([
    ['1000', '1000', '2021', null],
    ['2020', '2020', '2021', null],
    ['1100', '1100', '2022', null],
    ['2021', '2021', '2022', null],
  ]);
});

it('dates and Roman numerals are no numbers', async () => {
  const dates = 'Item,Amount,When\nA,1.5,2023-01-02\nB,2.5,01/02/2023\nC,3.5,1.2.2023\n';
  const found = await stored('dates.csv', dates);
  expect(found.map(([text, number]) => [text, number])).toEqual([
    ['1.5', '1.5'],
    ['2023-01-02', null],
    ['2.5', '2.5'],
    ['01/02/2023', null],
    ['3.5', '3.5'],
    ['1.2.2023', null],
  ]);
  const roman = await stored(
    'roman.md',
    markdown([
      ['No.', 'Part', 'Pages'],
      ['IV', 'XII', '34'],
      ['V', 'MCM', '5'],
    ]),
  );
  expect(roman.filter(([, number]) => number !== null).map(([text]) => text)).toEqual(['34', '5']);
});

it('places without a number have none', async () => {
  const empty = ['n/a', '–', 'nm', 'N/A', '—', 'n.m.', '-', '--', '...', '*', 'k.A.', 'not meaningful'];
  const table = [['Item', '2023'], ['Z', '1,000'], ...empty.map((text, i) => [`Row ${i}`, text])];
  const found = await stored('nothing.md', markdown(table));
  expect(found.length).toBe(empty.length + 1);
  expect(found.filter(([, number, , doubt]) => number !== null || doubt !== null)).toEqual([
    ['1,000', '1000', '2023', null],
  ]);
});

it('numbers of 400 digits are what a workbook holds, and texts where they are too long', async () => {
  const found = await stored(
    'digits.xlsx',
    workbook([
      ['Item', 'Value'],
      ['A', { number: 1e300, format: '#,##0' }],
      ['B', 0.1],
      ['C', 5e-324],
    ]),
  );
  expect(found.map(([, number]) => Number(number))).toEqual([1e300, 0.1, 5e-324]);
  const digits = '1234567890'.repeat(40);
  const long = await stored('digits.csv', `Item,Value,Rest\nA,${digits},7\nB,8,9\nC,10,11\n`);
  expect(long.map(([text, number]) => [text?.length, number])).toEqual([
    [400, null],
    [1, '7'],
    [1, '8'],
    [1, '9'],
    [2, '10'],
    [2, '11'],
  ]);
});

it('numbers broken over lines are one where their mark is at the break, else in doubt', async () => {
  const html = `<table><tr><th>Item</th><th>2023</th><th>2022</th></tr>
    <tr><td>A</td><td>1,<br>577</td><td>1<br>577</td></tr><tr><td>B</td><td>(1,<br>200)</td><td>$<br>5.5</td></tr></table>`;
  expect(await stored('broken.html', html)).toEqual([
    ['1,577', '1577', '2023', null],
    ['1 577', null, '2022', expect.stringContaining('may be one number or several')],
    ['(1,200)', '-1200', '2023', null],
    ['$ 5.5', '5.5', '2022', null],
  ]);
});

it('a header that is merged over ten thousand columns names them all', async () => {
  const columns = Array.from({ length: 10_000 }, (_, i) => i);
  const html = `<table><tr><th>Item</th><th colspan="10000">Sales in 2023</th></tr>
    <tr><th></th>${columns.map((i) => `<th>Store ${i}</th>`).join('')}</tr>
    <tr><td>Row</td>${columns.map((i) => `<td>${i}.5</td>`).join('')}</tr>
    <tr><td>Total</td>${columns.map(() => '<td>1</td>').join('')}</tr></table>`;
  await files.wait(await files.upload('wide.html', html, { name: 'wide.html' }));
  const paths = `SELECT count(*), count(DISTINCT column_path), min(column_path), sum(number)
    FROM notes.cell_paths WHERE doc_id = 'wide.html' AND row_path = 'Row' AND "column" > 1`;
  expect(await rows(paths)).toEqual([['10000', '10000', 'Sales in 2023 > Store 0', '50000000.0']]);
});

it('a cell of a megabyte is shown and searched in parts', async () => {
  const words = 'whales sing in winter '.repeat(50_000);
  await stored('long.csv', `Item,Text\nA,short\nB,"${words}end of the song"\n`);
  const [found] = await rows(`SELECT count(*) > 10, max(length(text)) < 30000,
      string_agg(text, '') LIKE '%end of the song%' FROM notes.chunks WHERE doc_id = 'long.csv'`);
  expect(found).toEqual(['t', 't', 't']);
});
