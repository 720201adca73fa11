/**
 * Arguments of the TypeScript client: each public function with each argument that may be left out as null and as
 * undefined, by position and by name; and arguments that are nobody's, which are errors.
 */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import * as data from '../../src/clients/typescript/src/data.ts';
import * as quern from '../../src/clients/typescript/src/index.ts';
import * as query from '../../src/clients/typescript/src/query.ts';
import * as schema from '../../src/clients/typescript/src/schema.ts';
import { connectionEnvironment, startFreshServer } from './program.ts';

// biome-ignore lint/suspicious/noExplicitAny: the arguments that a program without types may give.
type Any = any;

const { agg, field, filter, fn, groupBy, match, matchTokens, select, should } = query;
const { InvalidArgumentError } = quern;

let server: ServerProcess;
let client: quern.Client;
let given: quern.ClientConfig;

beforeAll(async () => {
  server = await startFreshServer();
  const { PGHOST: host, PGPORT: port, PGPASSWORD: apiKey } = connectionEnvironment(server);
  given = { apiKey, host, port: Number(port) };
  client = new quern.Client(given);
  await client.collections().create('books', {
    title: schema.text().index(schema.keywordIndex(), schema.semanticIndex()),
    code: schema.text().index(schema.keywordIndex('exact')),
    year: schema.int(),
    sparse: schema.f32SparseVector().index(schema.vectorIndex('dot_product')),
    few: schema.u8SparseVector(),
    rows: schema.matrix(2).index(schema.multiVectorIndex()),
    at: schema.f32Vector(2).index(schema.vectorIndex({ metric: 'cosine' })),
  });
  await client.collection<Any>('books').upsert(BOOKS);
  await client.collection('books', 'p').upsert([{ _id: 'x' }]);
  await client.datasets().create('files');
  const handle = await client
    .dataset('files')
    .upsertFile('a.md', { data: Buffer.from('A white whale.'), fileName: 'a.md' }, { year: 1 });
  await client.dataset('files').waitForHandle(handle);
});

afterAll(async () => {
  await client?.close();
  await server?.[Symbol.asyncDispose]();
});

const BOOKS = [
  { _id: 'a', title: 'A white whale at sea', code: 'A-1', year: 1851, at: [1, 0], rows: [[1, 0]] },
  { _id: 'b', title: 'Roses in a garden', code: 'B-2', year: 1950, sparse: { 1: 0.5, 7: 2 }, few: { 3: 9 } },
];

/** A function, the arguments that it needs, and by position or by the names of options what may be left out. */
type Row = readonly [name: string, call: (...args: Any[]) => unknown, needed: readonly Any[], more: More];
type More = readonly (null | readonly string[])[];

const books = (): Any => client.collection('books');
const files = (): Any => client.dataset('files');
const all = async (rows: AsyncIterable<unknown>): Promise<unknown[]> => {
  const list: unknown[] = [];
  for await (const row of rows) list.push(row);
  return list;
};
const READ = ['lsn', 'consistency', 'signal'];
const SEARCH = ['filter', 'selectFields', 'signal'];
const CONFIG = 'region https retryConfig maxConnections onStatement onNotice'.split(' ');
const WHALE = select('title').filter(match('whale')).limit(3);

