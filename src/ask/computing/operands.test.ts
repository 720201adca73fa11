/** Operands of a calculation: told by sums, days, ends of a time, and by what the question says of one cell alone. */
import { describe, expect, it } from 'vitest';
import type { Passage } from '../passage.ts';
import { Reader } from '../question.ts';
import { readPassages } from '../reading.ts';
import { Turns } from '../turns.ts';
import { computed } from './compute.ts';

const reader = new Reader();

const passage = (text: string): Passage => ({
  dataset: 'd',
  docId: 'a',
  docName: 'a.txt',
  docType: 'txt',
  version: 1,
  contentId: `doc#a#chunk#${text.length}`,
  kind: 'chunk',
  heading: null,
  text,
  pages: [],
  strength: 1,
});

/** The formula with its result, or why there is none. */
async function told(question: string, table: string): Promise<string | null> {
  const turns = new Turns(new AbortController().signal);
  const read = await readPassages([passage(table)], turns);
  const { draft, why } = await computed({ question: reader.read(question), passages: read, reader }, turns);
  return draft === null ? why : (/\(computed\): (.*); from /.exec(draft.text)?.[1] ?? draft.text);
}

const TAXES = `[row_1] [column_1]=Current: Federal; [2019]=100; [2018]=150
[row_2] [column_1]=Current: State; [2019]=40; [2018]=25
[row_3] [2019]=140; [2018]=175
[row_4] [column_1]=Deferred: Federal; [2019]=60; [2018]=20
[row_5] [column_1]=Deferred: State; [2019]=10; [2018]=5
[row_6] [2019]=70; [2018]=25
[row_7] [column_1]=Income tax expense; [2019]=210; [2018]=200`;

const DEBTORS = `[row_1] [column_1]=Amounts due within one year:
[row_2] [column_1]=Owed by customers; [2019]=300; [2018]=220
[row_3] [column_1]=Other debtors; [2019]=30; [2018]=40
[row_4] [2019]=330; [2018]=260
[row_5] [column_1]=Amounts due after one year:
[row_6] [column_1]=Owed by customers; [2019]=90; [2018]=70
[row_7] [column_1]=Other debtors; [2019]=20; [2018]=10
[row_8] [2019]=110; [2018]=80`;

const GOODWILL = `[row_1] [column_1]=Goodwill, beginning of the year; [2019]=1,620; [2018]=1,710
[row_2] [column_1]=Additions; [2019]=830; [2018]=–
[row_3] [column_1]=Currency translation; [2019]=10; [2018]=(90)
[row_4] [column_1]=Goodwill, end of the year; [2019]=2,460; [2018]=1,620`;

const PRICES = `[row_1] [column_1]=High price; [June 29, 2019]=91; [March 7, 2019]=88; [June 30, 2018]=94
[row_2] [column_1]=Low price; [June 29, 2019]=71; [March 7, 2019]=76; [June 30, 2018]=82`;

const OWED = `[row_1] [column_1]=Amounts owed by members of the group; [2019]=30; [2018]=20
[row_2] [column_1]=Amounts owed to members of the group; [2019]=12; [2018]=10`;

const LEASES = `[row_1] [column_1]=Notes payable; [Total]=10; [Less than 1 year]=4
[row_2] [column_1]=Lease obligations; [Total]=160; [Less than 1 year]=20`;

const SALES = `[row_1] [column_1]=Sales; [2019]=120; [2018]=150; [2017]=100
[row_2] [column_1]=Inventories; [2019]=40; [2018]=30; [2017]=20`;

const REGIONS = `[row_1] [column_1]=North: sales; [F19]=70; [F18]=60
[row_2] [column_1]=Other; [F19]=20; [F18]=25
[row_3] [column_1]=Total Other; [F19]=9; [F18]=5`;

const LIQUID = `[row_1] [column_1]=Total current assets; [2019]=120; [2018]=90
[row_2] [column_1]=Total current liabilities; [2019]=150; [2018]=100`;

const STATEMENT = `(in thousands)
[row_1] [column_1]=Net sales; [2023]=$ 800; [2022]=$ 790
[row_2] [column_1]=Selling, general and administrative; [2023]=(160); [2022]=(151)
[row_3] [column_1]=Net income; [2023]=66; [2022]=60`;

