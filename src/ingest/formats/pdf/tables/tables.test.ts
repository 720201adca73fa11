/** Tables of PDFs as blocks: cells, headers, what stands about them, pages. */
import { describe, expect, it } from 'vitest';
import { cellText, type Document, type Table } from '../../../document.ts';
import { type FixturePage, lines, PROSE, parsePages as parse, rule, summary, text } from '../pdf-fixture.ts';

const table = (document: Document): Table => {
  const found = document.blocks.find((block) => block.kind === 'table');
  if (found === undefined) throw new Error(`no table: ${summary(document.blocks).join('\n')}`);
  return found;
};

const rowsOf = (one: Table): string[] =>
  Array.from({ length: one.rowCount }, (_, row) =>
    [...one.cells]
      .filter((cell) => cell.row === row)
      .map(
        (cell) =>
          `${cell.column}${cell.columnEnd > cell.column ? `-${cell.columnEnd}` : ''}:${cellText(one, cell)}`,
      )
      .join(' '),
  );

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

  it('with rules go on over a page, and have one row of names where all is text', async () => {
    const frame = (top: number, count: number): string => {
      const bottom = top - 20 * count;
      const across = Array.from({ length: count + 1 }, (_, row) =>
        rule(75, top - 20 * row, 405, top - 20 * row),
      );
      return across.join('') + [75, 185, 405].map((x) => rule(x, top, x, bottom)).join('');
    };
    const row = (top: number, index: number, first: string, second: string): string =>
      text(80, top - 14 - 20 * index, first) + text(190, top - 14 - 20 * index, second);
    const long = 'a name much too long for the name of a column';
    const document = await parse(
      {
        content:
          lines(72, 740, PROSE) +
          frame(120, 3) +
          row(120, 0, 'Grade', 'What it means') +
          row(120, 1, 'Good', 'Most of it') +
          row(120, 2, 'Fair', '12'),
      },
      {
        content:
          frame(720, 3) +
          row(720, 0, '', long) +
          row(720, 1, 'Poor', 'Little of it') +
          row(720, 2, 'None', 'Nothing'),
      },
    );
    const found = document.blocks.filter((block) => block.kind === 'table');
    expect(found.map(({ headerRowCount, rowCount }) => [headerRowCount, rowCount])).toEqual([[1, 6]]);
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

  const share = (y: number, label: string, ...own: string[]): string =>
    text(80, y, label) + own.map((one, index) => text(200 + 46 * index, y, one)).join('');
  const shares = (y: number): string =>
    share(y, 'Men', '10.3', '27.0', '20.1') +
    share(y - 12, 'Women', '9.7', '24.6', '19.8') +
    share(y - 24, 'All', '11.8', '23.8', '22.1');

  it('give each column its own words, though they are set close together', async () => {
    const content =
      lines(72, 740, PROSE) +
      share(620, '', '$10,000\x96', '$15,000\x96', '$30,000') +
      share(608, 'Group', '14,999', '29,999', 'or more') +
      shares(590);
    const found = table(await parse({ content }));
    expect(found.headerRowCount).toBe(1);
    expect(rowsOf(found)).toEqual([
      '0:Group 1:$10,000–14,999 2:$15,000–29,999 3:$30,000 or more',
      '0:Men 1:10.3 2:27.0 3:20.1',
      '0:Women 1:9.7 2:24.6 3:19.8',
      '0:All 1:11.8 2:23.8 3:22.1',
    ]);
  });

  it('have no row of names that hold numbers', async () => {
    const content = lines(72, 740, PROSE) + share(608, 'Group', 'No loan', '14,999', '29,999') + shares(590);
    const found = table(await parse({ content }));
    expect([found.headerRowCount, rowsOf(found)[0]]).toEqual([1, '0:Group 1:No loan 2:14,999 3:29,999']);
  });

  it('keep a heading over several columns whole, whatever its rule is drawn of', async () => {
    const content =
      lines(72, 740, PROSE) +
      text(206, 625, 'Percent who borrowed') +
      [200, 246, 292].map((x) => rule(x, 620, x + 46, 620)).join('') +
      share(608, 'Group', 'Little', 'Much', 'Both') +
      shares(590);
    expect(rowsOf(table(await parse({ content })))[0]).toBe('1-3:Percent who borrowed');
  });

  it('tell the heading of a group from a label over two lines', async () => {
    const set = (y: number, label: string, ...own: string[]): string =>
      text(86, y, label) + share(y, '', ...own);
    const content =
      lines(72, 740, PROSE) +
      share(640, '', 'Little', 'Much', 'Both') +
      text(80, 620, 'Type of the institution') +
      set(608, 'Public', '1.1', '1.2', '1.3') +
      set(596, 'Private', '2.1', '2.2', '2.3') +
      text(80, 584, 'Highest enrollment after the degree') +
      set(572, 'Master', '3.1', '3.2', '3.3') +
      set(560, 'Doctor', '4.1', '4.2', '4.3') +
      text(80, 548, 'Engineering and the') +
      set(536, 'natural sciences', '5.1', '5.2', '5.3') +
      share(524, 'Other', '6.1', '6.2', '6.3');
    expect(rowsOf(table(await parse({ content }))).slice(1)).toEqual([
      '0:Type of the institution',
      '0:Public 1:1.1 2:1.2 3:1.3',
      '0:Private 1:2.1 2:2.2 3:2.3',
      '0-1:Highest enrollment after the degree',
      '0:Master 1:3.1 2:3.2 3:3.3',
      '0:Doctor 1:4.1 2:4.2 3:4.3',
      '0:Engineering and the natural sciences 1:5.1 2:5.2 3:5.3',
      '0:Other 1:6.1 2:6.2 3:6.3',
    ]);
  });

  it('have a unit in square brackets beside them, not in them', async () => {
    const content =
      lines(72, 740, PROSE) +
      text(220, 622, '[In thousands]') +
      share(608, 'Group', 'Little', 'Much', 'Both') +
      shares(590);
    const found = table(await parse({ content }));
    expect([found.unit?.text, rowsOf(found)[0]]).toEqual([
      '[In thousands]',
      '0:Group 1:Little 2:Much 3:Both',
    ]);
  });

  it('are not made of the bars of a chart and their numbers', async () => {
    const bar = (x: number, height: number, own: string): string => {
      const box = `${x} 400 28 ${height} re`;
      return `0.6 g ${box} f ${box} S 0 g\n${text(x + 8, 404, own)}${text(x, 386, 'Group')}`;
    };
    const content =
      lines(72, 740, PROSE) +
      rule(100, 400, 400, 400) +
      rule(100, 400, 100, 560) +
      bar(120, 60, '32') +
      bar(190, 45, '23') +
      bar(260, 30, '12') +
      bar(330, 90, '41');
    const { blocks } = await parse({ content });
    expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'image']);
  });
});
