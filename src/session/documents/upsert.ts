/**
 * `quern.upsert()`: an INSERT whose rows stream in, as those of a COPY do. All documents are read before the first one
 * is written: what is wrong with them is one list, and the columns that they bring have one type each.
 */
import { FaultFinder } from '../../execute/write/row-faults.ts';
import type { BroughtDocuments } from '../../functions/services.ts';
import type { Statement } from '../running/statement.ts';
import { limitOf } from '../settings/settings.ts';
import { DocumentFields, type TypedColumns, typedColumns } from './fields.ts';
import { endRequest } from './lsn.ts';
import { readColumns, readJson } from './read.ts';
import { insertInto, type WrittenCollection, writtenCollection } from './target.ts';
import { ValueReader } from '../../execute/write/document-values.ts';

export async function upsertDocuments(
  statement: Statement,
  written: string,
  brought: BroughtDocuments,
): Promise<string | null> {
  const { session, signal } = statement;
  const into = await writtenCollection(statement, written);
  const settings = session.formatSettings();
  const faults = new FaultFinder(settings, limitOf(session.settings, 'quern.max_document_bytes'));
  const reader = new ValueReader(settings);
  const documents = new DocumentFields(into.relation, { faults, reader, readsLater: true, keepsNulls: true });
  const slice = session.timeSlice();
  const reading = { documents, faults, slice, signal };
  using account = session.openAccount();
  if ('json' in brought) {
    account.hold(brought.json.length);
    await readJson(brought, reading);
  } else await readColumns(brought.names, brought.columns, reading);
  if (documents.count === 0) faults.add({ kind: 'no_documents' });
  if (documents.count === 0) faults.raise(into.relation);
  const columns = typedColumns(documents, settings, () => slice.yieldToOthers());
  await insertRows(statement, into, columns, faults);
  return endRequest(statement, { relation: into.relation.oid, partition: into.partition });
}

async function insertRows(
  statement: Statement,
  { name }: WrittenCollection,
  columns: TypedColumns,
  faults: FaultFinder,
): Promise<void> {
  const planned = await insertInto(statement, name, columns);
  const stream = columns.batches();
  const running = await statement.run(planned, { parameters: [], faults, stream });
  try {
    while ((await running.next(0)) !== null);
  } finally {
    await stream.close();
    await running.close();
  }
}
