/** The steps of an answer one by one: what a question asks for, sentences, rows and cells, and what is computed. */
import { describe, expect, it } from 'vitest';
import { passageOf, rowsOfText as rowsOf } from '../../sql-tests/fixtures/passage.ts';
import { confidenceOf, strengthOf } from './confidence.ts';
import { readAmount, writeAmount } from './amount.ts';
import { computed } from './computing/compute.ts';
import { factsOf } from './facts.ts';
import { operationIn } from './question/operation.ts';
import { phrased } from './question/phrased.ts';
import { Reader, yearsIn } from './question.ts';
import { readPassages } from './reading.ts';
import { sentencesOf } from './sentences.ts';

import { Turns } from './turns.ts';

const reader = new Reader();

describe('a question', () => {
  it.each([
    ['What is the total? Answer in USD millions.', 'What is the total?'],
    ['What is the ratio? Round your answer to two decimal places.', 'What is the ratio?'],
    ['Is it useful? If it is not relevant, then state that and explain why.', 'Is it useful?'],
  ])('without what it says of the form: %s', (text, core) => {
    expect(reader.read(text).core).toBe(core);
  });

  it.each([
    ['Why did sales fall?', 'reason'],
    ['In which year were sales the highest?', 'time'],
    ['What are the segments?', 'list'],
    ['How many stores are there?', 'number'],
    ['Has the company paid dividends?', 'yes or no'],
    ['Who is the chairman?', 'person'],
    ['Wie viele Läden gibt es?', 'number'],
  ])('%s asks for: %s', (text, kind) => {
    expect(reader.read(text).kind).toBe(kind);
  });

  it.each([
    ['from FY2017 to FY2019', [2017, 2019]],
    ['2017-2019', [2017, 2018, 2019]],
    ["FY'22 and 2019", [2019, 2022]],
    ['2023Q1 in 1,999 shops', [2023]],
  ])('years of %s', (text, years) => {
    expect(yearsIn(text)).toEqual(years);
  });

  it('names a page', () => {
    expect(reader.read('What is the title on page 12?').page).toBe(12);
  });
});

describe('sentences', () => {
  it('do not end with abbreviations, and leave headings and rows out', () => {
    const text =
      '## A > B\nMr. Smith of Acme Inc. left in Jan. He was 60.\n[row_1] [x]=1\n- First item\n- Second one';
    expect(sentencesOf(text).map((one) => one.text)).toEqual([
      'Mr. Smith of Acme Inc. left in Jan.',
      'He was 60.',
      'First item',
      'Second one',
    ]);
  });

  it('of a numbered clause have its title with the first of them', () => {
    const text = '9. Early termination. Tenant may leave. It pays.\n10. Rent. $5 a month.\n11. Rest.';
    expect(sentencesOf(text).map((one) => one.text)).toEqual([
      'Early termination. Tenant may leave.',
      'It pays.',
      'Rent. $5 a month.',
      'Rest.',
    ]);
    for (const { start, end, text: own } of sentencesOf(text)) expect(text.slice(start, end)).toBe(own);
  });

  it('that a paragraph begins in the middle of are left out', () => {
    const text = '## A\nhave grown since. Sales rose in 2020.\nprofit fell. It did.';
    expect(sentencesOf(text).map((one) => one.text)).toEqual(['Sales rose in 2020.', 'It did.']);
  });

  it('of a list know what it is a list of, and where they stand', () => {
    const text = 'The board has three duties:\n(a) To meet.\n(b) To vote.';
    const [, first, second] = sentencesOf(text);
    expect([first?.lead, second?.lead]).toEqual(Array(2).fill('The board has three duties:'));
    expect(text.slice(second?.start, second?.end)).toBe('To vote.');
  });
});

