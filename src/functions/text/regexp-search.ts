/**
 * Regular expressions with a start and a number of the match: regexp_count, regexp_instr, regexp_substr,
 * regexp_replace. Positions count code points from 1. Source: PostgreSQL 18, section 9.7.3.
 */
import { SqlError } from '../../errors.ts';
import type { ScalarFunction } from '../function.ts';
import { regularExpression } from './pattern.ts';

const units = (text: string, count: number): number => Array.from(text).slice(0, count).join('').length;
const codePoints = (text: string): number => Array.from(text).length;

/** @throws SqlError 22023 */
function check(value: number, name: string, least: number): number {
  if (value >= least) return value;
  throw new SqlError('invalid_parameter_value', `invalid value for parameter "${name}": ${value}`);
}

interface Search {
  readonly text: string;
  readonly pattern: string;
  /** Code point from 1. */
  readonly start: number;
  readonly flags: string;
}

function matchesFrom({ text, pattern, start, flags }: Search, name: string): RegExpExecArray[] {
  if (flags.includes('g')) {
    throw new SqlError('invalid_parameter_value', `${name}() does not support the "global" option`);
  }
  const from = check(start, 'start', 1) === 1 ? 0 : units(text, start - 1);
  if (start > codePoints(text) + 1) return [];
  return regularExpression(pattern, flags).all(text, from);
}

interface Part {
  readonly nth: number;
  /** 0 is the whole match. */
  readonly group: number;
}

/** Where the group of the n-th match begins and ends, in UTF-16 units; null without one. */
function partOf(search: Search, { nth, group }: Part, name: string): { start: number; end: number } | null {
  check(nth, 'n', 1);
  check(group, 'subexpr', 0);
  const match = matchesFrom(search, name)[nth - 1];
  if (match === undefined || group >= match.length) return null;
  const found = match.indices?.[group];
  return found === undefined ? null : { start: found[0], end: found[1] };
}

/** `\1` … `\9` are groups, `\&` the whole match, `\\` a backslash. */
function replacement(template: string, match: RegExpExecArray): string {
  return template.replace(/\\([\d&\\])/g, (_, what: string) => {
    if (what === '\\') return '\\';
    return match[what === '&' ? 0 : Number(what)] ?? '';
  });
}

/** @param nth which match; 0 is all. */
function replace(search: Search, template: string, nth: number): string {
  const { text } = search;
  const all = matchesFrom(search, 'regexp_replace');
  const chosen = nth === 0 ? all : all.slice(nth - 1, nth);
  let result = '';
  let end = 0;
  for (const match of chosen) {
    result += text.slice(end, match.index) + replacement(template, match);
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

function replaceFlagged(text: string, pattern: string, template: string, flags = ''): string {
  const search = { text, pattern, start: 1, flags: flags.replaceAll('g', '') };
  if (flags.includes('g')) return replace(search, template, 0);
  const first = regularExpression(pattern, flags).exec(text);
  if (first === null) return text;
  const rest = text.slice(first.index + first[0].length);
  return text.slice(0, first.index) + replacement(template, first) + rest;
}

type Row = Pick<ScalarFunction, 'summary' | 'example' | 'evaluate' | 'argNames'>;

/** One row whose arguments from `required` on may be left out. */
const row = (signature: string, required: number, defaults: readonly string[], rest: Row): ScalarFunction => {
  const [, name = '', args = '', returns = ''] = /^(\w+)\(([^)]*)\) (\S+)$/.exec(signature) ?? [];
  const types = args.split(', ');
  return { name, args: types, returns, defaults: defaults.slice(required - types.length), ...rest };
};

export const SEARCH_FUNCTIONS: readonly ScalarFunction[] = [
  row('regexp_count(text, text, int4, text) int4', 2, ['1', "''"], {
    summary: 'How often a regular expression matches, from a position on.',
    argNames: ['string', 'pattern', 'start', 'flags'],
    example: ["SELECT regexp_count('123456789012', '\\d\\d\\d', 2)", '3'],
    evaluate: (text: string, pattern: string, start: number, flags: string) =>
      matchesFrom({ text, pattern, start, flags }, 'regexp_count').length,
  }),
  row('regexp_instr(text, text, int4, int4, int4, text, int4) int4', 2, ['1', '1', '0', "''", '0'], {
    summary: 'Where the n-th match begins (or ends, for option 1); 0 without one.',
    argNames: ['string', 'pattern', 'start', 'N', 'endoption', 'flags', 'subexpr'],
    example: ["SELECT regexp_instr('number of your street, town zip, FR', '[^,]+', 1, 2)", '23'],
    evaluate: (text: string, pattern: string, start: number, nth: number, ...rest: unknown[]) => {
      const [end, flags, group] = rest as [number, string, number];
      if (end !== 0 && end !== 1) check(-1, 'endoption', 0);
      const part = partOf({ text, pattern, start, flags }, { nth, group }, 'regexp_instr');
      return part === null ? 0 : codePoints(text.slice(0, end === 1 ? part.end : part.start)) + 1;
    },
  }),
  row('regexp_substr(text, text, int4, int4, text, int4) text', 2, ['1', '1', "''", '0'], {
    summary: 'The n-th match, or a group of it.',
    argNames: ['string', 'pattern', 'start', 'N', 'flags', 'subexpr'],
    example: ["SELECT regexp_substr('number of your street, town zip, FR', '[^,]+', 1, 2)", ' town zip'],
    evaluate: (text: string, pattern: string, start: number, nth: number, ...rest: unknown[]) => {
      const [flags, group] = rest as [string, number];
      const part = partOf({ text, pattern, start, flags }, { nth, group }, 'regexp_substr');
      return part === null ? null : text.slice(part.start, part.end);
    },
  }),
  ...[3, 4].map(
    (count): ScalarFunction => ({
      name: 'regexp_replace',
      args: new Array<string>(count).fill('text'),
      returns: 'text',
      summary: 'The first match, or with flag g every match, replaced.',
      example: [`SELECT regexp_replace('Thomas', '.[mN]a.', 'M'${count === 4 ? ", 'g'" : ''})`, 'ThM'],
      evaluate: replaceFlagged,
    }),
  ),
  row('regexp_replace(text, text, text, int4, int4, text) text', 4, ['1', "''"], {
    summary: 'The n-th match from a position on replaced; every match for 0.',
    argNames: ['string', 'pattern', 'replacement', 'start', 'N', 'flags'],
    example: [
      "SELECT regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 3, 'i')",
      'A PostgrXSQL function',
    ],
    evaluate: (text: string, pattern: string, template: string, start: number, ...rest: unknown[]) => {
      const [nth, flags] = rest as [number, string];
      return replace({ text, pattern, start, flags }, template, check(nth, 'n', 0));
    },
  }),
];
