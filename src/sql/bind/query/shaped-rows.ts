/** Long VALUES whose cells do the same with constants of their own: bound once, over columns of constants. */
import { present } from '../../../assert.ts';
import type { ConstantColumn } from '../../../plan/constant-rows.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Expr, ShapedColumn, ShapedRows } from '../../ast.ts';
import { constantsDraft, constantsOf, isSame } from '../expression/constants.ts';
import { compare } from '../expression/operators.ts';
import {
  branch,
  type ConstantsDraft,
  type DraftColumn,
  eachReference,
  type Expression,
  INTEGER,
  literal,
  type Plan,
  project,
} from '../draft.ts';
import type { Level } from '../level.ts';

export interface TypedColumn {
  readonly type: TypeRef;
  /** One a shape. */
  readonly expressions: readonly Expression[];
}

/** The shapes of each column, bound in the order in which rows first have them: errors are those of the first. */
export function boundShapes(
  level: Level,
  rows: ShapedRows,
  bind: (expr: Expr, column: number) => Expression,
): readonly (readonly Expression[])[] {
  level.constants = constantsDraft(rows);
  const all = rows.cells.flatMap(({ shapes }, column) => shapes.map((shape) => ({ ...shape, column })));
  const bound = rows.cells.map((): Expression[] => []);
  for (const { value, column } of all.sort((a, b) => a.row - b.row)) bound[column]?.push(bind(value, column));
  return bound;
}

/** Each row by its shapes. @param output of these types. */
export function shapedPlan(
  level: Level,
  rows: ShapedRows,
  to: { readonly columns: readonly TypedColumn[]; readonly output: readonly DraftColumn[] },
): Plan {
  const draft = present(level.constants, 'constants of the level');
  const values = to.columns.map((column, i) => chosen(level, column, rows.cells[i]));
  const { count } = rows;
  const plain = values.map((value) => columnOf(draft, value)).filter((column) => column !== undefined);
  if (plain.length === values.length) return { kind: 'constants', count, columns: plain, output: to.output };
  return project(readConstants(draft, values), values, to.output);
}

/** Only those readings that the values are made of. */
function readConstants({ rows, columns, output }: ConstantsDraft, values: readonly Expression[]): Plan {
  const used = new Set<number>();
  eachReference(values, ({ id }) => used.add(id));
  const isUsed = (place: number): boolean => used.has(output[place]?.id ?? 0);
  return {
    kind: 'constants',
    count: rows.count,
    columns: columns.filter((_, place) => isUsed(place)),
    output: output.filter((_, place) => isUsed(place)),
  };
}

/** The constants that the expression is, without anything done to them. */
function columnOf({ columns, output }: ConstantsDraft, value: Expression): ConstantColumn | undefined {
  if (value.kind !== 'column') return undefined;
  const place = output.findIndex(({ id, type }) => id === value.id && isSame(type, value.type));
  return columns[place];
}

function chosen(
  level: Level,
  { type, expressions }: TypedColumn,
  cell: ShapedColumn | undefined,
): Expression {
  const first = present(expressions[0], 'shape');
  const which = cell?.which ?? null;
  if (which === null) return first;
  const left = constantsOf(level, which);
  const branches = expressions.slice(1).map((then, i) => {
    const right = literal(i + 1, INTEGER);
    return branch(compare(level, { operator: '=', left, right, at: 0 }), then);
  });
  return { kind: 'case', branches, otherwise: first, type };
}
