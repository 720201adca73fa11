/** English. */
import type { QuestionPack } from './question-pack.ts';

const RISE = 'increase|increases|growth|rise|rises|gain|gains';
const FALL = 'decrease|decreases|decline|declines|reduction|reductions|drop|drops';
const RISES = `increase|increased|increases|increasing|grow|grew|grown|grows|growing|rise|rose|risen|
      rises|rising|
  improve*`;
const FALLS = `decrease|decreased|decreases|decreasing|declin*|fall|fell|fallen|falls|drop|dropped|drops|
      shrink|
  shrank`;
const PERCENT = 'percent|percentage|per cent|%|pct';
const SHARE = `${PERCENT}|proportion|share`;

export const ENGLISH_QUESTIONS: QuestionPack = {
  name: 'english',
  words: {
    what: "what|which|who|whom|whose|what's|who's",
    why: 'why|how come|how so',
    when: 'when',
    how: 'how|where',
    'how much': 'how many|how much|how long|how old|how large|how high|how big',
    'what amount': 'how much',
    be: 'is|are|was|were',
    do: 'do|does|did',
    have: 'has|have|had',
    may: 'can|could|will|would|should|may|might|must',
    not: `not|isn't|aren't|wasn't|doesn't|didn't|don't|no|none|never|without|neither|cannot|can't|
      irrelevant|inapplicable|meaningless|not applicable|unavailable|absent`,
    article: 'the|a|an',
    in: 'in|at|on|for|from|by|during|within|with',
    of: 'of',
    and: 'and|or',
    to: 'to',
    'at time': 'from|between|in|for|during|at|as of|over|to|and|by|since',
    'over time': 'from|between|period|over|during',
    between: 'between',
    since: 'since|from',
    span: 'year period|years period|year average',
    until: 'to|through|until|till|-|–',
    year: 'the end of|end of|the beginning of|year|years|fiscal|financial|calendar|ended|ending|end',
    period: 'year|years|period|periods|quarter|quarters|month|months|date',
    percent: PERCENT,
    rise: `${RISE}|${RISES}`,
    fall: `${FALL}|${FALLS}`,
    change: `change|changes|${RISE}|${FALL}|movement|movements`,
    changes: `${RISES}|${FALLS}|chang*|develop*|compar*|differ*|driv*|drove|caus*|explain*|higher|lower|
      evolv*|trend*|break*|growth`,
    most: 'highest|largest|greatest|biggest|most|maximum|higher|larger|greater|bigger',
    least: 'lowest|smallest|least|minimum|lower|smaller|fewest',
    above: `more than|greater than|higher than|larger than|above|over|exceed|exceeds|exceeded|exceeding`,
    below: 'less than|lower than|smaller than|fewer than|below|under',
    'ask for': 'list|give|show|name|tell|compare|explain|describe|calculate|compute|summarize|summarise',
    than: 'than',
    plus: 'plus|+|added to',
    minus: 'minus|less|-|–|−',
    times: 'times|multiplied by|*|×',
    'divided by': 'divided by|over|/|÷',
    mean: 'average|mean|the average of|average of|the mean of|mean of',
    if: 'if|where|in case|should|when|unless',
    say: 'say|state|explain|tell|note|indicate|mention|please|answer|report|write|then|respond',
    because: `because|because of|due to|owing to|as a result of|as a result|resulted from|result from|results from|resulting from|driven by|driven primarily by|driven mainly by|led by|attributable to|attributed to|caused by|on account of|thanks to|reflecting|reflects|reflected|offset by|partly offset|partially offset|stemmed from|stems from|drove|contributed to|benefited from|benefiting from|impacted by|helped by|hurt by|in response to|as a consequence of`,
    'perhaps because': 'since|primarily|mainly|offset|in order to|reflect|owing',
    amount: `amount|amounts|ratio|ratios|rate|rates|percentage|percentages|average|total|totals|value|
      values|
      cost|costs|price|prices|expense|expenses|expenditure|expenditures|revenue|revenues|sales|income|
      balance|balances|margin|margins|asset|assets|liability|liabilities|debt|debts|equity|cash|
      profit|profits|loss|losses|earnings|tax|taxes|dividend|dividends|share|shares|employees|
      headcount|inventory|inventories|receivable|receivables|payable|payables|goodwill|depreciation|
      interest|capex|ebitda|eps|number of`,
    own: "its|their|his|her|the company's|the firm's|the group's|the business's",
    it: 'it|they|them|he|she|the company|the firm|the group',
    this: 'this|that',
    'this period': `that year|the same year|this year|that period|the same period|this period|
      that quarter|
      the same quarter|this quarter`,
    'and what of': `and|but|or|so|ok|okay|then|also|now|again|what about|how about|what of|same for|
      same in|
      same question for|the same for|the same in|the same question for`,
    'at last': 'then|instead|too|as well|again|please',
    'before thing': 'in|for|of|at|on|from|by|with|during|within',
    'no end': `from|of|in|between|at|to|for|the|and|or|as|both|altogether|compared|the end|end|on|during|
      year|
      years|respectively|fiscal`,
    grade: 'total|overall|annual|net|gross|average|consolidated|quarterly',
    difference: 'difference|differences|gap',
    nameless:
      'amount|amounts|value|values|company|firm|group|number|respect|year|incurred|recorded|reported|recognized|recognised|expressed|nominal|respective|altogether',
  },
  kinds: {
    'yes or no': ['<be>', '<do>', '<have>', '<may>'],
    reason: [
      '<why>',
      '(reason|reasons)',
      'what (drove|drives|caused|causes|led|explains|explained)',
      'due to what',
      'what (is|was|are|were) [the] [main|primary|key] (driver|drivers|cause|causes)',
    ],
    time: ['<when>', '(which|what) [fiscal] <period>'],
    list: ['(which|what) (are|were)', 'list', 'what (types|kinds|components|factors)', 'name the'],
    number: [
      '<how much>',
      'what (percent|percentage|proportion|share|amount|number)',
      '(amount|sum|ratio|rate|percentage|percent|average|difference|change|increase|decrease|total|value|number|cost|price|expense|expenses|revenue|revenues|sales|income|balance|margin|capital expenditure|capital expenditures)',
    ],
    person: ['^ [by|to|from|with] (who|whom|whose)'],
  },
  verdicts: ['(is|are|was|were) A (a|an) B'],
  causes: [
    'what (drove|drives|caused|causes|explains|explained|led to) A',
    'why (is|are|was|were|do|does|did|has|have|had) A',
    'why A',
    '(reason|reasons|driver|drivers|cause|causes) (for|of|behind) A',
    'due to what did A',
  ],
  definitions: ['(defined|calculated|computed|measured) as', '(define|calculate|compute|measure) A as'],
  asking: [
    '(what|which) [fiscal|financial|calendar] (year|years) =(<be>|<have>|<do>|saw)',
    '(what|which|who|whom|whose|when|where|why|how|many|much|is|are|was|were|do|does|did|has|have|had)',
    '(the following|amount|value|total number|respective|respectively)',
    "(company 's|company)",
    '(please|said|say|says|tell|told|mentioned|according)',
    '(on|of|from) page #number',
  ],
  answerLeads: [
    '[please|then|directly|just] [please|then|directly|just] (answer|give|respond|response|round|write|express|format|calculate what|use|address|assume|state|provide|rely|return|report your|ignore|disregard|forget)',
  ],
  answerClauses: [
    '[please] answer in',
    '[please] round [your] [the] (answer|result|to)',
    '[please] round',
    '[please] write [down] the answer',
    '[please] directly answer',
    '[please] give me (an|a)',
    'in units of',
  ],
  operations: [
    { op: 'none', form: 'difference between (a|an) A and (a|an) B' },
    { op: 'ratio', form: 'ratio of A to B' },
    { op: 'ratio', form: "(is|was|are|were|the|'s) A, to B, ratio" },
    { op: 'ratio', form: '#year A, to B, ratio' },
    { op: 'ratio', form: 'A as a ratio of B' },
    { op: 'ratio', form: 'A divided by B' },
    { op: 'percentage', form: `A, [expressed] as (a|an) (${SHARE}) (of|over|to) B` },
    {
      op: 'percentage',
      form: `(${SHARE}) [constitution|contribution|composition|distribution] of A (among|over|out of|against|in relation to|to|in|within|as part of) =(total|overall|all|net|gross|sum|company|the total|the overall|the net|the gross|the sum|the company) B`,
    },
    {
      op: 'percentage',
      form: `(${SHARE}) of A over !(period|periods|time|year|years|the period|the year|the years|the last|the past) B`,
    },
    {
      op: 'percentage',
      form: 'percentage (constitution|contribution|composition) of A (among|in|to|of|within) B',
    },
    {
      op: 'percentage',
      form: `what (${SHARE}) of B (is|are|was|were|does|did|do|comes from|come from|came from|is made up|are made up|was made up|were made up|is comprised|are comprised|was comprised|were comprised|is due|are due|was due|were due|is attributable|are attributable|was attributable|were attributable) [by|of|from|to] A`,
    },
    {
      op: 'percentage change',
      form: `(percent|percentage|%|relative|yoy|year over year|year on year) (<change>|<difference>) [in|of|for|between] A`,
    },
    {
      op: 'percentage change',
      form: 'how much (did|has|have) A (change|changed|increase|increased|decrease|decreased|grow|grown|decline|declined|fall|fallen|rise|risen|drop|dropped) in (percent|percentage terms|per cent|%)',
    },
    { op: 'percentage change', form: 'growth rate (in|of|for) A' },
    {
      op: 'percentage change',
      form: '(is|was) [the] A, growth [rate] (in|from|between|for|over|during) [fiscal|fiscal year] #year $',
    },
    {
      op: 'percentage change',
      form: '(is|was) [the] A, growth [rate] (from|between|over) #year (to|and|through|-|–) #year $',
    },
    {
      op: 'percentage change',
      form: '[by] what (percentage|percent) did A (change|increase|decrease|grow|decline|fall|rise|drop)',
    },
    { op: 'change', form: 'net (difference|differences) (in|of|for|between) A' },
    { op: 'difference', form: 'difference (in|of) OF between A and B' },
    { op: 'difference', form: 'difference between A and B' },
    { op: 'difference', form: '(<difference>) (in|of|for|between) A' },
    { op: 'change', form: '(<change>|<difference>) (in|of|for|between) A' },
    {
      op: 'change',
      form: '(change|changes|increase|increases|decrease|decreases|difference|decline|reduction) A',
    },
    {
      op: 'change',
      form: 'how much (did|has|have) A (change|changed|increase|increased|decrease|decreased|grow|grown|decline|declined|fall|fallen|rise|risen|drop|dropped)',
    },
    { op: 'sum', form: '(sum|total) of [the] A, and B' },
    { op: 'none', form: 'weighted average' },
    { op: 'average of year', form: '#year average [of] [the] A' },
    { op: 'average', form: 'average [annual|yearly|of] [the] A' },
    { op: 'sum', form: '(sum|total|combined|aggregate) [amount|value|number] [of] [the] A' },
  ],
  uncomputed: [
    '^ why',
    '^ how (is|are|was|were|does|do|did)',
    '(respectively|respective|driven by|defined as|365)',
    'average A ratio',
    'average ratio',
  ],
  ofYears: [
    '(which|what) [of the|fiscal|financial|calendar|reporting] (year|years|period)',
    'how many [of the] years',
  ],
  ofRows: [
    '(which|what) [is the|are the] !(year*|period*|is|was|are|were|percent*|amount*|value*) A, (had|has|have|was|is|were|are|with|contribut*|account*|generat*|report*)',
  ],
  compared: [
    '[in|for|during|of|from] (which|what|how many) [of the] [fiscal|financial] [year|years|period]',
    "[the] company ['s]",
    '(was|were|is|are|did|does|do|had|has|have|contributed|reported|recorded|that|to|in|of|at|the)',
  ],
  whole: {
    whose: "A's",
    about: 'for A',
    at: 'in A',
    from: 'from A',
    until: 'to A',
    of: 'A of B',
    and: 'A and B',
  },
  pages: ['(on|of|from) page A'],
};
