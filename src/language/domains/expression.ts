/**
 * Formulas of measures: `(revenue - cost_of_sales) / revenue`, `365 * average(inventories) / cost_of_sales`. Operands are
 * ids of lines, with a role: of the period itself, of the one before, or the mean of both ends. A formula is data: one
 * parser, one evaluator.
 */

export type Role = 'current' | 'prior' | 'average';

export interface Operand {
  readonly kind: 'operand';
  readonly id: string;
  readonly role: Role;
  /** It counts as nothing where there is none. */
  readonly isOptional: boolean;
}

export type Sign = '+' | '-' | '*' | '/';

export type Expression =
  | Operand
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'binary';
      readonly sign: Sign;
      readonly left: Expression;
      readonly right: Expression;
    };

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|(\p{L}[\p{L}\p{N}_]*)|([-+*/()]))/uy;
const FORMULA_CHARACTERS_MAX = 1_000;
/** Brackets within brackets. */
export const FORMULA_DEPTH_MAX = 20;

export class FormulaError extends Error {}

/** @throws FormulaError, which says what is wrong. */
export function parseFormula(text: string): Expression {
  if (text.length > FORMULA_CHARACTERS_MAX)
    throw new FormulaError(`a formula has at most ${FORMULA_CHARACTERS_MAX} characters`);
  return new FormulaParser(tokensOf(text)).whole();
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const rest = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < rest.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(rest);
    if (found === null)
      throw new FormulaError(`"${rest.slice(at).trim().slice(0, 20)}" is no part of a formula`);
    tokens.push((found[1] ?? found[2] ?? found[3]) as string);
  }
  return tokens;
}

class FormulaParser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#sum(0);
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new FormulaError(`"${rest}" stands where the formula should end`);
    return expression;
  }

  #take(...wanted: readonly string[]): string | null {
    const token = this.#tokens[this.#at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.#at += 1;
    return token;
  }

  #sum(depth: number): Expression {
    let left = this.#product(depth);
    for (let sign = this.#take('+', '-'); sign !== null; sign = this.#take('+', '-'))
      left = { kind: 'binary', sign: sign as Sign, left, right: this.#product(depth) };
    return left;
  }

  #product(depth: number): Expression {
    let left = this.#factor(depth);
    for (let sign = this.#take('*', '/'); sign !== null; sign = this.#take('*', '/'))
      left = { kind: 'binary', sign: sign as Sign, left, right: this.#factor(depth) };
    return left;
  }

  #factor(depth: number): Expression {
    if (depth > FORMULA_DEPTH_MAX) throw new FormulaError('its brackets are nested too deep');
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new FormulaError('it ends where an operand should stand');
    this.#at += 1;
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) };
    if (token === '(') return this.#closed(this.#sum(depth + 1));
    if (!/^\p{L}/u.test(token)) throw new FormulaError(`"${token}" stands where an operand should`);
    const isCall = this.#take('(') !== null;
    return isCall ? this.#closed(calledBy(token, this.#sum(depth + 1))) : operand(token);
  }

  #closed(inner: Expression): Expression {
    if (this.#take(')') === null) throw new FormulaError('a bracket is not closed');
    return inner;
  }
}

const operand = (id: string): Operand => ({ kind: 'operand', id, role: 'current', isOptional: false });

function calledBy(name: string, inner: Expression): Expression {
  if (inner.kind !== 'operand') throw new FormulaError(`${name}() takes one operand`);
  if (name === 'average' || name === 'prior') return { ...inner, role: name };
  if (name === 'optional') return { ...inner, isOptional: true };
  throw new FormulaError(`"${name}" is not average(), prior() or optional()`);
}

/** In their order. */
export function operandsOf(expression: Expression): readonly Operand[] {
  if (expression.kind === 'operand') return [expression];
  return expression.kind === 'number'
    ? []
    : [...operandsOf(expression.left), ...operandsOf(expression.right)];
}

/** @param valueFor null where there is no such value. @returns null where one is missing, or nothing is divided by. */
export function evaluate(
  expression: Expression,
  valueFor: (operand: Operand) => number | null,
): number | null {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'operand':
      return valueFor(expression) ?? (expression.isOptional ? 0 : null);
    default: {
      const left = evaluate(expression.left, valueFor);
      const right = evaluate(expression.right, valueFor);
      if (left === null || right === null) return null;
      const value = calculated(expression.sign, left, right);
      return Number.isFinite(value) ? value : null;
    }
  }
}

function calculated(sign: Sign, left: number, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  return sign === '*' ? left * right : left / right;
}

/** How many amounts are multiplied in it: 1 for an amount, 0 for a ratio of two; null for a sum of unlike things. */
export function degreeOf(expression: Expression): number | null {
  if (expression.kind !== 'binary') return expression.kind === 'operand' ? 1 : 0;
  const [left, right] = [degreeOf(expression.left), degreeOf(expression.right)];
  if (left === null || right === null) return null;
  if (expression.sign === '*') return left + right;
  if (expression.sign === '/') return left - right;
  return left === right ? left : null;
}

const STRENGTHS: Readonly<Record<Sign, number>> = { '+': 1, '-': 1, '*': 2, '/': 2 };
const SIGNS: Readonly<Record<Sign, string>> = { '+': '+', '-': '−', '*': '×', '/': '/' };

/** `(a − b) / c`, with brackets where they count. @param textFor null for an operand that is left out. */
export function writeFormula(
  expression: Expression,
  textFor: (operand: Operand) => string | null,
): string | null {
  if (expression.kind === 'number') return String(expression.value);
  if (expression.kind === 'operand') return textFor(expression);
  const { sign, left, right } = expression;
  const [first, second] = [left, right].map((side) => writeFormula(side, textFor));
  if (first == null || second == null) return first ?? second ?? null;
  const bracketed = (side: Expression, text: string, least: number): string =>
    side.kind === 'binary' && STRENGTHS[side.sign] < least ? `(${text})` : text;
  const strength = STRENGTHS[sign];
  const isOrdered = sign === '-' || sign === '/';
  const after = bracketed(right, second, strength + (isOrdered ? 1 : 0));
  return `${bracketed(left, first, strength)} ${SIGNS[sign]} ${after}`;
}
