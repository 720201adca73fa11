/** Long VALUES that are inserted: each shape of a cell is assigned to its target, once for all rows that have it. */
import { pieceTexts } from '../../../plan/constant-rows.ts';
import type { Expr, ShapedRows } from '../../ast.ts';
import { type DraftColumn, type Expression, literal, UNKNOWN } from '../draft.ts';
import { boundShapes, shapedPlan } from '../query/shaped-rows.ts';
import type { Level } from '../level.ts';
import type { Source, Target } from './insert.ts';
import { typeRows } from './insert-undeclared.ts';
import { newId } from '../state.ts';

interface Into {
  readonly targets: readonly Target[];
  bind(expr: Expr, target: Target): Expression;
}

/** Without columns that no document has had yet, and has not now either. */
export function insertedShapes(level: Level, rows: ShapedRows, { targets, bind }: Into): Source {
  const bound = boundShapes(level, rows, (expr, i) => {
    const target = targets[i] as Target;
    const value = bind(expr, target);
    return isUndeclared(target) && isNothing(rows, expr) ? literal(null, UNKNOWN) : value;
  });
  const all = targets.map((target, i) => ({
    target,
    cell: rows.cells[i],
    ...typed(level, target, bound[i] ?? []),
  }));
  const kept = all.filter(({ type }) => type !== null);
  const output = kept.map(({ target, type }): DraftColumn => {
    return { id: newId(level.state), name: target.name, type: type ?? UNKNOWN, relation: 0, attribute: 0 };
  });
  const columns = kept.map(({ type, expressions }) => ({ type: type ?? UNKNOWN, expressions }));
  const cells = kept.flatMap(({ cell }) => cell ?? []);
  const plan = shapedPlan(level, { ...rows, cells }, { columns, output });
  return { plan, targets: kept.map(({ target }) => target) };
}

const isUndeclared = ({ column }: Target): boolean => column === null || column.undeclared;

/** Undeclared columns have their type from what is in all rows. */
function typed(level: Level, target: Target, expressions: readonly Expression[]) {
  const own = target.subscripts ? undefined : target.column?.type;
  if (!isUndeclared(target)) return { type: own ?? expressions[0]?.type ?? UNKNOWN, expressions };
  const rows = expressions.map((expression) => [expression]);
  const type = typeRows(level, rows, { ...target, position: 0 });
  return { type, expressions: rows.flat() };
}

/** Constants that are all NULL. */
function isNothing({ columns }: ShapedRows, expr: Expr): boolean {
  const constants = expr.kind === 'slot' ? columns[expr.column] : undefined;
  if (constants?.kind !== 'string' || constants.longest > 0) return false;
  return constants.pieces.every((piece) => pieceTexts(piece).every((text) => text === null));
}
