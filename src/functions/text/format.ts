/** format(): `%[position$][-][width]type` with type s, I or L. Source: PostgreSQL 18, section 9.4.1. */
import { SqlError } from '../../errors.ts';
import type { RecordDatum } from '../../types/datum.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FunctionContext } from '../function.ts';

const SPECIFIER = /%(?:(%)|(?:(\d+)\$)?(-)?(\d+|\*(?:\d+\$)?)?(.)?)/gsu;

/** @throws SqlError 22023, 22004. */
export function formatText(context: FunctionContext, format: string, args: RecordDatum): string {
  let next = 0;
  const take = (position: string | undefined): string | null => {
    if (position === '0') throw wrong('format specifies argument 0, but arguments are numbered from 1');
    const at = position === undefined ? next : Number(position) - 1;
    next = at + 1;
    if (at >= args.fields.length) throw wrong('too few arguments for format()');
    const field = args.fields[at] ?? null;
    return field === null ? null : typeByOid(args.types[at] as number).format(field, context.settings);
  };
  return format.replace(SPECIFIER, (...match: (string | undefined)[]) => {
    const [, percent, position, minus, width, type] = match;
    if (percent !== undefined) return '%';
    if (type === undefined) throw wrong('unterminated format() type specifier');
    const wide = width?.startsWith('*') ? Number(take(/\d+/.exec(width)?.[0]) ?? 0) : Number(width ?? 0);
    const shown = show(type, take(position));
    return minus !== undefined || wide < 0 ? shown.padEnd(Math.abs(wide)) : shown.padStart(wide);
  });
}

function show(type: string, value: string | null): string {
  switch (type) {
    case 's':
      return value ?? '';
    case 'I':
      if (value === null) {
        throw new SqlError('null_value_not_allowed', 'null values cannot be formatted as an SQL identifier');
      }
      return quoteIdentifier(value);
    case 'L':
      return value === null ? 'NULL' : quoteLiteral(value);
    default:
      throw wrong(`unrecognized format() type specifier "${type}"`, 'For a single "%" use "%%".');
  }
}

function wrong(message: string, hint?: string): SqlError {
  return new SqlError('invalid_parameter_value', message, { hint });
}
