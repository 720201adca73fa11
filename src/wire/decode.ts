/**
 * Frontend messages as data: one row per type byte says its name and how its body is read. Start-up packets
 * have no type byte and are read by `startup.ts`.
 * Source: PostgreSQL 18, chapter 54.7 "Message Formats".
 */
import { SqlError } from '../errors.ts';
import { MessageReader } from './message-reader.ts';

/** Text (0) or binary (1), per parameter or result column. */
export type FormatCode = 0 | 1;

export type FrontendMessage =
  | { readonly kind: 'query'; readonly text: string }
  | {
      readonly kind: 'parse';
      readonly statement: string;
      readonly text: string;
      /** OIDs; 0 leaves the type to the server. */
      readonly types: readonly number[];
    }
  | {
      readonly kind: 'bind';
      readonly portal: string;
      readonly statement: string;
      readonly parameterFormats: readonly FormatCode[];
      /** Views of the message: decode before the connection reads on. */
      readonly parameters: readonly (Buffer | null)[];
      readonly resultFormats: readonly FormatCode[];
    }
  | { readonly kind: 'describe' | 'close'; readonly target: 'statement' | 'portal'; readonly name: string }
  | { readonly kind: 'execute'; readonly portal: string; readonly maxRows: number }
  | { readonly kind: 'flush' | 'sync' | 'terminate' | 'copy done' }
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'copy data'; readonly data: Buffer }
  | { readonly kind: 'copy fail'; readonly reason: string }
  | { readonly kind: 'function call' };

type Decode = (reader: MessageReader) => FrontendMessage;

const FLUSH: FrontendMessage = { kind: 'flush' };
const SYNC: FrontendMessage = { kind: 'sync' };
const TERMINATE: FrontendMessage = { kind: 'terminate' };
const COPY_DONE: FrontendMessage = { kind: 'copy done' };

/** By type byte. A byte that is not here ends the connection with 08P01. */
const FRONTEND_MESSAGES: Readonly<Record<string, Decode>> = {
  Q: (reader) => ({ kind: 'query', text: reader.string() }),
  P: (reader) => ({
    kind: 'parse',
    statement: reader.string(),
    text: reader.string(),
    types: list(reader.uint16(), () => reader.uint32()),
  }),
  B: (reader) => ({
    kind: 'bind',
    portal: reader.string(),
    statement: reader.string(),
    parameterFormats: list(reader.uint16(), () => formatCode(reader)),
    parameters: list(reader.uint16(), () => parameter(reader)),
    resultFormats: list(reader.uint16(), () => formatCode(reader)),
  }),
  D: (reader) => ({ kind: 'describe', target: target(reader, 'DESCRIBE'), name: reader.string() }),
  C: (reader) => ({ kind: 'close', target: target(reader, 'CLOSE'), name: reader.string() }),
  E: (reader) => ({ kind: 'execute', portal: reader.string(), maxRows: reader.int32() }),
  H: () => FLUSH,
  S: () => SYNC,
  X: () => TERMINATE,
  p: (reader) => ({ kind: 'password', password: reader.string() }),
  d: (reader) => ({ kind: 'copy data', data: reader.rest() }),
  c: () => COPY_DONE,
  f: (reader) => ({ kind: 'copy fail', reason: reader.string() }),
  F: (reader) => {
    reader.rest();
    return { kind: 'function call' };
  },
};

const BY_CODE: readonly (Decode | undefined)[] = Array.from(
  { length: 256 },
  (_, code) => FRONTEND_MESSAGES[String.fromCharCode(code)],
);

export function isFrontendMessage(code: number): boolean {
  return BY_CODE[code] !== undefined;
}

/**
 * @param code a byte for which `isFrontendMessage` holds.
 * @throws SqlError 08P01 when the body is not what its type says, 22021 when text is not UTF-8.
 */
export function decodeMessage(code: number, body: Buffer): FrontendMessage {
  const decode = BY_CODE[code];
  if (decode === undefined) throw new SqlError('protocol_violation', `invalid frontend message type ${code}`);
  const reader = new MessageReader(body);
  const message = decode(reader);
  reader.end();
  return message;
}

function list<T>(count: number, read: () => T): T[] {
  const items: T[] = [];
  for (let i = 0; i < count; i++) items.push(read());
  return items;
}

function formatCode(reader: MessageReader): FormatCode {
  const code = reader.int16();
  if (code === 0 || code === 1) return code;
  throw new SqlError('invalid_parameter_value', `unsupported format code: ${code}`);
}

/** A parameter's bytes; length -1 is NULL. */
function parameter(reader: MessageReader): Buffer | null {
  const length = reader.int32();
  return length === -1 ? null : reader.bytes(length);
}

function target(reader: MessageReader, message: string): 'statement' | 'portal' {
  const code = reader.uint8();
  if (code === 0x53) return 'statement';
  if (code === 0x50) return 'portal';
  throw new SqlError('protocol_violation', `invalid ${message} message subtype ${code}`);
}
