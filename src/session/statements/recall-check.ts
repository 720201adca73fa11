/**
 * `quern.recall_check`: asks an index for the neighbours of stored values as statements do, and by looking at
 * every row, and says how much of the true answer the index gives and how long both take.
 */
import { namespaceName } from '../../catalog/lookup.ts';
import { type Column, columnByName, type Index, type Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { modelOf } from '../../execute/embedding/embeddings.ts';
import type { RecallRequest } from '../../functions/services.ts';
import { CANDIDATES_MAX, QUERY_TEXT_CHARACTERS_MAX } from '../../limits.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { formatJsonb, parseJson } from '../../types/json/json.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { runInternal } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';

const SAMPLE_MAX = 10_000;
/** Drawn beyond the sample, as chance draws fewer at times. */
const DRAWN_SHARE = 1.5;
const WAYS = ['index', 'exact'] as const;
type Way = (typeof WAYS)[number];
/** Each way is planned once for so many, or planning would be most of what is timed. */
const QUERIES_A_PLAN = 100;
/** Scores of float32 vectors that differ less are the same. */
const TOLERANCE = 1e-6;

interface Checked {
  readonly relation: Relation;
  readonly column: Column;
  readonly index: Index;
  /** Names as SQL has them. */
  readonly table: string;
  readonly filter: string | null;
  readonly k: number;
  readonly sample: number;
}

/** @returns jsonb: recall, p50 of both in milliseconds, answers that are short of rows. */
export async function recallCheck(statement: Statement, request: RecallRequest): Promise<Datum> {
  const checked = checkedArguments(statement.session, request);
  const queries = await drawQueries(statement, checked);
  const ready = embedding(statement, checked);
  const times: Record<Way, number[]> = { index: [], exact: [] };
  let found = 0;
  let wanted = 0;
  let short = 0;
  for (let from = 0; from < queries.length; from += QUERIES_A_PLAN) {
    const some = queries.slice(from, from + QUERIES_A_PLAN);
    const answers: Record<Way, (readonly number[])[]> = { index: [], exact: [] };
    for (const way of WAYS) {
      for (const query of some) {
        await ready(query);
        const began = statement.session.environment.nowMs();
        answers[way].push(await scoresOf(statement, checked, { query, exact: way === 'exact' }));
        times[way].push(statement.session.environment.nowMs() - began);
      }
    }
    for (const [i, exact] of answers.exact.entries()) {
      const given = answers.index[i] as readonly number[];
      wanted += exact.length;
      found += commonCount(exact, given);
      if (given.length < exact.length) short++;
    }
  }
  return formatJsonb(
    parseJson(
      JSON.stringify({
        index: checked.index.name,
        k: checked.k,
        sample: queries.length,
        recall: wanted === 0 ? null : Math.round((10_000 * found) / wanted) / 10_000,
        short,
        p50_ms: median(times.index),
        exact_p50_ms: median(times.exact),
      }),
    ),
  );
}

/** Embeds a query before its search is timed: the model keeps the vectors of queries asked lately. */
function embedding(statement: Statement, { index }: Checked): (query: Datum) => Promise<void> {
  if (index.kind !== 'semantic') return async () => undefined;
  const model = modelOf(index, statement.session.environment.inference);
  return async (query) => {
    await model.embedQuery(String(query), statement.signal, statement.sender);
  };
}

/** @throws SqlError 42P01, 42703, 42704, 22023. */
function checkedArguments(
  session: SessionState,
  { relation: relationName, column: columnName, filter, k, sample }: RecallRequest,
): Checked {
  const catalog = session.catalog();
  const oid = session.catalogServices().relationOid(relationName);
  const relation = oid === null ? undefined : catalog.relations.get(oid);
  if (relation === undefined) {
    throw new SqlError('undefined_table', `relation "${relationName}" does not exist`);
  }
  const column = columnByName(relation, columnName);
  if (column === undefined) {
    const message = `column "${columnName}" of relation "${relation.name}" does not exist`;
    throw new SqlError('undefined_column', message);
  }
  const index = relation.indexes.find(
    ({ kind, columns, path, standby }) =>
      columns[0] === column.attribute && RANKED.has(kind) && !path && !standby,
  );
  if (index === undefined) {
    throw new SqlError('undefined_object', `column "${column.name}" has no vector or semantic index`);
  }
  const schema = namespaceName(catalog, relation.namespace) ?? 'public';
  return {
    relation,
    column,
    index,
    table: `${quoteIdentifier(schema)}.${quoteIdentifier(relation.name)}`,
    filter,
    k: within('k', k, CANDIDATES_MAX - 1),
    sample: within('sample', sample, SAMPLE_MAX),
  };
}

function within(name: string, number: number, most: number): number {
  if (number >= 1 && number <= most) return number;
  throw new SqlError('invalid_parameter_value', `${name} must be between 1 and ${most}, not ${number}`);
}

async function drawQueries(
  statement: Statement,
  { column, index, table, sample }: Checked,
): Promise<readonly Datum[]> {
  const name = quoteIdentifier(column.name);
  const rows = `(SELECT greatest(1, pg_catalog.count(*)) FROM ${table})`;
  // In no order of the table's, or its last third, which the newest rows are in, would never be asked for.
  const share = `${DRAWN_SHARE * sample}::float8 / ${rows}`;
  const text = `SELECT ${name} FROM ${table} WHERE pg_catalog.random() < ${share} AND ${name} IS NOT NULL
    ORDER BY pg_catalog.random() LIMIT ${sample}`;
  const batches = await runInternal(statement, text, { types: [], parameters: [] });
  const values = batches.flatMap((batch) =>
    Array.from({ length: batch.length }, (_, i) => batch.columns[0]?.get(i) ?? null),
  );
  return index.kind === 'semantic' ? values.flatMap(queryText) : values;
}

/** The beginning of a long text, which is asked for as well as all of it; a blank one cannot be. */
function queryText(value: Datum): readonly string[] {
  const text = String(value).slice(0, QUERY_TEXT_CHARACTERS_MAX).toWellFormed();
  return text.trim() === '' ? [] : [text];
}

/** Scores of the best rows, larger ones better. */
async function scoresOf(
  statement: Statement,
  checked: Checked,
  { query, exact }: { readonly query: Datum; readonly exact: boolean },
): Promise<readonly number[]> {
  const { column, table, filter, index, k } = checked;
  const { score, descending } = ranking(index, quoteIdentifier(column.name));
  const where = filter === null ? '' : `WHERE (${filter}\n)`;
  const text = `SELECT ${score} FROM ${table} ${where} ORDER BY 1 ${descending ? 'DESC NULLS LAST' : ''} LIMIT ${k}`;
  const types = [index.kind === 'semantic' ? OID.text : column.type.oid];
  const batches = await runInternal(statement, text, { types, parameters: [query], exact });
  const scores = batches.flatMap((batch) =>
    Array.from({ length: batch.length }, (_, i) => batch.columns[0]?.get(i) ?? null),
  );
  return scores.flatMap((value) => (value === null ? [] : [descending ? Number(value) : -Number(value)]));
}

const RANKED: ReadonlySet<Index['kind']> = new Set(['vector', 'multi_vector', 'semantic']);

const OPERATORS: Readonly<Record<string, string>> = {
  cosine: '<=>',
  euclidean: '<->',
  dot_product: '<#>',
  l1: '<+>',
  hamming: '<~>',
  jaccard: '<%>',
};

/** Score that rows are ranked by. */
function ranking({ kind, options }: Index, column: string): { score: string; descending: boolean } {
  if (kind === 'semantic') return { score: `semantic_similarity(${column}, $1)`, descending: true };
  if (kind === 'multi_vector') return { score: `multi_vector_distance(${column}, $1)`, descending: true };
  return { score: `${column} ${OPERATORS[options.metric ?? 'cosine']} $1`, descending: false };
}

/** How much of the true answer the index has; rows of equal score stand for each other. Both best first. */
function commonCount(exact: readonly number[], given: readonly number[]): number {
  const last = exact.at(-1);
  if (last === undefined) return 0;
  const least = last - TOLERANCE * Math.max(1, Math.abs(last));
  return Math.min(exact.length, given.filter((score) => score >= least).length);
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : Math.round(middle * 1000) / 1000;
}
