/**
 * One small record in a file of its own, sealed as everything else is: written beside, flushed, and put in
 * place by a rename, so that it is there as it was or as it is to be. Which version it has to be is pinned
 * elsewhere, before and after it is replaced: a file that is missing, older or another's is told.
 */
import { open, readFile, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { SqlError } from '../errors.ts';
import { markOf, SealError, type Sealer } from './seal.ts';
import { storageError } from './store.ts';

/** Where marks (`seal.ts`) of a file last. */
export interface Pins {
  /** The file has one of them. */
  readonly marks: readonly string[];
  /** The file has been there: from now on it must be. */
  readonly isSettled: boolean;
  /** Durable when it resolves. */
  pin(marks: readonly string[], isSettled: boolean): Promise<void>;
}

interface SealedFileOptions {
  readonly sealer: Sealer;
  readonly pins: Pins;
  /** Advice about a file that is lost. */
  readonly hint: string;
}

export class SealedFile {
  readonly #path: string;
  readonly #options: SealedFileOptions;
  readonly #identity: Uint8Array;

  constructor(path: string, options: SealedFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#identity = Buffer.from(basename(path));
  }

  /** Null before the first write. @throws SqlError XX001 when it is missing, damaged or not the newest. */
  async read(): Promise<string | null> {
    const { sealer, pins } = this.#options;
    const sealed = await readIfThere(this.#path);
    if (sealed === null) {
      if (pins.isSettled) throw this.#lost('is missing');
      return null;
    }
    let plain: Uint8Array;
    try {
      plain = sealer.open(sealed, this.#identity);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw this.#lost('is damaged or sealed with another key');
    }
    if (!pins.marks.includes(markOf(sealed))) throw this.#lost('is older than the data, or of other data');
    if (!pins.isSettled || pins.marks.length > 1) await pins.pin([markOf(sealed)], true);
    return Buffer.from(plain).toString('utf8');
  }

  /** Durable when it resolves. @throws SqlError 53100, 58030. */
  async write(text: string): Promise<void> {
    const { sealer, pins } = this.#options;
    const sealed = sealer.seal(Buffer.from(text), this.#identity);
    const mark = markOf(sealed);
    await pins.pin([...pins.marks, mark], pins.isSettled);
    await replaceFile(this.#path, sealed);
    await pins.pin([mark], true);
  }

  #lost(how: string): SqlError {
    return new SqlError('data_corrupted', `file "${this.#path}" ${how}`, { hint: this.#options.hint });
  }
}

/** Null when there is no such file. @throws SqlError 58030 when it cannot be read. */
export async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw storageError(error, path);
  }
}

/** Durable when it resolves. @throws SqlError 53100, 58030. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.new`;
  try {
    await writeFlushed(draft, bytes);
    await rename(draft, path);
    await flushFolder(dirname(path));
  } catch (error) {
    throw storageError(error, path);
  }
}

async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  await file.writeFile(bytes);
  await file.sync();
}

async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
