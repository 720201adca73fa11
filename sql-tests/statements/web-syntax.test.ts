/**
 * Queries of match(…, syntax => 'web') made by chance, over heads and segments with deleted rows: what they find
 * beside a reading of the texts word by word, and their best rows beside all of them.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/seeded-random.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const ROWS = 400;
const QUERIES = 150;
const K = 7;
const FIELDS = ['title', 'body'] as const;

interface Doc {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

interface Part {
  readonly sign: '' | '+' | '-';
  readonly field: (typeof FIELDS)[number] | null;
  readonly words: readonly string[];
  readonly quoted: boolean;
}

const random = seededRandom(23);
const below = (count: number): number => Math.floor(random() * count);
const oneOf = <T>(all: readonly T[]): T => all[below(all.length)] as T;
const word = (): string => `w${Math.floor(60 ** random())}`;
const text = (most: number): string => Array.from({ length: 1 + below(most) }, word).join(' ');
const docs: Doc[] = Array.from({ length: ROWS }, (_, i) => ({
  id: `d${String(i).padStart(3, '0')}`,
  title: text(4),
  body: text(16),
}));

function part(): Part {
  const quoted = random() < 0.25;
  const words = oneOf(docs)[oneOf(FIELDS)].split(' ');
  const from = below(words.length);
  return {
    sign: oneOf(['', '', '', '+', '-'] as const),
    field: random() < 0.25 ? oneOf(FIELDS) : null,
    words: words.slice(from, from + (quoted ? 1 + below(2) : 1)),
    quoted,
  };
}

const written = ({ sign, field, words, quoted }: Part): string => {
  const own = quoted ? `"${words.join(' ')}"` : words.join(' ');
  return `${sign}${field === null ? '' : `${field}:`}${own}`;
};

function has(doc: Doc, { field, words }: Part): boolean {
  const fields = field === null ? FIELDS : [field];
  return fields.some((name) => ` ${doc[name]} `.includes(` ${words.join(' ')} `));
}

function matches(doc: Doc, alternatives: readonly (readonly Part[])[]): boolean {
  return alternatives.some(
    (parts) =>
      parts.some(({ sign }) => sign !== '-') && parts.every((one) => has(doc, one) === (one.sign !== '-')),
  );
}

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open({ settings: { headRows: 90 } });
  session = await database.session();
  const column = "text INDEX keyword_index(language => 'simple')";
  await session.rows(`CREATE TABLE docs (_id text, title ${column}, body ${column})`);
  const gone = Array.from({ length: ROWS / 4 }, (_, i) => ({ id: `x${i}`, title: text(4), body: text(16) }));
  const all = [...docs, ...gone].sort(() => random() - 0.5);
  for (let from = 0; from < all.length; from += 60) {
    const rows = all.slice(from, from + 60).map(({ id, title, body }) => `('${id}', '${title}', '${body}')`);
    await session.rows(`INSERT INTO docs (_id, title, body) VALUES ${rows.join()}`);
  }
  await session.rows(`DELETE FROM docs WHERE _id LIKE 'x%'`);
});

afterAll(async () => {
  await database.close();
});

it('finds what is asked for, and the best of it', async () => {
  let found = 0;
  for (let i = 0; i < QUERIES; i++) {
    const alternatives = Array.from({ length: 1 + below(3) }, () =>
      Array.from({ length: 1 + below(4) }, part),
    );
    const query = alternatives.map((parts) => parts.map(written).join(' ')).join(' OR ');
    const where = `FROM docs WHERE match('${query}', syntax => 'web')`;
    const ranked = await session.rows(`SELECT _id, bm25_score() ${where} ORDER BY 2 DESC, 1`);
    const ids = ranked.map(([id]) => id as string);
    const expected = docs.filter((doc) => matches(doc, alternatives)).map(({ id }) => id);
    expect([...ids].sort(), query).toEqual(expected);
    found += ids.length;
    const best = await session.rows(`SELECT _id ${where} ORDER BY bm25_score() DESC, _id LIMIT ${K}`);
    expect(
      best.map(([id]) => id),
      query,
    ).toEqual(ids.slice(0, K));
    const some = `${where} AND _id LIKE '%7' ORDER BY bm25_score() DESC, _id LIMIT ${K}`;
    const ofSome = await session.rows(`SELECT _id ${some}`);
    expect(
      ofSome.map(([id]) => id),
      query,
    ).toEqual(ids.filter((id) => id.endsWith('7')).slice(0, K));
  }
  expect(found).toBeGreaterThan(QUERIES);
});
