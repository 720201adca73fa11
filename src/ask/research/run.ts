/**
 * One run from what is stored of it to its end: `ask` in a loop over the questions of its plan, the first of them as it
 * was asked; then what contradicts, and the answer. Each step is a transaction; a run that was broken off anywhere goes
 * on with the step that is not there, and ends alike.
 */
import { vocabularyFor } from '../vocabulary.ts';
import { SqlError } from '../../errors.ts';
import type { AskRequest, AskRow } from '../../functions/services.ts';
import { counted } from '../../session/datasets/pending.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Query, ServerSession } from '../../session/server-session.ts';
import { documentKey, type Fact } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import { type FoundWithCells, foundFor } from '../cells/found.ts';
import { CellsOfChunks } from '../cells/stored-cells.ts';
import { properNames } from '../naming/proper-names.ts';
import { noDocumentOf } from '../why-nothing.ts';
import { Contents } from '../support.ts';
import { Turns } from '../turns.ts';
import type { Sender } from '../../inference/sender.ts';
import type { Writer } from '../writer.ts';
import { knownDocuments } from './known-documents.ts';
import { type Kept, look, type Looked } from './look.ts';
import { planOf } from './plan.ts';
import type { KnownDocuments } from './scope.ts';
import { restored, type StoredFact, storedOf } from './stored-fact.ts';
import { type NewStep, type Step, StepLog, type StepWriter } from './steps.ts';
import { noteDocuments } from './run-documents.ts';
import { readSubQuestion, type SubQuestion } from './sub-question.ts';
import { type Concluded, conclude, contradictionsOf, type KeptFact, type Written } from './synthesis.ts';
import { writtenPlan } from './written-plan.ts';

/** A run's request, as it is stored. */
export interface Run extends Pick<AskRequest, 'question' | 'datasets' | 'filter'> {
  readonly id: string;
  /** Attempts with this one. */
  readonly attempt: number;
  readonly questionsMax: number;
  readonly searchesMax: number;
  readonly timeMaxMs: number;
}

export interface RunHost {
  readonly reader: Reader;
  /** Null: the plan is made of the question's words, and facts are sentences and cells as they stand. */
  readonly writer: Writer | null;
  nowMs(): number;
  /** After each commit. */
  told(id: string): void;
  /** Within the transaction that ends the run. */
  finish(query: Query, run: Run, concluded: Concluded): Promise<void>;
}

/** The most rejected passages of a search that are told. */
const REJECTED_TOLD_MAX = 12;
/** Facts that a language model writes. */
const WRITTEN_FACTS_MAX = 20;
/** A document that changes under every search is looked at so often. */
const LOOKS_MAX = 3;

/** Detail of a search that has ended. */
interface SearchDetail {
  readonly searches: number;
  readonly ms: number;
  readonly confidence: number;
  /** Names of the question that no document carries. */
  readonly missing: readonly string[];
  /** Set where its kept facts stand no longer: another one looks. */
  readonly again?: true;
}

export class ResearchRun {
  readonly #run: Run;
  readonly #host: RunHost;
  readonly #signal: AbortSignal;
  readonly #asker: ServerSession;
  readonly #sender: Sender;
  readonly #log: StepLog;
  #question: Question;

  /** @param sessions who writes its steps; who reads, as whoever began it. */
  constructor(
    run: Run,
    host: RunHost,
    sessions: { readonly server: ServerSession; readonly asker: ServerSession },
    signal: AbortSignal,
  ) {
    this.#run = run;
    this.#host = host;
    this.#signal = signal;
    this.#asker = sessions.asker;
    this.#sender = sessions.asker.sender(run.datasets.map(({ dataset }) => dataset));
    this.#log = new StepLog(run, sessions.server, signal, () => host.told(run.id));
    this.#question = host.reader.read(run.question);
  }

