/**
 * Memory of one statement: rows that it sorts, joins, groups or keeps for later, and values on their
 * way to the client. Drawn from the server's one budget; past its share the statement ends with 53200, never
 * the process. Bytes are estimates, so they are rather too many than too few.
 */
import type { MemoryPool } from '../engine/engine.ts';
import { SqlError } from '../errors.ts';

/** So much each statement has without asking. */
const FREE_BYTES = 1024 * 1024;
/** Drawn at a time. */
const CLAIM_BYTES = 1024 * 1024;
/** The share of what all statements may hold that one of them may. */
const STATEMENT_SHARE = 1 / 2;

/** Purpose of an account, as an error says it. */
export interface Purpose {
  readonly holder: string;
  readonly hint: string;
}

const STATEMENT: Purpose = {
  holder: 'The statement',
  hint:
    'Narrow the rows down before they are joined, sorted or grouped, select fewer columns, ' +
    'or start the server with more --memory.',
};

export class Account implements Disposable {
  readonly #pool: MemoryPool;
  readonly #purpose: Purpose;
  #bytes = 0;
  #claimed = 0;

  constructor(pool: MemoryPool, purpose: Purpose = STATEMENT) {
    this.#pool = pool;
    this.#purpose = purpose;
  }

  /** Limit of all statements together. */
  get limit(): number {
    return this.#pool.limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True when so much more may be held. */
  hasRoom(bytes: number): boolean {
    const wanted = this.#bytes + bytes;
    if (wanted <= this.#claimed + FREE_BYTES) return true;
    const more = this.#moreFor(wanted);
    const { claimed, limit } = this.#pool;
    return this.#claimed + more <= limit * STATEMENT_SHARE && claimed + more <= limit;
  }

  /** @throws SqlError 53200 when that is more than there is for the statement; nothing is held of it then. */
  hold(bytes: number): void {
    const wanted = this.#bytes + bytes;
    if (wanted > this.#claimed + FREE_BYTES) this.#claim(wanted);
    this.#bytes = wanted;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
    const spare = this.#claimed - Math.max(0, this.#bytes - FREE_BYTES);
    if (spare < 2 * CLAIM_BYTES) return;
    const given = spare - CLAIM_BYTES;
    this.#claimed -= given;
    this.#pool.release(given);
  }

  #moreFor(wanted: number): number {
    return Math.max(CLAIM_BYTES, wanted - FREE_BYTES - this.#claimed);
  }

  #claim(wanted: number): void {
    const more = this.#moreFor(wanted);
    const share = this.#pool.limit * STATEMENT_SHARE;
    if (this.#claimed + more > share)
      throw outOfMemory(`${megabytes(wanted)}; one may hold ${megabytes(share)}`, this.#purpose);
    if (!this.#pool.claim(more)) throw outOfMemory(this.#situation(wanted), this.#purpose);
    this.#claimed += more;
  }

  #situation(wanted: number): string {
    const { claimed, limit } = this.#pool;
    return `${megabytes(wanted)}, when all statements hold ${megabytes(claimed)} of ${megabytes(limit)}`;
  }

  /** Gives all of it back; it may be drawn from again. */
  [Symbol.dispose](): void {
    if (this.#claimed > 0) this.#pool.release(this.#claimed);
    this.#claimed = 0;
    this.#bytes = 0;
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MB`;

export function outOfMemory(what: string, { holder, hint }: Purpose = STATEMENT): SqlError {
  return new SqlError('out_of_memory', 'out of memory', { detail: `${holder} would hold ${what}.`, hint });
}
