/**
 * Reading of a request into fields: jsonb documents, or one array a field. Both in slices: others have turns
 * in between, whatever the size.
 */
import { SqlError } from '../../errors.ts';
import type { FaultFinder } from '../../execute/write/row-faults.ts';
import type { BroughtJson } from '../../functions/services.ts';
import { DOCUMENT_BYTES_MAX } from '../../limits.ts';
import type { TimeSlice } from '../../time-slice.ts';
import type { ArrayDatum, RecordDatum } from '../../types/datum.ts';
import { parseJson } from '../../types/json/json.ts';
import { jsonItemsBy, jsonKind, jsonMembers } from '../../types/json/text.ts';
import { checkJson } from '../../types/json/types.ts';
import { OID } from '../../types/oids.ts';
import type { DocumentFields } from './fields.ts';
import { wordOf } from '../../execute/write/document-values.ts';

/** Nothing that fits a document is written longer: an element of one byte takes some fifteen characters. */
const DOCUMENT_CHARACTERS_MAX = 16 * DOCUMENT_BYTES_MAX;

interface Reading {
  readonly documents: DocumentFields;
  readonly faults: FaultFinder;
  readonly slice: TimeSlice;
  readonly signal: AbortSignal;
}

/** Documents in an array, or one. @throws SqlError 22P02 for what is no JSON. */
export async function readJson({ json: text, isRead }: BroughtJson, reading: Reading): Promise<void> {
  const { slice, signal } = reading;
  const pause = async (): Promise<void> => {
    await slice.yieldToOthers();
    signal.throwIfAborted();
  };
  if (!/^[ \t\n\r]*\[/.test(text)) {
    addDocument(text.trim(), isRead, reading);
    return;
  }
  const documents = jsonItemsBy(text, pause);
  let step = await documents.next();
  for (; step.done !== true; step = await documents.next()) {
    addDocument(step.value, isRead, reading);
    const waiting = slice.yieldToOthers();
    if (waiting !== null) await waiting;
    signal.throwIfAborted();
  }
  if (!step.value) parseJson(text);
}

function addDocument(text: string, isRead: boolean, { documents, faults }: Reading): void {
  const row = documents.count++;
  if (text.length > DOCUMENT_CHARACTERS_MAX) {
    const limit = { max_bytes: faults.bytesMax, bytes: text.length };
    faults.add({ kind: 'document_too_large', document_offset: row, ...limit });
    return;
  }
  if (!isRead) checkJson(text);
  const kind = jsonKind(text);
  if (kind === 'object') readDocument(text, row, documents);
  else faults.add({ kind: 'not_a_document', document_offset: row, got: kind });
}

function readDocument(text: string, row: number, documents: DocumentFields): void {
  for (const { key, text: value } of jsonMembers(text)) {
    const field = documents.fieldOf(key, row);
    if (field !== null) documents.addJson(field, row, value);
  }
}

/** @throws SqlError 22023 for names and arrays that do not go together. */
export async function readColumns(names: ArrayDatum, columns: RecordDatum, reading: Reading): Promise<void> {
  const { documents, slice, signal } = reading;
  const arrays = checkedColumns(names, columns);
  documents.count = arrays[0]?.elements.length ?? 0;
  for (const [i, array] of arrays.entries()) {
    const name = String(names.elements[i]);
    for (const [row, value] of array.elements.entries()) {
      const waiting = slice.yieldToOthers();
      if (waiting !== null) await waiting;
      signal.throwIfAborted();
      const field = value === null ? null : documents.fieldOf(name, row);
      if (field === null) continue;
      if (array.elementType === OID.jsonb) documents.addJson(field, row, value as string);
      else documents.addTyped(field, row, { oid: array.elementType, value });
    }
  }
}

function checkedColumns(names: ArrayDatum, { fields, types }: RecordDatum): readonly ArrayDatum[] {
  const refuse = (message: string): SqlError =>
    new SqlError('invalid_parameter_value', message, {
      hint: "As in quern.upsert('books', ARRAY['_id', 'title'], $1::text[], $2::text[]).",
    });
  if (names.elements.length !== fields.length) {
    throw refuse(`${names.elements.length} field names for ${fields.length} arrays`);
  }
  const arrays = fields.map((field, i): ArrayDatum => {
    const name = names.elements[i];
    if (typeof name !== 'string') throw refuse('a field name must not be NULL');
    const isArray =
      typeof field === 'object' && field !== null && 'datum' in field && field.datum === 'array';
    if (!isArray) throw refuse(`field "${name}" has ${wordOf(types[i] ?? OID.unknown)}, not an array`);
    if (field.dimensions.length > 1) throw refuse(`the array of field "${name}" has several dimensions`);
    return field;
  });
  const [first] = arrays;
  const other = arrays.findIndex(({ elements }) => elements.length !== first?.elements.length);
  if (other > 0) throw refuse(`field "${names.elements[other]}" has another number of values than the first`);
  if (new Set(names.elements).size < arrays.length) throw refuse('a field is named twice');
  return arrays;
}
