/**
 * The kernels of keyword search against the cursors, bit for bit: numbers of every width, ties, masks, limits,
 * and searches cut into small slices.
 */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../seeded-random.ts';
import { TextVector } from '../../types/column/vector.ts';
import { WindowScores } from './window-scores.ts';
import { KEYWORDS, type KeywordsStructure, openKeywords } from './keywords.ts';
import type { KeywordMemory } from './memory.ts';
import type { KeywordQuery, KeywordRequest } from './query.ts';
import { KernelScan } from './scan.ts';
import type { SegmentIndex } from './segment.ts';
import type { Structure } from '../structure.ts';

const LIVE = new AbortController().signal;
const OPTIONS = { dimension: 0, options: { type: 'text', language: 'simple' } };
const ROWS = 70_000;

/** Rows, frequencies, lengths and positions that need one byte, two and four. */
function corpus(): string[] {
  const random = seededRandom(41);
  const texts = Array.from({ length: ROWS }, (_, row) => {
    const words = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () => `w${Math.floor(60 ** random())}`,
    );
    if (row % 997 === 3) words.push('seldom', 'w2');
    if (row === 66_000) words.push('seldom', 'once');
    return words.join(' ');
  });
  texts[300] = 'w1 w2 '.repeat(300);
  texts[69_000] = `${'w3 '.repeat(70_000)}w1 w2 seldom`;
  return texts;
}

function build(): { cursors: KeywordsStructure; kernels: KeywordsStructure } {
  const texts = corpus();
  const head = KEYWORDS.head(OPTIONS);
  head.append({ kind: 'keywords', values: TextVector.fromStrings(texts, new Uint8Array(ROWS)) });
  const sections = head.sections();
  const sizes = new Map([...sections].map(([name, bytes]) => [name, bytes.length]));
  const load = openKeywords(OPTIONS, { sizes, rowCount: ROWS, floats: null }, 0);
  for (const [name, target] of load.targets) target.set(sections.get(name) as Uint8Array);
  return {
    cursors: KEYWORDS.load(OPTIONS, sections, ROWS) as KeywordsStructure,
    kernels: load.finish() as KeywordsStructure,
  };
}

const { cursors, kernels } = build();

const SEARCHES: readonly (readonly [KeywordRequest['operator'], string])[] = [
  ['match', 'w1'],
  ['match', 'w2 w30'],
  ['match', 'seldom w1 w3'],
  ['match', 'once w0 w1 w2 w3 w4 w5 w59'],
  ['match', 'w58 w59 w57 w56 nowhere'],
  ['match_all', 'w1 w2'],
  ['match_all', 'seldom w2'],
  ['match_all', 'w0 w1 w2 w3'],
  ['match_all', 'w1 nowhere'],
  ['phrase', 'w1 w2'],
  ['phrase', 'seldom w2'],
  ['phrase', 'w1 w2 seldom'],
  ['phrase', 'w1 w2 w1'],
  ['phrase', 'w3'],
];

function prepare(structure: Structure, [operator, text]: (typeof SEARCHES)[number], k1 = 1.2): KeywordQuery {
  const query = operator === 'match_all' ? text.split(' ') : text;
  return KEYWORDS.prepare(
    OPTIONS,
    { kind: 'keyword', indexes: [1], operator, query, weight: 1, option: 0, b: 0.75, k1 },
    [{ structure, visible: null, limit: ROWS }],
  ) as KeywordQuery;
}

/** Two rows of three. */
const MASK = Uint32Array.from({ length: Math.ceil(ROWS / 32) }, (_, word) => {
  let bits = 0;
  for (let bit = 0; bit < 32; bit++) if ((word * 32 + bit) % 3 > 0) bits |= 1 << bit;
  return bits;
});

describe.each(SEARCHES)('%s %s', (operator, text) => {
  const search = [operator, text] as const;

  it.each([1, 10, 1000, ROWS])('has the same %i best rows', async (count) => {
    for (const mask of [null, MASK]) {
      for (const limit of [ROWS, 50_001]) {
        const [wanted, found] = await Promise.all(
          [cursors, kernels].map((structure) =>
            structure.search(prepare(structure, search), { count, mask, limit, signal: LIVE }),
          ),
        );
        expect(found).toEqual(wanted);
      }
    }
  });

  it('keeps ties where frequency and length do not count', async () => {
    const [wanted, found] = await Promise.all(
      [cursors, kernels].map((structure) =>
        structure.search(prepare(structure, search, 0), { count: 10, mask: null, limit: ROWS, signal: LIVE }),
      ),
    );
    expect(found).toEqual(wanted);
  });

  it('finds the same in slices', async () => {
    const query = prepare(kernels, search);
    const whole = await kernels.search(query, { count: 10, mask: null, limit: ROWS, signal: LIVE });
    const index = kernels.index as SegmentIndex;
    expect(index.memory).not.toBeNull();
    if (query.mode !== 'any' && query.terms.some(({ term }) => index.countOf(term) === 0)) return;
    const all = { mask: null, wanted: ROWS, limit: ROWS, window: new WindowScores(), signal: LIVE };
    using scan = new KernelScan(
      index,
      index.memory as KeywordMemory,
      { index, query, count: 10, ...all },
      10,
    );
    using other = new KernelScan(
      index,
      index.memory as KeywordMemory,
      { index, query, count: 10, ...all },
      10,
    );
    while (!scan.run(1)) other.run(1);
    const { rows } = scan.hits(whole.strategy);
    expect(rows.subarray(0, 10)).toEqual(whole.rows.subarray(0, 10));
  });
});
