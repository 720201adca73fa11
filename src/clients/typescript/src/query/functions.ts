/** Scores, text predicates and aggregates. */
import { InvalidArgumentError } from '../errors.ts';
import { type Options, optionsOf } from '../options.ts';
import {
  type Expression as Condition,
  Expression,
  type Node,
  nodeOf,
  type Operand,
  OPERANDS_MAX,
  type Value,
} from './expression.ts';

const NESTED_MAX = 16;

const number = (name: string, value: number | null | undefined, from: number, to: number): number | null => {
  if (value === undefined || value === null) return null;
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
    options?: boolean | Options<{ readonly skipRefine: boolean }>,
  ): Expression<number> {
    const { skipRefine = false } =
      typeof options === 'boolean'
        ? { skipRefine: options }
        : optionsOf('vectorDistance', options, ['skipRefine']);
    return new Expression({ op: 'vector_distance', field: name('vectorDistance', field), query, skipRefine });
  },

  /** BM25 of the query's text predicates. @param options 0 ≤ b ≤ 1, k1 ≥ 0. */
  bm25Score(options?: Options<{ readonly b: number; readonly k1: number }>): Expression<number> {
    const given = optionsOf('bm25Score', options, ['b', 'k1']);
    const b = number('b', given.b, 0, 1);
    const k1 = number('k1', given.k1, 0, Number.POSITIVE_INFINITY);
    return new Expression({ op: 'bm25_score', b, k1 });
  },

  /** Cosine similarity of a text to the field's best passage; the field has a semantic index. */
  semanticSimilarity(field: string, text: string): Expression<number> {
    if (typeof text !== 'string')
      throw new InvalidArgumentError('the query of semanticSimilarity is a string');
    return new Expression({ op: 'semantic_similarity', field: name('semanticSimilarity', field), text });
  },

  /** The passage of about 240 characters that matched. @param text left out, what the filters look for. */
  snippet(field: string, text?: string | null): Expression<string> {
    return new Expression({ op: 'snippet', field: name('snippet', field), text: text ?? null });
  },

  /** The whole text, with what matched between two marks. */
  highlight(
    field: string,
    options?: string | Options<Record<'text' | 'before' | 'after', string>>,
  ): Expression<string> {
    const {
      text = null,
      before = '<b>',
      after = '</b>',
    } = typeof options === 'string'
      ? { text: options }
      : optionsOf<Record<'text' | 'before' | 'after', string>>('highlight', options, [
          'text',
          'before',
          'after',
        ]);
    return new Expression({ op: 'highlight', field: name('highlight', field), text, before, after });
  },

  /** MaxSim: for each row of the query the largest dot product, added up. */
  multiVectorDistance(
    field: string,
    query: Value,
    options?: number | Options<{ readonly candidates: number }>,
  ): Expression<number> {
    const given =
      typeof options === 'number'
        ? options
        : optionsOf('multiVectorDistance', options, ['candidates']).candidates;
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
  readonly field: string;
  /** How much it counts in the score. */
  readonly weight: number;
  /** All words, rather than any. */
  readonly all: boolean;
}

interface Matching {
  readonly field: string | null;
  readonly weight: number;
  readonly all: boolean;
}

function matchOptions(
  call: string,
  given: string | Options<MatchOptions>,
  names: readonly (keyof MatchOptions)[],
): Matching {
  const { field, weight, all } =
    typeof given === 'string' ? { field: given } : optionsOf<MatchOptions>(call, given, names);
  return { field: field ?? null, weight: weightOf(weight ?? 1), all: all ?? false };
}

const weightOf = (weight: unknown): number => {
  if (typeof weight === 'number' && weight >= 0 && weight < Number.POSITIVE_INFINITY) return weight;
  throw new InvalidArgumentError(`a weight is a number of at least 0, not ${String(weight)}`);
};

const checkText = (text: unknown): string => {
  if (typeof text === 'string') return text;
  throw new InvalidArgumentError(`the text to match is a string, not ${typeof text}`);
};

/** Documents with any of the text's words (or all). @param options the field, or options by name. */
export function match(text: string, options?: string | Options<MatchOptions>): TextExpression {
  const given = matchOptions('match', options, ['field', 'weight', 'all']);
  return new TextExpression({ op: 'text', predicate: { kind: 'match', text: checkText(text), ...given } });
}

/** A token by itself, or with how much it counts in the score. */
export type Token = string | { readonly token: string; readonly weight?: number | null | undefined };

/** Tokens as they are: neither cut nor stemmed. */
export function matchTokens(
  tokens: readonly Token[],
  options?: string | Options<MatchOptions>,
): TextExpression {
  const { weight, ...where } = matchOptions('matchTokens', options, ['field', 'weight', 'all']);
  if (!Array.isArray(tokens)) throw new InvalidArgumentError('matchTokens takes an array of tokens');
  const weighed = new Map<number, string[]>();
  for (const one of tokens as readonly Token[]) {
    const by = typeof one === 'object' && one !== null ? one : { token: one };
    const each = weight * weightOf(by.weight ?? 1);
    weighed.set(each, [...(weighed.get(each) ?? []), checkText(by.token)]);
  }
  if (weighed.size > OPERANDS_MAX) {
    throw new InvalidArgumentError(`matchTokens takes at most ${OPERANDS_MAX} different weights`);
  }
  const nodes = [...weighed].map(([of, some]): Node => {
    return { op: 'text', predicate: { kind: 'tokens', tokens: some, weight: of, ...where } };
  });
  const [first = { op: 'text', predicate: { kind: 'tokens', tokens: [], weight, ...where } }] = nodes;
  if (nodes.length < 2) return new TextExpression(first);
  return new TextExpression({ op: 'call', name: where.all ? 'all' : 'any', args: nodes });
}

/** Adds to the score of documents with the words, and keeps those without. */
export function should(text: string, options?: string | Options<Omit<MatchOptions, 'all'>>): TextExpression {
  const given = matchOptions('should', options, ['field', 'weight']);
  return new TextExpression({ op: 'text', predicate: { kind: 'should', text: checkText(text), ...given } });
}

export interface Aggregate<T = unknown> {
  readonly aggregate: 'count' | 'sum' | 'min' | 'max' | 'avg';
  readonly of: Node | null;
  readonly type?: T;
}

const of = (given: string | Condition): Node => {
  if (typeof given === 'string') return { op: 'field', name: given };
  if (given instanceof Expression) return given.node;
  throw new InvalidArgumentError('an aggregate is over a field or an expression');
};

/** Aggregates of a group of documents. */
export const agg = {
  /** All documents, or those where the field is not null. */
  count: (field?: string | Expression | null): Aggregate<number> => ({
    aggregate: 'count',
    of: field === undefined || field === null ? null : of(field),
  }),
  sum: (field: string | Expression): Aggregate<number> => ({ aggregate: 'sum', of: of(field) }),
  min: (field: string | Expression): Aggregate => ({ aggregate: 'min', of: of(field) }),
  max: (field: string | Expression): Aggregate => ({ aggregate: 'max', of: of(field) }),
  avg: (field: string | Expression): Aggregate<number> => ({ aggregate: 'avg', of: of(field) }),
};
