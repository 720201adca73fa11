/**
 * Measures that people ask for by name and that statements seldom print, with what they are computed from. General
 * knowledge of accounts, data only. Where a question defines a measure itself, its own definition is followed, not this.
 */

export interface Part {
  /** As statements print it, the usual name first. */
  readonly names: readonly string[];
  /** It is taken off. */
  readonly isMinus?: true;
  /** Shown with brackets or without; what counts is how much it is. */
  readonly isCost?: true;
  /** The mean of the year's end and the end of the year before. */
  readonly isAverage?: true;
  /** Left out where the statement has none. */
  readonly isOptional?: true;
}

export interface Measure {
  readonly name: RegExp;
  readonly label: string;
  readonly over: readonly Part[];
  /** Empty for an amount. */
  readonly under: readonly Part[];
  readonly isPercent?: true;
}

const REVENUE: Part = {
  names: [
    'total revenues',
    'total net sales',
    'net sales',
    'revenues',
    'net revenues',
    'total operating revenues',
    'sales',
  ],
};
const COST_OF_SALES: Part = {
  names: [
    'cost of sales',
    'cost of goods sold',
    'cost of revenues',
    'total cost of revenues',
    'cost of products sold',
    'total cost of sales',
  ],
  isMinus: true,
  isCost: true,
};
const OPERATING_INCOME: Part = {
  names: [
    'operating income',
    'operating profit',
    'income from operations',
    'earnings from operations',
    'operating loss',
    'operating earnings',
  ],
};
const NET_INCOME: Part = {
  names: [
    'net income',
    'net earnings',
    'net loss',
    'net income attributable to shareholders',
    'profit for the year',
  ],
};
const DEPRECIATION: Part = {
  names: ['depreciation and amortization', 'depreciation and amortization expense'],
  isCost: true,
};
const OPERATING_CASH: Part = {
  names: [
    'net cash provided by operating activities',
    'net cash provided by used in operating activities',
    'cash flow from operating activities',
  ],
};
const CAPITAL_EXPENDITURES: Part = {
  names: [
    'capital expenditures',
    'capital spending',
    'purchases of property plant and equipment',
    'purchases of property and equipment',
    'additions to property plant and equipment',
    'additions to property and equipment',
    'capital expenditures including capitalized software',
  ],
  isMinus: true,
  isCost: true,
};
const CURRENT_ASSETS: Part = { names: ['total current assets'] };
const CURRENT_LIABILITIES: Part = { names: ['total current liabilities'] };
const ASSETS: Part = { names: ['total assets'] };
const EQUITY: Part = {
  names: ['total equity', "total shareholders' equity", "total stockholders' equity", "shareholders' equity"],
};
const INVENTORIES: Part = {
  names: ['inventories', 'total inventories', 'inventories net', 'merchandise inventories', 'inventory'],
};
const plus = ({ isMinus: _, ...part }: Part): Part => part;
const minus = (part: Part): Part => ({ ...part, isMinus: true });
const average = (part: Part): Part => ({ ...part, isAverage: true });

const GROSS_MARGIN = /\bgross (?:profit )?margins?\b/i;

