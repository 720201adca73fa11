/** Expressions over a document's fields, as data: a tree of operations that `compile.ts` turns into SQL. */
import { InvalidArgumentError } from '../errors.ts';
import { INSPECT } from '../shown.ts';
import { nodeText } from './text-of.ts';

/** Operand: an expression, or a value that stands for itself. */
export type Operand = Expression | Value;
export type Value = string | number | bigint | boolean | Date | Uint8Array | object | null;

export type Node =
  | { readonly op: 'field'; readonly name: string }
  | { readonly op: 'literal'; readonly value: Value }
  | { readonly op: 'call'; readonly name: CallName; readonly args: readonly Node[] }
  | { readonly op: 'date_part'; readonly of: Node; readonly unit: DateUnit }
  | { readonly op: 'elapsed'; readonly from: Node; readonly to: Node; readonly unit: DateUnit }
  | { readonly op: 'regexp_match'; readonly of: Node; readonly pattern: string; readonly flags: string }
  | { readonly op: 'words'; readonly of: Node; readonly all: boolean; readonly words: WordsOperand }
  | TextNode
  | ScoreNode;

type WordsOperand = string | readonly string[];

/** Text predicates: their scores are what `fn.bm25Score()` adds up. */
export type TextNode = { readonly op: 'text'; readonly predicate: TextPredicate };
export type TextPredicate =
  | {
      readonly kind: 'match' | 'should';
      readonly text: string;
      readonly field: string | null;
      readonly weight: number;
      readonly all: boolean;
    }
  | {
      readonly kind: 'tokens';
      readonly tokens: readonly string[];
      readonly field: string | null;
      readonly weight: number;
      readonly all: boolean;
    };

export type ScoreNode =
  | {
      readonly op: 'vector_distance';
      readonly field: string;
      readonly query: Value;
      readonly skipRefine: boolean;
    }
  | { readonly op: 'bm25_score'; readonly b: number | null; readonly k1: number | null }
  | { readonly op: 'snippet'; readonly field: string; readonly text: string | null }
  | {
      readonly op: 'highlight';
      readonly field: string;
      readonly text: string | null;
      readonly before: string;
      readonly after: string;
    }
  | { readonly op: 'semantic_similarity'; readonly field: string; readonly text: string }
  | {
      readonly op: 'multi_vector_distance';
      readonly field: string;
      readonly query: Value;
      readonly candidates: number | null;
    };

/** Operations by the name that both clients' contract cases know them by. */
export type CallName =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'and'
  | 'or'
  | 'not'
  | 'all'
  | 'any'
  | 'is_null'
  | 'is_not_null'
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'abs'
  | 'ln'
  | 'exp'
  | 'sqrt'
  | 'square'
  | 'min'
  | 'max'
  | 'coalesce'
  | 'choose'
  | 'boost'
  | 'starts_with'
  | 'contains'
  | 'in';

export type DateUnit =
  | 'year'
  | 'month'
  | 'week'
  | 'day'
  | 'day_of_year'
  | 'day_of_week'
  | 'hour'
  | 'minute'
  | 'second'
  | 'millisecond';

declare const TYPE: unique symbol;

/** Says that an expression is a field of the collection, so that its type comes from the schema. */
export interface FieldRef<Name extends string> {
  readonly fieldName: Name;
}

/** @template T what it gives: a type, or `FieldRef` of a field. */
export class Expression<T = unknown> {
  declare readonly [TYPE]: T;
  readonly node: Node;

  constructor(node: Node) {
    this.node = node;
  }

  /** As it is written. */
  toString(): string {
    return nodeText(this.node);
  }
  [INSPECT](): string {
    return nodeText(this.node);
  }

  /** Equal; of null `isNull()`. */
  eq(other: Operand): Expression<boolean> {
    return other === null ? this.isNull() : call('eq', this, other);
  }
  ne(other: Operand): Expression<boolean> {
    return other === null ? this.isNotNull() : call('ne', this, other);
  }
  lt(other: Operand): Expression<boolean> {
    return call('lt', this, other);
  }
  lte(other: Operand): Expression<boolean> {
    return call('lte', this, other);
  }
  gt(other: Operand): Expression<boolean> {
    return call('gt', this, other);
  }
  gte(other: Operand): Expression<boolean> {
    return call('gte', this, other);
  }

  and(other: Operand): Expression<boolean> {
    return call('and', this, other);
  }
  or(other: Operand): Expression<boolean> {
    return call('or', this, other);
  }
  not(): Expression<boolean> {
    return call('not', this);
  }

  isNull(): Expression<boolean> {
    return call('is_null', this);
  }
  isNotNull(): Expression<boolean> {
    return call('is_not_null', this);
  }

