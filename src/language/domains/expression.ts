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

export interface Signed {
  readonly operand: Operand;
  readonly isMinus: boolean;
}

/** `factor × (sum) / (sum)`, as most measures are; `under` is empty for an amount. */
export interface Quotient {
  readonly factor: number;
  readonly over: readonly Signed[];
  readonly under: readonly Signed[];
}

/** Null where the formula is something else. */
export function quotientOf(expression: Expression): Quotient | null {
  if (expression.kind === 'binary' && expression.sign === '/') {
    const over = quotientOf(expression.left);
    const under = sumOf(expression.right);
    return over === null || over.under.length > 0 || under === null ? null : { ...over, under };
  }
  if (expression.kind === 'binary' && expression.sign === '*') {
    const { left, right } = expression;
    const inner = left.kind === 'number' ? quotientOf(right) : null;
    return left.kind !== 'number' || inner === null ? null : { ...inner, factor: left.value * inner.factor };
  }
  const over = sumOf(expression);
  return over === null ? null : { factor: 1, over, under: [] };
}

function sumOf(expression: Expression): readonly Signed[] | null {
  if (expression.kind === 'operand') return [{ operand: expression, isMinus: false }];
  if (expression.kind === 'number' || expression.sign === '*' || expression.sign === '/') return null;
  const [left, right] = [sumOf(expression.left), sumOf(expression.right)];
  if (left === null || right === null) return null;
  const isTurned = expression.sign === '-';
  return [
    ...left,
    ...right.map(({ operand: one, isMinus }) => ({ operand: one, isMinus: isMinus !== isTurned })),
  ];
}
