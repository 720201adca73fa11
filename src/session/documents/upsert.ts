/**
 * `quern.upsert()`: an INSERT whose rows stream in, as those of a COPY do. All documents are read before the first one
 * is written: what is wrong with them is one list, and the columns that they bring have one type each.
 */
import { FaultFinder } from '../../execute/write/row-faults.ts';
import type { BroughtDocuments } from '../../functions/services.ts';
import type { Runner } from '../running/runner.ts';
import { limitOf } from '../settings/settings.ts';
import { DocumentFields, type TypedColumns, typedColumns } from './fields.ts';
import { endRequest } from './lsn.ts';
import { readColumns, readJson } from './read.ts';
import { insertInto, type WrittenCollection, writtenCollection } from './target.ts';
import { ValueReader } from '../../execute/write/document-values.ts';

export interface UpsertRequest {
  readonly brought: BroughtDocuments;
  readonly signal: AbortSignal;
}

export async function upsertDocuments(
  runner: Runner,
  written: string,
  { brought, signal }: UpsertRequest,
): Promise<string | null> {
  const into = await writtenCollection(runner, written, signal);
  const settings = runner.formatSettings();
  const faults = new FaultFinder(settings, limitOf(runner.settings, 'quern.max_document_bytes'));
  const reader = new ValueReader(settings);
  const documents = new DocumentFields(into.relation, { faults, reader, readsLater: true, keepsNulls: true });
  const slice = runner.timeSlice();
  const reading = { documents, faults, slice, signal };
  using account = runner.openAccount();
  if ('json' in brought) {
    account.hold(brought.json.length);
    await readJson(brought, reading);
  } else await readColumns(brought.names, brought.columns, reading);
  if (documents.count === 0) faults.add({ kind: 'no_documents' });
  if (documents.count === 0) faults.raise(into.relation);
  const columns = typedColumns(documents, settings, () => slice.yieldToOthers());
  await insertRows(runner, into, columns, { faults, signal });
  return endRequest(runner, { relation: into.relation.oid, partition: into.partition }, signal);
}

async function insertRows(
  runner: Runner,
  { name }: WrittenCollection,
  columns: TypedColumns,
  { faults, signal }: { readonly faults: FaultFinder; readonly signal: AbortSignal },
): Promise<void> {
  const planned = await insertInto(runner, name, columns, signal);
  const rows = columns.batches();
  const request = { parameters: [], signal, faults };
  const running = await runner.runPlanned(planned, request, null, rows);
  try {
    while ((await running.next(0)) !== null);
  } finally {
    await rows.return(undefined);
    await running.close();
  }
}
