/**
 * The formula that a question gives itself: `DPO is defined as: 365 * (average payables between 2016 and
 * 2017) / (2017 cost of sales + change in inventory)`. Read whole or not at all: what is not understood is no formula.
 */
import { type Expression, FORMULA_DEPTH_MAX, type Sign } from '../../language/domains/expression.ts';
import type { Vocabulary } from '../../language/domains/vocabulary.ts';
import type { Stretch } from './forms.ts';
import { yearsIn } from './periods.ts';
import { firstOf, type Phrased, phrased, textOf } from './phrased.ts';
import type { Token } from './tokens.ts';

export interface Definition {
  /** The thing defined, in the question's words. */
  readonly subject: string;
  readonly formula: Expression;
  /** The period's own year; null where it names none. */
  readonly year: number | null;
  /** Names of operands that no row of the vocabulary has, by the ids that the formula gives them. */
  readonly names: ReadonlyMap<string, string>;
}

/** @param whole the question with all that it says of its answer. */
export function definitionIn(whole: Phrased, vocabulary: Vocabulary): Definition | null {
  const { tokens, grammar } = whole;
  const found = grammar === null ? null : firstOf(grammar.forms.definitions, tokens);
  if (found === null) return null;
  const end = sentenceEnd(tokens, found.to);
  const { A: slot = { from: sentenceStart(tokens, found.from), to: found.from } } = found.slots;
  const subject = subjectIn(whole, slot);
  const parser = new DefinitionParser({ whole, vocabulary, to: end });
  const formula = parser.parse(tokens[found.to]?.word === ':' ? found.to + 1 : found.to);
  if (formula === null || formula.kind !== 'binary' || parser.year === undefined) return null;
  return { subject, formula, year: parser.year, names: parser.names };
}

/** Without articles before and forms of to be behind it. */
function subjectIn(whole: Phrased, { from, to }: Stretch): string {
  const { tokens, grammar } = whole;
  const is = (tag: 'article' | 'be', at: number): boolean => grammar?.at(tag, tokens, at) === 1;
  let [start, end] = [from, to];
  while (start < end && is('article', start)) start++;
  while (end > start && is('be', end - 1)) end--;
  return textOf(whole, { from: start, to: end });
}

const isEnd = (token: Token | undefined): boolean =>
  token === undefined || (token.kind === 'mark' && /^[.?!;。？！；]$/u.test(token.word));

function sentenceEnd(tokens: readonly Token[], from: number): number {
  const end = tokens.findIndex((token, i) => i >= from && isEnd(token));
  return end < 0 ? tokens.length : end;
}

function sentenceStart(tokens: readonly Token[], before: number): number {
  let from = before;
  while (from > 0 && !isEnd(tokens[from - 1])) from--;
  return from;
}

const SIGNS: readonly (readonly ['plus' | 'minus' | 'times' | 'divided by', Sign])[] = [
  ['divided by', '/'],
  ['times', '*'],
  ['plus', '+'],
  ['minus', '-'],
];

interface Read {
  readonly whole: Phrased;
  readonly vocabulary: Vocabulary;
  /** Where the sentence ends. */
  readonly to: number;
}

/** Thrown inside the parser alone. */
class NotUnderstood extends Error {}

class DefinitionParser {
  readonly names = new Map<string, string>();
  /** Undefined: its years are of no one period and the one before. */
  year: number | null | undefined = null;
  readonly #read: Read;
  /** Years that operands name, by how they are used. */
  readonly #stated: { readonly years: readonly number[]; readonly isOfTwo: boolean }[] = [];
  #at = 0;

  constructor(read: Read) {
    this.#read = read;
  }

  parse(from: number): Expression | null {
    this.#at = from;
    try {
      const formula = this.#sum(0);
      this.year = this.#yearOfAll();
      return this.#at < this.#read.to ? null : formula;
    } catch (error) {
      if (error instanceof NotUnderstood) return null;
      throw error;
    }
  }

