/** VALUES as a query: rows of one length, each column of one type. */
import { SqlError } from '../../../errors.ts';
import type { Expr, ShapedRows, ValuesQuery } from '../../ast.ts';
import { listedRows } from '../../map/constant-rows.ts';
import { unify } from '../expression/coerce.ts';
import type { DraftColumn, Plan } from '../draft.ts';
import { bindExpression, type QueryScope } from '../context.ts';
import { newLevel, type Level } from '../level.ts';
import { boundShapes, shapedPlan, type TypedColumn } from './shaped-rows.ts';
import { newId, type State } from '../state.ts';
import { bindTail } from './tail.ts';

export function bindValues(scope: QueryScope, query: ValuesQuery): Plan {
  // A statement that is to be printed again has to be traced value by value.
  const given = scope.state.trace === null ? query.rows : listedRows(query.rows);
  const level = valuesLevel(scope);
  const plan = 'cells' in given ? shapedValues(level, given) : listedValues(level, given);
  return bindTail(scope, plan, { tail: query, clause: 'VALUES' });
}

function shapedValues(level: Level, given: ShapedRows): Plan {
  const { state } = level;
  const shapes = boundShapes(level, given, (expr) => bindExpression(level, expr));
  const columns = shapes.map((shape) => unify(state, shape, 'VALUES'));
  return shapedPlan(level, given, { columns, output: outputOf(state, columns) });
}

function listedValues(level: Level, given: readonly (readonly Expr[])[]): Plan {
  const { state } = level;
  const width = rowWidth(given);
  const rows = given.map((row) => row.map((value) => bindExpression(level, value)));
  const columns: TypedColumn[] = [];
  for (let i = 0; i < width; i++) {
    const column = rows.map((row) => row[i]).filter((value) => value !== undefined);
    columns.push(unify(state, column, 'VALUES'));
  }
  const typed = rows.map((row, r) => row.map((value, i) => columns[i]?.expressions[r] ?? value));
  return { kind: 'values', rows: typed, output: outputOf(state, columns) };
}

const outputOf = (state: State, columns: readonly TypedColumn[]): readonly DraftColumn[] =>
  columns.map(({ type }, i) => {
    return { id: newId(state), name: `column${i + 1}`, type, relation: 0, attribute: 0 };
  });

/** @throws SqlError 42601 when rows differ in length. */
export function rowWidth(rows: ValuesQuery['rows']): number {
  if ('cells' in rows) return rows.cells.length;
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
