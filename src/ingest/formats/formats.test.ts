/** Formats of text and markup, by small files; Office files by those of the evaluation data, where it is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Block, cellText, type Document, type Table } from '../document.ts';
import { formatOf } from './registry.ts';

const LIMITS = { pagesMax: 100, imagePixelsMax: 1e8 };

function parse(name: string, content: string | Uint8Array): Promise<Document> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return formatOf(bytes, name).parse({ bytes, name, limits: LIMITS });
}

const told = (blocks: readonly Block[]): readonly string[] =>
  blocks.map((block) => `${block.kind}${'level' in block ? block.level : ''}: ${block.text}`);

const cells = (table: Table): readonly string[] =>
  [...table.cells].map(
    (cell) => `${cell.row}-${cell.rowEnd},${cell.column}-${cell.columnEnd} ${cellText(table, cell)}`,
  );

describe('html', () => {
  const page = `<!doctype html><html lang="de"><head><title>Wale</title><style>p{}</style></head><body><nav>Menu</nav>
    <h1>Wale <em>singen</em></h1><p>Sie leben<br>im <b>Meer</b>.</p><ul><li>Blauwal<ol><li>groß</li></ol></li></ul>
    <pre><code class="language-ts">let a = 1;
let b;</code></pre><p hidden>nie</p><img src="x" alt="Ein Wal"><script>alert(1)</script>nackt</body></html>`;

  it('is read as a browser shows it', async () => {
    const { title, languages, blocks } = await parse('a.html', page);
    expect([title, languages]).toEqual(['Wale', ['de']]);
    expect(told(blocks)).toEqual([
      'heading1: Wale singen',
      'paragraph: Sie leben im Meer.',
      'list_item0: Blauwal',
      'list_item1: groß',
      'code: let a = 1;\nlet b;',
      'image: ',
      'paragraph: nackt',
    ]);
  });

  it('has tables with merged cells, and sees through those that only arrange', async () => {
    const { blocks } = await parse(
      'a.html',
      `<body><table><caption>Zahlen</caption><thead><tr><th rowspan=2>Jahr</th><th colspan=2>Umsatz</th></tr>
      <tr><th>In</th><th>Aus</th></tr></thead><tr><td>2020</td><td>1</td><td>2</td></tr></table>
      <table><tr><td><table><tr><td>innen</td></tr></table></td></tr></table></body>`,
    );
    const [table, inner] = blocks as [Table, Block];
    expect(table.caption?.text).toBe('Zahlen');
    expect([table.rowCount, table.columnCount, table.headerRowCount]).toEqual([3, 3, 2]);
    expect(cells(table)).toEqual([
      '0-1,0-0 Jahr',
      '0-0,1-2 Umsatz',
      '1-1,1-1 In',
      '1-1,2-2 Aus',
      '2-2,0-0 2020',
      '2-2,1-1 1',
      '2-2,2-2 2',
    ]);
    expect(inner.text).toBe('innen');
  });

  it('of a hundred thousand levels is read', async () => {
    const { blocks } = await parse('a.html', `<html>${'<div>'.repeat(100_000)}deep`);
    expect(told(blocks)).toEqual(['paragraph: deep']);
  });
});

describe('text', () => {
  it('has pages where it has form feeds', async () => {
    const { pages, blocks } = await parse('a.txt', 'one\n\ntwo\ffour');
    expect(pages.length).toBe(2);
    expect(blocks.map(({ text, page }) => [text, page])).toEqual([
      ['one', 1],
      ['two', 1],
      ['four', 2],
    ]);
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffgrün')],
    ['UTF-16', Buffer.from('\ufeffgrün', 'utf16le')],
    ['Latin 1', Buffer.from('grün ist der Wald, schön die Stadt', 'latin1')],
  ])('is read from %s', async (_, bytes) => {
    const { blocks } = await parse('a.txt', bytes);
    expect(blocks[0]?.text.startsWith('grün')).toBe(true);
  });
});

describe('markdown', () => {
  it('has headings, lists, tables, code and fields at its top', async () => {
    const { title, metadata, blocks } = await parse(
      'a.md',
      '---\ntitle: "T"\nauthor: M\n---\n# H\n\ntext *b*\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nx\n```\n',
    );
    expect([title, metadata]).toEqual(['T', { title: 'T', author: 'M' }]);
    expect(told(blocks)).toEqual([
      'heading1: H',
      'paragraph: text b',
      'list_item0: one',
      'list_item0: two',
      'table: a\tb\n1\t2',
      'code: x',
    ]);
  });
});

describe('csv', () => {
  it.each([',', ';', '\t', '|'])('is cut at %s', async (delimiter) => {
    const lines = [
      ['name', 'year'],
      ['"a b"', '1'],
      ['c', '2'],
    ].map((line) => line.join(delimiter));
    const { blocks } = await parse('a.csv', lines.join('\r\n'));
    const [table] = blocks as [Table];
    expect(table.headerRowCount).toBe(1);
    expect(table.text).toBe('name\tyear\na b\t1\nc\t2');
  });
});

describe('a table', () => {
  it('of HTML keeps words apart that stand on lines of their own', async () => {
    const { blocks } = await parse(
      'a.html',
      '<body><table><tr><th>Traded</th><td>X<br>Y</td></tr><tr><th>Key</th><td><ul><li>A</li><li>B</li></ul></td></tr></table>',
    );
    expect(cells(blocks[0] as Table)).toEqual([
      '0-0,0-0 Traded',
      '0-0,1-1 X Y',
      '1-1,0-0 Key',
      '1-1,1-1 A B',
    ]);
  });

  it('has its names in the first row, where no mark tells but numbers do', async () => {
    const rows = (...of: readonly string[]) =>
      `<body><table>${of.map((row) => `<tr>${row.replace(/[^ ]+/g, '<td>$&</td>')}</tr>`).join('')}</table>`;
    const headerOf = async (html: string) =>
      ((await parse('a.html', html)).blocks[0] as Table).headerRowCount;
    expect(await headerOf(rows('Year Ducks', '2019 120', '2020 135'))).toBe(1);
    expect(await headerOf(rows('Name Ann', 'Town Ulm', 'Age 7'))).toBe(0);
  });
});

describe('text in an old encoding', () => {
  it.each([
    [
      'Shift JIS',
      [0x96, 0xbc, 0x91, 0x4f, 0x2c, 0x94, 0x4e, 0x97, 0xee, 0x0a, 0x31, 0x2c, 0x32],
      '名前\t年齢',
    ],
    ['windows-1252', [0xe9, 0x74, 0xe9, 0x2c, 0x93, 0x61, 0x94, 0x0a, 0x31, 0x2c, 0x32], 'été\t“a”'],
  ])('is read as %s', async (_, bytes, first) => {
    const { blocks } = await parse('a.csv', Uint8Array.from(bytes));
    expect((blocks[0] as Table).text.split('\n')[0]).toBe(first);
  });
});

describe('a message', () => {
  it('tells who wrote, the text, and what was attached', async () => {
    const { title, metadata, blocks } = await parse(
      'a.eml',
      'From: A <a@x.org>\r\nTo: b@x.org\r\nSubject: Whales\r\nMIME-Version: 1.0\r\n\r\nThey sing.\r\n\r\nBye.\r\n',
    );
    expect([title, metadata.from]).toEqual(['Whales', 'A <a@x.org>']);
    expect(told(blocks)).toEqual([
      'heading1: Whales',
      'paragraph: From: A <a@x.org>\nTo: b@x.org',
      'paragraph: They sing.',
      'paragraph: Bye.',
    ]);
  });
});

describe('what is no document', () => {
  it.each([
    ['nothing', 'a.txt', new Uint8Array(), 'the file is empty'],
    ['chance', 'a.bin', new Uint8Array([1, 2, 3, 0, 255]), 'a .bin file is not read; accepted are pdf, '],
    [
      'chance without a name',
      'a',
      new Uint8Array([1, 2, 3, 0, 255]),
      'the kind of the file is not known; accepted',
    ],
    [
      'bytes that are called text',
      'a.txt',
      new Uint8Array([0, 1, 2, 3, 0]),
      'the kind of the file is not known',
    ],
    ['old Office', 'a.xls', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 1]), 'before 2007'],
    [
      'Office with a password',
      'a.xlsx',
      Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1]), Buffer.from('EncryptedPackage', 'utf16le')]),
      'save it without one',
    ],
    ['a message of nothing', 'a.eml', Buffer.from('\n'), 'the message has no text'],
    ['half an archive', 'a.xlsx', Buffer.from('PK\x03\x04 xl/workbook.xml'), 'the file is damaged'],
  ])('%s', async (_, name, bytes, message) => {
    await expect(async () => parse(name, bytes)).rejects.toThrow(message);
  });
});

const OFFICE = join(import.meta.dirname, '../../../../shared/data/files/office');
const isThere = existsSync(OFFICE);

describe('Office files', () => {
  it('are there in continuous integration', () => {
    if (process.env.CI === 'true') expect(isThere).toBe(true);
  });

  it.skipIf(!isThere)('become documents with slides and sheets as pages', async () => {
    const of = (name: string) => parse(name, readFileSync(join(OFFICE, name)));
    const slides = await of('powerpoint_sample.pptx');
    expect(slides.pages.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(slides.blocks.some(({ kind, page }) => kind === 'table' && page === 1)).toBe(true);
    const sheets = await of('xlsx_05_table_with_title.xlsx');
    expect(sheets.title).toBe('Wild Duck Observations');
    const word = await of('word_tables.docx');
    expect(word.pages).toEqual([]);
    expect(word.blocks.filter(({ kind }) => kind === 'table').length).toBe(7);
  });

  it.skipIf(!isThere)(
    'keep what a reader sees of charts, tables side by side, and plain headers',
    async () => {
      const of = (name: string) => parse(name, readFileSync(join(OFFICE, name)));
      const tables = ({ blocks }: Document): readonly Table[] =>
        blocks.filter((block) => block.kind === 'table');
      const chart = tables(await of('test.pptx')).find(({ page }) => page === 4);
      expect(chart?.caption?.text).toBe('a3f6004b-6f4f-4ea8-bee3-3741f4dc385f');
      expect(chart?.text).toBe('\tSeries 1\n2000\t2000\n2001\t2001\n2002\t2002\n2003\t2003');
      const sheets = tables(await of('xlsx_01.xlsx'));
      expect(sheets.map(({ page, columnCount }) => `${page}: ${columnCount}`)).toEqual([
        '1: 3',
        '2: 4',
        '2: 3',
        '2: 3',
        '3: 3',
        '3: 3',
      ]);
      const word = await of('word_tables.docx');
      expect(tables(word)[0]?.headerRowCount).toBe(1);
      expect((await of('equations.docx')).problems).toEqual(['equations are not read: 4']);
      expect(tables(await of('test_mskanji.csv'))[0]?.text.split('\n')[0]).toBe('名前\t年齢\t住所');
    },
  );
});