  #refusal(): string | null {
    return this.#host.writer?.refusal(this.#sender) ?? null;
  }

  /** @throws SqlError of what was searched; Withdrawn; the signal's reason. */
  async whole(): Promise<void> {
    await this.#log.read();
    const vocabulary = await this.#read((query) =>
      vocabularyFor(query, this.#run.question, this.#run.datasets),
    );
    this.#question = this.#host.reader.read(this.#run.question, undefined, vocabulary);
    if (this.#question.terms.length > 0 || this.#question.years.length > 0) {
      if (this.#log.of('plan').length === 0) await this.#plan();
      do {
        for (const plan of this.#log.of('plan')) if (!this.#isLookedAt(plan)) await this.#look(plan);
      } while (await this.#hasLost());
    }
    await this.#conclude();
  }

  /** Reads as the asker does, with its rights and policies of now. */
  #read<Result>(work: (query: Query) => Promise<Result>, signal = this.#signal): Promise<Result> {
    return this.#asker.transaction(work, signal);
  }

  async #plan(): Promise<void> {
    const { datasets, questionsMax } = this.#run;
    const known = await this.#read((query) => knownDocuments(query, datasets, new Turns(this.#signal)));
    const own = planOf(this.#question, known, questionsMax);
    const subs = await this.#writtenPlan(own, known);
    await this.#log.write((log) =>
      log.add(
        subs.map((sub) => ({ kind: 'plan', question: sub.text, text: ORIGINS[sub.origin], detail: sub })),
      ),
    );
  }

  /** A model's plan of the question, in the place of what its words are taken apart to. */
  async #writtenPlan(own: readonly SubQuestion[], known: KnownDocuments): Promise<readonly SubQuestion[]> {
    const { writer, reader } = this.#host;
    const max = this.#run.questionsMax - 1;
    if (writer === null || max < 1 || this.#refusal() !== null) return own;
    try {
      const request = { question: this.#question, known, reader, max };
      const parts = await writtenPlan(writer, request, this.#signal, this.#sender);
      return [...own.filter(({ origin }) => origin === 'whole'), ...parts];
    } catch {
      // The plan of the question's words is as good; what failed stands in quern.inference_log.
      this.#signal.throwIfAborted();
      return own;
    }
  }

  #searches(plan: Step): readonly Step[] {
    return this.#log.of('search', plan.step);
  }

  #isLookedAt(plan: Step): boolean {
    const last = this.#searches(plan).at(-1);
    return last?.isFinished === true && detailOf(last).again === undefined;
  }

  async #look(plan: Step): Promise<void> {
    const sub = plan.detail as SubQuestion;
    const question = sub.text;
    const spent = this.#spent();
    const over = this.#over(spent);
    if (over !== null) {
      const detail: SearchDetail = { searches: 0, ms: 0, confidence: 0, missing: [] };
      const search = { kind: 'search', parent: plan.step, question, text: 'Not searched.', detail } as const;
      await this.#log.write((log) =>
        log.add([search, { kind: 'gap', parent: plan.step, question, reason: over }]),
      );
      return;
    }
    if (this.#searches(plan).at(-1)?.isFinished !== false)
      await this.#log.write((log) =>
        log.add([{ kind: 'search', parent: plan.step, question, isUnderWay: true }]),
      );
    const search = this.#searches(plan).at(-1) as Step;
    const began = this.#host.nowMs();
    const found = await this.#found(sub, this.#run.timeMaxMs - spent.ms);
    const detail = {
      searches: found?.searchCount ?? 0,
      ms: Math.round(this.#host.nowMs() - began),
      confidence: found?.looked.confidence ?? 0,
      missing: found?.missing ?? [],
    } satisfies SearchDetail;
    await this.#log.write(async (log) => {
      await log.finish(search.step, found?.text ?? 'The time is over.', detail);
      const steps = found === null ? [gap(search, TIME_OVER)] : stepsOf(search, found);
      await log.add(steps);
      await noteDocuments(log.query, this.#run.id, steps);
    });
  }

  #spent(): Pick<SearchDetail, 'ms' | 'searches'> {
    const details = this.#log.of('search').flatMap((step) => (step.isFinished ? [detailOf(step)] : []));
    const sum = (of: (detail: SearchDetail) => number): number =>
      details.reduce((total, detail) => total + of(detail), 0);
    return { ms: sum(({ ms }) => ms), searches: sum(({ searches }) => searches) };
  }

  #over({ ms, searches }: Pick<SearchDetail, 'ms' | 'searches'>): string | null {
    if (searches >= this.#run.searchesMax)
      return `the bound of ${this.#run.searchesMax} searches (quern.research_searches) is reached`;
    return ms >= this.#run.timeMaxMs ? TIME_OVER : null;
  }

  /** Null when the time that is left is over. */
  async #found(sub: SubQuestion, leftMs: number): Promise<Found | null> {
    const timeout = AbortSignal.timeout(Math.max(1, leftMs));
    const signal = AbortSignal.any([this.#signal, timeout]);
    const { reader } = this.#host;
    const question = sub.origin === 'whole' ? this.#question : readSubQuestion(sub, this.#question, reader);
    try {
      const known = this.#keptFacts().map(({ stored }) => asKept(stored));
      const { found, looked } = await this.#read(async (query) => {
        const all = await this.#passages(sub, question, query);
        const isComputable = all.missing.length === 0;
        return {
          found: all,
          looked: await look({ sub, question, found: all, reader, known, isComputable, signal }),
        };
      }, signal);
      const { passages, searchCount, missing } = found;
      const documents = new Set(passages.map(documentKey)).size;
      const nobody = missing.length === 0 ? null : noDocumentOf(missing, this.#run);
      const text =
        passages.length === 0 && nobody !== null ? nobody : summaryOf(looked, passages.length, documents);
      return { searchCount, looked, missing, nobody, text };
    } catch (error) {
      this.#signal.throwIfAborted();
      if (timeout.aborted) return null;
      throw await this.#asGone(error);
    }
  }

  /** None for a part that names nobody, of a question about somebody of whom no document is. */
  async #passages(sub: SubQuestion, question: Question, query: Query): Promise<FoundWithCells> {
    const missing = this.#missing();
    const isAboutThem = sub.origin !== 'whole' && missing.length > 0 && properNames(question).length === 0;
    if (!isAboutThem) return foundFor(query, question, this.#run);
    return {
      ...{ passages: [], cells: new CellsOfChunks(), searchCount: 0, missing, bystanders: [] },
      similar: () => Promise.resolve(null),
    };
  }

  /** Names of the question as it was asked that no document carries. */
  #missing(): readonly string[] {
    const whole = this.#log.of('plan').find(({ detail }) => (detail as SubQuestion).origin === 'whole');
    const last = whole === undefined ? undefined : this.#searches(whole).at(-1);
    return last?.isFinished === true ? detailOf(last).missing : [];
  }

  /** One of the datasets may have been dropped meanwhile. */
  async #asGone(error: unknown): Promise<unknown> {
    for (const { dataset } of this.#run.datasets) {
      const sql = `SELECT 1 AS found FROM ${datasetSchema(dataset)}.documents LIMIT 1`;
      try {
        await this.#read((query) => query(sql));
      } catch (failed) {
        this.#signal.throwIfAborted();
        // One that is there, and may not be read any more, has not gone.
        if (!(failed instanceof SqlError) || !GONE.has(failed.condition)) return failed;
        return new SqlError('undefined_object', `dataset "${dataset}" does not exist`, {
          routine: 'dataset_not_found',
        });
      }
    }
    return error;
  }

  /** Facts that answer the questions, in the order of the plan: also those that say again what another one has said. */
  #keptFacts(): readonly KeptStep[] {
    return this.#log.of('plan').flatMap((plan) =>
      this.#searches(plan)
        .slice(-1)
        .flatMap((search) =>
          [...this.#log.of('keep', search.step), ...this.#log.of('reject', search.step)]
            .filter(({ kind, reason }) => kind === 'keep' || reason === SAID_ALREADY)
            .flatMap((step) =>
              step.detail === null ? [] : [{ plan, search, step, stored: step.detail as StoredFact }],
            ),
        ),
    );
  }

  /** Drops the facts of a document that has changed since, and asks anew what they answered. @returns whether there is such. */
  async #hasLost(): Promise<boolean> {
    const kept = this.#keptFacts();
    const facts = await this.#restored(kept);
    const lost = kept.filter((_, i) => facts[i] === null);
    if (lost.length === 0) return false;
    const again = [...new Set(lost.map(({ plan }) => plan))]
      .filter((plan) => this.#searches(plan).length < LOOKS_MAX)
      .flatMap((plan) => this.#searches(plan).slice(-1));
    await this.#log.write(async (log) => {
      for (const one of kept) {
        if (lost.includes(one)) await log.reject(one.step.step, 'document changed');
        else if (again.includes(one.search)) await log.reject(one.step.step, 'looked for again');
      }
      for (const search of again) {
        const detail: SearchDetail = { ...detailOf(search), again: true };
        await log.finish(search.step, search.text ?? '', detail);
      }
    });
    return again.length > 0;
  }

  async #restored(kept: readonly KeptStep[]): Promise<readonly (Fact | null)[]> {
    const stored = kept.map((one) => one.stored);
    try {
      return await this.#read((query) => restored(query, stored, new Contents()));
    } catch (error) {
      this.#signal.throwIfAborted();
      throw await this.#asGone(error);
    }
  }

  async #conclude(): Promise<void> {
    const kept = this.#keptFacts();
    const facts = await this.#restored(kept);
    const standing = kept.flatMap(({ stored, plan }, i): readonly KeptFact[] => {
      const fact = facts[i];
      return fact == null ? [] : [{ ...asKept(stored), fact, sub: plan.detail as SubQuestion }];
    });
    const contradictions = contradictionsOf(standing);
    if (this.#log.of('synthesis').length === 0) {
      await this.#log.write((log) =>
        log.add([
          ...contradictions.told.map((text) => ({ kind: 'contradiction', text }) as const),
          { kind: 'synthesis', text: '', isUnderWay: true },
        ]),
      );
    }
    const asked = this.#log.of('plan').map((plan) => {
      const last = this.#searches(plan).at(-1);
      const confidence = last === undefined ? 0 : detailOf(last).confidence;
      return { sub: plan.detail as SubQuestion, confidence };
    });
    const { written, told } = await this.#written(standing.map(({ fact }) => fact));
    const hasEvidence = this.#log.of('keep').length + this.#log.of('reject').length > 0;
    const concluded = await this.#read((query) =>
      conclude(query, {
        run: this.#run,
        missing: this.#missing(),
        asked,
        facts: standing,
        contradictions,
        hasEvidence,
        written,
      }),
    );
    await this.#log.write((log) => this.#finish(log, concluded, told));
  }

  /** Writes over the passages of the kept facts. @returns besides, what became of it in words. */
  async #written(
    facts: readonly Fact[],
  ): Promise<{ readonly written: Written | null; readonly told: string }> {
    const { writer, reader } = this.#host;
    if (writer === null || facts.length === 0) return { written: null, told: '' };
    const refusal = this.#refusal();
    if (refusal !== null) return { written: null, told: `; ${refusal}: facts are given as they stand` };
    const cited = facts.flatMap(({ citations }) => citations);
    const score = Math.max(...facts.map((fact) => fact.score));
    const passages = writer.passagesToRead([
      ...new Map(cited.map((one) => [one.passage.text, one])).values(),
    ]);
    const request = { question: this.#question, passages, factsMax: WRITTEN_FACTS_MAX, reader, score };
    try {
      const made = await writer.facts({ ...request, contents: new Contents() }, this.#signal, this.#sender);
      if (made.facts.length === 0)
        return { written: null, told: `; language model "${writer.name}" wrote none` };
      const told = `; language model "${writer.name}" wrote ${made.facts.length}`;
      return { written: { facts: made.facts, model: writer.name }, told };
    } catch (error) {
      this.#signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      return { written: null, told: `; the model failed: ${why}, facts are given as they stand` };
    }
  }

  async #finish(log: StepWriter, concluded: Concluded, told: string): Promise<void> {
    const [synthesis] = this.#log.of('synthesis');
    const given = concluded.rows.filter(({ kind }: AskRow) => kind === 'fact').length;
    if (synthesis !== undefined) await log.finish(synthesis.step, `${counted(given, 'fact')}${told}`, null);
    await this.#host.finish(log.query, this.#run, concluded);
  }
}

