/**
 * Set-returning functions whose rows have the fields that the caller says (`shaped` of SetFunction). They are
 * told of them by two more arguments.
 */
import { SqlError } from '../../../errors.ts';
import { setFunctionById } from '../../../functions/registry.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import { OID } from '../../../types/oids.ts';
import { arrayOf } from '../../../types/registry.ts';
import { type Expression, literal } from '../draft.ts';
import { fieldsOf } from '../expression/record.ts';
import type { RowField } from '../level.ts';
import { type State, typeOnly } from '../state.ts';

interface SetCall {
  readonly id: string;
  readonly name: string;
  readonly args: readonly Expression[];
  readonly at: number;
}

/**
 * @param defined columns of a column definition list; empty where there is none.
 * @returns the fields with the whole of the arguments; undefined for a function that knows its columns.
 * @throws SqlError 42601, 42804, 0A000.
 */
export function shapedCall(
  state: State,
  call: SetCall,
  defined: readonly RowField[],
): { readonly fields: readonly RowField[]; readonly args: readonly Expression[] } | undefined {
  const { shaped } = setFunctionById(call.id);
  if (shaped === undefined) return undefined;
  if (shaped === 'by definitions' && defined.length === 0) throw missingDefinitions(call.at);
  const fields = defined.length > 0 ? defined : fieldsOfFirst(state, call);
  return { fields, args: [...call.args, ...shapeArguments(fields)] };
}

export const missingDefinitions = (position: number): SqlError =>
  new SqlError('syntax_error', 'a column definition list is required for functions returning "record"', {
    position,
  });

function fieldsOfFirst(state: State, { name, args: [first] }: SetCall): readonly RowField[] {
  const fields = first && fieldsOf(state, first);
  if (fields) return fields;
  if (first?.type.oid !== OID.record) {
    throw new SqlError('datatype_mismatch', `first argument of ${name} must be a row type`);
  }
  const place = 'call the function in the FROM clause using a column definition list';
  throw new SqlError('feature_not_supported', `could not determine row type for result of ${name}`, {
    hint: `Provide a non-null record argument, or ${place}.`,
  });
}

/** A record of NULLs, and the modifiers. */
function shapeArguments(fields: readonly RowField[]): readonly Expression[] {
  const modifiers = fields.map(({ type }) => type.modifier);
  return [
    {
      kind: 'row',
      fields: fields.map(({ type }) => literal(null, type)),
      names: fields.map(({ name }) => name),
      type: typeOnly(OID.record),
    },
    literal(arrayDatum(OID.int4, modifiers), typeOnly(arrayOf(OID.int4)?.oid ?? OID.anyarray)),
  ];
}
