/**
 * Subqueries in expressions. Each is run once for every combination of outer values it depends on (once in
 * all when there are none), and its result, or its failure, becomes one value a row.
 */
import { SqlError } from '../../errors.ts';
import { subPlan } from '../../physical/physical.ts';
import type { Expression, Subquery } from '../../plan/expression.ts';
import { visitFreeInExpression, visitFreeReferences } from '../../plan/free-references.ts';
import { expressionChildren } from '../../plan/walk.ts';
import { functionById } from '../../functions/registry.ts';
import { type Task, wait } from '../../task.ts';
import { arrayDatum, stackedArray } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import type { Batch, BoolVector, Vector } from '../../types/column/vector.ts';
import { columnsOf } from '../../plan/columns-read.ts';
import { type Deferred, ONE_ROW, type OuterRow } from './compiled.ts';
import { FailedValue } from './deferred.ts';
import { HeldRows } from '../held-rows.ts';
import { collect, eachBatch, type Run, withOuter } from '../state.ts';
import { evaluate } from './evaluate.ts';
import { callLater } from './later-call.ts';

/** Results kept for one correlated subquery. */
const MEMO_ENTRIES_MAX = 10_000;

/** One column of values (or `FailedValue`) for each part, row-aligned with the batch. */
export function* resolveDeferred(parts: readonly Deferred[], batch: Batch, run: Run): Task<Vector[]> {
  const columns: Vector[] = [];
  for (const part of parts) {
    const column =
      part.kind === 'subquery'
        ? yield* resolveSubquery(part, batch, run)
        : yield* wait(callLater(part, batch, run));
    columns.push(column);
  }
  return columns;
}

function* resolveSubquery(subquery: Subquery, batch: Batch, run: Run): Task<Vector> {
  const resolver = new Resolver(subquery, run);
  const values = new Array<Datum>(batch.length);
  for (let row = 0; row < batch.length; row++) {
    const result = yield* resolver.valueAt({ columns: batch.columns, row });
    values[row] = result as Datum;
  }
  return new ObjectVector(values);
}

interface Reference {
  readonly depth: number;
  readonly index: number;
}

class Resolver {
  readonly #subquery: Subquery;
  readonly #run: Run;
  readonly #planReferences: readonly Reference[];
  readonly #valueReferences: readonly Reference[];
  readonly #memo: Map<string, unknown>;

  constructor(subquery: Subquery, run: Run) {
    this.#subquery = subquery;
    this.#run = run;
    this.#planReferences = planReferences(subquery);
    this.#valueReferences = [...this.#planReferences, ...compareReferences(subquery)];
    let memo = run.memo.get(subquery);
    if (memo === undefined) {
      memo = new Map();
      run.memo.set(subquery, memo);
    }
    this.#memo = memo;
  }

  *valueAt(row: OuterRow): Task<unknown> {
    if (this.#valueReferences.length === this.#planReferences.length) {
      return yield* this.#remember(`v${this.#key(row, this.#planReferences)}`, () => this.#compute(row));
    }
    return yield* this.#compute(row);
  }

