/** A server whose console is attacked, keys of it, and browsers that are signed in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { Client } from '../../src/clients/typescript/src/client.ts';
import { identifier } from '../../src/clients/typescript/src/wire/names.ts';
import { Browser } from './browser.ts';

export class ConsoleServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #flags: readonly string[];
  #server: ServerProcess;
  #client: Client;

  private constructor(folder: string, flags: readonly string[], server: ServerProcess) {
    this.#folder = folder;
    this.#flags = flags;
    this.#server = server;
    this.#client = clientOf(server);
  }

  /** Reached from all addresses of this machine. */
  static async start(...more: readonly string[]): Promise<ConsoleServer> {
    const folder = mkdtempSync(join(tmpdir(), 'quern-console-'));
    const flags = ['--host', '0.0.0.0', ...more];
    return new ConsoleServer(folder, flags, await startServer({ data: join(folder, 'data'), flags }));
  }

  get httpPort(): number {
    return this.#server.httpPort;
  }

  /** The owner's. */
  get key(): string {
    return this.#server.key;
  }

  log(): string {
    return this.#server.log();
  }

  async sql(statement: string): Promise<readonly Record<string, unknown>[]> {
    return (await this.#client.sql(statement)) as Record<string, unknown>[];
  }

  async made(name: string, options = 'role = admin'): Promise<string> {
    const [row] = await this.sql(`CREATE API KEY ${identifier(name)} WITH (${options})`);
    return String(row?.key);
  }

  /** With a key of that name. */
  async signedIn(name: string, options?: string): Promise<Browser> {
    const browser = new Browser(this.httpPort);
    const status = await browser.signIn({ key: await this.made(name, options) });
    if (status !== 200) throw new Error(`signing in was answered by ${status}`);
    return browser;
  }

  /** The same data, another port. */
  async startAgain(signal: NodeJS.Signals): Promise<void> {
    await this.#client.close();
    await this.#server.stop(signal);
    const { key } = this;
    this.#server = await startServer({ data: join(this.#folder, 'data'), flags: this.#flags, key });
    this.#client = clientOf(this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
    await this.#server[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const clientOf = ({ key, port }: ServerProcess): Client =>
  new Client({ apiKey: key, host: '127.0.0.1', port });
