/**
 * Faults of rows that are to be written: missing required values, missing or empty `_id`, documents
 * that are too large, and what was wrong with documents before they became rows (`docs/documents.md`). Collections
 * report every fault of the statement in DETAIL as a JSON list, from which clients build their errors; plain tables
 * report the first one as PostgreSQL does.
 */
import { columnByName, liveColumns, type Column, type Relation } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import { type Condition, SqlError } from '../../errors.ts';
import { DOCUMENT_DEPTH_MAX } from '../../limits.ts';
import { isDeeper } from '../../types/json/tagged.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import type { Vector } from '../../types/column/vector.ts';
import { rowColumns } from './row-columns.ts';

/** Faults listed in one error. */
const FAULTS_COUNT_MAX = 1_000;
/** PostgreSQL cuts values in "Failing row contains" to this many characters. */
const SHOWN_CHARACTERS_MAX = 64;

const STRUCTS: ReadonlySet<number> = new Set([OID.jsonb, OID.json]);

interface OfDocument {
  /** From 0. */
  readonly document_offset: number;
}

interface OfField extends OfDocument {
  readonly field: string;
}

/** Their members are part of the public contract. */
export type Fault =
  | { readonly kind: 'no_documents' }
  | (OfDocument & { readonly kind: 'not_a_document'; readonly got: string })
  | (OfField & { readonly kind: 'missing_field' | 'missing_id' })
  | (OfField & { readonly kind: 'invalid_id'; readonly got?: string })
  | (OfField & { readonly kind: 'wrong_type'; readonly expected: string; readonly got: string })
  | (OfField & { readonly kind: 'wrong_dimension'; readonly expected: number; readonly got: number })
  | (OfField & { readonly kind: 'invalid_value'; readonly expected: string; readonly message: string })
  | (OfField & { readonly kind: 'reserved_field' | 'empty_field_name' | 'dotted_field_name' })
  | (OfDocument & {
      readonly kind: 'document_too_large';
      readonly max_bytes: number;
      readonly bytes: number;
    })
  | (OfField & { readonly kind: 'document_too_deep'; readonly max_depth: number })
  | (OfDocument & { readonly kind: 'document_not_found'; readonly id: string });

type Columns = NewRows['columns'];

/** Gathers the faults of a statement, batch by batch. */
export class FaultFinder {
  readonly #settings: FormatSettings;
  readonly #faults: Fault[] = [];
  /** Fields that something is wrong with besides being NULL. */
  readonly #faulty = new Set<string>();
  #count = 0;
  #relation: Relation | null = null;
  #offset = 0;

  readonly #offsets: ReadonlyMap<string, number> | null;
  /** Most bytes of one document. */
  readonly bytesMax: number;

  /** @param offsets documents by their ids, where rows come in another order than they. */
  constructor(
    settings: FormatSettings,
    bytesMax: number,
    offsets: ReadonlyMap<string, number> | null = null,
  ) {
    this.#settings = settings;
    this.bytesMax = bytesMax;
    this.#offsets = offsets;
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /**
   * @param written attribute numbers; columns that are left as they are may be as deep as they were.
   * @throws SqlError for a plain table; a collection's faults are kept for `raise`.
   */
  check(
    relation: Relation,
    columns: Columns,
    length: number,
    written?: { has(attribute: number): boolean },
  ): void {
    this.#relation = relation;
    for (const column of liveColumns(relation)) {
      const required = column.notNull || (relation.kind === 'collection' && column.name === '_id');
      if (required) this.#checkRequired(relation, column, { columns, length });
    }
    if (relation.kind === 'collection') {
      this.#checkIds(relation, columns);
      this.#checkSizes(relation, columns, length);
      this.#checkDepths(relation, columns, written);
    }
    this.#offset += length;
  }

  #checkRequired(
    relation: Relation,
    column: Column,
    { columns, length }: { columns: Columns; length: number },
  ): void {
    const vector = columns.get(column.attribute);
    for (let row = 0; row < length; row++) {
      const isNull = vector === undefined || vector.get(row) === null;
      if (!isNull) continue;
      if (relation.kind !== 'collection') throw this.#nullError(relation, column, { row, columns, length });
      const document_offset = this.#offset + row;
      const field = column.name;
      this.addMissing({ kind: field === '_id' ? 'missing_id' : 'missing_field', document_offset, field });
    }
  }

