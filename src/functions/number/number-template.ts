/**
 * to_char and to_number for numbers: `FM999G990D00PR`. The locale is C: `.` and `,`, and a blank for the
 * currency. Source: NUM_processor of PostgreSQL 18's formatting.c.
 */
import { SqlError } from '../../errors.ts';
import type { NumericDatum } from '../../types/datum.ts';
import {
  divideNumeric,
  formatNumeric,
  numericOf,
  multiplyNumeric,
  parseNumeric,
  pow10,
  roundNumeric,
} from '../../types/number/numeric.ts';
import { ordinalSuffix } from '../time/datetime-to-char.ts';

interface Node {
  /** `9 0 . , S SG PL MI PR L TH th RN rn V EEEE B` or `literal`. */
  readonly key: string;
  readonly text: string;
}

interface Layout {
  readonly nodes: readonly Node[];
  /** Digits before and after the point. */
  readonly before: number;
  readonly after: number;
  /** Digits after V: powers of ten. */
  readonly shift: number;
  /** 0-based place of the first `0`, -1 without one; and one past the last. */
  readonly zeroStart: number;
  readonly zeroEnd: number;
  readonly fill: boolean;
  readonly point: boolean;
  readonly brackets: boolean;
  readonly plus: boolean;
  readonly minus: boolean;
  readonly sign: 'none' | 'before' | 'after';
}

const KEYS = /^(?:EEEE|FM|SG|PL|MI|PR|TH|RN|9|0|\.|,|D|G|S|L|V|B)/i;

function syntax(message: string): SqlError {
  return new SqlError('syntax_error', message);
}

function tokens(template: string): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  while (at < template.length) {
    const quoted = /^"((?:[^"\\]|\\.)*)"?/su.exec(template.slice(at));
    const key = KEYS.exec(template.slice(at))?.[0];
    if (quoted !== null) {
      nodes.push({ key: 'literal', text: (quoted[1] ?? '').replace(/\\(.)/gsu, '$1') });
      at += quoted[0].length;
    } else if (key !== undefined) {
      const cased = /^(?:th|rn)$/i.test(key) ? key : key.toUpperCase();
      nodes.push({ key: { D: '.', G: ',' }[cased] ?? cased, text: key });
      at += key.length;
    } else {
      const character = String.fromCodePoint(template.codePointAt(at) ?? 0);
      nodes.push({ key: 'literal', text: character });
      at += character.length;
    }
  }
  return nodes;
}

/** @throws SqlError 42601 */
function layoutOf(template: string): Layout {
  const nodes = tokens(template);
  const state = {
    before: 0,
    after: 0,
    shift: 0,
    zeroStart: -1,
    zeroEnd: 0,
    point: false,
    multiply: false,
    bracketed: false,
  };
  let sign: Layout['sign'] = 'none';
  let signAt = -1;
  for (const { key } of nodes) {
    if (key === 'V') state.multiply = true;
    else if (key === '.') {
      if (state.point) throw syntax('multiple decimal points');
      if (state.multiply) throw syntax('cannot use "V" and decimal point together');
      state.point = true;
    } else if (key === '9' || key === '0') countDigit(state, key);
    else if (key === 'S') {
      if (sign !== 'none') throw syntax('cannot use "S" twice');
      sign = state.point ? 'after' : 'before';
      signAt = state.before;
    }
  }
  const has = (key: string): boolean => nodes.some((node) => node.key === key);
  if (sign === 'before' && signAt === state.before) sign = 'after';
  if (sign !== 'none' && (has('PL') || has('MI') || has('SG') || has('PR'))) {
    throw syntax('cannot use "S" and "PL"/"MI"/"SG"/"PR" together');
  }
  return {
    nodes: nodes.filter(({ key }) => key !== 'FM'),
    ...state,
    fill: has('FM'),
    brackets: has('PR'),
    plus: has('PL') || has('SG'),
    minus: has('MI') || has('SG'),
    sign,
  };
}

function countDigit(
  state: {
    before: number;
    after: number;
    shift: number;
    zeroStart: number;
    zeroEnd: number;
    point: boolean;
    multiply: boolean;
  },
  key: string,
): void {
  if (key === '9' && state.multiply) {
    state.shift++;
    return;
  }
  if (key === '0' && state.zeroStart === -1 && !state.point) state.zeroStart = state.before;
  if (state.point) state.after++;
  else state.before++;
  if (key === '0') state.zeroEnd = state.before + state.after;
}

