/** Scores of single questions, and the figures of all of them. Pure: `docs/evaluation.md` says what each figure is. */
import { answerPlace } from './answer-match.ts';
import { EVALUATION_RANKS_KEPT } from '../../limits.ts';
import { type Expected, type Judged, judge, mean, percentile } from './metrics.ts';
import type { Configuration } from './configurations.ts';
import { expectedOf, key, keyOf, kindOfKey, type Question } from './question.ts';
import type { METRIC_COLUMNS } from './relations.ts';

/** One result of a search, or one thing that is cited. */
export interface Shown {
  /** Keys of all that it stands for. */
  readonly keys: readonly string[];
  /** As it is kept for users to look at. */
  readonly told: Readonly<Record<string, unknown>>;
}

export interface CitedContent {
  readonly dataset: string;
  readonly doc_id: string;
  readonly content_id: string;
  readonly pages: readonly number[];
}

export interface GivenFact {
  readonly fact: string;
  readonly cited: readonly CitedContent[];
}

/** Results that were found, or answered. */
export type Given =
  | { readonly kind: 'search'; readonly results: readonly Shown[] }
  | { readonly kind: 'ask'; readonly facts: readonly GivenFact[]; readonly confidence: number };

/** Columns of `quern.evaluation_results`. */
export interface Scored {
  readonly error: string | null;
  readonly ms: number;
  readonly rank: number | null;
  readonly recall: number | null;
  readonly precision: number | null;
  readonly ndcg: number | null;
  readonly reciprocal_rank: number | null;
  readonly facts: number | null;
  readonly confidence: number | null;
  readonly answer_rank: number | null;
  readonly cited: number | null;
  readonly cited_expected: number | null;
  readonly found: readonly unknown[];
}

type Judgeable = Pick<Configuration, 'kind' | 'topK' | 'facts'>;

/** @param given an error's message where nothing was given: nothing was found then. */
export function scored(
  question: Question,
  given: Given | string,
  { kind, topK, facts, ms }: Judgeable & { readonly ms: number },
): Scored {
  const expected = expectedOf(question);
  const error = typeof given === 'string' ? given : null;
  if (kind === 'search') {
    const results = typeof given !== 'string' && given.kind === 'search' ? given.results : [];
    return { ...NOTHING, error, ms, ...ofSearch(expected, results, topK) };
  }
  const answer = typeof given !== 'string' && given.kind === 'ask' ? given : { facts: [], confidence: 0 };
  return { ...NOTHING, error, ms, ...ofAnswer(question, expected, { ...answer, topK, factsMax: facts }) };
}

const NOTHING = {
  rank: null,
  recall: null,
  precision: null,
  ndcg: null,
  reciprocal_rank: null,
  facts: null,
  confidence: null,
  answer_rank: null,
  cited: null,
  cited_expected: null,
} as const;

function ofSearch(expected: Expected, results: readonly Shown[], topK: number): Partial<Scored> & FoundPart {
  const judged = judgedOf(expected, results, topK);
  const found = results.slice(0, Math.min(topK, EVALUATION_RANKS_KEPT)).map(({ told }, i) => ({
    rank: i + 1,
    ...told,
    ...(judged !== null && { relevance: judged.relevances[i] ?? 0 }),
  }));
  if (judged === null) return { found };
  const { rank, recall, relevantCount, ndcg, reciprocalRank } = judged;
  return { found, rank, recall, precision: relevantCount / topK, ndcg, reciprocal_rank: reciprocalRank };
}

type FoundPart = Pick<Scored, 'found'>;

const judgedOf = (expected: Expected, shown: readonly Shown[], k: number): Judged | null =>
  expected.size === 0
    ? null
    : judge(
        expected,
        shown.map(({ keys }) => keys),
        k,
      );

interface Answered {
  readonly facts: readonly GivenFact[];
  readonly confidence: number;
  readonly topK: number;
  readonly factsMax: number;
}

function ofAnswer(
  { answers, expected: items }: Question,
  expected: Expected,
  { facts, confidence, topK, factsMax }: Answered,
): Partial<Scored> & FoundPart {
  const byContent = items.some(({ content_id }) => content_id !== undefined);
  const cited = citedOf(facts, byContent).slice(0, topK);
  const judged = judgedOf(expected, cited, topK);
  const texts = facts.slice(0, factsMax).map(({ fact }) => fact);
  const found = facts.map(({ fact, cited: contents }) => ({
    fact,
    ...(answers.length > 0 && { answer: answerPlace([fact], answers) !== null }),
    cited: contents.map((content) => ({
      ...content,
      ...(judged !== null && {
        expected: citedOf([{ fact, cited: [content] }], byContent).some(isIn(expected)),
      }),
    })),
  }));
  return {
    found,
    facts: facts.length,
    confidence: facts.length === 0 ? null : confidence,
    answer_rank: answers.length === 0 ? null : answerPlace(texts, answers),
    cited: cited.length,
    ...(judged !== null && {
      rank: judged.rank,
      recall: judged.recall,
      precision: cited.length === 0 ? null : judged.relevantCount / cited.length,
      reciprocal_rank: judged.reciprocalRank,
      cited_expected: judged.relevantCount,
    }),
  };
}

