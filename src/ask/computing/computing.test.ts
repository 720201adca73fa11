/** Measures by their names, and what is the most, the least or beyond a bound: told by code from cells of tables. */
import { describe, expect, it } from 'vitest';
import type { Passage } from '../passage.ts';
import { Reader } from '../question.ts';
import { readPassages } from '../reading.ts';
import { Turns } from '../turns.ts';
import { comparisonIn } from '../question/comparison.ts';
import { phrased } from '../question/phrased.ts';
import { computed } from './compute.ts';

const reader = new Reader();

const passage = (text: string, heading: string | null = null): Passage => ({
  dataset: 'd',
  docId: 'a',
  docName: 'a.txt',
  docType: 'txt',
  version: 1,
  contentId: `doc#a#chunk#${text.length}`,
  kind: 'chunk',
  heading,
  text,
  pages: [],
  strength: 1,
});

async function told(question: string, ...passages: readonly Passage[]): Promise<string | undefined> {
  const turns = new Turns(new AbortController().signal);
  const read = await readPassages(passages, turns);
  return (await computed({ question: reader.read(question), passages: read, reader }, turns)).draft?.text;
}

const INCOME = passage(`(in millions)
[row_1] [column_1]=Net sales; [2022]=200; [2021]=160
[row_2] [column_1]=Cost of sales; [2022]=(120); [2021]=(104)
[row_3] [column_1]=Operating income; [2022]=30; [2021]=32
[row_4] [column_1]=Income before income taxes; [2022]=25; [2021]=30
[row_5] [column_1]=Provision for income taxes; [2022]=5; [2021]=9
[row_6] [column_1]=Net income; [2022]=20; [2021]=21`);

const CASH = passage(`(in millions)
[row_1] [column_1]=Net income; [2022]=20; [2021]=21
[row_2] [column_1]=Depreciation and amortization; [2022]=8; [2021]=7
[row_3] [column_1]=Net cash provided by operating activities; [2022]=40; [2021]=39
[row_4] [column_1]=Purchases of property, plant and equipment (PP&E); [2022]=(15); [2021]=(9)`);

const STOCK = passage(`(in millions)
[row_1] [column_1]=Inventories; [December 31, 2022]=26; [December 31, 2021]=22
[row_2] [column_1]=Total assets; [December 31, 2022]=300; [December 31, 2021]=280`);