  #key(row: OuterRow, references: readonly Reference[]): string {
    const { outer } = this.#run.frame;
    let key = '';
    for (const { depth, index } of references) {
      const from = depth === 1 ? row : (outer[outer.length - depth + 1] as OuterRow);
      key += keyPart((from.columns[index] as Vector).get(from.row));
    }
    return key;
  }

  *#remember<T>(key: string, make: () => Task<T>): Task<T> {
    const known = this.#memo.get(key);
    if (known !== undefined) return known as T;
    const value = yield* make();
    if (this.#memo.size >= MEMO_ENTRIES_MAX) this.#forget();
    this.#memo.set(key, value);
    return value;
  }

  #forget(): void {
    for (const value of this.#memo.values()) {
      if (typeof value === 'object' && value !== null && 'held' in value)
        (value as SubqueryRows).held.clear();
    }
    this.#memo.clear();
  }

  *#compute(row: OuterRow): Task<unknown> {
    try {
      const { form } = this.#subquery;
      if (form === 'exists') return yield* this.#exists(row);
      if (form === 'scalar') return (yield* this.#scalar(row)) ?? null;
      const rows = yield* this.#remember(`r${this.#key(row, this.#planReferences)}`, () => this.#rows(row));
      if (form === 'array') return arrayOf(this.#subquery, rows);
      return yield* this.#compare(rows, row);
    } catch (error) {
      if (this.#run.context.signal.aborted) throw error;
      return new FailedValue(error);
    }
  }

  /** @param step true when no more batches are wanted. */
  #each(row: OuterRow, step: (batch: Batch) => boolean): Task<void> {
    return eachBatch(subPlan(this.#subquery), withOuter(this.#run, row), step);
  }

  *#exists(row: OuterRow): Task<boolean> {
    let found = false;
    yield* this.#each(row, ({ length }) => {
      found = length > 0;
      return found;
    });
    return found !== this.#subquery.negated;
  }

  *#scalar(row: OuterRow): Task<Datum> {
    let value: Datum = null;
    let found = false;
    yield* this.#each(row, (batch) => {
      if (batch.length === 0) return false;
      if (found || batch.length > 1) {
        throw new SqlError(
          'cardinality_violation',
          'more than one row returned by a subquery used as an expression',
        );
      }
      found = true;
      value = (batch.columns[0] as Vector).get(0);
      return false;
    });
    return value;
  }

  *#rows(row: OuterRow): Task<SubqueryRows> {
    const held = new HeldRows(this.#run.context.account);
    const batches = yield* collect(subPlan(this.#subquery), withOuter(this.#run, row), held);
    return { batches, sets: new Map(), held };
  }

  /** in, any: TRUE when one comparison is; all: FALSE when one comparison is. */
  *#compare(rows: SubqueryRows, row: OuterRow): Task<Datum> {
    const { compare, form, negated } = this.#subquery;
    const deciding = form !== 'all';
    const result =
      (form === 'in' || form === 'any') && compare !== null
        ? yield* this.#member(compare, rows, row)
        : yield* this.#scan(compare as Expression, rows, row, deciding);
    return result === null ? null : result !== negated;
  }

  *#scan(
    compare: Expression,
    { batches }: SubqueryRows,
    row: OuterRow,
    deciding: boolean,
  ): Task<boolean | null> {
    const run = withOuter(this.#run, row);
    let unknown = false;
    for (const batch of batches) {
      const vector = (yield* wait(evaluate(compare, batch, run))) as BoolVector;
      for (let i = 0; i < vector.length; i++) {
        const value = vector.get(i);
        if (value === deciding) return deciding;
        if (value === null) unknown = true;
      }
    }
    return unknown ? null : !deciding;
  }

  /** `outer value = column` is looked up in a set made once from the subquery's rows. */
  *#member(compare: Expression, rows: SubqueryRows, row: OuterRow): Task<boolean | null> {
    const equality = plainEquality(compare);
    if (equality === null) return yield* this.#scan(compare, rows, row, true);
    if (rows.batches.length === 0) return false;
    let set = rows.sets.get(compare);
    if (set === undefined) {
      set = keySet(rows.batches, equality.column, equality.hashKey);
      rows.sets.set(compare, set);
    }
    const run = withOuter(this.#run, row);
    const value = (yield* wait(evaluate(equality.outer, ONE_ROW, run))).get(0);
    if (value === null) return null;
    if (set.keys.has(equality.hashKey(value))) return true;
    return set.hasNull ? null : false;
  }
}

interface SubqueryRows {
  readonly batches: readonly Batch[];
  readonly sets: Map<Expression, KeySet>;
  readonly held: HeldRows;
}

interface KeySet {
  readonly keys: ReadonlySet<unknown>;
  readonly hasNull: boolean;
}

function keySet(batches: readonly Batch[], column: number, hashKey: (datum: Datum) => unknown): KeySet {
  const keys = new Set<unknown>();
  let hasNull = false;
  for (const batch of batches) {
    const vector = batch.columns[column] as Vector;
    for (let row = 0; row < batch.length; row++) {
      const value = vector.get(row);
      if (value === null) hasNull = true;
      else keys.add(hashKey(value));
    }
  }
  return { keys, hasNull };
}

function plainEquality(
  compare: Expression,
): { outer: Expression; column: number; hashKey: (datum: Datum) => unknown } | null {
  if (compare.kind !== 'call' || functionById(compare.function).name !== '=') return null;
  const [outer, column] = compare.args;
  if (outer === undefined || column?.kind !== 'column' || outer.type.oid !== column.type.oid) return null;
  const { hashKey } = typeByOid(outer.type.oid);
  if (hashKey === undefined || columnsOf(outer).size > 0 || hasSubquery(outer)) return null;
  return { outer, column: column.index, hashKey };
}

const hasSubquery = (expression: Expression): boolean =>
  expression.kind === 'subquery' || expressionChildren(expression).some(hasSubquery);

function arrayOf(subquery: Subquery, { batches }: SubqueryRows): Datum {
  const elements = batches.flatMap((batch) => {
    const vector = batch.columns[0] as Vector;
    return Array.from({ length: batch.length }, (_, row) => vector.get(row));
  });
  const nests = subquery.plan.output[0]?.type.oid === subquery.type.oid;
  if (nests && elements.length > 0) return stackedArray(elements as readonly (ArrayDatum | null)[]);
  return arrayDatum(typeByOid(subquery.type.oid).elementOid ?? 0, elements);
}

function planReferences(subquery: Subquery): Reference[] {
  const found = new Map<string, Reference>();
  visitFreeReferences(subquery.plan, (depth, index) => found.set(`${depth}.${index}`, { depth, index }));
  return [...found.values()];
}

function compareReferences(subquery: Subquery): Reference[] {
  const found: Reference[] = [];
  const { compare } = subquery;
  if (compare !== null) visitFreeInExpression(compare, (depth, index) => found.push({ depth, index }));
  return found;
}

/** Distinct text for distinct values: the kind, the length, the value. */
export function keyPart(datum: Datum): string {
  if (datum === null) return 'n;';
  const text =
    typeof datum === 'object'
      ? JSON.stringify(datum, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))
      : String(datum);
  return `${typeof datum}${text.length}:${text};`;
}
