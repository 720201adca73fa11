/**
 * The body of a function in SQL, bound where the function is called: its arguments are names and parameters
 * that stand for the call's expressions. Follows PostgreSQL's functions.c (init_sql_fcache,
 * check_sql_fn_retval) and clauses.c (inline_function).
 */
import type { SqlFunction } from '../../../catalog/model.ts';
import { functionSignature, inputArguments } from '../../../catalog/functions.ts';
import { isVolatile } from '../../../plan/volatile.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Query } from '../../ast.ts';
import { parseExpression, parseStatements } from '../../parse/parse.ts';
import { coerce } from './coerce.ts';
import { type DraftColumn, type Expression, literal, ONE_ROW, type Plan, reference } from '../draft.ts';
import { bindQuery } from '../context.ts';
import { convertColumns } from '../query/convert-columns.ts';
import { newLevel, type ScopeColumn } from '../level.ts';
import { inBody, useFunction } from '../rights.ts';
import { newId, type State, typeOnly } from '../state.ts';
import type { NamedType } from './candidates.ts';

export interface SqlCall {
  readonly definition: SqlFunction;
  /** One for each input argument, of its type. */
  readonly args: readonly Expression[];
  /** The declared result; null for `record`, whose columns the body says. */
  readonly columns: readonly NamedType[] | null;
  readonly at: number;
}

export interface BoundBody {
  readonly plan: Plan;
  /** One row of the arguments that the body reads; null when it reads them where they stand in the call. */
  readonly before: Plan | null;
  /** Arguments that the body reads, in order. */
  readonly values: readonly Expression[];
}

/**
 * Above this an argument is computed once, in a row before the body, and not wherever the body names it.
 * PostgreSQL's bound is ten operators.
 */
const CHEAP_NODES_COUNT_MAX = 10;

/** @throws SqlError of the body without positions, 54001 for a function that calls itself, 42P13. */
export function bindBody(
  state: State,
  call: SqlCall,
  { keepPositions = false }: { readonly keepPositions?: boolean } = {},
): BoundBody {
  const { definition, args } = call;
  const direct = args.every((arg) => nodeCount(arg) <= CHEAP_NODES_COUNT_MAX && !isVolatile(arg));
  const columns = inputArguments(definition).map(({ name, type }, i): DraftColumn => {
    return {
      id: newId(state),
      name: name ?? '',
      type: args[i]?.type ?? type,
      relation: 0,
      attribute: 0,
    };
  });
  const values = direct ? args : columns.map((column) => reference(column.id, column.type));
  const plan = inFunction(state, { definition, values, keepPositions }, () => resultPlan(state, call));
  return { plan, before: direct ? null : { kind: 'values', rows: [args], output: columns }, values };
}

function nodeCount(expression: Expression): number {
  if (expression.kind === 'subquery') return Number.POSITIVE_INFINITY;
  if (expression.kind === 'literal') return 1;
  let count = 1;
  for (const value of Object.values(expression)) {
    for (const part of Array.isArray(value) ? value : [value]) {
      if (typeof part !== 'object' || part === null) continue;
      if ('kind' in part && 'type' in part) count += nodeCount(part as Expression);
      else if ('when' in part)
        count += nodeCount(part.when as Expression) + nodeCount(part.then as Expression);
    }
  }
  return count;
}

function inFunction<T>(
  state: State,
  inside: {
    readonly definition: SqlFunction;
    readonly values: readonly Expression[];
    readonly keepPositions: boolean;
  },
  bind: () => T,
): T {
  const { definition, values } = inside;
  if (state.functions.includes(definition.oid)) {
    throw new SqlError('statement_too_complex', 'stack depth limit exceeded', {
      detail: `Function ${functionSignature(state.context, definition)} calls itself.`,
      hint: 'Write the recursion with WITH RECURSIVE.',
    });
  }
  const before = state.functionArguments;
  state.functionsUsed.add(definition.oid);
  state.functions.push(definition.oid);
  state.functionArguments = values;
  useFunction(state, definition);
  try {
    return inBody(state, definition, bind);
  } catch (error) {
    if (!(error instanceof SqlError) || inside.keepPositions) throw error;
    // A position in the body says nothing of the statement that calls it.
    const { position: _, ...fields } = error.fields;
    throw new SqlError(error.condition, error.message, fields);
  } finally {
    state.functions.pop();
    state.functionArguments = before;
  }
}

