/**
 * A Quern server as a process of its own, started the way a user starts it: for the quick start, tests that
 * kill it, and benchmarks.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** A bound for what hangs. */
const HANGS_MS_MIN = 600_000;

export interface ServerProcess extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly httpPort: number;
  readonly key: string;
  readonly process: ChildProcess;
  /** Everything written on standard error so far. */
  log(): string;
  /** Ends it and waits. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServerOptions {
  readonly data: string;
  readonly key?: string;
  /** 0 picks a free one. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** The checkout's, unless another installation is named. */
  readonly quern?: string;
}

/** @throws Error with the server's own words when it ends before it serves. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const key = options.key ?? randomBytes(18).toString('base64url');
  const flags = ['--port', String(options.port ?? 0), '--http-port', '0', ...(options.flags ?? [])];
  const server = spawn(
    options.quern ?? join(import.meta.dirname, '../bin/quern'),
    ['serve', '--data', options.data, ...flags],
    {
      env: { ...process.env, QUERN_API_KEY: key, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = new Promise<number | null>((resolve) => server.once('close', (code) => resolve(code)));
  const line = await readyLine(server, ended, () => log);
  const [, host, port, httpPort] = /^ready sql=(.+):(\d+) http=.+:(\d+)$/.exec(line) ?? [];
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    if (server.exitCode === null && server.signalCode === null) server.kill(signal);
    return ended;
  };
  return {
    host: host as string,
    port: Number(port),
    httpPort: Number(httpPort),
    key,
    process: server,
    log: () => log,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

async function readyLine(
  server: ChildProcess,
  ended: Promise<number | null>,
  log: () => string,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const line = output.split('\n').find((candidate) => candidate.startsWith('ready '));
    if (line !== undefined) resolve(line);
  });
  const timer = setTimeout(
    () => reject(new Error(`not ready after ${HANGS_MS_MIN} ms\n${log()}`)),
    HANGS_MS_MIN,
  );
  server.once('error', reject);
  ended.then(
    (code) => reject(new Error(`the server ended with ${code}\n${log()}${output}`)),
    () => undefined,
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
