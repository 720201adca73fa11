/** The relation that a search in FROM names by a string: `hybrid('books', …)`, `facets('shop.films$acme', …)`. */
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import type { Relation } from '../../../catalog/model.ts';
import { splitPartition } from '../../../catalog/partition-names.ts';
import { SqlError } from '../../../errors.ts';
import type { Expr, QualifiedName } from '../../ast.ts';
import type { Call } from '../expression/arguments.ts';
import type { Level } from '../level.ts';
import { findStored, relationNotFound } from '../names.ts';
import { type RelationUse, useRelation, wantWhole } from '../rights.ts';
import type { State } from '../state.ts';
import { constantText } from './call.ts';

/** @throws SqlError 22023, 42P01, 42809. */
export function searchedRelation(
  level: Level,
  value: Expr,
  call: Call,
): { readonly relation: Relation; readonly name: QualifiedName } {
  const { context } = level.state;
  const text = constantText(value, 'collection', call);
  const dot = /^[^$]*?\./.exec(text)?.[0].length ?? 0;
  const schema = dot === 0 ? null : text.slice(0, dot - 1);
  const name = { schema, ...splitPartition(text.slice(dot)), at: call.at };
  const whole = { schema: null, ...splitPartition(text), at: call.at };
  const relation = findStored(context, name) ?? (schema === null ? undefined : findStored(context, whole));
  if (relation === undefined) throw relationNotFound(context, name);
  if (relation.kind !== 'view' && relation.kind !== 'sequence') return { relation, name };
  throw new SqlError('wrong_object_type', `"${relation.name}" is not a table`, { position: call.at });
}

/** The use of a relation that is searched: its answer depends on all rows and columns, so that the whole may be read. */
export function useSearched(state: State, relation: Relation): RelationUse {
  const use = useRelation(state, relation, PRIVILEGE.select);
  wantWhole(use, PRIVILEGE.select);
  return use;
}
