/**
 * `search()` over a dataset of 100,000 chunks, from a client over a socket. Chunks are the words of real texts in
 * another order, stored as ingestion stores them; the vector of one is its text's by the usual model, with noise, so
 * that nobody waits an hour for embeddings. Queries are new texts, which the server embeds as it does for everybody.
 */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { type GivenDocument, storeDocuments } from '../../sql-tests/fixtures/stored-documents.ts';
import { openDataFolder } from '../../src/data-folder.ts';
import { CallHelpers } from '../../src/execute/expression/call-helpers.ts';
import { TemporaryFiles } from '../../src/storage/temporary-file.ts';
import { createInference, USUAL_MODEL } from '../../src/inference/registry.ts';
import type { EmbeddingModel, Inference } from '../../src/inference/provider.ts';
import { createSessionFactory } from '../../src/session/factory.ts';
import { loadParser } from '../../src/sql/parse/parse.ts';
import { DocumentAsker } from '../../src/ask/asker.ts';
import { ParseService } from '../../src/sql/parse/service.ts';
import { keywordTexts } from '../retrieval/keyword-texts.ts';
import { WORLD } from '../../sql-tests/fixtures/world.ts';
import { normal, randomNumbers } from '../retrieval/vectors.ts';
import { median, percentile, report } from '../statistics.ts';

const CHUNKS = 100_000;
const QUICK_CHUNKS = 4_000;
const CHUNKS_A_DOCUMENT = 100;
/** Texts that are embedded. */
const SOURCES = 1_500;
const CHARACTERS = 700;
const QUERIES = 120;
const QUERY_WORDS = 12;
/** Length of the noise added to a vector of length 1. */
const NOISE = 0.6;
const BAR_MS = 30;
const SETTLED_MS_MAX = 180_000;
const IDLE_MS_A_SECOND = 50;

export async function large(quick: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quern-bench-large-'));
  try {
    const count = quick ? QUICK_CHUNKS : CHUNKS;
    const texts = keywordTexts(SOURCES + QUERIES).map((text) => text.slice(0, CHARACTERS));
    const data = join(folder, 'data');
    await served(data, async (client) => {
      await client.query('CREATE DATASET large');
    });
    await fill(data, texts.slice(0, SOURCES), count);
    await served(data, (client, server) => measure({ client, server }, texts.slice(SOURCES), count));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const KEY = randomBytes(18).toString('base64url');

async function served(
  data: string,
  work: (client: pg.Client, server: ServerProcess) => Promise<void>,
): Promise<void> {
  await using server = await startServer({ data, key: KEY });
  const { host, port } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: KEY });
  await client.connect();
  try {
    await work(client, server);
  } finally {
    await client.end();
  }
}

async function fill(folder: string, sources: readonly string[], count: number): Promise<void> {
  await loadParser();
  const data = await openDataFolder({
    folder,
    apiKey: null,
    encryptionKey: null,
    rollbackGuard: null,
    randomBytes,
    report: (error) => console.error(error),
    settings: {},
    usualModel: USUAL_MODEL,
  });
  const modelsFolder = join(import.meta.dirname, '../../models');
  await using real = await createInference({ modelsFolder, threads: 2 });
  const environment = {
    engine: data.engine,
    inference: await withNoise(real, sources),
    parser: new ParseService(),
    asker: new DocumentAsker(),
    helpers: new CallHelpers(),
    temporaryFiles: new TemporaryFiles(tmpdir()),
    ...WORLD,
  };
  const factory = createSessionFactory(environment, data.keys);
  await fillDataset(factory, sources, count);
  await factory.close();
  await environment.parser.close();
  environment.helpers.close();
  await data.close();
}

type Factory = ReturnType<typeof createSessionFactory>;

