/**
 * One small record in a file of its own, sealed as everything else is: written beside, flushed, and put in
 * place by a rename, so that it is there as it was or as it is to be.
 */
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { SqlError } from '../errors.ts';
import { SealError, Sealer } from './seal.ts';
import { storageError } from './store.ts';

export class SealedFile {
  readonly #path: string;
  readonly #sealer: Sealer;
  readonly #identity: Uint8Array;

  constructor(path: string, key: KeyObject) {
    this.#path = path;
    this.#sealer = new Sealer(key);
    this.#identity = Buffer.from(basename(path));
  }

  /** Null when the file is not there. @throws SqlError XX001 when it does not open. */
  async read(): Promise<string | null> {
    if (!existsSync(this.#path)) return null;
    const sealed = await readFile(this.#path);
    try {
      return Buffer.from(this.#sealer.open(sealed, this.#identity)).toString('utf8');
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw new SqlError('data_corrupted', `file "${this.#path}" is damaged or sealed with another key`, {
        hint: 'Give the encryption key it was made with, or restore the file from a backup.',
        cause: error,
      });
    }
  }

  /** Durable when it resolves. @throws SqlError 53100, 58030. */
  async write(text: string): Promise<void> {
    const draft = `${this.#path}.new`;
    try {
      await writeFlushed(draft, this.#sealer.seal(Buffer.from(text), this.#identity));
      await rename(draft, this.#path);
      await flushFolder(dirname(this.#path));
    } catch (error) {
      throw storageError(error, this.#path);
    }
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
