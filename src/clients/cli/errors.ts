/** Errors of a command, as lines or as JSON, and the exit code that goes with them. */
import type { Notice } from '../typescript/src/config.ts';
import { InvalidArgumentError, QuernError, type Fault } from '../typescript/src/errors.ts';
import { type OutputFormat, tell } from './terminal.ts';

/** `unread`: nobody reads standard output any more, as a shell shows SIGPIPE. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130, unread: 141 } as const;

/** The command was called wrongly: nothing has been done. */
export class UsageError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A question on the terminal was answered with no, or not at all. */
export class Declined extends Error {}

/** Ctrl-C. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
  }
}

/** A statement that the server refused, and where in what the user wrote. */
export class StatementError extends Error {
  override readonly cause: QuernError;
  /** Characters from 1 in the whole text; null where the server names no place. */
  readonly position: number | null;
  /** `LINE 3: SELECT …` and a caret below it; none without a position. */
  readonly excerpt: readonly string[];

  constructor(cause: QuernError, place: Pick<StatementError, 'position' | 'excerpt'>) {
    super(cause.message);
    this.cause = cause;
    this.position = place.position;
    this.excerpt = place.excerpt;
  }
}

export interface ErrorReport {
  /** SQLSTATE where a server told, else a word of `docs/command-line.md`. */
  readonly code: string;
  readonly message: string;
  readonly detail: string | null;
  readonly hint: string | null;
  readonly position: number | null;
  /** Faults of a batch of documents. */
  readonly faults?: readonly Fault[];
}

export function errorReport(error: unknown): ErrorReport {
  const rest = { detail: null, hint: null, position: null };
  if (error instanceof StatementError) return { ...errorReport(error.cause), position: error.position };
  if (!(error instanceof Error)) return { code: 'failed', message: String(error), ...rest };
  const { message } = error;
  if (error instanceof QuernError) {
    const { sqlstate, kind, detail, hint = null, errors: faults } = error;
    const code = sqlstate ?? kind ?? codeOf(error);
    // A batch's detail has the same faults, as text.
    if (faults.length > 0) return { code, message, ...rest, hint, faults };
    return { code, message, ...rest, detail: detail ?? null, hint };
  }
  const hint = error instanceof UsageError ? (error.hint ?? null) : null;
  return { code: codeOf(error), message, ...rest, hint };
}

/** For what no server told. */
function codeOf(error: Error): string {
  if (error instanceof UsageError || error instanceof InvalidArgumentError) return 'usage';
  if (error instanceof Declined) return 'declined';
  if (error instanceof Interrupted) return 'interrupted';
  return error.name === 'ConnectionFailedError' ? 'connection_failed' : 'failed';
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return EXIT.interrupted;
  const isUsage = error instanceof UsageError || (error instanceof InvalidArgumentError && !error.sqlstate);
  return isUsage ? EXIT.usage : EXIT.failed;
}

/** Message, place, and hint, a line each. */
export function errorText(error: unknown): string {
  const { code, message, detail, hint, faults = [] } = errorReport(error);
  const first = /^[0-9A-Z]{5}$/.test(code) ? `ERROR ${code}: ${message}` : `quern: ${message}`;
  return [
    first,
    ...(error instanceof StatementError ? error.excerpt : []),
    ...faults.map((fault) => `  ${JSON.stringify(fault)}`),
    ...(detail === null ? [] : [`DETAIL: ${detail}`]),
    ...(hint === null ? [] : [`HINT: ${hint}`]),
  ].join('\n');
}

/** As JSON it is one line, so that notices may stand before it. */
export function tellError(error: unknown, output: OutputFormat): void {
  tell(output === 'json' ? JSON.stringify({ error: errorReport(error) }) : errorText(error));
}

/** Prints what the server says beside results. */
export function tellNotice(notice: Notice, output: OutputFormat): void {
  const { severity, code, message, detail = null, hint = null } = notice;
  if (output === 'json') {
    tell(JSON.stringify({ notice: { severity, code, message, detail, hint } }));
    return;
  }
  const more = [
    ...(detail === null ? [] : [`DETAIL: ${detail}`]),
    ...(hint === null ? [] : [`HINT: ${hint}`]),
  ];
  tell([`${severity}: ${message}`, ...more].join('\n'));
}
