/**
 * One import under way. Rows go in batches; a batch that is refused is sent again without the rows that the
 * server named, or halved until the one at fault stands alone: what is right is stored whatever is wrong
 * beside it. A server that is away, or a session that is over, stops it where it is, and it goes on from
 * there.
 */
import { type Fault, faultOf, NOT_REACHED, NOT_SIGNED_IN } from '../../../server/messages.ts';
import { quoteName } from '../../../server/names.ts';
import { run } from '../../../server/statement.ts';
import { WORDS } from '../../../words.ts';
import type { Relation } from '../relation.ts';
import { bareType } from '../types.ts';
import { documentOf, type Mapped } from './mapping.ts';
import type { Source } from './source.ts';

const { import: words } = WORDS.collections;

export interface RowFault {
  readonly line: number;
  readonly field: string | null;
  readonly reason: string;
}

export interface ImportState {
  readonly kind: 'running' | 'paused' | 'done' | 'stopped';
  readonly stored: number;
  readonly faults: readonly RowFault[];
  /** Bytes of the file. */
  readonly read: number;
  readonly startedMs: number;
  readonly endedMs: number | null;
  /** Why it is paused, or ended before its end. */
  readonly fault: Fault | null;
}

interface Sent {
  readonly line: number;
  readonly json: string;
}

const BATCH = { first: 100, max: 2_000, bytesMax: 2_000_000, quickMs: 700, slowMs: 3_000 };
/** Another try with fewer rows would end the same way. */
const HOPELESS = /^(?:08|28|42501|42P01|53|57|58|25006)/;

export interface ImportPlan {
  readonly relation: Relation;
  readonly source: Source;
  readonly mapping: readonly Mapped[];
}