/** Calls by the class and the method; `x.y` of a module is its function. */
const ROWS: readonly Row[] = [
  ['Client.collection', (...args) => (client.collection as Any)(...args).name, ['books'], [['partition']]],
  [
    'Client.ask',
    (...args) => all((client.ask as Any)(...args)),
    ['a whale', ['files']],
    [[...SEARCH, 'mode', 'includeContent']],
  ],
  [
    'Client.research',
    async (...args) => (await all((client.research as Any)(...args))).at(-1),
    ['a whale', ['files']],
    [[...SEARCH, 'includeContent']],
  ],
  ['Client.search', (...args) => all((client.search as Any)(...args)), ['a whale', ['files'], 3], [SEARCH]],
  ['Client.sql', (...args) => (client.sql as Any)(...args), ['SELECT 1 AS one'], [null, ['signal']]],
  [
    'Client.readOnly',
    (...args) => (client.readOnly as Any)(...args),
    ['SELECT 1 AS one'],
    [null, ['signal', 'maxRows']],
  ],
  ['Client.script', (...args) => (client.script as Any)(...args), ['SELECT 1; SELECT 2'], [['signal']]],
  ['CollectionClient.get', (...args) => books().get(...args), [['a']], [null, READ]],
  ['CollectionClient.get', (...args) => books().get(...args), [['a']], [['fields', ...READ]]],
  ['CollectionClient.count', (...args) => books().count(...args), [], [READ]],
  ['CollectionClient.query', (...args) => books().query(...args), [WHALE], [READ]],
  [
    'CollectionClient.hybrid',
    (...args) => books().hybrid(...args),
    ['whale'],
    [null, ['columns', 'filter', 'signal']],
  ],
  [
    'CollectionClient.hybrid',
    (...args) => books().hybrid(...args),
    ['whale'],
    [['k', 'columns', 'filter', 'vector', 'vectorColumn', 'signal', 'method', 'depth']],
  ],
  [
    'CollectionClient.upsert',
    async (...args) => isLsn(await books().upsert(...args)),
    [[BOOKS[0]]],
    [['signal']],
  ],
  [
    'CollectionClient.update',
    async (...args) => isLsn(await books().update(...args)),
    [[{ _id: 'a', year: 1851 }]],
    [['failOnMissing', 'signal']],
  ],
  [
    'CollectionClient.delete',
    async (...args) => isLsn(await books().delete(...args)),
    [['nobody']],
    [['signal']],
  ],
  ['CollectionClient.listPartitions', (...args) => books().listPartitions(...args), [], [['prefix']]],
  ['DatasetsClient.create', created, [], [['description']]],
  [
    'DatasetsClient.update',
    (...args) => (client.datasets().update as Any)(...args),
    ['files'],
    [['description']],
  ],
  ['DatasetClient.upsertFile', uploaded, [{ data: Buffer.from('x'), fileName: 'x.md' }], [null]],
  ['DatasetClient.getMetadata', (...args) => files().getMetadata(...args), [['a.md']], [['fields']]],
  ['DatasetClient.list', (...args) => all(files().list(...args)), [], [['fields', 'filter', 'signal']]],
  [
    'fn.vectorDistance',
    (...args) => (fn.vectorDistance as Any)(...args).node,
    ['at', [1, 2]],
    [['skipRefine']],
  ],
  ['fn.bm25Score', (...args) => (fn.bm25Score as Any)(...args).node, [], [['b', 'k1']]],
  ['fn.snippet', (...args) => (fn.snippet as Any)(...args).node, ['title'], [null]],
  [
    'fn.highlight',
    (...args) => (fn.highlight as Any)(...args).node,
    ['title'],
    [['text', 'before', 'after']],
  ],
  [
    'fn.multiVectorDistance',
    (...args) => (fn.multiVectorDistance as Any)(...args).node,
    ['rows', [[1, 2]]],
    [['candidates']],
  ],
  ['agg.count', (...args) => (agg.count as Any)(...args), [], [null]],
  ['query.match', (...args) => (match as Any)(...args).node, ['x'], [['field', 'weight', 'all']]],
  [
    'query.matchTokens',
    (...args) => (matchTokens as Any)(...args).node,
    [['x']],
    [['field', 'weight', 'all']],
  ],
  ['query.should', (...args) => (should as Any)(...args).node, ['x'], [['field', 'weight']]],
  ['Expression.regexpMatch', (...args) => (field('x').regexpMatch as Any)(...args), ['a'], [null]],
  ['Query.sort', (...args) => (WHALE.sort as Any)(...args).stages, ['year'], [null]],
  ['Query.topk', (...args) => (select().topk as Any)(...args).stages, ['year', 3], [null]],
  ['schema.list', (...args) => (schema.list as Any)(...args), [], [['valueType']]],
  ['schema.matrix', (...args) => (schema.matrix as Any)(...args), [4], [null]],
  ['schema.matrix', (...args) => (schema.matrix as Any)({ dimension: 4, ...args[0] }), [], [['valueType']]],
  ['schema.keywordIndex', (...args) => (schema.keywordIndex as Any)(...args), [], [['type']]],
  ['schema.semanticIndex', (...args) => (schema.semanticIndex as Any)(...args), [], [['model']]],
  [
    'schema.multiVectorIndex',
    (...args) => (schema.multiVectorIndex as Any)(...args),
    [],
    [['metric', 'quantization', 'width', 'topK']],
  ],
  ['data.matrix', (...args) => (data.matrix as Any)(...args), [[[1, 2]]], [null]],
  ['Client', configured, [], [CONFIG]],
];

const isLsn = (lsn: string): boolean => /^\d+$/.test(lsn);

async function created(...args: Any[]): Promise<unknown> {
  const made = await (client.datasets().create as Any)('made', ...args);
  await client.datasets().delete('made');
  return { ...made, createdAt: '' };
}

