/**
 * Files on their way here in parts, by tokens that nobody guesses. A token is good for the key that got it alone. What is here
 * outlives the server; what nobody goes on with is taken away.
 */
import { SqlError } from '../../errors.ts';
import {
  UPLOAD_HOURS_KEPT,
  UPLOADS_COUNT_MAX,
  UPLOADS_OF_KEY_BYTES_MAX,
  UPLOADS_OF_KEY_COUNT_MAX,
} from '../../limits.ts';
import { Turns } from './turns.ts';

const TOKEN_BYTES = 24;
const HOUR_MS = 3_600_000;
const SWEEP_MS = 600_000;
/** Those that are done are remembered, for who has not heard of it. */
const DONE_COUNT_MAX = 1_000;

/** The document that a file is to become. */
export interface Wanted {
  readonly dataset: string;
  readonly docId: string;
  readonly name: string;
  /** JSON text; null: a document keeps what it had. */
  readonly metadata: string | null;
  readonly size: number;
}

interface About extends Wanted {
  readonly token: string;
  /** `id` of a bearer. */
  readonly owner: string;
}

/** A file that is there as far as it has come. */
export interface HeldFile {
  readonly about: string;
  readonly size: number;
  readonly touchedMs: number;
  append(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  pieces(): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

/** Who keeps them; main.ts hands him in. */
export interface HeldFiles {
  load(): Promise<readonly HeldFile[]>;
  make(about: string): Promise<HeldFile>;
}

/** One of them. */
export class Upload {
  readonly about: About;
  readonly file: HeldFile;
  /** One request at a time writes, or makes a document of it. */
  readonly turns = new Turns();
  /** The handle of the document that is being made of it. */
  making: Promise<string> | null = null;

  constructor(about: About, file: HeldFile) {
    this.about = about;
    this.file = file;
  }
}

export interface UploadsOptions {
  readonly files: HeldFiles;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
}

export class Uploads implements Disposable {
  readonly #options: UploadsOptions;
  readonly #all = new Map<string, Upload>();
  /** Handles of those that are done, by token. */
  readonly #done = new Map<string, { readonly owner: string; readonly handle: string }>();
  readonly #timer: NodeJS.Timeout;
  /** Begun, and not yet there. */
  readonly #making = new Set<About>();

  private constructor(options: UploadsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#sweep().catch(options.report), SWEEP_MS);
    this.#timer.unref();
  }

  /** With those that the server had before. */
  static async open(options: UploadsOptions): Promise<Uploads> {
    const uploads = new Uploads(options);
    for (const file of await options.files.load()) {
      const about = JSON.parse(file.about) as About;
      uploads.#all.set(about.token, new Upload(about, file));
    }
    await uploads.#sweep();
    return uploads;
  }

  /** @throws SqlError 53300, 53400 for one too many; 53100, 58030. */
  async begin(owner: string, wanted: Wanted): Promise<Upload> {
    await this.#sweep();
    this.#requireRoom(owner, wanted.size);
    const token = Buffer.from(this.#options.randomBytes(TOKEN_BYTES)).toString('base64url');
    const about = { ...wanted, token, owner };
    this.#making.add(about);
    try {
      const file = await this.#options.files.make(JSON.stringify(about));
      const upload = new Upload(about, file);
      this.#all.set(token, upload);
      return upload;
    } finally {
      this.#making.delete(about);
    }
  }

  /** @throws SqlError 42704 for a token that is not, or not theirs. */
  find(owner: string, token: string): Upload {
    const upload = this.#all.get(token);
    if (upload === undefined || upload.about.owner !== owner || this.#isOld(upload)) throw unknownUpload();
    return upload;
  }

  /** The handle of one that is done. */
  handleOf(owner: string, token: string): string | null {
    const done = this.#done.get(token);
    return done?.owner === owner ? done.handle : null;
  }

  /** It is a document's, or will be. */
  async done(upload: Upload, handle: string): Promise<void> {
    const { token, owner } = upload.about;
    this.#done.set(token, { owner, handle });
    const [oldest] = this.#done.keys();
    if (this.#done.size > DONE_COUNT_MAX && oldest !== undefined) this.#done.delete(oldest);
    await this.remove(upload);
  }

  async remove({ about, file }: Upload): Promise<void> {
    this.#all.delete(about.token);
    await file.remove();
  }

  /** Once it is old, if nobody goes on with it. */
  expiresMs({ file }: Upload): number {
    return file.touchedMs + UPLOAD_HOURS_KEPT * HOUR_MS;
  }

  /** Ends what is under way; what has come stays. */
  async close(reason: SqlError): Promise<void> {
    await Promise.all([...this.#all.values()].map(({ turns }) => turns.close(reason)));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #isOld(upload: Upload): boolean {
    return !upload.turns.isTaken && this.expiresMs(upload) < this.#options.nowMs();
  }

  async #sweep(): Promise<void> {
    for (const upload of [...this.#all.values()]) if (this.#isOld(upload)) await this.remove(upload);
  }

  #requireRoom(owner: string, size: number): void {
    const all = [...this.#making, ...[...this.#all.values()].map(({ about }) => about)];
    const own = all.filter((about) => about.owner === owner);
    if (all.length >= UPLOADS_COUNT_MAX || own.length >= UPLOADS_OF_KEY_COUNT_MAX) {
      throw new SqlError('too_many_connections', 'too many files are being uploaded in parts', {
        detail: `A key may have ${UPLOADS_OF_KEY_COUNT_MAX}, all keys together ${UPLOADS_COUNT_MAX}.`,
        hint: 'End those that have begun, or take them back: DELETE /uploads/TOKEN.',
      });
    }
    const bytes = own.reduce((sum, about) => sum + about.size, size);
    if (bytes <= UPLOADS_OF_KEY_BYTES_MAX) return;
    throw new SqlError('configuration_limit_exceeded', 'too much is being uploaded in parts', {
      detail: `Files of a key that are not yet whole may have ${UPLOADS_OF_KEY_BYTES_MAX} bytes together.`,
      hint: 'End those that have begun, or take them back: DELETE /uploads/TOKEN.',
    });
  }
}

/** Whose it would be is not told. */
const unknownUpload = (): SqlError =>
  new SqlError('undefined_object', 'there is no upload of this token', {
    routine: 'upload_not_found',
    hint: `It is done, was taken back, is of another key, or had no part for ${UPLOAD_HOURS_KEPT} hours. Begin anew.`,
  });
