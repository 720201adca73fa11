/**
 * Why rows have their scores, as JSON: of a keyword arm its terms and their fields, of a semantic arm the passage
 * that is nearest to the query. For rows that are shown, never while they are searched for. docs/explain.md has the keys.
 */
import { present } from '../../assert.ts';
import { findIndex, indexedName } from '../../catalog/model.ts';
import type { Part, PreparedArm } from '../../engine/engine.ts';
import type { Arm, Scan } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { formatJsonb, jsonOf } from '../../types/json/json.ts';
import { textsAtPath } from '../../types/json/path-column.ts';
import { characterCount } from '../../types/text/text.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import { modelOf } from '../embedding/embeddings.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import { checkpoint, type Run } from '../state.ts';
import { constantsOf } from './arms.ts';

/** Terms of a row that are told one by one, those that contribute most. */
const TERMS_MAX = 50;
/** Rows explained between two looks at the clock. */
const ROWS_PER_TURN = 64;
/** Characters of a query that are repeated in the explanation. */
const QUERY_CHARACTERS = 100;
/** Digits of numbers: enough to add them up to the score. */
const DIGITS = 9;

type RowExplanation = NonNullable<Awaited<ReturnType<PreparedArm['explain']>>>[number];
type ExplainedTerm = Extract<RowExplanation, { kind: 'terms' }>['terms'][number];
type ExplainedField = ExplainedTerm['fields'][number];

/** A scan with its arms made ready. */
interface Explained {
  readonly plan: Scan;
  readonly arms: readonly (PreparedArm | null)[];
  readonly run: Run;
}

export type Json = Readonly<Record<string, unknown>>;

/** The column of an arm that explains: jsonb, NULL where the query is. */
export function* explanationColumn(
  source: Explained,
  arm: number,
  { part, rows }: { readonly part: Part; readonly rows: Uint32Array },
): Task<Vector> {
  const texts: (string | null)[] = [];
  const told = yield* explainArm(source, arm, { part, rows });
  for (const row of told) {
    texts.push(row && formatJsonb(jsonOf(row)));
    const pause = checkpoint(source.run);
    if (pause !== null) yield* wait(pause);
  }
  return vectorOf('text', texts);
}

/**
 * An arm's explanation of rows; null where its query is NULL.
 * @param rows ascending.
 */
export function* explainArm(
  { plan, arms, run }: Explained,
  index: number,
  { part, rows }: { readonly part: Part; readonly rows: Uint32Array },
): Task<readonly (Json | null)[]> {
  const arm = present(plan.arms[index], 'arm');
  const prepared = arms[index] ?? null;
  if (prepared === null) return Array.from(rows, () => null);
  const head = yield* headOf(arm, run);
  const told: (Json | null)[] = [];
  for (let from = 0; from < rows.length; from += ROWS_PER_TURN) {
    const some = rows.subarray(from, from + ROWS_PER_TURN);
    const scores = yield* wait(prepared.score(part, some, run.context.signal));
    const explained = yield* wait(prepared.explain(part, some, run.context.signal));
    const texts = yield* textsOf(arm, part, some, run);
    for (const [i, score] of scores.entries()) {
      const row = explained?.[i];
      const nearest = row?.kind === 'passage' && texts !== null ? { row, text: texts[i] ?? null } : null;
      const passage = nearest && (yield* passageOf(arm, nearest, run));
      const terms = row?.kind === 'terms' ? termsOf(row.terms, run) : null;
      told.push({ ...head, score: scoreOf(arm, score), ...terms, ...passage });
    }
    const pause = checkpoint(run);
    if (pause !== null) yield* wait(pause);
  }
  return told;
}

/** As the arm's column shows it: words that do not match score 0, a text without passages NULL. */
const scoreOf = ({ kind }: Arm, score: number): number | null =>
  Number.isNaN(score) ? (kind === 'keyword' ? 0 : null) : rounded(score);

export const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