  #checkIds(relation: Relation, columns: Columns): void {
    const ids = columns.get(columnByName(relation, '_id')?.attribute ?? 0);
    if (ids === undefined) return;
    for (let row = 0; row < ids.length; row++) {
      if (ids.get(row) !== '') continue;
      this.add({ kind: 'invalid_id', document_offset: this.#offset + row, field: '_id' });
    }
  }

  #checkSizes(relation: Relation, columns: Columns, length: number): void {
    const sizes = new Float64Array(length);
    for (const column of liveColumns(relation)) {
      const vector = columns.get(column.attribute);
      if (vector !== undefined) addSizes(sizes, vector, column.type.oid);
    }
    for (let row = 0; row < length; row++) {
      const bytes = sizes[row] as number;
      if (bytes <= this.bytesMax) continue;
      const document_offset = this.offsetOf(relation, columns, row);
      this.add({ kind: 'document_too_large', document_offset, max_bytes: this.bytesMax, bytes });
    }
  }

  #checkDepths(relation: Relation, columns: Columns, written?: { has(attribute: number): boolean }): void {
    for (const { name, type, attribute } of liveColumns(relation)) {
      const vector = STRUCTS.has(type.oid) ? columns.get(attribute) : undefined;
      if (vector === undefined || written?.has(attribute) === false) continue;
      for (let row = 0; row < vector.length; row++) {
        const value = vector.get(row);
        if (typeof value !== 'string' || !isDeeper(value, DOCUMENT_DEPTH_MAX)) continue;
        const document_offset = this.offsetOf(relation, columns, row);
        this.add({ kind: 'document_too_deep', document_offset, field: name, max_depth: DOCUMENT_DEPTH_MAX });
      }
    }
  }

  /** Offset of a row in the batch that is checked next, or now. */
  offsetOf(relation: Relation, columns: Columns, row: number): number {
    const id = columns.get(columnByName(relation, '_id')?.attribute ?? 0)?.get(row);
    return this.#offsets?.get(String(id)) ?? this.#offset + row;
  }

  /** Beside what `check` finds. */
  add(fault: Fault): void {
    this.#count++;
    if (this.#faults.length >= FAULTS_COUNT_MAX) return;
    this.#faults.push(fault);
    if ('field' in fault) this.#faulty.add(placeOf(fault));
    if (fault.kind === 'not_a_document') this.#faulty.add(wholeOf(fault));
  }

  /** Unless something else is wrong with the field. */
  addMissing(fault: Extract<Fault, { kind: 'missing_field' | 'missing_id' }>): void {
    if (!this.#faulty.has(placeOf(fault)) && !this.#faulty.has(wholeOf(fault))) this.add(fault);
  }

  /** Raises what was found, if anything. @throws SqlError of the first document's first fault. */
  raise(relation = this.#relation): void {
    const sorted = this.#faults.toSorted((a, b) => offsetOf(a) - offsetOf(b));
    const [first] = sorted;
    if (first === undefined || relation === null) return;
    const { name } = relation;
    const { condition, message } = describe(first, name);
    const more = this.#count - sorted.length;
    throw new SqlError(condition, message, {
      detail: JSON.stringify([
        ...sorted.map(shown),
        ...(more === 0 ? [] : [{ kind: 'more_faults', count: more }]),
      ]),
      hint: HINTS[first.kind],
      routine: 'document_validation',
      table: name,
      column: 'field' in first && first.kind !== 'empty_field_name' ? first.field : undefined,
    });
  }

  #nullError(
    relation: Relation,
    column: Column,
    { row, columns, length }: { row: number; columns: Columns; length: number },
  ): SqlError {
    return new SqlError('not_null_violation', nullMessage(column.name, relation.name), {
      detail: failingRow(relation, { columns, length }, row, this.#settings),
      table: relation.name,
      column: column.name,
    });
  }
}

/** `Failing row contains (1, null, x).` */
export function failingRow(
  relation: Relation,
  { columns, length }: { readonly columns: Columns; readonly length: number },
  row: number,
  settings: FormatSettings,
): string {
  const live = liveColumns(relation);
  const shown = rowColumns(live, columns, length).map((vector, i) => {
    const value = vector.get(row);
    const column = live[i];
    if (value === null || column === undefined) return 'null';
    const text = typeByOid(column.type.oid).format(value, settings);
    return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}...` : text;
  });
  return `Failing row contains (${shown.join(', ')}).`;
}

const nullMessage = (column: string, relation: string): string =>
  `null value in column "${column}" of relation "${relation}" violates not-null constraint`;

const HINTS: Readonly<Partial<Record<Fault['kind'], string>>> = {
  document_too_large: 'Divide it among several rows.',
  dotted_field_name: 'A dot leads into a struct: {"a": {"b": 1}} has the field a.b.',
};

/** Shows a fault: its kind and place come first. */
const shown = (fault: Fault): object => ({
  ...{ kind: fault.kind },
  ...('document_offset' in fault && { document_offset: fault.document_offset }),
  ...('field' in fault && { field: fault.field }),
  ...fault,
});

const offsetOf = (fault: Fault): number => ('document_offset' in fault ? fault.document_offset : 0);

const wholeOf = ({ document_offset }: OfDocument): string => String(document_offset);

const placeOf = ({ document_offset, field }: OfField): string => `${document_offset} ${field}`;

function describe(fault: Fault, relation: string): { condition: Condition; message: string } {
  const of = 'field' in fault ? `"${fault.field}" of relation "${relation}"` : `relation "${relation}"`;
  switch (fault.kind) {
    case 'no_documents':
      return { condition: 'invalid_parameter_value', message: `no documents for ${of}` };
    case 'not_a_document':
      return { condition: 'invalid_parameter_value', message: `a document is an object, not ${fault.got}` };
    case 'missing_field':
    case 'missing_id':
      return { condition: 'not_null_violation', message: nullMessage(fault.field, relation) };
    case 'invalid_id':
      return {
        condition: 'invalid_parameter_value',
        message: fault.got === undefined ? `${of} must not be empty` : `${of} must be text, not ${fault.got}`,
      };
    case 'wrong_type':
      return { condition: 'datatype_mismatch', message: `${of} is ${fault.expected}, not ${fault.got}` };
    case 'wrong_dimension':
      return {
        condition: 'data_exception',
        message: `${of}: expected ${fault.expected} dimensions, not ${fault.got}`,
      };
    case 'invalid_value':
      return { condition: 'invalid_parameter_value', message: `${of}: ${fault.message}` };
    case 'reserved_field':
      return { condition: 'reserved_name', message: `column name "${fault.field}" is reserved` };
    case 'empty_field_name':
      return { condition: 'invalid_name', message: `a field of ${relation} has an empty name` };
    case 'dotted_field_name':
      return { condition: 'invalid_name', message: `field name "${fault.field}" has a dot` };
    case 'document_too_large':
      return {
        condition: 'program_limit_exceeded',
        message: `document of ${fault.bytes} bytes is larger than the maximum of ${fault.max_bytes}`,
      };
    case 'document_too_deep':
      return {
        condition: 'statement_too_complex',
        message: `${of}: structs and lists are nested more than ${fault.max_depth} deep`,
      };
    case 'document_not_found':
      return {
        condition: 'no_data_found',
        message: `relation "${relation}" has no document with _id "${fault.id}"`,
      };
  }
}

/** Bytes of every row's value: UTF-8 of text, binary form of objects, the width of numbers. */
function addSizes(sizes: Float64Array, vector: Vector, oid: number): void {
  if (vector.kind === 'text') {
    const { offsets } = vector.utf8();
    for (let row = 0; row < sizes.length; row++) {
      sizes[row] = (sizes[row] as number) + (offsets[row + 1] as number) - (offsets[row] as number);
    }
    return;
  }
  const type = typeByOid(oid);
  for (let row = 0; row < sizes.length; row++) {
    const value = vector.get(row);
    if (value === null) continue;
    const bytes = vector.kind === 'object' ? type.send(value).length : 8;
    sizes[row] = (sizes[row] as number) + bytes;
  }
}
