/**
 * Cost of a domain pack where questions are about something else: texts of the sets with judged answers, mixed with the
 * filings in one dataset, and nDCG@10 of `search()` with the pack forced on beside it with none.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { ALL_DOMAINS } from '../../src/language/domains/vocabulary.ts';
import { openDatasets } from '../ask/datasets.ts';
import { SETS } from '../retrieval/judged.ts';
import { readSet, type RetrievalSet } from '../retrieval/sets.ts';

/** The filings' own, as `bench ask` keeps it; the texts are taken out again. */
const DATASET = 'financebench';
const SIZES = { documents: 1_500, questions: 100 };
const QUICK_SIZES = { documents: 300, questions: 40 };
/** The most that a pack may change. */
const BAR = 0.002;
const MS_A_LOOK = 500;

/** @param source of the filings. @param folder of a server's data, kept. */
export async function domains(
  source: string,
  { quick, folder }: { readonly quick: boolean; readonly folder: string | undefined },
): Promise<void> {
  await using given = await openDatasets(source, folder);
  const { client } = given;
  console.log('domains: nDCG@10 of search() among the filings and the texts of a set');
  for (const { name } of SETS) {
    const whole = readSet(name);
    const naming = whole.queries.filter(({ text }) => ALL_DOMAINS.rowsIn(text).length > 0).length;
    console.log(`  ${name}: ${naming} of ${whole.queries.length} questions name a term of a pack`);
    const set = sampleOf(whole, quick ? QUICK_SIZES : SIZES);
    const waited = async (action: Promise<void>): Promise<void> => {
      await action;
      while ((await client.query(UNFINISHED)).rows[0]?.count > 0) await sleep(MS_A_LOOK);
    };
    await waited(uploadTexts(client, set));
    await createEvaluation(client, set);
    const [without, forced] = [await ndcgOf(client, set, 'none'), await ndcgOf(client, set, 'finance')];
    const told = `${without.toFixed(4)} without, ${forced.toFixed(4)} forced`;
    const isMet = Math.abs(forced - without) <= BAR;
    const sizes = `${set.queries.length} questions, ${set.documents.length} texts`;
    console.log(`    ${sizes}: ${told}: ${isMet ? 'met' : 'MISSED'}`);
    await waited(deleteTexts(client, set));
  }
  await client.query(`ALTER DATASET ${DATASET} SET (domains = 'auto')`);
}

const UNFINISHED = `SELECT count(*)::int AS count FROM quern.ingest_queue WHERE dataset = '${DATASET}'`;

/** Questions as far apart as they come, all texts that answer them, and others. */
function sampleOf({ name, documents, queries }: RetrievalSet, sizes: typeof SIZES): RetrievalSet {
  const count = Math.min(sizes.questions, queries.length);
  const step = queries.length / count;
  const places = Array.from({ length: count }, (_, i) => Math.floor(i * step));
  const asked = places.flatMap((place) => queries[place] ?? []);
  const relevant = new Set(asked.flatMap((query) => [...query.relevant]));
  const wanted = documents.filter(({ id }) => relevant.has(id));
  const others = documents.filter(({ id }) => !relevant.has(id));
  return {
    name,
    documents: [...wanted, ...others].slice(0, Math.max(wanted.length, sizes.documents)),
    queries: asked,
  };
}

const idOf = ({ name }: RetrievalSet, id: string): string => `${name}-${id}`;

async function uploadTexts(client: Client, set: RetrievalSet): Promise<void> {
  const { rows } = await client.query(`SELECT doc_id FROM ${DATASET}.documents`);
  const known = new Set(rows.map(({ doc_id }) => String(doc_id)));
  for (const { id, text } of set.documents) {
    const own = idOf(set, id);
    if (known.has(own) || text === '') continue;
    const values = [DATASET, own, `${own}.txt`, Buffer.from(text)];
    await client.query('SELECT quern.upsert_file($1, $2, $3, $4::bytea)', values);
  }
}

async function deleteTexts(client: Client, set: RetrievalSet): Promise<void> {
  for (const { id } of set.documents)
    await client.query('SELECT quern.delete_document($1, $2)', [DATASET, idOf(set, id)]);
}

async function createEvaluation(client: Client, set: RetrievalSet): Promise<void> {
  const rows = set.queries.flatMap(({ id, text, relevant }) =>
    [...relevant].map((document) => ({ id, text, document: idOf(set, document) })),
  );
  await client.query(`DROP EVALUATION IF EXISTS '${set.name}'`);
  await client.query(
    `CREATE EVALUATION '${set.name}' AS
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS judgments (id, question, doc_id)`,
    [rows.map(({ id }) => id), rows.map(({ text }) => text), rows.map(({ document }) => document)],
  );
}

async function ndcgOf(client: Client, { name }: RetrievalSet, packs: string): Promise<number> {
  await client.query(`ALTER DATASET ${DATASET} SET (domains = '${packs}')`);
  const { rows } = await client.query<{ ndcg: number }>(`EVALUATE SEARCH '${name}' ON ${DATASET}`);
  return rows[0]?.ndcg ?? Number.NaN;
}
