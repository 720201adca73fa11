/** Why nothing was found: in words, for the asker. */
import type { AskRequest } from '../functions/services.ts';
import { datasetSchema } from '../session/datasets/relations.ts';
import type { Query } from '../session/server-session.ts';

/** Of datasets in which nothing was found. */
export async function whyNothing(
  { datasets, filter }: Pick<AskRequest, 'datasets' | 'filter'>,
  query: Query,
): Promise<string> {
  const empty: string[] = [];
  for (const { dataset } of datasets) {
    const sql = `SELECT 1 AS found FROM ${datasetSchema(dataset)}.documents WHERE version > 0 LIMIT 1`;
    if ((await query(sql)).length === 0) empty.push(dataset);
  }
  if (empty.length === 1) return `Dataset "${empty[0]}" has no document that is ready.`;
  if (empty.length > 1)
    return `Datasets ${empty.map((name) => `"${name}"`).join(', ')} have no document that is ready.`;
  const isFiltered = filter !== null || datasets.some((one) => one.filter !== null);
  return isFiltered ? 'The filter keeps nothing in which something was found.' : 'Nothing was found.';
}
