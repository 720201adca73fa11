/**
 * Walking syntax trees. Everything under a node is visited, whatever field it lies in, so that no walker forgets a
 * field or a kind of node; what is looked for comes as what it is.
 */
import { present } from '../assert.ts';
import type { Expr, FromItem, Query, SetMember, SetQuery } from './ast.ts';

export type Call = Extract<Expr, { kind: 'function' }>;
export type RelationItem = Extract<FromItem, { kind: 'relation' }>;

/** An object of the tree: a node, or what a node is made of. */
export type TreePart = Readonly<Record<string, unknown>>;

/** The tree itself first, then what is under it in the order of fields. */
export function eachPart(tree: unknown, visit: (part: TreePart) => void): void {
  if (typeof tree !== 'object' || tree === null) return;
  visit(tree as TreePart);
  for (const value of Object.values(tree)) eachPart(value, visit);
}

/** Calls of functions, in FROM too: entries of FROM that are functions have the same kind, and no name. */
export const isCall = (part: TreePart): part is TreePart & Call => part.kind === 'function' && 'name' in part;

/** Relations in FROM. */
export const isRelationItem = (part: TreePart): part is TreePart & RelationItem =>
  part.kind === 'relation' && part.relation !== undefined;

export const isCast = (part: TreePart): part is TreePart & Extract<Expr, { kind: 'cast' }> =>
  part.kind === 'cast';

/** A set operation as PostgreSQL's tree has it: the last member, and all before it as its left side. */
export interface SetSides extends SetMember {
  readonly left: Query;
}

const NO_TAIL = { with: null, order: [], limit: null, offset: null, withTies: false, locking: [] };

export function setSides({ at, first, rest }: SetQuery): SetSides {
  const last = present(rest.at(-1), 'a set operation has two members at least');
  const before = rest.slice(0, -1);
  return {
    ...last,
    left: before.length === 0 ? first : { kind: 'set', at, first, rest: before, ...NO_TAIL },
  };
}
