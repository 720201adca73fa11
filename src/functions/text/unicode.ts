/** Unicode: escapes, normal forms, case folding. Source: PostgreSQL 18, section 9.4. */
import { SqlError } from '../../errors.ts';
import type { ScalarFunction } from '../function.ts';
import { scalar } from '../row.ts';

/** `\\XXXX`, `\\+XXXXXX`, `\\uXXXX`, `\\UXXXXXXXX`. @throws SqlError 42601 */
function unescapeUnicode(text: string): string {
  const hex = '[0-9a-fA-F]';
  const sequence = new RegExp(`\\\\(?:(\\\\)|(${hex}{4})|\\+(${hex}{6})|u(${hex}{4})|U(${hex}{8})|)`, 'g');
  return text.replace(sequence, (_, backslash, ...groups: (string | undefined)[]) => {
    if (backslash !== undefined) return '\\';
    const digits = groups.slice(0, 4).find((group) => group !== undefined);
    if (digits !== undefined) return String.fromCharCode(...utf16(Number.parseInt(digits, 16)));
    throw new SqlError('syntax_error', 'invalid Unicode escape', {
      hint: 'Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.',
    });
  });
}

/** @throws SqlError 22023 beyond Unicode. */
function utf16(code: number): number[] {
  if (code > 0x10ffff) throw new SqlError('invalid_parameter_value', `invalid Unicode code point: ${code}`);
  return code < 0x10000 ? [code] : [0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff)];
}

/** @throws SqlError 22023 */
function normalForm(form: string): string {
  if (/^nfk?[cd]$/i.test(form)) return form.toUpperCase();
  throw new SqlError('invalid_parameter_value', `invalid normalization form: ${form}`);
}

export const UNICODE_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('unistr(text) text', {
    summary: 'Escapes of code points replaced.',
    example: ["SELECT unistr('d\\0061t\\+000061')", 'data'],
    evaluate: unescapeUnicode,
  }),
  scalar('normalize(text) text', {
    summary: 'In Unicode normal form C.',
    example: ["SELECT normalize('abc')", 'abc'],
    evaluate: (text: string) => text.normalize(),
  }),
  scalar('normalize(text, text) text', {
    summary: 'In a Unicode normal form.',
    example: ["SELECT normalize(U&'a\\0308bc', NFC)", 'äbc'],
    evaluate: (text: string, form: string) => text.normalize(normalForm(form)),
  }),
  scalar('is_normalized(text) bool', {
    summary: 'Whether the text is in Unicode normal form C.',
    example: ["SELECT U&'a\\0308' IS NORMALIZED", 'f'],
    evaluate: (text: string) => text.normalize() === text,
  }),
  scalar('is_normalized(text, text) bool', {
    summary: 'Whether the text is in a Unicode normal form.',
    example: ["SELECT U&'a\\0308' IS NFD NORMALIZED", 't'],
    evaluate: (text: string, form: string) => text.normalize(normalForm(form)) === text,
  }),
  scalar('casefold(text) text', {
    summary: 'For comparison without case.',
    example: ["SELECT casefold('ABC')", 'abc'],
    evaluate: (text: string) => text.toLowerCase(),
  }),
];
