/** Made tables, thousands of them: no number, unit or time is ever another than it was made with, and few are missing. */
import { describe, expect, it } from 'vitest';
import { madeTable, type Truth } from '../../sql-tests/tables/made-table.ts';
import { STYLES } from '../../sql-tests/tables/number-styles.ts';
import { gridOf, readMade, type ShownCell, shownCells } from '../../sql-tests/tables/read-table.ts';

const TABLES_COUNT = 2_000;
const GIVEN_SHARE_MIN = 0.98;

interface Score {
  given: number;
  wanted: number;
  readonly wrong: string[];
}

/** Things that a cell gives and does not say. */
function faultsOf(cell: ShownCell | undefined, truth: Truth): readonly string[] {
  const { number = null, measure, period, rowPath = '', text } = cell ?? {};
  const differs = (name: string, own: unknown, wanted: unknown): string[] =>
    own === null || own === undefined || own === wanted
      ? []
      : [`${text}: ${name} ${String(own)}, not ${String(wanted)}`];
  if (number === null) return [];
  return [
    ...(truth.number !== null && Number(number) === Number(truth.number)
      ? []
      : differs('number', number, truth.number)),
    ...differs('unit', measure?.unit, truth.unit),
    ...differs('power', measure?.power, truth.power),
    ...differs('period', period?.text, truth.period),
    ...differs('path', rowPath, truth.path),
  ];
}

const scores = new Map<string, Score>(STYLES.map(({ name }) => [name, { given: 0, wanted: 0, wrong: [] }]));
for (let seed = 1; seed <= TABLES_COUNT; seed++) {
  const made = madeTable(seed);
  const score = scores.get(made.style.name) as Score;
  const cells = readMade(made);
  for (const truth of made.truths) {
    const cell = cells.get(`${truth.row} ${truth.column}`);
    score.wrong.push(...faultsOf(cell, truth).map((fault) => `seed ${seed}: ${fault}`));
    if (truth.number === null || truth.isOpen) continue;
    score.wanted++;
    if (cell?.number != null) score.given++;
  }
}

describe.each(STYLES.map(({ name }) => name))('made tables written as in %s', (name) => {
  const { given, wanted, wrong } = scores.get(name) as Score;

  it('have no cell with another value than it shows', () => {
    expect(wrong.slice(0, 10)).toEqual([]);
  });

  it(`have values where these are certain: ${given} of ${wanted}`, () => {
    expect(wanted).toBeGreaterThan(1_000);
    expect(given / wanted).toBeGreaterThanOrEqual(GIVEN_SHARE_MIN);
  });
});

/** Number or doubt by the cells' texts. */
const readAs = (
  rows: readonly (readonly string[])[],
  language: string | null = null,
): Record<string, string | null> =>
  Object.fromEntries(
    [...shownCells(gridOf(rows), language).values()]
      .filter(({ row, column }) => row > 0 && column > 0)
      .map(({ text, number, doubt }) => [text, number ?? (doubt === null ? null : `? ${doubt}`)]),
  );

