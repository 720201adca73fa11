/**
 * Words as written against a look at every text: head, segments, merges with rows that go, in the memory of the kernels
 * and out of it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnalyser, type Term } from '../../../language/analyse.ts';
import { TextVector } from '../../../types/column/vector.ts';
import type { StructureOptions } from '../../structure.ts';
import { KEYWORDS, type KeywordsStructure } from '../keywords.ts';
import { END, type InvertedIndex } from '../postings.ts';
import { wordsWith } from './all-words.ts';
import { writtenKey } from './written-key.ts';

const ENGLISH: StructureOptions = { dimension: 0, options: { type: 'text', language: 'english' } };
const SYNONYMS: StructureOptions = {
  dimension: 0,
  options: { type: 'text', language: 'english', synonyms: 'run, walk; tv => television set' },
};

/** Forms of few stems, stop words, other scripts. */
const WORDS = [
  'run',
  'runs',
  'running',
  'runner',
  'Walk',
  'walking',
  'the',
  'of',
  'tv',
  'set',
  'TVs',
  'Café',
  'cafe',
].concat(['東京都', '東京', '京都', 'ночь', '🙂', 'a1', "don't", 'x'.repeat(300)]);
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
const texts = fc.array(text, { minLength: 1, maxLength: 40 });

function headOf(options: StructureOptions, rows: string[]): KeywordsStructure {
  const head = KEYWORDS.head(options);
  head.append({ kind: 'keywords', values: TextVector.fromStrings(rows, new Uint8Array(rows.length)) });
  return head as KeywordsStructure;
}

type Places = Map<string, Map<number, number[]>>;

/** Positions by row by word. */
function written(options: StructureOptions, rows: readonly string[]): Places {
  const analyser = createAnalyser(options.options);
  const places: Places = new Map();
  const add = (row: number, { written: word, position }: Term): void => {
    const byRow = places.get(word) ?? new Map<number, number[]>();
    byRow.set(row, [...(byRow.get(row) ?? []), position]);
    places.set(word, byRow);
  };
  for (const [row, own] of rows.entries()) {
    for (const term of analyser.read(own)) if (term.written !== '') add(row, term);
  }
  return places;
}

function held(index: InvertedIndex, prefix: string): Places {
  const places: Places = new Map();
  for (const word of wordsWith(index, prefix)) {
    const byRow = new Map<number, number[]>();
    const cursor = index.cursor(writtenKey(word.text));
    for (; cursor !== null && cursor.row < END; cursor.next()) byRow.set(cursor.row, [...cursor.positions()]);
    expect(word.count).toBe(byRow.size);
    expect(index.countOf(writtenKey(word.text))).toBe(byRow.size);
    expect(places.has(word.text)).toBe(false);
    places.set(word.text, byRow);
  }
  return places;
}

const sorted = (places: Places): unknown => [...places].sort(([a], [b]) => (a < b ? -1 : 1));

describe.each([
  ['english', ENGLISH],
  ['synonyms', SYNONYMS],
])('words as written: %s', (_, options) => {
  it('are those of the texts, in head, segment and merge', () => {
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 3 }),
        fc.infiniteStream(fc.nat(3)),
        (parts, dice) => {
          const heads = parts.map((rows) => headOf(options, rows));
          const segments = heads.map((head, i) =>
            KEYWORDS.load(options, head.sections(), parts[i]?.length ?? 0),
          );
          const kept: string[] = [];
          const inputs = parts.map((rows, i) => ({
            structure: (i === 1 ? heads[i] : segments[i]) ?? (heads[0] as never),
            rowMap: Int32Array.from(rows, (own) => (dice.next().value === 0 ? -1 : kept.push(own) - 1)),
          }));
          const merged = KEYWORDS.merge(options, inputs, kept.length) as KeywordsStructure;
          const again = KEYWORDS.merge(
            options,
            [{ structure: merged, rowMap: Int32Array.from(kept.keys()) }],
            kept.length,
          );
          for (const [i, rows] of parts.entries()) {
            expect(sorted(held((heads[i] as KeywordsStructure).index, ''))).toEqual(
              sorted(written(options, rows)),
            );
            expect(sorted(held((segments[i] as KeywordsStructure).index, ''))).toEqual(
              sorted(written(options, rows)),
            );
          }
          for (const one of [merged, again]) {
            expect(sorted(held((one as KeywordsStructure).index, ''))).toEqual(
              sorted(written(options, kept)),
            );
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

it('lists of more than one block, and groups of more than one word', () => {
  const rows = Array.from({ length: 700 }, (_, row) =>
    ['the of', row % 2 ? 'running' : 'runs', row % 3 ? 'the' : '', `word${row % 50}s`, `word${row}`].join(
      ' ',
    ),
  );
  const head = headOf(ENGLISH, rows);
  const segment = KEYWORDS.load(ENGLISH, head.sections(), rows.length) as KeywordsStructure;
  const expected = written(ENGLISH, rows);
  expect(sorted(held(segment.index, ''))).toEqual(sorted(expected));
  expect(sorted(held(head.index, ''))).toEqual(sorted(expected));
  for (const [word, byRow] of expected) {
    for (const from of [0, 1, 127, 128, 129, 300, 699]) {
      const cursor = segment.index.cursor(writtenKey(word));
      cursor?.seek(from);
      const next = [...byRow.keys()].find((row) => row >= from);
      expect(cursor?.row).toBe(next ?? END);
      if (next !== undefined) expect(cursor?.positions()).toEqual(byRow.get(next));
    }
  }
});

it('share the lists of terms where they can: texts of one form a word store no word', () => {
  const index = headOf(ENGLISH, ['shark beach', 'shark', 'beach ball']).index;
  expect(index.words.count).toBe(0);
  expect(index.terms.count).toBe(3);
});