async function fillDataset(factory: Factory, sources: readonly string[], count: number): Promise<void> {
  await using own = factory.openOwn();
  const started = performance.now();
  for (let document = 0; document * CHUNKS_A_DOCUMENT < count; document++) {
    await storeDocuments(own, 'large', [documentOf(document, sources)]);
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(`large: ${count} chunks stored in ${seconds.toFixed(0)} s, vectors given`);
}

/** A chunk says which text its vector is of. */
const SOURCE = /\btext (\d+)$/m;

function documentOf(document: number, sources: readonly string[]): GivenDocument {
  const random = randomNumbers(document);
  const chunks = Array.from({ length: CHUNKS_A_DOCUMENT }, (_, i) => {
    const source = Math.floor(random() * sources.length);
    const words = (sources[source] ?? '').split(' ').toSorted(() => random() - 0.5);
    return { text: `${words.join(' ')}.\ntext ${source}`, pages: [1 + Math.floor(i / 3)] };
  });
  return { docId: `d${document}`, metadata: { year: 1990 + (document % 40), part: `p${document}` }, chunks };
}

/** The usual model, which is asked for the texts once. */
async function withNoise(real: Inference, sources: readonly string[]): Promise<Inference> {
  const usual = real.model(real.defaultModel);
  const embedded = await usual.embedDocuments(sources, new AbortController().signal, FREELY);
  const random = randomNumbers(7);
  const noisy = (text: string) => {
    const own = embedded[Number(SOURCE.exec(text)?.[1] ?? 0)]?.vectors ?? new Float32Array();
    const scale = NOISE / Math.sqrt(usual.dimension);
    const vector = own.slice(0, usual.dimension).map((value) => value + scale * normal(random));
    const length = Math.hypot(...vector);
    return {
      count: 1,
      vectors: vector.map((value) => value / length),
      spans: new Uint32Array([0, text.length]),
    };
  };
  const model: EmbeddingModel = {
    name: usual.name,
    isOutside: false,
    fingerprint: usual.fingerprint,
    dimension: usual.dimension,
    leastCosine: usual.leastCosine,
    embedQuery: (text, signal, sender) => usual.embedQuery(text, signal, sender),
    hasQuery: (text) => usual.hasQuery(text),
    embedDocuments: async (texts) => texts.map(noisy),
    tokens: (text) => usual.tokens(text),
    passages: async (text) => new Uint32Array([0, text.length]),
    warm: () => usual.warm(),
  };
  return {
    model: () => model,
    models: () => real.models(),
    defaultModel: real.defaultModel,
    reranker: () => real.reranker(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

interface Asked {
  readonly name: string;
  readonly more: string;
}

const ASKED: readonly Asked[] = [
  { name: 'search, no filter', more: '' },
  { name: 'search, a quarter of the documents', more: ", filter => 'year BETWEEN 2000 AND 2009'" },
  { name: 'search, one document', more: ", filter => 'part = ''p7'''" },
  { name: 'search, top_k 100', more: ', top_k => 100' },
  { name: 'search, pages', more: ", results => 'pages'" },
  { name: 'search, neighbours', more: ', neighbours => 1' },
];

interface Measured {
  readonly client: pg.Client;
  readonly server: ServerProcess;
}

/** Until segments and graphs of what was stored are made. */
async function settled(server: ServerProcess): Promise<void> {
  const end = performance.now() + SETTLED_MS_MAX;
  for (let before = processorMs(server); performance.now() < end; ) {
    await sleep(1_000);
    const now = processorMs(server);
    if (now - before < IDLE_MS_A_SECOND) return;
    before = now;
  }
  console.log('  measured beside the making of indexes, which has not ended');
}

/** Wall times mean little on a machine with other work: processor time of the server is told beside them. */
async function measure({ client, server }: Measured, texts: readonly string[], count: number): Promise<void> {
  const queries = texts.map((text) => text.split(' ').slice(0, QUERY_WORDS).join(' '));
  await settled(server);
  const one = await round(client, 'SELECT 1 WHERE $1::text IS NOT NULL', queries);
  report('select 1', median(one), { p95: percentile(one, 0.95).toFixed(1) });
  for (const { name, more } of ASKED) {
    const sql = `SELECT doc_id, text, score FROM search($1, ARRAY['large']${more})`;
    const asked = queries.map((query) => `${query} ${name}`);
    const [begun, first] = [processorMs(server), await round(client, sql, asked)];
    const [between, again] = [processorMs(server), await round(client, sql, asked)];
    report(name, median(first), {
      bar: `p50 <= ${BAR_MS} ms`,
      p95: percentile(first, 0.95).toFixed(1),
      'processor ms': ((between - begun) / asked.length).toFixed(1),
      'p50 asked before': median(again).toFixed(1),
      'processor ms then': ((processorMs(server) - between) / asked.length).toFixed(1),
      chunks: String(count),
    });
  }
}

async function round(client: pg.Client, sql: string, queries: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const query of queries) times.push(await timed(client, sql, query));
  return times;
}

/** Processor time of all threads, in ticks of 10 ms. */
function processorMs({ process: { pid } }: ServerProcess): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return 10 * (user + system);
}

async function timed(client: pg.Client, sql: string, query: string): Promise<number> {
  const started = performance.now();
  await client.query({ name: sql.length.toString(), text: sql, values: [query] });
  return performance.now() - started;
}
