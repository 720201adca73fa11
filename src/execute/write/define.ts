/** Statements that change what exists: catalog edits, TRUNCATE, dropping a partition. */
import { present, unreachable } from '../../assert.ts';
import { withOwner } from '../../catalog/edit/access.ts';
import { applyEdit } from '../../catalog/edit/edit.ts';
import type { Catalog, Index, Relation } from '../../catalog/model.ts';
import { definitionOf, startOf } from '../../catalog/sequences.ts';
import type { Notice } from '../../errors.ts';
import type { CatalogEdit, BoundStatement } from '../../plan/statement.ts';
import { outsideIndex, outsideIndexRefused, staysHere } from '../../catalog/outside.ts';
import type { ExecutionContext } from '../context.ts';
import { hasPartition, unknownPartition } from '../scan/part-rows.ts';
import { embedStoredRows } from '../embedding/embed-stored-rows.ts';

type Definition = Exclude<BoundStatement, { kind: 'plan' }>;

/** Runs the definition within the context's transaction. */
export async function runDefinition(bound: Definition, context: ExecutionContext): Promise<void> {
  const { transaction, functions } = context;
  switch (bound.kind) {
    case 'catalog':
      for (const notice of bound.notices) functions.notice(wholeNotice(notice));
      await runEdits(bound.edits, context);
      for (const { sequence, ...state } of bound.sequenceValues ?? []) transaction.setValue(sequence, state);
      return;
    case 'truncate':
      for (const relation of bound.relations) transaction.truncate(relation, null);
      truncatePartitions(bound.partitions ?? [], context);
      for (const sequence of bound.sequences ?? [])
        transaction.setValue(sequence, startOf(definitionOf(transaction.catalog().relations.get(sequence))));
      return;
    case 'drop partition':
      dropPartition(bound, context);
      return;
    default:
      unreachable(bound);
  }
}

const wholeNotice = (notice: string | Notice): Notice =>
  typeof notice === 'string'
    ? { severity: 'NOTICE', condition: 'successful_completion', message: notice }
    : notice;

function dropPartition(
  { relation, partition, absent }: Extract<Definition, { kind: 'drop partition' }>,
  { transaction, snapshot, functions }: ExecutionContext,
): void {
  const isThere = absent === null || hasPartition(snapshot, relation, partition);
  if (!isThere && absent === 'error') throw unknownPartition(snapshot, relation, partition);
  if (isThere) transaction.dropPartition(relation, partition);
  else {
    const message = `partition "${partition}" does not exist, skipping`;
    functions.notice({ severity: 'NOTICE', condition: 'successful_completion', message });
  }
}

/** A partition that is not there has no rows, and is not made for that. */
function truncatePartitions(
  partitions: readonly { readonly relation: number; readonly partition: string }[],
  { transaction, snapshot }: ExecutionContext,
): void {
  for (const { relation, partition } of partitions) {
    if (snapshot.hasPartition(relation, partition)) transaction.truncate(relation, partition);
  }
}

async function runEdits(edits: readonly CatalogEdit[], context: ExecutionContext): Promise<void> {
  if (edits.length === 0) return;
  const { transaction, signal, role } = context;
  const marked = edits.map((edit) => withMarks(edit, context));
  for (const edit of marked) refuseOutside(edit, context);
  await transaction.changeCatalog(
    (catalog) => withOwner(catalog, marked.reduce(applyEdit, catalog), role),
    signal,
  );
  for (const edit of edits) {
    if (edit.edit !== 'add index' || edit.index.kind !== 'semantic' || edit.index.standby) continue;
    const relation: Relation = present(
      transaction.catalog().relations.get(edit.relation),
      `relation ${edit.relation}`,
    );
    await embedStoredRows(relation, context);
  }
}

/**
 * A collection knows when it was made. A semantic index names its model, whatever the usual one will be later, and one
 * that there is, before anything is stored. @throws SqlError 42704.
 */
function withMarks(edit: CatalogEdit, { inference, functions }: ExecutionContext): CatalogEdit {
  const marked = (index: Index): Index => {
    if (index.kind !== 'semantic') return index;
    const { options, shape } = index;
    const model = options.model ?? present(functions.setting('quern.embedding_model'), 'the usual model');
    return {
      ...index,
      options: { model, ...options },
      ...(shape && { shape: { ...shape, parameters: { model, ...shape.parameters } } }),
      fingerprint: inference.model(model).fingerprint,
    };
  };
  if (edit.edit === 'add index') return { ...edit, index: marked(edit.index) };
  if (edit.edit !== 'create relation') return edit;
  const { relation } = edit;
  const made = relation.kind === 'collection' ? { createdMicros: String(functions.statementMicros) } : {};
  return { ...edit, relation: { ...relation, ...made, indexes: relation.indexes.map(marked) } };
}

/**
 * Refuses a semantic index whose model is outside on what stays here, whichever comes first; and any such index of one who
 * may send nothing. @throws SqlError 42501.
 */
function refuseOutside(edit: CatalogEdit, { inference, transaction, sender }: ExecutionContext): void {
  const isOutside = (model: string): boolean =>
    inference.models().includes(model) && inference.model(model).isOutside;
  const catalog = transaction.catalog();
  const { relation, added } = changedBy(edit, catalog);
  if (relation === undefined) return;
  const index = outsideIndex([...added, ...relation.indexes], isOutside);
  if (index === undefined) return;
  if (staysHere(catalog, relation)) throw outsideIndexRefused(relation.name, index);
  const refusal = edit.edit === 'set outside' ? null : sender.refusal();
  if (refusal !== null) throw refusal;
}

/** The relation as it will be, and indexes that come to it; of edits of concern alone. */
function changedBy(
  edit: CatalogEdit,
  { relations }: Catalog,
): { readonly relation: Relation | undefined; readonly added: readonly Index[] } {
  if (edit.edit === 'create relation') return { relation: edit.relation, added: [] };
  if (edit.edit === 'add index') return { relation: relations.get(edit.relation), added: [edit.index] };
  const before = edit.edit === 'set outside' && edit.staysHere ? relations.get(edit.relation) : undefined;
  return { relation: before && { ...before, staysHere: true }, added: [] };
}
