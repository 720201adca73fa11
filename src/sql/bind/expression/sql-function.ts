/**
 * Calls of users' functions in SQL. The plan stays data: a body that is one expression takes the call's place,
 * any other becomes a subquery (in FROM a lateral one).
 */
import { present } from '../../../assert.ts';
import { notSupported } from '../../../errors.ts';
import type { Resolution } from '../../../functions/resolve.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import { arrayTypeOf } from './coerce.ts';
import {
  and,
  BIGINT,
  branch,
  type DraftColumn,
  type Expression,
  filter,
  isNull,
  limit,
  literal,
  ONE_ROW,
  or,
  type Plan,
  project,
  reference,
  sameExpression,
  TRUE,
} from '../draft.ts';
import { join } from '../query/from-item.ts';
import { bindBody, type BoundBody, type SqlCall } from './function-body.ts';
import type { Level } from '../level.ts';
import { newId, type State } from '../state.ts';
import { isVolatile } from '../../../plan/volatile.ts';
import { SQL_FUNCTION_ID } from './candidates.ts';

// ───────────────────────────── names ─────────────────────────────

/** @param args in declared order. */
export function sqlCall(
  state: State,
  resolution: Resolution,
  args: readonly Expression[],
  at: number,
): SqlCall {
  const oid = Number(SQL_FUNCTION_ID.exec(resolution.id)?.[1]);
  const definition = present(state.context.catalog.functions.get(oid), `function ${oid}`);
  return { definition, args, columns: resolution.setColumns ?? null, at };
}

// ───────────────────────────── in expressions ─────────────────────────────

/** A call that gives one value, or a set of them in the select list. */
export function bindSqlFunction(level: Level, call: SqlCall): Expression {
  const { state } = level;
  const { definition, args } = call;
  const same = ({ function: oid, args: others }: State['sqlCalls'][number]): boolean =>
    oid === definition.oid && sameExpression(args, others);
  const known = definition.set ? undefined : state.sqlCalls.find(same);
  if (known) return { ...known.expression, at: call.at };
  const body = bindBody(state, call);
  const expression = {
    ...(definition.set ? bindSet(level, call, body) : bindValue(call, body)),
    at: call.at,
  };
  if (!isVolatile(expression)) state.sqlCalls.push({ function: definition.oid, args, expression });
  return expression;
}

function bindValue(call: SqlCall, body: BoundBody): Expression {
  const { definition, args } = call;
  const columns = body.plan.output;
  const single =
    columns.length === 1 && definition.returns.oid !== OID.record && definition.returnsRelation === 0;
  const inlined = body.before === null ? onlyExpressions(body.plan) : undefined;
  const nullable = definition.strict ? args.filter((arg) => !isConstant(arg)) : [];
  if (!single) return rowValue(call, inlined, nullable.length > 0);
  const type = columns[0]?.type ?? definition.returns;
  const [value] = inlined ?? [];
  if (value === undefined) return scalarSubquery(call, body);
  if (definition.strict && args.some(isNullLiteral)) return literal(null, type);
  if (nullable.length === 0) return value;
  const branches = [branch(or(nullable.map((arg) => isNull(arg))), literal(null, type))];
  return { kind: 'case', branches, otherwise: value, type };
}

const isNullLiteral = (arg: Expression): boolean => arg.kind === 'literal' && arg.value === null;
const isConstant = (arg: Expression): boolean => arg.kind === 'literal' && arg.value !== null;

/** The select list of a query without FROM, WHERE and the like. */
function onlyExpressions(plan: Plan): readonly Expression[] | undefined {
  if (plan.kind !== 'project' || plan.sets.length > 0) return undefined;
  return plan.input === ONE_ROW ? plan.expressions : undefined;
}

function rowValue(
  { definition, columns, at }: SqlCall,
  fields: readonly Expression[] | undefined,
  nullable: boolean,
): Expression {
  if (fields === undefined || nullable) {
    throw notSupported(`the row of function ${definition.name} outside FROM`, { position: at });
  }
  const names = columns?.map(({ name }) => name) ?? fields.map((_, i) => `f${i + 1}`);
  return { kind: 'row', fields, names, type: { oid: OID.record, modifier: -1 } };
}

function scalarSubquery(call: SqlCall, body: BoundBody): Expression {
  const plan = resultRows(call, { ...body, plan: firstRow(body.plan) });
  const [column] = body.plan.output.map(({ type }) => type);
  return {
    kind: 'subquery',
    form: 'scalar',
    plan,
    negated: false,
    compare: null,
    correlated: isVolatile(plan),
    type: column ?? call.definition.returns,
  };
}

const firstRow = (plan: Plan): Plan => limit(plan, { count: literal(1n, BIGINT), offset: null, ties: null });

/** The rows of a body: none when the function is strict and an argument NULL. Output: the body's columns. */
function resultRows({ definition, args }: SqlCall, { plan, before, values }: BoundBody): Plan {
  const tested = definition.strict ? values.filter((_, i) => !isConstant(args[i] ?? TRUE)) : [];
  if (before === null && tested.length === 0) return plan;
  const row = before ?? ONE_ROW;
  const called = tested.length === 0 ? row : filter(row, and(tested.map((value) => isNull(value, true))));
  const columns = plan.output;
  const joined = join('cross', called, plan, null);
  return project(
    joined,
    columns.map(({ id, type }) => reference(id, type)),
    columns,
  );
}

/** A set in the select list: the rows as an array, taken apart again beside the others. */
function bindSet(level: Level, call: SqlCall, body: BoundBody): Expression {
  const { definition, at } = call;
  const columns = body.plan.output;
  const type = columns[0]?.type ?? definition.returns;
  const nested = findTypeByOid(type.oid)?.elementOid;
  if (columns.length !== 1 || nested) {
    throw notSupported(`the rows of function ${definition.name} outside FROM`, { position: at });
  }
  const array: Expression = {
    kind: 'subquery',
    form: 'array',
    plan: resultRows(call, body),
    negated: false,
    compare: null,
    correlated: false,
    type: arrayTypeOf(type, at),
  };
  const id = newId(level.state);
  const { name } = definition;
  level.sets.push({ id, function: 'unnest(anyarray)', args: [array], type, fields: null, name });
  return reference(id, type, at);
}

// ───────────────────────────── in FROM ─────────────────────────────

/** A call in FROM that gives rows, or one row of several columns. */
export function sqlFunctionRows(level: Level, call: SqlCall): Plan {
  const { state } = level;
  const body = bindBody(state, call);
  if (call.definition.set) return namedRows(state, call, resultRows(call, body));
  if (body.before === null && !call.definition.strict && onlyExpressions(body.plan)) {
    return namedRows(state, call, body.plan);
  }
  // One row always: of NULLs where the body gives none.
  const rows = resultRows(call, { ...body, plan: firstRow(body.plan) });
  const columns = rows.output;
  const joined = join('left', ONE_ROW, rows, TRUE);
  const plan = project(
    joined,
    columns.map(({ id, type }) => reference(id, type)),
    columns,
  );
  return namedRows(state, call, plan);
}

/** The rows under the names that the function declares, each column with an id of its own. */
function namedRows(state: State, { columns }: SqlCall, plan: Plan): Plan {
  const given = plan.output;
  const output = given.map(({ name, type }, i): DraftColumn => {
    return { id: newId(state), name: columns?.[i]?.name ?? name, type, relation: 0, attribute: 0 };
  });
  return project(
    plan,
    given.map(({ id, type }) => reference(id, type)),
    output,
  );
}
