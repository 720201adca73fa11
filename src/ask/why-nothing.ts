/** Why nothing was found: in words, for the asker. */
import type { AskRequest } from '../functions/services.ts';
import { datasetSchema } from '../session/datasets/relations.ts';
import type { Query } from '../session/server-session.ts';

const NAMED_MAX = 5;

/** `a, b, c, d, e and 7 more`. */
export function listed(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  return rest > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${rest} more` : names.join(', ');
}

/** Says whom the question is about and no document: a clause. */
export const noDocumentOf = (
  names: readonly string[],
  { datasets }: Pick<AskRequest, 'datasets'>,
): string => {
  const within = listed([...new Set(datasets.map(({ dataset }) => dataset))]);
  return `no document of ${within} is about ${listed(names.map((name) => `"${name}"`))}`;
};

export const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;

/** Explains datasets in which nothing was found. */
export async function whyNothing(
  { datasets, filter }: Pick<AskRequest, 'datasets' | 'filter'>,
  query: Query,
): Promise<string> {
  const empty: string[] = [];
  for (const dataset of new Set(datasets.map((one) => one.dataset))) {
    const sql = `SELECT 1 AS found FROM ${datasetSchema(dataset)}.documents WHERE version > 0 LIMIT 1`;
    if ((await query(sql)).length === 0) empty.push(dataset);
  }
  if (empty.length === 1) return `Dataset "${empty[0]}" has no document that is ready.`;
  if (empty.length > 1)
    return `Datasets ${listed(empty.map((name) => `"${name}"`))} have no document that is ready.`;
  const isFiltered = filter !== null || datasets.some((one) => one.filter !== null);
  return isFiltered ? 'The filter keeps nothing in which something was found.' : 'Nothing was found.';
}
