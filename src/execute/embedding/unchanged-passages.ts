/** Passages of texts that an UPDATE leaves as they are, where the engine can give them back. */
import { columnByAttribute, type Relation } from '../../catalog/model.ts';
import { present } from '../../assert.ts';
import type { NewRows, Part, RowAddress } from '../../engine/engine.ts';
import { runTask } from '../../task.ts';
import { textsAtPath } from '../../types/json/path-column.ts';
import type { Vector } from '../../types/column/vector.ts';
import type { KnownPassages } from './embeddings.ts';
import { readAddresses } from '../scan/stored-rows.ts';

type RowPassages = NonNullable<Awaited<ReturnType<KnownPassages>>>[number];

/** @param addresses where the rows' old versions are, row by row. */
export function unchangedPassages(
  relation: Relation,
  rows: { readonly length: number; readonly columns: NewRows['columns'] },
  addresses: readonly RowAddress[],
): KnownPassages {
  return async (index) => {
    const attribute = index.columns[0] ?? 0;
    const column = present(columnByAttribute(relation, attribute), `attribute ${attribute}`);
    const textsOf = (vector: Vector | undefined) => vector && textsAtPath(vector, index.path);
    const before = textsOf((await runTask(readAddresses(addresses, [column])))[0]);
    const after = textsOf(rows.columns.get(attribute));
    const known = new Array<RowPassages>(rows.length).fill(undefined);
    for (const part of new Set(addresses.map((address) => address.part))) {
      const places = [...addresses.keys()].filter((place) => {
        const same = before?.get(place) === after?.get(place);
        return same && addresses[place]?.part === part;
      });
      const found = await passagesOf(
        part,
        index.oid,
        places.map((place) => addresses[place]?.row ?? 0),
      );
      for (const [i, place] of places.entries()) if (found !== null) known[place] = found[i] ?? undefined;
    }
    return known;
  };
}

async function passagesOf(part: Part, index: number, rows: readonly number[]) {
  if (part.passages === undefined || rows.length === 0) return null;
  return part.passages(index, Uint32Array.from(rows));
}
