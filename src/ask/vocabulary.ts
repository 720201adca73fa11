/**
 * Terms that people ask for by one name and documents show by others: measures made of line items, line items with several
 * names, statements that hold them. Data only; a row costs nothing where no question names it.
 */

export interface Concept {
  /** How questions name it. */
  readonly name: RegExp;
  /** Line items that it is made of, or that are other names of it, as statements print them. */
  readonly items: readonly string[];
  /** The items are other names of the same, not its parts: they may be computed with in its place. */
  readonly isAlias?: true;
  /** Title of the statement or note where these stand. */
  readonly place: string | null;
}

const INCOME = 'consolidated statements of income operations earnings';
const BALANCE = 'consolidated balance sheets financial position';
const CASH = 'consolidated statements of cash flows';

const CONCEPTS: readonly Concept[] = [
  {
    name: /\bcapital[- ]expenditures?\b|\bcapex\b|\bcapital spending\b/i,
    isAlias: true,
    items: [
      'purchases of property, plant and equipment',
      'capital expenditures',
      'additions to property and equipment',
    ],
    place: CASH,
  },
  {
    name: /\bcapital[- ]intens/i,
    items: [
      'capital expenditures',
      'purchases of property and equipment',
      'total assets',
      'property, plant and equipment net',
      'net sales revenues',
    ],
    place: `${INCOME} ${BALANCE}`,
  },
  {
    name: /\bfree cash ?flow\b|\bFCF\b/i,
    items: ['net cash provided by operating activities', 'purchases of property and equipment', 'net income'],
    place: CASH,
  },
  {
    name: /\bnet PP&?N?E\b|\bPPN?E\b|\bPP&E\b/i,
    isAlias: true,
    items: ['property, plant and equipment net'],
    place: BALANCE,
  },
  {
    name: /\bgross (?:profit|margins?)\b/i,
    items: [
      'gross profit',
      'gross margin',
      'cost of sales',
      'cost of goods sold',
      'cost of products',
      'net sales',
      'total revenues',
    ],
    place: INCOME,
  },
  {
    name: /\boperating margins?\b/i,
    items: ['operating income', 'net sales', 'total revenue'],
    place: INCOME,
  },
  {
    name: /\bEBITDA\b/,
    items: ['operating profit', 'operating income', 'depreciation and amortization'],
    place: `${INCOME} ${CASH}`,
  },
  { name: /\bEBIT\b|\binterest coverage\b/i, items: ['operating income', 'interest expense'], place: INCOME },
  { name: /\bD&A\b/, items: ['depreciation and amortization'], place: CASH },
  {
    name: /\bquick ratio\b|\bliquidity\b|\bworking capital\b|\bcurrent ratio\b/i,
    items: [
      'total current assets',
      'total current liabilities',
      'inventories',
      'cash and cash equivalents',
      'accounts receivable',
    ],
    place: BALANCE,
  },
  {
    name: /\beffective tax rate\b/i,
    items: [
      'effective tax rate',
      'effective income tax rate',
      'income before income taxes',
      'provision for income taxes',
      'income tax expense',
    ],
    place: INCOME,
  },
  {
    name: /\bdays payable\b|\bDPO\b/i,
    items: ['accounts payable', 'cost of sales', 'inventories'],
    place: BALANCE,
  },
  {
    name: /\bdays (?:sales|inventory)\b|\bDSO\b|\bDIO\b|\binventory turnover\b/i,
    items: ['accounts receivable', 'inventories', 'cost of sales', 'net sales'],
    place: BALANCE,
  },
  {
    name: /\breturn on (?:average )?(?:assets|equity|capital)\b|\bROA\b|\bROE\b|\bROCE\b/i,
    items: [
      'net income',
      'net earnings',
      'total assets',
      "total shareholders' equity",
      'operating income',
      'total current liabilities',
    ],
    place: `${BALANCE} ${INCOME}`,
  },
  {
    name: /\btotal liabilit/i,
    items: ['total liabilities', 'total current liabilities', 'long-term debt', 'total assets'],
    place: BALANCE,
  },
  {
    name: /\b(?:increased? (?:its )?|on[- ]balance[- ]sheet )?debt\b/i,
    items: ['total debt', 'long-term debt', 'debt maturing within one year', 'short-term debt'],
    place: BALANCE,
  },
  {
    name: /\bcash flows?\b.*\b(?:operations|investing|financing)\b|\boperations, investing,? and financing\b/i,
    items: [
      'net cash provided by operating activities',
      'net cash used in investing activities',
      'net cash used in financing activities',
      'total cash provided by operating activities',
    ],
    place: CASH,
  },
  {
    name: /\bcash (?:&|and) (?:cash )?equivalents\b/i,
    isAlias: true,
    items: ['cash and cash equivalents'],
    place: BALANCE,
  },
  {
    name: /\b(?:asset|fixed asset) turnover\b/i,
    items: ['net sales', 'total assets', 'property and equipment net'],
    place: BALANCE,
  },
  {
    name: /\brevenues?\b|\btop[- ]line\b/i,
    isAlias: true,
    items: ['revenue', 'total revenues', 'net sales'],
    place: INCOME,
  },
  { name: /\bCOGS\b/, isAlias: true, items: ['cost of sales', 'cost of goods sold'], place: INCOME },
  { name: /\bSG&A\b/i, isAlias: true, items: ['selling, general and administrative'], place: INCOME },
  {
    name: /\bnet (?:income|profit|earnings)\b/i,
    isAlias: true,
    items: ['net income', 'net earnings'],
    place: INCOME,
  },
  { name: /\bEPS\b/, isAlias: true, items: ['earnings per share'], place: INCOME },
  {
    name: /\blegal (?:battles?|proceedings?|cases?)\b|\blitigation\b|\blawsuits?\b/i,
    items: ['legal proceedings', 'litigation', 'lawsuits filed against', 'legal actions', 'contingencies'],
    place: 'legal proceedings',
  },
  {
    name: /\bacquisitions?\b|\bacquired\b|\bM&A\b/i,
    items: ['acquisition', 'we acquired all outstanding shares', 'purchase price'],
    place: 'acquisitions',
  },
  { name: /\bdividends?\b/i, items: ['dividends declared per share', 'cash dividends'], place: 'dividends' },
  {
    name: /\brestructuring\b/i,
    items: ['restructuring and impairment charges', 'restructuring charges', 'productivity plan charges'],
    place: 'restructuring',
  },
  {
    name: /\b(?:number of|how many|change in).*\bstores\b/i,
    items: ['number of stores', 'stores at end of quarter'],
    place: 'stores',
  },
  { name: /\bbalance sheet\b/i, items: [], place: BALANCE },
  { name: /\bcash ?flow statement\b|\bstatement of cash ?flows?\b/i, items: [], place: CASH },
  {
    name: /\bincome statement\b|\bP&L\b|\bstatement of (?:income|operations|earnings)\b|\bprofit and loss\b/i,
    items: [],
    place: INCOME,
  },
  {
    name: /\bmain customers?\b|\bprimary customers?\b/i,
    items: ['customers', 'accounted for % of revenues'],
    place: 'customers',
  },
  {
    name: /\bgeograph/i,
    items: ['geographic areas', 'operations in', 'North America, Latin America, Europe, Asia Pacific'],
    place: 'segments',
  },
];

/** Those that a question names, in the order of the table. */
export const conceptsIn = (question: string): readonly Concept[] =>
  CONCEPTS.filter(({ name }) => name.test(question));