describe('a measure that statements do not print', () => {
  it.each([
    [
      'What is the operating margin in 2022?',
      'Operating margin (computed), Operating income / Net sales: 2022: 30 / 200 = 15 %',
    ],
    [
      'Does it have an improving gross margin profile as of FY2022?',
      'Gross margin (computed), (Net sales − Cost of sales) / Net sales: 2022: (200 − 120) / 200 = 40 %; ' +
        '2021: (160 − 104) / 160 = 35 %',
    ],
    [
      'What is the effective tax rate for 2021?',
      'Effective tax rate (computed), Provision for income taxes / Income before income taxes: 2021: 9 / 30 = 30 %',
    ],
    [
      'What was free cash flow in 2022?',
      'Free cash flow (computed), Net cash provided by operating activities − ' +
        'Purchases of property, plant and equipment (PP&E): 2022: 40 − 15 = 25 (in millions)',
    ],
    [
      'What is the EBITDA margin of 2022?',
      'EBITDA margin (computed), (Operating income + Depreciation and amortization) / Net sales: ' +
        '2022: (30 + 8) / 200 = 19 %',
    ],
  ])('%s', async (question, text) => {
    expect(await told(question, INCOME, CASH)).toBe(text);
  });

  it.each([
    [
      'What was its cover in 2022? Cover is defined as: 365 * (average inventory between 2021 and 2022) / ' +
        '(2022 cost of sales + change in inventory between 2021 and 2022).',
      'Cover (computed), 365 × average of Inventories / (Cost of sales + Inventories − prior Inventories): ' +
        '2022: 365 × ((26 + 22) / 2) / (120 + 26 − 22) = 70.65',
    ],
    [
      'What is the cash yield for 2022? Calculate cash yield as operating cash flow divided by income before income taxes.',
      'Cash yield (computed), Net cash provided by operating activities / Income before income taxes: 2022: 40 / 25 = 1.6',
    ],
    [
      'Wie hoch war die Deckung 2022? Die Deckung ist definiert als mittlere Vorräte geteilt durch Umsatz 2022.',
      'Deckung (computed), average of Inventories / Net sales: 2022: ((26 + 22) / 2) / 200 = 0.12',
    ],
  ])('as the question defines it: %s', async (question, text) => {
    expect(await told(question, INCOME, CASH, STOCK)).toBe(text);
  });

  it.each([
    'What was its cover in 2022? Cover is defined as: average inventory between 2018 and 2022 / 2022 cost of sales.',
    'What was its cover in 2022? Cover is defined as: inventory / (cost of sales.',
    'What was its cover in 2022? Cover is defined as: inventory on hand / 2022 net widgets.',
  ])('not where its own definition is not understood whole: %s', async (question) => {
    expect(await told(question, INCOME, CASH, STOCK)).toBeUndefined();
  });

  it('is not kept back by another report of the house that has only quarters', async () => {
    const year = { ...INCOME, docName: 'acme 2022.txt' };
    const quarter = {
      ...passage(`(in millions)
[row_1] [column_1]=Net sales; [Three Months Ended March 31, 2022]=50
[row_2] [column_1]=Operating income; [Three Months Ended March 31, 2022]=6`),
      docId: 'b',
      docName: 'acme earnings.txt',
    };
    expect(await told('What is the operating margin in 2022?', year, quarter)).toContain('30 / 200 = 15 %');
  });

  it('is of the year asked for, and of the last one where none is', async () => {
    expect(await told('What is the operating margin in 2020?', INCOME)).toBeUndefined();
    expect(await told('What is the operating margin?', INCOME)).toContain('2022: 30 / 200');
  });

  it('is not computed where a line is missing, or a table has it itself', async () => {
    expect(await told('What is the operating margin in 2022?', CASH)).toBeUndefined();
    const own = passage('[row_1] [column_1]=Operating margin; [2022]=15.1 %; [2021]=20.2 %');
    expect(await told('What is the operating margin in 2022?', INCOME, own)).toBeUndefined();
  });

  it('is not taken from a part of the company, nor from another measure with the same words', async () => {
    const segment = passage(INCOME.text, 'Notes > Segment Results');
    expect(await told('What is the operating margin in 2022?', segment)).toBeUndefined();
    const before = passage(
      '[row_1] [column_1]=Net sales before tax; [2022]=9\n[row_2] [column_1]=Operating income; [2022]=3',
    );
    expect(await told('What is the operating margin in 2022?', before)).toBeUndefined();
    const deferred = passage(
      '[row_1] [column_1]=Deferred tax assets:\n[row_2] [column_1]=Depreciation and amortization; [2022]=9',
    );
    expect(await told('What is the EBITDA margin of 2022?', INCOME, deferred)).toBeUndefined();
  });

  it('is the mean of two years where it is by definition', async () => {
    const balance = passage('(in millions)\n[row_1] [column_1]=Total equity; [2022]=110; [2021]=90');
    expect(await told('What is the return on average equity in 2022?', INCOME, balance)).toBe(
      'Return on average equity (computed), Net income / average of Total equity: 2022: 20 / ((110 + 90) / 2) = 20 %',
    );
  });

  it('is left alone where the question defines it otherwise', async () => {
    const question = 'What is the asset turnover in 2022? It is defined as net sales / average total assets.';
    const balance = passage('[row_1] [column_1]=Total assets; [2022]=110; [2021]=90');
    expect(await told(question, INCOME, balance)).toBeUndefined();
  });

  it('is in one scale, and of one unit', async () => {
    const depreciation = (unit: string) =>
      passage(`${unit}\n[row_1] [column_1]=Depreciation and amortization; [2022]=8,000`);
    const QUESTION = 'What is the EBITDA margin of 2022?';
    expect(await told(QUESTION, INCOME, depreciation('(in thousands)'))).toContain('(30 + 8) / 200 = 19 %');
    expect(await told(QUESTION, INCOME, depreciation(''))).toBeUndefined();
  });
});

