/**
 * Words of companies' names that say what kind of company it is, and words beside them that make no name. Data alone,
 * of many countries; in lower case, without dots.
 */

/** After a name: it is one by these. */
export const LEGAL_FORMS: ReadonlySet<string> = new Set([
  ...['inc', 'incorporated', 'corp', 'corporation', 'co', 'company', 'companies', 'llc', 'llp', 'lp'],
  ...['ltd', 'limited', 'plc', 'lllp', 'pllc', 'pty', 'pte', 'bhd', 'berhad', 'pvt'],
  ...['ag', 'gmbh', 'kg', 'kgaa', 'ohg', 'ug', 'se', 'aktiengesellschaft', 'gesellschaft', 'konzern', 'eg'],
  ...['sa', 'sas', 'sarl', 'sca', 'snc', 'spa', 'srl', 'sapa', 'sl', 'slu', 'slp', 'sab', 'cv', 'eirl'],
  ...['nv', 'bv', 'cvba', 'vof', 'ab', 'asa', 'as', 'aps', 'oyj', 'oy', 'hf', 'ltda', 'eireli', 'sgps'],
  ...['sp', 'zoo', 'doo', 'dd', 'ad', 'kft', 'zrt', 'nyrt', 'sro', 'ooo', 'pao', 'jsc', 'ojsc', 'kk', 'gk'],
  ...['group', 'holding', 'holdings', 'groupe', 'gruppo', 'grupo', 'gruppe', 'groep', 'trust', 'partners'],
]);

/** They may stand within or at an end of a name, and say by themselves of none that it is a company's. */
export const LEGAL_WEAK: ReadonlySet<string> = new Set([
  ...['group', 'holding', 'holdings', 'groupe', 'gruppo', 'grupo', 'gruppe', 'groep', 'trust', 'partners'],
  ...[
    'as',
    'se',
    'sa',
    'ab',
    'ad',
    'dd',
    'sp',
    'kg',
    'eg',
    'co',
    'cv',
    'sl',
    'hf',
    'gk',
    'gesellschaft',
    'konzern',
  ],
]);

/** Beside a legal form they name nobody: `Smaller Reporting Company`, `The Parent Company`. */
export const NO_COMPANY: ReadonlySet<string> = new Set([
  ...[
    'the',
    'a',
    'an',
    'this',
    'that',
    'each',
    'such',
    'any',
    'every',
    'our',
    'your',
    'its',
    'another',
    'other',
  ],
  ...[
    'emerging',
    'growth',
    'smaller',
    'reporting',
    'shell',
    'parent',
    'public',
    'private',
    'listed',
    'operating',
  ],
  ...[
    'insurance',
    'issuer',
    'registrant',
    'subsidiary',
    'affiliated',
    'portfolio',
    'management',
    'investment',
  ],
  ...[
    'limited',
    'liability',
    'joint',
    'stock',
    'holding',
    'finance',
    'reference',
    'peer',
    'acquired',
    'target',
  ],
  ...[
    'common',
    'service',
    'services',
    'information',
    'new',
    'exchange',
    'market',
    'nasdaq',
    'nyse',
    'york',
    'euronext',
    'deposit',
    'depositary',
    'transfer',
  ],
]);

/** Places where shares are traded, before a symbol: `(NYSE: BA)`. */
export const EXCHANGES: readonly string[] = [
  ...['NYSE', 'NASDAQ', 'Nasdaq', 'AMEX', 'OTC', 'OTCQB', 'OTCQX', 'LSE', 'AIM', 'TSX', 'TSXV', 'ASX', 'NZX'],
  ...[
    'HKEX',
    'SEHK',
    'SSE',
    'SZSE',
    'TSE',
    'TYO',
    'KRX',
    'SGX',
    'NSE',
    'BSE',
    'JSE',
    'B3',
    'BMV',
    'BME',
    'BIT',
  ],
  ...[
    'XETRA',
    'Xetra',
    'FWB',
    'SIX',
    'EURONEXT',
    'Euronext',
    'EPA',
    'AMS',
    'EBR',
    'STO',
    'CPH',
    'OSE',
    'HEL',
  ],
];

/** Names of a column or line with a trading symbol. */
export const SYMBOL_LABELS: readonly string[] = [
  ...['trading symbol', 'ticker symbol', 'ticker', 'stock symbol', 'börsenkürzel', 'symbole boursier'],
  ...[
    'símbolo bursátil',
    'clave de cotización',
    'simbolo di borsa',
    'código de negociação',
    '股票代码',
    '证券代码',
  ],
];

/** Words by which a document calls whom it is of; they name nobody: (the "Company"). */
export const SELF_WORDS: ReadonlySet<string> = new Set([
  ...['company', 'corporation', 'registrant', 'issuer', 'group', 'firm', 'bank', 'parent', 'we', 'us', 'our'],
  ...[
    'seller',
    'buyer',
    'purchaser',
    'lender',
    'borrower',
    'tenant',
    'landlord',
    'customer',
    'supplier',
    'agent',
  ],
  ...[
    'licensor',
    'licensee',
    'contractor',
    'client',
    'employer',
    'employee',
    'agreement',
    'plan',
    'party',
    'parties',
  ],
  ...[
    'gesellschaft',
    'konzern',
    'société',
    'sociedad',
    'compañía',
    'società',
    'companhia',
    'vennootschap',
    '公司',
  ],
]);
