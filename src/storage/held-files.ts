/**
 * Files that come in parts and are held until they are whole, across restarts: the first record is what its owner notes of it and
 * a key of its own, the others are its bytes, each sealed by itself with that key. One thing to know: what `append` has resolved for is durable; a record that
 * the end of a process, or of the disk, has left half written is written over.
 *
 * A record is the number of its plain bytes (4, little-endian), then these, sealed; its identity is the file's name and its
 * number, so that no record is taken for another.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SqlError } from '../errors.ts';
import { MARK_BYTES, SealError, Sealer } from './seal.ts';
import { storageError } from './store.ts';

/** Sealed and written at a time: a turn of the main thread is a part of a millisecond. */
const RECORD_BYTES = 256 * 1024;
const LENGTH_BYTES = 4;
const TAG_BYTES = 16;
const NAME_BYTES = 12;
const SUFFIX = '.upload';

/** An open file, as the system has it. */
interface OpenFile {
  write(
    bytes: Uint8Array,
    start: number,
    length: number,
    position: number,
  ): Promise<{ bytesWritten: number }>;
  read(bytes: Uint8Array, start: number, length: number, position: number): Promise<{ bytesRead: number }>;
  stat(): Promise<{ readonly size: number; readonly mtimeMs: number }>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Calls of the operating system; tests let them fail. */
export interface HeldFileSystem {
  /** Makes it where it is not there. */
  open(path: string): Promise<OpenFile>;
  mkdir(path: string): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  unlink(path: string): Promise<void>;
}

const SYSTEM: HeldFileSystem = {
  open: (path) => open(path, constants.O_RDWR | constants.O_CREAT, 0o600),
  mkdir: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  readdir,
  unlink,
};

interface Place {
  readonly folder: string;
  readonly sealer: Sealer;
  readonly system: HeldFileSystem;
}

export class HeldFiles {
  readonly #place: Place;

  /** @param folder made when it is needed. @param sealer of first records; its key has to stay. */
  constructor(folder: string, sealer: Sealer, system = SYSTEM) {
    this.#place = { folder, sealer, system };
  }

  /** Those that are there. One that cannot be read is taken away: it is nobody's. @throws SqlError 58030. */
  async load(): Promise<HeldFile[]> {
    const { folder, system } = this.#place;
    const names = await system.readdir(folder).catch(() => []);
    const files: HeldFile[] = [];
    for (const name of names.filter((one) => one.endsWith(SUFFIX))) {
      const file = await HeldFile.read(this.#place, name);
      if (file !== null) files.push(file);
      else await system.unlink(join(folder, name)).catch(() => undefined);
    }
    return files;
  }

  /** @param about shorter than RECORD_BYTES by its key. @throws SqlError 53100, 58030. */
  async make(about: string): Promise<HeldFile> {
    const { folder, system } = this.#place;
    await system.mkdir(folder).catch((error: unknown) => {
      throw storageError(error, 'tmp');
    });
    return HeldFile.make(this.#place, `${randomBytes(NAME_BYTES).toString('hex')}${SUFFIX}`, about);
  }
}

/** Where a record begins, and its plain bytes. */
interface RecordPlace {
  readonly position: number;
  readonly length: number;
}

const endOf = ({ position, length }: RecordPlace): number =>
  position + LENGTH_BYTES + MARK_BYTES + length + TAG_BYTES;

/** Digits of the key that begins the first record. */
const KEY_DIGITS = 64;

interface Noted {
  /** The record, opened. */
  readonly first: string;
  readonly touchedMs: number;
}

export class HeldFile {
  readonly #place: Place;
  readonly #name: string;
  readonly #sealer: Sealer;
  readonly about: string;
  /** Milliseconds since 1970, when it was last written to. */
  touchedMs: number;
  /** Bytes of it that are there. */
  size = 0;
  /** Records, and where the next one begins. */
  #count = 1;
  #end: number;

  private constructor(place: Place, name: string, { touchedMs, first }: Noted) {
    this.#place = place;
    this.#name = name;
    this.#sealer = new Sealer(Buffer.from(first.slice(0, KEY_DIGITS), 'hex'), 'upload');
    this.about = first.slice(KEY_DIGITS);
    this.touchedMs = touchedMs;
    this.#end = endOf({ position: 0, length: Buffer.byteLength(first) });
  }

  static async make(place: Place, name: string, about: string): Promise<HeldFile> {
    const first = `${randomBytes(KEY_DIGITS / 2).toString('hex')}${about}`;
    const file = new HeldFile(place, name, { first, touchedMs: 0 });
    await file
      .#opened(async (open) => {
        await file.#write(open, { position: 0, number: 0 }, Buffer.from(first));
        await file.#settle(open);
      })
      .catch(async (error: unknown) => {
        await file.remove();
        throw error;
      });
    return file;
  }

