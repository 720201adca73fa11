/** The body of a request as data: of COPY FROM STDIN, piece by piece, or whole as the statement's first parameter. */
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
  #isTaken = false;

  constructor(request: IncomingMessage, account: Holding) {
    this.#request = request;
    this.#account = account;
  }

  pieces(signal: AbortSignal): AsyncIterable<Uint8Array> {
    this.#isTaken = true;
    return pieces(this.#request, signal);
  }

  whole(signal: AbortSignal): Promise<Uint8Array> {
    this.#isTaken = true;
    return readBytes(this.#request, {
      account: this.#account,
      bytesMax: MESSAGE_BYTES_MAX,
      signal,
      hint: TOO_LARGE,
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
