/**
 * Turns results into DataRow messages. The encoders of a portal's columns are made once; rows are written
 * column by column into the output, and a full output makes the executor wait.
 */
import { type Notice, SqlError } from '../errors.ts';
import type { CopyShape, OutputColumn, ResultSink } from '../session/protocol.ts';
import { type ColumnEncoder, columnEncoder } from '../types/column/encode.ts';
import { typeByOid } from '../types/registry.ts';
import type { FormatSettings } from '../types/type.ts';
import type { Batch, Vector } from '../types/column/vector.ts';
import { decodeMessage, type FormatCode } from './decode.ts';
import * as encode from './encode.ts';
import type { Frame } from './framing.ts';
import type { Output } from './output.ts';

const DATA_ROW = 0x44; // D

/** Result formats of a client that says nothing of them. */
export const ALL_TEXT: readonly FormatCode[] = [];

/** A plan's columns with what writes them. */
interface Encoding {
  readonly formats: readonly FormatCode[];
  readonly settings: FormatSettings;
  readonly encoders: readonly ColumnEncoder[];
}

export class WireSink implements ResultSink {
  /** Result formats of the portal that runs. */
  formats: readonly FormatCode[] = ALL_TEXT;
  #output: Output;
  #nextFrame: (signal: AbortSignal) => Promise<Frame | null>;
  /** Plans are kept and run again: so are the encoders of their columns. */
  readonly #encodings = new WeakMap<readonly OutputColumn[], Encoding>();
  /** Their RowDescriptions, all text. */
  readonly #descriptions = new WeakMap<readonly OutputColumn[], Uint8Array>();

  /** @param nextFrame the client's next message while a COPY reads; null when the client has gone. */
  constructor(output: Output, nextFrame: (signal: AbortSignal) => Promise<Frame | null>) {
    this.#output = output;
    this.#nextFrame = nextFrame;
  }

  describe(columns: readonly OutputColumn[]): void {
    const { writer } = this.#output;
    const known = this.formats === ALL_TEXT ? this.#descriptions.get(columns) : undefined;
    if (known !== undefined) {
      writer.writeBytes(known);
      return;
    }
    const start = writer.size;
    encode.rowDescription(writer, columns, this.formats);
    if (this.formats === ALL_TEXT) this.#descriptions.set(columns, writer.finish().slice(start));
  }

  rows(batch: Batch, columns: readonly OutputColumn[], settings: FormatSettings): void | Promise<void> {
    const encoders = this.#encodersOf(columns, settings);
    const next = this.#write(batch, encoders, 0);
    if (this.#output.full) return this.#writeRest(batch, encoders, next);
  }

  flush(): void {
    this.#output.flush();
  }

  isText(position: number): boolean {
    return encode.formatOf(this.formats, position) === 0;
  }

  complete(tag: string): void {
    encode.commandComplete(this.#output.writer, tag);
  }

  emptyQuery(): void {
    encode.emptyQueryResponse(this.#output.writer);
  }

  suspended(): void {
    encode.portalSuspended(this.#output.writer);
  }

  notice(notice: Notice): void {
    encode.noticeResponse(this.#output.writer, notice);
  }

  parameterStatus(name: string, value: string): void {
    encode.parameterStatus(this.#output.writer, name, value);
  }

  copyOut(shape: CopyShape): void {
    encode.copyResponse(this.#output.writer, 'out', shape);
  }

  async copyData(bytes: Uint8Array, ends: readonly number[]): Promise<void> {
    let start = 0;
    for (const end of ends) {
      encode.copyData(this.#output.writer, bytes, start, end);
      start = end;
      if (this.#output.full) await this.#output.drain();
    }
  }

  copyDone(): void {
    encode.copyDone(this.#output.writer);
  }

  async *copyIn({
    signal,
    ...shape
  }: CopyShape & { readonly signal: AbortSignal }): AsyncGenerator<Uint8Array> {
    encode.copyResponse(this.#output.writer, 'in', shape);
    this.#output.flush();
    for (;;) {
      const frame = await this.#nextFrame(signal);
      if (frame === null) {
        throw new SqlError(
          'connection_failure',
          'unexpected EOF on client connection with an open transaction',
        );
      }
      const message = decodeMessage(frame.code, frame.body);
      switch (message.kind) {
        case 'copy data':
          yield message.data;
          break;
        case 'copy done':
          return;
        case 'copy fail':
          throw new SqlError('query_canceled', `COPY from stdin failed: ${message.reason}`);
        case 'flush':
        case 'sync':
          break; // PostgreSQL reads past them too: drivers send Sync together with Execute.
        default: {
          const code = `0x${frame.code.toString(16).toUpperCase()}`;
          throw new SqlError('protocol_violation', `unexpected message type ${code} during COPY from stdin`);
        }
      }
    }
  }

  async #writeRest(batch: Batch, encoders: readonly ColumnEncoder[], start: number): Promise<void> {
    let next = start;
    for (;;) {
      await this.#output.drain();
      if (next === batch.length) return;
      next = this.#write(batch, encoders, next);
      if (!this.#output.full) return;
    }
  }

  /** Writes rows from `start` until the output is full. @returns the first row not written. */
  #write(batch: Batch, encoders: readonly ColumnEncoder[], start: number): number {
    const { writer } = this.#output;
    const { columns, length } = batch;
    const count = encoders.length;
    let row = start;
    let at = writer.size;
    try {
      while (row < length && !this.#output.full) {
        at = writer.size;
        writer.writeByte(DATA_ROW);
        writer.writeInt32(0);
        writer.writeInt16(count);
        for (let i = 0; i < count; i++) (encoders[i] as ColumnEncoder)(columns[i] as Vector, row, writer);
        writer.patchInt32(at + 1, writer.size - at - 1);
        row++;
      }
    } catch (error) {
      writer.truncate(at); // A value that cannot be written leaves no half row behind.
      throw error;
    }
    return row;
  }

  #encodersOf(columns: readonly OutputColumn[], settings: FormatSettings): readonly ColumnEncoder[] {
    const { formats } = this;
    const known = this.#encodings.get(columns);
    if (known?.settings === settings && sameFormats(known.formats, formats)) return known.encoders;
    const encoders = columns.map((column, i) => {
      const format = encode.formatOf(formats, i) === 0 ? 'text' : 'binary';
      return columnEncoder(typeByOid(column.type.oid), format, settings);
    });
    this.#encodings.set(columns, { formats, settings, encoders });
    return encoders;
  }
}

function sameFormats(a: readonly FormatCode[], b: readonly FormatCode[]): boolean {
  return a === b || (a.length === b.length && a.every((format, i) => format === b[i]));
}
