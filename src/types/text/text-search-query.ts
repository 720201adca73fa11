/**
 * tsquery: words joined by `!`, `<->`, `&` and `|`, as PostgreSQL 18 reads and writes them (tsquery.c). The
 * datum is the canonical text; functions read it with `parseTsQuery`.
 */
import { unreachable } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { checkText, encodeText, viewOf } from '../column/bytes.ts';
import { OID } from '../oids.ts';
import { TEXT_CODEC } from './text.ts';
import { quoteLexeme, WEIGHTS } from './text-search-vector.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary } from '../type-errors.ts';

export const DISTANCE_MAX = 16_384;
const DEPTH_MAX = 1_000;

export type QueryNode =
  | {
      readonly kind: 'word';
      readonly word: string;
      /** Weights wanted, a bit each (D: 1 … A: 8); 0: any. */
      readonly weights: number;
      readonly prefix: boolean;
    }
  /** Where a stop word stood; never in a finished query. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'not'; readonly operand: QueryNode }
  | { readonly kind: 'and' | 'or'; readonly left: QueryNode; readonly right: QueryNode }
  | {
      readonly kind: 'phrase';
      readonly left: QueryNode;
      readonly right: QueryNode;
      readonly distance: number;
    };

/** Null: the query without words, which matches nothing. */
export type TsQuery = QueryNode | null;

/** Reader of an operand of the text: a word as it stands, or its lexemes. */
export type OperandReader = (word: string, weights: number, prefix: boolean) => QueryNode;

const asWritten: OperandReader = (word, weights, prefix) => ({ kind: 'word', word, weights, prefix });

/** @throws SqlError 42601. */
export function parseTsQuery(text: string, operand: OperandReader = asWritten): TsQuery {
  return new Parser(text, operand).parse();
}

const OPERAND = /'((?:[^'\\]|''|\\[\s\S])*)'|((?:[^\s:!&|()'\\]|\\[\s\S]|(?!^)')+)/y;
const MODIFIERS = /:([A-Da-d*]*)/y;
const PHRASE = /<(?:-|(\d+))>/y;

class Parser {
  readonly #text: string;
  readonly #operand: OperandReader;
  #at = 0;
  #depth = 0;

  constructor(text: string, operand: OperandReader) {
    this.#text = text;
    this.#operand = operand;
  }

