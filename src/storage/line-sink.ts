/**
 * Where `--audit-log` sends entries of the audit: a file, which says how far it has come, standard output, or a command that
 * reads them (`|logger -t quern`). One thing to know: a line that was half written is written again, whole, on a line of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { SqlError } from '../errors.ts';

/** The last line is sought in so many bytes; entries are far shorter. */
const TAIL_BYTES = 1 << 20;
const OWNER_ONLY = 0o600;

/** A log of lines, as `session/audit/follow.ts` wants it. */
interface LineSink {
  /** Number of the last entry that it has; null: it begins with the next. */
  readonly last: number | null;
  /** Durable when it resolves, as far as the log is. @param lines each with its end. */
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws SqlError F0000 where it cannot be opened. */
export async function openLineSink(target: string): Promise<LineSink> {
  if (target === 'stdout') return streamSink(() => process.stdout);
  if (target.startsWith('|')) return commandSink(target.slice(1));
  try {
    return await fileSink(target);
  } catch (error) {
    throw new SqlError('config_file_error', `--audit-log cannot be opened: ${(error as Error).message}`);
  }
}

async function fileSink(path: string): Promise<LineSink> {
  const file = await open(path, 'a+', OWNER_ONLY);
  const tail = await tailOf(file);
  if (tail.length > 0 && !tail.endsWith('\n')) await file.appendFile('\n');
  const isNew = tail.length === 0;
  return {
    last: isNew ? 0 : lastIn(tail),
    async write(lines) {
      await file.appendFile(lines);
      await file.datasync();
    },
    close: () => file.close(),
  };
}

async function tailOf(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const length = Math.min(size, TAIL_BYTES);
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, size - length);
  return bytes.toString('utf8');
}

/** The number in the last whole line; null: there is none that can be read. */
function lastIn(tail: string): number | null {
  for (const line of tail.split('\n').reverse()) {
    const found = /^\{"sequence":(\d+),"hash":"[0-9a-f]{64}","entry":\{.*\}\}$/.exec(line);
    if (found !== null) return Number(found[1]);
  }
  return null;
}

function streamSink(stream: () => Writable): LineSink {
  return {
    last: null,
    write: (lines) =>
      new Promise((resolve, reject) =>
        stream().write(lines, (error) => (error == null ? resolve() : reject(error))),
      ),
    close: async () => undefined,
  };
}

/** It is started again where it has ended. */
function commandSink(command: string): LineSink {
  let child: ChildProcess | null = null;
  const stdin = (): Writable => {
    if (child?.stdin == null || child.exitCode !== null || child.stdin.destroyed) {
      child = spawn(command, { shell: true, stdio: ['pipe', 'ignore', 'inherit'] });
      child.on('error', () => undefined);
      child.stdin?.on('error', () => undefined);
    }
    return child.stdin as Writable;
  };
  const { last, write } = streamSink(stdin);
  return {
    last,
    write,
    async close() {
      if (child === null || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    },
  };
}
