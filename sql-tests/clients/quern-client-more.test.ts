/** The TypeScript client's own features besides the contract, and its types (tsc checks this file). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, InvalidArgumentError } from '../../src/clients/typescript/src/index.ts';
import { agg, field, filter, fn, match, select } from '../../src/clients/typescript/src/query.ts';
import { int, keywordIndex, list, semanticIndex, text } from '../../src/clients/typescript/src/schema.ts';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { connectionEnvironment, startFreshServer } from './program.ts';

const SCHEMA = {
  title: text().required().index(semanticIndex(), keywordIndex()),
  year: int(),
  tags: list('text'),
};

let server: ServerProcess;
let client: Client;

beforeAll(async () => {
  server = await startFreshServer();
  const { PGHOST: host, PGPORT: port, PGPASSWORD: apiKey } = connectionEnvironment(server);
  client = new Client({ apiKey, host, port: Number(port) });
  await client.collections().create('books', SCHEMA);
  await client.collection<typeof SCHEMA>('books').upsert([
    { _id: 'a', title: 'A white whale at sea', year: 1851, tags: ['sea'] },
    { _id: 'b', title: 'Roses in a garden', year: 1950 },
  ]);
});

afterAll(async () => {
  await client?.close();
  await server?.[Symbol.asyncDispose]();
});

it('changes schemas', async () => {
  const collections = client.collections();
  expect((await collections.addField('books', 'plot', text())).schema).toHaveProperty('plot');
  const indexed = await collections.addIndex('books', 'plot', keywordIndex({ type: 'exact' }));
  expect(indexed.schema.plot).toEqual(text().index(keywordIndex({ type: 'exact' })));
  await expect(collections.dropIndex('books', 'plot', keywordIndex())).rejects.toThrow(InvalidArgumentError);
  const bare = await collections.dropIndex('books', 'plot', keywordIndex({ type: 'exact' }));
  expect(bare.schema.plot).toEqual(text());
  expect((await collections.dropField('books', 'plot')).schema).not.toHaveProperty('plot');
});

it('ranks by words and meaning together', async () => {
  const books = client.collection<typeof SCHEMA>('books');
  const [best] = await books.hybrid('whale', 1);
  expect(best?._id).toBe('a');
  expect(best?.score).toBeGreaterThan(0);
  const later = await books.hybrid('whale', { k: 5, filter: field('year').gt(1900) });
  expect(later.map(({ _id }) => _id)).toEqual(['b']);
  await expect(books.hybrid(null)).rejects.toThrow('a text, a vector, or both');
});

it('shows what matched', async () => {
  const marks = fn.highlight('title', { before: '[', after: ']' });
  const query = select({ part: fn.snippet('title'), marks })
    .filter(match('whale'))
    .limit(1);
  const rows = await client.collection<typeof SCHEMA>('books').query(query);
  expect(rows).toEqual([
    { _id: 'a', part: expect.stringContaining('whale'), marks: 'A white [whale] at sea' },
  ]);
});

it('types documents and rows by the schema', async () => {
  const books = client.collection<typeof SCHEMA>('books');
  const named = await books.query(select('title', { later: field('year').add(1) }).limit(1));
  const title: string | undefined = named[0]?.title;
  const later: number | undefined = named[0]?.later;
  // @ts-expect-error a title is a string
  const number: number | undefined = named[0]?.title;
  // @ts-expect-error the year was not selected
  expect(named[0]?.year).toBeUndefined();
  const whole = await books.query(filter(field('year').lt(1900)));
  const tags: string[] | null | undefined = whole[0]?.tags;
  const groups = await books.query(select('year').groupBy({ year: field('year') }, { n: agg.count() }));
  const counted: number | undefined = groups[0]?.n;
  // @ts-expect-error groups have no id
  expect(groups[0]?._id).toBeUndefined();
  expect([typeof title, typeof later, number, tags, counted]).toEqual([
    'string',
    'number',
    title,
    ['sea'],
    1,
  ]);
});

it('does not compile what cannot be', () => {
  const books = client.collection<typeof SCHEMA>('books');
  const misuse = (): unknown[] => [
    // @ts-expect-error a document has an id
    books.upsert([{ title: 'x' }]),
    // @ts-expect-error a required field is missing
    books.upsert([{ _id: 'x', year: 1 }]),
    // @ts-expect-error a year is a number
    books.upsert([{ _id: 'x', title: 'x', year: 'late' }]),
    // @ts-expect-error ids are strings
    books.get([1]),
    // @ts-expect-error there is no such unit
    field('year').datePart('fortnight'),
    // @ts-expect-error an order is "asc" or "desc"
    select('title').sort([['title', 'up']]),
    // @ts-expect-error a mode is one of three
    client.ask('x', ['y'], { mode: 'loud' }),
  ];
  expect(misuse).toBeTypeOf('function');
});

it('takes columns as somebody wrote them, also within a transaction, and as a query may name them', async () => {
  const { PGHOST: host, PGPORT: port, PGPASSWORD: apiKey } = connectionEnvironment(server);
  await using one = new Client({ apiKey, host, port: Number(port), maxConnections: 1 });
  const wrong = { sqlstate: '42703' };
  const byHand = 'SELECT nobody FROM books';
  const query = select('nobody').filter(field('nothing').isNull()).limit(1);
  for (const [begin, end] of [
    ['SELECT 1', 'SELECT 1'],
    ['BEGIN', 'ROLLBACK'],
    ['BEGIN', 'COMMIT'],
  ] as const) {
    await one.sql(begin);
    await one.collection('books').upsert([{ _id: 'c', title: 'Later' }]);
    expect(await one.collection('books').query(query)).toHaveLength(1);
    await expect(one.sql(byHand)).rejects.toMatchObject(wrong);
    if (begin === 'BEGIN') await expect(one.collection('books').query(query)).rejects.toThrow('aborted');
    await one.sql(end);
    await expect(one.script(byHand)).rejects.toMatchObject(wrong);
    expect(await one.collection('books').query(query)).toHaveLength(1);
    await expect(one.readOnly(byHand)).rejects.toMatchObject(wrong);
  }
  await client.collection('books').delete(['c']);
});

it('readOnly gives the first rows of what has no end', async () => {
  const sql = 'SELECT n FROM generate_series($1::bigint, 1000000000000) AS n';
  expect(await client.readOnly(sql, [3], { maxRows: 2 })).toEqual([{ n: 3 }, { n: 4 }]);
  expect(await client.readOnly('SELECT 1 AS n', [], { maxRows: 1 })).toEqual([{ n: 1 }]);
  for (const maxRows of [0, 1.5])
    await expect(client.readOnly(sql, [1], { maxRows })).rejects.toThrow('maxRows');
});