/** @param value any number as numeric. @throws SqlError 42601 */
export function numberToChar(value: NumericDatum, template: string): string {
  const layout = layoutOf(template);
  const roman = layout.nodes.find(({ key }) => /^rn$/i.test(key));
  if (roman !== undefined) return toRoman(value, roman.text, layout.fill);
  if (layout.nodes.some(({ key }) => key === 'EEEE')) return scientific(value, layout);
  const shifted = layout.shift > 0 ? multiplyNumeric(value, numericOf(pow10(layout.shift))) : value;
  const before = layout.before + layout.shift;
  const text =
    value.special === undefined ? formatNumeric(roundNumeric(shifted, layout.after)) : value.special;
  const negative = text.startsWith('-');
  const number = negative ? text.slice(1) : text;
  const length = number.includes('.') ? number.indexOf('.') : number.length;
  const fits = length <= before || value.special !== undefined;
  const hashes =
    '#'.repeat(before) + (layout.after > 0 || layout.point ? `.${'#'.repeat(layout.after)}` : '');
  return new Writer({
    layout: { ...layout, before },
    number: fits ? number : hashes,
    blanks: Math.max(0, before - length),
    negative,
  }).write();
}

interface Writing {
  readonly layout: Layout;
  readonly number: string;
  readonly blanks: number;
  readonly negative: boolean;
}

/** One pass over the nodes, digit by digit: NUM_numpart_to_char. */
class Writer {
  readonly #writing: Writing;
  readonly #lastRelevant: number;
  readonly #count: number;
  #signWritten: boolean;
  #place = 0;
  #at = 0;
  #inNumber = false;
  #out = '';

  constructor(writing: Writing) {
    this.#writing = writing;
    const { layout, negative, blanks, number } = writing;
    if (layout.plus || layout.minus) this.#signWritten = layout.minus;
    else this.#signWritten = !negative && layout.fill && layout.sign === 'none' && !layout.brackets;
    this.#lastRelevant = layout.fill && layout.point ? lastRelevant(number, layout.zeroEnd - blanks) : -1;
    this.#count = layout.after + layout.before - 1 + (!this.#signWritten && blanks === 0 ? 1 : 0);
  }

  write(): string {
    for (const node of this.#writing.layout.nodes) this.#node(node);
    return this.#out;
  }

  #node({ key, text }: Node): void {
    const { layout, negative, number } = this.#writing;
    switch (key) {
      case '9':
      case '0':
      case '.':
        this.#digit(key);
        return;
      case ',':
        if (this.#inNumber) this.#out += ',';
        else if (!layout.fill) this.#out += ' ';
        return;
      case 'L':
        this.#out += ' ';
        return;
      case 'TH':
      case 'th':
        if (number.startsWith('#') || negative || layout.point) return;
        this.#out += key === 'TH' ? ordinalSuffix(number).toUpperCase() : ordinalSuffix(number);
        return;
      case 'MI':
        this.#out += negative ? '-' : layout.fill ? '' : ' ';
        return;
      case 'PL':
        this.#out += negative ? (layout.fill ? '' : ' ') : '+';
        return;
      case 'SG':
        this.#out += negative ? '-' : '+';
        return;
      case 'literal':
        this.#out += text;
    }
  }

  /** "9.9" of 0.1 is " .1". */
  #beforePoint(): boolean {
    const { layout, number } = this.#writing;
    return layout.zeroStart === -1 && this.#at === 0 && number.startsWith('0') && layout.after !== 0;
  }

