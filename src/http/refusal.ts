/** Requests that are refused before anything is done for them: a status, a sentence, what to do about it. */
import { SqlError } from '../errors.ts';

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

/** By condition: what who knows keys ends with. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_password: 401,
  insufficient_privilege: 403,
  duplicate_object: 409,
  reserved_name: 409,
  admin_shutdown: 401,
  cannot_connect_now: 429,
  program_limit_exceeded: 429,
  invalid_parameter_value: 400,
  invalid_datetime_format: 400,
  datetime_field_overflow: 400,
  interval_field_overflow: 400,
};

/** A condition of the client's as a refusal; anything else as it is. */
export function refusalOf(error: unknown): unknown {
  const status = error instanceof SqlError ? STATUSES[error.condition] : undefined;
  if (!(error instanceof SqlError) || status === undefined) return error;
  return new Refusal(status, error.message, error.fields.hint ?? null);
}
