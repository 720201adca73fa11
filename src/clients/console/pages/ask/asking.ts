/**
 * One question under way: its facts as they come. It lives outside of the page that shows it, so that looking elsewhere meanwhile
 * loses nothing.
 */
import { useSyncExternalStore } from 'react';
import {
  CANCELLED,
  type Column,
  type Fault,
  faultOf,
  type Json,
  NOT_SIGNED_IN,
  type Row,
} from '../../server/messages.ts';
import { whenSignedIn } from '../../server/session.ts';
import { messagesOf } from '../../server/statement.ts';
import type { AnswerView, Citation, CitedBox, Fact } from './model.ts';

export interface Question {
  readonly question: string;
  readonly datasets: readonly string[];
  readonly mode: 'auto' | 'summarize';
  /** A condition on metadata; empty: none. */
  readonly filter: string;
  /** The kept answer that it follows, and its thread. */
  readonly follows: { readonly id: string; readonly thread: string } | null;
}

export interface AskingState {
  readonly view: AnswerView;
  readonly isRunning: boolean;
  readonly fault: Fault | null;
  readonly notices: readonly string[];
}

interface ToldRef {
  readonly dataset: string;
  readonly doc_id: string;
  readonly doc_name: string;
  readonly content_id: string;
  readonly content?: { readonly doc_pages?: readonly number[] };
  readonly quotes?: readonly ToldQuote[];
}

interface ToldQuote {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly boxes?: readonly CitedBox[];
}

interface ToldFact {
  readonly text: string;
  readonly refIds: readonly string[];
}

/** The last row is the id by which the answer is kept: of this statement's, whoever asks the same meanwhile. */
const ASK = `SELECT kind, update, fact, ref_ids, refs, confidence
  FROM ask($1::text, $2::text[], mode => $3::text, filter => $4::text, thread => $5::text)
  UNION ALL SELECT 'kept', quern.last_answer()::text, NULL, NULL, NULL, NULL`;

/** A name that nobody else begins a thread by. */
const newThread = (): string =>
  `console-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

export class Asking {
  readonly question: Question;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #facts: ToldFact[] = [];
  readonly #thread: string;
  #state: AskingState;

  constructor(question: Question) {
    this.question = question;
    this.#thread = question.follows?.thread ?? newThread();
    const { question: text, datasets, mode } = question;
    this.#state = {
      view: {
        id: null,
        thread: this.#thread,
        question: text,
        understood: null,
        datasets,
        mode,
        askedAt: null,
        progress: [],
        facts: [],
        confidence: null,
      },
      isRunning: true,
      fault: null,
      notices: [],
    };
    void this.#follow();
  }

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  readonly state = (): AskingState => this.#state;

  stop(): void {
    this.#ending.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    try {
      await this.#ask(signal);
    } catch (error) {
      const fault = signal.aborted ? { message: 'You stopped it.', sqlstate: CANCELLED } : faultOf(error);
      if (fault.sqlstate === NOT_SIGNED_IN) {
        // Nothing of it has run: it is asked when somebody has signed in.
        await whenSignedIn();
        await this.#follow();
        return;
      }
      this.#tell({ fault });
    }
    this.#tell({ isRunning: false });
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { question, datasets, mode, filter, follows } = this.question;
    const params = [question, datasets, mode, filter === '' ? null : filter, follows?.id ?? this.#thread];
    let columns: readonly Column[] = [];
    for await (const message of messagesOf(ASK, { params, signal })) {
      if (message.columns !== undefined) columns = message.columns;
      for (const row of message.rows ?? []) this.#take(columns, row);
      const { notice, error } = message;
      if (notice !== undefined) this.#tell({ notices: [...this.#state.notices, notice.message] });
      if (error !== undefined) this.#tell({ fault: error });
    }
  }

  #take(columns: readonly Column[], row: Row): void {
    const value = (name: string): Json => row[columns.findIndex((column) => column.name === name)] ?? null;
    const { view } = this.#state;
    switch (value('kind')) {
      case 'progress':
        this.#view({ progress: [...view.progress, String(value('update'))] });
        break;
      case 'fact': {
        const text = String(value('fact'));
        this.#facts.push({ text, refIds: (value('ref_ids') ?? []) as string[] });
        this.#view({ facts: this.#shown({}) });
        break;
      }
      case 'kept':
        // Null where nothing is kept, as of a key that only reads.
        this.#view({ id: value('update') as string | null });
        break;
      default:
        this.#view({
          confidence: Number(value('confidence') ?? 0),
          facts: this.#shown((value('refs') ?? {}) as unknown as Readonly<Record<string, ToldRef>>),
        });
    }
  }

  /** Facts with what is known of their places so far: the last row tells it. */
  #shown(refs: Readonly<Record<string, ToldRef>>): readonly Fact[] {
    return this.#facts.map(({ text, refIds }, i): Fact => {
      const citations = refIds.flatMap((id) => citationsOf(i + 1, id, refs[id]));
      return {
        number: i + 1,
        text,
        computed: text.includes('(computed)'),
        citations: citations.map((citation, at) => ({ ...citation, citation_number: at + 1 })),
      };
    });
  }

  #view(change: Partial<AnswerView>): void {
    this.#tell({ view: { ...this.#state.view, ...change } });
  }

  #tell(change: Partial<AskingState>): void {
    this.#state = { ...this.#state, ...change };
    for (const tell of this.#listeners) tell();
  }
}

function citationsOf(fact: number, id: string, ref: ToldRef | undefined): readonly Citation[] {
  const { dataset = '', doc_id = '', doc_name = '', content_id = '', content, quotes } = ref ?? {};
  const told: readonly ToldQuote[] = quotes ?? [{ text: '', start: 0, end: 0 }];
  return told.map(({ text, start, end, boxes }) => ({
    fact_number: fact,
    citation_number: 0,
    ref_id: id,
    dataset,
    doc_id,
    doc_name,
    version: 0,
    content_id,
    doc_pages: content?.doc_pages ?? [],
    quote: text,
    quote_start: start,
    quote_end: end,
    line: 0,
    boxes: boxes ?? [],
    stands: true,
    reason: null,
    current_content_id: null,
    current_doc_pages: null,
  }));
}

let current: Asking | null = null;
const listeners = new Set<() => void>();

/** The question that is asked, or was last. */
export function ask(question: Question | null): void {
  current?.stop();
  current = question === null ? null : new Asking(question);
  for (const tell of listeners) tell();
}

const NOTHING = (): null => null;
const IDLE = (): (() => void) => () => undefined;

export function useAsking(): readonly [Asking | null, AskingState | null] {
  const asking = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => current,
  );
  const state = useSyncExternalStore<AskingState | null>(asking?.subscribe ?? IDLE, asking?.state ?? NOTHING);
  return [asking, state];
}
