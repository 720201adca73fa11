/** Rerankers: what is sent to an endpoint and what is made of its answers. */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createInference } from './registry.ts';
import { rerankerAt, WORD_RERANKER } from './reranker.ts';

const never = new AbortController().signal;

interface Asked {
  readonly documents: readonly string[];
}

/** An endpoint that scores a text by its length, worst first. */
async function withEndpoint(
  answer: (asked: Asked) => unknown,
  use: (url: string, asked: Asked[]) => Promise<void>,
): Promise<void> {
  const requests: Asked[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const asked = JSON.parse(body) as Asked;
      requests.push(asked);
      response.end(JSON.stringify(answer(asked)));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, requests);
  } finally {
    server.close();
  }
}

it('asks an endpoint in batches and puts the scores in order', async () => {
  const byLength = ({ documents }: Asked) => ({
    results: documents.map((text, index) => ({ index, relevance_score: text.length })).reverse(),
  });
  await withEndpoint(byLength, async (url, asked) => {
    const reranker = rerankerAt({ url, model: 'm', key: 'k' });
    const texts = Array.from({ length: 100 }, (_, i) => 'x'.repeat(i));
    expect(await reranker.rerank('q', texts, never, FREELY)).toEqual(texts.map((text) => text.length));
    expect(asked.map(({ documents }) => documents.length)).toEqual([64, 36]);
  });
});

it('refuses an answer without scores', async () => {
  await withEndpoint(
    () => ({ results: [] }),
    async (url) => {
      const reranker = rerankerAt({ url, model: null, key: null });
      await expect(reranker.rerank('q', ['a'], never, FREELY)).rejects.toMatchObject({ sqlstate: '58000' });
    },
  );
});

it('ends with the reason of the one who cancels', async () => {
  const reason = new Error('cancelled');
  const reranker = rerankerAt({ url: 'http://127.0.0.1:9', model: null, key: null });
  await expect(reranker.rerank('q', ['a'], AbortSignal.abort(reason), FREELY)).rejects.toBe(reason);
});

it('counts words without an endpoint', async () => {
  expect(await WORD_RERANKER.rerank('quiet sea', ['the Sea', 'a quiet sea', ''], never, FREELY)).toEqual([
    0.5, 1, 0,
  ]);
});

it('says that none is configured', async () => {
  await using inference = await createInference({ modelsFolder: '/nowhere', threads: 1 });
  expect(() => inference.reranker()).toThrow('no reranker is configured');
});
