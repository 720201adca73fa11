/**
 * ANALYZE by statement, and by itself after enough changes: PostgreSQL's autovacuum thresholds, looked at once a
 * minute. The work is done in slices on the main thread; what it finds is kept by the engine.
 */
import { columnByName, hasRows, type Relation } from '../../catalog/model.ts';
import type { Engine } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { analyzeRelation } from '../../execute/write/analyze.ts';
import { TimeSlice } from '../../time-slice.ts';

/** autovacuum_analyze_threshold, autovacuum_analyze_scale_factor and autovacuum_naptime. */
const CHANGES_MIN = 50;
const CHANGES_SHARE = 0.1;
const NAP_MS = 60_000;

export interface AnalyzeTarget {
  readonly relation: Relation;
  /** Names of columns; null: all. */
  readonly columns: readonly string[] | null;
}

/** @throws SqlError 42703 for a column that is not there; the signal's reason. */
export async function analyze(
  engine: Engine,
  { relation, columns }: AnalyzeTarget,
  { signal, now }: { signal: AbortSignal; now: () => number },
): Promise<void> {
  const attributes = columns?.map((name) => attributeOf(relation, name)) ?? null;
  const slice = new TimeSlice(now);
  const pause = async (): Promise<void> => {
    signal.throwIfAborted();
    await slice.yieldToOthers();
  };
  using snapshot = engine.snapshot();
  const { written } = engine.statistics(relation.oid);
  const found = await analyzeRelation(snapshot, { relation, attributes, pause });
  await engine.keepAnalysis(relation.oid, { ...found, written });
}

function attributeOf(relation: Relation, name: string): number {
  const column = columnByName(relation, name);
  if (column !== undefined) return column.attribute;
  throw new SqlError('undefined_column', `column "${name}" of relation "${relation.name}" does not exist`);
}

/** Analyzes relations after enough changes, one at a time, until it is closed. */
export class AutoAnalyze implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | null = null;

  constructor(engine: Engine, { now, report }: { now: () => number; report: (error: unknown) => void }) {
    this.#engine = engine;
    this.#now = now;
    this.#report = report;
    this.#timer = setInterval(() => this.#wake(), NAP_MS).unref();
  }

  /** Resolves when every relation that has changed enough is analyzed. */
  async round(): Promise<void> {
    const { signal } = this.#closing;
    for (const relation of this.#engine.catalog().relations.values()) {
      if (signal.aborted) return;
      if (!hasRows(relation) || !hasChanged(this.#engine, relation)) continue;
      await analyze(this.#engine, { relation, columns: null }, { signal, now: this.#now });
    }
  }

  #wake(): void {
    this.#running ??= this.round()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#report(error);
      })
      .finally(() => {
        this.#running = null;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new Error('closing'));
    await this.#running;
  }
}

/** Rows written and rows gone since the last analysis. */
function hasChanged(engine: Engine, { oid }: Relation): boolean {
  const { rows, written, analysis } = engine.statistics(oid);
  const since = Math.abs(written - (analysis?.written ?? 0));
  const gone = Math.max(0, since - (rows - (analysis?.rows ?? 0)));
  return since + gone > CHANGES_MIN + CHANGES_SHARE * (analysis?.rows ?? 0);
}
