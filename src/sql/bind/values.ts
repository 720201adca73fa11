/** VALUES as a query: rows of one length, each column of one type. */
import { SqlError } from '../../errors.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Plan } from '../../plan/plan.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Expr, ValuesQuery } from '../ast.ts';
import { unify } from './coerce.ts';
import type { DraftColumn } from './draft.ts';
import { bindExpression } from './expression.ts';
import type { QueryScope } from './query.ts';
import { newLevel, type Level } from './scope.ts';
import { newId } from './state.ts';
import { bindTail } from './tail.ts';

export function bindValues(scope: QueryScope, query: ValuesQuery): Plan {
  const level = newLevel(scope.state, scope.parent, scope.commonTables);
  level.clause = 'VALUES';
  const width = rowWidth(query.rows);
  const rows = query.rows.map((row) => row.map((value) => bindExpression(level, value)));
  const columns: { readonly type: TypeRef; readonly expressions: readonly Expression[] }[] = [];
  for (let i = 0; i < width; i++) {
    const column = rows.map((row) => row[i]).filter((value) => value !== undefined);
    columns.push(unify(scope.state, column, 'VALUES'));
  }
  const output = columns.map(({ type }, i): DraftColumn => {
    return { id: newId(scope.state), name: `column${i + 1}`, type, relation: 0, attribute: 0 };
  });
  const typed = rows.map((row, r) => row.map((value, i) => columns[i]?.expressions[r] ?? value));
  return bindTail(scope, { kind: 'values', rows: typed, output }, { tail: query, clause: 'VALUES' });
}

/** @throws SqlError 42601 when rows differ in length. */
export function rowWidth(rows: readonly (readonly Expr[])[]): number {
  const width = rows[0]?.length ?? 0;
  const odd = rows.find((row) => row.length !== width);
  if (odd) {
    throw new SqlError('syntax_error', 'VALUES lists must all be the same length', {
      position: odd[0]?.at,
    });
  }
  return width;
}

/** A level for expressions of rows that come from nowhere: VALUES of an INSERT. */
export function valuesLevel(scope: QueryScope): Level {
  const level = newLevel(scope.state, scope.parent, scope.commonTables);
  level.clause = 'VALUES';
  return level;
}
