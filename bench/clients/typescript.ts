/**
 * Overhead of quern-client over its driver: `query` beside the same statement through `postgres`, `upsert` of documents
 * with vectors beside COPY in text. Medians of turns.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { Client } from '../../src/clients/typescript/src/client.ts';
import { compileQuery } from '../../src/clients/typescript/src/query/compile.ts';
import { field, select } from '../../src/clients/typescript/src/query.ts';
import { f32Vector, int, text } from '../../src/clients/typescript/src/schema.ts';
import { normal, randomNumbers } from '../retrieval/vectors.ts';
import { median } from '../statistics.ts';

const [DOCUMENTS, DIMENSION, QUERIES] = [10_000, 384, 300];

export interface TypescriptTimes {
  /** Median seconds. */
  readonly copy: number;
  readonly upsert: number;
  /** Median milliseconds. */
  readonly driver: number;
  readonly client: number;
}

interface Row {
  readonly _id: string;
  readonly n: number;
  readonly title: string;
  readonly emb: number[];
}

function documents(): Row[] {
  const random = randomNumbers(7);
  return Array.from({ length: DOCUMENTS }, (_, at) => ({
    _id: `d${at}`,
    n: at,
    title: `title ${at}`,
    emb: Array.from({ length: DIMENSION }, () => normal(random)),
  }));
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

const lineOf = ({ _id, n, title, emb }: Row): string => `${_id}\t${n}\t${title}\t[${emb.join(',')}]\n`;

export async function typescriptTimes(
  { host, port, key }: ServerProcess,
  rounds: number,
): Promise<TypescriptTimes> {
  const client = new Client({ apiKey: key, host, port });
  const driver = postgres({
    host,
    port,
    user: 'quern',
    database: 'quern',
    password: key,
    ssl: 'require',
    max: 1,
  });
  const schema = { title: text(), n: int(), emb: f32Vector(DIMENSION) };
  const rows = documents();
  const [copies, upserts]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const name of ['ts_copied', 'ts_upserted']) {
      await client.sql(`DROP TABLE IF EXISTS ${name}`);
      await client.collections().create(name, schema);
    }
    const copy = async (): Promise<void> => {
      const sink = await driver.unsafe('COPY ts_copied (_id, n, title, emb) FROM STDIN').writable();
      await pipeline(Readable.from(rows.map(lineOf)), sink);
    };
    copies.push(await seconds(copy));
    upserts.push(await seconds(() => client.collection<typeof schema>('ts_upserted').upsert(rows)));
  }
  const one = select('title').filter(field('_id').eq('d77'));
  const { sql, params } = compileQuery(one, '"ts_upserted"');
  const collection = client.collection('ts_upserted');
  const [alone, through]: [number[], number[]] = [[], []];
  for (let at = 0; at < QUERIES; at++) {
    alone.push(1000 * (await seconds(() => driver.unsafe(sql, [...params] as string[], { prepare: true }))));
    through.push(1000 * (await seconds(() => collection.query(one))));
  }
  await client.close();
  await driver.end();
  return { copy: median(copies), upsert: median(upserts), driver: median(alone), client: median(through) };
}
