/** Requests that are refused before anything is done for them: a status, a sentence, what to do about it. */
import { SqlError } from '../errors.ts';
import { FAULT, statusOf } from './status.ts';

export class Refusal extends Error {
  readonly status: number;
  readonly hint: string | null;

  constructor(status: number, message: string, hint: string | null = null) {
    super(message);
    this.status = status;
    this.hint = hint;
  }

  /** As text, for people. */
  get body(): string {
    return this.hint === null ? `${this.message}\n` : `${this.message}\nhint: ${this.hint}\n`;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  }
}

/** Before anything runs it is the end of a key, and not of the server. */
const KEY_ENDED = '57P01';

/**
 * A condition of the client's as a refusal; anything else as it is.
 * @param own statuses by SQLSTATE that differ here.
 */
export function refusalOf(error: unknown, own: Readonly<Record<string, number>> = {}): unknown {
  if (!(error instanceof SqlError)) return error;
  const { sqlstate, message, fields } = error;
  const status = own[sqlstate] ?? (sqlstate === KEY_ENDED ? 401 : statusOf(error));
  return status === FAULT ? error : new Refusal(status, message, fields.hint ?? null);
}