describe('a comparison', () => {
  it.each([
    ['In which year was operating income the highest?', 'years', 'most'],
    ['Which year has the lowest service cost?', 'years', 'least'],
    ['In which year was net income less than 100.0 million?', 'years', 'bound'],
    ['How many years did net income exceed $30 million?', 'years', 'bound'],
    ['Which country had the highest total revenue in 2019?', 'rows', 'most'],
  ])('%s', (text, of, kind) => {
    expect(comparisonIn(phrased(text))).toMatchObject({ of, wanted: { kind } });
  });

  it.each(['Why was income the lowest?', 'What are the largest risks?', 'What was revenue in 2019?'])(
    'none: %s',
    (text) => {
      expect(comparisonIn(phrased(text))).toBeNull();
    },
  );
});

describe('what is the most, the least, or beyond a bound', () => {
  const regions = passage(`(in millions)
[row_1] [column_1]=Revenue by country:
[row_2] [column_1]=Canada; [2019]=96; [2018]=120
[row_3] [column_1]=Japan; [2019]=230; [2018]=90
[row_4] [column_1]=Total; [2019]=326; [2018]=210`);

  it.each([
    [
      'In which year was net income larger?',
      'Net income, larger (computed): 2021: 21; of 2021: 21; 2022: 20 (in millions)',
    ],
    [
      'In which year was operating income less than 31 million?',
      'Operating income less than 31 million (computed): 2022 (1 of 2); of 2021: 32; 2022: 30 (in millions)',
    ],
    [
      'How many years did net sales exceed $100 thousand?',
      'Net sales exceed $100 thousand (computed): 2021, 2022 (2 of 2); of 2021: 160; 2022: 200 (in millions)',
    ],
  ])('%s', async (question, text) => {
    expect(await told(question, INCOME)).toBe(text);
  });

  it('of rows is told without their total, in the column of the year', async () => {
    expect(await told('Which country had the highest revenue in 2019?', regions)).toBe(
      '2019, highest (computed): Japan: 230; of Canada: 96; Japan: 230 (in millions)',
    );
    expect(await told('Which country had the lowest revenue in 2018?', regions)).toBe(
      '2018, lowest (computed): Japan: 90; of Canada: 120; Japan: 90 (in millions)',
    );
  });

  it('is not told where two are alike, or no table is about it', async () => {
    const alike = passage('[row_1] [column_1]=Fees; [2019]=5; [2018]=5');
    expect(await told('In which year were fees higher?', alike)).toBeUndefined();
    expect(await told('Which country had the highest rainfall in 2019?', regions)).toBeUndefined();
  });
});

describe('a calculation asked in other words', () => {
  const BALANCE = passage(`(in millions)
[row_1] [column_1]=Total assets; [2022]=400; [2021]=300
[row_2] [column_1]=Total current liabilities; [2022]=50; [2021]=60
[row_3] [column_1]=Total debt; [2022]=100; [2021]=90`);

  it.each([
    [
      'What is the total debt to total assets ratio in 2022?',
      'Ratio, total debt to total assets (computed): 100 / 400 = 0.25; ' +
        'from Total debt, 2022: 100; Total assets, 2022: 400',
    ],
    [
      'What was the sum of total debt and total current liabilities in 2022?',
      'Sum, total debt and total current liabilities (computed): 100 + 50 = 150 (in millions); ' +
        'from Total debt, 2022: 100; Total current liabilities, 2022: 50',
    ],
    [
      'What was the change in total debt in 2022?',
      'Change, total debt (computed): 100 − 90 = 10 (in millions); from Total debt, 2022: 100; Total debt, 2021: 90',
    ],
    [
      'What is the percentage contribution of total debt in total assets in 2021?',
      'Percentage, total debt of total assets (computed): 90 / 300 = 30 %; ' +
        'from Total debt, 2021: 90; Total assets, 2021: 300',
    ],
  ])('%s', async (question, text) => {
    expect(await told(question, BALANCE)).toBe(text);
  });

  it('is not made with a line of which only a part of the words is asked for', async () => {
    expect(await told('What is the total debt to total liabilities ratio in 2022?', BALANCE)).toBeUndefined();
    expect(
      await told('What is the total debt to average total assets ratio in 2022?', BALANCE),
    ).toBeUndefined();
  });
});

