/**
 * Several fields scored as one, against the formula written out over plain arrays: for heads, segments and merged
 * segments, several parts, masks, limits and deleted rows; and the search against scoring every row.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../seeded-random.ts';
import { TextVector } from '../../../types/column/vector.ts';
import type { ArmRequest } from '../../request.ts';
import type { HeadStructure, PartFields, SearchedField, Structure } from '../../structure.ts';
import { KEYWORDS, openKeywords } from '../keywords.ts';
import { KEYWORD_FIELDS } from './search.ts';

type Text = string | null;

const LIVE = new AbortController().signal;
const B = 0.75;
const K1 = 1.2;
const K = 10;

const fieldOf = (weight: number, language = 'simple', type = 'text'): SearchedField => ({
  options: { dimension: 0, options: { type, language } },
  weight,
});

const request = (query: string | readonly string[], all = false, weight = 1): ArmRequest => ({
  kind: 'keyword',
  indexes: [1, 2],
  operator: typeof query === 'string' ? 'match' : 'match_tokens',
  query,
  weight,
  option: all ? 1 : 0,
  b: B,
  k1: K1,
});

function headOf({ options }: SearchedField, texts: readonly Text[]): HeadStructure {
  const head = KEYWORDS.head(options);
  const nulls = Uint8Array.from(texts, (text) => (text === null ? 1 : 0));
  const values = TextVector.fromStrings(
    texts.map((text) => text ?? ''),
    nulls,
  );
  head.append({ kind: 'keywords', values });
  return head;
}

function segmentOf({ options }: SearchedField, structure: Structure): Structure {
  const rowMap = Int32Array.from({ length: structure.rowCount }, (_, row) => row);
  return KEYWORDS.merge(options, [{ structure, rowMap }], structure.rowCount);
}

/** As stored, in the memory of the kernels. */
function openedOf({ options }: SearchedField, structure: Structure): Structure {
  const stored = structure.sections();
  const sizes = new Map([...stored].map(([name, bytes]) => [name, bytes.length]));
  const load = openKeywords(options, { sizes, rowCount: structure.rowCount, floats: null }, 0);
  for (const [name, target] of load.targets) target.set(stored.get(name) as Uint8Array);
  return load.finish();
}

/** By row: a text of each field. The first field is short and often missing, the second long, the third rare. */
function corpus(rows: number, fields: number, seed: number): Text[][] {
  const random = seededRandom(seed);
  const text = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => `w${Math.floor(300 ** random())}`).join(
      ' ',
    );
  return Array.from({ length: rows }, () =>
    Array.from({ length: fields }, (_, field) => {
      if (random() < ([0.2, 0.05, 0.9, 0.5][field % 4] as number)) return null;
      return text([4, 40, 10, 15][field % 4] as number);
    }),
  );
}

type Form = 'head' | 'segment' | 'opened';

function partOf(fields: readonly SearchedField[], rows: readonly Text[][], form: Form = 'head'): PartFields {
  const structures = fields.map((field, i) => {
    const head = headOf(
      field,
      rows.map((row) => row[i] ?? null),
    );
    if (form === 'head') return head;
    const segment = segmentOf(field, head);
    return form === 'segment' ? segment : openedOf(field, segment);
  });
  return { structures, visible: null, limit: rows.length };
}

/** The formula over the rows that `sees` lets through; NaN: no match. */
function scoresByHand(
  rows: readonly Text[][],
  weights: readonly number[],
  query: readonly string[],
  { all = false, sees = () => true }: { all?: boolean; sees?: (row: number) => boolean } = {},
): number[] {
  const words = rows.map((row, i) => row.map((text) => (text === null || !sees(i) ? [] : text.split(' '))));
  const documents = words.filter((row) => row.some((field) => field.length > 0));
  const averages = weights.map((_, i) => {
    const lengths = words.map((row) => row[i]?.length ?? 0).filter((length) => length > 0);
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  });
  const odds = (row: readonly string[][], term: string): number =>
    Math.hypot(
      ...row.map((field, i) => {
        const f = field.filter((word) => word === term).length * (weights[i] as number);
        return f === 0 ? 0 : f / (K1 * (1 - B + (B * field.length) / (averages[i] as number)));
      }),
    );
  const idf = query.map((term) => {
    const n = documents.filter((row) => odds(row, term) > 0).length;
    return Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
  });
  return words.map((row) => {
    const found = query.map((term) => odds(row, term));
    if (all ? found.includes(0) : found.every((f) => f === 0)) return Number.NaN;
    return found.reduce((sum, f, i) => sum + ((idf[i] as number) * f) / (1 + f), 0);
  });
}

