/**
 * INSERT: values typed by their target columns, defaults, columns that no document has had yet, and ON
 * CONFLICT. A collection without ON CONFLICT replaces documents of the same `_id`.
 */
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import { present } from '../../../assert.ts';
import { type Column, liveColumns, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Assignment } from '../../../plan/plan.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Expr, InsertStatement, Subscript, ValuesQuery } from '../../ast.ts';
import { firstRow, listedRows } from '../../map/constant-rows.ts';
import { bindConflict } from './conflict.ts';
import {
  type Draft,
  type DraftColumn,
  type Expression,
  type InsertDraft,
  literal,
  ONE_ROW,
  type Plan,
  project,
  reference,
  UNKNOWN,
} from '../draft.ts';
import { bindExpression, bindQuery, type QueryScope } from '../context.ts';
import { type Undeclared, undeclaredTypes } from './insert-undeclared.ts';
import { storedRelation } from '../names.ts';
import { convertColumns } from '../query/convert-columns.ts';
import { bindMetRows, bindRowRules } from './row-rules.ts';
import {
  assigned,
  bindReturning,
  checkWritable,
  defaultOf,
  newRowIds,
  type WrittenColumn,
  writtenColumn,
} from './returning.ts';
import { type Level, newLevel } from '../level.ts';
import { newId, type State } from '../state.ts';
import { assignElements, elementValue } from '../expression/subscripts.ts';
import { insertedShapes } from './insert-constants.ts';
import { rowWidth, valuesLevel } from '../query/values.ts';
import { bindWith } from '../query/with.ts';
import {
  refuseBlocked,
  relationTarget,
  wantOnTarget,
  wantTargetColumn,
  type WriteTarget,
  writeTarget,
} from './write-target.ts';

/** Target of the rows: one entry per column of the input. */
export interface Target extends WrittenColumn {
  readonly at: number;
  /** Subscripts in brackets in `a[1]`: only that element is given. */
  readonly subscripts?: readonly Subscript[];
}

export interface Source {
  readonly plan: Plan;
  readonly targets: readonly Target[];
}

export function bindInsert(scope: QueryScope, statement: InsertStatement): Plan {
  const { state } = scope;
  const into = statement.fills
    ? filledTarget(state, statement)
    : writeTarget(state, statement.relation, 'insert');
  const prepared = bindWith(scope, statement.with);
  const named = namedTargets(into, statement);
  const bound = withColumns(into, named, () => bindSource(prepared.scope, statement, { into, named }));
  const given = wholeColumns(prepared.scope, bound);
  const source = withoutOverridden(scope.state, given, statement);
  return prepared.wrap(insertPlan(prepared.scope, statement, into, source));
}

/** The relation that CREATE TABLE AS and REFRESH fill, which have made it, or asked for it. */
const filledTarget = ({ context }: State, { relation }: InsertStatement): WriteTarget =>
  relationTarget(storedRelation(context, relation), relation, { verb: 'insert', use: null });

/** Who gives no columns may not know of `_id`, which a collection has first. */
function withColumns(into: WriteTarget, named: readonly Target[] | null, bind: () => Source): Source {
  try {
    return bind();
  } catch (error) {
    const names = into.columns.map(({ name }) => name);
    const isTold = error instanceof SqlError && error.fields.hint === undefined;
    if (!isTold || named !== null || names[0] !== '_id') throw error;
    throw new SqlError(error.condition, error.message, {
      ...error.fields,
      hint: `The columns are ${names.join(', ')}: name those that you give, (${names.slice(1).join(', ')}) say.`,
    });
  }
}

/** The node that writes the source's rows. */
export function insertPlan(
  scope: QueryScope,
  statement: InsertStatement,
  into: WriteTarget,
  source: Source,
  reads = statement.returning !== null,
): InsertDraft {
  const { state } = scope;
  const { relation } = into;
  wantOnTarget(into, PRIVILEGE.insert);
  for (const { name } of source.targets) wantTargetColumn(into, PRIVILEGE.insert, name);
  const split = splitColumns(state, relation, source);
  const rowIds = newRowIds(state, liveColumns(relation).length);
  const added = split.undeclared.map((column) => ({ ...column, id: newId(state) }));
  const conflict = bindConflict(scope, statement, into);
  // A document of the same `_id` is replaced.
  if (conflict.conflict.action === 'replace') wantOnTarget(into, PRIVILEGE.update);
  const level = newLevel(state, null, scope.commonTables);
  const replacedId = conflict.conflict.action === 'replace' ? undefined : newId(state);
  const row = {
    target: into,
    name: statement.relation,
    alias: statement.alias,
    rowIds,
    undeclared: added.map(({ name, id, type }) => ({ name, expression: reference(id, type) })),
    ...(replacedId !== undefined && { replacedId }),
  };
  const { returning, output } = bindReturning(level, statement.returning, { row, others: [] });
  return {
    kind: 'insert',
    relation: relation.oid,
    partition: into.partition,
    input: split.plan,
    columns: split.columns,
    undeclared: split.undeclared,
    defaults: bindDefaults(state, into, split.columns),
    conflict: conflict.conflict,
    met: changesMet(conflict.conflict) ? bindMetRows(state, into, rowIds) : null,
    rules: bindRowRules(state, into, rowIds, { command: 'insert', reads }),
    returning,
    output,
    rowIds: [
      ...rowIds,
      ...added.map((column) => column.id),
      ...(replacedId === undefined ? [] : [replacedId]),
    ],
    existingIds: conflict.existingIds,
    proposedIds: conflict.proposedIds,
  };
}

