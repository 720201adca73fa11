/** Blocks of PDFs: headings, paragraphs over lines, columns and pages, items, notes, headers and footers, tables. */
import { describe, expect, it } from 'vitest';
import { type Block, cellText, type Document, pagesBetween, type Table } from '../../document.ts';
import { parsePdf } from './pdf.ts';
import { type FixturePage, image, lines, makePdf, rule, text } from './pdf-fixture.ts';

const LIMITS = { pagesMax: 100, imagePixelsMax: 1_000_000 };

function parse(...pages: readonly FixturePage[]): Promise<Document> {
  return parsePdf({ bytes: makePdf(pages), name: 'test.pdf', limits: LIMITS });
}

const summary = (blocks: readonly Block[]): string[] => blocks.map((block) => `${block.kind}: ${block.text}`);

const PROSE = [
  'The board met in the spring to go over the accounts of the year that had',
  'ended, and found that the sales of all regions had grown while the costs of',
  'production had stayed what they were before the new works were opened.',
];

const table = (document: Document): Table => {
  const found = document.blocks.find((block) => block.kind === 'table');
  if (found === undefined) throw new Error(`no table: ${summary(document.blocks).join('\n')}`);
  return found;
};

const rowsOf = (one: Table): string[] =>
  Array.from({ length: one.rowCount }, (_, row) =>
    one.cells
      .filter((cell) => cell.row === row)
      .map(
        (cell) =>
          `${cell.column}${cell.columnEnd > cell.column ? `-${cell.columnEnd}` : ''}:${cellText(one, cell)}`,
      )
      .join(' '),
  );

describe('paragraphs', () => {
  it('go over lines, and words cut at their ends are whole', async () => {
    const content =
      lines(72, 700, PROSE) +
      lines(72, 640, [
        'A second paragraph tells what is to come in the next year and what the man-',
        'agement of the firm expects of it.',
      ]);
    const { blocks } = await parse({ content });
    expect(summary(blocks)).toEqual([
      `paragraph: ${PROSE.join(' ')}`,
      'paragraph: A second paragraph tells what is to come in the next year and what the management of the firm expects of it.',
    ]);
  });

  it('keep a hyphen that the document writes elsewhere', async () => {
    const content =
      lines(72, 700, ['All long-term debts of the group are listed in the notes to these long-']) +
      lines(72, 688, ['term statements.']);
    expect((await parse({ content })).blocks[0]?.text).toContain('these long-term statements');
  });

  it('have words whole that a program tore before their last letter', async () => {
    const content =
      text(72, 740, 'Statement of Cash Flow s', 14) +
      lines(72, 700, [
        'Cash flows of the year are the flows of operations and the flows of its investments.',
      ]);
    expect((await parse({ content })).blocks[0]?.text).toBe('Statement of Cash Flows');
  });

  it('are read column by column, and go on in the next column and on the next page', async () => {
    const left = Array.from({ length: 12 }, (_, index) => `left column line ${index} with some more words`);
    const right = Array.from({ length: 12 }, (_, index) => `right column line ${index} with some more words`);
    const first =
      text(200, 740, 'One heading for both of them', 18) + lines(60, 700, left) + lines(320, 700, right);
    const document = await parse(
      { content: first },
      { content: lines(60, 700, ['and it ends on the second page.']) },
    );
    expect(summary(document.blocks)).toEqual([
      'heading: One heading for both of them',
      `paragraph: ${[...left, ...right].join(' ')} and it ends on the second page.`,
    ]);
    const paragraph = document.blocks[1];
    const length = paragraph?.text.length ?? 0;
    expect(paragraph && pagesBetween(paragraph, 0, length)).toEqual([1, 2]);
    expect(paragraph && pagesBetween(paragraph, length - 5, length)).toEqual([2]);
  });

  it('are read upright on a page whose text runs upwards', async () => {
    const content = `q 0 1 -1 0 612 0 cm\n${lines(60, 500, PROSE)}Q\n`;
    const [block] = (await parse({ content })).blocks;
    expect(block?.text).toBe(PROSE.join(' '));
    const [left = 0, top = 0, right = 0, bottom = 0] = block?.words?.boxes ?? [];
    expect(bottom - top).toBeGreaterThan(right - left);
  });
});

