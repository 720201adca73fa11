/** Passages found, in parts. */
import type { Row } from '../server-session.ts';
import type { Passage } from './ranking/passage.ts';

export function byDataset(passages: readonly Passage[]): ReadonlyMap<string, readonly Passage[]> {
  return Map.groupBy(passages, ({ dataset }) => dataset);
}

/** Which version of which document a row is of. */
export const versionOf = (row: Row): { readonly docId: string; readonly version: number } => ({
  docId: String(row.doc_id),
  version: Number(row.version),
});
