/** VALUES as a query: rows of one length, each column of one type. */
import { unreachable } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import type { ConstantColumn, ConstantRows } from '../../../plan/constant-rows.ts';
import type { Constants } from '../../../plan/plan.ts';
import { OID } from '../../../types/oids.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { ValuesQuery } from '../../ast.ts';
import { listedRows } from '../../map/constant-rows.ts';
import { unify } from '../expression/coerce.ts';
import {
  BOOLEAN,
  type Draft,
  type DraftColumn,
  type Expression,
  integerLiteral,
  type Plan,
  TEXT,
} from '../draft.ts';
import { bindExpression, type QueryScope } from '../context.ts';
import { type Level, newLevel } from '../level.ts';
import { newId, type State, typeOnly } from '../state.ts';
import { bindTail } from './tail.ts';

export function bindValues(scope: QueryScope, query: ValuesQuery): Plan {
  // What is to be printed again has to be traced value by value.
  const given = scope.state.trace === null ? query.rows : listedRows(query.rows);
  if ('columns' in given) {
    const plan = constants(scope.state, given, given.columns.map(naturalType));
    return bindTail(scope, plan, { tail: query, clause: 'VALUES' });
  }
  const level = newLevel(scope.state, scope.parent, scope.commonTables);
  level.clause = 'VALUES';
  const width = rowWidth(given);
  const rows = given.map((row) => row.map((value) => bindExpression(level, value)));
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

/** Each column read as one of these types. */
export function constants(
  state: State,
  { count, columns }: ConstantRows,
  types: readonly TypeRef[],
): Constants<Draft> {
  const output = types.map((type, i): DraftColumn => {
    return { id: newId(state), name: `column${i + 1}`, type, relation: 0, attribute: 0 };
  });
  return { kind: 'constants', count, columns, output };
}

/** The common type of the constants. */
export function naturalType({ kind, widest }: Pick<ConstantColumn, 'kind' | 'widest'>): TypeRef {
  switch (kind) {
    case 'integer':
      return integerLiteral(widest, 0).type;
    case 'decimal':
    case 'mixed':
      return typeOnly(OID.numeric);
    case 'boolean':
      return BOOLEAN;
    case 'string':
      return TEXT;
    default:
      return unreachable(kind);
  }
}

/** @throws SqlError 42601 when rows differ in length. */
export function rowWidth(rows: ValuesQuery['rows']): number {
  if ('columns' in rows) return rows.columns.length;
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
