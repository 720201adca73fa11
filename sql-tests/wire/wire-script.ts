/**
 * Wire scripts: lines `> type arguments` are messages to send, lines `< type fields` what must come back.
 * After each Sync or Query everything up to ReadyForQuery is read.
 */
import type { RawMessage, RawClient } from '../faults/raw-client.ts';

type Argument = string | number | null | readonly (string | number | null)[];

/** The script as it ran: its comments and messages, with the answers that came. */
export async function runWireScript(script: string, client: RawClient): Promise<string> {
  const lines: string[] = [];
  for (const line of script.split('\n').filter((text) => text !== '' && !text.startsWith('<'))) {
    lines.push(line);
    const [, type, rest = ''] = /^> (\w) ?(.*)$/.exec(line) ?? [];
    if (type === undefined) continue;
    client.send(type, encode(type, rest));
    if (type === 'Q' || type === 'S') lines.push(...(await client.until('Z')).map(show));
  }
  return `${lines.join('\n')}\n`;
}

function encode(type: string, rest: string): Buffer {
  if (type === 'Q') return text(rest);
  if (type === 'S' || type === 'H') return Buffer.alloc(0);
  const args = JSON.parse(rest) as Argument[];
  const list = (at: number): readonly (string | number | null)[] => args[at] as (string | number | null)[];
  switch (type) {
    case 'P':
      return Buffer.concat([
        text(args[0]),
        text(args[1]),
        ...counted(list(2), (oid) => int32(oid as number)),
      ]);
    case 'B':
      return Buffer.concat([
        text(args[0]),
        text(args[1]),
        ...counted(list(2), (format) => int16(format as number)),
        ...counted(list(3), (entry) => value(entry as string | null)),
        ...counted(list(4), (format) => int16(format as number)),
      ]);
    case 'E':
      return Buffer.concat([text(args[0]), int32(args[1] as number)]);
    default:
      return Buffer.concat([Buffer.from(args[0] as string), text(args[1])]);
  }
}

function counted<T>(items: readonly T[], write: (item: T) => Buffer): Buffer[] {
  return [int16(items.length), ...items.map(write)];
}

function text(content: Argument | undefined): Buffer {
  return Buffer.from(`${String(content)}\0`);
}

/** `\x00ff` is bytes, anything else text. */
function value(content: string | null): Buffer {
  if (content === null) return int32(-1);
  const bytes = content.startsWith('\\x') ? Buffer.from(content.slice(2), 'hex') : Buffer.from(content);
  return Buffer.concat([int32(bytes.length), bytes]);
}

function int16(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(number);
  return bytes;
}

function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
}

// ───────────────────────────── what came back ─────────────────────────────

function show({ type, body }: RawMessage): string {
  switch (type) {
    case 'T':
      return `< T ${columns(body).join(' ')}`;
    case 'D':
      return `< D ${values(body).join(' ')}`;
    case 't':
      return `< t ${parameterTypes(body).join(' ')}`;
    case 'E':
    case 'N':
      return `< ${type} ${problem(body)}`;
    case 'C':
      return `< C ${body.toString('utf8', 0, body.length - 1)}`;
    case 'S':
      return `< S ${body.toString().split('\0').slice(0, 2).join(' ')}`;
    default:
      return `< ${type} ${body.toString()}`.trimEnd();
  }
}

function parameterTypes(body: Buffer): number[] {
  return Array.from({ length: body.readInt16BE(0) }, (_, i) => body.readInt32BE(2 + 4 * i));
}

/** `name:type:format`. */
function columns(body: Buffer): string[] {
  const shown: string[] = [];
  let at = 2;
  for (let i = body.readInt16BE(0); i > 0; i--) {
    const end = body.indexOf(0, at);
    const name = body.toString('utf8', at, end);
    shown.push(`${name}:${body.readInt32BE(end + 7)}:${body.readInt16BE(end + 17)}`);
    at = end + 19;
  }
  return shown;
}

function values(body: Buffer): string[] {
  const shown: string[] = [];
  let at = 2;
  for (let i = body.readInt16BE(0); i > 0; i--) {
    const length = body.readInt32BE(at);
    at += 4;
    const bytes = body.subarray(at, at + Math.max(length, 0));
    const printable = bytes.every((byte) => byte >= 0x20);
    shown.push(
      length < 0 ? 'null' : printable ? JSON.stringify(bytes.toString()) : `\\x${bytes.toString('hex')}`,
    );
    at += Math.max(length, 0);
  }
  return shown;
}

/** Severity, SQLSTATE, position and message. */
function problem(body: Buffer): string {
  const fields = new Map(
    body
      .toString('utf8')
      .split('\0')
      .map((field) => [field.charAt(0), field.slice(1)]),
  );
  const position = fields.get('P');
  const at = position === undefined ? '' : ` at ${position}`;
  return `${fields.get('V')} ${fields.get('C')}${at}: ${fields.get('M')}`;
}