describe('small letters', () => {
  it('belong to formulas and units, not to the word before a note', async () => {
    const small = (x: number, y: number, own: string): string => text(x, y, own, 6);
    const content =
      text(72, 700, 'An area of 40 km') +
      small(149.1, 704, '2') +
      text(156, 700, 'gave less CO') +
      small(216.2, 698, '2') +
      text(225, 700, 'than others') +
      small(275.3, 704, '1') +
      text(280, 700, 'did.');
    expect((await parse({ content })).blocks[0]?.text).toBe(
      'An area of 40 km2 gave less CO2 than others 1 did.',
    );
  });
});

describe('headings', () => {
  it('have levels by size and weight, and one level more by number', async () => {
    const content =
      text(72, 740, 'Annual report', 20) +
      text(72, 700, '1 Results', 14) +
      lines(72, 680, PROSE) +
      text(72, 620, '1.1 Sales', 14) +
      lines(72, 600, PROSE) +
      text(72, 550, 'By region', 10, 'bold') +
      lines(72, 535, PROSE);
    const { blocks, title } = await parse({ content });
    const found = blocks.flatMap((block) =>
      block.kind === 'heading' ? [`${block.level} ${block.text}`] : [],
    );
    expect(found).toEqual(['1 Annual report', '2 1 Results', '3 1.1 Sales', '4 By region']);
    expect(title).toBe('Annual report');
  });
});

describe('what pages repeat', () => {
  it('is kept apart', async () => {
    const pages = [1, 2, 3].map((number) => ({
      content:
        text(72, 760, 'Acme Corporation annual report') +
        lines(72, 700, [...PROSE.slice(number), ...PROSE.slice(0, number)]) +
        text(300, 30, `Page ${number} of 3`),
    }));
    const document = await parse(...pages);
    expect(document.margins.map(({ kind, page, text: own }) => `${kind} ${page} ${own}`)).toContain(
      'footer 2 Page 2 of 3',
    );
    expect(document.margins.filter(({ kind }) => kind === 'header')).toHaveLength(3);
    expect(document.blocks.map(({ text: own }) => own).join(' ')).not.toMatch(/Acme|Page/);
  });
});

describe('items and notes', () => {
  it('give their marks apart from their text', async () => {
    const content =
      lines(72, 700, PROSE) +
      text(72, 650, '(a)') +
      lines(90, 650, [
        'the first of several conditions, which goes over more than one line of',
        'the page;',
      ]) +
      text(72, 620, '(b)') +
      text(90, 620, 'the second.') +
      lines(72, 60, ['1 A note in small letters at the foot.'], 7);
    const { blocks } = await parse({ content });
    expect(blocks.slice(1)).toMatchObject(
      [
        { kind: 'list_item', marker: '(a)', text: /goes over more than one line of the page;/ },
        { kind: 'list_item', marker: '(b)', text: 'the second.' },
        { kind: 'footnote', marker: '1', text: 'A note in small letters at the foot.' },
      ].map((one) => ({
        ...one,
        text: typeof one.text === 'string' ? one.text : expect.stringMatching(one.text),
      })),
    );
  });
});

describe('images', () => {
  const prose = lines(72, 700, PROSE);
  const imagesOf = (document: Document): string[] =>
    document.blocks.flatMap((block) =>
      block.kind === 'image'
        ? [`${block.page} ${block.area?.box.map(Math.round)} ${block.caption?.text}`]
        : [],
    );

  it('that were cut into strips are one, with the line below as their caption', async () => {
    const strips = [0, 1, 2].map((index) => image(100, 400 + 50 * index, 200, 50)).join('');
    const content = prose + strips + text(110, 386, 'The church of St. John');
    expect(imagesOf(await parse({ content }))).toEqual(['1 100,242,300,392 The church of St. John']);
  });

  it('that pages repeat, and small ones, are decorations', async () => {
    const logo = image(500, 720, 60, 40) + image(60, 695, 8, 8);
    const document = await parse(
      ...[0, 1, 2].map((page) => ({ content: `${prose}${logo}${image(100, 300 + page, 200, 80)}` })),
    );
    expect(imagesOf(document).map((one) => one.slice(0, 5))).toEqual(['1 100', '2 100', '3 100']);
  });

  it('under a heading are its ground', async () => {
    const content = image(60, 735, 300, 26) + text(72, 742, '1 Results', 16) + prose;
    expect(summary((await parse({ content })).blocks)[0]).toBe('heading: 1 Results');
  });
});

