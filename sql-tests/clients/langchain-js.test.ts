/** `quern-client/langchain` under LangChain.js: texts in and out, filters, hybrid searches, marginal relevance, retrievers. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document } from '@langchain/core/documents';
import { Embeddings } from '@langchain/core/embeddings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import {
  Client,
  CollectionNotFoundError,
  InvalidArgumentError,
} from '../../src/clients/typescript/src/index.ts';
import {
  type PassageFilter,
  QuernVectorStore,
  type QuernVectorStoreConfig,
} from '../../src/clients/langchain-js/langchain.ts';
import { field } from '../../src/clients/typescript/src/query.ts';
import { f32Vector, text, vectorIndex } from '../../src/clients/typescript/src/schema.ts';
import { startFreshServer } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIMENSION = 64;

/** A bag of hashed words: near texts share words, and no model is needed. */
class WordEmbeddings extends Embeddings {
  constructor() {
    super({});
  }

  async embedQuery(words: string): Promise<number[]> {
    const vector = Array.from({ length: DIMENSION }, () => 0);
    for (const word of words.toLowerCase().match(/\w+/g) ?? []) {
      const at = [...word].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1009, 7) % DIMENSION;
      vector[at] = (vector[at] ?? 0) + 1;
    }
    return vector;
  }

  async embedDocuments(texts: string[]): Promise<number[][]> {
    return await Promise.all(texts.map((one) => this.embedQuery(one)));
  }
}

const BOOKS = [
  {
    id: 'moby',
    pageContent: 'a captain hunts the white whale',
    metadata: { year: 1851, tags: ['sea', 'hunt'], by: { name: 'Melville' } },
  },
  {
    id: 'jaws',
    pageContent: 'a shark hunts swimmers off the beach',
    metadata: { year: 1974, tags: ['sea'], price: 9.5 },
  },
  {
    id: 'emma',
    pageContent: 'a young woman makes matches',
    metadata: { year: 1815, tags: [], by: { name: 'Austen' } },
  },
  { id: 'dune', pageContent: 'sand, spice and worms', metadata: { year: 1965, film: true } },
].map((one) => new Document<Record<string, unknown>>(one));

let server: ServerProcess;
let client: Client;

beforeAll(async () => {
  server = await startFreshServer();
  client = new Client({ apiKey: server.key, host: server.host, port: server.port });
});
afterAll(async () => {
  await client?.close();
  await server?.[Symbol.asyncDispose]();
});

const ids = (documents: readonly { id?: string }[]): (string | undefined)[] => documents.map((one) => one.id);

type Options = Omit<QuernVectorStoreConfig, 'collection' | 'client'>;

async function filled(collection: string, embeds: boolean, options: Options = {}): Promise<QuernVectorStore> {
  const embeddings = embeds ? new WordEmbeddings() : null;
  return await QuernVectorStore.fromDocuments(BOOKS, embeddings, { collection, client, ...options });
}

