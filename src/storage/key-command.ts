/**
 * The encryption key by a command, which asks a key service for it and prints it. What it prints is never told; of what
 * it says on standard error the last line is, as that is where a service's refusal stands.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { SqlError } from '../errors.ts';
import type { ConfiguredKey } from './master-key.ts';

/** Where an encryption key comes from that lies in no key file. */
export type KeySource =
  /** `name` of the variable that holds it. */
  | { readonly kind: 'text'; readonly text: string; readonly name: string }
  /** `name` of the flag that gives it. */
  | { readonly kind: 'command'; readonly command: string; readonly name: string };

const SECONDS_MAX = 30;
/** More than a key with blanks around it. */
const OUTPUT_BYTES_MAX = 4096;
const TOLD_CHARACTERS_MAX = 300;

/** @throws SqlError F0000 where a command gives none. */
export async function keyOf(source: KeySource, seconds = SECONDS_MAX): Promise<ConfiguredKey> {
  if (source.kind === 'text') return { text: source.text, source: source.name };
  const { command, name } = source;
  const text = await outputOf(command, seconds).catch((error: Error) => {
    throw refusal(name, error.message);
  });
  if (text.trim() === '') throw refusal(name, 'printed nothing');
  return { text, source: `what ${name} printed` };
}

const refusal = (name: string, how: string): SqlError =>
  new SqlError('config_file_error', `${name} gave no encryption key: the command ${how}`, {
    hint: 'It prints the key, 64 hexadecimal digits or base64, and ends with code 0. Nothing has been opened or changed.',
  });

/** @throws Error in words that go on after "the command". */
async function outputOf(command: string, seconds: number): Promise<string> {
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ending = new AbortController();
  const timer = setTimeout(() => {
    ending.abort(new Error(`did not end within ${seconds} seconds`));
  }, seconds * 1000);
  let told = '';
  child.stderr.on('data', (bytes: Buffer) => {
    told = (told + bytes.toString('utf8')).slice(-OUTPUT_BYTES_MAX);
  });
  const output = boundedText(child.stdout, () => {
    ending.abort(new Error(`printed more than ${OUTPUT_BYTES_MAX} bytes`));
  });
  try {
    await ended(child, ending.signal, () => lastLine(told));
    return output();
  } finally {
    clearTimeout(timer);
    // Also what it has started, and left behind.
    endGroup(child);
  }
}

function ended(child: ChildProcess, signal: AbortSignal, told: () => string): Promise<void> {
  return new Promise((done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    child.once('error', (error) => fail(new Error(`could not be run: ${error.message}`)));
    child.once('close', (code, killedBy) => {
      if (code === 0) done();
      else
        fail(
          new Error(`${killedBy === null ? `ended with code ${code}` : `was ended by ${killedBy}`}${told()}`),
        );
    });
  });
}

function boundedText(stream: Readable, tooMuch: () => void): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size <= OUTPUT_BYTES_MAX) pieces.push(bytes);
    else tooMuch();
  });
  return () => Buffer.concat(pieces).toString('utf8');
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.slice(0, TOLD_CHARACTERS_MAX)}`;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
