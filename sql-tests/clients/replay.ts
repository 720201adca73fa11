/**
 * Sends recorded messages as their client did: Query messages by the simple protocol, Parse messages by the
 * extended one, with parameters made up by type where the statement only reads.
 */
import { errorFields, type RawClient, type RawMessage } from '../faults/raw-client.ts';
import type { Answer, Field, Message, Result } from './recordings.ts';

export interface Outcome extends Answer {
  /** `SQLSTATE message`, or null. */
  readonly report: string | null;
}

const READS = /^\s*(--[^\n]*\n|\s|\()*(select|with|show|values|table)\b/i;
/** Statements that wait for a client's next message, or change what later ones see. */
const WRITES_WITHIN = /\b(insert\s+into|update|delete\s+from|set_config|pg_terminate_backend)\b/i;

function readsOnly(text: string): boolean {
  return READS.test(text) && !WRITES_WITHIN.test(text);
}

/** Sends one message and ends what it left open: a COPY is closed empty. */
export async function replay(client: RawClient, message: Message): Promise<Outcome> {
  return message.protocol === 'simple'
    ? simple(client, message.text)
    : extended(client, message.text, message.parameterTypes);
}

export async function simple(client: RawClient, text: string): Promise<Outcome> {
  client.query(text);
  const seen: RawMessage[] = [];
  do {
    seen.push(...(await client.until('Z', 'G')));
    if (seen.at(-1)?.type === 'G') copyNothing(client, seen);
  } while (seen.at(-1)?.type === 'G');
  return outcomeOf(seen);
}

async function extended(client: RawClient, text: string, types: readonly number[]): Promise<Outcome> {
  client.send('P', concat('\0', `${text}\0`, int16(types.length), ...types.map(int32)));
  client.send('D', 'S\0');
  client.send('S', '');
  const described = await client.until('Z');
  const prepared = outcomeOf(described);
  if (prepared.error !== null) return prepared;
  const parameters = parameterTypes(described);
  if (parameters.length > 0 && !readsOnly(text)) return prepared;
  const withNulls = await execute(
    client,
    parameters.map(() => null),
  );
  // NULLs and made-up values may be wrong ones: that a value is refused is an answer too.
  if (parameters.length === 0 || (withNulls.error !== null && !isRefused(withNulls))) return withNulls;
  const made = await execute(client, parameters.map(plausible));
  if (made.error !== null && !isRefused(made)) return made;
  return withNulls.error === null ? withNulls : made;
}

/** Class 22 is data exceptions. */
function isRefused({ error }: Outcome): boolean {
  return error?.startsWith('22') ?? false;
}

async function execute(client: RawClient, values: readonly (string | null)[]): Promise<Outcome> {
  const bound = values.map((value) =>
    value === null ? int32(-1) : concat(int32(Buffer.byteLength(value)), value),
  );
  client.send('B', concat('\0\0', int16(0), int16(values.length), ...bound, int16(0)));
  client.send('D', 'P\0');
  client.send('E', concat('\0', int32(0)));
  client.send('S', '');
  const seen = await client.until('Z', 'G');
  if (seen.at(-1)?.type !== 'G') return outcomeOf(seen);
  copyNothing(client, seen);
  client.send('S', '');
  return outcomeOf([...seen, ...(await client.until('Z'))]);
}

/** Answers CopyInResponse with a file without rows, in the format it asks for. */
function copyNothing(client: RawClient, seen: readonly RawMessage[]): void {
  const binary = seen.at(-1)?.body[0] === 1;
  if (binary) {
    client.send('d', concat(Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), int32(0), int32(0), int16(-1)));
  }
  client.send('c', '');
}

/** Text of a value that a client might send for a parameter of this type; null where any would do. */
function plausible(type: number): string | null {
  const names = new Map([
    [16, 'true'],
    [19, 'books'],
    [20, '1'],
    [21, '1'],
    [23, '1'],
    [25, 'books'],
    [26, '25'],
    [701, '1.5'],
    [1043, 'books'],
    [1009, '{books}'],
    [1028, '{25,1009}'],
    [3802, '{}'],
  ]);
  return names.get(type) ?? null;
}

function outcomeOf(messages: readonly RawMessage[]): Outcome {
  const results: Result[] = [];
  let open: (Result & { rows: (readonly (string | null)[])[] }) | null = null;
  for (const { type, body } of messages) {
    if (type === 'T') open = { cut: false, fields: fieldsOf(body), rows: [] };
    if (type === 'D') open?.rows.push(rowOf(body));
    if (type === 'C' && open !== null) {
      results.push(open);
      open = null;
    }
  }
  const error = messages.some((message) => message.type === 'E') ? errorFields(messages) : null;
  const closed = messages.at(-1)?.type !== 'Z';
  return {
    results,
    error: error?.C ?? (closed ? '08006' : null),
    report: error === null ? (closed ? 'the server closed the connection' : null) : `${error.C} ${error.M}`,
  };
}

function fieldsOf(body: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 2;
  for (let index = 0; index < body.readInt16BE(0); index++) {
    const end = body.indexOf(0, at);
    const name = body.toString('utf8', at, end);
    fields.push({ name, type: body.readUInt32BE(end + 7), modifier: body.readInt32BE(end + 13) });
    at = end + 19;
  }
  return fields;
}

function rowOf(body: Buffer): readonly (string | null)[] {
  const row: (string | null)[] = [];
  let at = 2;
  for (let index = 0; index < body.readInt16BE(0); index++) {
    const size = body.readInt32BE(at);
    row.push(size < 0 ? null : body.toString('utf8', at + 4, at + 4 + size));
    at += 4 + Math.max(size, 0);
  }
  return row;
}

function parameterTypes(messages: readonly RawMessage[]): readonly number[] {
  const body = messages.find((message) => message.type === 't')?.body;
  if (body === undefined) return [];
  return Array.from({ length: body.readInt16BE(0) }, (_, index) => body.readUInt32BE(2 + 4 * index));
}

function concat(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}