describe('nothing is computed', () => {
  it('of years as if they were amounts, of one cell and itself, of reasons, of quarters from years', async () => {
    const expiry = passage(
      '[row_1] [column_1]=Federal credits; [Last year of expiration]=2029\n[row_2] [column_1]=State credits; [Last year of expiration]=2027',
    );
    expect(await told('What is the ratio of state credits to federal credits?', expiry)).toBeUndefined();
    expect(await told('What drove net income as a percent of net sales in 2022?', INCOME)).toBeUndefined();
    expect(
      await told('What was the change in net sales between Q1 2021 and Q1 2022?', INCOME),
    ).toBeUndefined();
  });
});

const LOANS = passage(`Average amount and percentage of loans
[row_1] [Degree]=Total; [Percent who borrowed]=44.8; [Average amount]=$33,200
[row_2] [Degree]=Highest degree earned by 2003
[row_3] [Degree]=Master’s degree; [Percent who borrowed]=45.4; [Average amount]=22,900
[row_4] [Degree]=Doctoral degree; [Percent who borrowed]=64.3; [Average amount]=44,100
[row_5] [Degree]=Undergraduate major
[row_6] [Degree]=Education; [Percent who borrowed]=34.3; [Average amount]=23,000`);

const ENROLLED = passage(`[row_1] [Degree]=Highest enrollment after the degree by 2003
[row_2] [Degree]=Master’s degree; [Percent who borrowed]=37.9; [Average amount]=19,900
[row_3] [Degree]=Doctoral degree; [Percent who borrowed]=63.1; [Average amount]=43,700`);

describe('operands', () => {
  const DEGREES =
    "What is the difference between the average amount borrowed by doctoral degree and master's degree recipients?";

  it('have the name that the question gives them, with its apostrophe', async () => {
    const text = await told(DEGREES, LOANS);
    expect(text).toContain(
      '44,100 − 22,900 = 21,200; from Doctoral degree, Average amount: 44,100; Master’s degree',
    );
    expect(await told(DEGREES.replace("master's", 'master’s'), LOANS)).toContain('= 21,200');
  });

  it('are none where rows of two groups could be meant', async () => {
    expect(await told(DEGREES, LOANS, ENROLLED)).toBeUndefined();
  });

  it.each([
    'What is the difference between the average amount borrowed by nursing and education majors?',
    'What is the ratio of the average amount of professional degree to the average amount of doctoral degree?',
  ])('are not replaced where the table lacks one: %s', async (question) => {
    expect(await told(question, LOANS)).toBeUndefined();
  });

  it.each([
    'What is the sum of percent who borrowed and average amount for education majors?',
    'What is the difference between percent who borrowed of education and average amount of education?',
  ])('of different units make nothing: %s', async (question) => {
    expect(await told(question, LOANS)).toBeUndefined();
  });

  it('of different scales are brought to one', async () => {
    const text = (scale: string, value: string): string =>
      `(in ${scale})\n[row_1] [column_1]=${value}; [2022]=20`;
    const [one, other] = [passage(text('millions', 'Net sales')), passage(text('thousands', 'Rent paid'))];
    const question = 'What is the ratio of net sales to rent paid in 2022?';
    expect(await told(question, one, other)).toContain('20 / 0.02 = 1,000');
    expect(await told(question, one, passage(text('millions', 'Rent  paid')))).toContain('20 / 20 = 1');
    const unknown = passage('[row_1] [column_1]=Rent paid; [2022]=20\n[row_2] [column_1]=Fees; [2022]=9');
    expect(await told(question, one, unknown)).toBeUndefined();
  });
});
