/** Baselines for search: BM25 over poppler's page text, and MiniLM over windows of it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { OnnxModel } from '../../src/inference/onnx-model.ts';
import { createAnalyser } from '../../src/language/analyse.ts';
import type { Found, Question, QuestionSet } from './page-questions.ts';

/** Pages for a question, the best first. */
export type PageSearch = (question: Question) => Promise<readonly Found[]>;

interface PageText extends Found {
  readonly text: string;
}

const RESULTS = 10;
const K1 = 1.2;
const B = 0.75;
const MODEL_FOLDER = join(import.meta.dirname, '../../models/all-minilm-l6-v2');

/** @returns null where poppler is not there. */
export function popplerPages(set: QuestionSet): readonly PageText[] | null {
  try {
    return [...set.files].flatMap(([file, path]) =>
      pdftotext(path)
        .split('\f')
        .map((text, index) => ({ file, pages: [index + 1], text }))
        .filter(({ text }) => text.trim() !== ''),
    );
  } catch {
    return null;
  }
}

const pdftotext = (path: string): string =>
  execFileSync('pdftotext', ['-enc', 'UTF-8', path, '-'], {
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();

/** The pages that a question is asked of. */
const asked = (set: QuestionSet, pages: readonly PageText[], { file }: Question): readonly PageText[] =>
  set.isPerDocument ? pages.filter((page) => page.file === file) : pages;

const best = (pages: readonly PageText[], score: (page: PageText) => number): readonly Found[] =>
  pages
    .map((page) => ({ page, score: score(page) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS)
    .map(({ page }) => page);

export function bm25(set: QuestionSet, pages: readonly PageText[]): PageSearch {
  const analyser = createAnalyser({ language: 'english' });
  const termsOf = (text: string): string[] => analyser.analyse(text).map(({ term }) => term);
  const counts = new Map(pages.map((page) => [page, countsOf(termsOf(page.text))]));
  const counted = (page: PageText): ReadonlyMap<string, number> => counts.get(page) ?? new Map();
  const lengthOf = (page: PageText): number => [...counted(page).values()].reduce((a, b) => a + b, 0);
  return async (question) => {
    const own = asked(set, pages, question);
    const average = own.reduce((sum, page) => sum + lengthOf(page), 0) / own.length;
    const weights = new Map<string, number>();
    const terms = termsOf(question.text);
    for (const term of terms) {
      const having = own.filter((page) => counted(page).has(term)).length;
      weights.set(term, Math.log(1 + (own.length - having + 0.5) / (having + 0.5)));
    }
    return best(own, (page) => {
      const norm = K1 * (1 - B + (B * lengthOf(page)) / average);
      return terms.reduce((sum, term) => {
        const count = counted(page).get(term) ?? 0;
        return sum + ((weights.get(term) ?? 0) * count) / (count + norm);
      }, 0);
    });
  };
}

function countsOf(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

export async function miniLm(set: QuestionSet, pages: readonly PageText[]): Promise<PageSearch> {
  const signal = new AbortController().signal;
  await using model = await OnnxModel.open(MODEL_FOLDER, { threads: 2, cachedBytes: 0 });
  const embedded = await model.embedDocuments(
    pages.map(({ text }) => text),
    signal,
  );
  const vectors = new Map(pages.map((page, i) => [page, embedded[i]?.vectors ?? new Float32Array()]));
  const queries = new Map<string, Float32Array>();
  for (const { text } of set.questions) queries.set(text, await model.embedQuery(text, signal));
  return async (question) => {
    const query = queries.get(question.text) ?? new Float32Array();
    return best(asked(set, pages, question), (page) => nearest(query, vectors.get(page)));
  };
}

/** The largest of the inner products with vectors that stand one after the other. */
function nearest(query: Float32Array, vectors: Float32Array = new Float32Array()): number {
  let most = -1;
  for (let from = 0; from < vectors.length; from += query.length) {
    let sum = 0;
    for (let i = 0; i < query.length; i++) sum += (query[i] as number) * (vectors[from + i] as number);
    most = Math.max(most, sum);
  }
  return most;
}
