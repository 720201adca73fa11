/**
 * Domain packs of datasets: the option `domains`, what ingestion tells of documents, and the vocabulary that questions
 * to a dataset are read with.
 */
import { applyEdit } from '../../catalog/edit/edit.ts';
import { activeDomains, findNamespace } from '../../catalog/lookup.ts';
import type { Dataset } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { DOMAINS } from '../../language/domains/domains.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';

/** @param value `auto`, `none`, or ids with commas. @returns null for those that documents speak of. @throws SqlError 22023. */
export function domainsOption(value: string, at: number): readonly string[] | null {
  const ids = value.split(',').map((id) => id.trim().toLowerCase());
  if (ids.length === 1 && ids[0] === 'auto') return null;
  if (ids.length === 1 && ids[0] === 'none') return [];
  const unknown = ids.find((id) => !DOMAINS.packs.has(id));
  if (unknown === undefined) return [...new Set(ids)];
  throw new SqlError('invalid_parameter_value', `there is no domain "${unknown}"`, {
    position: at || undefined,
    hint: `There are ${[...DOMAINS.packs.keys(), 'auto', 'none'].join(', ')}; several with commas.`,
  });
}

/** Says in the catalog what documents of a dataset speak of; nothing where that is known, or the dataset is gone. */
export async function noteDomains(
  { session, signal }: Statement,
  { dataset: name, domains }: { readonly dataset: string; readonly domains: readonly string[] },
): Promise<void> {
  if (domains.every((id) => spokenDomains(session, name)?.includes(id) !== false)) return;
  await session.block.require().changeCatalog((catalog) => {
    const known = findNamespace(catalog, name)?.dataset;
    if (known === undefined) return catalog;
    const dataset: Dataset = { ...known, spokenDomains: union(known.spokenDomains, domains) };
    return applyEdit(catalog, { edit: 'put dataset', namespace: name, dataset });
  }, signal);
}

/** Undefined for a dataset that is not there. */
function spokenDomains(session: SessionState, name: string): readonly string[] | undefined {
  const dataset = findNamespace(session.catalog(), name)?.dataset;
  return dataset && (dataset.spokenDomains ?? []);
}

const union = (known: readonly string[] | undefined, more: readonly string[]): readonly string[] =>
  [...new Set([...(known ?? []), ...more])].sort();

/** Active packs of a dataset, by their ids. */
export function domainsOf(session: SessionState, name: string): readonly string[] {
  const dataset = findNamespace(session.catalog(), name)?.dataset;
  return dataset === undefined ? [] : activeDomains(dataset);
}
