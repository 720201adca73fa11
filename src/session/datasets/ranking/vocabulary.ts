/**
 * Terms that people ask by and reports do not use: abbreviations, other names of the same, and what a ratio is computed
 * from, since a report has the figures and seldom the ratio. General knowledge, in English; a row is
 * taken where any of its forms stands in the query. What it adds is measured by `bench docs --only search`.
 */

export interface Term {
  /** Singular, lower case; blanks stand for blanks or hyphens. */
  readonly forms: readonly string[];
  /** Words of reports. */
  readonly implied: string;
}

const NAMES: readonly Term[] = [
  {
    forms: ['capex', 'capital expenditure', 'capital expense', 'capital spending', 'capital outlay'],
    implied: 'capital expenditures, purchases of property, plant and equipment',
  },
  { forms: ['pp&e', 'ppe', 'ppne', 'fixed asset'], implied: 'property, plant and equipment' },
  {
    forms: ['cogs', 'cost of goods', 'cost of sales'],
    implied: 'cost of goods sold, cost of sales, cost of revenue',
  },
  { forms: ['eps'], implied: 'earnings per share' },
  { forms: ['ebit'], implied: 'operating income' },
  { forms: ['ebitda'], implied: 'operating income, depreciation and amortization' },
  { forms: ['d&a'], implied: 'depreciation and amortization' },
  { forms: ['sg&a'], implied: 'selling, general and administrative expenses' },
  { forms: ['r&d'], implied: 'research and development' },
  { forms: ['m&a'], implied: 'acquisitions and divestitures' },
  { forms: ['g&a'], implied: 'general and administrative expenses' },
  { forms: ['top line', 'turnover'], implied: 'revenue, net sales' },
  { forms: ['bottom line'], implied: 'net income' },
  { forms: ['headcount'], implied: 'number of employees' },
  {
    forms: [
      'p&l',
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
    forms: ['free cash flow', 'free cashflow', 'fcf'],
    implied: 'net cash provided by operating activities, purchases of property and equipment',
  },
  {
    forms: ['tax rate', 'tax ratio'],
    implied: 'income before income taxes, provision for income taxes',
  },
  {
    forms: ['return on equity', 'return on average equity', 'roe'],
    implied: 'net income, total shareholders equity',
  },
  { forms: ['return on asset', 'return on average asset', 'roa'], implied: 'net income, total assets' },
  {
    forms: [
      'return on capital',
      'return on invested capital',
      'roce',
      'roic',
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
  { forms: ['inventory turnover', 'days inventory', 'dio'], implied: 'cost of sales, inventories' },
  { forms: ['days payable', 'dpo'], implied: 'accounts payable, cost of sales' },
  { forms: ['days sales outstanding', 'dso'], implied: 'accounts receivable, revenue' },
  { forms: ['payout ratio', 'dividend payout'], implied: 'dividends, net income' },
];

const FORMS = [...NAMES, ...RATIOS].map(({ forms, implied }) => ({ implied, pattern: patternOf(forms) }));

/** Any of the forms, as words of their own, in the plural too. */
function patternOf(forms: readonly string[]): RegExp {
  const written = forms.map((form) => form.split(' ').join('[\\s\\u2010-\\u2015-]+'));
  return new RegExp(`(?<![\\p{L}\\p{N}&])(?:${written.join('|')})s?(?![\\p{L}\\p{N}&])`, 'iu');
}

/** Words of reports for what the query means beside what it says; '' for nothing. */
export function impliedBy(query: string): string {
  return FORMS.filter(({ pattern }) => pattern.test(query))
    .map(({ implied }) => implied)
    .join(', ');
}