async function uploaded(file: Any, metadata: Any): Promise<unknown> {
  return typeof (await client.dataset('files').upsertFile('x.md', file, metadata));
}

async function configured(config: Any): Promise<unknown> {
  await using one = new quern.Client({ ...given, ...config });
  return await one.sql('SELECT 1 AS one');
}

/** Functions that have nothing which may be left out; the rest is in `ROWS`. */
const BARE: Readonly<Record<string, string>> = {
  Client: 'collections datasets dataset getContent close',
  CollectionClient: 'deletePartition',
  CollectionsClient: 'get list create addField dropField addIndex dropIndex delete',
  DatasetsClient: 'get list delete',
  DatasetClient: 'delete updateMetadata checkHandle waitForHandle getFile',
  Expression:
    'toString eq ne lt lte gt gte and or not isNull isNotNull add sub mul div abs ln exp sqrt square min max coalesce choose boost startsWith contains in matchAll matchAny datePart elapsed',
  Query: 'toString select filter limit offset count groupBy',
  fn: 'semanticSimilarity',
  agg: 'sum min max avg',
  query: 'abs all any field filter groupBy literal max min not select',
  schema:
    'text int float bool bytes timestamp struct f8Vector f16Vector f32Vector u8Vector i8Vector binaryVector f32SparseVector u8SparseVector vectorIndex ngramIndex',
  data: 'sparseType f8Vector f16Vector f32Vector u8Vector i8Vector binaryVector u32List i32List i64List f32List f64List stringList bytes f32SparseVector u8SparseVector float struct',
};

const isClass = (value: unknown): boolean => typeof value === 'function' && /^class/.test(String(value));
const functionsOf = (module: object): string[] =>
  Object.entries(module).flatMap(([name, one]) => (typeof one === 'function' && !isClass(one) ? [name] : []));
const methodsOf = (of: { readonly prototype: object }): string[] =>
  Object.getOwnPropertyNames(of.prototype).filter((name) => name !== 'constructor');

it('are of every public function', () => {
  const there: Record<string, string[]> = {
    query: functionsOf(query),
    schema: functionsOf(schema),
    data: functionsOf(data),
  };
  there.fn = functionsOf(fn);
  there.agg = functionsOf(agg);
  const classes = { ...quern, Expression: query.Expression, Query: query.Query } as Record<string, Any>;
  for (const name of Object.keys(BARE))
    there[name] ??= methodsOf(classes[name] ?? client.collections().constructor);
  there.CollectionsClient = methodsOf(client.collections().constructor as Any);
  for (const [of, names] of Object.entries(there)) {
    const listed = ROWS.flatMap(([name]) => (name.startsWith(`${of}.`) ? [name.slice(of.length + 1)] : []));
    expect([...new Set([...listed, ...(BARE[of] ?? '').split(' ')])].sort(), of).toEqual(names.sort());
  }
});

/** All ways to say nothing of what may be left out. */
function* waysOf(more: More): Generator<readonly unknown[]> {
  for (const [at, names] of more.entries()) {
    const before = more.slice(0, at).map(() => undefined);
    for (const nothing of [null, undefined]) {
      yield [...before, nothing];
      yield [...before.map(() => null), nothing];
      for (const name of names ?? []) yield [...before, { [name]: nothing }];
      if (names !== null) yield [...before, Object.fromEntries(names.map((name) => [name, nothing]))];
    }
  }
}

describe('null and undefined are as good as left out', () => {
  it.each(
    ROWS.map((row) => [`${row[0]}(${row[3].map((one) => one?.join(' ') ?? '…').join(', ')})`, row] as const),
  )('%s', async (_, [, call, needed, more]) => {
    const usual = await call(...needed);
    for (const way of waysOf(more)) expect(await call(...needed, ...way), inspect(way)).toEqual(usual);
  });

  it('for handles', async () => {
    const handle = await client
      .dataset('files')
      .upsertFile('a.md', { data: Buffer.from('A white whale.'), fileName: 'a.md' });
    for (const way of waysOf([['frequencySecs', 'timeoutSecs']])) {
      await (client.dataset('files').waitForHandle as Any)(handle, ...way);
    }
  });

  it('for the whole configuration', () => {
    expect(() => new quern.Client(null)).not.toThrow(TypeError);
  });
});

