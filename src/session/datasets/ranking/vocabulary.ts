/**
 * Terms that people ask by and reports do not use: abbreviations, other names of the same, and what a ratio is computed
 * from, since a report has the figures and seldom the ratio. General knowledge, in English; a row is
 * taken where any of its forms stands in the query. What it adds is measured by `bench docs --only search`.
 */

import { detectLanguage } from '../../../language/detect-language.ts';

export interface Term {
  /**
   * Singular; blanks stand for blanks or hyphens. Abbreviations are in capitals: they are read in lower case only in
   * English, as `dio` is Italian and Spanish for other things.
   */
  readonly forms: readonly string[];
  /** Words of reports. */
  readonly implied: string;
}

const NAMES: readonly Term[] = [
  {
    forms: ['capex', 'capital expenditure', 'capital expense', 'capital spending', 'capital outlay'],
    implied: 'capital expenditures, purchases of property, plant and equipment',
  },
  { forms: ['PP&E', 'PPE', 'PPNE', 'fixed asset'], implied: 'property, plant and equipment' },
  {
    forms: ['COGS', 'cost of goods', 'cost of sales'],
    implied: 'cost of goods sold, cost of sales, cost of revenue',
  },
  { forms: ['EPS'], implied: 'earnings per share' },
  { forms: ['EBIT'], implied: 'operating income' },
  { forms: ['EBITDA'], implied: 'operating income, depreciation and amortization' },
  { forms: ['D&A'], implied: 'depreciation and amortization' },
  { forms: ['SG&A'], implied: 'selling, general and administrative expenses' },
  { forms: ['R&D'], implied: 'research and development' },
  { forms: ['M&A'], implied: 'acquisitions and divestitures' },
  { forms: ['G&A'], implied: 'general and administrative expenses' },
  { forms: ['top line', 'turnover'], implied: 'revenue, net sales' },
  { forms: ['bottom line'], implied: 'net income' },
  { forms: ['headcount'], implied: 'number of employees' },
  {
    forms: [
      'P&L',
      'income statement',
      'profit and loss statement',
      'statement of income',
      'statement of operations',
    ],
    implied: 'consolidated statements of income, operations, earnings',
  },
  { forms: ['balance sheet'], implied: 'consolidated balance sheet, financial position' },
  {
    forms: ['cash flow statement', 'cashflow statement', 'statement of cash flow'],
    implied: 'consolidated statements of cash flows',
  },
];

const RATIOS: readonly Term[] = [
  { forms: ['gross margin', 'gross profit'], implied: 'revenue, cost of sales, gross profit' },
  { forms: ['operating margin', 'operating profit'], implied: 'revenue, operating income' },
  { forms: ['net margin', 'profit margin'], implied: 'revenue, net income' },
  {
    forms: ['free cash flow', 'free cashflow', 'FCF'],
    implied: 'net cash provided by operating activities, purchases of property and equipment',
  },
  {
    forms: ['tax rate', 'tax ratio'],
    implied: 'income before income taxes, provision for income taxes',
  },
  {
    forms: ['return on equity', 'return on average equity', 'ROE'],
    implied: 'net income, total shareholders equity',
  },
  { forms: ['return on asset', 'return on average asset', 'ROA'], implied: 'net income, total assets' },
  {
    forms: [
      'return on capital',
      'return on invested capital',
      'ROCE',
      'ROIC',
      'invested capital',
      'capital employed',
    ],
    implied: 'operating income, total assets, current liabilities, long-term debt, total equity',
  },
  {
    forms: ['quick ratio', 'current ratio', 'cash ratio', 'acid test', 'liquidity', 'working capital'],
    implied: 'total current assets, inventories, accounts receivable, total current liabilities',
  },
  {
    forms: ['debt to equity', 'capitalization ratio', 'leverage ratio', 'gearing'],
    implied: 'long-term debt, total shareholders equity',
  },
  { forms: ['interest coverage'], implied: 'operating income, interest expense' },
  {
    forms: ['capital intensive', 'capital intensity'],
    implied: 'capital expenditures, property, plant and equipment, total assets',
  },
  { forms: ['asset turnover'], implied: 'revenue, total assets' },
  { forms: ['inventory turnover', 'days inventory', 'DIO'], implied: 'cost of sales, inventories' },
  { forms: ['days payable', 'DPO'], implied: 'accounts payable, cost of sales' },
  { forms: ['days sales outstanding', 'DSO'], implied: 'accounts receivable, revenue' },
  { forms: ['payout ratio', 'dividend payout'], implied: 'dividends, net income' },
];

const FORMS = [...NAMES, ...RATIOS].map(({ forms, implied }) => {
  const short = forms.filter((form) => form === form.toUpperCase());
  const long = forms.filter((form) => !short.includes(form));
  return {
    implied,
    long: patternOf(long, 'iu'),
    short: patternOf(short, 'u'),
    small: patternOf(short, 'iu'),
  };
});

/** Any of the forms, as words of their own, in the plural too; null of none. */
function patternOf(forms: readonly string[], flags: string): RegExp | null {
  if (forms.length === 0) return null;
  const written = forms.map((form) => form.split(' ').join('[\\s\\u2010-\\u2015-]+'));
  return new RegExp(`(?<![\\p{L}\\p{N}&])(?:${written.join('|')})s?(?![\\p{L}\\p{N}&])`, flags);
}

/** Words of reports for what the query means beside what it says; '' for nothing. */
export function impliedBy(query: string): string {
  let isEnglish: boolean | null = null;
  const isSmall = (small: RegExp | null): boolean => {
    if (small?.test(query) !== true) return false;
    isEnglish ??= detectLanguage(query) === 'english';
    return isEnglish;
  };
  return FORMS.filter(
    ({ long, short, small }) => long?.test(query) === true || short?.test(query) === true || isSmall(small),
  )
    .map(({ implied }) => implied)
    .join(', ');
}
