/**
 * What is wrong with rows that are to be written: missing required values, missing or empty `_id`, documents
 * that are too large. Collections report every fault of the statement in DETAIL as a JSON list, from which
 * clients build their errors; plain tables report the first one as PostgreSQL does.
 */
import { columnByName, liveColumns, type Column, type Relation } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import { type Condition, SqlError } from '../../errors.ts';
import { DOCUMENT_BYTES_MAX } from '../../limits.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import type { Vector } from '../../types/column/vector.ts';
import { rowColumns } from './written-rows.ts';

/** Faults listed in one error. */
const FAULTS_COUNT_MAX = 1_000;
/** PostgreSQL cuts values in "Failing row contains" to this many characters. */
const SHOWN_CHARACTERS_MAX = 64;

type Fault =
  | { readonly kind: 'missing_field'; readonly document_offset: number; readonly field: string }
  | { readonly kind: 'missing_id' | 'invalid_id'; readonly document_offset: number; readonly field: '_id' }
  | {
      readonly kind: 'document_too_large';
      readonly document_offset: number;
      readonly max_bytes: number;
      readonly bytes: number;
    };

type Columns = NewRows['columns'];

/** Gathers the faults of a statement, batch by batch. */
export class FaultFinder {
  readonly #settings: FormatSettings;
  readonly #faults: Fault[] = [];
  #relation: Relation | null = null;
  #offset = 0;

  constructor(settings: FormatSettings) {
    this.#settings = settings;
  }

  get any(): boolean {
    return this.#faults.length > 0;
  }

  /** @throws SqlError for a plain table; a collection's faults are kept for `raise`. */
  check(relation: Relation, columns: Columns, length: number): void {
    this.#relation = relation;
    for (const column of liveColumns(relation)) {
      const required = column.notNull || (relation.kind === 'collection' && column.name === '_id');
      if (required) this.#checkRequired(relation, column, { columns, length });
    }
    if (relation.kind === 'collection') {
      this.#checkIds(relation, columns);
      this.#checkSizes(relation, columns, length);
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
      if (column.name === '_id') this.#add({ kind: 'missing_id', document_offset, field: '_id' });
      else this.#add({ kind: 'missing_field', document_offset, field: column.name });
    }
  }

  #checkIds(relation: Relation, columns: Columns): void {
    const ids = columns.get(columnByName(relation, '_id')?.attribute ?? 0);
    if (ids === undefined) return;
    for (let row = 0; row < ids.length; row++) {
      if (ids.get(row) !== '') continue;
      this.#add({ kind: 'invalid_id', document_offset: this.#offset + row, field: '_id' });
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
      if (bytes <= DOCUMENT_BYTES_MAX) continue;
      const document_offset = this.#offset + row;
      this.#add({ kind: 'document_too_large', document_offset, max_bytes: DOCUMENT_BYTES_MAX, bytes });
    }
  }

  #add(fault: Fault): void {
    if (this.#faults.length < FAULTS_COUNT_MAX) this.#faults.push(fault);
  }

  /** Raises what was found, if anything. @throws SqlError 23502, 22023, 54000. */
  raise(): void {
    const sorted = this.#faults.toSorted((a, b) => a.document_offset - b.document_offset);
    const [first] = sorted;
    if (first === undefined || this.#relation === null) return;
    const { name } = this.#relation;
    const { condition, message } = describe(first, name);
    throw new SqlError(condition, message, {
      routine: 'document_validation',
      detail: JSON.stringify(sorted),
      hint: first.kind === 'document_too_large' ? 'Divide it among several rows.' : undefined,
      table: name,
      column: 'field' in first ? first.field : undefined,
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

function describe(fault: Fault, relation: string): { condition: Condition; message: string } {
  switch (fault.kind) {
    case 'missing_field':
    case 'missing_id':
      return { condition: 'not_null_violation', message: nullMessage(fault.field, relation) };
    case 'invalid_id':
      return {
        condition: 'invalid_parameter_value',
        message: `"_id" of relation "${relation}" must not be empty`,
      };
    case 'document_too_large':
      return {
        condition: 'program_limit_exceeded',
        message: `document of ${fault.bytes} bytes is larger than the maximum of ${fault.max_bytes}`,
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
