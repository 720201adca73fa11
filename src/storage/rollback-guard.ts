/**
 * Tells that the whole data file was put back to an earlier state: a file kept elsewhere, where whoever can
 * write to the data folder cannot, says which commit was the newest. It is written each second in which
 * something was committed, and when the server stops; so an earlier state of less than a second before a
 * crash is not told.
 */
import { SqlError } from '../errors.ts';
import { SealError, type Sealer } from './seal.ts';
import { readIfThere, replaceFile } from './sealed-file.ts';

const INTERVAL_MS = 1000;
const IDENTITY: Uint8Array = Buffer.from('rollback guard');

/** The data as it is now. */
export interface GuardedData {
  /** The data file, for messages. */
  readonly name: string;
  readonly installation: string;
  /** Commits so far, and the mark of the newest. */
  readonly sequence: number;
  readonly mark: string;
  /** A guard has been there: it must be there. */
  readonly isGuarded: boolean;
  /** Durable when it resolves. */
  setGuarded(isGuarded: boolean): Promise<void>;
}

interface GuardOptions {
  readonly sealer: Sealer;
  readonly data: GuardedData;
  /** Hears when the file could not be written; it is tried again. */
  readonly report: (error: unknown) => void;
}

type Noted = Pick<GuardedData, 'installation' | 'sequence' | 'mark'>;

export class RollbackGuard {
  readonly #path: string;
  readonly #options: GuardOptions;
  #timer: NodeJS.Timeout | null = null;
  #noted = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, options: GuardOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Checks, and guards from now on. @throws SqlError XX001 when the data is older than the file says. */
  async open(): Promise<void> {
    const { data, report } = this.#options;
    const sealed = await readIfThere(this.#path);
    if (sealed !== null) this.#check(this.#open(sealed));
    else if (data.isGuarded) throw this.#broken('is missing');
    await this.#write();
    if (!data.isGuarded) await data.setGuarded(true);
    this.#timer = setInterval(() => {
      if (this.#noted === data.sequence) return;
      this.#writing = this.#writing.then(() => this.#write()).catch(report);
    }, INTERVAL_MS).unref();
  }

  /** After the last commit. */
  async close(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    await this.#writing;
    await this.#write();
  }

  async #write(): Promise<void> {
    const { sealer, data } = this.#options;
    const { installation, sequence, mark } = data;
    const noted: Noted = { installation, sequence, mark };
    await replaceFile(this.#path, sealer.seal(Buffer.from(JSON.stringify(noted)), IDENTITY));
    this.#noted = sequence;
  }

  #open(sealed: Uint8Array): Noted {
    try {
      return JSON.parse(Buffer.from(this.#options.sealer.open(sealed, IDENTITY)).toString('utf8')) as Noted;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw this.#broken('is damaged or sealed with another key');
    }
  }

  #check({ installation, sequence, mark }: Noted): void {
    const { data } = this.#options;
    if (installation !== data.installation) throw this.#broken('belongs to other data');
    if (sequence < data.sequence || (sequence === data.sequence && mark === data.mark)) return;
    const why = `commit ${data.sequence} of data file "${data.name}" is not the newest, which was ${sequence}`;
    throw new SqlError('data_corrupted', `the data was rolled back: ${why}`, { hint: this.#hint });
  }

  #broken(how: string): SqlError {
    return new SqlError('data_corrupted', `rollback guard "${this.#path}" ${how}`, { hint: this.#hint });
  }

  get #hint(): string {
    return (
      'Restore what it belongs to. To go on with the data as it is, remove the guard file, start once ' +
      'without --rollback-guard, then with it again.'
    );
  }
}
