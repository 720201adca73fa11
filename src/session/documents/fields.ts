/**
 * Documents of one request as columns: a list of values a field, in the order of the documents, and what is wrong with
 * them. The types of undeclared fields are known when all documents have been read.
 */
import { present } from '../../assert.ts';
import { columnByName, type Column, NULLS, type Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { type PlanRows, SteppedRows, type Steps } from '../../execute/plan-rows.ts';
import { converter, widerType } from '../../execute/write/undeclared-types.ts';
import type { FaultFinder } from '../../execute/write/row-faults.ts';
import { BATCH_ROWS_MAX, COLUMNS_COUNT_MAX } from '../../limits.ts';
import { type Task, wait } from '../../task.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import type { Datum } from '../../types/datum.ts';
import { isStruct, type TypedValue } from '../../types/json/tagged.ts';
import { jsonKind } from '../../types/json/text.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings, TypeRef } from '../../types/type.ts';
import {
  EMPTY_LIST,
  keptOid,
  Misfit,
  type ValueReader,
  wordOfSeen,
} from '../../execute/write/document-values.ts';

const ID = '_id';

/** Columns as an INSERT takes them: one type each. */
export interface TypedColumns {
  readonly names: readonly string[];
  readonly types: readonly TypeRef[];
  /** Batches of rows, in the order of the documents. */
  readonly batches: () => PlanRows;
}

/** The values of a field; documents without it are left out. */
export class Field {
  readonly name: string;
  /** Null for an undeclared field. */
  readonly declared: Column | null;
  /** Type of an undeclared field so far. */
  readonly known: TypeRef | null;
  readonly rows: number[] = [];
  readonly values: Datum[] = [];
  /** Types of the values; `UNREAD` for JSON that is read as the column's type when it is written. */
  readonly oids: number[] = [];

  constructor(name: string, column: Column | undefined) {
    this.name = name;
    this.declared = column === undefined || column.undeclared ? null : column;
    this.known = column?.undeclared === true ? column.type : null;
  }

  add(row: number, { oid, value }: TypedValue): void {
    this.rows.push(row);
    this.values.push(value);
    this.oids.push(oid);
  }

  at(place: number): TypedValue {
    return { oid: this.oids[place] as number, value: this.values[place] ?? null };
  }
}

/** In the place of a type: JSON as it came. */
const UNREAD = -1;

type NameFault = 'reserved_field' | 'empty_field_name' | 'dotted_field_name';

interface FieldOptions {
  readonly faults: FaultFinder;
  readonly reader: ValueReader;
  readonly readsLater: boolean;
  /** A field that is null is told from one that is missing. */
  readonly keepsNulls: boolean;
}

export class DocumentFields {
  readonly #relation: Relation;
  readonly #faults: FaultFinder;
  readonly #reader: ValueReader;
  /** Values of declared fields are read when they are written: thousands of vectors are not held at a time. */
  readonly #readsLater: boolean;
  /** Names of the fields that are null, by document; undefined where nobody asks. */
  readonly #nulls: Map<number, string[]> | undefined;
  readonly #fields = new Map<string, Field | NameFault>();
  /** Documents so far. */
  #count = 0;

  constructor(relation: Relation, { faults, reader, readsLater, keepsNulls }: FieldOptions) {
    this.#relation = relation;
    this.#faults = faults;
    this.#reader = reader;
    this.#readsLater = readsLater;
    this.#nulls = keepsNulls ? new Map() : undefined;
    // An _id that no document has is missing in each.
    this.#named(ID);
  }

  get count(): number {
    return this.#count;
  }

  set count(documents: number) {
    this.#count = documents;
  }

  /** Those that may be written. */
  get fields(): readonly Field[] {
    const fields = [...this.#fields.values()].filter((field) => field instanceof Field);
    return this.#nulls === undefined || this.#nulls.size === 0 ? fields : [...fields, this.#nullsField()];
  }

  #nullsField(): Field {
    const field = new Field(NULLS, columnByName(this.#relation, NULLS));
    const { arrayOid } = typeByOid(OID.text);
    for (const [row, names] of [...(this.#nulls ?? [])].sort(([a], [b]) => a - b)) {
      field.add(row, { oid: arrayOid, value: arrayDatum(OID.text, names) });
    }
    return field;
  }

  /** The field; null where its name is refused, which is a fault of this document. */
  fieldOf(name: string, document_offset: number): Field | null {
    const field = this.#fields.get(name) ?? this.#named(name);
    if (field instanceof Field) return field;
    this.#faults.add({ kind: field, document_offset, field: name });
    return null;
  }

  addJson(field: Field, row: number, text: string): void {
    if (this.#nulls !== undefined && field.name !== ID && jsonKind(text) === 'null') {
      this.#nulls.set(row, [...(this.#nulls.get(row) ?? []), field.name]);
    }
    if (field.declared === null) this.#add(field, row, this.#reader.seen(text));
    else if (field.name === ID && !text.startsWith('"')) this.#refuseId(row, text);
    else this.#addDeclared(field, row, { oid: UNREAD, value: text });
  }

  addTyped(field: Field, row: number, typed: TypedValue): void {
    if (field.declared === null) this.#add(field, row, typed);
    else this.#addDeclared(field, row, typed);
  }

  #addDeclared(field: Field, row: number, given: TypedValue): void {
    if (this.#readsLater) field.add(row, given);
    else {
      const value = this.#fitted(field, given);
      this.#add(field, row, value instanceof Misfit ? value : { oid: columnOid(field), value });
    }
  }

  #add(field: Field, row: number, value: TypedValue | Misfit): void {
    if (value instanceof Misfit) this.#refuse(field, row, value);
    else field.add(row, value);
  }

  #refuse({ name }: Pick<Field, 'name'>, document_offset: number, { faults }: Misfit): void {
    for (const { path, ...fault } of faults) {
      this.#faults.add({ ...fault, document_offset, field: path === '' ? name : `${name}.${path}` });
    }
  }

  #fitted({ declared }: Field, { oid, value }: TypedValue): Datum | Misfit {
    const { type, struct } = present(declared, 'a declared column');
    const fitted =
      oid === UNREAD ? this.#reader.fitted(value as string, type) : this.#reader.typed({ oid, value }, type);
    const isStructured = struct !== undefined && typeof fitted === 'string' && isStruct(fitted);
    return isStructured ? this.#reader.struct(fitted, struct, this.#readsLater) : fitted;
  }

  /** A value as its column takes it; NULL for what does not fit, which is a fault then. */
  written(field: Field, place: number): Datum {
    const given = field.at(place);
    if (field.declared === null || !this.#readsLater) return given.value;
    const value = this.#fitted(field, given);
    if (!(value instanceof Misfit)) return value;
    this.#refuse(field, field.rows[place] as number, value);
    return value.kept;
  }

  /** A struct that documents were merged into; what it lacks are faults of the last of them. */
  merged({ name, declared }: Field, row: number, text: string): void {
    const { struct } = present(declared, 'a declared column');
    if (struct === undefined || !isStruct(text)) return;
    const whole = this.#reader.struct(text, struct, true);
    if (whole instanceof Misfit) this.#refuse({ name }, row, whole);
  }

  #refuseId(document_offset: number, text: string): void {
    const seen = this.#reader.seen(text);
    if (seen instanceof Misfit) this.#refuse({ name: ID }, document_offset, seen);
    else if (seen.value !== null || seen.oid === EMPTY_LIST) {
      this.#faults.add({ kind: 'invalid_id', document_offset, field: ID, got: wordOfSeen(seen) });
    }
  }

  #named(name: string): Field | NameFault {
    const made = nameFault(name) ?? new Field(name, columnByName(this.#relation, name));
    if (this.#fields.size >= 2 * COLUMNS_COUNT_MAX) {
      throw new SqlError('too_many_columns', `documents have more than ${2 * COLUMNS_COUNT_MAX} fields`, {
        hint: 'Keep them in one struct.',
      });
    }
    this.#fields.set(name, made);
    return made;
  }
}

function nameFault(name: string): NameFault | null {
  if (name === '') return 'empty_field_name';
  if (name.startsWith('_') && name !== ID) return 'reserved_field';
  return name.includes('.') ? 'dotted_field_name' : null;
}

const plain = (oid: number): TypeRef => ({ oid, modifier: -1 });

const columnOid = ({ declared }: Field): number => declared?.type.oid ?? OID.unknown;

/** The type of a field's column; null for an undeclared one of which nothing is known. */
export function columnType({ declared, oids, known }: Field): TypeRef | null {
  if (declared !== null) return declared.type;
  let widest = known;
  for (const oid of new Set(oids)) {
    if (oid === OID.unknown || oid === EMPTY_LIST) continue;
    const kept = plain(keptOid(oid));
    widest = widest === null ? kept : widerType(widest, kept);
  }
  if (!oids.includes(EMPTY_LIST)) return widest;
  if (widest === null) return plain(typeByOid(OID.text).arrayOid);
  return isList(widest.oid) ? widest : plain(OID.jsonb);
}

const isList = (oid: number): boolean => typeByOid(oid).elementOid !== undefined;

/** @param pause awaited now and then, while values are made ready. */
export function typedColumns(
  documents: DocumentFields,
  settings: FormatSettings,
  pause: () => Promise<void> | null,
): TypedColumns {
  const columns = documents.fields.flatMap((field) => {
    const type = columnType(field);
    return type === null ? [] : [new FieldColumn(documents, field, new ValuesAs(type, settings))];
  });
  return {
    names: columns.map(({ name }) => name),
    types: columns.map(({ type }) => type),
    batches: () => new SteppedRows(batchesOf(columns, documents.count, pause)),
  };
}

function* batchesOf(
  columns: readonly FieldColumn[],
  count: number,
  pause: () => Promise<void> | null,
): Steps {
  for (let start = 0; start < count; start += BATCH_ROWS_MAX) {
    const length = Math.min(count - start, BATCH_ROWS_MAX);
    const vectors: Vector[] = [];
    for (const column of columns) vectors.push(yield* column.take(start, length, pause));
    yield { length, columns: vectors };
  }
}

/** The clock is looked at after so many values. */
const VALUES_A_LOOK = 16;

/** A column that is taken from front to back. */
class FieldColumn {
  readonly name: string;
  readonly type: TypeRef;
  readonly #documents: DocumentFields;
  readonly #field: Field;
  readonly #values: ValuesAs;
  #next = 0;

  constructor(documents: DocumentFields, field: Field, values: ValuesAs) {
    this.name = field.name;
    this.type = values.type;
    this.#documents = documents;
    this.#field = field;
    this.#values = values;
  }

  *take(start: number, length: number, pause: () => Promise<void> | null): Task<Vector> {
    const { rows, declared } = this.#field;
    const values: Datum[] = new Array(length).fill(null);
    for (; (rows[this.#next] ?? Infinity) < start + length; this.#next++) {
      const place = this.#next;
      values[(rows[place] as number) - start] =
        declared === null
          ? this.#values.of(this.#field.at(place))
          : this.#documents.written(this.#field, place);
      const waiting = place % VALUES_A_LOOK === 0 ? pause() : null;
      if (waiting !== null) yield* wait(waiting);
    }
    return vectorOf(typeByOid(this.type.oid).vector, values);
  }
}

/** Values of several types as those of a column that takes them all. */
export class ValuesAs {
  readonly type: TypeRef;
  readonly #settings: FormatSettings;
  readonly #converters = new Map<number, (value: Datum) => Datum>();

  constructor(type: TypeRef, settings: FormatSettings) {
    this.type = type;
    this.#settings = settings;
  }

  of({ oid, value }: TypedValue): Datum {
    if (oid === EMPTY_LIST) return this.#emptyList();
    return value === null || oid === this.type.oid ? value : this.#converterOf(oid)(value);
  }

  #emptyList(): Datum {
    const element = typeByOid(this.type.oid).elementOid;
    return element ? arrayDatum(element, []) : '[]';
  }

  #converterOf(oid: number): (value: Datum) => Datum {
    const known = this.#converters.get(oid) ?? converter(oid, this.type.oid, this.#settings);
    this.#converters.set(oid, known);
    return known;
  }
}
