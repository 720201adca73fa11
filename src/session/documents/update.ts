/**
 * `quern.update()`: the documents that are there are locked and read, what the request brings is put over them, and an
 * UPDATE writes the columns that it names. So texts that stay as they are are not embedded again.
 */
import { typeName } from '../../catalog/enums.ts';
import { FaultFinder } from '../../execute/write/row-faults.ts';
import type { BroughtJson } from '../../functions/services.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { TypeRef } from '../../types/type.ts';
import { runInternal } from '../running/internal-statement.ts';
import type { Runner } from '../running/runner.ts';
import { columnType, DocumentFields, type Field, ValuesAs } from './fields.ts';
import { endRequest } from './lsn.ts';
import { mergedStruct } from './merge.ts';
import { readJson } from './read.ts';
import { type WrittenCollection, writtenCollection } from './target.ts';
import { ValueReader } from './values.ts';

interface UpdateRequest {
  readonly brought: BroughtJson;
  /** An absent document is a fault. */
  readonly strict: boolean;
  readonly signal: AbortSignal;
}

const TEXT_LIST = typeByOid(OID.text).arrayOid;
/** Nothing was there to update. */
const NO_LSN = '';

export async function updateDocuments(
  runner: Runner,
  written: string,
  request: UpdateRequest,
): Promise<string | null> {
  const { signal } = request;
  const into = await writtenCollection(runner, written, { action: 'quern.update', signal });
  const update = new DocumentUpdate(runner, into, request);
  const isWritten = await update.run();
  if (!isWritten) return NO_LSN;
  return endRequest(runner, { relation: into.relation.oid, partition: into.partition }, signal);
}

/** A column that the request writes. */
interface Touched {
  readonly field: Field;
  readonly type: TypeRef;
}

class DocumentUpdate {
  readonly #runner: Runner;
  readonly #into: WrittenCollection;
  readonly #request: UpdateRequest;
  readonly #faults: FaultFinder;
  readonly #documents: DocumentFields;
  /** Ids by document. */
  readonly #ids: string[] = [];
  /** The last document of each id. */
  readonly #offsets = new Map<string, number>();

  constructor(runner: Runner, into: WrittenCollection, request: UpdateRequest) {
    const settings = runner.formatSettings();
    this.#runner = runner;
    this.#into = into;
    this.#request = request;
    this.#faults = new FaultFinder(settings, this.#offsets);
    const how = { faults: this.#faults, reader: new ValueReader(settings), readsLater: false };
    this.#documents = new DocumentFields(into.relation, how);
  }

  /** @returns false when none of the documents is there. */
  async run(): Promise<boolean> {
    const { brought, signal } = this.#request;
    using account = this.#runner.openAccount();
    account.hold(2 * brought.json.length);
    const slice = this.#runner.timeSlice();
    await readJson(brought, { documents: this.#documents, faults: this.#faults, slice, signal });
    this.#checkDocuments();
    const found = await this.#lockDocuments();
    this.#faults.raise(this.#into.relation);
    if (found.size === 0) return false;
    const touched = this.#touched(found);
    await this.#write(touched, await this.#merged(touched, found));
    return true;
  }

  #checkDocuments(): void {
    const { count, fields } = this.#documents;
    if (count === 0) this.#faults.add({ kind: 'no_documents' });
    for (const field of fields) {
      for (const [place, row] of field.rows.entries()) {
        const { value } = field.at(place);
        if (field.name === '_id' && typeof value === 'string') this.#identify(row, value);
        else if (value === null && field.declared?.notNull === true && field.name !== '_id') {
          this.#faults.add({ kind: 'missing_field', document_offset: row, field: field.name });
        }
      }
    }
    for (let row = 0; row < count; row++) {
      if (this.#ids[row] === undefined) {
        this.#faults.addMissing({ kind: 'missing_id', document_offset: row, field: '_id' });
      }
    }
  }

  #identify(document_offset: number, id: string): void {
    this.#ids[document_offset] = id;
    this.#offsets.set(id, document_offset);
    if (id === '') this.#faults.add({ kind: 'invalid_id', document_offset, field: '_id' });
  }

  /** The ids that are there, locked until the transaction ends. */
  async #lockDocuments(): Promise<ReadonlySet<string>> {
    const rows = this.#isThere() ? await this.#select(['_id']) : [];
    const found = new Set(rows.map(([id]) => id as string));
    if (this.#request.strict) {
      for (const [document_offset, id] of this.#ids.entries()) {
        if (id === undefined || id === '' || found.has(id)) continue;
        this.#faults.add({ kind: 'document_not_found', document_offset, id });
      }
    }
    return found;
  }

