/**
 * Runs one client program (Python, Java, Go, Rust) against a server. A program prints a TAP line a check,
 * `ok NAME` or `not ok NAME: error on one line`, and finds the server by libpq's environment variables.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';

/** Name of each check to the error it ended with; null: it passed. */
export type Outcome = ReadonlyMap<string, string | null>;

/** A program that needs longer hangs. */
const PROGRAM_TIMEOUT_MS = 600_000;

/** A server on data of its own, gone with its data when disposed. */
export async function startFreshServer(): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'quern-clients-'));
  const server = await startServer({ data: join(folder, 'data') });
  const dispose = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...server, [Symbol.asyncDispose]: dispose };
}

/** Environment from which libpq and most drivers read where to connect. */
export function connectionEnvironment(server: Pick<ServerProcess, 'host' | 'port' | 'key'>) {
  return {
    PGHOST: server.host,
    PGPORT: String(server.port),
    PGUSER: 'quern',
    PGDATABASE: 'quern',
    PGPASSWORD: server.key,
  };
}

/** Environment of a `quern` command that is signed in to the server, and has no home. */
export const commandEnvironment = (
  server: Pick<ServerProcess, 'host' | 'port' | 'key'>,
): Record<string, string> => {
  const { PGHOST, PGPORT, PGPASSWORD } = connectionEnvironment(server);
  return {
    PATH: process.env.PATH ?? '',
    HOME: '/nowhere',
    QUERN_HOST: PGHOST,
    QUERN_PORT: PGPORT,
    QUERN_API_KEY: PGPASSWORD,
  };
};

/** @throws Error with what it wrote when the program ends badly or without one check. */
export async function runProgram(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const [file, ...args] = command;
  const program = spawn(file as string, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PROGRAM_TIMEOUT_MS,
  });
  let output = '';
  let error = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    program.once('error', reject);
    program.once('close', resolve);
  });
  const outcome = new Map<string, string | null>();
  for (const line of output.split('\n')) {
    const [, not, name, why] = /^(not )?ok ([^:]+)(?:: (.*))?$/.exec(line) ?? [];
    if (name !== undefined) outcome.set(name, not === undefined ? null : (why ?? ''));
  }
  if (code !== 0 || outcome.size === 0)
    throw new Error(`${command.join(' ')} ended with ${code}\n${error}${output}`);
  return outcome;
}

/** The checks that failed, with their errors: to be compared with a list of what is known to be missing. */
export function failures(outcome: Outcome): Record<string, string> {
  return Object.fromEntries([...outcome].flatMap(([name, error]) => (error === null ? [] : [[name, error]])));
}
