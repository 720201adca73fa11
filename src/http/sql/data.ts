/** The body of a request as data: of COPY FROM STDIN, piece by piece, or whole as the statement's first parameter. */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SqlError } from '../../errors.ts';
import { MESSAGE_BYTES_MAX } from '../../limits.ts';
import type { Holding } from '../../session/protocol.ts';
import { pieces, readBytes } from '../body.ts';

/** Advice about a request that is too large. */
export const TOO_LARGE = 'Send the data in several requests, or as the data of COPY.';

export class RequestData {
  readonly #request: IncomingMessage;
  readonly #account: Holding;
  /** Hash of the bytes taken so far; null: nobody asks for it. */
  readonly #hash: Hash | null;
  #isTaken = false;

  /** @param hasDigest it is asked for: hashing costs a part of a millisecond a megabyte. */
  constructor(request: IncomingMessage, account: Holding, hasDigest: boolean) {
    this.#request = request;
    this.#account = account;
    this.#hash = hasDigest ? createHash('sha256') : null;
  }

  async *pieces(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.#isTaken = true;
    for await (const piece of pieces(this.#request, signal)) {
      this.#hash?.update(piece);
      yield piece;
    }
  }

  /** Tells the data apart from any other: takes the rest, where there is one. */
  async digest(signal: AbortSignal): Promise<string> {
    for await (const _ of this.pieces(signal));
    return this.#hash?.copy().digest('base64') ?? '';
  }

  whole(signal: AbortSignal): Promise<Uint8Array> {
    this.#isTaken = true;
    const reading = { account: this.#account, bytesMax: MESSAGE_BYTES_MAX, signal, hint: TOO_LARGE };
    return readBytes(this.#request, reading).then((bytes) => {
      this.#hash?.update(bytes);
      return bytes;
    });
  }

  /** Data that the statement did not want is not passed over. @throws SqlError 08P01. */
  async requireTaken(signal: AbortSignal): Promise<void> {
    if (this.#isTaken) return;
    for await (const _ of this.pieces(signal)) {
      throw new SqlError('protocol_violation', 'the request has data, and its statement takes none', {
        hint: 'Data is for COPY … FROM STDIN, or for the first parameter of the statement.',
        routine: 'invalid_argument',
      });
    }
  }
}
