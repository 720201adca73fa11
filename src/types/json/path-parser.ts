/**
 * Text to SQL/JSON path by recursive descent. A condition in parentheses may be continued as an item
 * (`(@.a == 1).type()`), so one function reads both and the place decides which is wanted.
 */
import { SqlError } from '../../errors.ts';
import {
  type ArithmeticOperator,
  type ComparisonOperator,
  isPathCondition,
  type JsonPath,
  METHODS,
  type MethodName,
  type PathArgument,
  type PathCondition,
  type PathNode,
  type PathRange,
  type PathStep,
} from './path.ts';
import { pathSyntaxError, pathTokens, type PathToken } from './path-tokens.ts';
import { negateNumeric, parseNumeric } from '../number/numeric.ts';

const COMPARISONS: ReadonlySet<string> = new Set(['==', '=', '!=', '<', '<=', '>', '>=']);
const DEPTH_MAX = 500;

/** @throws SqlError 42601, 22P02. */
export function parseJsonPath(text: string): JsonPath {
  return new PathParser(text).read();
}

class PathParser {
  readonly #text: string;
  readonly #tokens: readonly PathToken[];
  #at = 0;
  #depth = 0;
  /** `@` stands in filters only, `last` in subscripts only. */
  #filters = 0;
  #subscripts = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = pathTokens(text);
  }

  read(): JsonPath {
    if (this.#token().kind === 'end') {
      throw new SqlError(
        'invalid_text_representation',
        `invalid input syntax for type jsonpath: "${this.#text}"`,
      );
    }
    const strict = this.#takeWord('strict');
    if (!strict) this.#takeWord('lax');
    const root = this.#any();
    if (this.#token().kind !== 'end') throw this.#unexpected();
    return { lax: !strict, root };
  }

  #token(ahead = 0): PathToken {
    return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as PathToken;
  }

  #unexpected(): SqlError {
    const { kind, written } = this.#token();
    // The grammar sees a word when its scanner stands at what ends it: the text's end, most often.
    const isLast = kind === 'word' && this.#token(1).kind === 'end';
    if (kind === 'end' || isLast) return pathSyntaxError('syntax error at end of jsonpath input');
    return pathSyntaxError(`syntax error at or near "${written}" of jsonpath input`);
  }

  #isWord(word: string, ahead = 0): boolean {
    const { kind, text } = this.#token(ahead);
    return kind === 'word' && text.toLowerCase() === word;
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#at++;
    return true;
  }

  #isMark(mark: string, ahead = 0): boolean {
    const { kind, text } = this.#token(ahead);
    return kind === 'mark' && text === mark;
  }

  #takeMark(mark: string): boolean {
    if (!this.#isMark(mark)) return false;
    this.#at++;
    return true;
  }

  #expectMark(mark: string): void {
    if (!this.#takeMark(mark)) throw this.#unexpected();
  }

  /** An expression or a condition. */
  #any(): PathNode {
    if (++this.#depth > DEPTH_MAX) throw new SqlError('statement_too_complex', 'stack depth limit exceeded');
    let left = this.#conjunction();
    while (this.#isMark('||')) {
      const first = this.#asCondition(left);
      this.#at++;
      left = { kind: 'or', left: first, right: this.#asCondition(this.#conjunction()) };
    }
    this.#depth--;
    return left;
  }

  #conjunction(): PathNode {
    let left = this.#negation();
    while (this.#isMark('&&')) {
      const first = this.#asCondition(left);
      this.#at++;
      left = { kind: 'and', left: first, right: this.#asCondition(this.#negation()) };
    }
    return left;
  }

  #asCondition(node: PathNode): PathCondition {
    if (isPathCondition(node)) return node;
    throw this.#unexpected();
  }

  #asItem(node: PathNode): PathNode {
    if (!isPathCondition(node)) return node;
    throw this.#unexpected();
  }

  #negation(): PathNode {
    if (!this.#takeMark('!')) return this.#comparison();
    if (this.#isWord('exists')) return { kind: 'not', operand: this.#exists() };
    this.#expectMark('(');
    const operand = this.#asCondition(this.#any());
    this.#expectMark(')');
    return { kind: 'not', operand };
  }

  #exists(): PathCondition {
    this.#at++;
    this.#expectMark('(');
    const operand = this.#asItem(this.#any());
    this.#expectMark(')');
    return { kind: 'exists', operand };
  }

  #comparison(): PathNode {
    if (this.#isWord('exists') && this.#isMark('(', 1)) return this.#exists();
    const left = this.#sum();
    const { kind, text } = this.#token();
    if (kind === 'mark' && COMPARISONS.has(text)) {
      this.#asItem(left);
      this.#at++;
      const operator = (text === '=' ? '==' : text) as ComparisonOperator;
      return { kind: 'comparison', operator, left, right: this.#asItem(this.#sum()) };
    }
    if (this.#isWord('starts') && this.#isWord('with', 1)) {
      this.#asItem(left);
      this.#at += 2;
      return { kind: 'startsWith', left, right: this.#initial() };
    }
    if (this.#takeWord('like_regex')) return this.#likeRegex(this.#asItem(left));
    return left;
  }

  #initial(): PathNode {
    const { kind, text } = this.#token();
    if (kind !== 'string' && kind !== 'variable') throw this.#unexpected();
    this.#at++;
    return kind === 'string' ? { kind: 'literal', value: text } : { kind: 'variable', name: text };
  }

  #string(): string {
    const { kind, text } = this.#token();
    if (kind !== 'string') throw this.#unexpected();
    this.#at++;
    return text;
  }

  #likeRegex(operand: PathNode): PathCondition {
    const pattern = this.#string();
    const given = this.#takeWord('flag') ? this.#string() : '';
    const unknown = /[^ismxq]/.exec(given)?.[0];
    if (unknown !== undefined) {
      throw pathSyntaxError(
        'invalid input syntax for type jsonpath',
        `Unrecognized flag character "${unknown}" in LIKE_REGEX predicate.`,
      );
    }
    if (given.includes('x') && !given.includes('q')) {
      throw new SqlError(
        'feature_not_supported',
        'XQuery "x" flag (expanded regular expressions) is not implemented',
      );
    }
    const flags = Array.from('ismxq').filter((flag) => given.includes(flag));
    return { kind: 'likeRegex', operand, pattern, flags: flags.join('') };
  }

  #sum(): PathNode {
    let left = this.#product();
    while (this.#isMark('+') || this.#isMark('-')) left = this.#arithmetic(left, () => this.#product());
    return left;
  }

  #product(): PathNode {
    let left = this.#signed();
    while (this.#isMark('*') || this.#isMark('/') || this.#isMark('%')) {
      left = this.#arithmetic(left, () => this.#signed());
    }
    return left;
  }

  #arithmetic(left: PathNode, operand: () => PathNode): PathNode {
    this.#asItem(left);
    const operator = this.#token().text as ArithmeticOperator;
    this.#at++;
    return { kind: 'arithmetic', operator, left, right: this.#asItem(operand()) };
  }

  #signed(): PathNode {
    const { text } = this.#token();
    if (!this.#isMark('+') && !this.#isMark('-')) return this.#accessor();
    this.#at++;
    if (++this.#depth > DEPTH_MAX) throw new SqlError('statement_too_complex', 'stack depth limit exceeded');
    const operand = this.#asItem(this.#signed());
    this.#depth--;
    if (operand.kind === 'literal' && typeof operand.value === 'object' && operand.value !== null) {
      return text === '+' ? operand : { kind: 'literal', value: negateNumeric(operand.value) };
    }
    return { kind: 'sign', operator: text as '+' | '-', operand };
  }

  #accessor(): PathNode {
    const parenthesized = this.#isMark('(');
    const base = this.#primary();
    const steps: PathStep[] = [];
    for (let step = this.#step(); step !== null; step = this.#step()) steps.push(step);
    if (steps.length > 0) {
      return base.kind === 'path'
        ? { ...base, steps: [...base.steps, ...steps] }
        : { kind: 'path', base, steps };
    }
    if (parenthesized && isPathCondition(base) && this.#isWord('is') && this.#isWord('unknown', 1)) {
      this.#at += 2;
      return { kind: 'unknown', operand: base };
    }
    return base;
  }

  #primary(): PathNode {
    if (this.#takeMark('(')) {
      const inner = this.#any();
      this.#expectMark(')');
      return inner;
    }
    const token = this.#token();
    const node = this.#literal(token) ?? this.#place(token);
    if (node === null) throw this.#unexpected();
    this.#at++;
    return node;
  }

  #literal({ kind, text }: PathToken): PathNode | null {
    if (kind === 'string') return { kind: 'literal', value: text };
    if (kind === 'number') return { kind: 'literal', value: parseNumeric(text) };
    if (kind !== 'word') return null;
    if (text === 'null') return { kind: 'literal', value: null };
    return text === 'true' || text === 'false' ? { kind: 'literal', value: text === 'true' } : null;
  }

  #place({ kind, text }: PathToken): PathNode | null {
    if (kind === 'variable') return { kind: 'variable', name: text };
    if (this.#isMark('$')) return { kind: 'root' };
    if (this.#isMark('@')) {
      if (this.#filters === 0) throw pathSyntaxError('@ is not allowed in root expressions');
      return { kind: 'current' };
    }
    if (!this.#isWord('last')) return null;
    if (this.#subscripts === 0) throw pathSyntaxError('LAST is allowed only in array subscripts');
    return { kind: 'last' };
  }

  #step(): PathStep | null {
    if (this.#takeMark('.')) return this.#member();
    if (this.#takeMark('[')) return this.#elements();
    if (!this.#takeMark('?')) return null;
    this.#expectMark('(');
    this.#filters++;
    const condition = this.#asCondition(this.#any());
    this.#filters--;
    this.#expectMark(')');
    return { kind: 'filter', condition };
  }

  #member(): PathStep {
    if (this.#takeMark('*')) return { kind: 'anyKey' };
    if (this.#takeMark('**')) return this.#descendants();
    const { kind, text } = this.#token();
    if (kind !== 'word' && kind !== 'string') throw this.#unexpected();
    this.#at++;
    const method = text.toLowerCase();
    if (kind === 'word' && this.#isMark('(') && Object.hasOwn(METHODS, method)) {
      return { kind: 'method', name: method as MethodName, args: this.#arguments(method as MethodName) };
    }
    return { kind: 'key', name: text };
  }

  #arguments(name: MethodName): readonly PathArgument[] {
    this.#expectMark('(');
    const allowed = METHODS[name];
    const args: PathArgument[] = [];
    while (allowed !== null && !this.#isMark(')')) {
      if (args.length > 0) this.#expectMark(',');
      if (args.length === allowed.max) throw this.#unexpected();
      args.push(allowed.type === 'string' ? this.#string() : this.#integer(name === 'decimal'));
    }
    this.#expectMark(')');
    return args;
  }

  #integer(signed = false): number {
    const negative = signed && this.#takeMark('-');
    if (signed && !negative) this.#takeMark('+');
    const { kind, text } = this.#token();
    if (kind !== 'number' || !/^\d[\d_]*$/.test(text)) throw this.#unexpected();
    this.#at++;
    return Number(text.replaceAll('_', '')) * (negative ? -1 : 1);
  }

  #level(): number {
    return this.#takeWord('last') ? Number.POSITIVE_INFINITY : this.#integer();
  }

  #descendants(): PathStep {
    if (!this.#takeMark('{')) return { kind: 'descendants', first: 0, last: Number.POSITIVE_INFINITY };
    const first = this.#level();
    const last = this.#takeWord('to') ? this.#level() : first;
    this.#expectMark('}');
    return { kind: 'descendants', first, last };
  }

  #elements(): PathStep {
    if (this.#takeMark('*')) {
      this.#expectMark(']');
      return { kind: 'anyElement' };
    }
    this.#subscripts++;
    const ranges: PathRange[] = [];
    do {
      const from = this.#asItem(this.#any());
      ranges.push({ from, to: this.#takeWord('to') ? this.#asItem(this.#any()) : null });
    } while (this.#takeMark(','));
    this.#subscripts--;
    this.#expectMark(']');
    return { kind: 'elements', ranges };
  }
}
