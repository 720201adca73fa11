/** `NULL::films`, `ROW(1, 'x')::films`: values of the row type that a relation has in PostgreSQL. */
import { notSupported, SqlError } from '../../../errors.ts';
import type { TypeName } from '../../ast.ts';
import { coerce } from './coerce.ts';
import { type Expression, literal } from '../draft.ts';
import { recordOf } from './record.ts';
import type { RowField } from '../level.ts';
import type { State } from '../state.ts';

interface RowCast {
  readonly type: TypeName;
  /** Those of the type. */
  readonly fields: readonly RowField[];
  readonly at: number;
}

/** @throws SqlError 42846 for a row of another width, 0A000 for what is neither a row nor NULL. */
export function castToRow(state: State, input: Expression, { type, fields, at }: RowCast): Expression {
  if (input.kind === 'literal' && input.value === null) return literal(null, recordOf(state, fields), at);
  const name = type.names.at(-1);
  if (input.kind !== 'row') throw notSupported(`a cast to the row type of "${name}"`, { position: at });
  if (input.fields.length !== fields.length) {
    const many = input.fields.length < fields.length ? 'few' : 'many';
    throw new SqlError('cannot_coerce', `cannot cast type record to ${name}`, {
      detail: `Input has too ${many} columns.`,
      position: at,
    });
  }
  const values = fields.map((field, i) => {
    const value = input.fields[i] ?? literal(null, field.type);
    return coerce(state, value, { type: field.type, context: 'explicit' });
  });
  return { ...input, fields: values, names: fields.map((field) => field.name) };
}
