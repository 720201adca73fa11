/**
 * Datasets that an earlier Quern made. At the start they get the relations and columns that they lack; what is indexed
 * of their documents is made anew from the kept files, by jobs that come after those of users. Old versions answer
 * until then.
 */
import {
  CELLS_AS,
  DATASET_RELATIONS,
  datasetRelations,
  datasetSchema,
  GROWING_RELATIONS,
  INDEXED_AS,
  SUBJECTS_AS,
  UNFINISHED,
} from '../session/datasets/relations.ts';
import { keepPassword, type Seal, SETTLED, withoutPassword } from '../session/datasets/file-password.ts';
import { text } from '../session/datasets/parameters.ts';
import { cellView } from '../session/datasets/table-relations.ts';
import type { Query } from '../session/server-session.ts';
import { OID } from '../types/oids.ts';
import { quoteIdentifier } from '../types/text/quote.ts';
import { dropMetadata } from './store-document.ts';

export async function datasetNames(query: Query): Promise<readonly string[]> {
  const rows = await query('SELECT name FROM quern.datasets ORDER BY name');
  return rows.map(({ name }) => String(name));
}

/** @returns how many documents are to be made anew. */
export async function upgradeDataset(query: Query, dataset: string, seal: Seal): Promise<number> {
  const schema = datasetSchema(dataset);
  const known = await columnsOf(query, dataset);
  const lacking = Object.entries(GROWING_RELATIONS).flatMap(([relation, columns]) =>
    Object.entries(columns)
      .filter(([column]) => known.has(relation) && !known.has(`${relation}.${column}`))
      .map(
        ([column, type]) => `ALTER TABLE ${schema}.${relation} ADD COLUMN ${quoteIdentifier(column)} ${type}`,
      ),
  );
  const isWhole = DATASET_RELATIONS.every((relation) => known.has(relation));
  if (!isWhole || lacking.length > 0) {
    for (const sql of [...datasetRelations(schema, null), ...lacking, cellView(schema)]) await query(sql);
  }
  await hidePasswords(query, dataset, seal);
  return queueRebuilds(query, dataset);
}

/** Passwords that stand in metadata are sealed, and go from what is shown. */
async function hidePasswords(query: Query, dataset: string, seal: Seal): Promise<void> {
  const jobs = await query(
    `SELECT handle, doc_id, metadata, ${UNFINISHED} AS waits FROM quern.handles
     WHERE dataset = $1 AND metadata ? 'password'`,
    text(dataset),
  );
  for (const { handle, doc_id, metadata, waits } of jobs) {
    const { metadata: shown, password } = withoutPassword(String(metadata));
    const of = { dataset, docId: String(doc_id), handle: String(handle) };
    if (waits === true) await keepPassword(query, seal, { ...of, password });
    await query('UPDATE quern.handles SET metadata = $2 WHERE handle = $1', text(of.handle), [
      OID.jsonb,
      shown,
    ]);
  }
  const sql = `SELECT doc_id, metadata FROM ${datasetSchema(dataset)}.documents WHERE metadata ? 'password'`;
  for (const { doc_id, metadata } of await query(sql)) {
    const { password } = withoutPassword(String(metadata));
    const of = { dataset, docId: String(doc_id) };
    await keepPassword(query, seal, { ...of, handle: SETTLED, password });
    await dropMetadata(query, of, 'password');
  }
}

/** `relation`, and `relation.column`. */
async function columnsOf(query: Query, dataset: string): Promise<ReadonlySet<string>> {
  const rows = await query(
    `SELECT c.relname::text AS relation, a.attname::text AS name FROM pg_catalog.pg_namespace n
       JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE n.nspname = $1`,
    [OID.text, dataset],
  );
  return new Set(
    rows.flatMap(({ relation, name }) => [String(relation), `${String(relation)}.${String(name)}`]),
  );
}

/** Jobs for what is indexed, or for tables or subjects alone where that is all that is old. */
async function queueRebuilds(query: Query, dataset: string): Promise<number> {
  const rows = await query(
    `INSERT INTO quern.handles (handle, dataset, doc_id, action, name, size, sha256, state, attempts,
       created_at, updated_at)
     SELECT uuidv7()::text, $1, d.doc_id,
       CASE WHEN d.indexed_as IS DISTINCT FROM $2 THEN 'rebuild'
         WHEN d.cells_as IS DISTINCT FROM $3 THEN 'read tables' ELSE 'read subjects' END,
       d.name, d.size, d.sha256, 'queued', 0, now(), now()
     FROM ${datasetSchema(dataset)}.documents d
     WHERE d.file IS NOT NULL AND (d.indexed_as IS DISTINCT FROM $2 OR d.cells_as IS DISTINCT FROM $3
         OR d.subjects_as IS DISTINCT FROM $4)
       AND NOT EXISTS (SELECT 1 FROM quern.handles h
         WHERE h.dataset = $1 AND h.doc_id = d.doc_id AND h.${UNFINISHED} AND (h.action = 'rebuild'
           OR (d.indexed_as IS NOT DISTINCT FROM $2 AND (h.action = 'read tables'
             OR (h.action = 'read subjects' AND d.cells_as IS NOT DISTINCT FROM $3)))))
     RETURNING handle`,
    [OID.text, dataset],
    [OID.int4, INDEXED_AS],
    [OID.int4, CELLS_AS],
    [OID.int4, SUBJECTS_AS],
  );
  return rows.length;
}
