/** Scores, text predicates and aggregates. */
import { InvalidArgumentError } from '../errors.ts';
import {
  type Expression as Condition,
  Expression,
  type Node,
  nodeOf,
  type Operand,
  type Value,
} from './expression.ts';

const NESTED_MAX = 16;

const number = (name: string, value: number | undefined, from: number, to: number): number | null => {
  if (value === undefined) return null;
  if (typeof value === 'number' && value >= from && value <= to) return value;
  const range = to === Number.POSITIVE_INFINITY ? `at least ${from}` : `between ${from} and ${to}`;
  throw new InvalidArgumentError(`${name} is ${range}, not ${value}`);
};

const name = (what: string, value: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidArgumentError(`${what} is a field's name`);
};

/** Scores of documents; several may stand in one select, of different fields. */
export const fn = {
  /** By the field's index: cosine and dot_product a similarity, euclidean the squared distance, hamming the count. */
  vectorDistance(
    field: string,
    query: Value,
    options: boolean | { readonly skipRefine?: boolean } = false,
  ): Expression<number> {
    const skipRefine = typeof options === 'boolean' ? options : (options.skipRefine ?? false);
    return new Expression({ op: 'vector_distance', field: name('vectorDistance', field), query, skipRefine });
  },

  /** BM25 of the query's text predicates. @param options 0 ≤ b ≤ 1, k1 ≥ 0. */
  bm25Score(options: { readonly b?: number; readonly k1?: number } = {}): Expression<number> {
    const b = number('b', options.b, 0, 1);
    const k1 = number('k1', options.k1, 0, Number.POSITIVE_INFINITY);
    return new Expression({ op: 'bm25_score', b, k1 });
  },

  /** Cosine similarity of a text to the field's best passage; the field has a semantic index. */
  semanticSimilarity(field: string, text: string): Expression<number> {
    if (typeof text !== 'string')
      throw new InvalidArgumentError('the query of semanticSimilarity is a string');
    return new Expression({ op: 'semantic_similarity', field: name('semanticSimilarity', field), text });
  },

  /** The passage of about 240 characters that matched. @param text left out, what the filters look for. */
  snippet(field: string, text?: string): Expression<string> {
    return new Expression({ op: 'snippet', field: name('snippet', field), text: text ?? null });
  },

  /** The whole text, with what matched between two marks. */
  highlight(
    field: string,
    options: string | { readonly text?: string; readonly before?: string; readonly after?: string } = {},
  ): Expression<string> {
    const {
      text = null,
      before = '<b>',
      after = '</b>',
    } = typeof options === 'string' ? { text: options } : options;
    return new Expression({ op: 'highlight', field: name('highlight', field), text, before, after });
  },

  /** MaxSim: for each row of the query the largest dot product, added up. */
  multiVectorDistance(
    field: string,
    query: Value,
    options: number | { readonly candidates?: number } = {},
  ): Expression<number> {
    const given = typeof options === 'number' ? options : options.candidates;
    const candidates = number('candidates', given, 1, Number.POSITIVE_INFINITY);
    return new Expression({
      op: 'multi_vector_distance',
      field: name('multiVectorDistance', field),
      query,
      candidates,
    });
  },
};

/** Conditions on words: joined with `&` (`and`) and `|` (`or`), nested at most 16 deep, in filters alone. */
export class TextExpression extends Expression<boolean> {
  override and(other: Operand): TextExpression {
    return this.#joined('and', other);
  }
  override or(other: Operand): TextExpression {
    return this.#joined('or', other);
  }

  #joined(how: 'and' | 'or', other: Operand): TextExpression {
    const node: Node = { op: 'call', name: how, args: [this.node, nodeOf(other)] };
    if (depthOf(node) > NESTED_MAX) {
      throw new InvalidArgumentError(`text predicates are nested at most ${NESTED_MAX} deep`);
    }
    return new TextExpression(node);
  }
}

const depthOf = (node: Node): number => (node.op === 'call' ? 1 + Math.max(0, ...node.args.map(depthOf)) : 0);

interface MatchOptions {
  /** Left out: all fields with a keyword index. */
  readonly field?: string | null | undefined;
  /** How much it counts in the score. */
  readonly weight?: number | undefined;
  /** All words, rather than any. */
  readonly all?: boolean | undefined;
}

const matchOptions = (given: string | MatchOptions | undefined): Required<MatchOptions> => {
  const {
    field = null,
    weight = 1,
    all = false,
  } = typeof given === 'string' ? { field: given } : (given ?? {});
  return { field, weight, all };
};

const checkText = (text: unknown): string => {
  if (typeof text === 'string') return text;
  throw new InvalidArgumentError(`the text to match is a string, not ${typeof text}`);
};

/** Documents with any of the text's words (or all). @param options the field, or options by name. */
export function match(text: string, options?: string | MatchOptions): TextExpression {
  const { field = null, weight = 1, all = false } = matchOptions(options);
  const predicate = { kind: 'match', text: checkText(text), field, weight, all } as const;
  return new TextExpression({ op: 'text', predicate });
}

/** Tokens as they are: neither cut nor stemmed. */
export function matchTokens(tokens: readonly string[], options?: string | MatchOptions): TextExpression {
  const { field = null, weight = 1, all = false } = matchOptions(options);
  if (!Array.isArray(tokens)) throw new InvalidArgumentError('matchTokens takes an array of strings');
  const predicate = { kind: 'tokens', tokens: tokens.map(checkText), field, weight, all } as const;
  return new TextExpression({ op: 'text', predicate });
}

/** Adds to the score of documents with the words, and keeps those without. */
export function should(text: string, options?: string | Omit<MatchOptions, 'all'>): TextExpression {
  const { field = null, weight = 1 } = matchOptions(options);
  const predicate = { kind: 'should', text: checkText(text), field, weight, all: false } as const;
  return new TextExpression({ op: 'text', predicate });
}

export interface Aggregate<T = unknown> {
  readonly aggregate: 'count' | 'sum' | 'min' | 'max' | 'avg';
  readonly of: Node | null;
  readonly type?: T;
}

const of = (given: string | Condition): Node =>
  typeof given === 'string' ? { op: 'field', name: given } : given.node;

/** Aggregates of a group of documents. */
export const agg = {
  /** All documents, or those where the field is not null. */
  count: (field?: string | Expression): Aggregate<number> => ({
    aggregate: 'count',
    of: field === undefined ? null : of(field),
  }),
  sum: (field: string | Expression): Aggregate<number> => ({ aggregate: 'sum', of: of(field) }),
  min: (field: string | Expression): Aggregate => ({ aggregate: 'min', of: of(field) }),
  max: (field: string | Expression): Aggregate => ({ aggregate: 'max', of: of(field) }),
  avg: (field: string | Expression): Aggregate<number> => ({ aggregate: 'avg', of: of(field) }),
};
