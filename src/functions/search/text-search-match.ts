/**
 * Matching of a tsvector by a tsquery, and where: PostgreSQL's TS_execute and TS_phrase_execute (tsvector_op.c).
 */
import { unreachable } from '../../assert.ts';
import type { QueryNode, TsQuery } from '../../types/text/text-search-query.ts';
import { type Lexeme, placeOf, type TsVector, weightOf } from '../../types/text/text-search-vector.ts';

/** The lexemes of a word of a query. */
export type Finder = (word: Extract<QueryNode, { kind: 'word' }>) => readonly Lexeme[];

/** Looks words up in a vector; of a word with weights only what has them. */
export function finderIn(vector: TsVector): Finder {
  return ({ word, prefix, weights }) => {
    const found = prefix
      ? vector.filter((lexeme) => lexeme.word.startsWith(word))
      : vector.filter((lexeme) => lexeme.word === word);
    if (weights === 0) return found;
    return found.flatMap((lexeme) => {
      // Stripped of places it has no weights either, and may have had any.
      if (lexeme.positions.length === 0) return [lexeme];
      const positions = lexeme.positions.filter((position) => weights & (1 << weightOf(position)));
      return positions.length > 0 ? [{ word: lexeme.word, positions }] : [];
    });
  };
}

export function matches(query: TsQuery, find: Finder): boolean {
  if (query === null) return false;
  switch (query.kind) {
    case 'word':
      return find(query).length > 0;
    case 'stop':
      return false;
    case 'not':
      return !matches(query.operand, find);
    case 'and':
      return matches(query.left, find) && matches(query.right, find);
    case 'or':
      return matches(query.left, find) || matches(query.right, find);
    case 'phrase': {
      const places = placesOf(query, find);
      return places !== null && places !== UNKNOWN;
    }
    default:
      return unreachable(query);
  }
}

/** Where an expression ends: at these places, or everywhere else; it begins `width` places earlier. */
interface Places {
  readonly at: ReadonlySet<number>;
  readonly negated: boolean;
  readonly width: number;
}

/** The vector has the word and not where: a phrase with it, or without it, is not found. */
const UNKNOWN = 'unknown';

/** Null: nowhere. */
type Found = Places | typeof UNKNOWN | null;

function placesOf(node: QueryNode, find: Finder): Found {
  switch (node.kind) {
    case 'word':
      return placesOfWord(find(node));
    case 'stop':
      return null;
    case 'not':
      return otherPlaces(placesOf(node.operand, find));
    case 'or': {
      const left = placesOf(node.left, find);
      const right = placesOf(node.right, find);
      return left === UNKNOWN || right === UNKNOWN ? UNKNOWN : eitherPlaces(left, right);
    }
    case 'and':
    case 'phrase': {
      const left = placesOf(node.left, find);
      const right = left === null ? null : placesOf(node.right, find);
      if (left === null || right === null) return null;
      if (left === UNKNOWN || right === UNKNOWN) return UNKNOWN;
      return bothPlaces(left, right, node.kind === 'phrase' ? node.distance : null);
    }
    default:
      return unreachable(node);
  }
}

function placesOfWord(lexemes: readonly Lexeme[]): Found {
  if (lexemes.some(({ positions }) => positions.length === 0)) return UNKNOWN;
  const at = new Set(lexemes.flatMap(({ positions }) => positions.map(placeOf)));
  return at.size === 0 ? null : { at, negated: false, width: 0 };
}

function otherPlaces(inner: Found): Found {
  if (inner === UNKNOWN) return UNKNOWN;
  if (inner === null) return { at: new Set(), negated: true, width: 0 };
  return inner.at.size === 0 ? null : { ...inner, negated: !inner.negated };
}

const shifted = ({ at }: Places, by: number): Set<number> => new Set([...at].map((place) => place + by));

/** @param distance of a phrase; null: both end at the same place. */
function bothPlaces(left: Places, right: Places, distance: number | null): Places | null {
  const widest = Math.max(left.width, right.width);
  const width = distance === null ? widest : distance + left.width + right.width;
  const l = shifted(left, distance === null ? widest - left.width : distance + right.width);
  const r = shifted(right, distance === null ? widest - right.width : 0);
  if (left.negated && right.negated) return { at: l.union(r), negated: true, width };
  const at = left.negated ? r.difference(l) : right.negated ? l.difference(r) : l.intersection(r);
  return at.size === 0 ? null : { at, negated: false, width };
}

function eitherPlaces(left: Places | null, right: Places | null): Places | null {
  if (left === null || right === null) return left ?? right;
  const width = Math.max(left.width, right.width);
  const l = shifted(left, width - left.width);
  const r = shifted(right, width - right.width);
  if (left.negated && right.negated) return { at: l.intersection(r), negated: true, width };
  if (left.negated) return { at: l.difference(r), negated: true, width };
  if (right.negated) return { at: r.difference(l), negated: true, width };
  return { at: l.union(r), negated: false, width };
}