describe('rows', () => {
  const text = [
    '(in thousands)',
    '[row_1] [column_2]=2019; [column_3]=2018',
    '[row_2] [column_1]=Assets:',
    '[row_3] [column_1]=Cash; [column_2]=$ 5; [column_3]=(7)',
    '[row_4] [column_2]=6; [column_3]=—',
  ].join('\n');

  it('have sections, units, and columns that a row names', () => {
    const [cash, total] = rowsOf(text);
    expect([cash?.label, cash?.section, cash?.unit]).toEqual(['Cash', 'Assets', 'in thousands']);
    expect(cash?.cells.map(({ column, year, amount }) => [column, year, amount?.value])).toEqual([
      ['2019', 2019, 5],
      ['2018', 2018, -7],
    ]);
    expect(total?.label).toBe('');
    expect(total?.cells.map(({ value }) => value)).toEqual(['6', '—']);
  });

  it('know where their cells stand', () => {
    const [cash] = rowsOf(text);
    expect(cash?.cells.map(({ start, end }) => text.slice(start, end))).toEqual([
      '[column_2]=$ 5',
      '[column_3]=(7)',
    ]);
  });
});

describe('what stands above rows', () => {
  const names = (text: string) =>
    rowsOf(text).map(({ section, label, unit }) => [section, label, unit].join(' | '));

  it('is of them until their total, which says itself what it is of', () => {
    const rows = [
      '[row_1] [column_1]=Inventories:',
      '[row_2] [column_1]=Finished goods; [2019]=5',
      '[row_3] [column_1]=Total inventories; [2019]=9',
      '[row_4] [column_1]=Prepaid rent; [2019]=1',
      '[row_5] [column_1]=Total current assets; [2019]=10',
    ];
    expect(names(rows.join('\n'))).toEqual([
      'Inventories | Finished goods | ',
      'Inventories | Total inventories | ',
      ' | Prepaid rent | ',
      ' | Total current assets | ',
    ]);
  });

  it('is a unit or a time, and then no name', () => {
    const rows = [
      '[row_1] [column_1]=Year Ended December 31,; [column_2]=2019',
      '[row_2] [column_1]=(in thousands)',
      '[row_3] [column_1]=Fees; [column_2]=28',
    ];
    expect(names(rows.join('\n'))).toEqual([' | Fees | in thousands']);
  });

  it('is the unit without what it is not of, and of no share', () => {
    const text =
      '(Dollars in millions, except per share data)\n[row_1] [column_1]=Net income; [2019]=28\n' +
      '[row_2] [column_1]=Earnings per share; [2019]=1.20';
    expect(names(text)).toEqual([' | Net income | $ in millions', ' | Earnings per share | ']);
  });
});

describe('a table of contents', () => {
  it('is not read: it says where things stand', async () => {
    const titles = ['Business', 'Legal Proceedings', 'Risk Factors', 'Properties'];
    const rows = titles.map((title, i) => `[row_${i + 1}] [column_1]=${title}; [Page]=${3 + 5 * i}`);
    const turns = new Turns(new AbortController().signal);
    const [contents, table] = await readPassages(
      [
        passageOf(rows.join('\n')),
        passageOf('[row_1] [column_1]=Fees; [2019]=3\n[row_2] [column_1]=Rent; [2019]=4'),
      ],
      turns,
    );
    expect([contents?.rows.length, table?.rows.length]).toEqual([0, 2]);
  });
});

describe('a header that was taken for a row', () => {
  it('is not read, nor are cells whose columns have one name', async () => {
    const turns = new Turns(new AbortController().signal);
    const header =
      '[row_1] [column_1]=Students; [Percent who]=borrowed; [Average]=amount; [Less than $1]=1; [Less than $1]=2';
    const total =
      '[row_2] [column_1]=Total; [Percent who]=44.8; [Less than $1]=23.2; [Less than $1]=10.3; [Less than $1]=27.0';
    const rest = '[row_3] [column_1]=Part-time; [Percent who]=39.1';
    const [read] = await readPassages([passageOf(`${header}\n${total}\n${rest}`)], turns);
    expect(read?.rows.map(({ label, cells }) => [label, cells.map(({ value }) => value)])).toEqual([
      ['Total', ['44.8']],
      ['Part-time', ['39.1']],
    ]);
  });
});

