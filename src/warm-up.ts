/**
 * Warming up: before a server says that it is ready, the ways that most statements take are gone, from a message's bytes
 * to its answer's, so that the first clients do not wait for what compiles itself. One thing to know: it is done on a
 * database of its own, in memory, which is gone afterwards: nothing of it is in statistics, logs or on disk.
 */
import { Writable } from 'node:stream';
import { openEmbeddedEngine } from './engine/embedded/open.ts';
import type { Environment } from './session/environment.ts';
import { createSessionFactory } from './session/factory.ts';
import { QuernSession } from './session/session.ts';
import type { SessionDirectory } from './session/directory.ts';
import type { Keys } from './session/sign-in/keys.ts';
import { ParseService } from './sql/parse/service.ts';
import { MemoryStore } from './storage/memory-store.ts';
import { Framer } from './wire/framing.ts';
import { MessageHandler } from './wire/message-handler.ts';
import { Output } from './wire/output.ts';

const ROWS = 100;
const DIMENSION = 8;
/** After so many V8 has optimised what is on the way. */
const ROUNDS_MAX = 400;

const vector = (n: number): string =>
  `[${Array.from({ length: DIMENSION }, (_, i) => (n * (i + 3)) % 17).join()}]`;
const text = (n: number): string => `row ${n} of word ${n % 7} and ${n % 11}`;

const TABLE = `CREATE TABLE warm (id int PRIMARY KEY, body text, v vector(${DIMENSION}));
  CREATE INDEX ON warm USING keyword (body);
  CREATE INDEX ON warm USING vector (v);
  CREATE INDEX ON warm USING semantic (body) WITH (model = 'hash')`;

/** Rows by key, by a vector, by words, by meaning, and none; `$1` stands for the value. What is quick is gone more often. */
const QUERIES: readonly { readonly sql: string; readonly times?: number; value(n: number): string }[] = [
  { sql: 'SELECT id, body FROM warm WHERE id = $1', times: 4, value: (n) => `${n % ROWS}` },
  { sql: 'SELECT id FROM warm ORDER BY v <=> $1 LIMIT 10', value: (n) => `'${vector(n)}'` },
  {
    sql: 'SELECT id, bm25_score() FROM warm WHERE matches($1, body) ORDER BY bm25_score() DESC LIMIT 10',
    value: (n) => `'word ${n % 7}'`,
  },
  {
    sql: 'SELECT id, body FROM warm ORDER BY semantic_similarity(body, $1) DESC LIMIT 10',
    value: (n) => `'${text(n)}'`,
  },
  { sql: 'SELECT $1', value: (n) => `${n}` },
];

/** @param server its clock, models and helpers. @param untilMs by its clock; the round at hand is gone to its end. */
export async function warmUp(server: Environment, keys: Keys, untilMs: number): Promise<void> {
  const engine = await openEmbeddedEngine({
    masterKey: server.randomBytes(32),
    store: new MemoryStore(),
    settings: { idleMs: 0 },
  });
  const parser = new ParseService();
  const { researcher: _researcher, audit: _audit, ...rest } = server;
  const environment = { ...rest, engine, parser, log: () => undefined };
  const factory = createSessionFactory(environment, keys);
  try {
    await using client = new WarmClient(environment, factory);
    await client.send(query(TABLE));
    const rows = Array.from({ length: ROWS }, (_, n) => `(${n}, '${text(n)}', '${vector(n)}')`);
    await client.send(query(`INSERT INTO warm VALUES ${rows.join()}`));
    for (const [i, { sql }] of QUERIES.entries()) await client.send(parsed(`q${i}`, sql));
    for (let n = 0; n < ROUNDS_MAX && (n === 0 || server.nowMs() < untilMs); n++) {
      for (const [i, one] of QUERIES.entries()) await client.ask(`q${i}`, one, n);
    }
  } finally {
    await factory.close();
    await parser.close();
    await engine.close();
  }
}

/** A client without a socket. */
class WarmClient implements AsyncDisposable {
  readonly #session: QuernSession;
  readonly #framer = new Framer();
  /** Why one of the statements was refused. */
  #failure: string | null = null;
  readonly #handler: MessageHandler;

  constructor(environment: Environment, directory: SessionDirectory) {
    const settings = new Map<string, string>();
    const onClose = (): void => undefined;
    this.#session = new QuernSession({
      environment,
      directory,
      processId: 1,
      secretKey: 0,
      settings,
      onClose,
    });
    this.#framer.phase = 'ready';
    const nowhere = new Writable({
      write: (answer: Buffer, _, done) => {
        if (answer[0] === ERROR_RESPONSE) this.#failure = answer.toString().replaceAll('\0', ' ');
        done();
      },
    });
    this.#handler = new MessageHandler(this.#session, {
      output: new Output(nowhere),
      nextFrame: async () => null,
      close: onClose,
      report: onClose,
    });
  }

  async send(bytes: Buffer): Promise<void> {
    this.#framer.push(bytes);
    for (let frame = this.#framer.next(); frame !== null; frame = this.#framer.next()) {
      const waiting = this.#handler.handle(frame);
      if (waiting !== undefined) await waiting;
    }
    if (this.#failure !== null) throw new Error(`a statement failed: ${this.#failure}`);
  }

  /** As text, and prepared. */
  async ask(name: string, { sql, times = 1, value }: (typeof QUERIES)[number], n: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const given = value(n + i);
      await this.send(query(sql.replace('$1', given)));
      await this.send(executed(name, given.replaceAll("'", '')));
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#session[Symbol.asyncDispose]();
  }
}

const ERROR_RESPONSE = 'E'.charCodeAt(0);

const query = (sql: string): Buffer => message('Q', `${sql}\0`);

const parsed = (name: string, sql: string): Buffer =>
  Buffer.concat([message('P', `${name}\0${sql}\0`, int16(0)), SYNC]);

/** Bind, Describe, Execute and Sync, all in text. */
const executed = (name: string, value: string): Buffer =>
  Buffer.concat([
    message('B', `\0${name}\0`, int16(0), int16(1), int32(Buffer.byteLength(value)), value, int16(0)),
    message('D', 'P\0'),
    message('E', '\0', int32(0)),
    SYNC,
  ]);

function message(code: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from(code), int32(4 + body.length), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const SYNC = message('S');
