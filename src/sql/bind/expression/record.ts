/**
 * Fields of row values. A record whose fields are known carries their number in `State.rowShapes` as its
 * type's modifier, as in PostgreSQL (assign_record_type_typmod): so the fields of a subquery's column are known
 * where it is read. The numbers mean something to one call of the binder only.
 */
import { liveColumns } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { OutputColumn } from '../../../plan/plan.ts';
import { OID } from '../../../types/oids.ts';
import { formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { TypeName } from '../../ast.ts';
import { type Expression, INTEGER, literal, sameExpression } from '../draft.ts';
import { findStored, namedType } from '../names.ts';
import { type State, typeOnly } from '../state.ts';
import type { RowField } from '../level.ts';

/** Registry id of the operator that gives a record's field by its number from 0. */
const FIELD = '.(record,int4)';

/** The type of a record with these fields. */
export function recordOf(state: State, fields: readonly RowField[]): TypeRef {
  const known = state.rowShapes.findIndex((shape) => sameExpression(shape, fields));
  if (known === -1) state.rowShapes.push(fields);
  return { oid: OID.record, modifier: known === -1 ? state.rowShapes.length - 1 : known };
}

/**
 * The fields of the rows of a table or view, when a type's name is that of one and of no type. PostgreSQL makes a
 * type of each relation; here it is a record of such fields.
 */
export function rowTypeFields(state: State, name: TypeName): readonly RowField[] | undefined {
  const last = name.names.at(-1) ?? '';
  const schema = name.names.at(-2) ?? null;
  if (name.dimensions > 0 || namedType(state.context, schema, last)) return undefined;
  const relation = findStored(state.context, { schema, name: last, partition: null, at: name.at });
  return relation && liveColumns(relation).map((column) => ({ name: column.name, type: column.type }));
}

/** Undefined for what is no record, and for records of which nothing is known. */
export function fieldsOf(state: State, expression: Expression): readonly RowField[] | undefined {
  if (expression.kind === 'row') {
    const { fields, names } = expression;
    return fields.map(({ type }, i) => ({ name: names?.[i] ?? `f${i + 1}`, type }));
  }
  return expression.type.oid === OID.record ? state.rowShapes[expression.type.modifier] : undefined;
}

/** An expression's type; of a row, the one that tells its fields. */
export function knownType(state: State, expression: Expression): TypeRef {
  const fields = expression.kind === 'row' ? fieldsOf(state, expression) : undefined;
  return fields ? recordOf(state, fields) : expression.type;
}

/** Field `position` of a record whose fields are known. */
function fieldAt(expression: Expression, fields: readonly RowField[], position: number): Expression {
  const field = expression.kind === 'row' ? expression.fields[position] : undefined;
  if (field) return field;
  const type = fields[position]?.type ?? typeOnly(OID.unknown);
  const args = [expression, literal(position, INTEGER)];
  return { kind: 'call', function: FIELD, args, type, at: expression.at ?? 0 };
}

/** `(row).name`. @throws SqlError 42703, 42809. */
export function fieldNamed(
  state: State,
  row: Expression,
  { name, at }: { readonly name: string; readonly at: number },
): Expression {
  if (row.type.oid !== OID.record) {
    const shown = formatType(typeOnly(row.type.oid));
    const message = `column notation .${name} applied to type ${shown}, which is not a composite type`;
    throw new SqlError('wrong_object_type', message, { position: at });
  }
  const fields = fieldsOf(state, row) ?? [];
  const position = fields.findIndex((field) => field.name === name);
  if (position >= 0) return fieldAt(row, fields, position);
  const message = `could not identify column "${name}" in record data type`;
  throw new SqlError('undefined_column', message, { position: at });
}

/** `(row).*`. @throws SqlError 42809 for what is no record or one of which nothing is known. */
export function allFields(
  state: State,
  row: Expression,
  position: number,
): readonly { readonly name: string; readonly expression: Expression }[] {
  const fields = fieldsOf(state, row);
  if (fields) return fields.map(({ name }, i) => ({ name, expression: fieldAt(row, fields, i) }));
  if (row.type.oid === OID.record) {
    throw new SqlError('wrong_object_type', 'record type has not been registered', { position });
  }
  const shown = formatType(typeOnly(row.type.oid));
  throw new SqlError('wrong_object_type', `type ${shown} is not composite`, { position });
}

/** Columns without their shapes, which do not leave the binder. */
export function withoutShapes<T extends Pick<OutputColumn, 'type'>>(columns: readonly T[]): readonly T[] {
  if (columns.every(({ type }) => type.oid !== OID.record)) return columns;
  return columns.map((column) =>
    column.type.oid === OID.record ? { ...column, type: typeOnly(OID.record) } : column,
  );
}
