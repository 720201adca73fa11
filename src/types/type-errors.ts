/** The errors every text input shares, worded as PostgreSQL words them. */
import { type ErrorFields, SqlError } from '../errors.ts';
import type { SqlType } from './type.ts';

/** 22P02 `invalid input syntax for type integer: "abc"`. @param type the type's display name. */
export function invalidText(type: string, text: string, fields: ErrorFields = {}): SqlError {
  return new SqlError(
    'invalid_text_representation',
    `invalid input syntax for type ${type}: "${text}"`,
    fields,
  );
}

/** 22003 `value "70000" is out of range for type smallint`. */
export function outOfRange(type: string, text: string): SqlError {
  return new SqlError('numeric_value_out_of_range', `value "${text}" is out of range for type ${type}`);
}

/** 22P03: a binary value whose length or content does not fit its type. */
export function invalidBinary(detail?: string): SqlError {
  return new SqlError('invalid_binary_representation', 'incorrect binary data format', { detail });
}

/** For values that cannot be equal, as those of json. */
export const noEquality = (type: SqlType): SqlError =>
  new SqlError('undefined_function', `could not identify an equality operator for type ${type.displayName}`);