describe('other names of lines', () => {
  it.each([
    ['What percentage of net sales was SG&A in 2023?', '160 / 800 = 20 %'],
    ['What is net income as a percentage of net sales in 2023?', '66 / 800 = 8.25 %'],
    ['How much did net income grow in percent from 2022 to 2023?', '(66 − 60) / 60 = 10 %'],
    ['What percentage of net sales was Swiss SG&A in 2023?', null],
  ])('%s', async (question, formula) => {
    expect(await told(question, STATEMENT)).toBe(formula);
  });
});

describe('an operand', () => {
  it.each([
    // Words of the sum that a line is a part of.
    ['What was the change in current federal tax expense from 2018 to 2019?', TAXES, '100 − 150 = −50'],
    ['What was the change in income tax expense from 2018 to 2019?', TAXES, '210 − 200 = 10'],
    // A sum without a name is its section's.
    [
      'What was the change in total amounts due within one year from 2018 to 2019?',
      DEBTORS,
      '330 − 260 = 70',
    ],
    ['What was the change in total amounts due after one year from 2018 to 2019?', DEBTORS, '110 − 80 = 30'],
    // What is of a year is what stands at its end.
    ['What was the change in goodwill from 2018 to 2019?', GOODWILL, '2,460 − 1,620 = 840'],
    [
      'What was the change in goodwill at the beginning of the year from 2018 to 2019?',
      GOODWILL,
      '1,620 − 1,710 = −90',
    ],
    // A dash among numbers is none of them.
    ['What was the change in additions from 2018 to 2019?', GOODWILL, '830 − 0 = 830'],
    // Days of one year.
    ['What was the change in the high price from March 7, 2019 to June 29, 2019?', PRICES, '91 − 88 = 3'],
    ['What was the change in amounts owed to members of the group from 2018 to 2019?', OWED, '12 − 10 = 2'],
    ['What was the ratio of total notes payable to total lease obligations?', LEASES, '10 / 160 = 0.06'],
    // `F19` at the end of a clause is a year.
    ['What was the change in Total Other from F18 to F19?', REGIONS, '9 − 5 = 4'],
    ['What was the average Total Other for F18 and F19?', REGIONS, '(9 + 5) / 2 = 7'],
  ])('%s', async (question, table, formula) => {
    expect(await told(question, table)).toBe(formula);
  });

  it('may be a measure that moved', async () => {
    expect(await told('What was the change in the current ratio from 2018 to 2019?', LIQUID)).toContain(
      '(120 / 150) − (90 / 100) = −0.1; 2019: 120 / 150 = 0.8; 2018: 90 / 100 = 0.9',
    );
  });

  it('is none where days are asked for that no cell is of', async () => {
    const question = 'What was the change in the high price from May 7, 2019 to June 29, 2019?';
    expect((await told(question, PRICES)) ?? '').not.toContain('=');
  });

  it('is not the sum without a name of another section, nor a part called by its sum alone', async () => {
    const onDemand = await told(
      'What was the change in total amounts due on demand from 2018 to 2019?',
      DEBTORS,
    );
    expect(onDemand ?? '').not.toContain('330');
    expect(await told('What was the change in deferred tax expense from 2018 to 2019?', TAXES)).toBeNull();
  });
});

describe('a formula', () => {
  it.each([
    // How far apart, whichever is more; from one to the other has a sign.
    ['What is the difference in sales between 2018 and 2019?', '150 − 120 = 30'],
    ['What is the difference in sales from 2018 to 2019?', '120 − 150 = −30'],
    ['What is the net difference in sales between 2018 and 2019?', '120 − 150 = −30'],
    ['What is the change in sales between 2018 and 2019?', '120 − 150 = −30'],
    ['What is the decrease in sales from 2018 to 2019?', '150 − 120 = 30'],
    ['What is the percentage decrease in sales from 2018 to 2019?', '(150 − 120) / 150 = 20 %'],
    ['What is the percentage difference in sales between 2018 and 2019?', '(120 − 150) / 150 = −20 %'],
    ['Wie hoch ist die Differenz der Sales zwischen 2018 und 2019?', '150 − 120 = 30'],
    // Means of a year's end and that of the year before.
    ['What is the 2019 average inventories?', '(40 + 30) / 2 = 35'],
    [
      'What is the change in average inventories between 2018 and 2019?',
      '((40 + 30) / 2) − ((30 + 20) / 2) = 10',
    ],
    [
      'What is the difference between 2019 average sales and 2019 average inventories?',
      '((120 + 150) / 2) − ((40 + 30) / 2) = 100',
    ],
    ['What were inventories expressed as a percentage of sales in 2018?', '30 / 150 = 20 %'],
  ])('%s', async (question, formula) => {
    expect(await told(question, SALES)).toBe(formula);
  });
});
