/** The prompt of `quern sql`: statements of several lines, history, completion of names, Ctrl-C for a statement. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import type { ClientConfig } from '../../typescript/src/config.ts';
import { QuernError } from '../../typescript/src/errors.ts';
import { configFolder } from '../credentials.ts';
import { StatementError, tellError } from '../errors.ts';
import { type OutputFormat, print, tell } from '../terminal.ts';
import { QUIT, type Showing } from './backslash.ts';
import { completions, namesOf } from './completions.ts';
import { printerOf } from './printer.ts';
import { type Place, runPart } from './script.ts';
import { SqlSession } from './session.ts';
import { Script, scanStatement, statementStart } from './statements.ts';

const HISTORY_MAX = 1000;
const PROMPT = 'quern=> ';
/** Within a statement. */
const PROMPT_MORE = 'quern-> ';

const historyFile = (): string => join(configFolder(), 'history');

function readHistory(): string[] {
  try {
    return readFileSync(historyFile(), 'utf8').split('\n').filter(Boolean).slice(-HISTORY_MAX).reverse();
  } catch {
    return [];
  }
}

/** Statements of several lines are one line of the history, but where a comment would hide what follows it. */
function remember(typed: string): void {
  const lines = typed.includes('--') ? typed : typed.replaceAll('\n', ' ');
  mkdirSync(configFolder(), { recursive: true, mode: 0o700 });
  appendFileSync(historyFile(), `${lines}\n`, { mode: 0o600 });
}

interface ShellOptions {
  readonly showing: Showing;
  readonly format: OutputFormat;
}

/** Runs until its end is typed, or the signal comes. */
export async function runShell(
  config: ClientConfig,
  { signal, ...options }: ShellOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const shell = await Shell.open(config, options);
  const leave = (): void => void shell.close();
  signal.addEventListener('abort', leave);
  try {
    await shell.run();
  } finally {
    await shell.close();
  }
}

class Shell {
  readonly #session: SqlSession;
  readonly #options: ShellOptions;
  readonly #terminal: Interface;
  /** Typed text of a statement that has not ended. */
  #pending = '';
  #isRunning = false;
  #isLeaving = false;

  static async open(config: ClientConfig, options: ShellOptions): Promise<Shell> {
    const { showing, format } = options;
    const session = await SqlSession.open(config, (notice) =>
      printerOf(format, showing, false).notice(notice),
    );
    const names = await namesOf(session);
    const [row] = await session.query('SELECT version() AS version');
    print(`${row?.version}\n\\? for help`);
    const terminal = createInterface({
      input: process.stdin,
      output: process.stdout,
      history: readHistory(),
      historySize: HISTORY_MAX,
      completer: (line: string) => completions(line, names),
    });
    return new Shell(session, terminal, options);
  }

  private constructor(session: SqlSession, terminal: Interface, options: ShellOptions) {
    this.#session = session;
    this.#terminal = terminal;
    this.#options = options;
    terminal.on('SIGINT', () => this.#interrupt());
  }

  async run(): Promise<void> {
    this.#ask();
    for await (const line of this.#terminal) {
      if (await this.#line(line)) return;
      this.#ask();
    }
    print('');
  }

  async close(): Promise<void> {
    this.#terminal.close();
    await this.#session.close();
  }

  #ask(): void {
    this.#terminal.setPrompt(this.#pending === '' ? PROMPT : PROMPT_MORE);
    this.#terminal.prompt();
  }

  /** Cancels what runs, or clears what is typed; a second time leaves what does not end. */
  #interrupt(): void {
    if (this.#isRunning && !this.#isLeaving) {
      this.#isLeaving = true;
      this.#session.cancel();
      return;
    }
    if (this.#isRunning) process.emit('SIGINT');
    this.#pending = '';
    print('');
    this.#ask();
  }

  /** @returns whether it was the last. */
  async #line(line: string): Promise<boolean> {
    const typed = line.trim();
    if (/^(?:exit|quit);?$/i.test(typed)) {
      if (this.#pending === '') return true;
      print('use \\q to end, or Ctrl-C to clear the statement');
      return false;
    }
    if (typed.startsWith('\\') && !scanStatement(this.#pending, 0).isWithinQuote)
      return await this.#run(typed);
    this.#pending = this.#pending === '' ? line : `${this.#pending}\n${line}`;
    for (
      let { end } = scanStatement(this.#pending, 0);
      end !== null;
      end = scanStatement(this.#pending, 0).end
    ) {
      const statement = this.#pending.slice(0, end);
      this.#pending = this.#pending.slice(end).trimStart();
      await this.#run(statement);
    }
    if (statementStart(this.#pending, 0) >= this.#pending.length) this.#pending = '';
    return false;
  }

  /** @returns whether it ends the prompt. */
  async #run(text: string): Promise<boolean> {
    const script = new Script(text);
    const part = script.next();
    if (part === null) return false;
    remember(text.trim());
    const { showing, format } = this.#options;
    const started = performance.now();
    this.#isRunning = true;
    const printer = printerOf(format, showing, false);
    const place: Place = { session: this.#session, printer, showing, format };
    try {
      if ((await runPart(part, { script: script.text, input: noInput }, place)) === QUIT) return true;
      printer.end();
      const isTimed = showing.isTimed && part.kind === 'statement' && format === 'text';
      if (isTimed) print(`${(performance.now() - started).toFixed(1)} ms`);
    } catch (error) {
      // Nothing can be asked on it any more.
      if (!this.#session.isAlive) throw error;
      if (this.#isLeaving && isCancelled(error)) tell('cancelled');
      else tellError(error, format);
    } finally {
      this.#isRunning = false;
      this.#isLeaving = false;
    }
    return false;
  }
}

const isCancelled = (error: unknown): boolean =>
  error instanceof StatementError && error.cause.sqlstate === '57014';

// biome-ignore lint/correctness/useYield: it fails before.
const noInput = async function* (): AsyncGenerator<string> {
  throw new QuernError('COPY … FROM STDIN reads from a file here: quern sql -c "COPY …" < FILE');
};
