/** The rows that one operator holds at once, counted to its statement's account until it ends. */
import { vectorBytes } from '../types/held-bytes.ts';
import type { Batch } from '../types/column/vector.ts';
import type { Account } from './account.ts';

export class HeldRows implements Disposable {
  readonly #account: Account;
  readonly #note: ((bytes: number) => void) | undefined;
  #bytes = 0;

  /** @param note is told how much is held, whenever that becomes more. */
  constructor(account: Account, note?: (bytes: number) => void) {
    this.#account = account;
    this.#note = note;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True when so much more is no more than `most`, and the statement may hold it. */
  hasRoom(bytes: number, most: number): boolean {
    return this.#bytes + bytes <= most && this.#account.hasRoom(bytes);
  }

  /**
   * @param copies as many times are they held at the most: a sort gathers them, then puts them together.
   * @throws SqlError 53200 when these are too many.
   */
  add(batch: Batch, copies = 1): void {
    this.addBytes(copies * bytesOf(batch));
  }

  /** @throws SqlError 53200 when these are too many. */
  addBytes(bytes: number): void {
    this.#account.hold(bytes);
    this.#bytes += bytes;
    this.#note?.(this.#bytes);
  }

  /** Rows that are held no longer. */
  clear(): void {
    this.#account.release(this.#bytes);
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

export function bytesOf({ columns }: Batch): number {
  let bytes = 0;
  for (const column of columns) bytes += vectorBytes(column);
  return bytes;
}
