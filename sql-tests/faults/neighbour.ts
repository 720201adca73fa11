/**
 * A neighbour that asks `select 1` again and again beside a statement, and notes how long it waited: by the
 * clock, and in processor time of the server's main thread, which a busy machine does not lengthen.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { errorFields, RawClient } from './raw-client.ts';

interface Address {
  readonly process: { readonly pid?: number | undefined };
  readonly host: string;
  readonly port: number;
  readonly key: string;
}

export interface Answer {
  /** First column of the first row; null where there is none. */
  readonly text: string | null;
  /** SQLSTATE; null when it succeeded. */
  readonly code: string | null;
  readonly message: string;
}

export const signIn = ({ host, port, key }: Address): Promise<RawClient> => RawClient.signIn(host, port, key);

export async function ask(client: RawClient, sql: string): Promise<Answer> {
  client.query(sql);
  const messages = await client.until('Z');
  const { C: code = null, M: message = '' } = errorFields(messages);
  const row = messages.find(({ type }) => type === 'D')?.body;
  const text =
    row === undefined || row.readInt32BE(2) < 0 ? null : row.toString('utf8', 6, 6 + row.readInt32BE(2));
  return { text, code: messages.length === 0 ? 'gone' : code, message };
}

/** Processor time of a server's main thread so far. */
export function mainThreadMs({ process: { pid } }: Pick<Address, 'process'>): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

export async function timed<T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await run();
  return { ms: performance.now() - start, value };
}

const PAUSE_MS = 5;

export class Neighbour implements AsyncDisposable {
  readonly #client: RawClient;
  readonly #address: Address;
  #longestMs = 0;
  #longestBusyMs = 0;
  #asked: number | null = null;
  #closed = false;
  #loop: Promise<void> = Promise.resolve();

  private constructor(client: RawClient, address: Address) {
    this.#client = client;
    this.#address = address;
  }

  static async open(address: Address): Promise<Neighbour> {
    const neighbour = new Neighbour(await signIn(address), address);
    neighbour.#loop = neighbour.#run();
    return neighbour;
  }

  /** The longest wait since `reset`, the one that goes on with it. */
  get longestMs(): number {
    return Math.max(this.#longestMs, this.#asked === null ? 0 : performance.now() - this.#asked);
  }

  /** The most that the server's main thread computed before it answered. */
  get longestBusyMs(): number {
    return this.#longestBusyMs;
  }

  reset(): void {
    this.#longestMs = 0;
    this.#longestBusyMs = 0;
  }

  /** Ends what the backend of this process id runs. */
  async cancel(processId: string): Promise<void> {
    const client = await signIn(this.#address);
    await ask(client, `SELECT pg_cancel_backend(${processId})`);
    client.socket.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#closed && !this.#client.closed) {
      const busy = mainThreadMs(this.#address);
      this.#asked = performance.now();
      await ask(this.#client, 'select 1');
      this.#longestBusyMs = Math.max(this.#longestBusyMs, mainThreadMs(this.#address) - busy);
      this.#longestMs = Math.max(this.#longestMs, performance.now() - this.#asked);
      this.#asked = null;
      await setTimeout(PAUSE_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#loop;
    this.#client.socket.destroy();
  }
}
