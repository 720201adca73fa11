/** The `quern` command as its users run it: with pipes, files and terminals, against a server of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from '../clients/program.ts';

export const QUERN = join(import.meta.dirname, '../../bin/quern');
const ON_TERMINAL = join(import.meta.dirname, 'on-terminal.py');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  readonly input?: string | Uint8Array;
  readonly more?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** When a text has been shown, and a shell command (where there is one) ends with 0, keys are typed. */
type Step = readonly [text: string, keys: string, until?: string];

interface TerminalGiven extends Given {
  readonly columns?: number;
  readonly steps?: readonly Step[];
}

interface Shown {
  readonly code: number;
  /** Without what sets colours and moves the cursor, and what was written over. */
  readonly out: string;
  /** All that the terminal was sent. */
  readonly raw: string;
}

export interface Place extends AsyncDisposable {
  readonly server: ServerProcess;
  /** The working directory, and where the command keeps things. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  run(args: readonly string[], given?: Given): Promise<Ended>;
  /** A line of bash, in which `quern` is the command. */
  shell(line: string, given?: Given): Promise<Ended>;
  onTerminal(args: readonly string[], given?: TerminalGiven): Promise<Shown>;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is sent.
const ESCAPES = /\x1b\[[\d;?]*[A-Za-z]/g;

/** Not the variables of whoever runs the tests. */
function environmentOf(server: ServerProcess, folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('QUERN_'));
  return {
    ...Object.fromEntries(inherited),
    QUERN_HOST: server.host,
    QUERN_PORT: String(server.port),
    QUERN_API_KEY: server.key,
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_CACHE_HOME: join(folder, '.cache'),
    PATH: `${join(QUERN, '..')}:${process.env.PATH}`,
  };
}

export async function startPlace(): Promise<Place> {
  const server = await startFreshServer();
  const folder = mkdtempSync(join(tmpdir(), 'quern-command-'));
  const environment = environmentOf(server, folder);
  const run = (command: string, args: readonly string[], given: Given = {}): Promise<Ended> =>
    ended(command, args, { ...given, cwd: given.cwd ?? folder, more: { ...environment, ...given.more } });
  return {
    server,
    folder,
    environment,
    run: (args, given) => run(QUERN, args, given),
    shell: (line, given) => run('bash', ['--norc', '-c', line], given),
    onTerminal: async (args, { columns = 80, steps = [], ...given } = {}) => {
      const asked = JSON.stringify({ argv: [QUERN, ...args], columns, steps });
      const { out, err } = await run('python3', [ON_TERMINAL, asked], given);
      if (err !== '') throw new Error(err);
      const shown = JSON.parse(out) as Omit<Shown, 'raw'>;
      const plain = shown.out.replaceAll(ESCAPES, '').replaceAll(/\r+\n/g, '\n').replaceAll(/.*\r/g, '');
      return { ...shown, raw: shown.out, out: plain };
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
      await server[Symbol.asyncDispose]();
    },
  };
}

function ended(command: string, args: readonly string[], { input = '', cwd, more }: Given): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: more });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

export const ok = (out: string): Ended => ({ code: 0, out, err: '' });
