/** Where one may only read: the query tool of agents over both its ways, the clients' calls, a browser whose key only reads. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { Client } from '../../src/clients/typescript/src/client.ts';
import { commandEnvironment, connectionEnvironment } from '../clients/program.ts';
import { Browser } from './browser.ts';
import type { Attempt } from './texts.ts';

const ROOT = join(import.meta.dirname, '../..');
export const PYTHON = join(ROOT, '.tools/python/bin/python');

export interface Door extends AsyncDisposable {
  /** @returns the message of its failure; null where it was let in. */
  send(attempt: Attempt): Promise<string | null>;
}

/** The tool `query`. */
async function agent(transport: Parameters<McpClient['connect']>[0]): Promise<Door> {
  const client = new McpClient({ name: 'attacker', version: '1' });
  await client.connect(transport);
  return {
    async send({ sql, params }) {
      const args = { sql, ...(params.length > 0 && { params }) };
      const called = (await client.callTool({ name: 'query', arguments: args })) as {
        readonly content: readonly { readonly text?: string }[];
        readonly isError?: boolean;
      };
      return called.isError === true ? (called.content[0]?.text ?? '') : null;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A program that answers a line for each line. */
class LineProgram implements Door {
  readonly #program: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #input: Interface;

  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    const [file = '', ...args] = command;
    this.#program = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#input = createInterface({ input: this.#program.stdout as NodeJS.ReadableStream });
    this.#lines = this.#input[Symbol.asyncIterator]();
  }

  async send(attempt: Attempt): Promise<string | null> {
    this.#program.stdin?.write(`${JSON.stringify(attempt)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the program ended');
    return JSON.parse(value) as string | null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#program.stdin?.end();
    if (this.#program.exitCode === null) await new Promise((resolve) => this.#program.once('close', resolve));
    this.#input.close();
  }
}

type Open = (server: ServerProcess) => Promise<Door>;

export const DOORS: Readonly<Record<string, Open>> = {
  'MCP over standard input and output': (server) =>
    agent(
      new StdioClientTransport({
        command: join(ROOT, 'bin/quern'),
        args: ['mcp'],
        env: commandEnvironment(server),
        stderr: 'pipe',
      }),
    ),
  'MCP over HTTP': (server) =>
    agent(
      new StreamableHTTPClientTransport(new URL(`http://${server.host}:${server.httpPort}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${server.key}` } },
      }),
    ),
  '/sql by the cookie of a key that only reads': async (server) => {
    const { PGHOST: host, PGPORT: port, PGPASSWORD: apiKey } = connectionEnvironment(server);
    const client = new Client({ apiKey, host, port: Number(port) });
    const [row] = await client.sql('CREATE API KEY looks WITH (role = owner, read_only)');
    await client.close();
    const browser = new Browser(server.httpPort);
    await browser.signIn({ key: String(row?.key) });
    return {
      async send({ sql: statement, params }) {
        const { body } = await browser.ask('/sql', {
          json: { statement, ...(params.length > 0 && { params }) },
        });
        const { error } = JSON.parse(body.trim().split('\n').at(-1) ?? '') as {
          readonly error?: { readonly message: string };
        };
        return error?.message ?? null;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
  "TypeScript's readOnly()": async (server) => {
    const { PGHOST: host, PGPORT: port, PGPASSWORD: apiKey } = connectionEnvironment(server);
    const client = new Client({ apiKey, host, port: Number(port) });
    return {
      send: ({ sql, params }) => client.readOnly(sql, params).then(() => null, messageOf),
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
  "Python's read_only()": async (server) => {
    const { QUERN_HOST, QUERN_PORT, QUERN_API_KEY } = commandEnvironment(server);
    const PYTHONPATH = join(ROOT, 'src/clients/python');
    const env = { ...process.env, QUERN_HOST, QUERN_PORT, QUERN_API_KEY, PYTHONPATH } as Record<
      string,
      string
    >;
    return new LineProgram([PYTHON, join(import.meta.dirname, 'door.py')], env);
  },
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
