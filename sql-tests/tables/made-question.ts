/** Questions over made statements, each with the one right answer, or with none where nothing may be computed. */
import { seededRandom } from '../../src/seeded-random.ts';
import { htmlOf, type MadeLine, madeLines, type MadeStatement, pick, type Random } from './made-statement.ts';
import { type NumberStyle, STYLES } from './number-styles.ts';

export interface MadeFile {
  readonly name: string;
  readonly html: string;
}

export interface MadeCase {
  readonly style: string;
  /** The kind of trap, and of question. */
  readonly kind: string;
  readonly files: readonly MadeFile[];
  readonly question: string;
  /** A number as answers show it, a year of the most or least; null: nothing may be computed. */
  readonly answer: number | null;
  /** Nothing shows how its numbers are written, so that nothing need be given. */
  readonly isOpen: boolean;
}

const FORMATS = ['en', 'de', 'fr', 'ch', 'in', 'ar', 'zh'] as const;

const UNITS: Readonly<Record<(typeof FORMATS)[number], readonly MadeStatement['unit'][]>> = {
  en: [
    { line: '(in millions of U.S. dollars)', code: 'USD', power: 6 },
    { line: '($ in thousands)', code: '$', power: 3 },
    { line: '(in millions of pounds sterling)', code: 'GBP', power: 6 },
  ],
  de: [
    { line: '(in Mio. €)', code: 'EUR', power: 6 },
    { line: '(in TEUR)', code: 'EUR', power: 3 },
  ],
  fr: [
    { line: "(en millions d'euros)", code: 'EUR', power: 6 },
    { line: "(en milliers d'euros)", code: 'EUR', power: 3 },
  ],
  ch: [{ line: '(in Mio. CHF)', code: 'CHF', power: 6 }],
  in: [
    { line: '(₹ in crore)', code: 'INR', power: 7 },
    { line: '(Rs. in lakhs)', code: 'INR', power: 5 },
  ],
  ar: [{ line: '(بالمليون دولار أمريكي)', code: 'USD', power: 6 }],
  zh: [
    { line: '(单位：百万元)', code: 'CNY', power: 6 },
    { line: '（人民币千元）', code: 'CNY', power: 3 },
  ],
};

const PERIODS: Readonly<Record<(typeof FORMATS)[number], readonly string[]>> = {
  en: ['%', 'FY%', 'Year ended December 31, %'],
  de: ['%', 'Geschäftsjahr %'],
  fr: ['%', 'Exercice %'],
  ch: ['%', 'Geschäftsjahr %'],
  in: ['%', 'Year ended March 31, %'],
  ar: ['%', 'سنة %'],
  zh: ['%', '%年', '%年度'],
};

const PARTS = [
  { scope: 'segment', title: 'Segment information: Northern division' },
  { scope: 'guarantors', title: 'Summarized information of the guarantors' },
  { scope: 'parent only', title: 'Condensed information of the parent company only' },
  { scope: 'pro forma', title: 'Unaudited pro forma information' },
] as const;
const QUARTER = 'Three months ended March 31, %';
const COMPANIES = ['Borealis', 'Calypso', 'Dunmore', 'Eskdale'] as const;
const TRAPS = [
  'plain',
  'plain',
  'plain',
  'part beside',
  'part alone',
  'quarter alone',
  'scales',
  'currencies',
  'named',
  'unnamed',
] as const;

interface Making {
  readonly random: Random;
  readonly style: NumberStyle;
  readonly format: (typeof FORMATS)[number];
  readonly isTold: boolean;
}

export function madeCase(seed: number): MadeCase {
  const format = FORMATS[seed % FORMATS.length] as (typeof FORMATS)[number];
  const style = STYLES.find(({ name }) => name === format) as NumberStyle;
  const random = seededRandom(Math.imul(seed + 1, 0x9e3779b1));
  const making = { random, style, format, isTold: random() < 0.8 };
  const trap = pick(random, TRAPS);
  const main = statement(making, 'Consolidated statements of income');
  const isWritten = making.isTold || main.decimals > 0 || !/[.,\u202f]/.test(style.group);
  const made = TRAP_CASES[trap](making, main);
  return { ...made, style: format, kind: `${trap}: ${made.kind}`, isOpen: !isWritten };
}

