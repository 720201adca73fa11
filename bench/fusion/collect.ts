/** The candidates of each query by both arms with their scores, once for each model and each choice of columns. */
import type { Client } from 'pg';
import { progress } from '../relevance/bars.ts';
import type { FusionQuery, FusionSet } from './sets.ts';

const BATCH = 250;
/** Best rows of each arm: the default of `hybrid()`. */
const DEPTH = 100;

/** One row a candidate; null: the arm has no score. */
export interface Asked {
  readonly words: readonly (number | null)[];
  readonly meaning: readonly (number | null)[];
  /** Places of the relevant among the candidates. */
  readonly relevant: readonly number[];
  readonly relevantCount: number;
}

/** Queries of one kind over some columns, found by one model. */
export interface Collected {
  readonly name: string;
  readonly group: string;
  readonly model: string;
  /** False: the text alone is searched. */
  readonly allColumns: boolean;
  readonly asked: readonly Asked[];
}

/** In place of the set before. */
export async function loadSet(client: Client, set: FusionSet, model: string): Promise<void> {
  const { columns, documents, language } = set;
  const indexed = columns.map((name, i) => {
    const semantic = i === 0 ? ` INDEX semantic_index(model => '${model}')` : '';
    return `"${name}" text INDEX keyword_index(language => '${language}')${semantic}`;
  });
  await client.query('DROP TABLE IF EXISTS fused');
  await client.query(`CREATE TABLE fused (_id text, ${indexed.join(', ')})`);
  const parameters = columns.map((_, i) => `$${i + 2}::text[]`).join(', ');
  const insert = `INSERT INTO fused (_id, ${columns.map((name) => `"${name}"`).join(', ')})
    SELECT * FROM unnest($1::text[], ${parameters})`;
  for (let from = 0; from < documents.length; from += BATCH) {
    const batch = documents.slice(from, from + BATCH);
    const values = columns.map((_, i) => batch.map(({ values: own }) => own[i] || null));
    await client.query(insert, [batch.map(({ id }) => id), ...values]);
    progress(`${set.name}, ${model}: ${from + batch.length} of ${documents.length}`);
  }
}

export async function collectSet(client: Client, set: FusionSet, model: string): Promise<Collected[]> {
  const collected: Collected[] = [];
  const forms = set.columns.length > 1 ? [false, true] : [false];
  for (const [name, queries] of Object.entries(set.queries)) {
    for (const allColumns of forms) {
      progress(`${name}, ${model}${allColumns ? ', all columns' : ''}`);
      const asked: Asked[] = [];
      for (const query of queries) asked.push(await candidatesOf(client, set, query, allColumns));
      collected.push({ name, group: set.group, model, allColumns, asked });
    }
  }
  return collected;
}

interface Row {
  readonly _id: string;
  readonly semantic_score: number | null;
  readonly keyword_score: number | null;
}

async function candidatesOf(
  client: Client,
  set: FusionSet,
  query: FusionQuery,
  allColumns: boolean,
): Promise<Asked> {
  const searched = allColumns ? set.columns : set.columns.slice(0, 1);
  const { rows } = await client.query<Row>({
    name: `candidates ${set.name} ${searched.length}`,
    text: `SELECT _id, semantic_score, keyword_score
      FROM hybrid('fused', $1, columns => ARRAY['${searched.join("', '")}'], k => ${2 * DEPTH}, depth => ${DEPTH})`,
    values: [query.text],
  });
  return {
    words: rows.map(({ keyword_score }) => keyword_score && rounded(keyword_score)),
    meaning: rows.map(({ semantic_score }) => semantic_score && rounded(semantic_score)),
    relevant: rows.flatMap(({ _id }, i) => (query.relevant.has(_id) ? [i] : [])),
    relevantCount: query.relevant.size,
  };
}

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;