function best(scores: readonly number[], count: number): { row: number; score: number }[] {
  return scores
    .map((score, row) => ({ row, score }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, count);
}

function bitsOf(count: number, has: (row: number) => boolean): Uint32Array {
  const bits = new Uint32Array(Math.ceil(count / 32));
  for (let row = 0; row < count; row++)
    if (has(row)) bits[row >>> 5] = (bits[row >>> 5] as number) | (1 << (row & 31));
  return bits;
}

const everyRow = (part: PartFields): Uint32Array => Uint32Array.from({ length: part.limit }, (_, row) => row);

function expectScores(found: ArrayLike<number>, expected: readonly number[]): void {
  const wrong = expected.flatMap((score, row) => {
    const own = found[row] as number;
    const right = Number.isNaN(score) ? Number.isNaN(own) : Math.abs(own - score) < 1e-9;
    return right ? [] : [{ row, own, score }];
  });
  expect(wrong).toEqual([]);
}

/** Searching finds exactly what scoring every row does. */
async function expectSearch(
  part: PartFields,
  query: ReturnType<typeof KEYWORD_FIELDS.prepare>,
  mask: Uint32Array | null = null,
): Promise<void> {
  const sees = (row: number): boolean =>
    mask === null || ((mask[row >>> 5] as number) & (1 << (row & 31))) !== 0;
  const scores = [...KEYWORD_FIELDS.score(part, query, everyRow(part))];
  const wanted = best(
    scores.map((score, row) => (sees(row) ? score : Number.NaN)),
    K,
  );
  const hits = await KEYWORD_FIELDS.search(part, query, { count: K, mask, signal: LIVE });
  expect([...hits.rows.subarray(0, K)]).toEqual(wanted.map(({ row }) => row));
  expect([...hits.scores.subarray(0, K)]).toEqual(wanted.map(({ score }) => score));
  for (const tie of hits.scores.subarray(K)) expect(tie).toBe(hits.scores[K - 1]);
}

const QUERIES = [
  'w1',
  'w250',
  'w0 w1',
  'w1 w2 w3',
  'w1 w40 w299',
  'w0 w1 w2 w3 w4 w5 w6 w7',
  'w299 nowhere',
  'w5 w5',
];
const WEIGHTS: readonly (readonly number[])[] = [
  [1],
  [1, 1],
  [2.5, 1],
  [1, 1, 1],
  [3, 1, 0.5],
  [2, 1, 1, 0.25],
];

describe('fields together', () => {
  it.each(WEIGHTS.map((weights) => ({ weights })))(
    'follow the formula, with $weights',
    async ({ weights }) => {
      const rows = corpus(1000, weights.length, weights.length);
      const fields = weights.map((weight) => fieldOf(weight));
      for (const form of ['head', 'segment', 'opened'] as const) {
        const part = partOf(fields, rows, form);
        for (const text of QUERIES) {
          for (const all of [false, true]) {
            const query = KEYWORD_FIELDS.prepare(fields, request(text, all), [part]);
            expectScores(
              KEYWORD_FIELDS.score(part, query, everyRow(part)),
              scoresByHand(rows, weights, text.split(' '), { all }),
            );
            await expectSearch(part, query);
            await expectSearch(
              part,
              query,
              bitsOf(rows.length, (row) => row % 3 !== 0),
            );
            await expectSearch(
              part,
              query,
              bitsOf(rows.length, (row) => row % 170 === 0),
            );
          }
        }
      }
    },
  );

  it('count only rows that are visible, of several parts', () => {
    const weights = [2, 1, 1];
    const fields = weights.map((weight) => fieldOf(weight));
    const rows = corpus(900, 3, 5);
    const sees = (row: number): boolean => row % 300 < 280 && row % 3 !== 1;
    const parts = (['head', 'segment', 'opened'] as const).map((form, i): PartFields => {
      const part = partOf(fields, rows.slice(i * 300, i * 300 + 300), form);
      return { ...part, visible: bitsOf(300, (row) => sees(row + i * 300)), limit: 280 };
    });
    for (const text of QUERIES) {
      const query = KEYWORD_FIELDS.prepare(fields, request(text), parts);
      const expected = scoresByHand(rows, weights, text.split(' '), { sees });
      for (const [i, part] of parts.entries()) {
        const seen = everyRow(part).filter((row) => sees(row + i * 300));
        const scores = KEYWORD_FIELDS.score(part, query, seen);
        expectScores(
          scores,
          [...seen].map((row) => expected[row + i * 300] as number),
        );
      }
    }
  });

  it('do without a field that no row of a part has', async () => {
    const fields = [fieldOf(2), fieldOf(1)];
    const rows = corpus(200, 2, 9).map(([, body = null]): Text[] => [null, body]);
    const part = partOf(fields, rows);
    const without = { ...part, structures: [null, part.structures[1] ?? null] };
    const query = KEYWORD_FIELDS.prepare(fields, request('w1 w7'), [without]);
    expectScores(
      KEYWORD_FIELDS.score(without, query, everyRow(part)),
      scoresByHand(rows, [2, 1], ['w1', 'w7']),
    );
    await expectSearch(without, query);
    const nowhere = { ...part, structures: [null, null] };
    const none = await KEYWORD_FIELDS.search(nowhere, query, { count: K, mask: null, signal: LIVE });
    expect(none.rows.length).toBe(0);
  });

  it('weigh one text as BM25 does', () => {
    const rows = corpus(300, 2, 21).map(([, body = null]): Text[] => [null, body]);
    const fields = [fieldOf(1), fieldOf(1)];
    const part = partOf(fields, rows);
    const [, body] = part.structures;
    const query = KEYWORD_FIELDS.prepare(fields, request('w1 w7'), [part]);
    const alone = KEYWORDS.prepare((fields[1] as SearchedField).options, request('w1 w7'), [
      { structure: body as Structure, visible: null, limit: rows.length },
    ]);
    const own = (body as Structure).score(alone, everyRow(part));
    expectScores(KEYWORD_FIELDS.score(part, query, everyRow(part)), [...own]);
  });

  it('find what a column has that weighs next to nothing', async () => {
    const fields = [fieldOf(1e-200), fieldOf(1e-200)];
    const part = partOf(fields, corpus(300, 2, 22), 'segment');
    const query = KEYWORD_FIELDS.prepare(fields, request('w1'), [part]);
    const matching = KEYWORD_FIELDS.score(part, query, everyRow(part)).filter((s) => !Number.isNaN(s)).length;
    const hits = await KEYWORD_FIELDS.search(part, query, { count: 300, mask: null, signal: LIVE });
    expect(hits.rows.length).toBe(matching);
    expect(matching).toBeGreaterThan(0);
  });

  it('score words of every row alike when the request weighs less than nothing', async () => {
    const fields = [fieldOf(1), fieldOf(1)];
    const part = partOf(fields, corpus(700, 2, 13), 'segment');
    await expectSearch(part, KEYWORD_FIELDS.prepare(fields, request('w1 w2 w90', false, -1), [part]));
  });

  it('pass over nothing that belongs to the best, whatever the texts', async () => {
    const word = fc.nat(12).map((n) => `w${n}`);
    const text = fc.option(fc.array(word, { minLength: 1, maxLength: 8 }).map((list) => list.join(' ')));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 400 }),
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.tuple(...[1, 2, 3].map(() => fc.double({ min: 0.1, max: 9, noNaN: true }))),
        fc.boolean(),
        fc.constantFrom<Form>('head', 'segment', 'opened'),
        async (rows, query, weights, all, form) => {
          const fields = weights.map((weight) => fieldOf(weight));
          const part = partOf(fields, rows, form);
          const prepared = KEYWORD_FIELDS.prepare(fields, request(query, all), [part]);
          expectScores(
            KEYWORD_FIELDS.score(part, prepared, everyRow(part)),
            scoresByHand(rows, weights, query, { all }),
          );
          await expectSearch(part, prepared);
        },
      ),
      { numRuns: 60, seed: 20261122 },
    );
  });
});

