/** Shape of a cell of VALUES: the expression with its constants exchanged. */
import type { Expr } from '../ast.ts';

export interface Change {
  /** Replacement of an expression without parts; undefined: itself. */
  leaf(expr: Expr): Expr | undefined;
  at(position: number): number;
}

/**
 * Null where the row matters otherwise than by its constants, or binding asks for constants: queries, columns, all
 * that is not listed here.
 */
export function shapeOf(expr: Expr, change: Change): Expr | null {
  const leaf = change.leaf(expr);
  if (leaf !== undefined) return leaf;
  const at = change.at(expr.at);
  switch (expr.kind) {
    case 'default':
    case 'parameter':
    case 'special':
    case 'bits':
      return { ...expr, at };
    case 'cast': {
      const input = shapeOf(expr.input, change);
      return input && { ...expr, at, input, type: { ...expr.type, at: change.at(expr.type.at) } };
    }
    case 'operator': {
      const left = expr.left && shapeOf(expr.left, change);
      const right = shapeOf(expr.right, change);
      return (left === null && expr.left !== null) || right === null ? null : { ...expr, at, left, right };
    }
    case 'function':
      return callShape(expr, change);
    case 'array': {
      const elements = shapesOf(expr.elements, change);
      return elements && { ...expr, at, elements };
    }
    case 'row': {
      const fields = shapesOf(expr.fields, change);
      return fields && { ...expr, at, fields };
    }
    case 'coalesce':
    case 'greatest':
    case 'least': {
      const args = shapesOf(expr.args, change);
      return args && { ...expr, at, args };
    }
    default:
      return null;
  }
}

function callShape(expr: Extract<Expr, { kind: 'function' }>, change: Change): Expr | null {
  const isPlain = !(expr.star || expr.distinct || expr.withinGroup || expr.filter || expr.over);
  if (!isPlain || expr.order.length > 0) return null;
  const values = shapesOf(
    expr.args.map(({ value }) => value),
    change,
  );
  const args = values?.map((value, i) => ({ name: expr.args[i]?.name ?? null, value }));
  return args ? { ...expr, at: change.at(expr.at), args } : null;
}

function shapesOf(exprs: readonly Expr[], change: Change): readonly Expr[] | null {
  const shapes: Expr[] = [];
  for (const expr of exprs) {
    const shape = shapeOf(expr, change);
    if (shape === null) return null;
    shapes.push(shape);
  }
  return shapes;
}