describe('what is nobody’s', () => {
  const refused = async (call: () => unknown, part: RegExp | string): Promise<void> => {
    const ended = await (async () => call())().catch((error: unknown) => error);
    expect(ended).toBeInstanceOf(InvalidArgumentError);
    expect((ended as Error).message).toMatch(part);
  };

  it('by position is an error', async () => {
    const ask = client.ask.bind(client) as Any;
    const search = client.search.bind(client) as Any;
    await refused(() => all(ask('x', ['files'], undefined, 'summarize')), 'by its name');
    await refused(() => all(ask('x', ['files'], field('year').eq(1))), 'options by name');
    await refused(() => all(ask('x', ['files'], 'auto')), 'options by name');
    await refused(() => all(search('x', ['files'], 3, field('year').eq(1))), 'options by name');
    await refused(() => all(search('x', ['files'], 3, null, ['year'])), 'by its name');
    await refused(() => books().get(['a'], ['title'], null, 'x'), 'by its name');
    await refused(() => books().get(['a'], 'title'), 'options by name');
  });

  it('by name is an error', async () => {
    for (const [name, call, needed, more] of ROWS) {
      if (/hybrid|schema.matrix/.test(name) || more.at(-1) === null) continue;
      const before = more.slice(1).map(() => null);
      await refused(() => call(...needed, ...before, { nobody: 1 }), 'has no option "nobody"');
    }
  });

  it('as fields by name is an error, where it is neither an object nor a map', async () => {
    class Point {
      readonly x = 1;
    }
    expect(data.struct(new Map([['x', 1]])).fields).toEqual({ x: 1 });
    expect(schema.struct(new Map([['x', schema.int()]]))).toEqual(schema.struct({ x: schema.int() }));
    for (const one of [new Point(), new Set([1]), new Map([[1, 1]]), [1], 'x', 7]) {
      await refused(() => data.struct(one as Any), 'a struct');
      await refused(() => schema.struct(one as Any), 'a struct');
      await refused(() => client.collections().create('no', one as Any), 'a schema');
      await refused(() => groupBy(one as Any, { n: agg.count() }), 'groupBy');
      await refused(
        () => client.dataset('files').upsertFile('x', { data: Buffer.from('x'), fileName: 'x' }, one as Any),
        'metadata',
      );
    }
    await refused(() => books().upsert([{ _id: 'x', at: new Point() }]), 'a value of a document');
    await books().upsert([{ _id: 'm', of: new Map([['x', new Map([['y', 2]])]]) }]);
    expect(await books().get(['m'])).toEqual({ m: { _id: 'm', of: { x: { y: 2 } } } });
    await books().delete(['m']);
  });
});

it('honours what is given', async () => {
  await expect(
    new quern.Client({ ...given, retryConfig: { timeout: 50 } })
      .collection('books')
      .get(['a'], ['title'], { lsn: '999' }),
  ).rejects.toMatchObject({ name: 'QueryLsnTimeoutError' });
  expect(await books().get(['a'], ['title'], { lsn: '1' })).toEqual({
    a: { _id: 'a', title: BOOKS[0]?.title },
  });
  expect(await books().get(['a'], { fields: ['title'] }, { lsn: '1' })).toEqual({
    a: { _id: 'a', title: BOOKS[0]?.title },
  });
  const sorted = select('year')
    .sort([{ expr: 'year', order: 'desc' }])
    .limit(2);
  expect((await books().query(sorted)).map(({ _id }: Any) => _id)).toEqual(['b', 'a']);
  expect(sorted.stages).toEqual(
    select('year')
      .sort([[field('year'), 'desc']])
      .limit(2).stages,
  );
  for (const wrong of [['year', 'desc'], [{ by: 'year' }], [], [['year', 'up']]]) {
    expect(() => select().sort(wrong as Any)).toThrow(InvalidArgumentError);
  }
  expect(
    await books().query(
      groupBy({ year: field('year') }, { n: agg.count() })
        .sort('year')
        .limit(3),
    ),
  ).toHaveLength(2);
  expect(await client.datasets().get('files')).toMatchObject({ orgId: 'default', projectId: 'default' });
  const both = { path: '/etc/hostname', data: Buffer.from('x'), fileName: 'x' } as Any;
  await expect(client.dataset('files').upsertFile('x', both)).rejects.toThrow('a file is one of');
  await expect(client.dataset('files').upsertFile('x', {} as Any)).rejects.toThrow('a file is one of');
});

