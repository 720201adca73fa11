/**
 * Rerankers: a query and texts in, a score for each text out. An HTTP endpoint in the form that Cohere, Jina, Voyage
 * and vLLM share (`POST …/rerank`), or one by words that runs here, for tests.
 */
import { askEndpoint, endpointFailed, type JsonEndpoint } from './json-endpoint.ts';
import type { Sender } from './sender.ts';

/** Texts in one request. */
const DOCUMENTS_MAX = 64;
/** Somebody waits for the answer. */
const ATTEMPTS_MAX = 2;
const WORD = /[\p{L}\p{N}]+/gu;

export interface Reranker {
  /**
   * @returns one score a text, in their order; larger is better.
   * @throws SqlError 42501 where they may not go outside, 58000 when the endpoint does not answer as it should; the signal's reason.
   */
  rerank(
    query: string,
    texts: readonly string[],
    signal: AbortSignal,
    sender: Sender,
  ): Promise<readonly number[]>;
}

export interface RerankEndpoint {
  /** Without `/rerank` at the end. */
  readonly url: string;
  readonly model: string | null;
  readonly key: string | null;
}

/** The share of the query's words that the text has. */
export const WORD_RERANKER: Reranker = {
  async rerank(query, texts, signal) {
    signal.throwIfAborted();
    const words = wordsOf(query);
    return texts.map((text) => {
      const known = wordsOf(text);
      return words.size === 0 ? 0 : words.intersection(known).size / words.size;
    });
  },
};

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(WORD) ?? []);

export function rerankerAt({ url, model, key }: RerankEndpoint): Reranker {
  const endpoint: JsonEndpoint = { what: 'the reranker', flag: '--rerank-url', url, key };
  return {
    async rerank(query, texts, signal, sender) {
      const scores: number[] = [];
      for (let start = 0; start < texts.length; start += DOCUMENTS_MAX) {
        const documents = texts.slice(start, start + DOCUMENTS_MAX);
        const body = { ...(model && { model }), query, documents, top_n: documents.length };
        const asked = {
          purpose: 'rerank',
          path: '/rerank',
          body,
          attempts: ATTEMPTS_MAX,
          signal,
          sender,
        } as const;
        const answer = await askEndpoint(endpoint, asked);
        const given = scoresOf(answer, documents.length);
        if (given === null) throw endpointFailed(endpoint, 'its answer lacks scores');
        scores.push(...given);
      }
      return scores;
    },
  };
}

/** `{results: [{index, relevance_score}]}`, in any order; null where one is missing. */
function scoresOf(answer: unknown, count: number): readonly number[] | null {
  const { results } = (answer ?? {}) as { results?: unknown };
  const scores = new Array<number>(count).fill(Number.NaN);
  for (const result of Array.isArray(results) ? results : []) {
    const { index, relevance_score } = (result ?? {}) as { index?: unknown; relevance_score?: unknown };
    if (typeof index === 'number' && index in scores) scores[index] = Number(relevance_score);
  }
  return scores.some(Number.isNaN) ? null : scores;
}