export class Importer {
  readonly #plan: ImportPlan;
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  #state: ImportState = {
    kind: 'running',
    stored: 0,
    faults: [],
    read: 0,
    startedMs: performance.now(),
    endedMs: null,
    fault: null,
  };
  #batchRows = BATCH.first;
  #resume: (() => void) | null = null;

  constructor(plan: ImportPlan) {
    this.#plan = plan;
    void this.#run();
  }

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  readonly state = (): ImportState => this.#state;

  /** Rows that are stored stay. */
  stop(): void {
    this.#ending.abort();
    this.#resume?.();
  }

  resume(): void {
    this.#tell({ kind: 'running', fault: null });
    this.#resume?.();
  }

  async #run(): Promise<void> {
    const { source, mapping, relation } = this.#plan;
    const { signal } = this.#ending;
    let batch: Sent[] = [];
    let bytes = 0;
    try {
      for await (const record of source.records((read) => this.#tell({ read }))) {
        if (signal.aborted) break;
        if (record.fault !== undefined) {
          this.#note([{ line: record.line, field: null, reason: record.fault }]);
          continue;
        }
        const json = documentOf(record, mapping, relation);
        batch.push({ line: record.line, json });
        bytes += json.length;
        if (batch.length < this.#batchRows && bytes < BATCH.bytesMax) continue;
        await this.#send(batch);
        batch = [];
        bytes = 0;
      }
      if (!signal.aborted) await this.#send(batch);
      this.#end(signal.aborted ? 'stopped' : 'done', null);
    } catch (error) {
      this.#end('stopped', signal.aborted ? null : faultOf(error));
    }
  }

  async #send(batch: readonly Sent[]): Promise<void> {
    if (batch.length === 0) return;
    const startedMs = performance.now();
    await this.#store(batch);
    const tookMs = performance.now() - startedMs;
    if (tookMs < BATCH.quickMs) this.#batchRows = Math.min(BATCH.max, this.#batchRows * 2);
    else if (tookMs > BATCH.slowMs) this.#batchRows = Math.max(1, Math.floor(this.#batchRows / 2));
  }

  /** Stores what can be stored of some rows. @throws where it is stopped, or nothing can be. */
  async #store(batch: readonly Sent[]): Promise<void> {
    if (batch.length === 0) return;
    const fault = await this.#try(batch);
    if (fault === null) {
      this.#tell({ stored: this.#state.stored + batch.length });
      return;
    }
    const named = namedFaults(fault, batch);
    if (named.length > 0) {
      this.#note(named);
      const lines = new Set(named.map(({ line }) => line));
      await this.#store(batch.filter(({ line }) => !lines.has(line)));
    } else if (batch.length === 1) {
      this.#note([{ line: batch[0]?.line ?? 0, field: fault.column ?? null, reason: fault.message }]);
    } else {
      const half = Math.ceil(batch.length / 2);
      await this.#store(batch.slice(0, half));
      await this.#store(batch.slice(half));
    }
  }

  /**
   * @returns what is wrong with the rows. A server that is away is waited for: the id makes a second try do
   * nothing twice.
   */
  async #try(batch: readonly Sent[]): Promise<Fault | null> {
    const requestId = crypto.randomUUID();
    for (;;) {
      try {
        await this.#statement(batch, requestId);
        return null;
      } catch (error) {
        if (this.#ending.signal.aborted) throw error;
        const fault = faultOf(error);
        const canGoOn = fault.sqlstate === NOT_REACHED || fault.sqlstate === NOT_SIGNED_IN;
        if (canGoOn) await this.#pause(fault);
        else if (HOPELESS.test(fault.sqlstate)) throw error;
        else return fault;
      }
    }
  }

  async #pause(fault: Fault): Promise<void> {
    this.#tell({ kind: 'paused', fault });
    await new Promise<void>((resolve) => (this.#resume = resolve));
    this.#resume = null;
  }

  async #statement(batch: readonly Sent[], requestId: string): Promise<void> {
    const { relation, mapping } = this.#plan;
    const { signal } = this.#ending;
    const json = `[${batch.map((one) => one.json).join(',')}]`;
    if (relation.isCollection) {
      const params = [relation.sql, json];
      await run('SELECT lsn FROM quern.upsert($1, $2::text)', { params, signal, requestId });
      return;
    }
    await run(insertSql(relation, mapping), { params: [json], signal, requestId });
  }

  #note(faults: readonly RowFault[]): void {
    this.#tell({ faults: [...this.#state.faults, ...faults] });
  }

  #end(kind: 'done' | 'stopped', fault: Fault | null): void {
    this.#tell({ kind, fault, endedMs: performance.now() });
  }

  #tell(change: Partial<ImportState>): void {
    this.#state = { ...this.#state, ...change };
    for (const tell of this.#listeners) tell();
  }
}

/** The statement of each batch; it can be read before. */
export function insertSql(relation: Relation, mapping: readonly Mapped[]): string {
  if (relation.isCollection)
    return `SELECT lsn FROM quern.upsert('${relation.sql.replaceAll("'", "''")}', $1)`;
  const wanted = mapping.filter((one): one is Mapped & { readonly to: string } => one.to !== null);
  const names = wanted.map(({ to }) => quoteName(to)).join(', ');
  const shape = wanted.map(({ to, type }) => `${quoteName(to)} ${bareType(type)}`).join(', ');
  return `INSERT INTO ${relation.sql} (${names}) SELECT ${names} FROM jsonb_to_recordset($1::jsonb) AS r(${shape})`;
}

interface DocumentFault {
  readonly document_offset?: number;
  readonly field?: string;
  readonly kind: string;
  readonly expected?: string | number;
  readonly got?: string | number;
  readonly message?: string;
}

/** Rows that the server names as wrong, each with its first fault. */
function namedFaults({ kind, detail }: Fault, batch: readonly Sent[]): readonly RowFault[] {
  if (kind !== 'document_validation' || detail?.startsWith('[') !== true) return [];
  const byRow = new Map<number, RowFault>();
  for (const one of JSON.parse(detail) as readonly DocumentFault[]) {
    const sent = one.document_offset === undefined ? undefined : batch[one.document_offset];
    if (sent === undefined || byRow.has(sent.line)) continue;
    byRow.set(sent.line, { line: sent.line, field: one.field ?? null, reason: words.reason(one) });
  }
  return [...byRow.values()];
}