describe('amounts', () => {
  it.each([
    ['$ (1,577.0)', -1577, false],
    ['(1.9)%', -1.9, true],
    ['−5', -5, false],
    ['12 %', 12, true],
    ['.5', 0.5, false],
  ])('%s', (text, value, isPercent) => {
    expect(readAmount(text)).toMatchObject({ value, isPercent });
  });

  it.each(['—', '', 'n/m', '1,57', '(5', '2018 - 2019', '5 million'])('%s is none', (text) => {
    expect(readAmount(text)).toBeNull();
  });

  it('are written without zeros at the end', () => {
    expect([writeAmount(-1234.5, 2), writeAmount(3, 2), writeAmount(-0.001, 2)]).toEqual([
      '−1,234.5',
      '3',
      '0',
    ]);
  });
});

describe('operations', () => {
  it.each([
    ['What is the percentage change in sales from 2018 to 2019?', 'percentage change', [2018, 2019]],
    ['What was the change in sales between 2018 and 2019?', 'change', [2018, 2019]],
    ['What is the difference in sales between APAC and EMEA in 2019?', 'difference', [2019]],
    ['What is the ratio of debt to equity in 2018?', 'ratio', [2018]],
    ['What were warranty costs as a percentage of sales in 2018?', 'percentage', [2018]],
    ['What is the average tax rate from 2017 to 2019?', 'average', [2017, 2018, 2019]],
    ['What is the total of sales in 2018 and 2019?', 'sum', [2018, 2019]],
  ])('%s', (text, kind, years) => {
    expect(operationIn(phrased(text))).toMatchObject({ kind, years });
  });

  it.each([
    'Why did sales change from 2018 to 2019?',
    'What were sales in 2018 and 2019, respectively?',
    'What is the weighted-average share price in 2018 and 2019?',
    'What were total sales in 2018?',
  ])('none: %s', (text) => {
    expect(operationIn(phrased(text))).toBeNull();
  });
});

describe('computed', () => {
  const table = passageOf(
    '[row_1] [column_1]=APAC sales; [2019]=533; [2018]=500\n[row_2] [column_1]=EMEA sales; [2019]=315; [2018]=300\n' +
      '[row_3] [column_1]=Tax rate; [2019]=21 %; [2018]=25 %',
  );
  const text = async (question: string): Promise<string | undefined> => {
    const turns = new Turns(new AbortController().signal);
    const passages = await readPassages([table], turns);
    return (await computed({ question: reader.read(question), passages, reader }, turns)).draft?.text.split(
      ';',
    )[0];
  };

  it.each([
    ['What is the difference in sales between APAC and EMEA in 2019?', '533 − 315 = 218'],
    ['What is the average tax rate for 2018 and 2019?', '(21 + 25) / 2 = 23 %'],
    ['By what percentage did APAC sales increase from 2018 to 2019?', '(533 − 500) / 500 = 6.6 %'],
    ['What is the ratio of APAC sales to EMEA sales in 2018?', '500 / 300 = 1.67'],
  ])('%s', async (question, formula) => {
    expect(await text(question)).toContain(`(computed): ${formula}`);
  });

  it('nothing where an operand is not there', async () => {
    expect(await text('What is the percentage change in APAC sales from 2016 to 2019?')).toBeUndefined();
    expect(await text('What is the percentage change in anvils from 2018 to 2019?')).toBeUndefined();
  });
});

