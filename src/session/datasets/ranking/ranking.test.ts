/** Each step of ranking by itself: how a query is read, what names a document, one score, and what becomes one result. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrayDatum } from '../../../types/composite/array.ts';
import { OID } from '../../../types/oids.ts';
import { merged } from './merge.ts';
import { namesOf, namesOfDocument } from './naming.ts';
import { pageNumbers } from '../parameters.ts';
import type { Candidate, Passage } from './passage.ts';
import { ALL_DOMAINS } from '../../../language/domains/vocabulary.ts';
import { readQuestion } from './question.ts';
import { byScore } from './score.ts';
import { WEIGHTS } from './weights.ts';

const arms = { semanticScore: null, impliedScore: null, keywordScore: null, namedScore: 0 };

const candidate = (ordinal: number, own: Partial<Candidate> = {}): Candidate => {
  return { dataset: 'd', key: `k${ordinal}`, docId: 'a', ordinal, score: 0, ...arms, ...own };
};

const CHUNK: Passage = {
  score: 0,
  dataset: 'd',
  docId: 'a',
  docName: 'a.pdf',
  docType: 'pdf',
  contentId: '',
  contentIds: [],
  ordinal: 1,
  lastOrdinal: 1,
  kind: 'chunk',
  heading: null,
  text: '',
  pages: null,
  metadata: null,
  version: 1,
  semanticScore: null,
  keywordScore: null,
};

function chunk(ordinal: number, pages: readonly number[], own: Partial<Passage> = {}): Passage {
  const contentId = `doc#a#chunk#${ordinal}`;
  return {
    ...CHUNK,
    contentId,
    contentIds: [contentId],
    ordinal,
    lastOrdinal: ordinal,
    text: `text ${ordinal}`,
    pages: arrayDatum(OID.int4, pages),
    ...own,
  };
}

describe('names', () => {
  it.each([
    ['Best Buy in Q2 of FY2024', 'BESTBUY_2024Q2_10Q', ['bestbuy', '2024', 'q2']],
    ["PepsiCo's 10-K for fiscal year 2022", 'PEPSICO_2022_10K', ['pepsico', '10k', '2022']],
    ['the 3M report', '3M_2018', ['3m']],
    ['müller GmbH', 'Müller-GmbH', ['müller', 'gmbh', 'müllergmbh']],
  ])('of %s and %s are in common', (query, document, common) => {
    const names = new Set(namesOf(document));
    expect(
      namesOf(query)
        .filter((name) => names.has(name))
        .sort(),
    ).toEqual([...common].sort());
  });

  it('leave out what only says that a number is a year', () => {
    expect(namesOf('fiscal year 2022')).toEqual(['2022', 'fiscalyear', 'year2022']);
  });

  it('of a document are those of its file, its title and its metadata', () => {
    const metadata = { ticker: 'PEP', year: 2022, tags: ['beverages', 'snacks'], open: true };
    const names = namesOfDocument({ name: 'pep.10k.pdf', title: 'Annual report', metadata }).split(' ');
    expect(names).toEqual(expect.arrayContaining(['pep', '10k', 'annual', 'report', '2022', 'snacks']));
    expect(names).not.toContain('pdf');
    expect(names).not.toContain('true');
  });
});

describe('a query', () => {
  it('keeps the words that tell something', () => {
    expect(readQuestion('What is the capital of France?', ALL_DOMAINS)?.words).toBe(
      'the capital of France?'.replace('?', ''),
    );
    expect(readQuestion('How many?', ALL_DOMAINS)?.words).toBe('How many');
  });

  it('without a word is none', () => {
    for (const query of ['', '  ', '?!', '🐳']) expect(readQuestion(query, ALL_DOMAINS)).toBeNull();
  });

  it.each([
    ['FY2018 capex of 3M', 'capital expenditures'],
    ['the quick ratio', 'total current assets'],
    ['Gross  margins', 'cost of sales'],
    ['SG&A expense', 'selling, general and administrative'],
    ['is it capital-intensive', 'property, plant and equipment'],
    ['what was the eps of the company in 2022', 'earnings per share'],
    ['¿Cuál fue el DIO de Acme en 2022?', 'inventories'],
  ])('%s means %s', (query, implied) => {
    expect(readQuestion(query, ALL_DOMAINS)?.implied).toContain(implied);
    expect(readQuestion(query, ALL_DOMAINS)?.words).toContain(implied);
  });

  it('a query at its largest stays within what is searched for', () => {
    const query = 'capex of 3M '.repeat(682);
    expect(query.length).toBeGreaterThan(8_100);
    expect(readQuestion(query, ALL_DOMAINS)?.words.length).toBeLessThanOrEqual(8_192);
    expect(readQuestion(query, ALL_DOMAINS)?.words).toContain('capital expenditures');
  });

  it.each([
    'a capexample',
    'steps',
    'sweepstakes',
    'P&LX',
    'the whale',
    '¿Quién dio el nombre a la calle?',
    'Chi ha detto che Dio è morto?',
  ])('%s means what it says', (query) => {
    expect(readQuestion(query, ALL_DOMAINS)?.implied).toBe('');
  });

  it.each([
    [
      'sales of $1.5 billion',
      ['1.5', '1,500', '1500', '1,500,000', '1500000', '1,500,000,000', '1500000000'],
    ],
    ['1577 employees', ['1,577']],
    ['1,577 employees', ['1577']],
    ['2.5 million', ['2.5', '2,500', '2500', '2,500,000', '2500000']],
    ['3M in 2022, item 7A of form 10-K, 0.25', []],
    ['$3m of it', ['3,000', '3000', '3,000,000', '3000000']],
  ])('%s has numbers that may be written %j', (query, forms) => {
    const words = readQuestion(query, ALL_DOMAINS)?.words.split(' ') ?? [];
    expect(forms.filter((form) => !words.includes(form))).toEqual([]);
    expect(words.length).toBeLessThanOrEqual((query.match(/\S+/g)?.length ?? 0) + forms.length);
  });

  it('of any text is read without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (query) => {
        const question = readQuestion(query, ALL_DOMAINS);
        expect(question === null).toBe(!/[\p{L}\p{N}]/u.test(query));
      }),
    );
  });
});

describe('scores', () => {
  const score = fc.option(fc.double({ min: -1, max: 30, noNaN: true }));
  const scored = fc.record({
    semanticScore: score,
    impliedScore: score,
    keywordScore: fc.option(fc.double({ min: 0, max: 30, noNaN: true })),
    namedScore: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  it('are from 0 to 1, the best first, whatever came first', () => {
    fc.assert(
      fc.property(fc.array(scored, { maxLength: 30 }), (given) => {
        const candidates = given.map((own, i) => candidate(i, own));
        const ranked = byScore(candidates, WEIGHTS);
        const scores = ranked.map((one) => one.score);
        expect(scores.every((one) => one >= 0 && one <= 1)).toBe(true);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(byScore(candidates.toReversed(), WEIGHTS)).toEqual(ranked);
      }),
    );
  });

  it('put the document that is named before one that is not', () => {
    const both = { semanticScore: 0.5, impliedScore: 0.5, keywordScore: 3 };
    const [first] = byScore([candidate(1, both), candidate(2, { ...both, namedScore: 1 })], WEIGHTS);
    expect(first?.ordinal).toBe(2);
  });

  it('do not depend on the range of a model', () => {
    const of = (cosines: readonly number[]): readonly number[] => {
      const candidates = cosines.map((semanticScore, i) =>
        candidate(i, { semanticScore, impliedScore: semanticScore, keywordScore: i }),
      );
      return byScore(candidates, WEIGHTS).map((one) => one.ordinal);
    };
    expect(of([0.1, 0.5, 0.3])).toEqual(of([0.81, 0.85, 0.83]));
  });
});

describe('results', () => {
  const ranked = (...chunks: Passage[]): readonly Passage[] =>
    chunks.map((one, i) => ({ ...one, score: 1 - i / 100 }));

  it('are passages of one page, or of two that follow each other', () => {
    const [first, second, ...others] = merged(
      ranked(chunk(7, [4]), chunk(2, [2]), chunk(9, [5]), chunk(8, [4]), chunk(3, [3])),
    );
    expect(first?.contentIds).toEqual(['doc#a#chunk#7', 'doc#a#chunk#8', 'doc#a#chunk#9']);
    expect(first?.text).toBe('text 7\ntext 8\ntext 9');
    expect(first?.contentId).toBe('doc#a#chunk#7');
    expect(pageNumbers(first?.pages ?? null)).toEqual([4, 5]);
    expect(pageNumbers(second?.pages ?? null)).toEqual([2, 3]);
    expect(others).toEqual([]);
  });

  it('say a heading once, and where something is left out', () => {
    const heading = 'A > B';
    const [only] = merged(
      ranked(
        chunk(1, [1], { heading, text: '## A > B\nfirst' }),
        chunk(3, [1], { heading, text: '## A > B\nthird' }),
      ),
    );
    expect(only?.text).toBe('## A > B\nfirst\n[…]\nthird');
  });

  it('hold down what a page has beyond three, and what is said again', () => {
    const texts = merged(
      ranked(
        ...[1, 2, 3, 4].map((ordinal) => chunk(ordinal, [1])),
        chunk(9, [9], { text: 'text  1' }),
        chunk(10, [20]),
      ),
    ).map(({ contentId, score }) => [contentId.split('#')[3], score]);
    expect(texts).toEqual([
      ['1', 1],
      ['10', 0.95],
      ['4', 0.97 / 2],
      ['9', 0.96 / 2],
    ]);
  });

  it('keep images, documents and versions apart', () => {
    const found = merged(
      ranked(
        chunk(1, [1]),
        chunk(2, [1], { kind: 'image' }),
        chunk(3, [1], { docId: 'b' }),
        chunk(4, [1], { version: 2 }),
      ),
    );
    expect(found.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4]);
  });

  it('without pages are chunks side by side', () => {
    const found = merged(ranked(chunk(5, []), chunk(8, []), chunk(6, [])));
    expect(found.map(({ contentIds }) => contentIds.length)).toEqual([2, 1]);
  });

  it('lose no chunk, have two pages at most, and come best first', () => {
    const some = fc.record({ ordinal: fc.nat(40), page: fc.nat(6), isLong: fc.boolean() });
    fc.assert(
      fc.property(fc.uniqueArray(some, { maxLength: 40, selector: ({ ordinal }) => ordinal }), (given) => {
        const chunks = ranked(
          ...given.map(({ ordinal, page, isLong }) => chunk(ordinal, isLong ? [page, page + 1] : [page])),
        );
        const results = merged(chunks);
        const ids = results.flatMap(({ contentIds }) => contentIds);
        expect(ids.toSorted()).toEqual(chunks.map(({ contentId }) => contentId).toSorted());
        for (const { pages } of results) expect(pageNumbers(pages).length).toBeLessThanOrEqual(2);
        const scores = results.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      }),
    );
  });
});

it('an image without the words that are asked for does not come first by meaning alone', () => {
  const chunk = candidate(1, { key: 'doc#a#chunk#1@1', semanticScore: 0.5 });
  const image = { key: 'doc#a#image#2@1', semanticScore: 0.6 };
  const last = candidate(3, { key: 'doc#a#chunk#3@1', semanticScore: 0.1 });
  const first = (found: Partial<Candidate>): number | undefined =>
    byScore([chunk, candidate(2, { ...image, ...found }), last], WEIGHTS)[0]?.ordinal;
  expect(first({})).toBe(1);
  expect(first({ keywordScore: 2 })).toBe(2);
});
