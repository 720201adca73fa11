/** Models behind an endpoint: what is sent, what is made of answers right and wrong, and what is told of failures. */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  rightAfter,
  answers,
  EmbeddingEndpointServer,
  vectors,
} from '../../sql-tests/fixtures/embedding-endpoint.ts';
import type { SqlError } from '../errors.ts';
import { HASH_MODEL } from './hash-model.ts';
import { createInference } from './registry.ts';
import { type EmbeddingEndpoint, RemoteModel } from './remote-model.ts';
import { Slots } from './slots.ts';

const LIVE = new AbortController().signal;
const KEY = 'sk-secret-0123456789';
const NAME = 'text-embedding-3-small';

let server: EmbeddingEndpointServer;
beforeEach(async () => {
  server = await EmbeddingEndpointServer.start();
});
afterEach(() => server.close());

function modelAt(given: Partial<EmbeddingEndpoint> = {}): RemoteModel {
  const own = {
    url: server.url,
    models: [NAME],
    dimensions: null,
    queryPrefix: '',
    passagePrefix: '',
    key: KEY,
  };
  return new RemoteModel(NAME, { ...own, ...given });
}

/** The machine may be busy. */
const soon = <T>(value: () => T) => expect.poll(value);
const unit = (vector: Float32Array): number => Math.hypot(...vector);

async function failure(work: Promise<unknown>): Promise<SqlError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ sqlstate: '58000' });
  expect(JSON.stringify([(error as Error).message, (error as SqlError).fields])).not.toContain(KEY);
  return error as SqlError;
}