describe('words of fields with different analysers', () => {
  const matched = async (
    fields: readonly SearchedField[],
    rows: readonly Text[][],
    query: string | readonly string[],
    all = true,
  ): Promise<number[]> => {
    const part = partOf(fields, rows);
    const prepared = KEYWORD_FIELDS.prepare(fields, request(query, all), [part]);
    const hits = await KEYWORD_FIELDS.search(part, prepared, { count: 100, mask: null, signal: LIVE });
    return [...hits.rows].sort((a, b) => a - b);
  };

  it('meet by their place in the query', async () => {
    const fields = [fieldOf(1, 'english'), fieldOf(1, 'german')];
    const rows = [
      ['running', 'die Häuser'],
      ['run', null],
      [null, 'Haus'],
    ];
    expect(await matched(fields, rows, 'runs haus')).toEqual([0]);
    expect(await matched(fields, rows, 'runs haus', false)).toEqual([0, 1, 2]);
  });

  it('are not required where one of them is a stop word', async () => {
    const fields = [fieldOf(1, 'english'), fieldOf(1, 'simple')];
    const rows = [
      ['The Matrix', null],
      [null, 'the matrix'],
      [null, 'the end'],
    ];
    expect(await matched(fields, rows, 'the matrix')).toEqual([0, 1]);
    expect(await matched(fields, rows, 'the')).toEqual([1, 2]);
  });

  it('are all held by a whole value', async () => {
    const fields = [fieldOf(1, 'english'), fieldOf(1, 'english', 'exact')];
    const rows = [
      ['science and fiction', 'Drama'],
      ['space', 'Science Fiction'],
      ['space', 'Science'],
      ['fiction', 'Science Fiction Film'],
    ];
    expect(await matched(fields, rows, 'Science Fiction')).toEqual([0, 1]);
    expect(await matched(fields, rows, ['Science', 'Drama'], false)).toEqual([0, 2]);
    expect(await matched(fields, rows, 'the')).toEqual([]);
  });

  it('are none in an empty query', async () => {
    expect(await matched([fieldOf(1), fieldOf(1)], [['a', 'b']], '')).toEqual([]);
    expect(await matched([fieldOf(1), fieldOf(1)], [['a', 'b']], [], false)).toEqual([]);
  });
});
