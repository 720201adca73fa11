/** Comparisons of a column with what is the same for every row. */
import { functionById } from '../functions/registry.ts';
import { isConstant } from './columns-read.ts';
import type { Expression } from './expression.ts';

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

const isComparison = (name: string): name is Comparison => name in MIRRORED;

interface ColumnComparison {
  /** Position in the batch. */
  readonly column: number;
  readonly comparison: Comparison;
  readonly constant: Expression;
}

/** `column op constant`, turned round where the constant comes first; null for another shape. */
export function columnComparison(expression: Expression): ColumnComparison | null {
  if (expression.kind !== 'call') return null;
  const { name, kernel } = functionById(expression.function);
  const [left, right] = expression.args;
  if (kernel === undefined || !isComparison(name) || left === undefined || right === undefined) return null;
  const columnFirst = left.kind === 'column';
  const [column, constant] = columnFirst ? [left, right] : [right, left];
  if (column.kind !== 'column' || !isConstant(constant)) return null;
  return { column: column.index, comparison: columnFirst ? name : MIRRORED[name], constant };
}