interface Found {
  readonly searchCount: number;
  readonly looked: Looked;
  readonly missing: readonly string[];
  /** Says whom the sub-question is about and no document; null where all are carried. */
  readonly nobody: string | null;
  readonly text: string;
}

interface KeptStep {
  readonly plan: Step;
  readonly search: Step;
  readonly step: Step;
  readonly stored: StoredFact;
}

const GONE: ReadonlySet<SqlError['condition']> = new Set(['undefined_table', 'invalid_schema_name']);

/** Reason of what answers a question as another one has been answered: it is cited beside. */
const SAID_ALREADY = 'duplicate';
const TIME_OVER = 'the time for searching (quern.research_timeout) is over';

const ORIGINS = {
  part: 'a part of the question',
  whole: 'the question as it is',
  aspect: 'an aspect that the question does not name',
} as const;

const detailOf = ({ detail }: Step): SearchDetail => detail as SearchDetail;

/** For telling what says the same; its quotes are placed when it is restored. */
const asKept = ({ text, score, isComputed, sameAs, citations, ...kept }: StoredFact): Kept => ({
  ...kept,
  fact: {
    ...{ text, score, isComputed, sameAs },
    citations: citations.map(({ passage }) => ({ passage: { ...passage, text: '' }, quotes: [] })),
  },
});