describe('a model behind an endpoint', () => {
  it('gives unit vectors in the order of the texts, in bounded requests, some at a time', async () => {
    const model = modelAt({ url: `${server.url}/` });
    const texts = Array.from({ length: 300 }, (_, i) => `text number${i}`);
    server.next.push(...texts.map(() => rightAfter(2)));
    const embedded = await model.embedDocuments(texts, LIVE, FREELY);
    const expected = await HASH_MODEL.embedDocuments(texts, LIVE, FREELY);
    for (const [i, { count, vectors: own, spans }] of embedded.entries()) {
      expect([count, [...spans]]).toEqual([1, [0, texts[i]?.length]]);
      expect(unit(own)).toBeCloseTo(1, 5);
      for (const [at, x] of own.entries()) expect(x).toBeCloseTo(expected[i]?.vectors[at] ?? Number.NaN, 5);
    }
    expect(server.asked.map(({ input }) => input.length).sort((a, b) => b - a)).toEqual([
      ...Array(9).fill(32),
      12,
    ]);
    expect(server.atOnceMax).toBeGreaterThan(1);
    expect(server.atOnceMax).toBeLessThanOrEqual(4);
    expect(new Set(server.authorizations)).toEqual(new Set([`Bearer ${KEY}`]));
    expect(Object.keys(server.asked[0] ?? {})).toEqual(['model', 'input']);
  });

  it('cuts long texts into passages at sentences, and passes over blank ones', async () => {
    const sentence = 'The quiet sea was wide and nobody had crossed it yet. ';
    const [long, blank] = await modelAt({ passagePrefix: 'passage: ' }).embedDocuments(
      [sentence.repeat(60), ' \n'],
      LIVE,
      FREELY,
    );
    expect(blank?.count).toBe(0);
    expect(long?.count).toBeGreaterThan(2);
    const spans = [...(long?.spans ?? [])];
    for (const end of spans.filter((_, i) => i % 2 === 1)) expect(sentence.repeat(60)[end - 1]).toBe('.');
    expect(server.asked[0]?.input.every((text) => text.startsWith('passage: The quiet'))).toBe(true);
    const chinese = await modelAt().embedDocuments(['海很安静。'.repeat(200)], LIVE, FREELY);
    expect(chinese[0]?.count).toBe(4);
  });

  it('sends queries of a statement together, and remembers them', async () => {
    const model = modelAt({ queryPrefix: 'query: ', dimensions: 8 });
    const both = await Promise.all([
      model.embedQuery('one', LIVE, FREELY),
      model.embedQuery('two', LIVE, FREELY),
    ]);
    expect(both.map((vector) => vector.length)).toEqual([8, 8]);
    await model.embedQuery('one', LIVE, FREELY);
    expect(server.asked).toEqual([{ model: NAME, input: ['query: one', 'query: two'], dimensions: 8 }]);
    const long = await model.embedQuery('many words of a very long question '.repeat(200), LIVE, FREELY);
    expect(unit(long)).toBeCloseTo(1, 5);
  });

  it('tries again what may pass, no sooner than it is told', async () => {
    server.next.push(
      answers(429, '{}', { 'retry-after': '1' }),
      answers(503, 'busy'),
      answers(200, '{"data": ['),
    );
    const began = performance.now();
    await modelAt().embedDocuments(['one'], LIVE, FREELY);
    expect(performance.now() - began).toBeGreaterThan(1000);
    expect(server.asked).toHaveLength(4);
  });

  it('gives up after some tries, at once where nothing would change, and where it would have to wait long', async () => {
    server.next.push(answers(500, '{"error": {"message": "boom"}}'), answers(500, '{"error": "boom"}'));
    const failed = await failure(modelAt().embedQuery('one', LIVE, FREELY));
    expect(failed.message).toBe(`the endpoint of embedding model "${NAME}" failed: it answered 500: boom`);
    server.next.push(answers(404, JSON.stringify({ error: { message: `no model for ${KEY}` } })));
    expect((await failure(modelAt().embedQuery('one', LIVE, FREELY))).message).toContain(
      '404: no model for …',
    );
    server.next.push(answers(401, JSON.stringify({ error: { message: `wrong key ${KEY.slice(0, 8)}` } })));
    expect((await failure(modelAt().embedQuery('one', LIVE, FREELY))).message).toMatch(/it answered 401$/);
    server.next.push(answers(429, '{}', { 'retry-after': '3600' }));
    expect((await failure(modelAt().embedDocuments(['one'], LIVE, FREELY))).message).toContain(
      'asks to wait 3600 s',
    );
    expect(server.asked).toHaveLength(5);
    server.next.push(
      answers(302, '', { location: `${server.url}/elsewhere` }),
      answers(302, '', { location: '/' }),
    );
    await failure(modelAt().embedQuery('one', LIVE, FREELY));
  });

  it.each([
    ['vectors of another dimension', vectors([1, 2, 3]), 'a vector of 3 dimensions, not 64'],
    ['vectors of two dimensions', vectors([1, 2], [1, 2, 3]), 'dimensions, not'],
    ['no vector', vectors([]), 'a vector of 0 dimensions'],
    ['null', vectors([null, 1]), 'a vector without a direction'],
    [
      'a number beyond all',
      answers(200, '{"data":[{"embedding":[1e999]},{"embedding":[1]}]}'),
      'without a direction',
    ],
    ['zeros', vectors([0, 0]), 'a vector without a direction'],
    ['too few', answers(200, '{"data":[{"index":0,"embedding":[1]}]}'), '1 vectors for 2 texts'],
    [
      'one twice',
      answers(200, '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}'),
      'not numbered as the texts are',
    ],
    ['something else', answers(200, 'null'), '0 vectors for 2 texts'],
  ])('refuses %s', async (_, behaviour, reason) => {
    const model = modelAt();
    if (reason.endsWith('64')) await model.embedQuery('learns the dimension', LIVE, FREELY);
    server.next.push(behaviour);
    expect((await failure(model.embedDocuments(['one', 'two'], LIVE, FREELY))).message).toContain(reason);
    expect((await model.embedQuery('goes on', LIVE, FREELY)).length).toBe(64);
  });

  it('says so where nobody answers, and works when somebody does', async () => {
    const { port } = server;
    const model = modelAt();
    await server.close();
    expect((await failure(model.embedQuery('one', LIVE, FREELY))).message).toContain('ECONNREFUSED');
    await server.listen(port);
    expect((await model.embedQuery('one', LIVE, FREELY)).length).toBe(64);
  });

  it('gives the request up when the statement is, also while it waits for its turn or to try again', async () => {
    const model = modelAt();
    const reason = new Error('cancelled');
    const never = rightAfter(new Promise(() => undefined));
    server.next.push(...Array.from({ length: 4 }, () => never));
    const works = Array.from({ length: 6 }, () => new AbortController());
    const ended = works.map(({ signal }) =>
      expect(model.embedDocuments(['one'], signal, FREELY)).rejects.toBe(reason),
    );
    await soon(() => server.atOnce).toBe(4);
    for (const work of works.reverse()) work.abort(reason);
    await Promise.all(ended);
    await soon(() => server.givenUp).toBe(4);
    server.next.push(answers(429, '', { 'retry-after': '30' }));
    const waiting = new AbortController();
    const asked = model.embedDocuments(['one'], waiting.signal, FREELY);
    await soon(() => server.asked.length).toBe(5);
    setTimeout(() => waiting.abort(reason), 20);
    await expect(asked).rejects.toBe(reason);
    expect((await model.embedQuery('all places are free again', LIVE, FREELY)).length).toBe(64);
  });

  it('does not tell tokens, and its fingerprint is what the vectors depend on', async () => {
    await expect(modelAt().tokens()).rejects.toMatchObject({ sqlstate: '0A000' });
    const print = modelAt().fingerprint;
    expect(modelAt({ url: 'https://elsewhere', key: null, queryPrefix: 'q' }).fingerprint).toBe(print);
    expect(modelAt({ dimensions: 8 }).fingerprint).not.toBe(print);
    expect(modelAt({ passagePrefix: 'p' }).fingerprint).not.toBe(print);
  });
});

it('lets the urgent go first, and gives a place of one who left to the next', async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const first = await slots.take(false, LIVE);
  const gone = new AbortController();
  const take = (name: string, isUrgent: boolean, signal = LIVE) =>
    slots.take(isUrgent, signal).then(
      (slot) => {
        order.push(name);
        slot[Symbol.dispose]();
      },
      () => order.push(`${name} left`),
    );
  const all = [take('a', false, gone.signal), take('b', false), take('query', true)];
  gone.abort();
  first[Symbol.dispose]();
  await Promise.all(all);
  expect(order).toEqual(['a left', 'query', 'b']);
});

it('lists the models of the endpoint, and refuses the name of one that is here', async () => {
  const embedding = {
    url: server.url,
    models: [NAME],
    dimensions: null,
    queryPrefix: '',
    passagePrefix: '',
    key: null,
  };
  await using inference = await createInference({ modelsFolder: '/nowhere', threads: 1, embedding });
  expect(inference.models()).toEqual(['hash', NAME]);
  const taken = { ...embedding, models: ['hash'] };
  await expect(
    createInference({ modelsFolder: '/nowhere', threads: 1, embedding: taken }),
  ).rejects.toMatchObject({ sqlstate: 'F0000' });
});