  /** Null: it is none, or not whole from its beginning. */
  static async read(place: Place, name: string): Promise<HeldFile | null> {
    const open = await place.system.open(join(place.folder, name));
    try {
      const { size, mtimeMs } = await open.stat();
      const records = await recordsOf(open, size);
      const [first] = records;
      if (first === undefined) return null;
      const noted = await openRecord(open, place.sealer, first, identityOf(name, 0));
      const text = Buffer.from(noted).toString('utf8');
      const file = new HeldFile(place, name, { first: text, touchedMs: mtimeMs });
      const opened = (number: number) =>
        openRecord(open, file.#sealer, records[number] as RecordPlace, identityOf(name, number));
      while (records.length > 1 && !(await opens(opened(records.length - 1)))) records.pop();
      file.#count = records.length;
      file.#end = endOf(records.at(-1) ?? first);
      file.size = records.slice(1).reduce((sum, { length }) => sum + length, 0);
      return file;
    } catch (error) {
      if (error instanceof SealError) return null;
      throw storageError(error, 'upload');
    } finally {
      await open.close();
    }
  }

  /**
   * Writes behind what is there, one caller at a time. Where it fails, also by the pieces' own failing, what came until then is kept.
   * @throws SqlError 53100, 58030; what the pieces end with.
   */
  async append(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#opened(async (open) => {
      const block = new Uint8Array(RECORD_BYTES);
      let filled = 0;
      const flush = async (): Promise<void> => {
        const plain = block.subarray(0, filled);
        filled = 0;
        if (plain.length > 0) await this.#add(open, plain);
      };
      try {
        for await (const piece of pieces) {
          for (let at = 0; at < piece.length; ) {
            const part = piece.subarray(at, at + RECORD_BYTES - filled);
            block.set(part, filled);
            filled += part.length;
            at += part.length;
            if (filled === RECORD_BYTES) await flush();
          }
        }
      } finally {
        await flush();
        await this.#settle(open);
      }
    });
  }

  /** Its bytes, in order. @throws SqlError 58030, XX001. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const { folder, system } = this.#place;
    const open = await system.open(join(folder, this.#name));
    try {
      const records = await recordsOf(open, this.#end);
      for (const [number, record] of records.entries()) {
        if (number > 0) yield await openRecord(open, this.#sealer, record, identityOf(this.#name, number));
      }
    } catch (error) {
      throw heldError(error);
    } finally {
      await open.close();
    }
  }

  /** Whatever becomes of it: what cannot be removed now is at the next start. */
  async remove(): Promise<void> {
    const { folder, system } = this.#place;
    await system.unlink(join(folder, this.#name)).catch(() => undefined);
  }

  async #opened(work: (open: OpenFile) => Promise<void>): Promise<void> {
    const { folder, system } = this.#place;
    try {
      const open = await system.open(join(folder, this.#name));
      try {
        await work(open);
      } finally {
        await open.close();
      }
    } catch (error) {
      throw heldError(error);
    }
  }

  async #settle(open: OpenFile): Promise<void> {
    await open.datasync();
    this.touchedMs = (await open.stat()).mtimeMs;
  }

  async #add(open: OpenFile, plain: Uint8Array): Promise<void> {
    const record = { position: this.#end, length: plain.length };
    await this.#write(open, { position: this.#end, number: this.#count }, plain);
    this.#count++;
    this.#end = endOf(record);
    this.size += plain.length;
  }

  async #write(
    open: OpenFile,
    { position, number }: { readonly position: number; readonly number: number },
    plain: Uint8Array,
  ): Promise<void> {
    const sealer = number === 0 ? this.#place.sealer : this.#sealer;
    const sealed = sealer.seal(plain, identityOf(this.#name, number));
    const bytes = new Uint8Array(LENGTH_BYTES + sealed.length);
    new DataView(bytes.buffer).setUint32(0, plain.length, true);
    bytes.set(sealed, LENGTH_BYTES);
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await open.write(bytes, done, bytes.length - done, position + done);
      if (bytesWritten === 0) throw new Error('ENOSPC: nothing was written');
      done += bytesWritten;
    }
  }
}

/** All that are there to their last byte, up to `end`. */
async function recordsOf(open: OpenFile, end: number): Promise<RecordPlace[]> {
  const records: RecordPlace[] = [];
  const length = new Uint8Array(LENGTH_BYTES);
  for (let position = 0; position + LENGTH_BYTES <= end; ) {
    await readInto(open, length, position);
    const record = { position, length: new DataView(length.buffer).getUint32(0, true) };
    if (record.length > RECORD_BYTES || endOf(record) > end) break;
    records.push(record);
    position = endOf(record);
  }
  return records;
}

async function openRecord(
  open: OpenFile,
  sealer: Sealer,
  { position, length }: RecordPlace,
  identity: Uint8Array,
): Promise<Uint8Array> {
  const sealed = new Uint8Array(MARK_BYTES + length + TAG_BYTES);
  await readInto(open, sealed, position + LENGTH_BYTES);
  return sealer.open(sealed, identity);
}

async function readInto(open: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await open.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) throw new SealError('the file ends within a record');
    done += bytesRead;
  }
}

const opens = (record: Promise<unknown>): Promise<boolean> =>
  record.then(
    () => true,
    (error: unknown) => {
      if (error instanceof SealError) return false;
      throw error;
    },
  );

const identityOf = (name: string, number: number): Uint8Array => Buffer.from(`${name}/${number}`);

function heldError(error: unknown): SqlError {
  if (!(error instanceof SealError)) return storageError(error, 'upload');
  return new SqlError('data_corrupted', 'a file that was being uploaded has been changed', {
    hint: 'Send it from its beginning.',
    cause: error,
  });
}
