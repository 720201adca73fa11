/**
 * Faults of documents in columns that are declared as structs (`JSONB STRUCT (…)`): required fields that are
 * missing, values of other types. Members that are not declared may be anything.
 */
import { liveColumns, type Relation, type StructField } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import { type Task, wait } from '../../task.ts';
import { jsonKind } from '../../types/json/text.ts';
import { checkpoint, type Run } from '../state.ts';
import { Misfit, type PlacedFault, ValueReader, wordOfSeen } from './document-values.ts';
import type { FaultFinder } from './row-faults.ts';

/**
 * Before the finder's own check of the same rows. Documents of a request were checked when they were read.
 *
 * @param written attribute numbers; columns that are left as they are were checked before.
 */
export function* checkStructs(
  faults: FaultFinder,
  relation: Relation,
  { columns, length }: Pick<NewRows, 'columns' | 'length'>,
  { run, written }: { readonly run: Run; readonly written?: { has(attribute: number): boolean } },
): Task<void> {
  if (run.context.faults !== undefined) return;
  const reader = new ValueReader(run.context.functions.settings);
  for (const { name, struct, attribute } of liveColumns(relation)) {
    const vector = columns.get(attribute);
    if (struct === undefined || vector === undefined || written?.has(attribute) === false) continue;
    for (let row = 0; row < length; row++) {
      const text = vector.get(row) as string | null;
      if (text === null) continue;
      const document_offset = faults.offsetOf(relation, columns, row);
      for (const { path, ...fault } of faultsOf(reader, text, struct)) {
        const field = path === '' ? name : `${name}.${path}`;
        faults.add({ ...fault, document_offset, field });
      }
      const pause = checkpoint(run);
      if (pause !== null) yield* wait(pause);
    }
  }
}

function faultsOf(reader: ValueReader, text: string, fields: readonly StructField[]): readonly PlacedFault[] {
  if (jsonKind(text) !== 'object') {
    const seen = reader.seen(text);
    const got = seen instanceof Misfit ? 'list' : wordOfSeen(seen);
    return [{ kind: 'wrong_type', expected: 'struct', got, path: '' }];
  }
  const read = reader.struct(text, fields, true);
  return read instanceof Misfit ? read.faults : [];
}
