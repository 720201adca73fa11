/**
 * Answers of a server to a statement, message by message, as lines that can be compared: all of it, but for what two
 * servers never have in common (identifiers, points in time, durations, the beginnings of keys).
 */
import { type RawMessage, RawClient } from '../faults/raw-client.ts';
import { ScramClient } from '../faults/scram-client.ts';
import { COLUMN_EXCEPTIONS } from './exceptions.ts';
import { OID } from '../../src/types/oids.ts';

const MASKED_TYPES: ReadonlySet<number> = new Set([OID.timestamptz, OID.uuid, OID.xid]);

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'UUID'],
  [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d(?::?\d\d)?|Z)/g, 'TIME'],
  [/\b\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ms|µs|us)\b/g, 'DURATION'],
  [/\btime=\d+\.\d+\.\.\d+\.\d+/g, 'DURATION'],
  [/("(?:(?:exact_)?p50_ms|sample|recall)\\?": )[\d.]+/g, '$1BY CHANCE'],
  [/quern_[\w-]{6}/g, 'KEY'],
];

const masked = (text: string): string => MASKS.reduce((all, [what, name]) => all.replace(what, name), text);

interface Field {
  readonly name: string;
  readonly type: number;
  readonly shown: string;
}

function fieldsOf(body: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 2;
  for (let i = body.readInt16BE(0); i > 0; i--) {
    const end = body.indexOf(0, at);
    const name = body.toString('utf8', at, end);
    const type = body.readInt32BE(end + 7);
    // Without the column's number in its relation.
    fields.push({ name, type, shown: `${name}:${body.toString('hex', end + 7, end + 19)}` });
    at = end + 19;
  }
  return fields;
}

function rowOf(body: Buffer, fields: readonly Field[]): string {
  const values: (string | null)[] = [];
  let at = 2;
  for (let i = 0; i < body.readInt16BE(0); i++) {
    const length = body.readInt32BE(at);
    at += 4;
    if (length < 0) values.push(null);
    else {
      const { name = '', type = 0 } = fields[i] ?? {};
      const isMasked = MASKED_TYPES.has(type) || Object.hasOwn(COLUMN_EXCEPTIONS, name);
      values.push(isMasked ? 'MASKED' : masked(body.toString('utf8', at, at + length)));
      at += length;
    }
  }
  return JSON.stringify(values);
}

/** @param asSet where rows come in no order that was asked for. */
function linesOf(messages: readonly RawMessage[], asSet: boolean): string[] {
  const lines: string[] = [];
  let fields: readonly Field[] = [];
  let rows: string[] = [];
  const flush = (): void => {
    lines.push(...(asSet ? rows.sort() : rows));
    rows = [];
  };
  for (const { type, body } of messages) {
    if (type === 'T') fields = fieldsOf(body);
    if (type === 'D') rows.push(`D ${rowOf(body, fields)}`);
    else if (type === 'd') rows.push(`d ${masked(body.toString('latin1'))}`);
    else {
      flush();
      if (type === 'T') lines.push(`T ${fields.map(({ shown }) => shown).join(' ')}`);
      else lines.push(`${type} ${masked(body.toString('utf8'))}`);
    }
  }
  flush();
  return lines;
}

/** A session that is told nothing but bytes. */
export class Looker {
  readonly #client: RawClient;

  private constructor(client: RawClient) {
    this.#client = client;
  }

  /** @param key of the role that looks. */
  static async signIn(
    { host, port }: { readonly host: string; readonly port: number },
    key: string,
  ): Promise<Looker> {
    const client = await RawClient.open(host, port);
    client.startup({ user: 'quern', database: 'quern', TimeZone: 'UTC' });
    await client.prove(new ScramClient(key));
    const last = (await client.until('Z', 'E')).at(-1);
    if (last?.type !== 'Z') throw new Error(`not let in: ${last?.body}`);
    return new Looker(client);
  }

  get isClosed(): boolean {
    return this.#client.closed;
  }

  /** The answer within a transaction, which is rolled back. @throws Error where another answer comes. */
  async lines(sql: string, asSet: boolean): Promise<string[]> {
    const lines: string[] = [];
    for (const text of ['BEGIN', sql, 'ROLLBACK']) {
      this.#client.query(text);
      lines.push(...linesOf(await this.#client.until('Z'), asSet));
      if (this.isClosed) return lines;
    }
    if (lines.at(-1) !== 'Z I') throw new Error(`out of step after ${sql}: ${lines.join('\n')}`);
    return lines;
  }

  close(): void {
    this.#client.socket.destroy();
  }
}