const gap = ({ parent, question }: Step, reason: string): NewStep => ({
  kind: 'gap',
  reason,
  ...(parent !== null && { parent }),
  ...(question !== null && { question }),
});

function stepsOf(search: Step, { looked, nobody }: Found): readonly NewStep[] {
  const { kept, rejected } = looked;
  const of = { parent: search.step, ...(search.question !== null && { question: search.question }) };
  const keeps = kept.map((one): NewStep => {
    const [citation] = one.fact.citations;
    const place = citation === undefined ? {} : placeOf(citation.passage);
    const { text, score } = one.fact;
    const said = one.isSaid
      ? ({ kind: 'reject', reason: SAID_ALREADY } as const)
      : ({ kind: 'keep' } as const);
    return { ...said, ...of, ...place, text, score, detail: storedOf(one) };
  });
  const rejects = rejected.slice(0, REJECTED_TOLD_MAX).map(
    ({ text, reason, passage, score }): NewStep => ({
      ...{ kind: 'reject', ...of, ...placeOf(passage), text, reason, score },
    }),
  );
  const isGap = kept.length === 0;
  return [...keeps, ...rejects, ...(isGap ? [gap(search, nobody ?? whyGap(rejected))] : [])];
}

const placeOf = (passage: { dataset: string; docId: string; contentId: string }) => ({
  dataset: passage.dataset,
  doc_id: passage.docId,
  content_id: passage.contentId,
});

function whyGap(rejected: Looked['rejected']): string {
  if (rejected.length === 0) return 'nothing was found';
  return `nothing that was found answers it: ${countsOf(rejected)}`;
}

function summaryOf({ kept, rejected }: Looked, passages: number, documents: number): string {
  const told = rejected.length === 0 ? '' : `; rejected ${rejected.length}: ${countsOf(rejected)}`;
  const read = `${counted(passages, 'passage')} of ${counted(documents, 'document')}`;
  const said = kept.filter(({ isSaid }) => isSaid === true).length;
  const again = said === 0 ? '' : ` and ${said} that another question has`;
  return `${read}: kept ${kept.length - said}${again}${told}`;
}

/** `3 too weak, 2 of another year`. */
function countsOf(rejected: Looked['rejected']): string {
  const counts = Map.groupBy(rejected, ({ reason }) => reason);
  return [...counts]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([reason, all]) => `${all.length} ${reason}`)
    .join(', ');
}
