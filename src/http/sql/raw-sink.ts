/**
 * Results as they are, without JSON around them: the data of COPY TO STDOUT, or one value of type bytea. What goes wrong after the
 * first bytes have left breaks the answer off.
 */
import { SqlError } from '../../errors.ts';
import type { CopyShape, OutputColumn, ResultSink } from '../../session/protocol.ts';
import type { Batch } from '../../types/column/vector.ts';
import { OID } from '../../types/oids.ts';
import type { ResponseOutput } from './output.ts';

/** Media types of raw answers, by which a client asks for one. */
const RAW_TYPES: readonly string[] = ['application/octet-stream', 'text/csv', 'text/plain'];

/** The type of a raw answer that the client wants; null: it takes lines. */
export function wantedRaw(accept: string | undefined): string | null {
  const types = (accept ?? '').split(',').map((one) => one.split(';')[0]?.trim().toLowerCase() ?? '');
  return RAW_TYPES.find((type) => types.includes(type)) ?? null;
}

export class RawSink implements ResultSink {
  readonly #output: ResponseOutput;
  readonly #done: (tag: string) => void;
  #count = 0;
  #isCopy = false;

  /** @param done a statement has ended well, with this tag. */
  constructor(output: ResponseOutput, done: (tag: string) => void) {
    this.#output = output;
    this.#done = done;
  }

  describe(columns: readonly OutputColumn[]): void {
    if (columns.length === 1 && columns[0]?.type.oid === OID.bytea) return;
    throw new SqlError('datatype_mismatch', 'a raw answer is one value of type bytea, or the data of COPY', {
      hint: 'Cast it (convert_to(…), …::bytea), or take the answer as application/x-ndjson.',
    });
  }

  async rows({ columns, length }: Batch): Promise<void> {
    this.#count += length;
    if (this.#count > 1) throw notOne('more than one row');
    const value = columns[0]?.get(0) ?? null;
    if (value !== null) this.#output.writer.writeBytes(value as Uint8Array);
    await this.#output.drainFull();
  }

  copyOut({ isBinary }: CopyShape): void {
    this.#isCopy = true;
    if (isBinary) this.#output.headers['content-type'] = 'application/octet-stream';
  }

  async copyData(bytes: Uint8Array, ends: readonly number[]): Promise<void> {
    this.#output.writer.writeBytes(bytes, 0, ends.at(-1) ?? 0);
    await this.#output.drainFull();
  }

  copyDone(): void {}

  isText(): boolean {
    return false;
  }

  complete(tag: string): void {
    if (!this.#isCopy && this.#count !== 1) throw notOne(this.#count === 0 ? 'no row' : 'more than one row');
    this.#done(tag);
  }

  emptyQuery(): void {
    throw notOne('no row');
  }

  suspended(): void {}

  /** A raw answer has no place for them. */
  notice(): void {}

  parameterStatus(): void {}
}

const notOne = (what: string): SqlError =>
  new SqlError('cardinality_violation', `a raw answer is one value, and the statement gives ${what}`);
