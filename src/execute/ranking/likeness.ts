/**
 * `more_like()`: what its arms ask follows from examples, rows of the relation and a text. Of meaning it is the mean of
 * their vectors, less half of that of the counter-examples (Rocchio, "Relevance Feedback in Information Retrieval", 1971); of
 * words the most telling ones (`telling-words.ts`). Stored vectors are read, only the text is embedded.
 */
import { present } from '../../assert.ts';
import { columnByAttribute, findIndex, type Index, primaryKey } from '../../catalog/model.ts';
import type { Part, PreparedArm, RowAddress } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { DOCUMENT_BYTES_MAX, LIKE_IDS_MAX } from '../../limits.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Arm, Fusion, Likeness, Scan } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { textsAtPath } from '../../types/json/path-column.ts';
import { OID } from '../../types/oids.ts';
import { modelOf } from '../embedding/embeddings.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import { Pace } from '../pace.ts';
import { readAddresses } from '../scan/stored-rows.ts';
import { checkpoint, type Run } from '../state.ts';
import { keywordRequest } from '../arms/arms.ts';
import { documentVector, documentVectors } from '../arms/document-vectors.ts';
import { AGAINST, tellingWords } from './telling-words.ts';
import { atUnitLength } from '../arms/unit-vectors.ts';

/** Rows, and a text beside them. */
interface Examples {
  readonly rows: readonly RowAddress[];
  readonly text: string | null;
}

/** Rows that are no answer, by part. */
export type LeftOut = ReadonlyMap<Part, ReadonlySet<number>>;

/** Rows whose texts are read in one turn. */
const ROWS_A_TURN = 256;
/** Looked up in one turn. */
const KEYS_A_TURN = 32;
/** Keys that an error names. */
const NAMED_MAX = 5;

/**
 * @param arms of the scan; those that are fused are put in place.
 * @throws SqlError P0002 for keys that no row has; 54000.
 */
export function* likeArms(
  { arms: fused, like: asked }: Fusion & { readonly like: Likeness },
  scan: Scan,
  arms: readonly (PreparedArm | null)[],
  run: Run,
): Task<{ readonly arms: readonly (PreparedArm | null)[]; readonly leftOut: LeftOut }> {
  const like = yield* examplesOf(scan, asked.ids, asked.text, run);
  const unlike = yield* examplesOf(scan, asked.notIds, asked.notText, run);
  const own = [...arms];
  const isAsked = like.rows.length > 0 || like.text !== null;
  for (const { score } of isAsked ? fused : []) {
    const place = score.kind === 'column' ? score.index - scan.columns.length : -1;
    const arm = present(scan.arms[place], 'arm');
    const request = yield* requestOf(scan, arm, { like, unlike }, run);
    own[place] = request && (yield* wait(run.snapshot.prepare(scan.relation, scan.partition, request)));
  }
  return { arms: own, leftOut: byPart([...like.rows, ...unlike.rows]) };
}

function byPart(rows: readonly RowAddress[]): LeftOut {
  const parts = new Map<Part, Set<number>>();
  for (const { part, row } of rows) parts.set(part, (parts.get(part) ?? new Set()).add(row));
  return parts;
}

function* examplesOf(scan: Scan, ids: Expression | null, text: Expression | null, run: Run): Task<Examples> {
  const keys = ids === null ? null : ((yield* wait(evaluateConstant(ids, run))) as ArrayDatum | null);
  const given = text === null ? null : ((yield* wait(evaluateConstant(text, run))) as string | null);
  if (given !== null) checkSize(given);
  const wanted = (keys?.elements ?? []).filter((key) => key !== null);
  return { rows: yield* rowsOf(scan, wanted, run), text: given };
}

/** As large as a document may be. */
function checkSize(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= DOCUMENT_BYTES_MAX) return;
  const message = `text of ${bytes} bytes is larger than the maximum of ${DOCUMENT_BYTES_MAX}`;
  throw new SqlError('program_limit_exceeded', message, { hint: 'Give its most telling part.' });
}

/** Each once. */
function* rowsOf(scan: Scan, keys: readonly Datum[], run: Run): Task<readonly RowAddress[]> {
  if (keys.length > LIKE_IDS_MAX) {
    const message = `more_like takes at most ${LIKE_IDS_MAX} keys, not ${keys.length}`;
    throw new SqlError('program_limit_exceeded', message, { hint: 'Give fewer examples.' });
  }
  const relation = present(run.snapshot.catalog.relations.get(scan.relation), 'relation');
  const pace = new Pace(run, KEYS_A_TURN);
  // Rows found from now on are in these.
  run.snapshot.parts(scan.relation, scan.partition, true);
  const rows = new Map<number, RowAddress>();
  const missing: Datum[] = [];
  for (const key of keys) {
    const index = present(primaryKey(relation), 'primary key').oid;
    const row = run.snapshot.lookup(scan.relation, scan.partition, index, [key]);
    if (row === null) missing.push(key);
    else rows.set(row.rowNumber, row);
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
  }
  if (missing.length > 0) throw noSuchRows(relation.name, missing);
  return [...rows.values()];
}

