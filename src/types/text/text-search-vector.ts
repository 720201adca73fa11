/**
 * tsvector: the lexemes of a text with their positions and weights, as PostgreSQL 18 writes them (tsvector.c).
 * The datum is the canonical text; functions read it with `parseTsVector`.
 */
import { SqlError } from '../../errors.ts';
import { checkText, compareBytes, encodeText, viewOf } from '../column/bytes.ts';
import { OID } from '../oids.ts';
import { TEXT_CODEC } from './text.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary } from '../type-errors.ts';

export const POSITION_MAX = 16_383;
const POSITIONS_MAX = 256;
/** By number: D is 0. */
export const WEIGHTS = 'DCBA';
const WEIGHT_SHIFT = 14;

/** Positions hold the weight (0: D … 3: A) above 14 bits, ascending by place; none when they were stripped. */
export interface Lexeme {
  readonly word: string;
  readonly positions: readonly number[];
}

/** Unique words, ascending by their bytes. */
export type TsVector = readonly Lexeme[];

export const placeOf = (position: number): number => position & POSITION_MAX;
export const weightOf = (position: number): number => position >> WEIGHT_SHIFT;
export const withWeight = (position: number, weight: number): number =>
  placeOf(position) | (weight << WEIGHT_SHIFT);

/** Sorted, with equal words joined; of equal places the greatest weight stays. */
export function makeTsVector(lexemes: readonly Lexeme[]): TsVector {
  const byWord = new Map<string, number[]>();
  for (const { word, positions } of lexemes) {
    const known = byWord.get(word);
    if (known) known.push(...positions);
    else byWord.set(word, [...positions]);
  }
  return [...byWord]
    .map(([word, positions]) => ({ word, bytes: encodeText(word), positions: uniquePlaces(positions) }))
    .sort((a, b) => compareBytes(a.bytes, b.bytes))
    .map(({ word, positions }) => ({ word, positions }));
}

function uniquePlaces(positions: readonly number[]): readonly number[] {
  if (positions.length < 2) return positions;
  const sorted = [...positions].sort((a, b) => placeOf(a) - placeOf(b) || weightOf(b) - weightOf(a));
  const unique = sorted.filter((position, i) => i === 0 || placeOf(position) !== placeOf(sorted[i - 1] ?? 0));
  return unique.slice(0, POSITIONS_MAX);
}

export function formatTsVector(vector: TsVector): string {
  return vector
    .map(({ word, positions }) => {
      const places = positions.map((position) => {
        const weight = weightOf(position);
        return `${placeOf(position)}${weight === 0 ? '' : WEIGHTS[weight]}`;
      });
      return `${quoteLexeme(word)}${places.length > 0 ? `:${places.join(',')}` : ''}`;
    })
    .join(' ');
}

export function quoteLexeme(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}

/** A quoted word; an unquoted one; the positions behind it. */
const QUOTED = /'((?:[^'\\]|''|\\[\s\S])*)'/y;
const BARE = /(?:[^\s:\\']|\\[\s\S]|(?<!^|\s)')+/y;
const POSITIONS = /:(\d+[A-Da-d*]?(?:,\d+[A-Da-d*]?)*)/y;

/** @throws SqlError 42601. */
export function parseTsVector(text: string): TsVector {
  const lexemes: Lexeme[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return null;
    at = pattern.lastIndex;
    return match[1] ?? match[0];
  };
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++;
    if (at >= text.length) return makeTsVector(lexemes);
    const quoted = text[at] === "'";
    const written = take(quoted ? QUOTED : BARE);
    const word = written?.replace(/\\([\s\S])/g, '$1').replace(/''/g, quoted ? "'" : "''");
    const positions = text[at] === ':' ? take(POSITIONS) : '';
    if (!word || positions === null) throw syntaxError(text);
    const delimited = at >= text.length || /[\s']/.test(text[at] ?? '');
    if (!delimited) throw syntaxError(text);
    lexemes.push({ word, positions: positions === '' ? [] : positions.split(',').map(parsePosition) });
  }
}

const syntaxError = (text: string): SqlError =>
  new SqlError('syntax_error', `syntax error in tsvector: "${text}"`);

function parsePosition(text: string): number {
  const place = Number.parseInt(text, 10);
  if (place === 0) {
    throw new SqlError('syntax_error', `wrong position info in tsvector: "${text}"`);
  }
  const letter = (/[A-Da-d*]$/.exec(text)?.[0] ?? 'D').toUpperCase().replace('*', 'A');
  return withWeight(Math.min(place, POSITION_MAX), WEIGHTS.indexOf(letter));
}

/** The datum is the canonical text. */
export const TSVECTOR: SqlType = {
  oid: OID.tsvector,
  name: 'tsvector',
  displayName: 'tsvector',
  arrayOid: 3643,
  category: 'U',
  typlen: -1,
  vector: 'text',
  parse: (text) => formatTsVector(parseTsVector(checkText(text))),
  format: TEXT_CODEC.format,
  receive: (bytes) => formatTsVector(receiveTsVector(bytes)),
  send: (datum) => sendTsVector(parseTsVector(datum as string)),
  hashKey: (datum) => datum as string,
};

/** int32 count; of each: the word, a zero byte, uint16 count of positions, uint16 each. */
function sendTsVector(vector: TsVector): Uint8Array {
  const parts: Uint8Array[] = [new Uint8Array(4)];
  viewOf(parts[0] as Uint8Array).setInt32(0, vector.length);
  for (const { word, positions } of vector) {
    const tail = new Uint8Array(3 + 2 * positions.length);
    viewOf(tail).setUint16(1, positions.length);
    for (const [i, position] of positions.entries()) viewOf(tail).setUint16(3 + 2 * i, position);
    parts.push(encodeText(word), tail);
  }
  return Buffer.concat(parts);
}

/** @throws SqlError 22P03. */
function receiveTsVector(bytes: Uint8Array): TsVector {
  const view = viewOf(bytes);
  const lexemes: Lexeme[] = [];
  let at = 4;
  for (let left = bytes.length < 4 ? -1 : view.getInt32(0); left > 0; left--) {
    const end = bytes.indexOf(0, at);
    if (end < at || end + 3 > bytes.length) throw invalidBinary();
    const count = view.getUint16(end + 1);
    if (end + 3 + 2 * count > bytes.length) throw invalidBinary();
    const positions = Array.from({ length: count }, (_, i) => view.getUint16(end + 3 + 2 * i));
    lexemes.push({ word: checkText(Buffer.from(bytes.subarray(at, end)).toString()), positions });
    at = end + 3 + 2 * count;
  }
  if (at !== bytes.length) throw invalidBinary();
  return makeTsVector(lexemes);
}
