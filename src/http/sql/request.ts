/** Requests of clients: a JSON object, field by field. A field that is not known is refused. */
import { SqlError } from '../../errors.ts';
import { HTTP_REQUEST_ID_BYTES_MAX } from '../../limits.ts';
import { ExactNumber, parseJson, readJsonText } from './json-reader.ts';

export interface SqlRequest {
  /** One statement, or several behind each other. */
  readonly statement: string;
  /** By `$n`: JSON values. Null: none were given, and there may be several statements. */
  readonly params: readonly unknown[] | null;
  /** Settings of the session, by name. */
  readonly settings: ReadonlyMap<string, string>;
  /** Name by which the client can cancel it; null: it has none. */
  readonly requestId: string | null;
  /** Token of the transaction that it is part of; null: it begins anew. */
  readonly transaction: string | null;
  /** Token of the stream that its answer goes to; null: it answers itself. */
  readonly stream: string | null;
  /** Its plan is told before its results. */
  readonly plan: boolean;
  /** How far it is is told while it runs. */
  readonly progress: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** How each field is read; absent and null are the same. */
const READERS = {
  statement: (value) => textOf('statement', value),
  params: (value) => {
    if (Array.isArray(value)) return value;
    throw malformed('"params" must be an array');
  },
  settings: settingsOf,
  request_id: requestIdOf,
  transaction: (value) => textOf('transaction', value),
  stream: (value) => textOf('stream', value),
  plan: (value) => booleanOf('plan', value),
  progress: (value) => booleanOf('progress', value),
} as const satisfies Readonly<Record<string, (value: unknown) => unknown>>;

/** A request whose body is data: its fields stand in the address, other than texts as JSON. @throws as `readRequest`. */
export function readQuery(query: string): SqlRequest {
  const given = [...new URLSearchParams(query)];
  const fields = given.map(([name, value]) => [name, JSON_FIELDS.has(name) ? parseJson(value) : value]);
  return readFields(Object.fromEntries(fields) as Fields);
}

const JSON_FIELDS: ReadonlySet<string> = new Set(['params', 'settings', 'plan', 'progress']);

/** @throws SqlError 22023, 22021, 22032. */
export async function readRequest(text: string): Promise<SqlRequest> {
  return readFields(objectOf(await readJsonText(text)));
}

function readFields(fields: Fields): SqlRequest {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(READERS, name));
  if (unknown !== undefined) {
    throw malformed(`there is no field "${unknown}"`, `Fields are ${Object.keys(READERS).join(', ')}.`);
  }
  const given = <Name extends keyof typeof READERS>(
    name: Name,
  ): ReturnType<(typeof READERS)[Name]> | null => {
    const value = Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
    return value === null ? null : (READERS[name](value) as ReturnType<(typeof READERS)[Name]>);
  };
  const statement = given('statement');
  if (statement === null) throw malformed('"statement" is missing');
  const transaction = given('transaction');
  const settings = given('settings');
  if (transaction !== null && settings !== null) {
    throw malformed(
      'settings are given when a transaction begins',
      'SET and SET LOCAL change them within it.',
    );
  }
  const stream = given('stream');
  const requestId = given('request_id');
  if (stream !== null && requestId === null) {
    throw malformed(
      'a request whose answer goes to a stream needs a "request_id", which its lines begin with',
    );
  }
  return {
    statement,
    params: given('params'),
    settings: settings ?? new Map(),
    requestId,
    transaction,
    stream,
    plan: given('plan') ?? false,
    progress: given('progress') ?? false,
  };
}

function objectOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw malformed('the request must be a JSON object');
}

/** @throws SqlError 22023, 22021. */
export function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') throw malformed(`"${name}" must be a string`);
  if (!value.isWellFormed() || value.includes('\0')) {
    throw new SqlError('character_not_in_repertoire', `"${name}" holds what is no character of UTF-8`);
  }
  return value;
}

function booleanOf(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw malformed(`"${name}" must be true or false`);
}

function settingsOf(value: unknown): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('"settings" must be an object of names and values');
  }
  return new Map(
    Object.entries(value).map(([name, one]) => {
      const isPlain = typeof one === 'number' || typeof one === 'boolean' || one instanceof ExactNumber;
      const text = one instanceof ExactNumber ? one.source : isPlain ? String(one) : textOf(name, one);
      return [textOf('settings', name), text];
    }),
  );
}

function requestIdOf(value: unknown): string {
  const id = textOf('request_id', value);
  const size = Buffer.byteLength(id);
  if (size > 0 && size <= HTTP_REQUEST_ID_BYTES_MAX) return id;
  throw malformed(`"request_id" must have 1 to ${HTTP_REQUEST_ID_BYTES_MAX} bytes`);
}

const malformed = (message: string, hint?: string): SqlError =>
  new SqlError('invalid_parameter_value', message, { hint });
