/** Answers of many requests over one stream. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor, type Line, sqlstateOf } from '../../../sql-tests/fixtures/http-door.ts';

let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open();
});

afterEach(async () => {
  while ([...door.database.factory.activity()].length > 0) await pause(1);
});

afterAll(async () => {
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A stream and what has come of it. */
class Opened implements AsyncDisposable {
  readonly lines: Line[] = [];
  readonly #controller = new AbortController();
  #reading: Promise<void> = Promise.resolve();

  static async open(): Promise<Opened> {
    const opened = new Opened();
    const { body } = await door.fetch(undefined, { path: '/sql/stream', signal: opened.#controller.signal });
    opened.#reading = opened.#read(body as ReadableStream<Uint8Array>).catch(() => undefined);
    await opened.until(1);
    return opened;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      for (const line of whole) if (line !== '') this.lines.push(JSON.parse(line) as Line);
    }
  }

  get token(): string {
    return (this.lines[0]?.stream as { token: string } | undefined)?.token ?? '';
  }

  async until(count: number): Promise<void> {
    while (this.lines.length < count) await pause(1);
  }

  /** Lines of a request, once it has ended. */
  async answer(id: string): Promise<readonly Line[]> {
    const own = (): Line[] => this.lines.filter((line) => line.id === id);
    while (!own().some(({ done, error }) => done !== undefined || error !== undefined)) await pause(1);
    return own();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#reading;
  }
}

describe('a stream', () => {
  it('has the answers of many requests, whose lines are told apart', async () => {
    await using stream = await Opened.open();
    const ids = Array.from({ length: 20 }, (_, i) => `"${i}" é`);
    const statement = 'SELECT i, repeat($1, 50) FROM generate_series(1, 2000) AS i';
    const asked = ids.map((request_id) =>
      door.ask({ statement, params: [request_id], request_id, stream: stream.token }),
    );
    const started = await Promise.all(asked);
    expect(started.map(({ status, lines }) => [status, lines])).toEqual(ids.map(() => [202, []]));
    for (const id of ids) {
      const lines = await stream.answer(id);
      const rows = lines.flatMap((line) => (line.rows as unknown[][] | undefined) ?? []);
      expect(rows.length).toBe(2000);
      expect(new Set(rows.map(([, text]) => text))).toEqual(new Set([id.repeat(50)]));
      expect(lines.at(-1)).toEqual({ id, done: { tag: 'SELECT 2000' } });
    }
  });

  it('has errors, of requests that were understood', async () => {
    await using stream = await Opened.open();
    const wrong = { statement: 'SELECT 1/0', request_id: 'wrong', stream: stream.token };
    expect((await door.ask(wrong)).status).toBe(202);
    expect(sqlstateOf(await stream.answer('wrong'))).toBe('22012');
    expect((await door.ask({ ...wrong, request_id: null })).status).toBe(400);
    expect((await door.ask({ ...wrong, stream: 'x' })).status).toBe(404);
    expect((await door.ask({ ...wrong, params: 1 })).status).toBe(400);
  });

  it('goes on with a transaction, and cancels one request of many', async () => {
    await using stream = await Opened.open();
    const { token } = stream;
    await door.ask({ statement: 'SELECT pg_sleep(60)', request_id: 'long', stream: token });
    await door.ask({ statement: 'BEGIN', request_id: 'begin', stream: token });
    await stream.answer('begin');
    while (stream.lines.filter(({ id }) => id === 'begin').length < 2) await pause(1);
    const [, { transaction } = {}] = stream.lines.filter(({ id }) => id === 'begin');
    const next = { transaction: (transaction as { token: string }).token, stream: token };
    await door.ask({ statement: 'SELECT 1 AS one', request_id: 'next', ...next });
    expect((await stream.answer('next')).slice(0, 3)).toMatchObject([
      { columns: [{ name: 'one' }] },
      { rows: [[1]] },
      {},
    ]);
    while ((await door.ask(undefined, { method: 'DELETE', path: '/sql/long' })).status !== 204);
    expect(sqlstateOf(await stream.answer('long'))).toBe('57014');
    let ended = await door.ask({ statement: 'ROLLBACK', transaction: next.transaction });
    while (ended.status === 409)
      ended = await door.ask({ statement: 'ROLLBACK', transaction: next.transaction });
    expect(ended.status).toBe(200);
  });

  it('that ends, ends what runs for it', async () => {
    const stream = await Opened.open();
    for (const request_id of ['a', 'b']) {
      await door.ask({ statement: 'SELECT pg_sleep(600)', request_id, stream: stream.token });
    }
    while ([...door.database.factory.activity()].length < 2) await pause(1);
    await stream[Symbol.asyncDispose]();
    let turns = 0;
    for (; [...door.database.factory.activity()].length > 0; turns++) await pause(10);
    expect(turns).toBeLessThanOrEqual(10);
    while ((await door.ask({ statement: 'SELECT 1', request_id: 'c', stream: stream.token })).status !== 404);
  });

  it('is that of its key, which has so many', async () => {
    await using stream = await Opened.open();
    const [row] = (await door.rows('CREATE API KEY other WITH (role = owner)')) as [unknown[]];
    const key = row.find((value) => String(value).startsWith('quern_')) as string;
    const asked = { statement: 'SELECT 1', request_id: 'x', stream: stream.token };
    expect((await door.ask(asked, { key })).status).toBe(404);
    const more = await Promise.all(Array.from({ length: 19 }, () => Opened.open()));
    const { status, lines } = await door.ask(undefined, { path: '/sql/stream' });
    expect([status, sqlstateOf(lines)]).toEqual([429, '53300']);
    for (const one of more) await one[Symbol.asyncDispose]();
  });

  it('that is not read keeps no rows', async () => {
    const controller = new AbortController();
    const { body } = await door.fetch(undefined, { path: '/sql/stream', signal: controller.signal });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    const { stream } = JSON.parse(Buffer.from(value ?? []).toString()) as { stream: { token: string } };
    for (const request_id of ['a', 'b', 'c']) {
      const statement = "SELECT i, repeat('x', 100) FROM generate_series(1, 10000000) AS i";
      await door.ask({ statement, request_id, stream: stream.token });
    }
    await pause(300);
    const before = process.memoryUsage().arrayBuffers;
    await pause(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
    expect([...door.database.factory.activity()].length).toBe(3);
    controller.abort();
  });
});