describe.each([
  ['own embeddings', true],
  ['embeddings of the server', false],
])('a vector store with %s', (_, embeds) => {
  const name = (what: string): string => `${what}-${embeds}`;

  it('is empty until something is written, and keeps documents as they are', async () => {
    const store = new QuernVectorStore(embeds ? new WordEmbeddings() : null, {
      collection: name('new'),
      client,
    });
    expect(await store.similaritySearch('whale')).toEqual([]);
    expect(await store.getByIds(['moby'])).toEqual([]);
    expect(await store.addDocuments(BOOKS)).toEqual(['moby', 'jaws', 'emma', 'dune']);
    expect(await store.getByIds(['dune', 'nobody', 'moby'])).toEqual([BOOKS[3], BOOKS[0]]);
    const [made] = await store.addDocuments([new Document({ pageContent: 'whales', metadata: { a: null } })]);
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    await store.addDocuments([new Document({ pageContent: 'b', metadata: {} })], { ids: ['moby'] });
    expect((await store.getByIds(['moby']))[0]?.pageContent).toBe('b');
    await store.delete({ ids: ['moby', 'nobody'] });
    await store.delete({ filter: { year: { $gt: 1900 } } });
    expect(ids(await store.getByIds(['moby', 'jaws', 'dune', 'emma']))).toEqual(['emma']);
    await store.deleteCollection();
    expect(await store.similaritySearch('whale')).toEqual([]);
  });

  it('narrows searches by filters', async () => {
    const store = await filled(name('filters'), embeds);
    const found = async (filter: PassageFilter): Promise<string> =>
      ids(await store.similaritySearch('a whale hunts', 9, filter))
        .map((id) => id?.[0])
        .sort()
        .join('');
    const cases: [PassageFilter, string][] = [
      [{ year: 1851 }, 'm'],
      [{ year: { $ne: 1851 } }, 'dej'],
      [{ year: { $gte: 1851, $lt: 1970 } }, 'dm'],
      [{ year: { $lte: 1851 } }, 'em'],
      [{ year: { $between: [1815, 1851] } }, 'em'],
      [{ year: { $in: [1815, 1974] } }, 'ej'],
      [{ year: { $in: [] } }, ''],
      [{ year: { $nin: [1815] } }, 'djm'],
      [{ 'by.name': 'Austen' }, 'e'],
      [{ 'by.name': { $starts_with: 'Mel' } }, 'm'],
      [{ tags: { $contains: 'sea' } }, 'jm'],
      [{ price: { $exists: true } }, 'j'],
      [{ price: { $exists: false } }, 'dem'],
      [{ film: true }, 'd'],
      [{ price: 9.5 }, 'j'],
      [{ year: '1851' }, ''],
      [{}, 'dejm'],
      [{ $or: [{ year: 1815 }, { tags: { $contains: 'hunt' } }] }, 'em'],
      [{ $and: [{ year: { $gt: 1820 } }, { tags: { $contains: 'sea' } }] }, 'jm'],
      [{ $not: { year: 1815 } }, 'djm'],
      [{ $or: Array.from({ length: 900 }, (_one, at) => ({ year: 1000 + at })) }, 'em'],
      [field('metadata.year').gt(1900).and(field('text').contains('shark')), 'j'],
    ];
    for (const [filter, expected] of cases) expect([filter, await found(filter)]).toEqual([filter, expected]);
    await expect(found({ year: { $near: 1 } })).rejects.toThrow('$exists');
    await expect(found({ $xor: [] })).rejects.toThrow('$or');
  });

  it('searches by words and meaning together', async () => {
    const store = await filled(name('hybrid'), embeds, { mode: 'hybrid' });
    const [[first, score] = []] = await store.similaritySearchWithScore('worms', 1);
    expect(first?.id).toBe('dune');
    expect(score).toBeGreaterThan(0);
    expect(ids(await store.similaritySearch("shark's", 1, { year: { $gt: 1900 } }))).toEqual(['jaws']);
  });

  it('chooses what is near and unlike one another', async () => {
    const texts = ['the white whale', 'the white whale', 'the white shark'];
    const collection = name('mmr');
    const store = new QuernVectorStore(embeds ? new WordEmbeddings() : null, { collection, client });
    await store.addDocuments(
      texts.map((one, at) => new Document({ id: 'abc'[at] as string, pageContent: one, metadata: { at } })),
    );
    const unlike = await store.maxMarginalRelevanceSearch('white whale', { k: 2, lambda: 0.3 });
    expect(unlike[1]?.id).toBe('c');
    const near = await store.maxMarginalRelevanceSearch('white whale', { k: 2, lambda: 1 });
    expect(ids(near).sort()).toEqual(['a', 'b']);
    const retriever = store.asRetriever({ k: 1, searchType: 'mmr', filter: { at: 2 } });
    expect(ids(await retriever.invoke('whale'))).toEqual(['c']);
    expect(ids(await store.asRetriever(1, { at: 1 }).invoke('whale'))).toEqual(['b']);
  });

  it('keeps tenants in partitions', async () => {
    const one = await filled(name('tenants'), embeds, { partition: 'one' });
    const other = new QuernVectorStore(embeds ? new WordEmbeddings() : null, {
      collection: name('tenants'),
      client,
      partition: 'other',
      mode: 'hybrid',
    });
    expect(await other.similaritySearch('whale')).toEqual([]);
    await other.addDocuments([new Document({ id: 'x', pageContent: 'whales', metadata: {} })]);
    expect(ids(await other.similaritySearch('whale'))).toEqual(['x']);
    expect(ids(await one.getByIds(['x', 'emma']))).toEqual(['emma']);
  });
});