describe('a number of two readings', () => {
  it('has no value where nothing tells, and says why', () => {
    const read = readAs(
      [
        ['', '2023'],
        ['Net sales', '1.577'],
        ['Operating income', '300'],
      ],
      'english',
    );
    expect(read).toEqual({ '1.577': '? "1.577" may be 1577 or 1.577', 300: '300' });
    expect(
      readAs(
        [
          ['', '2023'],
          ['Umsatz', '1,577'],
        ],
        'german',
      ),
    ).toEqual({ '1,577': '? "1,577" may be 1577 or 1.577' });
  });

  it('is what its neighbours show', () => {
    expect(
      readAs([
        ['', '2023'],
        ['Umsatz', '1.577'],
        ['Kosten', '12.300,5'],
      ]),
    ).toEqual({ '1.577': '1577', '12.300,5': '12300.5' });
    expect(
      readAs([
        ['', '2023', 'Quote'],
        ['Umsatz', '1.577', '12,5 %'],
      ]),
    ).toEqual({ '1.577': '1577', '12,5 %': '12.5' });
    expect(
      readAs(
        [
          ['', '2023'],
          ['Net sales', '1,577'],
          ['Cost of sales', '(987)'],
        ],
        'english',
      ),
    ).toEqual({ '1,577': '1577', '(987)': '-987' });
  });

  it('is what makes the total add up', () => {
    expect(
      readAs([
        ['', '2023'],
        ['North', '1.577'],
        ['South', '300'],
        ['Total', '1.877'],
      ]),
    ).toEqual({ '1.577': '1577', 300: '300', '1.877': '1877' });
    expect(
      readAs([
        ['', '2023'],
        ['North', '1.577'],
        ['South', '2.300'],
        ['Total', '3.877'],
      ])['1.577'],
    ).toMatch(/^\?/);
  });

  it('is not told by numbers of notes, nor by both ways of writing in one column', () => {
    expect(
      readAs([
        ['', 'Anhang', '2023'],
        ['Umsatz', '5.1', '1.577'],
      ])['1.577'],
    ).toMatch(/^\?/);
    const mixed = readAs([
      ['', '2023'],
      ['a', '1.577'],
      ['b', '12,5'],
      ['c', '12.5'],
      ['d', '1.234,5'],
      ['e', '1,234.5'],
    ]);
    expect(mixed).toEqual({
      '1.577': expect.stringMatching(/^\?/),
      '12,5': expect.stringMatching(/^\?/),
      '12.5': expect.stringMatching(/^\?/),
      '1.234,5': '1234.5',
      '1,234.5': '1234.5',
    });
  });
});

describe('what only looks like a number', () => {
  it('is none', () => {
    const texts = [
      'n/a',
      '–',
      'nm',
      'MCMXC',
      '12.05.2023',
      '05.2023',
      '1/2',
      '1,577,\n300',
      '9'.repeat(400),
      '$',
      'x',
      '<5',
      '12:30',
    ];
    const rows = texts.map((text, i) => [`line ${i}`, text, `${i + 1}.5`]);
    const read = readAs([['', '2023', '2022'], ...rows], 'english');
    expect(texts.map((text) => read[text])).toEqual(texts.map(() => null));
  });

  it('is a time where it names a row', () => {
    const cells = [
      ...shownCells(
        gridOf([
          ['', 'Revenue'],
          ['2022', '5.5'],
          ['2023', '7.5'],
        ]),
        null,
      ).values(),
    ];
    expect(
      cells
        .filter(({ number }) => number !== null)
        .map(({ number, rowPath, period }) => [number, rowPath, period?.text]),
    ).toEqual([
      ['5.5', '2022', '2022'],
      ['7.5', '2023', '2023'],
    ]);
  });
});