const changesMet = ({ action }: InsertDraft['conflict']): boolean =>
  action === 'update' || action === 'replace';

/** The columns as written, or null without a list. @throws SqlError 42703, 42701. */
export function namedTargets(
  into: WriteTarget,
  statement: Pick<InsertStatement, 'columns'>,
): readonly Target[] | null {
  if (!statement.columns) return null;
  const seen = new Map<string, boolean>();
  return statement.columns.map(({ name, at, subscripts }) => {
    const inElements = subscripts.length > 0;
    if (seen.has(name) && !(inElements && seen.get(name))) {
      throw new SqlError('duplicate_column', `column "${name}" specified more than once`, { position: at });
    }
    seen.set(name, inElements);
    return { ...writtenColumn(into, name, at), at, ...(inElements && { subscripts }) };
  });
}

interface TargetValue {
  readonly target: Target;
  readonly value: Expression;
}

/** A value for each column: those of its elements put together, over an array without any. */
export function combined(
  level: Level,
  targets: readonly Target[],
  given: readonly Expression[],
): readonly TargetValue[] {
  const values = new Map<string, TargetValue>();
  for (const [i, target] of targets.entries()) {
    const value = present(given[i], 'value of a column');
    const { name, column, at, subscripts: steps } = target;
    if (!steps || !column) {
      values.set(name, { target, value });
      continue;
    }
    const base = values.get(name)?.value ?? literal(null, column.type);
    const made = assignElements(level, { column: name, base, steps, value, at });
    values.set(name, { target: { name, column, at }, value: made });
  }
  return [...values.values()];
}

function wholeColumns(scope: QueryScope, source: Source): Source {
  const { plan, targets } = source;
  if (targets.every(({ subscripts }) => subscripts === undefined)) return source;
  const given = plan.output.map(({ id, type }) => reference(id, type));
  const columns = combined(valuesLevel(scope), targets, given);
  const output = columns.map(({ target, value }): DraftColumn => {
    return { id: newId(scope.state), name: target.name, type: value.type, relation: 0, attribute: 0 };
  });
  const expressions = columns.map(({ value }) => value);
  return { plan: project(plan, expressions, output), targets: columns.map(({ target }) => target) };
}

interface Into {
  readonly into: WriteTarget;
  readonly named: readonly Target[] | null;
}

function bindSource(scope: QueryScope, statement: InsertStatement, into: Into): Source {
  const { source } = statement;
  if (!source) return { plan: ONE_ROW, targets: [] };
  const bare = !source.with && source.order.length === 0 && !source.limit && !source.offset;
  if (source.kind === 'values' && bare) return bindRows(scope, source, { ...into, statement });
  const query = bindQuery(scope, source, { keepUnknown: true });
  const targets = targetsFor(into, query.columns.length, source.at);
  for (const target of targets) checkOverride(target, statement);
  const typed = convertColumns(scope.state, query.plan, (expression, i) => {
    const target = present(targets[i], 'target of a column');
    return target.column && !target.column.undeclared && !target.subscripts
      ? assigned(scope.state, expression, target.column)
      : expression;
  });
  return { plan: typed, targets };
}

/** @throws SqlError 42601 when the numbers of expressions and columns differ. */
export function targetsFor({ into, named }: Into, width: number, at: number): readonly Target[] {
  const all = named ?? into.columns.map((column) => ({ ...column, at: 0 }));
  if (width > all.length) {
    const position = at || undefined;
    throw new SqlError('syntax_error', 'INSERT has more expressions than target columns', { position });
  }
  if (named && width < all.length) {
    throw new SqlError('syntax_error', 'INSERT has more target columns than expressions', {
      position: all[width]?.at || undefined,
    });
  }
  const targets = all.slice(0, width);
  for (const target of named ? [] : into.columns.slice(0, width)) refuseBlocked(target, into.verb);
  return targets;
}

type Overriding = Pick<InsertStatement, 'overriding'>;

function checkOverride({ column }: Target, { overriding }: Overriding): void {
  if (column && (column.generatedText !== null || overriding === null)) checkWritable(column, 'insert');
}

/** OVERRIDING USER VALUE: what is given for identity columns is left out. */
export function withoutOverridden(state: State, source: Source, { overriding }: Overriding): Source {
  if (overriding !== 'user') return source;
  const kept = [...source.targets.keys()].filter((i) => !source.targets[i]?.column?.identity);
  const targets = kept.map((i) => present(source.targets[i], 'target'));
  return { plan: arrange(state, source.plan, kept), targets };
}

