/** Parts of an Office file, which is a ZIP archive, by yauzl: unpacked one by one, with a bound on all together. */
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { DocumentError } from '../../document-error.ts';

const UNPACKED_BYTES_MAX = 256 * 1024 * 1024;
const PARTS_COUNT_MAX = 20_000;

export class Archive implements Disposable {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #unpacked = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws DocumentError for what is no archive, or unpacks to more than it may. */
  static async open(bytes: Uint8Array): Promise<Archive> {
    const zip = await openZip(bytes);
    const entries = new Map<string, Entry>();
    const read = Promise.withResolvers<void>();
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName, entry);
      if (entries.size > PARTS_COUNT_MAX) read.reject(tooLarge());
      else zip.readEntry();
    });
    zip.once('end', () => read.resolve());
    zip.once('error', (error: Error) => read.reject(damaged(error)));
    zip.readEntry();
    await read.promise;
    const total = [...entries.values()].reduce((sum, entry) => sum + entry.uncompressedSize, 0);
    if (total > UNPACKED_BYTES_MAX) throw tooLarge();
    return new Archive(zip, entries);
  }

  names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** A part's text; null when there is none of that name. */
  async text(name: string): Promise<string | null> {
    if (!this.has(name)) return null;
    const pieces: string[] = [];
    for await (const piece of this.pieces(name)) pieces.push(piece);
    return pieces.join('');
  }

  /** A part's text as it is unpacked; nothing when there is none of that name. */
  async *pieces(name: string): AsyncGenerator<string> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const opened = Promise.withResolvers<NodeJS.ReadableStream>();
    this.#zip.openReadStream(entry, (error, stream) => {
      if (error !== null) opened.reject(damaged(error));
      else opened.resolve(stream);
    });
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    try {
      for await (const chunk of await opened.promise) {
        const bytes = chunk as Buffer;
        this.#unpacked += bytes.length;
        if (this.#unpacked > UNPACKED_BYTES_MAX) throw tooLarge();
        yield decoder.decode(bytes, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      throw error instanceof DocumentError ? error : damaged(error);
    }
  }

  [Symbol.dispose](): void {
    this.#zip.close();
  }
}

function openZip(bytes: Uint8Array): Promise<ZipFile> {
  const opened = Promise.withResolvers<ZipFile>();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  fromBuffer(buffer, { lazyEntries: true }, (error, zip) => {
    if (error !== null) opened.reject(damaged(error));
    else opened.resolve(zip);
  });
  return opened.promise;
}

const damaged = (error: unknown): DocumentError =>
  new DocumentError(
    'damaged',
    `the file is damaged: ${error instanceof Error ? error.message : String(error)}`,
  );

const tooLarge = (): DocumentError =>
  new DocumentError(
    'limit_exceeded',
    `the file unpacks to more than ${UNPACKED_BYTES_MAX / 1024 / 1024} MB, or to too many parts`,
  );