function statement(
  { random, format }: Making,
  title: string,
  given: Partial<MadeStatement> = {},
): MadeStatement {
  const count = 2 + Math.floor(random() * 2);
  const last = 2016 + Math.floor(random() * 8);
  const decimals = given.decimals ?? Math.floor(random() * 3);
  const years = given.years ?? Array.from({ length: count }, (_, i) => last - i);
  const size = 10 ** (2.5 + random() * 4);
  return {
    title,
    unit: pick(random, UNITS[format]),
    period: pick(random, PERIODS[format]),
    years,
    lines: madeLines(random, years.length, size, decimals),
    decimals,
    hasNegativeCosts: random() < 0.5,
    ...given,
  };
}

const page = (making: Making, name: string, ...statements: readonly MadeStatement[]): MadeFile => ({
  name,
  html: `<html><body><h1>${name} annual report</h1>${statements
    .map((one) => htmlOf(one, making.style, making.isTold))
    .join('')}</body></html>`,
});

type Made = Omit<MadeCase, 'style' | 'isOpen'>;

/** A part of the company with other figures, in the same years. */
const partOf = (making: Making, main: MadeStatement, title: string): MadeStatement =>
  statement(making, title, {
    years: main.years,
    decimals: main.decimals,
    unit: main.unit,
    period: main.period,
  });

const TRAP_CASES: Readonly<Record<(typeof TRAPS)[number], (making: Making, main: MadeStatement) => Made>> = {
  plain: (making, main) => ({ ...asked(making, main), files: [page(making, 'Borealis', main)] }),
  'part beside': (making, main) => {
    const part = partOf(making, main, pick(making.random, PARTS).title);
    const both = making.random() < 0.5 ? [part, main] : [main, part];
    return { ...asked(making, main), files: [page(making, 'Borealis', ...both)] };
  },
  'part alone': (making, main) => {
    const part = partOf(making, main, pick(making.random, PARTS).title);
    return { ...asked(making, part), answer: null, files: [page(making, 'Borealis', part)] };
  },
  'quarter alone': (making, main) => {
    const quarter = { ...main, title: 'Results of the quarter', period: QUARTER };
    return { ...asked(making, quarter), answer: null, files: [page(making, 'Borealis', quarter)] };
  },
  scales: (making, main) => twoTables(making, main, 3),
  currencies: (making, main) => twoTables(making, main, null),
  named: (making, main) => companies(making, main, true),
  unnamed: (making, main) => companies(making, main, false),
};

/** Net sales beside assets of another table. @param shift of its scale; null: it is in another currency. */
function twoTables(making: Making, main: MadeStatement, shift: number | null): Made {
  const { random } = making;
  const values = main.years.map(() => Number((10 ** (4 + random() * 3)).toFixed(main.decimals)));
  const unit =
    shift === null
      ? { line: '(in millions of Swedish kronor, SEK)', code: 'SEK', power: 6 }
      : {
          line: `(${main.unit.code === '$' ? 'USD' : main.unit.code} in thousands)`,
          code: main.unit.code,
          power: 3,
        };
  const assets: MadeLine = { name: 'Total assets', isCost: false, values };
  const cash: MadeLine = {
    name: 'Cash',
    isCost: false,
    values: values.map((value) => Math.round(value / 9)),
  };
  const balance = { ...main, title: 'Consolidated balance sheets', unit, lines: [cash, assets] };
  const [i, year] = [0, main.years[0] as number];
  const sales = (main.lines[0] as MadeLine).values[i] as number;
  const ratio = (sales * 10 ** main.unit.power) / ((values[i] as number) * 10 ** unit.power);
  return {
    kind: 'ratio',
    question: `What was the ratio of net sales to total assets in ${year}?`,
    answer: shift === null ? null : ratio,
    files: [page(making, 'Borealis', main, balance)],
  };
}

