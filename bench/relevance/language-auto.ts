/**
 * `language => 'auto'`: texts in four languages in one collection, asked in each of them. nDCG@10 beside English for
 * all, and beside an index in the language of the question.
 */
import type { Client } from 'pg';
import { measureJudged } from '../retrieval/judged.ts';
import { readSet, type RetrievalSet } from '../retrieval/sets.ts';
import { report } from '../statistics.ts';
import { progress } from './bars.ts';

const SETS = [
  { name: 'xquad-en', language: 'english' },
  { name: 'xquad-de', language: 'german' },
  { name: 'xquad-es', language: 'spanish' },
  { name: 'xquad-zh', language: 'cjk' },
] as const;
const LANGUAGES = ['auto', ...SETS.map(({ language }) => language)];
const BATCH = 200;
/** The most that may be lost beside the index in the question's own language. */
const LOST_MAX = 0.015;

const inMixed = (language: string): string =>
  `SELECT _id FROM mixed ORDER BY bm25(in_${language}, $1) DESC LIMIT 10`;
const shown = (value: number): string => value.toFixed(4);

export async function languageAuto(client: Client): Promise<void> {
  const sets = SETS.map(({ name, language }) => ({ language, set: named(readSet(name)) }));
  await load(
    client,
    sets.map(({ set }) => set),
  );
  let ahead = 0;
  for (const { language, set } of sets) {
    progress(`${set.name} among four languages`);
    const auto = await measureJudged(client, set, inMixed('auto'));
    const english = await measureJudged(client, set, inMixed('english'));
    const own = await measureJudged(client, set, inMixed(language));
    ahead += (auto - english) / sets.length;
    const facts = { auto: shown(auto), english: shown(english), own: shown(own) };
    report(`${set.name} among four languages: nDCG@10 of 'auto' over its own language`, auto - own, {
      bar: `>= ${-LOST_MAX}`,
      ...facts,
    });
  }
  report("four languages in one collection: nDCG@10 of 'auto' over 'english'", ahead, { bar: '>= 0' });
  await client.query('DROP TABLE mixed');
}

/** Its documents and answers under ids that no other set has. */
function named(set: RetrievalSet): RetrievalSet {
  const own = (id: string): string => `${set.name}:${id}`;
  return {
    ...set,
    documents: set.documents.map((document) => ({ ...document, id: own(document.id) })),
    queries: set.queries.map((query) => ({ ...query, relevant: new Set([...query.relevant].map(own)) })),
  };
}

async function load(client: Client, sets: readonly RetrievalSet[]): Promise<void> {
  const columns = LANGUAGES.map((one) => `in_${one} text INDEX keyword_index(language => '${one}')`);
  await client.query(`CREATE TABLE mixed (_id text, ${columns.join()})`);
  const documents = sets.flatMap((set) => set.documents);
  for (let from = 0; from < documents.length; from += BATCH) {
    const batch = documents.slice(from, from + BATCH);
    const same = LANGUAGES.map(() => 'body').join();
    await client.query(
      `INSERT INTO mixed SELECT id, ${same} FROM unnest($1::text[], $2::text[]) AS given(id, body)`,
      [batch.map(({ id }) => id), batch.map(({ text }) => text)],
    );
  }
}