describe('facts', () => {
  it('say the same only once, and are those of the years asked for', async () => {
    const row = '[row_1] [column_1]=Sales; [2019]=533; [2018]=500';
    const { facts } = await factsOf({
      question: reader.read('sales in 2018'),
      passages: [passageOf(row), passageOf(`In short\n${row}`)],
      reader,
      factsMax: 5,
      factsAPassage: 2,
      signal: new AbortController().signal,
    });
    expect(facts.map((fact) => fact.text)).toEqual(['Sales, 2018: 500']);
  });

  it('are what a text says, not names of tables, and are without cells that are empty', async () => {
    const { facts } = await factsOf({
      question: reader.read('How much did students borrow on average in 2003?'),
      passages: [
        passageOf('Table 4.—How much students borrowed on average in 2003, by degree'),
        passageOf('Students borrowed an average of $22,900 in 2003.'),
        passageOf('[row_1] [column_1]=Students borrowed; [2003]=†; [2003 average]=22,900'),
      ],
      reader,
      factsMax: 5,
      factsAPassage: 2,
      signal: new AbortController().signal,
    });
    const texts = facts.map((fact) => fact.text);
    expect(texts.indexOf('Students borrowed, 2003 average: 22,900')).toBeGreaterThanOrEqual(0);
    expect(texts.findIndex((text) => text.startsWith('Table 4'))).toBe(-1);
  });

  it('that stand in several places are one, and cite them', async () => {
    const rows = ['[2019]=$ 533', '[Year ended December 31, 2019]=533.0'];
    const { facts } = await factsOf({
      question: reader.read('What were net sales in 2019?'),
      passages: rows.map((cell) => passageOf(`[row_1] [column_1]=Net sales; ${cell}`)),
      reader,
      factsMax: 5,
      factsAPassage: 2,
      signal: new AbortController().signal,
    });
    expect(facts.map(({ text, citations }) => [text, citations.length])).toEqual([
      ['Net sales, 2019: $ 533', 2],
    ]);
  });

  it('are of the year where a year is asked for, of a quarter where that is', async () => {
    const row =
      '[row_1] [column_1]=Net sales; [Three Months Ended July 29, 2023]=8; [Year Ended July 29, 2023]=31';
    const first = async (question: string) => {
      const { facts } = await factsOf({
        question: reader.read(question),
        passages: [passageOf(row)],
        reader,
        factsMax: 1,
        factsAPassage: 1,
        signal: new AbortController().signal,
      });
      return facts[0]?.text;
    };
    expect(await first('What were net sales in FY2023?')).toBe('Net sales, Year Ended July 29, 2023: 31');
    expect(await first('What were net sales in Q2 of 2023?')).toBe(
      'Net sales, Three Months Ended July 29, 2023: 8',
    );
  });

  it('are of the document that the question names, and answer rather than send elsewhere', async () => {
    const of = (docName: string, text: string) => ({ ...passageOf(text), docName, docId: docName });
    const { facts } = await factsOf({
      question: reader.read('What does Best Buy say of legal proceedings?'),
      passages: [
        of('ACME_2022.pdf', 'Acme is a party to legal proceedings.'),
        of('BESTBUY_2022.pdf', 'For further information of legal proceedings of Best Buy, see Note 7.'),
        of('BESTBUY_2022.pdf', 'We are a party to legal proceedings.'),
      ],
      reader,
      factsMax: 5,
      factsAPassage: 2,
      signal: new AbortController().signal,
    });
    expect(facts[0]?.text).toBe('We are a party to legal proceedings.');
  });

  it('of rows with the same name say by their headings what they are of', async () => {
    const of = (heading: string, value: number) => ({
      ...passageOf(`## ${heading}\n[row_1] [column_1]=Revenues; [2022]=${value}`),
      heading: `10-K > ${heading}`,
    });
    const { facts } = await factsOf({
      question: reader.read('What were revenues in 2022?'),
      passages: [of('Commercial Airplanes', 259), of('Defense and Space', 2316)],
      reader,
      factsMax: 5,
      factsAPassage: 2,
      signal: new AbortController().signal,
    });
    expect(facts.map(({ text }) => text).sort()).toEqual([
      'Commercial Airplanes – Revenues, 2022: 259',
      'Defense and Space – Revenues, 2022: 2316',
    ]);
  });

  it('are not given again that stand in what was computed from them', async () => {
    const rows = '[row_1] [column_1]=Operating income; [2022]=30\n[row_2] [column_1]=Net sales; [2022]=200';
    const { facts } = await factsOf({
      question: reader.read('What is the operating margin in 2022?'),
      passages: [passageOf(rows)],
      reader,
      factsMax: 5,
      factsAPassage: 5,
      signal: new AbortController().signal,
    });
    expect(facts.map(({ text }) => text)).toEqual([
      'Operating margin (computed), Operating income / Net sales: 2022: 30 / 200 = 15 %',
    ]);
  });

  it('come from several passages', async () => {
    const two = (shop: string) =>
      passageOf(`Sales of ${shop} rose by 5 %. Sales of ${shop} fell again by 3 %.`);
    const found = (factsAPassage: number) =>
      factsOf({
        question: reader.read('How did sales develop?'),
        passages: [two('the north'), two('the south')],
        reader,
        factsMax: 5,
        factsAPassage,
        signal: new AbortController().signal,
      });
    expect((await found(2)).facts).toHaveLength(4);
    const { facts } = await found(1);
    expect(new Set(facts.map(({ citations }) => citations[0]?.passage)).size).toBe(2);
    expect(facts).toHaveLength(2);
  });

  it('are in the language of the question where the source is', async () => {
    const { facts } = await factsOf({
      question: reader.read('Warum ist der Umsatz der Gesellschaft im Jahr 2022 gestiegen?'),
      passages: [
        passageOf(
          'Der Vorstand tagte im Mai. Der Umsatz stieg 2022, weil neue Werke der Gesellschaft öffneten.',
        ),
        passageOf('The board met in May. Other things happened in 2022.'),
      ],
      reader,
      factsMax: 1,
      factsAPassage: 2,
      signal: new AbortController().signal,
    });
    expect(facts.map((fact) => fact.text)).toEqual([
      'Der Umsatz stieg 2022, weil neue Werke der Gesellschaft öffneten.',
    ]);
  });

  it('end when they are cancelled', async () => {
    const passages = Array.from({ length: 50 }, (_, i) =>
      passageOf(`Sales of shop ${i} are fine. `.repeat(30)),
    );
    const controller = new AbortController();
    const found = factsOf({
      question: reader.read('sales'),
      passages,
      reader,
      factsMax: 5,
      factsAPassage: 2,
      signal: controller.signal,
    });
    controller.abort(new Error('gone'));
    await expect(found).rejects.toThrow('gone');
  });
});

describe('confidence', () => {
  const confidence = async (question: string, ...texts: readonly string[]): Promise<number> => {
    const passages = texts.map((text) => passageOf(text));
    const { facts, evidence, tried, isUncomputed } = await factsOf({
      question: reader.read(question),
      passages,
      reader,
      factsMax: 5,
      factsAPassage: 2,
      signal: new AbortController().signal,
    });
    return confidenceOf(facts, tried, strengthOf(evidence, { passages: passages.length, isUncomputed }));
  };
  const ROW = '[row_1] [column_1]=Net sales; [2022]=200; [2021]=160';

  it('is less where the question has a word that nothing has', async () => {
    const known = await confidence('What were net sales in 2022?', ROW);
    expect(await confidence('What were net sales of anvils in 2022?', ROW)).toBeLessThan(known);
    expect(known).toBeGreaterThan(80);
  });

  it('is less where a calculation is asked for that could not be made', async () => {
    const made = await confidence('What was the change in net sales from 2021 to 2022?', ROW);
    const missing = await confidence('What was the change in net sales from 2020 to 2022?', ROW);
    expect(missing).toBeLessThan(0.9 * made);
  });

  it('is 0 without facts', async () => {
    expect(await confidence('What were net sales?')).toBe(0);
  });
});