function companies(making: Making, main: MadeStatement, isNamed: boolean): Made {
  const { random } = making;
  const other = partOf(making, main, main.title);
  const [one, two] = [pick(random, COMPANIES.slice(0, 2)), pick(random, COMPANIES.slice(2))];
  const files = [page(making, one, main), page(making, two, other)];
  const own = asked(making, main, isNamed ? one : null);
  return { ...own, answer: isNamed ? own.answer : null, files: random() < 0.5 ? files : files.toReversed() };
}

type Asked = Pick<MadeCase, 'kind' | 'question' | 'answer'>;
type Ask = (random: Random, statement: MadeStatement, of: string) => Asked;

const figureOf = ({ lines }: MadeStatement, name: string, i: number): number =>
  lines.find((line) => line.name.toLowerCase() === name)?.values[i] as number;

const NAMES = [
  'net sales',
  'cost of sales',
  'gross profit',
  'marketing expenses',
  'research expenses',
  'operating income',
];

/** Two different lines, in their order. */
function two(random: Random): readonly [string, string] {
  const first = Math.floor(random() * (NAMES.length - 1));
  const second = first + 1 + Math.floor(random() * (NAMES.length - 1 - first));
  return [NAMES[first] as string, NAMES[second] as string];
}

const QUESTIONS: readonly Ask[] = [
  (random, one, of) => {
    const [a, b] = two(random);
    const question = `What was the difference between ${a} and ${b}${of} in ${one.years[0]}?`;
    return { kind: 'difference', question, answer: figureOf(one, a, 0) - figureOf(one, b, 0) };
  },
  (random, one, of) => {
    const [b, a] = two(random);
    const question = `What was the ratio of ${a} to ${b}${of} in ${one.years[0]}?`;
    return { kind: 'ratio', question, answer: figureOf(one, a, 0) / figureOf(one, b, 0) };
  },
  (_random, one, of) => ({
    kind: 'margin',
    question: `What was the operating margin${of} in ${one.years[0]}?`,
    answer: (100 * figureOf(one, 'operating income', 0)) / figureOf(one, 'net sales', 0),
  }),
  (_random, one, of) => ({
    kind: 'gross margin',
    question: `What was the gross margin${of} in ${one.years[0]}?`,
    answer: (100 * figureOf(one, 'gross profit', 0)) / figureOf(one, 'net sales', 0),
  }),
  (random, one, of) => {
    const name = pick(random, NAMES);
    const [now, before] = [figureOf(one, name, 0), figureOf(one, name, 1)];
    const question = `What was the percentage change in ${name}${of} from ${one.years[1]} to ${one.years[0]}?`;
    return { kind: 'growth', question, answer: (100 * (now - before)) / before };
  },
  (random, one, of) => {
    const name = pick(random, NAMES);
    const question = `What was the change in ${name}${of} from ${one.years[1]} to ${one.years[0]}?`;
    return { kind: 'change', question, answer: figureOf(one, name, 0) - figureOf(one, name, 1) };
  },
  (random, one, of) => {
    const [a, b] = two(random);
    const question = `What was the sum of ${a} and ${b}${of} in ${one.years[0]}?`;
    return { kind: 'sum', question, answer: figureOf(one, a, 0) + figureOf(one, b, 0) };
  },
  (random, one, of) => {
    const name = pick(random, NAMES);
    const question = `What was the average ${name}${of} for ${one.years[1]} and ${one.years[0]}?`;
    return { kind: 'average', question, answer: (figureOf(one, name, 0) + figureOf(one, name, 1)) / 2 };
  },
  (random, one, of) => {
    const name = pick(random, NAMES);
    const isMost = random() < 0.5;
    const values = one.years.map((year, i) => ({ year, value: figureOf(one, name, i) }));
    values.sort((a, b) => (isMost ? b.value - a.value : a.value - b.value));
    const question = `In which year ${name.endsWith('s') ? 'were' : 'was'} ${name}${of} the ${isMost ? 'highest' : 'lowest'}?`;
    const isTie = values[0]?.value === values[1]?.value;
    return { kind: 'most or least', question, answer: isTie ? null : (values[0]?.year ?? null) };
  },
];

const asked = ({ random }: Making, one: MadeStatement, company: string | null = null): Asked =>
  pick(random, QUESTIONS)(random, one, company === null ? '' : ` of ${company}`);