function noSuchRows(relation: string, missing: readonly Datum[]): SqlError {
  const named = missing.slice(0, NAMED_MAX).map((key) => `"${String(key)}"`);
  const more = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : '';
  const keys = missing.length === 1 ? 'key' : 'keys';
  const message = `no row of "${relation}" has the ${keys} ${named.join(', ')}${more}`;
  return new SqlError('no_data_found', message, {
    hint: "A text is given by name: more_like('…', text => '…').",
  });
}

interface Asked {
  readonly like: Examples;
  readonly unlike: Examples;
}

/** Null: the examples say nothing to the arm. */
function* requestOf(scan: Scan, arm: Arm, { like, unlike }: Asked, run: Run) {
  if (arm.kind === 'keyword') {
    const indexes = arm.indexes.map((oid) => present(findIndex(run.snapshot.catalog, oid), 'index').index);
    const texts = { like: textsOf(scan, like, run), unlike: textsOf(scan, unlike, run) };
    const words = yield* tellingWords(scan, indexes, texts, run);
    return yield* keywordRequest(scan, arm, arrayDatum(OID.text, [...words]), run);
  }
  if (arm.kind !== 'semantic') return null;
  const query = yield* queryVector(scan, arm.index, { like, unlike }, run);
  if (query === null) return null;
  return { kind: 'vector', index: arm.index, query, value: 'metric', ef: run.context.efSearch } as const;
}

function* queryVector(scan: Scan, oid: number, { like, unlike }: Asked, run: Run): Task<Float32Array | null> {
  run.snapshot.requireIndex(scan.relation, oid);
  const { index } = present(findIndex(run.snapshot.catalog, oid), `index ${oid}`);
  const wanted = yield* meanOf(index, like, run);
  const unwanted = yield* meanOf(index, unlike, run);
  if (wanted === null || unwanted === null) return wanted && atUnitLength(wanted);
  return atUnitLength(wanted.map((x, i) => x - AGAINST * (unwanted[i] as number)));
}

/** Mean of the examples' vectors; null: they have none. */
function* meanOf(index: Index, { rows, text }: Examples, run: Run): Task<Float64Array | null> {
  let sum: Float64Array | null = null;
  let count = 0;
  const add = (vector: Float32Array | null): void => {
    if (vector === null) return;
    sum ??= new Float64Array(vector.length);
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (vector[i] as number);
    count++;
  };
  for (const [part, own] of byPart(rows)) {
    const places = Uint32Array.from(own).sort();
    for (const vector of yield* documentVectors(part, index.oid, places, run)) add(vector);
  }
  if (text !== null) {
    const model = modelOf(index, run.context.inference);
    const { signal, sender } = run.context;
    const [embedded] = yield* wait(model.embedDocuments([text], signal, sender));
    if (embedded !== undefined && embedded.count > 0) add(documentVector(embedded));
  }
  return (sum as Float64Array | null)?.map((x) => x / count) ?? null;
}

/** Texts of a column of the examples, with the text beside them. */
function textsOf({ relation }: Scan, { rows, text }: Examples, run: Run) {
  return function* (index: Index): Task<readonly string[]> {
    const texts: string[] = text === null ? [] : [text];
    const [attribute = 0] = index.columns;
    const described = present(run.snapshot.catalog.relations.get(relation), 'relation');
    const { type } = present(columnByAttribute(described, attribute), 'column');
    for (let from = 0; from < rows.length; from += ROWS_A_TURN) {
      const some = rows.slice(from, from + ROWS_A_TURN);
      const [column] = yield* readAddresses(some, [{ attribute, type }]);
      const read = column && textsAtPath(column, index.path);
      for (let i = 0; i < some.length; i++) texts.push(textOf(read?.get(i) ?? null));
      const pause = checkpoint(run);
      if (pause !== null) yield* wait(pause);
    }
    return texts;
  };
}

function textOf(value: Datum): string {
  if (value === null || typeof value === 'string') return value ?? '';
  return (value as ArrayDatum).elements.join(' ');
}