  parse(): TsQuery {
    this.#skip();
    if (this.#at >= this.#text.length) return null;
    const query = this.#or();
    if (this.#at < this.#text.length) throw this.#error('syntax error');
    return query;
  }

  #or(): QueryNode {
    let left = this.#and();
    while (this.#taken('|')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): QueryNode {
    let left = this.#phrase();
    while (this.#taken('&')) left = { kind: 'and', left, right: this.#phrase() };
    return left;
  }

  #phrase(): QueryNode {
    let left = this.#not();
    for (;;) {
      const match = this.#match(PHRASE);
      if (match === null) return left;
      const distance = Number(match[1] ?? 1);
      if (distance > DISTANCE_MAX) {
        throw new SqlError(
          'invalid_parameter_value',
          `distance in phrase operator must be an integer value between zero and ${DISTANCE_MAX} inclusive`,
        );
      }
      left = { kind: 'phrase', left, right: this.#not(), distance };
    }
  }

  #not(): QueryNode {
    if (++this.#depth > DEPTH_MAX)
      throw this.#error('too deeply nested text search query', 'statement_too_complex');
    try {
      return this.#taken('!') ? { kind: 'not', operand: this.#not() } : this.#primary();
    } finally {
      this.#depth--;
    }
  }

  #primary(): QueryNode {
    if (this.#taken('(')) {
      const inner = this.#or();
      if (!this.#taken(')')) throw this.#error('syntax error');
      return inner;
    }
    const match = this.#match(OPERAND);
    if (match === null) throw this.#error(this.#at >= this.#text.length ? 'no operand' : 'syntax error');
    const [, quoted, bare = ''] = match;
    const word = (quoted?.replace(/''/g, "'") ?? bare).replace(/\\([\s\S])/g, '$1');
    if (word === '') throw this.#error('syntax error');
    const modifiers = this.#text[this.#at] === ':' ? (this.#match(MODIFIERS)?.[1] ?? '') : '';
    let weights = 0;
    for (const letter of modifiers.toUpperCase()) if (letter !== '*') weights |= 1 << WEIGHTS.indexOf(letter);
    const node = this.#operand(word, weights, modifiers.includes('*'));
    this.#skip();
    return node;
  }

  #taken(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    this.#skip();
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return null;
    this.#at = pattern.lastIndex;
    if (pattern === PHRASE) this.#skip();
    return match;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #error(what: string, condition: 'syntax_error' | 'statement_too_complex' = 'syntax_error'): SqlError {
    return new SqlError(condition, `${what} in tsquery: "${this.#text}"`);
  }
}

const PRIORITY = { or: 1, and: 2, phrase: 3, not: 4, word: 5, stop: 5 } as const;

export function formatTsQuery(query: TsQuery): string {
  return query === null ? '' : nodeText(query, 0, false);
}

/** @param afterPhrase it is the right side of `<->`, which groups from the left. */
function nodeText(node: QueryNode, parent: number, afterPhrase: boolean): string {
  const priority = PRIORITY[node.kind];
  const inner = bareText(node);
  const brackets = priority < parent || (node.kind === 'phrase' && afterPhrase);
  return brackets ? `( ${inner} )` : inner;
}

function bareText(node: QueryNode): string {
  const priority = PRIORITY[node.kind];
  switch (node.kind) {
    case 'word': {
      const letters = ['A', 'B', 'C', 'D'].filter((letter) => node.weights & (1 << WEIGHTS.indexOf(letter)));
      const modifiers = `${node.prefix ? '*' : ''}${letters.join('')}`;
      return `${quoteLexeme(node.word)}${modifiers === '' ? '' : `:${modifiers}`}`;
    }
    case 'stop':
      return '';
    case 'not':
      return `!${nodeText(node.operand, priority, false)}`;
    case 'phrase': {
      const sign = node.distance === 1 ? '<->' : `<${node.distance}>`;
      return `${nodeText(node.left, priority, false)} ${sign} ${nodeText(node.right, priority, true)}`;
    }
    case 'and':
    case 'or': {
      const sign = node.kind === 'and' ? '&' : '|';
      return `${nodeText(node.left, priority, false)} ${sign} ${nodeText(node.right, priority, false)}`;
    }
    default:
      return unreachable(node);
  }
}

/** Every node, a parent before its right side and that before the left: the order of the binary form. */
export function nodesOf(query: TsQuery): readonly QueryNode[] {
  if (query === null) return [];
  switch (query.kind) {
    case 'not':
      return [query, ...nodesOf(query.operand)];
    case 'and':
    case 'or':
    case 'phrase':
      return [query, ...nodesOf(query.right), ...nodesOf(query.left)];
    default:
      return [query];
  }
}

/** The datum is the canonical text. */
export const TSQUERY: SqlType = {
  oid: OID.tsquery,
  name: 'tsquery',
  displayName: 'tsquery',
  arrayOid: 3645,
  category: 'U',
  typlen: -1,
  vector: 'text',
  parse: (text) => formatTsQuery(parseTsQuery(checkText(text))),
  format: TEXT_CODEC.format,
  receive: (bytes) => formatTsQuery(receiveTsQuery(bytes)),
  send: (datum) => sendTsQuery(parseTsQuery(datum as string)),
  hashKey: (datum) => datum as string,
};

const VALUE = 1;
const OPERATOR = 2;
const OPERATORS = ['not', 'and', 'or', 'phrase'] as const;

function sendTsQuery(query: TsQuery): Uint8Array {
  const nodes = nodesOf(query);
  const parts: Uint8Array[] = [new Uint8Array(4)];
  viewOf(parts[0] as Uint8Array).setInt32(0, nodes.length);
  for (const node of nodes) {
    if (node.kind === 'word') {
      const head = Uint8Array.of(VALUE, node.weights, node.prefix ? 1 : 0);
      parts.push(head, encodeText(node.word), Uint8Array.of(0));
    } else if (node.kind === 'phrase') {
      parts.push(Uint8Array.of(OPERATOR, 4, node.distance >> 8, node.distance & 255));
    } else if (node.kind !== 'stop') {
      parts.push(Uint8Array.of(OPERATOR, OPERATORS.indexOf(node.kind) + 1));
    }
  }
  return Buffer.concat(parts);
}

/** @throws SqlError 22P03. */
function receiveTsQuery(bytes: Uint8Array): TsQuery {
  const view = viewOf(bytes);
  let at = 4;
  let depth = 0;
  const byte = (): number => {
    if (at >= bytes.length) throw invalidBinary();
    return bytes[at++] as number;
  };
  const node = (): QueryNode => {
    if (++depth > DEPTH_MAX) throw invalidBinary();
    const read = byte() === VALUE ? word() : operator(OPERATORS[byte() - 1]);
    depth--;
    return read;
  };
  const word = (): QueryNode => {
    const weights = byte() & 15;
    const prefix = byte() !== 0;
    const end = bytes.indexOf(0, at);
    if (end < 0) throw invalidBinary();
    const text = checkText(Buffer.from(bytes.subarray(at, end)).toString());
    at = end + 1;
    return { kind: 'word', word: text, weights, prefix };
  };
  const operator = (kind: (typeof OPERATORS)[number] | undefined): QueryNode => {
    if (kind === undefined) throw invalidBinary();
    if (kind === 'not') return { kind, operand: node() };
    const distance = kind === 'phrase' ? byte() * 256 + byte() : 0;
    const right = node();
    const left = node();
    return kind === 'phrase' ? { kind, left, right, distance } : { kind, left, right };
  };
  if (bytes.length < 4) throw invalidBinary();
  const query = view.getInt32(0) === 0 ? null : node();
  if (at !== bytes.length) throw invalidBinary();
  return query;
}