function bindRows(
  scope: QueryScope,
  query: ValuesQuery,
  into: Into & { readonly statement: InsertStatement },
): Source {
  const { state } = scope;
  const position = firstRow(query.rows)[targetCount(into)]?.at ?? query.at;
  const targets = targetsFor(into, rowWidth(query.rows), position);
  const { statement } = into;
  const level = valuesLevel(scope);
  const bind = (expr: Expr, target: Target): Expression => insertedValue(level, expr, target, statement);
  if (state.trace === null && 'cells' in query.rows)
    return insertedShapes(level, query.rows, { targets, bind });
  const rows = listedRows(query.rows).map((row) =>
    row.map((expr, i) => bind(expr, present(targets[i], 'target of a value'))),
  );
  const output = targets.map((target, i): DraftColumn => {
    const own = target.subscripts ? undefined : target.column?.type;
    const type: TypeRef = own ?? rows[0]?.[i]?.type ?? UNKNOWN;
    return { id: newId(state), name: target.name, type, relation: 0, attribute: 0 };
  });
  return { plan: { kind: 'values', rows, output }, targets };
}

/** A value of a list, typed by its column. */
export function insertedValue(
  level: Level,
  expr: Expr,
  target: Target,
  statement: Pick<InsertStatement, 'overriding'>,
): Expression {
  const { state } = level;
  if (expr.kind === 'default') {
    if (target.subscripts) {
      const message = 'cannot set an array element to DEFAULT';
      throw new SqlError('feature_not_supported', message, { position: target.at });
    }
    return target.column ? defaultOf(state, target.column) : { kind: 'literal', value: null, type: UNKNOWN };
  }
  checkOverride(target, statement);
  const bound = bindExpression(level, expr);
  const { subscripts: steps, column, at } = target;
  if (steps && column) {
    const base = literal(null, column.type);
    return elementValue(level, { column: column.name, base, steps, value: bound, at });
  }
  return target.column && !target.column.undeclared ? assigned(state, bound, target.column) : bound;
}

function targetCount({ into, named }: Into): number {
  return named?.length ?? into.columns.length;
}

interface Split {
  readonly plan: Plan;
  /** Attribute numbers of the input's first columns. */
  readonly columns: readonly number[];
  /** The input's further columns. */
  readonly undeclared: readonly { readonly name: string; readonly type: TypeRef }[];
}

/** Declared columns first, then those that are new or of another type than seen so far. */
function splitColumns(state: State, relation: Relation, source: Source): Split {
  const { targets } = source;
  const loose = targets.flatMap((target, i): readonly Undeclared[] => {
    return !target.column || target.column.undeclared ? [{ ...target, position: i }] : [];
  });
  if (loose.length === 0) {
    return {
      plan: source.plan,
      columns: targets.map((target) => attributeOf(target.column)),
      undeclared: [],
    };
  }
  const { plan, types } = undeclaredTypes(state, relation, { plan: source.plan, loose });
  const written = targets.map((target, i) => ({ target, i, type: types.get(i) }));
  const wanted = written.filter(({ type }) => type !== null);
  const asIs = wanted.filter(
    ({ target, type }) => target.column && (!type || type.oid === target.column.type.oid),
  );
  const added = wanted.filter((entry) => !asIs.includes(entry));
  return {
    plan: arrange(
      state,
      plan,
      [...asIs, ...added].map(({ i }) => i),
    ),
    columns: asIs.map(({ target }) => attributeOf(target.column)),
    undeclared: added.map(({ target, type }) => ({
      name: target.name,
      type: present(type, 'type of a column'),
    })),
  };
}

function attributeOf(column: Column | null): number {
  return present(column, 'column').attribute;
}

/** The plan with its columns at these positions, in this order. */
function arrange(state: State, plan: Plan, positions: readonly number[]): Plan {
  const columns = plan.output;
  const same = positions.length === columns.length && positions.every((position, i) => position === i);
  if (same) return plan;
  const chosen = positions.map((position) => present(columns[position], 'column of the input'));
  if (plan.kind === 'values') {
    const rows = plan.rows.map((row) => positions.map((position) => present(row[position], 'value')));
    return { ...plan, rows, output: chosen };
  }
  const expressions = chosen.map((column) => reference(column.id, column.type));
  return project(
    plan,
    expressions,
    chosen.map((column) => ({ ...column, id: newId(state) })),
  );
}

function bindDefaults(
  state: State,
  into: WriteTarget,
  given: readonly number[],
): readonly Assignment<Draft>[] {
  const named = new Map(into.columns.map(({ column }) => [column?.attribute, column]));
  const columns = liveColumns(into.relation).map((column) => named.get(column.attribute) ?? column);
  const missing = columns.filter((column) => !given.includes(column.attribute));
  return missing
    .filter((column) => column.defaultText !== null)
    .map((column) => ({ column: column.attribute, value: defaultOf(state, column) }));
}
