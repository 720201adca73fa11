/**
 * Hybrid search in one call beside the usual rank fusion of pgvector and full-text search in a common table
 * expression. Both have the same rows, embedded by the same model. Quern is sent the query's text; PostgreSQL is sent
 * the text and its vector, made beforehand. So Quern's time for a new text holds its embedding, PostgreSQL's does not.
 */
import { type Peer, type Peers, prepared } from '../peers.ts';
import { median, report } from '../statistics.ts';
import { copyLines } from './copy.ts';
import { keywordTexts } from './keyword-texts.ts';
import { readSet } from './sets.ts';

const ROWS = 20_000;
/** Passages of a sentence or two: embedding whole texts takes most of an hour. */
const CHARACTERS = 200;
const QUICK_ROWS = 200;
const DEPTH = 100;
const QUERIES = 60;
/** Rounds over all queries, for both: caches fill, and what is compiled late is compiled. */
const WARM_UP_ROUNDS = 15;
const BAR = 0.3;

const FUSED = `
  WITH near AS (
    SELECT id, row_number() OVER (ORDER BY v <=> $2::vector) AS place FROM passages
      ORDER BY v <=> $2::vector LIMIT ${DEPTH}
  ), found AS (
    SELECT id, row_number() OVER (ORDER BY ts_rank(words, query) DESC) AS place
    FROM passages, to_tsquery('english', $1) query WHERE words @@ query
    ORDER BY ts_rank(words, query) DESC LIMIT ${DEPTH}
  )
  SELECT id, coalesce(1.0 / (60 + near.place), 0) + coalesce(1.0 / (60 + found.place), 0) AS score
  FROM near FULL JOIN found USING (id) ORDER BY score DESC LIMIT 10`;
const CALL = `SELECT id, score FROM hybrid('passages', $1, k => 10, depth => ${DEPTH})`;

export async function hybrid({ quern, postgres }: Peers, quick: boolean): Promise<void> {
  const texts = keywordTexts(quick ? QUICK_ROWS : ROWS).map((text) => text.slice(0, CHARACTERS));
  await loadQuern(quern, texts);
  await loadPostgres(quern, postgres);
  const queries = ['cranfield', 'medline', 'npl'].flatMap((name) =>
    readSet(name).queries.map(({ text }) => text),
  );
  const chosen = queries.filter((_, i) => i % Math.floor(queries.length / QUERIES) === 0);
  const times = { first: [] as number[], again: [] as number[], postgres: [] as number[] };
  for (const text of chosen) times.first.push(await timed(quern, CALL, [text]));
  const asked = [];
  for (const text of chosen) {
    const { rows } = await quern.client.query('SELECT embed($1) AS vector', [text]);
    asked.push({ text, values: [anyWord(text), rows[0].vector] });
  }
  for (let round = 0; round <= WARM_UP_ROUNDS; round++) {
    for (const { text, values } of asked) {
      const [own, other] = [await timed(quern, CALL, [text]), await timed(postgres, FUSED, values)];
      if (round < WARM_UP_ROUNDS) continue;
      times.again.push(own);
      times.postgres.push(other);
    }
  }
  const peer = median(times.postgres);
  const facts = { bar: `<= ${BAR}`, postgres: ms(peer), rows: String(texts.length) };
  report('hybrid, new query text', median(times.first) / peer, { ...facts, quern: ms(median(times.first)) });
  report('hybrid, text asked before', median(times.again) / peer, {
    ...facts,
    quern: ms(median(times.again)),
  });
}

async function loadQuern({ client, address }: Peer, texts: readonly string[]): Promise<void> {
  await client.query('DROP TABLE IF EXISTS passages');
  await client.query('CREATE TABLE passages (id int PRIMARY KEY, body text)');
  await copyLines(address, 'passages', lines(texts.map((text, id) => `${id}\t${text}`)));
  await client.query('CREATE INDEX ON passages USING semantic (body)');
}

/** With Quern's vectors. */
async function loadPostgres(quern: Peer, { client, address }: Peer): Promise<void> {
  await client.query('CREATE EXTENSION IF NOT EXISTS vector');
  await client.query('DROP TABLE IF EXISTS passages');
  await client.query('CREATE TABLE passages (id int PRIMARY KEY, body text, v vector(384))');
  const { rows } = await quern.client.query<{ id: number; body: string; vector: string }>(
    'SELECT id, body, embed(body) AS vector FROM passages',
  );
  await copyLines(
    address,
    'passages',
    lines(rows.map(({ id, body, vector }) => `${id}\t${body}\t${vector}`)),
  );
  await client.query(
    "ALTER TABLE passages ADD COLUMN words tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED",
  );
  await client.query('CREATE INDEX ON passages USING hnsw (v vector_cosine_ops)');
  await client.query('CREATE INDEX ON passages USING gin (words)');
  await client.query('ANALYZE passages');
}

/** COPY's escape character is the only one that such texts may hold. */
const lines = (rows: readonly string[]): string[] => rows.map((row) => `${row.replaceAll('\\', '\\\\')}\n`);

/** A tsquery that any word satisfies, as BM25 does it. */
const anyWord = (text: string): string => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' | ');

async function timed({ client }: Peer, sql: string, values: readonly unknown[]): Promise<number> {
  const query = prepared(sql, values);
  const began = performance.now();
  await client.query(query);
  return performance.now() - began;
}

const ms = (value: number): string => `${value.toFixed(2)} ms`;