/** The body with its columns as the function declares them. */
function resultPlan(state: State, call: SqlCall): Plan {
  const { definition } = call;
  const query = bodyQuery(definition);
  const isVoid = definition.returns.oid === OID.void;
  if (query === null) {
    if (!isVoid) throw mismatch(call, NO_RESULT);
    return voidRow(state, ONE_ROW);
  }
  const level = newLevel(state, null, null);
  level.columns = argumentColumns(state, definition);
  level.items = [
    {
      alias: definition.name,
      schema: null,
      columns: level.columns,
      relation: null,
      scan: null,
      oid: 0,
      originalName: null,
    },
  ];
  const { plan } = bindQuery({ state, parent: level, commonTables: null }, query, { keepUnknown: true });
  return isVoid ? voidRow(state, plan) : asDeclared(state, call, wholeRowExpanded(state, call, plan));
}

const NO_RESULT = "Function's final statement must be SELECT or INSERT/UPDATE/DELETE/MERGE RETURNING.";

function argumentColumns(state: State, definition: SqlFunction): readonly ScopeColumn[] {
  return inputArguments(definition).flatMap(({ name }, i): readonly ScopeColumn[] => {
    const expression = state.functionArguments?.[i];
    if (name === null || expression === undefined) return [];
    return [{ name, expression, undeclared: false, relation: 0, attribute: 0 }];
  });
}

/**
 * The query that gives the function's result; null for a body without statements.
 * @throws SqlError 0A000 for other bodies, 42601.
 */
export function bodyQuery(definition: Pick<SqlFunction, 'form' | 'body'>): Query | null {
  if (definition.form === 'return') return expressionQuery(definition.body);
  const statements = parseStatements(definition.body).map(({ statement }) => statement);
  const [only, second] = statements;
  if (only === undefined) return null;
  if (second !== undefined) throw notSupported("several statements in a function's body");
  if (only.kind === 'query') return only.query;
  throw notSupported(`${only.kind.toUpperCase()} in a function's body`);
}

/** `SELECT expression`. */
function expressionQuery(text: string): Query {
  const value = parseExpression(text);
  return {
    kind: 'select',
    at: value.at,
    with: null,
    order: [],
    limit: null,
    offset: null,
    withTies: false,
    locking: [],
    distinct: 'all',
    items: [{ value, alias: null, at: value.at }],
    from: [],
    where: null,
    group: [],
    groupDistinct: false,
    having: null,
    windows: [],
  };
}

/** The statement is run for what it does; its rows are not looked at. */
function voidRow(state: State, plan: Plan): Plan {
  const type = typeOnly(OID.void);
  const output = [{ id: newId(state), name: 'void', type, relation: 0, attribute: 0 }];
  return { kind: 'project', input: plan, expressions: [literal(null, type)], sets: [], output };
}

/** `SELECT t FROM t` gives the columns of `t` where a row of several is wanted. */
function wholeRowExpanded(state: State, { columns }: SqlCall, plan: Plan): Plan {
  if (plan.kind !== 'project' || plan.expressions.length !== 1 || plan.sets.length > 0) return plan;
  const [row] = plan.expressions;
  if (row?.kind !== 'row' || (columns !== null && columns.length === 1)) return plan;
  const output = row.fields.map(({ type }, i): DraftColumn => {
    return { id: newId(state), name: row.names?.[i] ?? `f${i + 1}`, type, relation: 0, attribute: 0 };
  });
  return { ...plan, expressions: row.fields, output };
}

function asDeclared(state: State, call: SqlCall, plan: Plan): Plan {
  const { columns } = call;
  const given = plan.output;
  if (columns !== null && columns.length !== given.length) {
    const tooMany = given.length > columns.length;
    const single = 'Final statement must return exactly one column.';
    const row = `Final statement returns too ${tooMany ? 'many' : 'few'} columns.`;
    throw mismatch(call, columns.length === 1 ? single : row);
  }
  return convertColumns(state, plan, (expression, i) => {
    const type = columns?.[i]?.type ?? unknownAsText(expression.type);
    const fail = (from: string, to: string): SqlError =>
      mismatch(
        call,
        columns?.length === 1
          ? `Actual return type is ${from}.`
          : `Final statement returns ${from} instead of ${to} at column ${i + 1}.`,
      );
    return coerce(state, expression, { type, context: 'assignment', fail });
  });
}

const unknownAsText = (type: TypeRef): TypeRef => (type.oid === OID.unknown ? typeOnly(OID.text) : type);

function mismatch({ definition, columns }: SqlCall, detail: string): SqlError {
  const declared = columns?.length === 1 ? (columns[0]?.type ?? definition.returns) : definition.returns;
  const message = `return type mismatch in function declared to return ${formatType(declared)}`;
  return new SqlError('invalid_function_definition', message, { detail });
}
