/** Queries with typing errors: what words stand for, and the search against scoring every row. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DistanceTable } from '../../../edit-distance.ts';
import { TextVector } from '../../../types/column/vector.ts';
import type { ArmRequest } from '../../request.ts';
import type { PartFields, SearchedField } from '../../structure.ts';
import { nearWordsByFirst } from '../fuzzy.ts';
import { KEYWORDS, type KeywordsStructure } from '../keywords.ts';
import { KEYWORD_FIELDS } from './search.ts';

const LIVE = new AbortController().signal;
const turn = async (): Promise<void> => undefined;
const FIELD: SearchedField = {
  options: { dimension: 0, options: { type: 'text', language: 'simple' } },
  weight: 1,
};

const request = (query: string, all: boolean): ArmRequest => ({
  kind: 'keyword',
  indexes: [1, 2],
  operator: 'match',
  query,
  weight: 1,
  option: all ? 1 : 0,
  fuzzy: -1,
  b: 0.75,
  k1: 1.2,
});

function partOf(columns: readonly (readonly string[])[], stored: boolean): PartFields {
  const structures = columns.map((texts) => {
    const head = KEYWORDS.head(FIELD.options);
    head.append({
      kind: 'keywords',
      values: TextVector.fromStrings([...texts], new Uint8Array(texts.length)),
    });
    return stored ? KEYWORDS.load(FIELD.options, head.sections(), texts.length) : head;
  });
  return { structures, visible: null, limit: columns[0]?.length ?? 0 };
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ä'), minLength: 1, maxLength: 7 });
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const rows = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 40 });

it('finds what scoring every row finds, the best first', async () => {
  await fc.assert(
    fc.asyncProperty(rows, text, fc.boolean(), fc.boolean(), async (texts, query, all, stored) => {
      const part = partOf([texts.map(([one]) => one), texts.map(([, other]) => other)], stored);
      const fields = [FIELD, { ...FIELD, weight: 2 }];
      const corrections = await KEYWORD_FIELDS.corrections(fields, request(query, all), [part], turn);
      const prepared = KEYWORD_FIELDS.prepare(fields, request(query, all), [part], corrections);
      const scores = KEYWORD_FIELDS.score(part, prepared, Uint32Array.from(texts.keys()));
      const hits = await KEYWORD_FIELDS.search(part, prepared, { count: 5, mask: null, signal: LIVE });
      const best = [...scores]
        .map((score, row) => ({ score, row }))
        .filter(({ score }) => !Number.isNaN(score));
      best.sort((a, b) => b.score - a.score || a.row - b.row);
      expect([...hits.scores.subarray(0, 5)]).toEqual(best.slice(0, 5).map(({ score }) => score));
      expect(hits.rows.length).toBeGreaterThanOrEqual(Math.min(5, best.length));
    }),
    { numRuns: 200 },
  );
});

it('near words by their first letters are those within the distance that begin so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(word, { minLength: 1, maxLength: 60 }), word, async (words, wanted) => {
      const part = partOf([words], true);
      const { index } = part.structures[0] as KeywordsStructure;
      const table = new DistanceTable(folded(wanted), { swaps: true });
      const [first = '', second = first] = folded(wanted);
      const found = await nearWordsByFirst([index], { word: folded(wanted), distance: 2 }, turn);
      const near = [...new Set(words.map(folded))].filter(
        (one) => (one.startsWith(first) || one.startsWith(second)) && table.distanceTo(one, 2) <= 2,
      );
      expect(found.map((one) => one.word).sort()).toEqual(near.sort());
    }),
  );
});

const folded = (one: string): string => one.replaceAll('ä', 'a');

it('a word that is there scores above what it may be misspelt for', async () => {
  const part = partOf([['shark', 'shack', 'sharks', 'nothing']], true);
  const fields = [FIELD];
  const corrections = await KEYWORD_FIELDS.corrections(fields, request('shark', false), [part], turn);
  const query = KEYWORD_FIELDS.prepare(fields, request('shark', false), [part], corrections);
  const [exact = 0, near = 0, longer = 0, none = 0] = KEYWORD_FIELDS.score(
    part,
    query,
    Uint32Array.of(0, 1, 2, 3),
  );
  expect(exact).toBeGreaterThan(2 * near);
  expect(near).toBeGreaterThan(0);
  expect(longer).toBeGreaterThan(0);
  expect(none).toBeNaN();
});