  #isThere(): boolean {
    const { relation, partition } = this.#into;
    using snapshot = this.#runner.block.require().snapshot();
    return partition === null || snapshot.hasPartition(relation.oid, partition);
  }

  /** Columns of the documents that are there, locked. */
  async #select(columns: readonly string[]): Promise<readonly (readonly Datum[])[]> {
    const { signal } = this.#request;
    const ids = arrayDatum(OID.text, [...this.#offsets.keys()]);
    const text =
      `SELECT ${columns.map(quoteIdentifier).join(', ')} FROM ${this.#relationText} ` +
      'WHERE _id = ANY ($1) FOR UPDATE';
    const request = { types: [TEXT_LIST], parameters: [ids], signal };
    const batches = await runInternal(this.#runner, text, request);
    return batches.flatMap((batch) =>
      Array.from({ length: batch.length }, (_, row) => batch.columns.map((column) => column.get(row))),
    );
  }

  get #relationText(): string {
    const { schema, name, partition } = this.#into.name;
    const own = quoteIdentifier(partition === null ? name : `${name}$${partition}`);
    return schema === null ? own : `${quoteIdentifier(schema)}.${own}`;
  }

  #touched(found: ReadonlySet<string>): readonly Touched[] {
    return this.#documents.fields.flatMap((given) => {
      if (given.name === '_id') return [];
      const field = given.only((row) => found.has(this.#ids[row] ?? ''));
      const type = field.rows.length === 0 ? null : columnType(field);
      return type === null ? [] : [{ field, type }];
    });
  }

  /** A row a document: its id, then the columns. */
  async #merged(
    touched: readonly Touched[],
    found: ReadonlySet<string>,
  ): Promise<readonly (readonly Datum[])[]> {
    const slice = this.#runner.timeSlice();
    const rows = new Map<string, Datum[]>([...found].map((id) => [id, [id]]));
    const stored = touched.filter(({ field }) => field.declared !== null || field.known !== null);
    for (const old of await this.#select(['_id', ...stored.map(({ field }) => field.name)])) {
      const row = rows.get(old[0] as string);
      for (const { field, type } of touched) {
        const place = stored.findIndex((one) => one.field === field);
        const known = field.declared?.type ?? field.known ?? type;
        const values = new ValuesAs(type, this.#runner.formatSettings());
        row?.push(place < 0 ? null : values.of({ oid: known.oid, value: old[place + 1] ?? null }));
      }
      const pause = slice.yieldToOthers();
      if (pause !== null) await pause;
    }
    for (const [i, { field, type }] of touched.entries()) {
      const values = new ValuesAs(type, this.#runner.formatSettings());
      for (const [place, document] of field.rows.entries()) {
        const row = rows.get(this.#ids[document] ?? '');
        if (row !== undefined) row[i + 1] = put(row[i + 1] ?? null, values.of(field.at(place)), type);
        const pause = slice.yieldToOthers();
        if (pause !== null) await pause;
      }
    }
    return [...rows.values()];
  }

  async #write(touched: readonly Touched[], rows: readonly (readonly Datum[])[]): Promise<void> {
    const { signal } = this.#request;
    const runner = this.#runner;
    const names = { catalog: runner.catalog(), searchPath: runner.searchPath() };
    const fields = touched.map(({ type }, i) => `c${i} ${typeName(names, type)}`);
    const sets = touched.map(({ field }, i) => `${quoteIdentifier(field.name)} = given.c${i}`);
    const text =
      `UPDATE ${this.#relationText} AS stored SET ${sets.join(', ') || '_id = given.id'} ` +
      `FROM quern.request_rows() AS given(${['id text', ...fields].join(', ')}) ` +
      'WHERE stored._id = given.id AND stored._id = ANY ($1)';
    const ids = arrayDatum(
      OID.text,
      rows.map(([id]) => id ?? null),
    );
    runner.requests.rows.set(signal, rows);
    try {
      const request = { types: [TEXT_LIST], parameters: [ids], signal, faults: this.#faults };
      await runInternal(runner, text, request);
    } finally {
      runner.requests.rows.delete(signal);
    }
  }
}

/** A value over the one that is there. */
function put(stored: Datum, given: Datum, { oid }: TypeRef): Datum {
  if (oid !== OID.jsonb || typeof given !== 'string') return given;
  return mergedStruct(stored as string | null, given);
}
