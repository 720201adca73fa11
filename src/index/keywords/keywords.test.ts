/**
 * Keywords against the formula written out: BM25 over plain arrays, for the head, segments, merged segments
 * and several parts, with masks, limits and deleted rows.
 */
import { DistanceTable } from '../../edit-distance.ts';
import { seededRandom } from '../../seeded-random.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OID } from '../../types/oids.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import { TextVector } from '../../types/column/vector.ts';
import { createAnalyser } from '../../language/analyse.ts';
import { expandFuzzy } from './fuzzy.ts';
import { KEYWORDS, type KeywordsStructure, openKeywords } from './keywords.ts';
import { phraseFrequency } from './phrase.ts';
import type { ArmRequest } from '../request.ts';
import type { HeadStructure, Structure, StructureOptions } from '../structure.ts';

type Operator = Extract<ArmRequest, { kind: 'keyword' }>['operator'];

const LIVE = new AbortController().signal;
const TEXT: StructureOptions = { dimension: 0, options: { type: 'text', language: 'simple' } };
const ENGLISH: StructureOptions = { dimension: 0, options: { type: 'text', language: 'english' } };
const EXACT: StructureOptions = { dimension: 0, options: { type: 'exact', language: 'english' } };

function request(operator: Operator, query: string | readonly string[], option = 0): ArmRequest {
  return { kind: 'keyword', indexes: [1], operator, query, weight: 1, option, b: 0.75, k1: 1.2 };
}

function headOf(options: StructureOptions, texts: readonly (string | null)[]): HeadStructure {
  const head = KEYWORDS.head(options);
  const nulls = Uint8Array.from(texts, (text) => (text === null ? 1 : 0));
  head.append({
    kind: 'keywords',
    values: TextVector.fromStrings(
      texts.map((text) => text ?? ''),
      nulls,
    ),
  });
  return head;
}

/** As stored, in the memory of the kernels. */
function opened(options: StructureOptions, structure: Structure): Structure {
  const { rowCount } = structure;
  const stored = structure.sections();
  const sizes = new Map([...stored].map(([name, bytes]) => [name, bytes.length]));
  const load = openKeywords(options, { sizes, rowCount, floats: null }, 0);
  for (const [name, target] of load.targets) target.set(stored.get(name) as Uint8Array);
  return load.finish();
}

interface Part {
  readonly structure: Structure;
  readonly visible: Uint32Array | null;
  readonly limit: number;
}

const whole = (structure: Structure): Part => ({ structure, visible: null, limit: structure.rowCount });

function merge(options: StructureOptions, structure: Structure): Structure {
  const rowMap = Int32Array.from({ length: structure.rowCount }, (_, row) => row);
  return KEYWORDS.merge(options, [{ structure, rowMap }], structure.rowCount);
}

function bitsOf(rows: Iterable<number>, count: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(count / 32));
  for (const row of rows) bits[row >>> 5] = (bits[row >>> 5] as number) | (1 << (row & 31));
  return bits;
}

/** Words with a few very frequent and many rare ones. */
function corpus(rows: number, seed: number): (string | null)[] {
  const random = seededRandom(seed);
  return Array.from({ length: rows }, (_, row) => {
    if (row % 11 === 5) return null;
    const words = Array.from(
      { length: 1 + Math.floor(random() * 40) },
      () => `w${Math.floor(300 ** random())}`,
    );
    return words.join(' ');
  });
}

/** The formula, over rows that `sees` lets through. */
function bruteScores(
  texts: readonly (string | null)[],
  query: readonly string[],
  sees: (row: number) => boolean = () => true,
): number[] {
  const words = texts.map((text, row) => (text === null || !sees(row) ? [] : text.split(' ')));
  const documents = words.filter((list) => list.length > 0);
  const average = documents.reduce((sum, list) => sum + list.length, 0) / documents.length;
  const idf = query.map((term) => {
    const n = documents.filter((list) => list.includes(term)).length;
    return Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
  });
  return words.map((list) => {
    let score = 0;
    for (const [i, term] of query.entries()) {
      const f = list.filter((word) => word === term).length;
      score += ((idf[i] as number) * f) / (f + 1.2 * (0.25 + (0.75 * list.length) / average));
    }
    return score > 0 ? score : Number.NaN;
  });
}

