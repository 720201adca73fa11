/** A script from `-c` or standard input: its parts one by one, each result as soon as it is there. */
import type { OutputFormat } from '../terminal.ts';
import { print } from '../terminal.ts';
import { QUIT, runBackslash, type Showing } from './backslash.ts';
import type { Printer } from './printer.ts';
import type { CopyStreams, SqlSession } from './session.ts';
import { controlsTransaction, Script, type ScriptPart } from './statements.ts';

/** Where parts run, and what shows what they give. */
export interface Place {
  readonly session: SqlSession;
  readonly printer: Printer;
  readonly showing: Showing;
  readonly format: OutputFormat;
}

/** All statements of a text. */
export function partsOf(text: string): ScriptPart[] {
  const script = new Script(text);
  const parts: ScriptPart[] = [];
  for (let part = script.next(); part !== null; part = script.next()) parts.push(part);
  return parts;
}

/**
 * Statements of one text, all or nothing unless they say otherwise, as psql's `-c` has them; or a backslash command.
 * @param input what a COPY … FROM STDIN reads.
 * @throws the first error, after what came before it has been printed
 */
export async function runCommand(text: string, input: CopyStreams['input'], place: Place): Promise<void> {
  const parts = partsOf(text);
  const isBlock = parts.length > 1 && !parts.some((part) => controlsTransaction(part.text));
  if (isBlock) await place.session.ask('BEGIN');
  for (const part of parts) await runPart(part, { script: text, input }, place);
  if (isBlock) await place.session.ask('COMMIT');
}

/** Statements each by itself, as psql reads a file; data of a COPY … FROM STDIN stand behind it. */
export async function runScript(text: string, place: Place): Promise<void> {
  const script = new Script(text);
  const input: CopyStreams['input'] = async function* () {
    yield script.copyData();
  };
  for (let part = script.next(); part !== null; part = script.next()) {
    if ((await runPart(part, { script: script.text, input }, place)) === QUIT) return;
  }
}

interface Source {
  /** The whole text, for the places of errors. */
  readonly script: string;
  readonly input: CopyStreams['input'];
}

/** @throws StatementError, UsageError */
export async function runPart(
  part: ScriptPart,
  { script, input }: Source,
  { session, printer, showing, format }: Place,
): Promise<typeof QUIT | null> {
  if (part.kind === 'command') {
    const said = await runBackslash(part.text, { session, printer, showing });
    if (said === QUIT) return QUIT;
    if (said !== null && format === 'text') print(said);
    return null;
  }
  const output: CopyStreams['output'] = (bytes) => printer.copied(bytes);
  printer.result(await session.run({ text: part.text, start: part.start, script }, { input, output }));
  return null;
}
