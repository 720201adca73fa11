/**
 * Keys with `outside = off`: nothing that their sessions ask for sends a text. Statements are refused by their sender
 * (`sender.ts`), as are jobs that act for the key; uploads, whose jobs act for none, are refused when they are asked for.
 */
import { findNamespace } from '../../catalog/lookup.ts';
import type { Index } from '../../catalog/model.ts';
import { outsideIndex } from '../../catalog/outside.ts';
import { SqlError } from '../../errors.ts';
import type { SessionState } from '../session-state.ts';

export const keySendsNothing = (): SqlError =>
  new SqlError('insufficient_privilege', 'key may not send texts to an endpoint outside', {
    hint: 'It was made with outside = off.',
  });

/** The semantic index of a dataset whose model is outside. */
export function outsideIndexOf(session: SessionState, dataset: string): Index | undefined {
  const catalog = session.catalog();
  const { inference } = session.environment;
  const isOutside = (model: string): boolean =>
    inference.models().includes(model) && inference.model(model).isOutside;
  const namespace = findNamespace(catalog, dataset)?.oid;
  for (const relation of catalog.relations.values()) {
    const index = relation.namespace === namespace ? outsideIndex(relation.indexes, isOutside) : undefined;
    if (index !== undefined) return index;
  }
  return undefined;
}

/** @throws SqlError 42501 where passages of an upload would be embedded outside. */
export function refuseUpload(session: SessionState, dataset: string): void {
  if (session.key?.scope.staysHere === true && outsideIndexOf(session, dataset) !== undefined)
    throw keySendsNothing();
}
