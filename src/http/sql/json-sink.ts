/**
 * Results of statements as JSON lines: `columns`, then `rows` by the batch, `notice`s as they come, `done`. A full output makes
 * the executor wait.
 */
import type { Notice } from '../../errors.ts';
import { SQLSTATES } from '../../errors.ts';
import type { Notification, OutputColumn, ResultSink } from '../../session/protocol.ts';
import { takeTurn } from '../../time-slice.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import type { ArrayDatum } from '../../types/datum.ts';
import { formatType, isBuiltIn, typeByOid } from '../../types/registry.ts';
import type { FormatSettings, ObjectNames } from '../../types/type.ts';
import { READ_INLINE_BYTES_MAX, weightOf } from '../../types/weight.ts';
import { type JsonColumn, jsonColumn, jsonDatum, type WriteDatum, writeElements } from './json-columns.ts';
import type { Output } from './output.ts';

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const ROWS = '{"rows":[';
const ROWS_END = ']}\n';

/** Elements of a long array that are written between two turns of the event loop. */
const ELEMENTS_A_PIECE = 4_096;

/** A line of an answer. */
export type Line = Readonly<Record<string, unknown>>;

export interface JsonSinkOptions {
  /** The request's, where its stream is that of others too. */
  readonly id: string | null;
  /** A statement has ended well, with this tag. */
  readonly done: (tag: string) => void;
  /** Names of types that users made. */
  readonly objects: () => ObjectNames | null;
}

export class JsonSink implements ResultSink {
  readonly #output: Output;
  /** Begins each line of an answer that shares its stream with others. */
  readonly #id: string | null;
  readonly #rows: string;
  readonly #done: (tag: string) => void;
  readonly #objects: () => ObjectNames | null;
  /** A line of them may be half written. */
  hasRows = false;
  #described: readonly OutputColumn[] = [];
  #columns: readonly OutputColumn[] = [];
  #settings: FormatSettings | null = null;
  #writers: readonly JsonColumn[] = [];
  /** Writers of the elements of arrays, by column. */
  #elements: readonly (WriteDatum | null)[] = [];

  constructor(output: Output, { id, done, objects }: JsonSinkOptions) {
    this.#output = output;
    this.#id = id;
    this.#rows = id === null ? ROWS : `{"id":${JSON.stringify(id)},${ROWS.slice(1)}`;
    this.#done = done;
    this.#objects = objects;
  }

  line(line: Line): void {
    const whole = this.#id === null ? line : { id: this.#id, ...line };
    this.#output.writer.writeUtf8(`${JSON.stringify(whole)}\n`);
  }

  describe(columns: readonly OutputColumn[]): void {
    this.#described = columns;
    this.line({ columns: columns.map((column) => columnLine(column, this.#objects())) });
  }

  rows(batch: Batch, columns: readonly OutputColumn[], settings: FormatSettings): void | Promise<void> {
    this.hasRows = true;
    if (columns !== this.#columns || settings !== this.#settings) this.#prepare(columns, settings);
    if (this.#isLarge(batch)) return this.#writeInPieces(batch);
    const next = this.#write(batch, 0);
    if (this.#output.full) return this.#writeRest(batch, next);
  }

  flush(): void {
    this.#output.flush();
  }

  /** Large arrays are written here, piece by piece: as text they would be strings. */
  isText(position: number): boolean {
    const column = this.#described[position];
    return column === undefined || typeByOid(column.type.oid).elementOid === undefined;
  }

  complete(tag: string): void {
    this.hasRows = false;
    this.#done(tag);
  }

  emptyQuery(): void {
    this.#done('');
  }

  /** Only what asks for so many rows is told so. */
  suspended(): void {}

  notice({ severity, condition, message, detail, hint }: Notice): void {
    this.line({ notice: { severity, message, sqlstate: SQLSTATES[condition], detail, hint } });
  }

  notification({ channel, payload, processId }: Notification): void {
    this.line({ notification: { channel, payload, pid: processId } });
  }

  /** No client of HTTP follows them. */
  parameterStatus(): void {}

  #prepare(columns: readonly OutputColumn[], settings: FormatSettings): void {
    const types = columns.map(({ type }) => typeByOid(type.oid));
    this.#writers = types.map((type) => jsonColumn(type, settings));
    this.#elements = types.map(({ elementOid }) =>
      elementOid === undefined ? null : jsonDatum(typeByOid(elementOid), settings),
    );
    this.#columns = columns;
    this.#settings = settings;
  }

  async #writeRest(batch: Batch, start: number): Promise<void> {
    let next = start;
    for (;;) {
      await this.#output.drain();
      if (next === batch.length || this.#output.isOver) return;
      next = this.#write(batch, next);
      if (!this.#output.full) return;
    }
  }

  #isLarge({ columns, length }: Batch): boolean {
    return columns.some((column, i) => {
      if (this.#elements[i] === null) return false;
      for (let row = 0; row < length; row++) {
        if (weightOf(column.get(row)) > READ_INLINE_BYTES_MAX) return true;
      }
      return false;
    });
  }

  /** A line a row; long arrays leave while they are written, and let others have turns. */
  async #writeInPieces({ columns, length }: Batch): Promise<void> {
    for (let row = 0; row < length && !this.#output.isOver; row++) {
      this.#output.writer.writeUtf8(`${this.#rows}[`);
      for (const [i, column] of columns.entries()) {
        if (i > 0) this.#output.writer.writeByte(COMMA);
        const write = this.#elements[i] ?? null;
        const value = column.get(row);
        const isLong = write !== null && value !== null && weightOf(value) > READ_INLINE_BYTES_MAX;
        if (isLong) await this.#writeLongArray(value as ArrayDatum, write);
        else (this.#writers[i] as JsonColumn)(column, row, this.#output.writer);
      }
      this.#output.writer.writeAscii(`]${ROWS_END}`);
      if (this.#output.full) await this.#output.drain();
    }
  }

  async #writeLongArray(array: ArrayDatum, write: WriteDatum): Promise<void> {
    const { length } = array.elements;
    for (let start = 0; start < length && !this.#output.isOver; start += ELEMENTS_A_PIECE) {
      const end = Math.min(start + ELEMENTS_A_PIECE, length);
      writeElements(array, write, { start, end }, this.#output.writer);
      if (this.#output.full) await this.#output.drain();
      await takeTurn();
    }
  }

  /** Writes a line of rows from `start` until the output is full. @returns the first row not written. */
  #write({ columns, length }: Batch, start: number): number {
    if (start === length) return start;
    const { writer } = this.#output;
    let row = start;
    const at = writer.size;
    writer.writeUtf8(this.#rows);
    try {
      while (row < length && !this.#output.full) {
        if (row > start) writer.writeByte(COMMA);
        writer.writeByte(OPEN);
        for (let i = 0; i < columns.length; i++) {
          if (i > 0) writer.writeByte(COMMA);
          (this.#writers[i] as JsonColumn)(columns[i] as Vector, row, writer);
        }
        writer.writeByte(CLOSE);
        row++;
      }
      writer.writeAscii(ROWS_END);
    } catch (error) {
      writer.truncate(at); // A value that cannot be written leaves no half line behind.
      throw error;
    }
    return row;
  }
}

function columnLine({ name, type, relation, attribute }: OutputColumn, objects: ObjectNames | null): Line {
  const made = isBuiltIn(type.oid) ? null : objects?.name('regtype', type.oid);
  const from = relation === 0 ? {} : { relation, attribute };
  return { name, type: made ?? formatType(type), oid: type.oid, ...from };
}
