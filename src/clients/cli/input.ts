/** Input of a command from its user: standard input to its end, a line at a question, a key that is not shown. */
import { untilAborted } from '../typescript/src/wire/pool.ts';
import { Declined, Interrupted, UsageError } from './errors.ts';

/** All of standard input. @throws the signal's reason */
export const standardInput = (signal: AbortSignal): Promise<string> => untilAborted(read(), signal);

async function read(): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces).toString('utf8');
}

/** A question as an argument; `-`, or left out where something is piped in: on standard input. @throws UsageError */
export async function questionOf(given: string | undefined, signal: AbortSignal): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  const isTyped = given === undefined && process.stdin.isTTY;
  const question = isTyped ? '' : (await standardInput(signal)).trim();
  if (question !== '') return question;
  throw new UsageError('a question is needed', 'give it in quotes, or - to type it on standard input');
}

/** Asks before something that cannot be undone. @throws Declined for anything but yes, UsageError without a terminal */
export async function confirmed(
  question: string,
  { yes = false }: { readonly yes?: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new UsageError(`${question} There is no terminal to ask on`, 'add --yes');
  process.stderr.write(`${question} [y/N] `);
  const answer = await untilAborted(typedLine(), signal).finally(() => process.stdin.pause());
  if (answer === null) process.stderr.write('\n');
  if (!/^y(?:es)?$/i.test((answer ?? '').trim())) throw new Declined('nothing was done');
}

/** A line as the terminal hands it over; null: Ctrl-D. */
const typedLine = (): Promise<string | null> =>
  new Promise((resolve) => {
    process.stdin.once('data', (line) => resolve(String(line)));
    process.stdin.once('end', () => resolve(null));
    process.stdin.resume();
  });

const ENTER = /[\r\n]/;
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_U = '\x15';
const BACKSPACES = ['\x7f', '\b'];

/** A key that is typed or pasted, and not shown. @throws Declined after Ctrl-D or nothing, Interrupted after Ctrl-C */
export async function typedKey(prompt: string, signal: AbortSignal): Promise<string> {
  process.stdin.setRawMode(true);
  process.stderr.write(prompt);
  try {
    const key = (await untilAborted(typedSecret(), signal)).trim();
    if (key === '') throw new Declined('no key was given');
    return key;
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.stderr.write('\n');
  }
}

async function typedSecret(): Promise<string> {
  let typed = '';
  for await (const piece of process.stdin) {
    for (const one of String(piece)) {
      if (ENTER.test(one) || (one === CTRL_D && typed === '')) return typed;
      // In raw mode the terminal sends no signal.
      if (one === CTRL_C) throw new Interrupted();
      if (one === CTRL_U) typed = '';
      else if (BACKSPACES.includes(one)) typed = typed.slice(0, -1);
      else if (one >= ' ') typed += one;
    }
  }
  return typed;
}
