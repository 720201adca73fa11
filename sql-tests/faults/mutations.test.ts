/**
 * 20,000 mutated statements and 20,000 mutated protocol messages, seeded: each ends in rows or in one clean
 * error (never XX000), none hangs, and the server lives.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';
import { parseScript } from '../runner/script.ts';
import { connectTarget, ServerError, type Target } from '../runner/target.ts';
import { mutateBytes, mutateStatement, seeded } from './mutations.ts';
import { sliced } from '../slow-tests.ts';
import { errorFields, RawClient } from './raw-client.ts';
import { processMs } from './turn-watch.ts';

const STATEMENTS = 20_000;
const MESSAGES = 20_000;
const MESSAGES_A_CONNECTION = 50;
const SETUP_EVERY = 1_000;
/** Processor time; 4 seconds by the clock end a statement. */
const SLOWEST_MS = 5_000;

const corpus = ['postgres', 'quern'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, '..', folder))
    .filter((name) => name.endsWith('.slt'))
    .flatMap((name) => parseScript(readFileSync(join(import.meta.dirname, '..', folder, name), 'utf8')))
    .map((record) => record.sql)
    .filter((sql) => sql !== '' && !/repeat|generate_series|pg_sleep|recursive/i.test(sql)),
);

let server: InProcessServer;
beforeAll(async () => {
  server = await startInProcess('memory');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** The relations that the statements speak of, with their rows. */
async function setUp(target: Target): Promise<void> {
  await target.run('ROLLBACK; RESET ALL');
  await target.run("SET statement_timeout = '4s'");
  for (const sql of corpus.filter((text) => /^(create|insert)/i.test(text))) {
    await target.run(sql).catch(() => undefined);
  }
}

async function ready(): Promise<Target> {
  return connectTarget(server.address, ["SET statement_timeout = '4s'"]);
}

/** The statement's answer; a transaction block that an earlier one has failed in is left first. */
async function runAnew(target: Target, sql: string): Promise<void> {
  try {
    await target.run(sql);
  } catch (error) {
    if (!(error instanceof ServerError) || !(error.lines[0] as string).startsWith('25P02')) throw error;
    await target.run('ROLLBACK');
    await target.run(sql);
  }
}

/** The same ones every time, a test for each `SETUP_EVERY` of them. */
function mutatedStatements(): readonly (readonly string[])[] {
  const random = seeded(20_261_121);
  return Array.from({ length: STATEMENTS / SETUP_EVERY }, () =>
    Array.from({ length: SETUP_EVERY }, () =>
      mutateStatement(corpus[random(corpus.length)] as string, random, corpus),
    ),
  );
}

describe('mutated statements', () => {
  const total = { sent: 0, answered: 0 };
  const parts = mutatedStatements().map((statements, i) => [i * SETUP_EVERY, statements] as const);

  it.each(sliced(import.meta, parts))('from %i end in rows or a clean error', async (_, statements) => {
    let target = await ready();
    await setUp(target);
    const bad: string[] = [];
    let answered = 0;
    for (const sql of statements) {
      const began = processMs();
      try {
        await runAnew(target, sql);
        answered++;
      } catch (error) {
        if (!(error instanceof ServerError)) {
          // A mutated SET or a COPY that waits may end the connection; the next one must do.
          await Promise.resolve(target[Symbol.asyncDispose]()).catch(() => undefined);
          target = await ready();
        } else if (/^(XX|58)/.test(error.lines[0] as string)) bad.push(`${error.lines[0]}\n${sql}`);
      }
      if (processMs() - began > SLOWEST_MS) bad.push(`slow\n${sql}`);
    }
    expect(bad).toEqual([]);
    total.sent += statements.length;
    total.answered += answered;
    await target.run('ROLLBACK; RESET ALL');
    expect(await target.run('SELECT 1')).toEqual([['1']]);
    await target[Symbol.asyncDispose]();
  });

  // Those that all fail to parse would prove little. Of a thousand 48 to 95 are answered: told of all that have run.
  afterAll(() => {
    if (total.sent > SETUP_EVERY) expect(total.answered).toBeGreaterThan(total.sent / 20);
  });
});

/** Parse, Bind, Describe, Execute, Sync of one statement with parameters, as drivers send them. */
function conversation(): Buffer {
  const message = (type: string, ...parts: readonly (string | number | Buffer)[]) => {
    const body = Buffer.concat(
      parts.map((part) => {
        if (Buffer.isBuffer(part)) return part;
        if (typeof part === 'string') return Buffer.from(`${part}\0`);
        const bytes = Buffer.alloc(2);
        bytes.writeInt16BE(part);
        return bytes;
      }),
    );
    const head = Buffer.alloc(5);
    head.write(type, 0, 'latin1');
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  return Buffer.concat([
    message('P', 's', 'SELECT $1::int + 1, $2::text, $3::float8[]', 1, int32(23)),
    message(
      'B',
      'p',
      's',
      3,
      1,
      0,
      0,
      3,
      int32(4),
      int32(41),
      int32(2),
      Buffer.from('ab'),
      int32(5),
      Buffer.from('{1,2}'),
      2,
      1,
      0,
    ),
    message('D', Buffer.from('P'), 'p'),
    message('E', 'p', int32(1)),
    message('C', Buffer.from('S'), 's'),
    message('H'),
    message('S'),
    message('Q', 'SELECT 1; SELECT 2'),
  ]);
}

/** By connection. */
function mutatedMessages(): readonly (readonly Buffer[])[] {
  const random = seeded(1_121_2026);
  const bytes = conversation();
  return Array.from({ length: MESSAGES / MESSAGES_A_CONNECTION }, () =>
    Array.from({ length: Math.ceil(MESSAGES_A_CONNECTION / 8) }, () => mutateBytes(bytes, random)),
  );
}

describe('mutated messages', () => {
  it(`${MESSAGES} are answered or refused cleanly`, async () => {
    const { host, port, password = '' } = server.address;
    for (const messages of sliced(import.meta, mutatedMessages(), 'connections')) {
      const client = await RawClient.signIn(host, port, password);
      for (const bytes of messages) if (!client.closed) client.socket.write(bytes);
      client.send('S', '');
      client.socket.end();
      const answers = await client.until('never');
      for (const answer of answers.filter(({ type }) => type === 'E'))
        expect(errorFields([answer]).C).not.toMatch(/^XX/);
      client.socket.destroy();
    }
    await using target = await ready();
    expect(await target.run('SELECT 1')).toEqual([['1']]);
  });
});