describe('a table', () => {
  it('may change its scale and its header half way', () => {
    const rows = [
      ['', '2023', '2022'],
      ['(in millions)'],
      ['Sales', '$5.5', '$4.5'],
      ['(in thousands)', '2021', '2020'],
      ['Sales', '$7.5', '$6.5'],
    ];
    const cells = shownCells(gridOf(rows), 'english');
    const told = ['2 1', '4 2']
      .map((at) => cells.get(at))
      .map((cell) => [cell?.number, cell?.measure.power, cell?.period?.text]);
    expect(told).toEqual([
      ['5.5', 6, '2023'],
      ['6.5', 3, '2020'],
    ]);
  });

  it('has the number that its file holds, not the one that it shows', () => {
    const grid = gridOf([
      ['', '2023'],
      ['Share', '12%'],
      ['Sales', '$ 1,577'],
    ]);
    const value = new Map([
      ['12%', '0.1234'],
      ['$ 1,577', '1577.25'],
    ]);
    const given = {
      ...grid,
      cells: grid.cells.map((cell) =>
        value.has(cell.text) ? { ...cell, value: value.get(cell.text) as string } : cell,
      ),
    };
    const cells = shownCells(given, null);
    expect([cells.get('1 1')?.number, cells.get('1 1')?.measure, cells.get('2 1')?.number]).toEqual([
      '0.1234',
      { unit: '%', power: 0 },
      '1577.25',
    ]);
  });

  it('may except something in its header, and have parts of years below a year', () => {
    const rows = [
      ['', '2017', '2016', 'First quarter'],
      ['', '(in millions, except per share data)'],
      ['Net sales', '$ 177.5', '$ 135.5', '$ 35.5'],
    ];
    const cells = shownCells(gridOf(rows, { headerRowCount: 2, caption: 'Results 2017' }), 'english');
    const told = ['2 1', '2 2', '2 3']
      .map((at) => cells.get(at))
      .map((cell) => [cell?.measure, cell?.period?.text]);
    expect(told[0]).toEqual([{ unit: '$', power: 6 }, '2017']);
    expect(told[2]?.[1]).toBeUndefined();
    const quarters = [
      ['', 'Year ended December 31, 2017'],
      ['', 'Third Quarter (2)'],
      ['Net sales', '43.5'],
    ];
    expect(shownCells(gridOf(quarters, { headerRowCount: 2 }), null).get('2 1')?.period?.text).toBe(
      '2017-Q3',
    );
  });

  it('has names over times that no file says are merged, and a unit alone in a row', () => {
    const rows = [
      ['Plans'],
      ['', 'Domestic', '', 'International'],
      ['', 'September 30,', '', 'September 30,'],
      ['', '2019', '2018', '2 0 1 9'],
      ['', '(in thousands of dollars)'],
      ['Cost', '400', '375', '190'],
    ];
    const cells = shownCells(gridOf(rows, { headerRowCount: 0 }), 'english');
    const told = ['5 1', '5 2', '5 3'].map((at) => cells.get(at));
    expect(told.map((cell) => [cell?.columnPath, cell?.period?.text, cell?.measure])).toEqual([
      ['Domestic > September 30, > 2019', '2019-09-30', { unit: '$', power: 3 }],
      ['Domestic > September 30, > 2018', '2018-09-30', { unit: '$', power: 3 }],
      ['International > September 30, > 2 0 1 9', '2019-09-30', { unit: '$', power: 3 }],
    ]);
  });

  it('has units beside times, and headers within that have words beside times', () => {
    const rows = [
      ['', '2019 €m', '2018 €m'],
      ['Sales', '1,500', '1,400'],
      ['', 'Dec 29, 2017', 'Transfers'],
      ['Goodwill', '5,424', '175'],
    ];
    const cells = shownCells(gridOf(rows), 'english');
    expect(cells.get('1 2')).toMatchObject({ measure: { unit: 'EUR', power: 6 }, period: { year: 2018 } });
    expect(cells.get('3 1')?.period?.text).toBe('2017-12-29');
    expect(cells.get('3 2')?.period).toBeNull();
  });

  it('takes no letters of an abbreviation for a unit', () => {
    const rows = [
      ['', '2017'],
      ['Purchases of property (PP&E)', '15'],
    ];
    const cells = shownCells(gridOf(rows, { unit: '(in millions of euros)' }), 'english');
    expect(cells.get('1 1')?.measure).toEqual({ unit: 'EUR', power: 6 });
  });

  it('may have one header over ten thousand columns', () => {
    const columns = 10_000;
    const row = ['Sales', ...Array.from({ length: columns }, (_, i) => `${i}.5`)];
    const grid = gridOf([['', '2023'], row], { columnCount: columns + 1 });
    const merged = {
      ...grid,
      cells: grid.cells.map((cell) => (cell.text === '2023' ? { ...cell, columnEnd: columns } : cell)),
    };
    expect(shownCells(merged, null).get(`1 ${columns}`)).toMatchObject({
      number: `${columns - 1}.5`,
      columnPath: '2023',
    });
  });
});
