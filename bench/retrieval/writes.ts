/**
 * Upserts with vectors given, the index in place: rows a second, whether they are found at once, and how long
 * queries take while others write.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Peer, Peers } from '../peers.ts';
import { percentile, report } from '../statistics.ts';
import { copyLines } from './copy.ts';
import { startReader } from './reader.ts';
import { clustered, type VectorSet, vectorOf, vectorText } from './vectors.ts';

const DIMENSION = 384;
const BATCH_ROWS = 100;
const REST_MS = 5_000;
/** Vectors the reader asks for in turn. */
const READ_VECTORS = 2_000;
/** Every second row written replaces one that is there. */
const REPLACED_SHARE = 0.5;

interface Figures {
  readonly rowsPerSecond: number;
  /** Batches whose first row was not the nearest to its own vector right after its commit. */
  readonly unseen: number;
  /** Milliseconds. */
  readonly restP99: number;
  readonly busyP99: number;
}

export async function writes(peers: Peers, quick: boolean): Promise<void> {
  const set = clustered(quick ? 5_000 : 50_000, DIMENSION, quick ? 2_000 : 10_000);
  const quern = await measure(peers.quern, set);
  const postgres = await measure(peers.postgres, set);
  report(
    'upserts with vectors given, rows/s, quern / pgvector',
    quern.rowsPerSecond / postgres.rowsPerSecond,
    {
      bar: '>= 2',
      quern: quern.rowsPerSecond.toFixed(0),
      pgvector: postgres.rowsPerSecond.toFixed(0),
    },
  );
  report('upserts not found at once', quern.unseen, { bar: '= 0', pgvector: String(postgres.unseen) });
  report('queries during writes: p99 / p99 at rest', quern.busyP99 / quern.restP99, {
    bar: '<= 3',
    quern: `${quern.restP99.toFixed(2)} → ${quern.busyP99.toFixed(2)} ms`,
    pgvector: `${postgres.restP99.toFixed(2)} → ${postgres.busyP99.toFixed(2)} ms`,
  });
}

async function measure(peer: Peer, set: VectorSet): Promise<Figures> {
  const { client } = peer;
  const count = set.base.length / DIMENSION;
  await client.query('DROP TABLE IF EXISTS notes');
  await client.query('CREATE EXTENSION IF NOT EXISTS vector');
  await client.query(`CREATE TABLE notes (id int PRIMARY KEY, v vector(${DIMENSION}))`);
  await copyLines(peer.address, 'notes', lines(set));
  await client.query('CREATE INDEX ON notes USING hnsw (v vector_l2_ops)');
  const parameters = Array.from({ length: Math.min(READ_VECTORS, count) }, (_, row) =>
    vectorText(vectorOf(set.base, DIMENSION, row)),
  );
  const questions = { address: peer.address, sql: NEAREST, parameters };
  const stopResting = await startReader(questions);
  await sleep(REST_MS);
  const rest = await stopResting();
  const stopReading = await startReader(questions);
  const written = await writeAll(client, set);
  const busy = await stopReading();
  return { ...written, restP99: percentile(rest, 0.99), busyP99: percentile(busy, 0.99) };
}

function* lines({ base }: VectorSet): Generator<string> {
  for (let row = 0; row < base.length / DIMENSION; row++) {
    yield `${row}\t${vectorText(vectorOf(base, DIMENSION, row))}\n`;
  }
}

/** The set's queries are the vectors written. */
async function writeAll(client: pg.Client, { base, queries }: VectorSet) {
  const stored = base.length / DIMENSION;
  const count = queries.length / DIMENSION;
  let unseen = 0;
  let ms = 0;
  for (let from = 0; from + BATCH_ROWS <= count; from += BATCH_ROWS) {
    const rows = Array.from({ length: BATCH_ROWS }, (_, i) => {
      const row = from + i;
      const replaces = row * REPLACED_SHARE === Math.floor(row * REPLACED_SHARE);
      return { id: replaces ? row : stored + row, v: vectorText(vectorOf(queries, DIMENSION, row)) };
    });
    const began = performance.now();
    await client.query({ name: 'upsert', text: UPSERT, values: rows.flatMap(({ id, v }) => [id, v]) });
    ms += performance.now() - began;
    const [first] = (await client.query({ name: 'near', text: NEAREST, values: [rows[0]?.v] })).rows;
    if (first?.id !== rows[0]?.id) unseen++;
  }
  return { rowsPerSecond: (count / ms) * 1000, unseen };
}

const PLACES = Array.from({ length: BATCH_ROWS }, (_, i) => `($${2 * i + 1}::int, $${2 * i + 2}::vector)`);
const UPSERT = `INSERT INTO notes VALUES ${PLACES.join(', ')} ON CONFLICT (id) DO UPDATE SET v = excluded.v`;
const NEAREST = 'SELECT id FROM notes ORDER BY v <-> $1 LIMIT 10';