describe('charts', () => {
  it('are images with their labels as text and their caption', async () => {
    const bars = [40, 70, 55, 90].map(
      (height, index) => `0.2 0.4 0.8 rg ${150 + index * 40} 400 20 ${height} re f\n`,
    );
    const curve = '1 w 150 420 m 200 480 250 430 290 490 c S\n';
    const labels = ['Q1', 'Q2', 'Q3', 'Q4']
      .map((label, index) => text(152 + index * 40, 390, label, 8))
      .join('');
    const axes = rule(140, 400, 320, 400) + rule(140, 400, 140, 500);
    const content =
      lines(72, 700, PROSE) +
      bars.join('') +
      curve +
      axes +
      labels +
      text(140, 365, 'Figure 1: Sales by quarter');
    const { blocks } = await parse({ content });
    expect(blocks.slice(1)).toMatchObject([
      {
        kind: 'image',
        text: 'Q1 Q2 Q3 Q4',
        caption: { text: 'Figure 1: Sales by quarter' },
        area: { page: 1 },
      },
    ]);
  });

  const bar = (x: number, height: number, color: string): string =>
    `${color} rg ${x} 400 15 ${height} re f\n`;
  const grid = [0, 1, 2, 3].map((line) => rule(140, 400 + 30 * line, 340, 400 + 30 * line)).join('');
  const bars = [74, 68, 47, 37].map((height, index) => bar(150 + index * 45, height, '0.1 0.3 0.5')).join('');
  const names = ['65-69', '70-74', '75-79', '80+'].map((own, index) => text(152 + index * 45, 388, own, 8));
  const values = ['74', '68', '47', '37'].map((own, index) =>
    text(153 + index * 45, 402 + Number(own), own, 8),
  );

  it('are told by their bars, a prose beside them keeps its lines together', async () => {
    const long = Array.from(
      { length: 16 },
      (_, index) => `${index === 0 ? 'Among' : 'and'} those who use it`,
    );
    const content = `${lines(40, 525, long, 11)}1 0 0 1 60 60 cm\n${bars}${grid}${names.join('')}${values.join('')}`;
    const { blocks } = await parse({ content });
    expect(summary(blocks)).toEqual([
      `paragraph: ${long.join(' ')}`,
      'image: 74\n68\n47\n37\n65-69 70-74 75-79 80+',
    ]);
  });

  it('are told by their slices', async () => {
    const slice = (x: number, y: number, toX: number, toY: number, color: string): string =>
      `${color} rg 200 400 m ${x} ${y} l ${x} ${toY} ${toX} ${toY} ${toX} ${toY} c h f\n`;
    const content =
      lines(72, 700, PROSE) +
      slice(260, 400, 200, 460, '0.1 0.3 0.5') +
      slice(140, 400, 200, 340, '0.4 0.6 0.8') +
      text(222, 420, '41%', 8) +
      text(165, 370, '59%', 8);
    expect(summary((await parse({ content })).blocks).slice(1)).toEqual(['image: 41%\n59%']);
  });

  it('are not made of the ground under the rows of a table', async () => {
    const shade = (x: number, y: number, width: number): string =>
      `0.8 0.9 1 rg ${x} ${y} ${width} 14 re f\n`;
    const rows = [0, 1, 2, 3, 4].map((row) => 600 - 14 * row);
    const grounds = rows.flatMap((y) => [shade(70, y - 4, 200), shade(270, y - 4, 80), shade(80, y - 3, 60)]);
    const cells = rows.flatMap((y, index) => [
      text(80, y, `Item ${'i'.repeat(4 * index)}`),
      text(280, y, `${1000 + index}`),
      text(360, y, `${500 + index}`),
    ]);
    const { blocks } = await parse({ content: lines(72, 700, PROSE) + grounds.join('') + cells.join('') });
    expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'table']);
  });
});