it('takes numbers by index for sparse vectors, and weights of tokens', async () => {
  const { b } = await books().get(['b']);
  expect([b.sparse, b.few]).toEqual([data.f32SparseVector({ 1: 0.5, 7: 2 }), data.u8SparseVector({ 3: 9 })]);
  for (const wanted of [{ 7: 1 }, new Map([[7, 1]]), data.f32SparseVector({ 7: 1 })]) {
    const rows = await books().query(select({ score: fn.vectorDistance('sparse', wanted) }).topk('score', 1));
    expect(rows).toEqual([{ _id: 'b', score: 2 }]);
  }
  await books().update([{ _id: 'b', sparse: { 2: 1 }, loose: { 2: 1 } }]);
  expect(await books().get(['b'], ['sparse', 'loose'])).toEqual({
    b: { _id: 'b', sparse: data.f32SparseVector({ 2: 1 }), loose: { 2: 1 } },
  });
  const scored = (tokens: readonly query.Token[]): Promise<Any[]> =>
    books().query(
      select({ score: fn.bm25Score() }).filter(matchTokens(tokens, 'title')).sort('score', false).limit(3),
    );
  const ids = async (tokens: readonly query.Token[]): Promise<string[]> =>
    (await scored(tokens)).map(({ _id }) => _id);
  expect(await ids([{ token: 'whale', weight: 9 }, 'garden'])).toEqual(['a', 'b']);
  expect(await ids([{ token: 'whale' }, { token: 'garden', weight: 9 }])).toEqual(['b', 'a']);
  expect(() => matchTokens([{ token: 'x', weight: -1 }])).toThrow(InvalidArgumentError);
  expect(() => matchTokens([7] as Any)).toThrow(InvalidArgumentError);
});

it('refuses zero bytes and second statements', async () => {
  for (const text of ["SELECT 'a\0b'", 'SELECT 1\0; DROP TABLE books']) {
    await expect(client.sql(text)).rejects.toThrow('zero byte');
    await expect(client.readOnly(text)).rejects.toThrow('zero byte');
    await expect(client.script(text)).rejects.toThrow('zero byte');
  }
  await expect(client.sql('SELECT $1', ['a\0b'])).rejects.toThrow('zero byte');
  await expect(client.sql('select 1; select 2')).rejects.toMatchObject({ sqlstate: '42601' });
  await expect(client.sql(7 as Any)).rejects.toThrow(InvalidArgumentError);
});

it('shows queries, schemas and values as they are written', () => {
  const shown: readonly [object, string][] = [
    [
      field('year').gte(1990).and(field('a.b').isNull()),
      'field("year").gte(1990).and(field("a.b").isNull())',
    ],
    [query.all([field('a').eq('x'), query.not(field('b'))]), 'all([field("a").eq("x"), not(field("b"))])'],
    [match('whale', { field: 'title', weight: 2 }), 'match("whale", { field: "title", weight: 2 })'],
    [
      matchTokens([{ token: 'a', weight: 2 }, 'b']),
      'any([matchTokens(["a"], { weight: 2 }), matchTokens(["b"])])',
    ],
    [
      fn.vectorDistance('at', new Array(100).fill(0)),
      `fn.vectorDistance("at", [${'0, '.repeat(12)}… 100 in all], { skipRefine: false })`,
    ],
    [fn.bm25Score({ b: 0.5 }), 'fn.bm25Score({ b: 0.5 })'],
    [
      select('title', { next: field('year').add(1) })
        .filter(match('x'))
        .sort('year', false)
        .limit(3),
      'select("title", { next: field("year").add(1) }).filter(match("x")).sort([[field("year"), "desc"]]).limit(3)',
    ],
    [
      groupBy({ year: field('year') }, { n: agg.count(), top: agg.max('rating') }).offset(1),
      'groupBy({ year: field("year") }, { n: agg.count(), top: agg.max(field("rating")) }).offset(1)',
    ],
    [
      filter(field('year').datePart('month').eq(1)).count(),
      'filter(field("year").datePart("month").eq(1)).count()',
    ],
    [
      schema.text().required().index(schema.keywordIndex('exact')),
      'text().required().index(keywordIndex({ type: "exact" }))',
    ],
    [schema.struct({ x: schema.list('float') }), 'struct({ x: list("float") })'],
    [data.f32Vector([1, 2.5]), 'f32Vector([1, 2.5])'],
    [data.i64List([1n]), 'i64List([1n])'],
    [data.f32SparseVector({ 7: 0.5 }), 'f32SparseVector({ 7: 0.5 })'],
    [data.matrix([[1, 2]]), 'matrix([[1, 2]])'],
    [
      data.struct({ a: new Date(0), b: Uint8Array.of(1) }),
      'struct({ a: new Date("1970-01-01T00:00:00.000Z"), b: Uint8Array.of(1) })',
    ],
    [data.float(2), 'float(2)'],
  ];
  for (const [one, text] of shown) {
    expect(String(one)).toBe(text);
    expect(inspect(one)).toBe(text);
    expect(inspect({ one })).toContain(text.slice(0, 20));
  }
});
