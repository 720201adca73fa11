/** The rows that have the keys of a unique index: what the rows of a source are named, and where a name is. */
import type { NameCipher } from '../../../storage/seal.ts';
import { readColumn } from '../head/part.ts';
import { showsRow } from '../head/hidden-rows.ts';
import type { Run, Source } from '../head/source.ts';
import { keyNames } from './key-names.ts';
import type { UniqueKey } from './unique-key.ts';

/** Where a key is: a run that has it, and the row's position there. */
interface KeyPlace {
  readonly run: Run;
  readonly position: number;
}

/** Names of the keys of a source's rows [start, end). */
export function rowNames(
  source: Source,
  { relation, index, types }: UniqueKey,
  { cipher, start, end }: { cipher: NameCipher; start: number; end: number },
): Uint32Array {
  const columns = index.columns.map((attribute) => readColumn(source, relation, attribute, start, end));
  return keyNames(cipher, columns, types, index.equalNulls);
}

/** The visible row with the name at `names[at]`; there is one at most. */
export function findKey(
  runs: readonly Run[],
  key: UniqueKey,
  { cipher, names, at }: { cipher: NameCipher; names: Uint32Array; at: number },
): KeyPlace | null {
  for (let i = runs.length - 1; i >= 0; i--) {
    const run = runs[i] as Run;
    const table = run.source.keys(key, cipher);
    for (let row = table.newest(names, at); row >= 0; row = table.older(row)) {
      if (row < run.rowCount && showsRow(run, row)) return { run, position: row };
    }
  }
  return null;
}