describe('a vector store', () => {
  it('says how near texts are', async () => {
    const store = await filled('scores', true);
    const [[first, score] = []] = await store.similaritySearchWithScore('sand, spice and worms', 1);
    expect([first, score]).toEqual([BOOKS[3], expect.closeTo(1, 5)]);
    const vector = await new WordEmbeddings().embedQuery('spice');
    expect(ids((await store.similaritySearchVectorWithScore(vector, 1)).map(([one]) => one))).toEqual([
      'dune',
    ]);
    await store.addVectors([vector], [new Document({ id: 'new', pageContent: 'n', metadata: {} })]);
    expect((await store.similaritySearchVectorWithScore(vector, 1))[0]?.[0].id).toBe('new');
    await expect(store.addVectors([vector], [])).rejects.toThrow('0 texts, but 1 vectors');
  });

  it('puts distances in order, and refuses what has not the index', async () => {
    const fields = { text: text(), vector: f32Vector(DIMENSION).index(vectorIndex({ metric: 'euclidean' })) };
    await client.collections().create('euclid', fields);
    const store = await filled('euclid', true);
    const found = await store.similaritySearchWithScore('sand, spice and worms', 2);
    expect(found.map(([one]) => one.id)[0]).toBe('dune');
    expect(found[0]?.[1]).toBe(0);
    const managed = new QuernVectorStore(null, { collection: 'euclid', client });
    await expect(managed.similaritySearch('x')).rejects.toThrow('no semantic index on "text"');
    const absent = new QuernVectorStore(null, { collection: 'absent', client, createCollection: false });
    await expect(absent.similaritySearch('x')).rejects.toThrow(CollectionNotFoundError);
    await expect(absent.similaritySearchVectorWithScore([1], 1)).rejects.toThrow(InvalidArgumentError);
    await expect(absent.delete()).rejects.toThrow('{ ids }');
  });

  it('is made of texts, of many too', async () => {
    const texts = Array.from({ length: 2500 }, (_, at) => `text ${at}`);
    const store = await QuernVectorStore.fromTexts(texts, { of: 'texts' }, new WordEmbeddings(), {
      collection: 'many',
      client,
    });
    expect(await client.collection('many').count()).toBe(2500);
    expect((await store.similaritySearch('text 2499', 1))[0]?.metadata).toEqual({ of: 'texts' });
    expect(JSON.stringify(store)).not.toContain(server.key);
  });
});

describe('docs/clients-ecosystem.md', () => {
  const examples = [
    ...readFileSync(join(ROOT, 'docs/clients-ecosystem.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs),
  ];

  it.each(examples.map(([, code], at) => [at + 1, code as string]))('example %i', (at, code) => {
    const file = join(ROOT, `build/ecosystem-example-${process.pid}-${at}.ts`);
    const client = join(ROOT, 'src/clients/typescript/src');
    writeFileSync(
      file,
      code.replace(/'quern-client(\/\w+)?'/g, (_, entry = '/index') =>
        entry === '/langchain'
          ? `'${join(ROOT, 'src/clients/langchain-js/langchain.ts')}'`
          : `'${client}${entry}.ts'`,
      ),
    );
    try {
      const env = {
        ...process.env,
        QUERN_API_KEY: server.key,
        QUERN_HOST: server.host,
        QUERN_PORT: String(server.port),
      };
      const { status, stderr } = spawnSync(process.execPath, [file], { cwd: ROOT, env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    } finally {
      rmSync(file);
    }
  });
});
