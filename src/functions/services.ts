/**
 * What functions ask of the session that calls them, beside its settings and its catalog; implemented in
 * `session/running/`. A call made by a helper process has none of it (`CallContext` in `function.ts`).
 */
import type { Datum } from '../types/datum.ts';

export interface SessionServices {
  readonly session: SessionAdministration;
  readonly sequences: SequenceServices;
  readonly advisoryLocks: AdvisoryLockServices;
  readonly inference: InferenceServices;
}

interface SessionAdministration {
  /** LSN of this session's last write: the largest where it wrote several collections. */
  lastLsn(): string | null;
  /** Newest LSN of a collection or partition (`books`, `books$acme`); null when it is not there. */
  lsn(name: string): string | null;
  /** Random numbers of the session begin anew. @param seed from -1 to 1. */
  seed(seed: number): void;
  /** @throws SqlError 22023. */
  notify(channel: string, payload: string): void;
  listeningChannels(): readonly string[];
  /** @returns false when there is no such session. */
  cancelStatement(processId: number): boolean;
  terminate(processId: number): boolean;
  startedMicros(): bigint;
  /** The sessions that a session waits for. */
  blockers(processId: number): readonly number[];
  /** Rejects with the signal's reason. */
  sleep(seconds: number, signal: AbortSignal): Promise<void>;
  /** Compares an index with exact search: jsonb. @throws SqlError 42P01, 42703, 42704, 22023. */
  checkRecall(request: RecallRequest, signal: AbortSignal): Promise<Datum>;
}

export interface RecallRequest {
  readonly relation: string;
  readonly column: string;
  /** SQL text of a condition. */
  readonly filter: string | null;
  readonly k: number;
  /** Stored values that are asked for. */
  readonly sample: number;
}

/** Sequences by OID. All throw SqlError 42P01 and 42809 for what is none, but for `isCalled`. */
interface SequenceServices {
  /** @throws SqlError 2200H, 25006. */
  next(sequence: number): bigint;
  /** What this session took last. @throws SqlError 55000 before it took one. */
  current(sequence: number): bigint;
  /** What this session took last of any sequence. @throws SqlError 55000. */
  last(): bigint;
  /** @param called whether `last` has been taken, or is the one to take next. @throws SqlError 22003, 25006. */
  set(sequence: number, last: bigint, called: boolean): bigint;
  lastValue(sequence: number): bigint;
  isCalled(sequence: number): boolean;
  /** The sequence of a serial or identity column as SQL names it. @throws SqlError 42P01, 42703. */
  ownedBy(table: string, column: string): string | null;
}

/** One bigint or two integers. */
export type AdvisoryLockKey = readonly [bigint] | readonly [number, number];

export interface AdvisoryLockForm {
  readonly mode: 'exclusive' | 'share';
  readonly until: 'session' | 'transaction';
}

interface AdvisoryLockServices {
  /** @throws SqlError 40P01, 55P03; rejects with the signal's reason. */
  lock(key: AdvisoryLockKey, form: AdvisoryLockForm, signal: AbortSignal): Promise<void>;
  /** @returns false when it is not to be had at once. */
  tryLock(key: AdvisoryLockKey, form: AdvisoryLockForm): boolean;
  /** @returns false, with a warning, when the session has none. */
  unlock(key: AdvisoryLockKey, mode: AdvisoryLockForm['mode']): boolean;
  unlockAll(): void;
}

/** As many results as texts, in their order. */
interface InferenceServices {
  /** Vectors of unit length, as the model embeds queries. @param model null: the setting quern.embedding_model. */
  embed(
    texts: readonly string[],
    model: string | null,
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]>;
  /** @throws SqlError 54000 for a text that is too long. */
  tokens(
    texts: readonly string[],
    model: string | null,
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]>;
  /** How well each text answers the query; larger is better. */
  rerank(texts: readonly string[], query: string, signal: AbortSignal): Promise<readonly number[]>;
}
