/**
 * Rerankers: a query and texts in, a score for each text out. An HTTP endpoint in the form that Cohere, Jina, Voyage
 * and vLLM share (`POST …/rerank`), or one by words that runs here, for tests.
 */
import { SqlError } from '../errors.ts';

/** Texts in one request. */
const DOCUMENTS_MAX = 64;
const WORD = /[\p{L}\p{N}]+/gu;

export interface Reranker {
  /**
   * @returns one score a text, in their order; larger is better.
   * @throws SqlError 08006 when the endpoint does not answer as it should; the signal's reason.
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
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

export function rerankerAt(endpoint: RerankEndpoint): Reranker {
  return {
    async rerank(query, texts, signal) {
      const scores: number[] = [];
      for (let start = 0; start < texts.length; start += DOCUMENTS_MAX) {
        scores.push(...(await request(endpoint, query, texts.slice(start, start + DOCUMENTS_MAX), signal)));
      }
      return scores;
    },
  };
}

async function request(
  { url, model, key }: RerankEndpoint,
  query: string,
  documents: readonly string[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  let answer: unknown;
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ ...(model && { model }), query, documents, top_n: documents.length }),
      signal,
    });
    if (!response.ok) throw failed(`it answered ${response.status}`);
    answer = await response.json();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof SqlError ? error : failed(error instanceof Error ? error.message : String(error));
  }
  return scoresOf(answer, documents.length);
}

/** `{results: [{index, relevance_score}]}`, in any order. */
function scoresOf(answer: unknown, count: number): readonly number[] {
  const { results } = (answer ?? {}) as { results?: unknown };
  const scores = new Array<number>(count).fill(Number.NaN);
  for (const result of Array.isArray(results) ? results : []) {
    const { index, relevance_score } = (result ?? {}) as { index?: unknown; relevance_score?: unknown };
    if (typeof index === 'number' && index in scores) scores[index] = Number(relevance_score);
  }
  if (scores.some(Number.isNaN)) throw failed('its answer lacks scores');
  return scores;
}

const failed = (reason: string): SqlError =>
  new SqlError('connection_failure', `the reranker failed: ${reason}`, {
    hint: 'Check the endpoint given by --rerank-url.',
  });