describe('tables', () => {
  const cell = (column: number, row: number, own: string): string =>
    text(80 + column * 110, 600 - row * 20, own);

  it('with rules have merged cells', async () => {
    const rules = [0, 1, 2, 3].map((row) => rule(75, 614 - row * 20, 405, 614 - row * 20)).join('');
    const walls =
      rule(75, 614, 75, 554) + rule(185, 614, 185, 554) + rule(295, 594, 295, 554) + rule(405, 614, 405, 554);
    const texts =
      cell(1, 0, 'Sales by year') +
      cell(0, 1, 'Region') +
      cell(1, 1, '2022') +
      cell(2, 1, '2023') +
      cell(0, 2, 'North') +
      cell(1, 2, '1,200') +
      cell(2, 2, '1,350');
    const found = table(
      await parse({
        content: lines(72, 740, PROSE) + text(75, 640, 'Table 1: Sales') + rules + walls + texts,
      }),
    );
    expect(rowsOf(found)).toEqual(['1-2:Sales by year', '0:Region 1:2022 2:2023', '0:North 1:1,200 2:1,350']);
    expect(found).toMatchObject({
      rowCount: 3,
      columnCount: 3,
      headerRowCount: 2,
      caption: { text: 'Table 1: Sales' },
    });
  });

  const values = (from: number, count: number): string =>
    Array.from(
      { length: count },
      (_, index) =>
        cell(0, index + from, `Item number ${index}`) +
        cell(1, index + from, `${1000 + index * 7}`) +
        cell(2, index + from, `${500 + index * 3}`),
    ).join('');

  it('without rules are found by alignment, with their unit', async () => {
    const content =
      lines(72, 740, PROSE) +
      text(75, 640, '(in millions of dollars)') +
      cell(1, 0, '2022') +
      cell(2, 0, '2023') +
      values(1, 4);
    const found = table(await parse({ content }));
    expect(rowsOf(found).slice(0, 3)).toEqual([
      '1:2022 2:2023',
      '0:Item number 0 1:1000 2:500',
      '0:Item number 1 1:1007 2:503',
    ]);
    expect(found).toMatchObject({ headerRowCount: 1, unit: { text: '(in millions of dollars)' } });
  });

  it('keep what heads their columns and sections, and end at the next title', async () => {
    const one = (from: number): string =>
      text(205, 600 - from * 20, 'Year ended December 31,') +
      cell(1, from + 1, '2022') +
      cell(2, from + 1, '2023') +
      values(from + 2, 2) +
      cell(0, from + 4, 'Per share:') +
      values(from + 5, 2);
    const titles =
      text(200, 420, 'Consolidated Statements of Income') +
      text(190, 400, 'Of the company and its subsidiaries');
    const { blocks } = await parse({ content: lines(72, 740, PROSE) + one(0) + titles + one(11) });
    const found = blocks.filter((block) => block.kind === 'table');
    expect(found.map(rowsOf).map((rows) => [rows.length, rows[0], rows[4]])).toEqual([
      [7, '1-2:Year ended December 31,', '0:Per share:'],
      [7, '1-2:Year ended December 31,', '0:Per share:'],
    ]);
  });

  it('have the title, the unit and the time that stand above them', async () => {
    const page = (own: string): FixturePage => ({
      content:
        text(240, 745, own) +
        text(150, 731, 'Years ended December 31, 2023 and 2022') +
        text(220, 717, '(in millions, except per share data)') +
        text(190, 690, '2023') +
        text(300, 690, '2022') +
        text(80, 676, 'Current assets') +
        [0, 1, 2]
          .map((index) => text(84, 662 - 14 * index, `Item ${index}`) + text(184, 662 - 14 * index, '1,200'))
          .join('') +
        [0, 1, 2].map((index) => text(296, 662 - 14 * index, `${900 + index}`)).join(''),
    });
    const titles = ['Statements of Income', 'Balance Sheets', 'Statements of Equity', 'Segments'];
    const { blocks, margins } = await parse(...titles.map(page));
    expect(margins).toEqual([]);
    const found = blocks.filter((block) => block.kind === 'table');
    expect(found.map(({ caption, unit }) => [caption?.text, unit?.text])).toEqual(
      titles.map((title) => [
        `${title} Years ended December 31, 2023 and 2022`,
        '(in millions, except per share data)',
      ]),
    );
    // The name of a section names no column.
    expect(found[0]).toMatchObject({ headerRowCount: 1 });
    expect(rowsOf(found[0] as Table).slice(0, 3)).toEqual([
      '1:2023 2:2022',
      '0:Current assets',
      '0:Item 0 1:1,200 2:900',
    ]);
  });

  it('have a currency sign with its number, and a raised mark with what it is a note to', async () => {
    const row = (y: number, own: string, first: string, second: string): string =>
      text(80, y, own) + text(172, y, '$') + text(200, y, first) + text(240, y, '$') + text(282, y, second);
    const content =
      lines(72, 740, PROSE) +
      text(196, 620, 'At December 31,') +
      text(205, 606, '2023') +
      text(284, 606, '2022') +
      row(590, 'Cash', '12,945', '9,408') +
      text(80, 576, 'Inventories') +
      text(200, 576, '19,090') +
      text(282, 576, '17,760') +
      row(562, 'Total assets', '228,275', '232,999') +
      text(146, 567, '(1)', 6);
    expect(rowsOf(table(await parse({ content }))).slice(-3)).toEqual([
      '0:Cash 1:$ 12,945 2:$ 9,408',
      '0:Inventories 1:19,090 2:17,760',
      '0:Total assets (1) 1:$ 228,275 2:$ 232,999',
    ]);
  });

  it('end where the next one names its columns', async () => {
    const columns = (y: number, ...own: string[]): string =>
      own.map((one, index) => text(80 + 90 * index, y, one)).join('');
    const content =
      lines(72, 740, PROSE) +
      columns(640, 'Segment', 'Sales', 'Income', 'Share') +
      columns(626, 'Health', '8,421', '1,815', '24.6') +
      columns(612, 'Consumer', '5,298', '994', '15.5') +
      text(260, 592, 'Year ended December 31, 2022') +
      columns(578, 'Segment', 'Organic', 'Divested', 'Total') +
      columns(564, 'Health', '3.2', '(1.4)', '1.8') +
      columns(550, 'Consumer', '0.9', '(0.4)', '0.5');
    const { blocks } = await parse({ content });
    const found = blocks.filter((block) => block.kind === 'table');
    expect(found.map((one) => [one.rowCount, one.caption?.text ?? rowsOf(one)[0]])).toEqual([
      [3, '0:Segment 1:Sales 2:Income 3:Share'],
      [3, 'Year ended December 31, 2022'],
    ]);
  });

  it('beside a text with lines of its own are not mixed with it', async () => {
    const prose = Array.from(
      { length: 12 },
      (_, index) => `${index === 0 ? 'On the other hand' : 'those of the households'} who have not`,
    );
    const content =
      prose.map((own, index) => text(60, 700 - 16 * index, own, 11)).join('') +
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        .map((index) => {
          const y = 694 - 13.2 * index;
          return (
            text(280, y, `Group ${index}`) + text(400, y, `${40 + index}`) + text(460, y, `${20 + index}`)
          );
        })
        .join('');
    const { blocks } = await parse({ content });
    expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'table']);
    expect(blocks[0]?.text).toBe(prose.join(' '));
    expect(rowsOf(blocks[1] as Table)[0]).toBe('0:Group 0 1:40 2:20');
  });

  it('go on over a page, their header counted once', async () => {
    const head = cell(1, 0, 'Weight') + cell(2, 0, 'Length');
    const document = await parse(
      { content: lines(72, 740, PROSE) + head + values(1, 20) },
      { content: head + values(1, 5) },
    );
    const found = document.blocks.filter((block) => block.kind === 'table');
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ rowCount: 26, columnCount: 3, areas: [{ page: 1 }, { page: 2 }] });
  });
});
