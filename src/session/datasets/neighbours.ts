/** Text before and after passages in their documents. */
import type { SearchResult } from '../../functions/services.ts';
import { byDataset, versionOf } from './found.ts';
import { integers, texts } from './parameters.ts';
import type { Ask, Passage } from './ranking/passage.ts';
import { datasetSchema } from './relations.ts';

type WithNeighbours = Omit<SearchResult, 'named' | 'isNamedSurely'>;

/** @param count of chunks on each side. */
export async function withNeighbours(
  ask: Ask,
  passages: readonly Passage[],
  count: number,
): Promise<readonly WithNeighbours[]> {
  if (count === 0) return passages.map((passage) => ({ ...passage, before: null, after: null }));
  const known = new Map<string, ReadonlyMap<string, string>>();
  for (const [dataset, found] of byDataset(passages)) {
    known.set(dataset, await textsAround(ask, dataset, { found, count }));
  }
  return passages.map((passage) => {
    const { dataset, ordinal, lastOrdinal } = passage;
    const around = (from: number): string | null => {
      const ordinals = Array.from({ length: count }, (_, i) => from + i);
      const parts = ordinals.flatMap((one) => known.get(dataset)?.get(placeOf(passage, one)) ?? []);
      return parts.length === 0 ? null : parts.join('\n\n');
    };
    return { ...passage, before: around(ordinal - count), after: around(lastOrdinal + 1) };
  });
}

const placeOf = (of: Pick<Passage, 'docId' | 'version'>, ordinal: number): string =>
  JSON.stringify([of.docId, of.version, ordinal]);

async function textsAround(
  ask: Ask,
  dataset: string,
  { found, count }: { readonly found: readonly Passage[]; readonly count: number },
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map<string, readonly [docId: string, ordinal: number]>();
  for (const passage of found) {
    for (let ordinal = passage.ordinal - count; ordinal <= passage.lastOrdinal + count; ordinal++) {
      const isOutside = ordinal < passage.ordinal || ordinal > passage.lastOrdinal;
      if (isOutside) wanted.set(placeOf(passage, ordinal), [passage.docId, ordinal]);
    }
  }
  const places = [...wanted.values()];
  const rows = await ask(
    `SELECT c.doc_id, c.version, c.ordinal, c.text
     FROM unnest($1::text[], $2::integer[]) AS w(doc_id, ordinal)
       JOIN ${datasetSchema(dataset)}.chunks c ON c.doc_id = w.doc_id AND c.ordinal = w.ordinal
     WHERE c.doc_id = ANY ($3)`,
    texts(places.map(([docId]) => docId)),
    integers(places.map(([, ordinal]) => ordinal)),
    texts([...new Set(places.map(([docId]) => docId))]),
  );
  return new Map(
    rows.map((row) => [placeOf(versionOf(row), Number(row.ordinal)), String(row.text)] as const),
  );
}
