/**
 * Start-up packets: encryption requests, cancel requests and the parameters of a session. They are told
 * apart by a number where other packets carry the protocol version.
 * Source: PostgreSQL 18, chapter 54.2.1 "Start-up" and 54.7 "StartupMessage".
 */
import { SqlError } from '../errors.ts';
import { MessageReader } from './message-reader.ts';

const CANCEL_REQUEST = 80877102;
const SSL_REQUEST = 80877103;
const GSS_ENCRYPTION_REQUEST = 80877104;

/** 3.2 differs in longer cancel keys only; ours stay short, which it allows. */
export const PROTOCOL_MINOR_MAX = 2;

export type StartupPacket =
  | { readonly kind: 'ssl request' | 'gss request' }
  | { readonly kind: 'cancel'; readonly processId: number; readonly secretKey: number }
  | {
      readonly kind: 'startup';
      /** The minor version of protocol 3. */
      readonly minor: number;
      /** As sent, `user`, `database` and `options` included. */
      readonly parameters: ReadonlyMap<string, string>;
      /** `_pq_.` options: protocol extensions, of which there are none yet. */
      readonly extensions: readonly string[];
    };

/** @throws SqlError 08P01 or 0A000, both FATAL. */
export function decodeStartup(body: Buffer): StartupPacket {
  const reader = new MessageReader(body);
  const version = reader.uint32();
  switch (version) {
    case SSL_REQUEST:
      return { kind: 'ssl request' };
    case GSS_ENCRYPTION_REQUEST:
      return { kind: 'gss request' };
    case CANCEL_REQUEST:
      return { kind: 'cancel', processId: reader.int32(), secretKey: reader.int32() };
    default:
      return decodeParameters(version, reader);
  }
}

function decodeParameters(version: number, reader: MessageReader): StartupPacket {
  const major = version >>> 16;
  const minor = version & 0xffff;
  if (major !== 3) {
    throw new SqlError(
      'feature_not_supported',
      `unsupported frontend protocol ${major}.${minor}: server supports 3.0 to 3.${PROTOCOL_MINOR_MAX}`,
      { severity: 'FATAL' },
    );
  }
  const parameters = new Map<string, string>();
  const extensions: string[] = [];
  for (;;) {
    const name = reader.string();
    if (name === '') break;
    const value = reader.string();
    if (name.startsWith('_pq_.')) extensions.push(name);
    else parameters.set(name, value);
  }
  if (reader.remaining > 0) {
    throw new SqlError(
      'protocol_violation',
      'invalid startup packet layout: expected terminator as last byte',
      {
        severity: 'FATAL',
      },
    );
  }
  return { kind: 'startup', minor, parameters, extensions };
}

/**
 * The settings of a start-up packet: its own parameters, and `options` (`-c name=value --name=value`),
 * where the packet's own win.
 */
export function startupSettings(parameters: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const settings = parseOptions(parameters.get('options') ?? '');
  for (const [name, value] of parameters) {
    if (!['user', 'database', 'options', 'replication'].includes(name)) settings.set(name, value);
  }
  return settings;
}

/** @throws SqlError 42601 (FATAL) for a switch that is not a setting. */
function parseOptions(options: string): Map<string, string> {
  const settings = new Map<string, string>();
  const words = splitOptions(options);
  for (let i = 0; i < words.length; i++) {
    let word = words[i] as string;
    if (word === '-c') word = `-c${words[++i] ?? ''}`;
    const match = /^(?:-c\s*|--)([A-Za-z_][\w.-]*)=(.*)$/s.exec(word);
    if (match === null) {
      throw new SqlError('syntax_error', `invalid command-line argument for server process: ${word}`, {
        severity: 'FATAL',
      });
    }
    settings.set((match[1] as string).replaceAll('-', '_'), match[2] as string);
  }
  return settings;
}

/** Words between white space; a backslash keeps the next character. */
function splitOptions(options: string): string[] {
  const words = options.match(/(?:\\.|[^\s\\])+/gs) ?? [];
  return words.map((word) => word.replace(/\\(.)/gs, '$1'));
}
