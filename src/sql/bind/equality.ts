/**
 * Equality that GROUP BY, DISTINCT, PARTITION BY and set operations ask of a type. Values of json,
 * jsonpath and void cannot, nor can arrays and rows of them. Source: get_sort_group_operators of parse_oper.c.
 */
import { SqlError } from '../../errors.ts';
import type { Expression } from './draft.ts';
import { findTypeByOid, formatType } from '../../types/registry.ts';
import { OID } from '../../types/oids.ts';
import type { TypeRef } from '../../types/type.ts';
import { type State, typeOnly } from './state.ts';
import { fieldsOf } from './expression/record.ts';

function hasEquality({ oid }: TypeRef): boolean {
  const type = findTypeByOid(oid);
  return type === undefined || type.compare !== undefined || type.hashKey !== undefined;
}

const unequal = (what: string, { oid }: TypeRef, position?: number): SqlError =>
  new SqlError('undefined_function', `could not identify ${what} for type ${formatType(typeOnly(oid))}`, {
    position: position || undefined,
  });

/** @param position 0 where PostgreSQL tells none. @throws SqlError 42883 */
export function checkEquality(state: State, expression: Expression, position = expression.at): void {
  if (expression.type.oid !== OID.record) {
    if (!hasEquality(expression.type)) throw unequal('an equality operator', expression.type, position);
    return;
  }
  for (const { type } of fieldsOf(state, expression) ?? []) {
    if (!hasEquality(type)) throw unequal('a comparison function', type);
    checkEquality(state, { kind: 'literal', value: null, type });
  }
}

/** Error for a type that a btree refuses. */
export const noOperatorClass = (type: TypeRef): SqlError =>
  new SqlError(
    'undefined_object',
    `data type ${formatType(type)} has no default operator class for access method "btree"`,
    {
      hint: 'You must specify an operator class for the index or define a default operator class for the data type.',
    },
  );

/** For GREATEST and LEAST. @throws SqlError 42883 */
export function checkOrder(type: TypeRef): void {
  if (findTypeByOid(type.oid)?.compare === undefined) throw unequal('a comparison function', type);
}
