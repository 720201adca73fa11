/**
 * Files for rows that a statement cannot hold in memory. Each is sealed with a key that is nowhere but in memory, block by
 * block, and unlinked as soon as it is open: whatever ends the process leaves no file behind, and what lay in it cannot be
 * read again. A block is what one `write` was given; it is read as a whole.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SqlError } from '../errors.ts';
import { SealError, Sealer } from './seal.ts';
import { storageError } from './store.ts';

/** Sealed and written at a time: a turn of the main thread is a part of a millisecond. */
const CHUNK_BYTES = 512 * 1024;
const SUFFIX = '.spilled';
const NAME_BYTES = 12;

/** An open file, as the system has it. */
interface OpenFile {
  write(
    bytes: Uint8Array,
    start: number,
    length: number,
    position: number,
  ): Promise<{ bytesWritten: number }>;
  read(bytes: Uint8Array, start: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

/** Calls of the operating system; tests let them fail. */
export interface FileSystem {
  open(path: string): Promise<OpenFile>;
  mkdir(path: string): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  unlink(path: string): Promise<void>;
}

const SYSTEM: FileSystem = {
  open: (path) => open(path, 'wx+', 0o600),
  mkdir: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  readdir,
  unlink,
};

export class TemporaryFiles {
  readonly #folder: string;
  readonly #system: FileSystem;
  /** Files made so far, and bytes written to them. */
  readonly written = { files: 0, bytes: 0 };

  /** @param folder made when it is needed. */
  constructor(folder: string, system = SYSTEM) {
    this.#folder = folder;
    this.#system = system;
  }

  /** Removes what was left where the system does not unlink open files, or a process ended between the two. */
  async sweep(): Promise<void> {
    const names = await this.#system.readdir(this.#folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(SUFFIX))) {
      // What cannot be removed is no reason not to start: nobody reads it.
      await this.#system.unlink(join(this.#folder, name)).catch(() => undefined);
    }
  }

  /** @throws SqlError 53100 where the folder takes no files, 58030. */
  async open(): Promise<TemporaryFile> {
    const path = join(this.#folder, `${randomBytes(NAME_BYTES).toString('hex')}${SUFFIX}`);
    try {
      await this.#system.mkdir(this.#folder);
      const file = await this.#system.open(path);
      const isGone = await this.#system.unlink(path).then(
        () => true,
        () => false,
      );
      this.written.files++;
      const remove = isGone ? null : () => this.#system.unlink(path);
      return new TemporaryFile(file, { written: this.written, remove });
    } catch (error) {
      throw temporaryError(error);
    }
  }
}

interface Chunk {
  readonly offset: number;
  /** Sealed. */
  readonly size: number;
}

interface FileOptions {
  readonly written: { bytes: number };
  /** Removes the file once it is closed; null: it is gone. */
  readonly remove: (() => Promise<void>) | null;
}

export class TemporaryFile implements Disposable {
  readonly #file: OpenFile;
  readonly #options: FileOptions;
  readonly #sealer = new Sealer(randomBytes(32), 'temporary');
  readonly #chunks: Chunk[] = [];
  /** First chunk of each block. */
  readonly #blocks: number[] = [];
  #size = 0;
  #isClosed = false;

  /** Made by `TemporaryFiles`. */
  constructor(file: OpenFile, options: FileOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Bytes on disk. */
  get size(): number {
    return this.#size;
  }

  /** One write at a time. @returns the block's number. @throws SqlError 53100, 58030. */
  async write(plain: Uint8Array): Promise<number> {
    const block = this.#blocks.length;
    this.#blocks.push(this.#chunks.length);
    for (let start = 0; start === 0 || start < plain.length; start += CHUNK_BYTES) {
      await this.#writeChunk(plain.subarray(start, start + CHUNK_BYTES));
    }
    return block;
  }

  async #writeChunk(plain: Uint8Array): Promise<void> {
    const sealed = this.#sealer.seal(plain, identityOf(this.#chunks.length));
    const offset = this.#size;
    this.#chunks.push({ offset, size: sealed.length });
    this.#size += sealed.length;
    this.#options.written.bytes += sealed.length;
    try {
      for (let done = 0; done < sealed.length; ) {
        const { bytesWritten } = await this.#file.write(sealed, done, sealed.length - done, offset + done);
        if (bytesWritten === 0) throw new Error('ENOSPC: nothing was written');
        done += bytesWritten;
      }
    } catch (error) {
      throw temporaryError(error);
    }
  }

  /** @returns the block at an address that is a multiple of 8. @throws SqlError 58030, XX001. */
  async read(block: number): Promise<Uint8Array> {
    const first = this.#blocks[block] as number;
    const chunks = this.#chunks.slice(first, this.#blocks[block + 1] ?? this.#chunks.length);
    const pieces: Uint8Array[] = [];
    for (const [i, chunk] of chunks.entries()) pieces.push(await this.#readChunk(chunk, first + i));
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined && only.byteOffset % 8 === 0) return only;
    const plain = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      plain.set(piece, at);
      at += piece.length;
    }
    return plain;
  }

  async #readChunk({ offset, size }: Chunk, number: number): Promise<Uint8Array> {
    const sealed = new Uint8Array(size);
    try {
      for (let done = 0; done < size; ) {
        const { bytesRead } = await this.#file.read(sealed, done, size - done, offset + done);
        if (bytesRead === 0) throw new SealError('the file ends within a block');
        done += bytesRead;
      }
      return this.#sealer.open(sealed, identityOf(number));
    } catch (error) {
      throw temporaryError(error);
    }
  }

  /** Gives its space back; what is under way ends first. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Nothing depends on how that ends: the file has no name, or is swept at the next start.
    this.#file
      .close()
      .then(() => this.#options.remove?.())
      .catch(() => undefined);
  }
}

function identityOf(number: number): Uint8Array {
  const identity = new Uint8Array(4);
  new DataView(identity.buffer).setUint32(0, number);
  return identity;
}

/** A folder that takes no files is full, whatever the reason: nothing that is stored is touched by it. */
function temporaryError(error: unknown): SqlError {
  if (error instanceof SealError) {
    return new SqlError('data_corrupted', 'a temporary file has been changed', { cause: error });
  }
  const refusal = /EROFS|EACCES|EPERM|ENOTDIR|EEXIST|EMFILE|ENFILE/.exec(String(error));
  if (refusal !== null) {
    return new SqlError('disk_full', `could not create a temporary file: ${REFUSALS[refusal[0]]}`, {
      hint: 'Rows past work_mem go to the folder tmp of the data folder; nothing that was stored is lost.',
      cause: error,
    });
  }
  return storageError(error, 'temporary file');
}

const REFUSALS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOTDIR: 'a file is in the place of the folder',
  EEXIST: 'a file is in the place of the folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};
