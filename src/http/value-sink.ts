/** Results of the server's own statements: data for COPY, and the one value of a query. */
import { SqlError } from '../errors.ts';
import type { ResultSink } from '../session/protocol.ts';
import type { Batch } from '../types/column/vector.ts';

export class ValueSink implements ResultSink {
  readonly #pieces: AsyncIterable<Uint8Array> | null;
  tag = '';
  value = '';

  /** @param pieces absent: no statement asks for any. */
  constructor(pieces: AsyncIterable<Uint8Array> | null = null) {
    this.#pieces = pieces;
  }

  copyIn(): AsyncIterable<Uint8Array> {
    if (this.#pieces === null) throw new SqlError('internal_error', 'there is no file here');
    return this.#pieces;
  }

  rows({ columns, length }: Batch): void {
    if (length > 0) this.value = String(columns[0]?.get(0) ?? '');
  }

  isText(): boolean {
    return false;
  }

  complete(tag: string): void {
    this.tag = tag;
  }

  describe(): void {}
  emptyQuery(): void {}
  suspended(): void {}
  notice(): void {}
  parameterStatus(): void {}
}