/** Measures; of those with one name the first counts whose parts are all there. */
const MEASURES: readonly Measure[] = [
  {
    name: GROSS_MARGIN,
    label: 'gross margin',
    over: [{ names: ['gross profit', 'gross margin'] }],
    under: [REVENUE],
    isPercent: true,
  },
  {
    name: GROSS_MARGIN,
    label: 'gross margin',
    over: [REVENUE, COST_OF_SALES],
    under: [REVENUE],
    isPercent: true,
  },
  {
    name: /\bEBITDA\b.{0,12}\bmargins?\b|\boperating (?:profit )?margins? before depreciation\b/i,
    label: 'EBITDA margin',
    over: [OPERATING_INCOME, DEPRECIATION],
    under: [REVENUE],
    isPercent: true,
  },
  {
    name: /\bEBITDA less cap(?:ital )?ex(?:penditures?)?\b/i,
    label: 'EBITDA less capital expenditures',
    over: [OPERATING_INCOME, DEPRECIATION, CAPITAL_EXPENDITURES],
    under: [],
  },
  {
    name: /\boperating (?:profit |income )?margins?\b/i,
    label: 'operating margin',
    over: [OPERATING_INCOME],
    under: [REVENUE],
    isPercent: true,
  },
  {
    name: /\b(?:net (?:profit |income )?|profit )margins?\b/i,
    label: 'net margin',
    over: [NET_INCOME],
    under: [REVENUE],
    isPercent: true,
  },
  {
    name: /\bfree cash ?flows? (?:conversion|to net income)\b/i,
    label: 'free cash flow to net income',
    over: [OPERATING_CASH, CAPITAL_EXPENDITURES],
    under: [NET_INCOME],
    isPercent: true,
  },
  {
    name: /\bfree cash ?flows?\b|\bFCF\b/i,
    label: 'free cash flow',
    over: [OPERATING_CASH, CAPITAL_EXPENDITURES],
    under: [],
  },
  { name: /\bEBITDA\b/, label: 'EBITDA', over: [OPERATING_INCOME, DEPRECIATION], under: [] },
  {
    name: /\bcurrent ratio\b/i,
    label: 'current ratio',
    over: [CURRENT_ASSETS],
    under: [CURRENT_LIABILITIES],
  },
  {
    name: /\bworking capital\b/i,
    label: 'working capital',
    over: [CURRENT_ASSETS, minus(CURRENT_LIABILITIES)],
    under: [],
  },
  {
    name: /\bquick ratio\b|\bacid[- ]test\b/i,
    label: 'quick ratio',
    over: [
      { names: ['cash and cash equivalents'] },
      {
        names: ['short-term investments', 'marketable securities', 'current marketable securities'],
        isOptional: true,
      },
      { names: ['accounts receivable', 'accounts receivable net', 'receivables', 'receivables net'] },
    ],
    under: [CURRENT_LIABILITIES],
  },
  {
    name: /\beffective (?:income )?tax (?:rate|ratio)s?\b/i,
    label: 'effective tax rate',
    over: [
      {
        names: [
          'provision for income taxes',
          'income tax expense',
          'income tax provision',
          'income tax expense benefit',
          'provision benefit for income taxes',
          'income taxes',
        ],
      },
    ],
    under: [
      {
        names: [
          'income before income taxes',
          'earnings before income taxes',
          'loss before income taxes',
          'income before income tax provision',
          'income before provision for income taxes',
        ],
      },
    ],
    isPercent: true,
  },
  {
    name: /\breturn on (?:total )?assets?\b|\bROA\b/,
    label: 'return on assets',
    over: [NET_INCOME],
    under: [ASSETS],
    isPercent: true,
  },
  {
    name: /\breturn on average (?:shareholders['’]? |stockholders['’]? |common )?equity\b/i,
    label: 'return on average equity',
    over: [NET_INCOME],
    under: [average(EQUITY)],
    isPercent: true,
  },
  {
    name: /\breturn on (?:shareholders['’]? |stockholders['’]? |common )?equity\b|\bROE\b/,
    label: 'return on equity',
    over: [NET_INCOME],
    under: [EQUITY],
    isPercent: true,
  },
  {
    name: /\binterest coverage\b/i,
    label: 'interest coverage',
    over: [OPERATING_INCOME],
    under: [{ names: ['interest expense', 'interest expense net'], isCost: true }],
  },
  {
    name: /\basset turnover\b/i,
    label: 'asset turnover',
    over: [REVENUE],
    under: [ASSETS],
  },
  {
    name: /\binventory turnover\b/i,
    label: 'inventory turnover',
    over: [plus(COST_OF_SALES)],
    under: [average(INVENTORIES)],
  },
  {
    name: /\bcapital[- ]intens(?:ive|ity)\b/i,
    label: 'capital expenditures to revenue',
    over: [plus(CAPITAL_EXPENDITURES)],
    under: [REVENUE],
    isPercent: true,
  },
];

/** It says itself how the measure is made up: nothing but sums of its lines is as it is here. */
const DEFINED = /\b(?:define[ds]?|is calculated)\b[^.?]*(?:\baverage|\bchange|\/|\b365\b)/i;

/** The ways in which the first measure that a question names is computed; none where it defines it. */
export function measuresIn(question: string): readonly Measure[] {
  if (DEFINED.test(question)) return [];
  const first = MEASURES.find(({ name }) => name.test(question));
  return MEASURES.filter(({ label }) => label === first?.label);
}