const isIn =
  (expected: Expected) =>
  ({ keys }: Shown): boolean =>
    keys.some((one) => expected.has(one));

/** Citations of facts in their order, each once: pages, or contents where these are expected or have no pages. */
function citedOf(facts: readonly GivenFact[], byContent: boolean): readonly Shown[] {
  const cited = new Map<string, Shown>();
  for (const content of facts.flatMap((fact) => fact.cited)) {
    const { dataset, doc_id, content_id, pages } = content;
    const keys = [key.document(doc_id), key.content(content_id)];
    const shown: readonly Shown[] =
      byContent || pages.length === 0
        ? [{ keys, told: {} }]
        : pages.map((page) => ({ keys: [key.page(doc_id, page), ...keys], told: {} }));
    for (const one of shown) {
      const known = `${dataset}\n${byContent || pages.length === 0 ? content_id : one.keys[0]}`;
      if (!cited.has(known)) cited.set(known, one);
    }
  }
  return [...cited.values()];
}

export type Metrics = { readonly [Name in keyof typeof METRIC_COLUMNS]?: number | null };

const rounded = (value: number | null, digits = 4): number | null =>
  value === null || Number.isNaN(value) ? null : Math.round(value * 10 ** digits) / 10 ** digits;

/** Kinds of keys: those that were expected, and those that results stood for. */
export interface Kinds {
  readonly expected: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
}

/** Adds up what came of the questions of a run. Holds some numbers of each. */
export class Totals implements Kinds {
  readonly expected = new Set<string>();
  readonly shown = new Set<string>();
  readonly #ms: number[] = [];
  readonly #values = new Map<string, number[]>();
  #judged = 0;
  errors = 0;

  get done(): number {
    return this.#ms.length;
  }

  add(question: Question, result: Scored): void {
    this.#ms.push(result.ms);
    if (result.error !== null) this.errors++;
    if (question.expected.length > 0) {
      this.#judged++;
      this.#count('hit', result.rank === null ? 0 : 1);
      for (const name of ['recall', 'precision', 'ndcg', 'reciprocal_rank'] as const)
        this.#count(name, result[name]);
    }
    if (result.facts === null) return;
    if (question.answers.length > 0) this.#count('answer_match', result.answer_rank === null ? 0 : 1);
    if (question.answerable) this.#count('answered', result.facts > 0 ? 1 : 0);
    else this.#count('abstained', result.facts === 0 && result.error === null ? 1 : 0);
    this.#count('confidence', result.confidence);
  }

  compare({ expected }: Question, given: Given): void {
    for (const item of expected) this.expected.add(kindOfKey(keyOf(item)));
    const results = given.kind === 'search' ? given.results : citedOf(given.facts, false);
    for (const one of results.flatMap(({ keys }) => keys)) this.shown.add(kindOfKey(one));
  }

  metrics(kind: Configuration['kind']): Metrics {
    const of = (name: string, digits?: number): number | null =>
      rounded(mean(this.#values.get(name) ?? []), digits);
    const times = {
      p50_ms: rounded(percentile(this.#ms, 0.5), 1),
      p95_ms: rounded(percentile(this.#ms, 0.95), 1),
    };
    const common = { judged: this.#judged, hit: of('hit'), ...times };
    if (kind === 'search') {
      const ranked = { recall: of('recall'), precision: of('precision'), ndcg: of('ndcg') };
      return { ...common, ...ranked, mrr: of('reciprocal_rank') };
    }
    return {
      ...common,
      citation_precision: of('precision'),
      citation_recall: of('recall'),
      answer_match: of('answer_match'),
      answered: of('answered'),
      abstained: of('abstained'),
      confidence: of('confidence', 1),
    };
  }

  /** @param value null: it does not count. */
  #count(name: string, value: number | null): void {
    if (value === null) return;
    const values = this.#values.get(name) ?? [];
    if (values.length === 0) this.#values.set(name, values);
    values.push(value);
  }
}
