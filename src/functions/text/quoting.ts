/** Texts as identifiers and literals of SQL, and back. Source: PostgreSQL 18, section 9.4. */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, RecordDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';
import type { ScalarFunction } from '../function.ts';
import { scalar } from '../row.ts';

/** @throws SqlError 22023 */
function parseIdentifier(text: string, strict: boolean): ArrayDatum {
  const part = /\s*(?:"((?:[^"]|"")*)"|([\p{L}_][\p{L}\p{N}_$]*))\s*(\.)?/uy;
  const parts: string[] = [];
  const wrong = (detail?: string): SqlError =>
    new SqlError('invalid_parameter_value', `string is not a valid identifier: "${text}"`, { detail });
  for (let more = true; more; ) {
    const from = part.lastIndex;
    const match = part.exec(text);
    if (match === null) {
      if (/^\s*\./.test(text.slice(from))) throw wrong('No valid identifier before ".".');
      throw parts.length > 0 ? wrong('No valid identifier after ".".') : wrong();
    }
    if (match[1] === '') throw wrong('Quoted identifier must not be empty.');
    parts.push(match[1]?.replaceAll('""', '"') ?? (match[2] as string).toLowerCase());
    more = match[3] !== undefined;
    if (!more && strict && part.lastIndex < text.length) throw wrong();
    if (!more) break;
  }
  return arrayDatum(OID.text, parts);
}

export const QUOTING_FUNCTIONS: readonly ScalarFunction[] = [
  {
    ...scalar('parse_ident(text, bool) _text', {
      summary: 'The parts of a qualified name.',
      example: ['SELECT parse_ident(\'"SomeSchema".someTable\')', '{SomeSchema,sometable}'],
      evaluate: parseIdentifier,
    }),
    defaults: ['true'],
  },
  scalar('quote_ident(text) text', {
    summary: 'As an identifier of SQL.',
    example: ["SELECT quote_ident('Foo bar')", '"Foo bar"'],
    evaluate: quoteIdentifier,
  }),
  scalar('quote_literal(text) text', {
    summary: 'As a literal of SQL.',
    example: ["SELECT quote_literal('O''Reilly')", "'O''Reilly'"],
    evaluate: quoteLiteral,
  }),
  {
    ...scalar('quote_literal(...any) text', {
      volatility: 'stable',
      strict: false,
      summary: 'The value as a literal of SQL.',
      example: ['SELECT quote_literal(42.5)', "'42.5'"],
      evaluateIn: ({ settings }, { fields: [field], types: [type] }: RecordDatum) =>
        field === null || field === undefined
          ? null
          : quoteLiteral(typeByOid(type ?? OID.text).format(field, settings)),
    }),
    argsMax: 1,
  },
  scalar('quote_nullable(text) text', {
    strict: false,
    summary: 'As a literal of SQL, or NULL.',
    example: ['SELECT quote_nullable(NULL)', 'NULL'],
    evaluate: (text: string | null) => (text === null ? 'NULL' : quoteLiteral(text)),
  }),
];
