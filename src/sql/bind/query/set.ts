/** UNION, INTERSECT and EXCEPT: all members in the common types of their columns. */
import { SqlError } from '../../../errors.ts';
import { firstRow } from '../../map/constant-rows.ts';
import type { SetOperation } from '../../../plan/plan.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Expr, Query, SetMember, SetQuery } from '../../ast.ts';
import { coerce, commonTypeOf } from '../expression/coerce.ts';
import { type Draft, type DraftColumn, type Plan, reference } from '../draft.ts';
import { checkEquality } from '../equality.ts';
import { bindQuery, type QueryScope } from '../context.ts';
import { convertColumns } from './convert-columns.ts';
import { newId, type State } from '../state.ts';
import { bindTail } from './tail.ts';

/** One after the other: what stands before a member is its left side. */
export function bindSetQuery(scope: QueryScope, query: SetQuery): Plan {
  let { plan } = bindQuery(scope, query.first, { keepUnknown: true });
  /** Inputs of `plan`, once it is a set operation of this query; they grow with it. */
  let inputs: Plan[] = [];
  let before: SetMember | null = null;
  for (const member of query.rest) {
    const { operation, all } = member;
    const right = bindQuery(scope, member.query, { keepUnknown: true });
    const types = commonTypes(scope.state, { query, before, plan }, { member, columns: right.columns });
    const left = inTypes(scope.state, plan, types);
    const other = inTypes(scope.state, right.plan, types);
    if (left === plan && before?.operation === operation && before.all === all) inputs.push(other);
    else {
      const output = left.output.map((column, i): DraftColumn => {
        const type = types[i] ?? column.type;
        return { id: newId(scope.state), name: column.name, type, relation: 0, attribute: 0 };
      });
      inputs = [left, other];
      plan = { kind: 'set', operation, all, inputs, output } satisfies SetOperation<Draft>;
    }
    before = member;
  }
  return bindTail(scope, plan, { tail: query, clause: 'set' });
}

interface LeftSide {
  readonly query: SetQuery;
  /** The last member of it; null: only the query's first. */
  readonly before: SetMember | null;
  readonly plan: Plan;
}

interface RightSide {
  readonly member: SetMember;
  readonly columns: readonly DraftColumn[];
}

/** @throws SqlError 42601, 42804, 42883. */
function commonTypes(
  state: State,
  { query: { first }, before, plan }: LeftSide,
  right: RightSide,
): readonly TypeRef[] {
  const { operation, all, query } = right.member;
  const name = operation.toUpperCase();
  if (plan.output.length !== right.columns.length) {
    throw new SqlError('syntax_error', `each ${name} query must have the same number of columns`, {
      position: right.columns.length > 0 ? firstItem(query) : query.at,
    });
  }
  return plan.output.map((column, i): TypeRef => {
    const other = right.columns[i];
    const sides = [reference(column.id, column.type, firstItem(first))];
    if (other) sides.push(reference(other.id, other.type, itemPosition(query, i)));
    const type = commonTypeOf(sides, name);
    const position = before === null && first.kind === 'values' ? 0 : itemPosition(first, i);
    if (operation !== 'union' || !all) checkEquality(state, reference(column.id, type, position), position);
    return type;
  });
}

const inTypes = (state: State, plan: Plan, types: readonly TypeRef[]): Plan =>
  convertColumns(state, plan, (expression, i) =>
    coerce(state, expression, { type: types[i] ?? expression.type, context: 'implicit' }),
  );

function firstItem(query: Query): number {
  return itemPosition(query, 0);
}

/** Where column `i` is written; 0: nowhere. */
export function itemPosition(query: Query, i: number): number {
  if (query.kind === 'select') return beginning(query.items[i]?.value) || query.at;
  if (query.kind === 'values') return beginning(firstRow(query.rows)[i]) || query.at;
  return itemPosition(query.first, i);
}

/** Where an expression begins: `'x'` of `'x'::text`. */
function beginning(expr: Expr | undefined): number {
  if (!expr) return 0;
  const inner =
    expr.kind === 'cast' || expr.kind === 'collate'
      ? expr.input
      : expr.kind === 'operator'
        ? expr.left
        : null;
  return inner ? Math.min(expr.at, beginning(inner)) : expr.at;
}