  #pointIsLast(): boolean {
    return this.#lastRelevant !== -1 && this.#writing.number[this.#lastRelevant] === '.';
  }

  #sign(): void {
    const { layout, blanks, negative } = this.#writing;
    const begins = this.#place >= blanks || layout.zeroStart === this.#place;
    if (this.#signWritten || !begins || (this.#beforePoint() && !this.#pointIsLast())) return;
    if (layout.sign === 'after') return;
    if (layout.sign === 'before') this.#out += negative ? '-' : '+';
    else if (layout.brackets) this.#out += negative ? '<' : layout.fill ? '' : ' ';
    else if (negative) this.#out += '-';
    else if (!layout.fill) this.#out += ' ';
    this.#signWritten = true;
  }

  #digit(key: string): void {
    const { layout, blanks, negative } = this.#writing;
    this.#inNumber = false;
    this.#sign();
    const zero = layout.zeroStart !== -1 && layout.zeroStart <= this.#place;
    if (this.#place < blanks && !zero) this.#out += layout.fill ? '' : ' ';
    else if (this.#place < blanks) {
      this.#out += '0';
      this.#inNumber = true;
    } else this.#ownDigit(key);
    const { number } = this.#writing;
    const all = this.#count + (blanks > 0 ? 1 : 0) + (layout.point ? 1 : 0);
    const ended = this.#lastRelevant !== -1 && this.#lastRelevant === this.#at && this.#at < number.length;
    const end = ended ? this.#place : all;
    if (this.#place + 1 === end) {
      if (this.#signWritten && layout.brackets) this.#out += negative ? '>' : layout.fill ? '' : ' ';
      else if (layout.sign === 'after') this.#out += negative ? '-' : '+';
    }
    this.#place++;
  }

  #ownDigit(key: string): void {
    const { layout, number } = this.#writing;
    const character = number[this.#at];
    if (character === '.') this.#out += '.';
    else if (this.#lastRelevant !== -1 && this.#at > this.#lastRelevant && key !== '0') {
      // FM drops the zeros at the end
    } else if (this.#beforePoint()) {
      if (!layout.fill) this.#out += ' ';
      else if (this.#pointIsLast()) this.#out += '0';
    } else if (character !== undefined) {
      this.#out += character;
      this.#inNumber = true;
    }
    if (character !== undefined) this.#at++;
  }
}

/** Position of the last digit after the point that FM keeps; the point itself; -1 without one. */
function lastRelevant(number: string, zeroEnd: number): number {
  const point = number.indexOf('.');
  if (point === -1) return -1;
  const last = number.replace(/0+$/, '').length - 1;
  return Math.max(point, last, zeroEnd > 0 ? Math.min(number.length - 1, zeroEnd) : -1);
}

const ROMANS: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];
const ROMAN_WIDTH = 15;

function toRoman(value: NumericDatum, written: string, fill: boolean): string {
  const number = value.special === undefined ? Number(formatNumeric(roundNumeric(value))) : 0;
  if (number < 1 || number > 3999) return '#'.repeat(ROMAN_WIDTH);
  let rest = number;
  let roman = '';
  for (const [size, letters] of ROMANS) {
    roman += letters.repeat(Math.trunc(rest / size));
    rest %= size;
  }
  const cased = written === 'rn' ? roman.toLowerCase() : roman;
  return fill ? cased : cased.padStart(ROMAN_WIDTH);
}

function scientific(value: NumericDatum, { after, before }: Layout): string {
  if (value.special !== undefined) return ` ${'#'.repeat(before + 1)}${'#'.repeat(after)}####`;
  const [mantissa = '', exponent = ''] = Number(formatNumeric(value)).toExponential(after).split('e');
  const power = `${exponent.startsWith('-') ? '-' : '+'}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`;
  return `${mantissa.startsWith('-') ? '' : ' '}${mantissa}e${power}`;
}

/** @throws SqlError 22P02, 42601. */
export function toNumber(text: string, template: string): NumericDatum {
  const { nodes, shift } = layoutOf(template);
  let digits = '';
  let negative = false;
  let rest = text.trimStart();
  const takeSign = (): void => {
    rest = rest.trimStart();
    if (/^[-<]/.test(rest)) negative = true;
    if (/^[-+<>]/.test(rest)) rest = rest.slice(1);
  };
  for (const { key, text: literal } of nodes) {
    if (rest === '') break;
    if (key === '9' || key === '0') {
      rest = rest.trimStart();
      if (!/\d/.test(digits) && !/^\d/.test(rest)) takeSign();
      if (/^\d/.test(rest)) {
        digits += rest[0];
        rest = rest.slice(1);
      }
    } else if (key === '.') {
      if (rest.startsWith('.')) {
        digits += '.';
        rest = rest.slice(1);
      }
    } else if (key === ',') rest = rest.startsWith(',') ? rest.slice(1) : rest;
    else if (['S', 'SG', 'PL', 'MI', 'PR'].includes(key)) takeSign();
    else if (key === 'literal') rest = rest.slice(Math.min(rest.length, literal.length));
    else if (key === 'L') rest = /^\d/.test(rest) ? rest : rest.slice(1);
    else if (/^th$/i.test(key)) rest = rest.slice(2);
  }
  if (/^\s*[->]/.test(rest) && /S|MI|PR/i.test(template)) negative = true;
  if (!/\d/.test(digits)) {
    throw new SqlError('invalid_text_representation', 'invalid input syntax for type numeric: " "');
  }
  const value = parseNumeric((negative ? '-' : '') + digits);
  return shift === 0 ? value : divideNumeric(value, numericOf(pow10(shift)));
}
