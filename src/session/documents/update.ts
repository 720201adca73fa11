/**
 * `quern.update()`: the documents that are there are locked and read, what the request brings is put over them, and an
 * UPDATE writes the columns that it names. So texts that stay as they are are not embedded again.
 */
import { present } from '../../assert.ts';
import { typeName } from '../../catalog/enums.ts';
import { columnByName, NULLS, type Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { FaultFinder } from '../../execute/write/row-faults.ts';
import type { BroughtJson } from '../../functions/services.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { TimeSlice } from '../../time-slice.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import type { TypedValue } from '../../types/json/tagged.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { TypeRef } from '../../types/type.ts';
import { limitOf } from '../settings/settings.ts';
import { runInternal } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import { columnType, DocumentFields, Field, ValuesAs } from './fields.ts';
import { endRequest } from './lsn.ts';
import { mergedStruct } from './merge.ts';
import { readJson } from './read.ts';
import { type WrittenCollection, writtenCollection } from './target.ts';
import { ValueReader } from '../../execute/write/document-values.ts';

interface UpdateRequest {
  readonly brought: BroughtJson;
  /** An absent document is a fault. */
  readonly strict: boolean;
}

const TEXT_LIST = typeByOid(OID.text).arrayOid;
/** Nothing was there to update. */
const NO_LSN = '';

export async function updateDocuments(
  statement: Statement,
  written: string,
  request: UpdateRequest,
): Promise<string | null> {
  const into = await writtenCollection(statement, written);
  const update = new DocumentUpdate(statement, into, request);
  const isWritten = await update.run();
  if (!isWritten) return NO_LSN;
  return endRequest(statement, { relation: into.relation.oid, partition: into.partition });
}

/** So many are locked, read and written by one statement. */
const DOCUMENTS_A_PIECE = 4_096;

/** A value of a document, and the field that it is for. */
interface Patch {
  readonly field: Field;
  readonly value: TypedValue;
}

/** Documents of one _id, by their offsets. */
type Piece = readonly (readonly [id: string, offsets: readonly number[]])[];

/** A column that a piece writes; its values are by document, as in the request. */
interface Touched {
  readonly field: Field;
  readonly values: ValuesAs;
  /** Place among the columns that are read; -1 for a column that no document has yet. */
  readonly storedAt: number;
}

/** A column and its type. */
interface Written {
  readonly field: Pick<Field, 'name'>;
  readonly values: Pick<ValuesAs, 'type'>;
}

/** Whoever may not read it is told so first, whether it is there or not. */
function noneWithoutPartition(error: unknown): readonly (readonly Datum[])[] {
  if (error instanceof SqlError && error.fields.routine === 'partition_not_found') return [];
  throw error;
}

class DocumentUpdate {
  readonly #statement: Statement;
  readonly #into: WrittenCollection;
  readonly #request: UpdateRequest;
  readonly #slice: TimeSlice;
  readonly #faults: FaultFinder;
  readonly #documents: DocumentFields;
  /** By document. */
  readonly #patches: Patch[][] = [];
  readonly #byId = new Map<string, number[]>();
  /** The last document of each id. */
  readonly #offsets = new Map<string, number>();

  constructor(statement: Statement, into: WrittenCollection, request: UpdateRequest) {
    const settings = statement.session.formatSettings();
    this.#statement = statement;
    this.#into = into;
    this.#request = request;
    this.#slice = statement.session.timeSlice();
    this.#faults = new FaultFinder(
      settings,
      limitOf(statement.session.settings, 'quern.max_document_bytes'),
      this.#offsets,
    );
    const how = {
      faults: this.#faults,
      reader: new ValueReader(settings),
      readsLater: false,
      keepsNulls: false,
    };
    this.#documents = new DocumentFields(into.relation, how);
  }

  /** @returns false when none of the documents is there. */
  async run(): Promise<boolean> {
    const { brought } = this.#request;
    const { signal } = this.#statement;
    using account = this.#statement.session.openAccount();
    account.hold(2 * brought.json.length);
    const reading = { documents: this.#documents, faults: this.#faults, slice: this.#slice, signal };
    await readJson(brought, reading);
    await this.#sortDocuments();
    let isWritten = false;
    const all = [...this.#byId];
    for (let start = 0; start < all.length; start += DOCUMENTS_A_PIECE) {
      const found = await this.#writePiece(all.slice(start, start + DOCUMENTS_A_PIECE));
      isWritten ||= found > 0;
    }
    this.#faults.raise(this.#into.relation);
    return isWritten;
  }

  async #pause(): Promise<void> {
    const pause = this.#slice.yieldToOthers();
    if (pause !== null) await pause;
    this.#statement.signal.throwIfAborted();
  }

  async #sortDocuments(): Promise<void> {
    const { count, fields } = this.#documents;
    if (count === 0) this.#faults.add({ kind: 'no_documents' });
    const ids: string[] = [];
    for (const field of fields) {
      for (const [place, row] of field.rows.entries()) {
        const value = field.at(place);
        if (field.name === '_id') ids[row] = String(value.value);
        else this.#addPatch(row, { field, value });
        await this.#pause();
      }
    }
    for (let row = 0; row < count; row++) this.#identify(row, ids[row]);
  }

  #addPatch(document_offset: number, patch: Patch): void {
    const { field, value } = patch;
    this.#patches[document_offset] ??= [];
    this.#patches[document_offset].push(patch);
    if (value.value !== null || field.declared?.notNull !== true) return;
    this.#faults.add({ kind: 'missing_field', document_offset, field: field.name });
  }

  #identify(document_offset: number, id: string | undefined): void {
    if (id === undefined) this.#faults.addMissing({ kind: 'missing_id', document_offset, field: '_id' });
    else if (id === '') this.#faults.add({ kind: 'invalid_id', document_offset, field: '_id' });
    else {
      const offsets = this.#byId.get(id) ?? [];
      offsets.push(document_offset);
      this.#byId.set(id, offsets);
      this.#offsets.set(id, document_offset);
    }
  }

  /** @returns how many of the documents are there. */
  async #writePiece(piece: Piece): Promise<number> {
    const relation = present(
      this.#statement.session.catalog().relations.get(this.#into.relation.oid),
      'a locked relation',
    );
    const patches = piece.flatMap(([, offsets]) => offsets.flatMap((offset) => this.#patches[offset] ?? []));
    const names = [...new Set(patches.map(({ field }) => field.name))];
    const stored = names.filter((name) => columnByName(relation, name) !== undefined);
    const ids = piece.map(([id]) => id);
    const nulls = columnByName(relation, NULLS) === undefined ? [] : [NULLS];
    const rows = await this.#select(['_id', ...stored, ...nulls], ids).catch(noneWithoutPartition);
    const found = new Map(rows.map(([id, ...values]) => [id as string, values]));
    if (this.#request.strict) this.#tellAbsent(piece, found);
    if (this.#faults.any || found.size === 0) return found.size;
    const there = piece.filter(([id]) => found.has(id));
    const touched = this.#touched(there, { relation, stored });
    const merged = await this.#merged(touched, there, found);
    if (nulls.length === 0) await this.#write(touched, merged);
    else await this.#write([...touched, nullsColumn()], this.#withNulls(merged, there, found));
    return found.size;
  }

  #tellAbsent(piece: Piece, found: ReadonlyMap<string, unknown>): void {
    for (const [id, offsets] of piece) {
      if (found.has(id)) continue;
      for (const document_offset of offsets) {
        this.#faults.add({ kind: 'document_not_found', document_offset, id });
      }
    }
  }

  /** Columns of the documents that are there, locked until the transaction ends. */
  async #select(columns: readonly string[], ids: readonly string[]): Promise<readonly (readonly Datum[])[]> {
    const text =
      `SELECT ${columns.map(quoteIdentifier).join(', ')} FROM ${this.#relationText} ` +
      'WHERE _id = ANY ($1) FOR UPDATE';
    const request = { types: [TEXT_LIST], parameters: [arrayDatum(OID.text, ids)] };
    const batches = await runInternal(this.#statement, text, request);
    return batches.flatMap((batch) =>
      Array.from({ length: batch.length }, (_, row) => batch.columns.map((column) => column.get(row))),
    );
  }

  get #relationText(): string {
    const { schema, name, partition } = this.#into.name;
    const own = quoteIdentifier(partition === null ? name : `${name}$${partition}`);
    return schema === null ? own : `${quoteIdentifier(schema)}.${own}`;
  }

  /** Fields that the documents bring; not what is NULL in a column that none has. */
  #touched(
    there: Piece,
    { relation, stored }: { relation: Relation; stored: readonly string[] },
  ): readonly Touched[] {
    const fields = new Map<string, Field>();
    for (const [, offsets] of there) {
      for (const offset of offsets) {
        for (const { field, value } of this.#patches[offset] ?? []) {
          const { name } = field;
          const known = fields.get(name) ?? new Field(name, columnByName(relation, name));
          fields.set(name, known);
          known.add(offset, value);
        }
      }
    }
    return [...fields.values()].flatMap((field) => {
      const type = columnType(field);
      if (type === null) return [];
      const values = new ValuesAs(type, this.#statement.session.formatSettings());
      return [{ field, values, storedAt: stored.indexOf(field.name) }];
    });
  }

  /** A row a document: its id, then the columns. */
  async #merged(
    touched: readonly Touched[],
    there: Piece,
    found: ReadonlyMap<string, readonly Datum[]>,
  ): Promise<readonly (readonly Datum[])[]> {
    const given = touched.map(({ field }) => new Map(field.rows.map((row, place) => [row, place])));
    const rows: (readonly Datum[])[] = [];
    for (const [id, offsets] of there) {
      const old = found.get(id) ?? [];
      const columns = touched.map(({ field, values, storedAt }, i) => {
        const known = field.declared?.type ?? field.known ?? values.type;
        let value = values.of({ oid: known.oid, value: old[storedAt] ?? null });
        for (const offset of offsets) {
          const place = given[i]?.get(offset);
          if (place === undefined) continue;
          value = put(value, values.of(field.at(place)), values.type);
          if (field.declared?.struct !== undefined) this.#documents.merged(field, offset, String(value));
        }
        return value;
      });
      rows.push([id, ...columns]);
      await this.#pause();
    }
    return rows;
  }

  /** The rows, and behind them which of their fields are null still: those that the request does not name. */
  #withNulls(
    rows: readonly (readonly Datum[])[],
    there: Piece,
    found: ReadonlyMap<string, readonly Datum[]>,
  ): readonly (readonly Datum[])[] {
    return rows.map((row, i) => {
      const [id, offsets] = present(there[i], 'a document');
      const old = (found.get(id)?.at(-1) ?? null) as ArrayDatum | null;
      const named = new Set(
        offsets.flatMap((at) => (this.#patches[at] ?? []).map(({ field }) => field.name)),
      );
      const left = old?.elements.filter((name) => !named.has(String(name))) ?? [];
      return [...row, left.length === 0 ? null : arrayDatum(OID.text, left)];
    });
  }

  async #write(touched: readonly Written[], rows: readonly (readonly Datum[])[]): Promise<void> {
    const statement = this.#statement;
    const names = { catalog: statement.session.catalog(), searchPath: statement.session.searchPath() };
    const fields = touched.map(({ values }, i) => `c${i} ${typeName(names, values.type)}`);
    const sets = touched.map(({ field }, i) => `${quoteIdentifier(field.name)} = given.c${i}`);
    const text =
      `UPDATE ${this.#relationText} AS stored SET ${sets.join(', ') || '_id = given.id'} ` +
      `FROM quern.request_rows() AS given(${['id text', ...fields].join(', ')}) ` +
      'WHERE stored._id = given.id AND stored._id = ANY ($1)';
    const ids = rows.map(([id]) => id ?? null);
    statement.documentRows = rows;
    try {
      const parameters = [arrayDatum(OID.text, ids)];
      await runInternal(statement, text, { types: [TEXT_LIST], parameters, faults: this.#faults });
    } finally {
      statement.documentRows = [];
    }
  }
}

const nullsColumn = (): Written => ({
  field: { name: NULLS },
  values: { type: { oid: TEXT_LIST, modifier: -1 } },
});

/** A value over the one that is there. */
function put(stored: Datum, given: Datum, { oid }: TypeRef): Datum {
  if (oid !== OID.jsonb || typeof given !== 'string') return given;
  return mergedStruct(stored as string | null, given);
}
