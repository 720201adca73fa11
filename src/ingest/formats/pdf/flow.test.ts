/** Blocks of PDFs: headings, paragraphs over lines, columns and pages, items, notes, headers and footers, tables. */
import { describe, expect, it } from 'vitest';
import { type Document, pagesBetween } from '../../document.ts';
import { image, lines, PROSE, parsePages as parse, rule, summary, text } from './pdf-fixture.ts';

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

describe('dots that lead the eye', () => {
  it('are no text, and what they lead to is a cell', async () => {
    const line = (y: number, own: string, page: string): string =>
      text(72, y, `${own}${'.'.repeat(60 - own.length)}${page}`);
    const content =
      text(72, 740, 'Contents', 18) +
      line(700, 'Summary', '1') +
      line(686, 'Mission and values', '12') +
      line(672, 'Strategy', '13') +
      line(658, 'Priorities', '24');
    const table = (await parse({ content })).blocks.at(-1);
    expect(table).toMatchObject({ kind: 'table', columnCount: 2 });
    expect(table?.text).toBe('Summary\t1\nMission and values\t12\nStrategy\t13\nPriorities\t24');
  });
});

describe('a letter with a dot', () => {
  it('marks an item, and begins a name where names follow', async () => {
    const content =
      lines(72, 700, PROSE) +
      text(72, 640, 'J. Martin Stubblefield') +
      text(72, 610, 'A. Determine what it is.');
    expect(summary((await parse({ content })).blocks).slice(1)).toEqual([
      'paragraph: J. Martin Stubblefield',
      'list_item: Determine what it is.',
    ]);
  });
});

describe('a page that says it is blank', () => {
  it('has no text', async () => {
    const blank = text(200, 400, '(This page is intentionally left blank.)', 14);
    const document = await parse({ content: lines(72, 700, PROSE) }, { content: blank });
    expect(document.blocks.map(({ kind }) => kind)).toEqual(['paragraph']);
    expect(document.margins.map(({ page }) => page)).toEqual([2]);
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
    const first = expect.stringMatching(/goes over more than one line of the page;/);
    expect(blocks.slice(1)).toMatchObject([
      { kind: 'list_item', marker: '(a)', text: first },
      { kind: 'list_item', marker: '(b)', text: 'the second.' },
      { kind: 'footnote', marker: '1', text: 'A note in small letters at the foot.' },
    ]);
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