function best(scores: readonly number[], count: number): { row: number; score: number }[] {
  return scores
    .map((score, row) => ({ row, score }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, count);
}

describe('BM25', () => {
  const texts = corpus(3000, 7);
  const head = headOf(TEXT, texts);
  const segment = merge(TEXT, head);
  const loaded = opened(TEXT, segment);
  const queries = ['w1', 'w250', 'w1 w2 w3', 'w1 w40 w299', 'w5 w6 w7 w8 w9 w10 w11 w12', 'w299 nowhere'];

  it.each(queries)('follows the formula: %s', async (text) => {
    const expected = bruteScores(texts, text.split(' '));
    for (const structure of [head, segment, loaded]) {
      const query = KEYWORDS.prepare(TEXT, request('match', text), [whole(structure)]);
      for (const count of [1, 10, 100, 5000]) {
        const hits = await structure.search(query, { count, mask: null, limit: texts.length, signal: LIVE });
        const wanted = best(expected, count);
        expect(hits.rows.length).toBeGreaterThanOrEqual(wanted.length);
        for (const tie of hits.scores.subarray(count)) expect(tie).toBe(hits.scores[count - 1]);
        for (const [i, hit] of wanted.entries()) expect(hits.scores[i]).toBeCloseTo(hit.score, 9);
        const rows = hits.rows.slice().sort();
        const scores = new Map([...structure.score(query, rows)].map((score, i) => [rows[i], score]));
        for (const [i, row] of hits.rows.entries()) expect(scores.get(row)).toBe(hits.scores[i]);
      }
    }
  });

  it.each(queries)('is the same for head and segment, bit for bit: %s', async (text) => {
    const hits = await Promise.all(
      [head, segment, loaded].map((structure) =>
        structure.search(KEYWORDS.prepare(TEXT, request('match', text), [whole(structure)]), {
          count: 50,
          mask: null,
          limit: 3000,
          signal: LIVE,
        }),
      ),
    );
    expect(hits[1]?.rows).toEqual(hits[0]?.rows);
    expect(hits[1]?.scores).toEqual(hits[0]?.scores);
    expect(hits[2]).toEqual(hits[1]);
  });

  it.each([2, 5, 50, 700])('counts only visible rows, in a mask of one row in %i', async (share) => {
    const limit = 2900;
    const sees = (row: number): boolean => row < limit && row % 3 !== 1;
    const rows = texts.map((_, row) => row);
    const visible = bitsOf(
      rows.filter((row) => row % 3 !== 1),
      texts.length,
    );
    const scores = bruteScores(texts, ['w1', 'w30', 'w200'], sees);
    const wanted = rows.filter((row) => sees(row) && row % share === 0);
    for (const structure of [head, segment, loaded]) {
      const query = KEYWORDS.prepare(TEXT, request('match', 'w1 w30 w200'), [{ structure, visible, limit }]);
      const hits = await structure.search(query, {
        count: 20,
        mask: bitsOf(wanted, texts.length),
        limit,
        signal: LIVE,
      });
      const expected = best(
        scores.map((score, row) => (wanted.includes(row) ? score : Number.NaN)),
        20,
      );
      expect([...hits.rows]).toEqual(expected.map(({ row }) => row));
      for (const [i, { score }] of expected.entries()) expect(hits.scores[i]).toBeCloseTo(score, 9);
    }
  });

  it('sums its statistics over parts, and merging them changes nothing', async () => {
    const parts = [0, 1, 2].map((i) => headOf(TEXT, texts.slice(i * 1000, i * 1000 + 1000)));
    const expected = bruteScores(texts, ['w3', 'w77']);
    const query = KEYWORDS.prepare(TEXT, request('match', 'w3 w77'), parts.map(whole));
    const all = parts.flatMap((part) => [
      ...part.score(
        query,
        Uint32Array.from({ length: 1000 }, (_, i) => i),
      ),
    ]);
    for (const [row, score] of expected.entries()) {
      if (Number.isNaN(score)) expect(all[row]).toBeNaN();
      else expect(all[row]).toBeCloseTo(score, 9);
    }
    const odd = (row: number): number => (row % 2 === 1 ? row >> 1 : -1);
    const inputs = parts.map((structure, i) => ({
      structure,
      // The parts in reverse order, odd rows only.
      rowMap: Int32Array.from({ length: 1000 }, (_, row) => (odd(row) < 0 ? -1 : odd(row) + (2 - i) * 500)),
    }));
    const merged = KEYWORDS.merge(TEXT, inputs, 1500);
    const kept = [2, 1, 0].flatMap((i) =>
      texts.slice(i * 1000, i * 1000 + 1000).filter((_, row) => row % 2 === 1),
    );
    const again = headOf(TEXT, kept);
    expect(merged.sections()).toEqual(again.sections());
  });
});

describe('what is passed over', () => {
  const texts = corpus(6000, 23);
  const head = headOf(TEXT, texts);
  const segment = merge(TEXT, head);
  const loaded = opened(TEXT, segment);
  const all = Uint32Array.from(texts.keys());
  const queries = ['w0 w1', 'w0 w2 w7', 'w3 w3 w1', 'w1 w5 w20', 'w0 w1 w2 w3 w4 w5 w6 w7', 'w150 w0'];
  const masks = [
    null,
    bitsOf(
      texts.keys().filter((row) => row % 3 === 0),
      texts.length,
    ),
  ];

  it.each(queries.flatMap((query) => (['match', 'match_all', 'phrase'] as const).map((op) => [op, query])))(
    '%s %s is what scoring every row finds',
    async (operator, text) => {
      const asked = operator === 'match_all' ? text.split(' ') : text;
      for (const structure of [head, segment, loaded]) {
        const query = KEYWORDS.prepare(
          TEXT,
          request(operator as Operator, asked, operator === 'phrase' ? 1 : 0),
          [whole(structure)],
        );
        const scores = structure.score(query, all);
        for (const mask of masks) {
          const seen = [...scores].map((score, row) => (mask && row % 3 > 0 ? Number.NaN : score));
          const wanted = best(seen, 10);
          const hits = await structure.search(query, { count: 10, mask, limit: texts.length, signal: LIVE });
          expect([...hits.rows.subarray(0, 10)]).toEqual(wanted.map(({ row }) => row));
          expect([...hits.scores.subarray(0, 10)]).toEqual(wanted.map(({ score }) => score));
        }
      }
    },
  );

  it('counts the rows of a term that are visible', () => {
    const visible = bitsOf(
      texts.keys().filter((row) => row % 2 === 0),
      texts.length,
    );
    const part = { structure: segment, visible, limit: texts.length };
    const again = KEYWORDS.prepare(TEXT, request('match', 'w0'), [part]);
    expect(KEYWORDS.prepare(TEXT, request('match', 'w0'), [part])).toEqual(again);
    const kept = headOf(
      TEXT,
      texts.filter((_, row) => row % 2 === 0),
    );
    expect(again).toEqual(KEYWORDS.prepare(TEXT, request('match', 'w0'), [whole(kept)]));
  });
});

describe('Lucene', () => {
  // N = 3, average length 7/3; idf of a and b: ln(1 + 1.5 / 2.5) = 0.470004.
  const head = headOf(TEXT, ['a b', 'a a b c', 'c']);
  const scoresOf = (query: string, b: number, k1: number): number[] => {
    const prepared = KEYWORDS.prepare(TEXT, { ...request('match', query), b, k1 } as ArmRequest, [
      whole(head),
    ]);
    return [...head.score(prepared, Uint32Array.of(0, 1, 2))];
  };

  it.each([
    ['a', 0.75, 1.2, [0.226898, 0.244611]],
    ['b', 0.75, 1.2, [0.226898, 0.165328]],
    ['a b', 0.75, 1.2, [0.453796, 0.409939]],
    ['a', 0, 2, [0.156668, 0.235002]],
    ['a', 1, 0, [0.470004, 0.470004]],
  ] as const)('scores %s with b %d and k1 %d as computed by hand', (query, b, k1, expected) => {
    const scores = scoresOf(query, b, k1);
    for (const [row, score] of expected.entries()) expect(scores[row]).toBeCloseTo(score, 4);
    expect(scores[2]).toBeNaN();
  });
});

describe('operators', () => {
  const texts = [
    'the quick brown fox jumps over the lazy dog',
    'the quick fox',
    'brown dogs are quick, foxes are quicker',
    null,
    'a state of the art machine',
    'the art of a state machine',
    'to be or not to be',
    '',
  ];
  const head = headOf(ENGLISH, texts);
  const matched = async (
    operator: Operator,
    query: string | readonly string[],
    option = 0,
  ): Promise<number[]> => {
    const results = await Promise.all(
      [head, merge(ENGLISH, head), opened(ENGLISH, merge(ENGLISH, head))].map(async (structure) => {
        const prepared = KEYWORDS.prepare(ENGLISH, request(operator, query, option), [whole(structure)]);
        return [
          ...(await structure.search(prepared, { count: 100, mask: null, limit: 8, signal: LIVE })).rows,
        ].sort((a, b) => a - b);
      }),
    );
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    return results[0] as number[];
  };

  it('match: any term, or all', async () => {
    expect(await matched('match', 'fox machines')).toEqual([0, 1, 2, 4, 5]);
    expect(await matched('match', 'brown foxes', 1)).toEqual([0, 2]);
    expect(await matched('should', 'lazy')).toEqual([0]);
    expect(await matched('bm25', 'lazy')).toEqual([0]);
  });

  it('match_all, match_any and match_tokens take lists', async () => {
    expect(await matched('match_all', ['brown', 'fox'])).toEqual([0, 2]);
    expect(await matched('match_any', ['lazy', 'art'])).toEqual([0, 4, 5]);
    expect(await matched('match_tokens', ['lazy', 'art'])).toEqual([0, 4, 5]);
    expect(await matched('match_all', ['brown', 'nowhere'])).toEqual([]);
  });

  it('phrase: in order, with gaps for stop words, with slop', async () => {
    expect(await matched('phrase', 'quick fox')).toEqual([1, 2]);
    expect(await matched('phrase', 'quick fox', 1)).toEqual([0, 1, 2]);
    expect(await matched('phrase', 'state of the art')).toEqual([4]);
    expect(await matched('phrase', 'fox quick', 2)).toEqual([1, 2]);
    expect(await matched('phrase', 'fox')).toEqual([0, 1, 2]);
  });

  it('fuzzy: within the distance, by length when none is given', async () => {
    expect(await matched('fuzzy', 'machnie', -1)).toEqual([4, 5]);
    expect(await matched('fuzzy', 'quikc', 1)).toEqual([0, 1, 2]);
    expect(await matched('fuzzy', 'fxo', 0)).toEqual([]);
  });

  it('prefix: words that begin with the letters', async () => {
    expect(await matched('prefix', 'qui')).toEqual([0, 1, 2]);
    expect(await matched('prefix', 'mach jum')).toEqual([0, 4, 5]);
    expect(await matched('prefix', 'zz')).toEqual([]);
  });

  it('stop words alone are looked for as they are written', async () => {
    for (const operator of ['match', 'bm25', 'fuzzy'] as const) {
      expect(await matched(operator, 'the of')).toEqual([0, 1, 4, 5]);
    }
    expect(await matched('match', 'the of', 1)).toEqual([4, 5]);
    expect(await matched('match_all', ['of', 'a'])).toEqual([4, 5]);
    expect(await matched('phrase', 'to be or not to be')).toEqual([6]);
    expect(await matched('phrase', 'of the')).toEqual([4]);
    expect(await matched('match', 'the quick')).toEqual([0, 1, 2]);
  });

  it('nothing matches nothing', async () => {
    for (const operator of ['match', 'match_all', 'phrase', 'fuzzy', 'prefix', 'bm25'] as const) {
      for (const text of ['', ' \t', '🙂 …']) expect(await matched(operator, text)).toEqual([]);
    }
  });

  it('prefix: words as written, also where the stem is shorter', async () => {
    expect(await matched('prefix', 'quicke')).toEqual([2]);
    expect(await matched('prefix', 'foxes')).toEqual([2]);
    expect(await matched('prefix', 'th')).toEqual([0, 1, 4, 5]);
  });

  it('rows without a match score NaN', () => {
    const query = KEYWORDS.prepare(ENGLISH, request('match_all', ['brown', 'fox']), [whole(head)]);
    const scores = [...head.score(query, Uint32Array.of(0, 1, 3, 7))];
    expect(scores.map(Number.isNaN)).toEqual([false, true, true, true]);
  });
});

describe('exact values', () => {
  it('match whole and case-sensitive, each element of an array', async () => {
    const array = (...elements: string[]) => ({
      datum: 'array' as const,
      elementType: OID.text,
      dimensions: [{ length: elements.length, lowerBound: 1 }],
      elements,
    });
    const head = KEYWORDS.head(EXACT);
    head.append({
      kind: 'keywords',
      values: new ObjectVector([array('Science Fiction', 'Horror'), array('Science'), array()]),
    });
    const rows = async (operator: Operator, query: string | readonly string[]): Promise<number[]> => {
      const prepared = KEYWORDS.prepare(EXACT, request(operator, query), [whole(head)]);
      return [
        ...(await head.search(prepared, { count: 10, mask: null, limit: 3, signal: LIVE })).rows,
      ].sort();
    };
    expect(await rows('match', 'Science Fiction')).toEqual([0]);
    expect(await rows('match', 'science')).toEqual([]);
    expect(await rows('match_any', ['Horror', 'Science'])).toEqual([0, 1]);
    expect(await rows('match_all', ['Horror', 'Science Fiction'])).toEqual([0]);
  });
});

describe('a text array of words', () => {
  it('has no phrase over the border of two elements', async () => {
    const head = KEYWORDS.head(ENGLISH);
    const elements = ['quick brown', 'fox'];
    const dimensions = [{ length: 2, lowerBound: 1 }];
    head.append({
      kind: 'keywords',
      values: new ObjectVector([{ datum: 'array', elementType: OID.text, dimensions, elements }]),
    });
    const prepare = (text: string) => KEYWORDS.prepare(ENGLISH, request('phrase', text), [whole(head)]);
    expect(
      (await head.search(prepare('quick brown'), { count: 1, mask: null, limit: 1, signal: LIVE })).rows
        .length,
    ).toBe(1);
    expect(
      (await head.search(prepare('brown fox'), { count: 1, mask: null, limit: 1, signal: LIVE })).rows.length,
    ).toBe(0);
  });
});

it('phrase frequencies follow Lucene: a spread match counts 1 / (1 + width)', () => {
  expect(
    phraseFrequency(
      [
        [1, 5],
        [2, 6],
      ],
      [0, 1],
      0,
    ),
  ).toBe(2);
  expect(phraseFrequency([[1], [3]], [0, 1], 0)).toBe(0);
  expect(phraseFrequency([[1], [3]], [0, 1], 1)).toBe(0.5);
  expect(phraseFrequency([[1, 2], [3]], [0, 1], 3)).toBe(1);
  expect(
    phraseFrequency(
      [
        [0, 4],
        [1, 5],
        [0, 4],
      ],
      [0, 1, 2],
      0,
    ),
  ).toBe(0);
});

it('fuzzy words are those of every word within the distance', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', 'é', '漢', '😀'),
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.uniqueArray(letters, { minLength: 1, maxLength: 60 }), letters, (words, wanted) => {
      const head = headOf(EXACT, words);
      const { index } = head as KeywordsStructure;
      const table = new DistanceTable(wanted, { swaps: true });
      for (const most of [1, 2]) {
        const found = expandFuzzy([index], wanted, most).map(({ word }) => word);
        const near = words.filter((word) => table.distanceTo(word, most) <= most);
        expect(found.toSorted()).toEqual(near.toSorted().slice(0, 50));
      }
    }),
  );
});

it('a damaged section is named', () => {
  const sections = new Map(merge(ENGLISH, headOf(ENGLISH, ['one two'])).sections());
  sections.delete('postings');
  expect(() => KEYWORDS.load(ENGLISH, sections, 1)).toThrow(
    'section "postings" of a keyword index is missing',
  );
  expect(createAnalyser(ENGLISH.options).analyse('x').length).toBe(1);
});