  /** The latest; each operand is of it, or of it and the one before. */
  #yearOfAll(): number | null | undefined {
    const all = this.#stated.flatMap(({ years }) => years);
    if (all.length === 0) return null;
    const last = Math.max(...all);
    const isOfIt = this.#stated.every(
      ({ years, isOfTwo }) =>
        years.length === 0 ||
        (isOfTwo && years.length === 2 && years[0] === last - 1 && years[1] === last) ||
        (!isOfTwo && years.length === 1 && years[0] === last),
    );
    return isOfIt ? last : undefined;
  }

  #sum(depth: number): Expression {
    let left = this.#product(depth);
    for (let sign = this.#sign('+', '-'); sign !== null; sign = this.#sign('+', '-'))
      left = { kind: 'binary', sign, left, right: this.#product(depth) };
    return left;
  }

  #product(depth: number): Expression {
    let left = this.#factor(depth);
    for (let sign = this.#sign('*', '/'); sign !== null; sign = this.#sign('*', '/'))
      left = { kind: 'binary', sign, left, right: this.#factor(depth) };
    return left;
  }

  #factor(depth: number): Expression {
    if (depth > FORMULA_DEPTH_MAX) throw new NotUnderstood();
    const token = this.#token(this.#at);
    if (token === undefined) throw new NotUnderstood();
    if (token.kind === 'number' && /^\d+(?:\.\d+)?$/.test(token.word)) {
      this.#at += 1;
      this.#skip();
      return { kind: 'number', value: Number(token.word) };
    }
    if (token.word === '(') {
      this.#at += 1;
      const inner = this.#sum(depth + 1);
      if (this.#token(this.#at)?.word !== ')') throw new NotUnderstood();
      this.#at += 1;
      this.#skip();
      return inner;
    }
    return this.#operand();
  }

  #token(at: number): Token | undefined {
    return at < this.#read.to ? this.#read.whole.tokens[at] : undefined;
  }

  /** Passes what stands in square brackets: where a line is found. */
  #skip(): void {
    if (this.#token(this.#at)?.word !== '[') return;
    while (this.#token(this.#at) !== undefined && this.#token(this.#at)?.word !== ']') this.#at++;
    this.#at++;
  }

  #signAt(at: number): { readonly sign: Sign; readonly length: number } | null {
    const { tokens, grammar } = this.#read.whole;
    for (const [tag, sign] of SIGNS) {
      const length = grammar?.at(tag, tokens, at) ?? 0;
      if (length > 0) return { sign, length };
    }
    return null;
  }

  #sign(...wanted: readonly Sign[]): Sign | null {
    const found = this.#token(this.#at) === undefined ? null : this.#signAt(this.#at);
    if (found === null || !wanted.includes(found.sign)) return null;
    this.#at += found.length;
    return found.sign;
  }

  #operand(): Expression {
    const from = this.#at;
    while (this.#isOfOperand(this.#at)) this.#at++;
    const to = this.#at;
    this.#skip();
    if (to === from) throw new NotUnderstood();
    return this.#named(phrased(textOf(this.#read.whole, { from, to }), this.#read.whole));
  }

  #isOfOperand(at: number): boolean {
    const token = this.#token(at);
    return token !== undefined && !'()[]'.includes(token.word) && this.#signAt(at) === null;
  }

  /** `average inventory between 2016 and 2017`, `the change in payables`, `2017 revenue`. */
  #named(named: Phrased): Expression {
    const { grammar } = named;
    const at = (tag: 'article' | 'mean' | 'change', place: number): number =>
      grammar?.at(tag, named.tokens, place) ?? 0;
    let start = at('article', 0);
    const mean = at('mean', start);
    const change = mean > 0 ? 0 : at('change', start);
    start += mean + change;
    const years = yearsIn(named.text);
    this.#stated.push({ years, isOfTwo: mean + change > 0 });
    const id = this.#idOf(withoutPeriod(named, start));
    const operand = { kind: 'operand', id, isOptional: false } as const;
    if (change > 0) {
      const [left, right] = [
        { ...operand, role: 'current' } as const,
        { ...operand, role: 'prior' } as const,
      ];
      return { kind: 'binary', sign: '-', left, right };
    }
    return { ...operand, role: mean > 0 ? 'average' : 'current' };
  }

  #idOf(name: string): string {
    if (!/\p{L}{2}/u.test(name)) throw new NotUnderstood();
    const rows = this.#read.vocabulary.rowsIn(name).filter(({ row }) => row.kind === 'line');
    const [only, ...others] = rows;
    // `cost of sales and services` is no cost of sales.
    const isWhole = only !== undefined && others.length === 0 && only.end >= name.length;
    if (isWhole) return only.row.id;
    const id = `said ${name.toLowerCase()}`;
    this.names.set(id, name);
    return id;
  }
}

/** The words of a line, without years and the words around them. */
function withoutPeriod({ text, tokens, grammar }: Phrased, from: number): string {
  const isTime = (i: number): boolean =>
    tokens[i]?.kind === 'year' ||
    TIME_TAGS.some((tag) =>
      [1, 2, 3].some((count) => (grammar?.at(tag, tokens, i - count + 1) ?? 0) >= count),
    );
  let [start, end] = [from, tokens.length];
  while (start < end && isTime(start)) start++;
  const year = tokens.findIndex(({ kind }, i) => kind === 'year' && i >= start);
  if (year >= 0) end = year;
  while (end > start && isTime(end - 1)) end--;
  return text.slice(tokens[start]?.start ?? 0, tokens[end - 1]?.end ?? 0);
}

const TIME_TAGS = ['at time', 'article', 'year', 'in', 'of', 'between'] as const;
