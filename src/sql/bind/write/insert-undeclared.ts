/** Types of the undeclared columns that an INSERT brings: what the documents hold, jsonb where they differ. */
import type { Relation } from '../../../catalog/model.ts';
import { OID } from '../../../types/oids.ts';
import type { TypeRef } from '../../../types/type.ts';
import { coerce, isUnknown } from '../expression/coerce.ts';
import type { Expression, Plan } from '../draft.ts';
import { callFunction } from '../expression/arguments.ts';
import { convertColumns } from '../query/convert-columns.ts';
import { undeclaredValue, type WrittenColumn } from './returning.ts';
import { type Level, newLevel } from '../level.ts';
import type { State } from '../state.ts';
import { keptType, mixedType } from '../expression/undeclared.ts';

export interface Undeclared extends WrittenColumn {
  /** Among the input's columns. */
  readonly position: number;
}

/** The plan with those columns in one type each; null for a column of nothing but NULL constants. */
export function undeclaredTypes(
  state: State,
  _relation: Relation,
  source: { readonly plan: Plan; readonly loose: readonly Undeclared[] },
): { readonly plan: Plan; readonly types: ReadonlyMap<number, TypeRef | null> } {
  const { plan, loose } = source;
  const level = newLevel(state, null, null);
  const types = new Map<number, TypeRef | null>();
  if (plan.kind === 'values') {
    const rows = plan.rows.map((row) => [...row]);
    for (const column of loose) types.set(column.position, typeRows(level, rows, column));
    const output = plan.output.map((column, i) => ({ ...column, type: types.get(i) ?? column.type }));
    return { plan: { ...plan, rows, output }, types };
  }
  const typed = convertColumns(state, plan, (expression, i) => {
    const column = loose.find((candidate) => candidate.position === i);
    if (!column) return expression;
    const value = undeclaredValue(state, expression, column.column);
    const type = targetType(column, keptType(value.type));
    types.set(i, type);
    return asKept(level, value, type);
  });
  return { plan: typed, types };
}

/** Types one column of rows in place; null for nothing but NULL in a column that no document has. */
export function typeRows(level: Level, rows: Expression[][], column: Undeclared): TypeRef | null {
  const { position } = column;
  const nulls = (value: Expression | undefined): boolean => value?.kind === 'literal' && value.value === null;
  let kept: TypeRef | null = null;
  for (const row of rows) {
    const value = row[position];
    if (!value || (nulls(value) && isUnknown(value))) continue;
    const typed = undeclaredValue(level.state, value, column.column);
    row[position] = typed;
    const type = keptType(typed.type);
    kept = kept ? mixedType(kept, type) : type;
  }
  if (!kept) {
    if (!column.column) return null;
    kept = column.column.type;
  }
  const type = targetType(column, kept);
  for (const row of rows) {
    const value = row[position];
    if (value) row[position] = asKept(level, value, type);
  }
  return type;
}

/** Integers fit a column of floats; jsonb takes all. */
function targetType(column: Undeclared, type: TypeRef): TypeRef {
  const seen = column.column?.type;
  if (!seen) return type;
  const mixed = mixedType(seen, type);
  return mixed.oid === seen.oid ? seen : type;
}

export function asKept(level: Level, value: Expression, type: TypeRef): Expression {
  const isNull = value.kind === 'literal' && value.value === null;
  if (type.oid === OID.jsonb && value.type.oid !== OID.jsonb && value.type.oid !== OID.json && !isNull) {
    return callFunction(level, { name: 'undeclared_json', args: [value], at: value.at ?? 0 });
  }
  if (isNull) return { kind: 'literal', value: null, type };
  return coerce(level.state, value, { type, context: 'explicit' });
}