  add(other: Operand): Expression<number> {
    return call('add', this, other);
  }
  sub(other: Operand): Expression<number> {
    return call('sub', this, other);
  }
  mul(other: Operand): Expression<number> {
    return call('mul', this, other);
  }
  /** Integers give an integer; a zero divisor is an `InvalidArgumentError`. */
  div(other: Operand): Expression<number> {
    return call('div', this, other);
  }

  abs(): Expression<number> {
    return call('abs', this);
  }
  ln(): Expression<number> {
    return call('ln', this);
  }
  exp(): Expression<number> {
    return call('exp', this);
  }
  sqrt(): Expression<number> {
    return call('sqrt', this);
  }
  square(): Expression<number> {
    return call('square', this);
  }
  /** The smaller of two numbers or strings. */
  min(other: Operand): Expression<T> {
    return call('min', this, other);
  }
  max(other: Operand): Expression<T> {
    return call('max', this, other);
  }

  /** The first that is not null. */
  coalesce(...others: readonly Operand[]): Expression<T> {
    return call('coalesce', this, ...others);
  }
  /** Chooses by a condition: the first where it holds, else the second. */
  choose<A extends Operand>(holds: A, otherwise: Operand): Expression {
    return call('choose', this, holds, otherwise);
  }
  /** Times the factor where the condition holds. */
  boost(condition: Operand, factor: Operand): Expression<number> {
    return call('boost', this, condition, factor);
  }

  /** A string, or any element of a list of strings, that begins so. */
  startsWith(prefix: Operand): Expression<boolean> {
    return call('starts_with', this, prefix);
  }
  /** A substring, case-sensitive, or an element of a list. */
  contains(part: Operand): Expression<boolean> {
    return call('contains', this, part);
  }
  /** An element of a list, a part of a string. */
  in(among: Operand | readonly Value[]): Expression<boolean> {
    return call('in', this, among as Operand);
  }
  /** All words, or lists' elements; never changes a score. */
  matchAll(words: WordsOperand): Expression<boolean> {
    return new Expression({ op: 'words', of: this.node, all: true, words });
  }
  matchAny(words: WordsOperand): Expression<boolean> {
    return new Expression({ op: 'words', of: this.node, all: false, words });
  }
  /** @param flags `i` for any case. Back references are refused. */
  regexpMatch(pattern: string, flags?: string | null): Expression<boolean> {
    return new Expression({ op: 'regexp_match', of: this.node, pattern, flags: flags ?? '' });
  }

  datePart(unit: DateUnit): Expression<number> {
    return new Expression({ op: 'date_part', of: this.node, unit });
  }
  /** How many units from this time to another one. */
  elapsed(end: Operand, unit: DateUnit): Expression<number> {
    return new Expression({ op: 'elapsed', from: this.node, to: nodeOf(end), unit });
  }
}

/** Conditions that one expression joins. */
export const OPERANDS_MAX = 32;

export function nodeOf(operand: Operand | undefined): Node {
  if (operand === undefined) throw new InvalidArgumentError('an operand is undefined');
  if (operand instanceof Expression) return operand.node;
  if (typeof operand === 'function' || typeof operand === 'symbol') {
    throw new TypeError(`expected an expression or a value, not a ${typeof operand}`);
  }
  return { op: 'literal', value: operand };
}

const call = <T>(name: CallName, ...args: readonly Operand[]): Expression<T> =>
  new Expression<T>({ op: 'call', name, args: args.map(nodeOf) });

/** A field by its name; a dotted one goes into structs. */
export function field<const Name extends string>(name: Name): Expression<FieldRef<Name>> {
  if (typeof name !== 'string' || name === '') throw new InvalidArgumentError('a field has a name');
  return new Expression<FieldRef<Name>>({ op: 'field', name });
}

export function literal<V extends Value>(value: V): Expression<V> {
  return new Expression<V>({ op: 'literal', value });
}

export const not = (condition: Operand): Expression<boolean> => call('not', condition);
export const abs = (value: Operand): Expression<number> => call('abs', value);
export const min = (a: Operand, b: Operand): Expression<number> => call('min', a, b);
export const max = (a: Operand, b: Operand): Expression<number> => call('max', a, b);

function several(name: 'all' | 'any', conditions: readonly Operand[]): Expression<boolean> {
  if (conditions.length > OPERANDS_MAX) {
    throw new InvalidArgumentError(
      `${name}() takes at most ${OPERANDS_MAX} conditions, not ${conditions.length}`,
    );
  }
  return conditions.length === 0 ? literal(name === 'all') : call(name, ...conditions);
}

/** All of at most 32 conditions. */
export const all = (conditions: readonly Operand[]): Expression<boolean> => several('all', conditions);
/** Any of at most 32 conditions. */
export const any = (conditions: readonly Operand[]): Expression<boolean> => several('any', conditions);