/** The part that is the same for all rows. */
function* headOf(arm: Arm, run: Run): Task<Json> {
  if (arm.kind === 'vector') return { function: 'vector_distance', column: columnOf(arm.index, run) };
  if (arm.kind === 'embedding') return { function: 'embedding', column: columnOf(arm.index, run) };
  const query = queryText(yield* wait(evaluateConstant(arm.query, run)));
  if (arm.kind === 'semantic') {
    return { function: 'semantic_similarity', column: columnOf(arm.index, run), query };
  }
  const { b, k1 } = yield* constantsOf(arm, run);
  return { function: functionName(arm), query, b, k1 };
}

/** Signs are a way to write the query of `match`. */
const functionName = ({ operator }: Arm & { kind: 'keyword' }): string =>
  operator === 'web' || operator === 'web_signs' ? 'match' : operator;

function queryText(query: Datum): string {
  const text = typeof query === 'string' ? query : (query as ArrayDatum).elements.join(' ');
  const cut = text.length > QUERY_CHARACTERS ? `${text.slice(0, QUERY_CHARACTERS)}…` : text;
  return cut.toWellFormed();
}

function columnOf(index: number, { snapshot }: Run): string {
  const found = findIndex(snapshot.catalog, index);
  return found === undefined ? '' : indexedName(found.relation, found.index);
}

function termsOf(terms: readonly ExplainedTerm[], run: Run): Json {
  const most = [...terms].sort((a, b) => b.contribution - a.contribution);
  const others = most.slice(TERMS_MAX);
  const told = most.slice(0, TERMS_MAX).map(({ fields, averageLength, words, ...numbers }) => ({
    words: words.map((word) => word.toWellFormed()),
    ...numbersOf({ ...numbers, average_length: averageLength }),
    fields: fields.map((field) => fieldOf(field, run)),
  }));
  if (others.length === 0) return { terms: told };
  const contribution = rounded(others.reduce((sum, term) => sum + term.contribution, 0));
  return { terms: told, other_terms: { count: others.length, contribution } };
}

function fieldOf({ field, terms, averageLength, ...numbers }: ExplainedField, run: Run): Json {
  return {
    column: columnOf(field, run),
    terms: terms.map((term) => term.toWellFormed()),
    ...numbersOf({ ...numbers, average_length: averageLength }),
  };
}

const numbersOf = (numbers: Readonly<Record<string, number | null>>): Json =>
  Object.fromEntries(
    Object.entries(numbers).flatMap(([name, value]) => (value === null ? [] : [[name, rounded(value)]])),
  );

type Nearest = Extract<RowExplanation, { kind: 'passage' }>;

/** `substr(column, start, length)` is the passage. */
function* passageOf(
  arm: Arm,
  { row, text }: { readonly row: Nearest; readonly text: string | null },
  run: Run,
): Task<Json | null> {
  const { passage, count } = row;
  if (passage < 0) return null;
  const number = { number: passage + 1, of: count };
  if (text === null) return { passage: number };
  const [from, to] = count === 1 ? [0, text.length] : yield* spanOf(arm, text, passage, run);
  const start = 1 + characterCount(text.slice(0, from));
  return { passage: { ...number, start, length: characterCount(text.slice(from, to)) } };
}

function* spanOf(arm: Arm, text: string, passage: number, run: Run): Task<readonly [number, number]> {
  const found = present(indexOf(arm, run), 'index');
  const spans = yield* wait(modelOf(found.index, run.context.inference).passages(text));
  return [spans[2 * passage] ?? 0, spans[2 * passage + 1] ?? text.length];
}

const indexOf = (arm: Arm, { snapshot }: Run) =>
  arm.kind === 'keyword' ? undefined : findIndex(snapshot.catalog, arm.index);

/** The texts that a semantic arm is about, each null where its column holds none; null for other arms. */
function* textsOf(
  arm: Arm,
  part: Part,
  rows: Uint32Array,
  run: Run,
): Task<readonly (string | null)[] | null> {
  const index = indexOf(arm, run)?.index;
  if (index?.kind !== 'semantic') return null;
  const [stored] = yield* wait(part.readRows([index.columns[0] ?? 0], rows));
  const column = stored && textsAtPath(stored, index.path);
  return Array.from(rows, (_, i) => {
    const value = column?.get(i) ?? null;
    return typeof value === 'string' ? value : null;
  });
}
