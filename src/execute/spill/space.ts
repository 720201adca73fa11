/**
 * Where operators of a session's statements put rows that are more than `work_mem`: files that last as long as the operator,
 * whose sizes count together against `temp_file_limit`.
 */
import { SqlError } from '../../errors.ts';
import { decodeBatch, encodeBatch } from '../../types/column/batch-codec.ts';
import type { Batch } from '../../types/column/vector.ts';

/** A file that nobody else sees (`storage/temporary-file.ts`); blocks are numbered as they are written. */
export interface SpillFile extends Disposable {
  write(plain: Uint8Array): Promise<number>;
  /** @returns bytes at an address that is a multiple of 8, nobody else's. */
  read(block: number): Promise<Uint8Array>;
}

export interface SpillFiles {
  /** Files made so far, and bytes written to them. */
  readonly written: { readonly files: number; readonly bytes: number };
  /** @throws SqlError 53100, 58030 */
  open(): Promise<SpillFile>;
}

export interface SpillLimits {
  /** Memory that one operator may hold before it spills: `work_mem`. */
  readonly memoryBytes: number;
  /** `temp_file_limit`. */
  readonly diskBytes: number;
}

/** Blocks are of about so many bytes where there is memory for them. */
const BLOCK_BYTES_MAX = 256 * 1024;
const BLOCK_BYTES_MIN = 64 * 1024;
/** So many blocks are `work_mem` at the least. */
const BLOCKS_A_MEMORY = 128;

export class SpillSpace {
  readonly #files: SpillFiles;
  readonly #limits: () => SpillLimits;
  #bytes = 0;

  /** @param limits as they are now. */
  constructor(files: SpillFiles, limits: () => SpillLimits) {
    this.#files = files;
    this.#limits = limits;
  }

  get memoryBytes(): number {
    return this.#limits().memoryBytes;
  }

  /** The size that blocks should have. */
  get blockBytes(): number {
    const share = Math.floor(this.memoryBytes / BLOCKS_A_MEMORY);
    return Math.min(Math.max(share, BLOCK_BYTES_MIN), BLOCK_BYTES_MAX);
  }

  /** @throws SqlError 53100, 58030 */
  async open(): Promise<SpilledBatches> {
    return new SpilledBatches(await this.#files.open(), this);
  }

  /** @throws SqlError 53400 when the files would take more than they may. */
  claim(bytes: number): void {
    const { diskBytes } = this.#limits();
    if (this.#bytes + bytes > diskBytes) {
      const limit = `temporary file size exceeds "temp_file_limit" (${Math.floor(diskBytes / 1024)}kB)`;
      throw new SqlError('configuration_limit_exceeded', limit, {
        hint: 'Raise work_mem or temp_file_limit, or narrow down what is sorted, joined or grouped.',
      });
    }
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** Batches in a file, each found again by its number. */
export class SpilledBatches implements Disposable {
  readonly #file: SpillFile;
  readonly #space: SpillSpace;
  #size = 0;

  /** Made by `SpillSpace`. */
  constructor(file: SpillFile, space: SpillSpace) {
    this.#file = file;
    this.#space = space;
  }

  /** Bytes on disk, as they count. */
  get size(): number {
    return this.#size;
  }

  /** One at a time. @throws SqlError 53100, 53400, 58030 */
  async write(batch: Batch): Promise<number> {
    const bytes = encodeBatch(batch);
    this.#space.claim(bytes.length);
    this.#size += bytes.length;
    return this.#file.write(bytes);
  }

  /** @throws SqlError 58030, XX001 */
  async read(number: number): Promise<Batch> {
    return decodeBatch(await this.#file.read(number));
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
    this.#space.release(this.#size);
    this.#size = 0;
  }
}
