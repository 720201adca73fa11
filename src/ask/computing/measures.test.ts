/** Every measure of the domain packs, by its name in each language, computed from one made statement. */
import { describe, expect, it } from 'vitest';
import { passageOf } from '../../../sql-tests/fixtures/passage.ts';
import { DOMAINS } from '../../language/domains/domains.ts';
import { evaluate, operandsOf } from '../../language/domains/expression.ts';
import type { DomainRow } from '../../language/domains/pack.ts';
import { languageOfCode } from '../../language/detect-language.ts';
import { ALL_DOMAINS } from '../../language/domains/vocabulary.ts';
import { writeAmount } from '../amount.ts';
import { Reader } from '../question.ts';
import { readPassages } from '../reading.ts';
import { Turns } from '../turns.ts';
import { computed } from './compute.ts';

/** Lines by statement: this year, last year. */
const STATEMENTS: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  income: {
    revenue: [1_000, 900],
    cost_of_sales: [600, 550],
    gross_profit: [400, 350],
    sga: [120, 110],
    research_and_development: [50, 45],
    operating_income: [180, 160],
    interest_expense: [20, 18],
    pretax_income: [160, 142],
    income_tax: [40, 36],
    net_income: [120, 106],
  },
  balance: {
    cash: [90, 80],
    short_term_investments: [30, 25],
    receivables: [110, 90],
    inventories: [130, 110],
    current_assets: [380, 320],
    ppe: [500, 460],
    total_assets: [1_200, 1_000],
    payables: [70, 50],
    current_liabilities: [200, 180],
    long_term_debt: [250, 240],
    total_debt: [300, 290],
    total_liabilities: [600, 520],
    equity: [600, 480],
  },
  cash: {
    depreciation: [60, 55],
    operating_cash_flow: [210, 190],
    capital_expenditures: [75, 70],
    dividends_paid: [48, 40],
  },
};

const LINES = Object.assign({}, ...Object.values(STATEMENTS)) as (typeof STATEMENTS)[string];
const reader = new Reader();
const passages = Object.values(STATEMENTS).map((lines) => {
  const rows = Object.entries(lines).map(([id, [now, before]], i) => {
    const [label] = ALL_DOMAINS.labelsOf(id, 'english');
    return `[row_${i + 1}] [column_1]=${label}; [2022]=${now}; [2021]=${before}`;
  });
  return passageOf(`(in millions)\n${rows.join('\n')}`);
});

async function told(question: string): Promise<string | undefined> {
  const turns = new Turns(new AbortController().signal);
  const read = await readPassages(passages, turns);
  return (await computed({ question: reader.read(question), passages: read, reader }, turns)).draft?.text;
}

const MEASURES = [...DOMAINS.packs.values()].flatMap(({ rows }) =>
  [...rows.values()].filter(({ formulas }) => formulas.length > 0),
);

/** Its figure by the first of its formulas of which the statements have all lines. */
function figureOf({ formulas, isPercent }: DomainRow): string {
  const formula = formulas.find((one) => operandsOf(one).every(({ id }) => id in LINES));
  const value =
    formula &&
    evaluate(formula, ({ id, role }) => {
      const [now, before] = LINES[id] ?? [0, 0];
      return role === 'average' ? (now + before) / 2 : now;
    });
  return value == null ? '' : isPercent ? `${writeAmount(100 * value, 1)} %` : writeAmount(value, 2);
}

describe('measures', () => {
  it.each([
    ['cash conversion cycle', '73'],
    ['operating cycle in days', '109.5'],
    ['net debt', '210 (in millions)'],
    ['net debt to EBITDA', '0.88'],
    ['gross leverage', '1.25'],
    ['net gearing', '35 %'],
    ['debt-to-equity ratio', '0.5'],
    ['debt-to-assets ratio', '25 %'],
    ['operating cash flow ratio', '1.05'],
    ['cash flow margin', '21 %'],
    ['cash flow to debt', '70 %'],
    ['equity multiplier', '2'],
    ['equity ratio', '50 %'],
    ['retention ratio', '60 %'],
    ['dividend cover', '2.5'],
    ['payout ratio', '40 %'],
    ['average collection period', '36.5'],
    ['free cash flow conversion', '112.5 %'],
    ['interest cover', '9'],
    ['EBITDA interest coverage', '12'],
    ['return on capital employed', '18 %'],
    ['quick ratio', '1.15'],
    ['cash ratio', '0.6'],
    ['net working capital turnover', '5.56'],
    ['effective tax rate', '25 %'],
    ['capex to depreciation', '125 %'],
  ])('%s: %s', async (name, figure) => {
    const text = await told(`What was the ${name} in 2022?`);
    expect(text?.slice(text.lastIndexOf(' = ') + 3)).toBe(figure);
  });

  it.each(MEASURES.map((row) => [row.id, row] as const))('%s', async (_, row) => {
    const text = await told(`What was the ${row.names.english?.[0]} in 2022?`);
    expect(text?.replace(/ \(in millions\)$/, '')).toMatch(new RegExp(` = ${RegExp.escape(figureOf(row))}$`));
  });

  it('name their cited lines once, and each part as the statement has it', async () => {
    expect(await told('What was the cash conversion cycle in 2022?')).toBe(
      'Cash conversion cycle (computed), 365 × average of inventories / cost of sales + ' +
        '365 × average of accounts receivable / revenue − 365 × average of accounts payable / cost of sales: ' +
        '2022: 365 × ((130 + 110) / 2) / 600 + 365 × ((110 + 90) / 2) / 1,000 − ' +
        '365 × ((70 + 50) / 2) / 600 = 73',
    );
  });

  it.each(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'zh'])('have names in %s that find them', (code) => {
    const lost = MEASURES.flatMap((row) => {
      const names = row.names[languageOfCode(code) ?? ''] ?? [row.id];
      return names.filter((name) => !ALL_DOMAINS.rowsIn(name).some((found) => found.row === row));
    });
    expect(lost).toEqual([]);
  });
});
