/**
 * Clients that append to lists and read them, over sockets, each step noted as it happened. Keys take turns: one
 * that has been appended to often enough is followed by a new one, so that lists stay short, and the first append
 * to a key meets a reader who has found nothing.
 */
import pg from 'pg';
import { seededRandom } from '../../src/seeded-random.ts';
import type { History, HistoryTransaction, Level, Step } from './history.ts';

/** How lists are kept. */
export type Shape = 'array' | 'rows' | 'scans';

export interface Workload {
  readonly shape: Shape;
  /** In turn; one for all. */
  readonly levels: readonly Level[];
  readonly clients: number;
  /** It ends after so long, or so many transactions. */
  readonly durationMs: number;
  readonly transactionsMax?: number;
  /** Keys in use at a time. */
  readonly keys: number;
  readonly stepsMax: number;
  readonly seed: number;
  readonly appendsPerKey: number;
}

export interface Recording {
  readonly history: History;
  readonly committed: number;
  /** Transactions that ended with 40001, or 40P01. */
  readonly failed: number;
  readonly seconds: number;
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface ShapeRow {
  readonly create: string;
  readonly append: (key: number, value: number) => Statement;
  /** Rows of one value and its key, or of a list. */
  readonly read: (from: number, to: number) => Statement;
  readonly ordered: boolean;
  /** Keys that a read goes through, at most. */
  readonly span: number;
}

const ROWS: Pick<ShapeRow, 'append' | 'ordered'> = {
  append: (key, value) => ({ text: 'INSERT INTO elements VALUES ($1, $2)', values: [value, key] }),
  ordered: false,
};

const SHAPES: Readonly<Record<Shape, ShapeRow>> = {
  /** A row a key, found by its key. */
  array: {
    create: 'CREATE TABLE elements (k int PRIMARY KEY, list int[] NOT NULL)',
    append: (key, value) => ({
      text: `INSERT INTO elements VALUES ($1, ARRAY[$2::int])
        ON CONFLICT (k) DO UPDATE SET list = elements.list || $2::int`,
      values: [key, value],
    }),
    read: (key) => ({ text: 'SELECT k, list FROM elements WHERE k = $1', values: [key] }),
    ordered: true,
    span: 1,
  },
  /** A row a value, found by a column that others have, too. */
  rows: {
    ...ROWS,
    create: 'CREATE TABLE elements (value int PRIMARY KEY, k int NOT NULL)',
    read: (key) => ({ text: 'SELECT k, value FROM elements WHERE k = $1', values: [key] }),
    span: 1,
  },
  /** Ranges of keys by the order of an index, of which some have no row yet. */
  scans: {
    ...ROWS,
    create: 'CREATE TABLE elements (value int PRIMARY KEY, k int NOT NULL); CREATE INDEX ON elements (k)',
    read: (from, to) => ({
      text: 'SELECT k, value FROM elements WHERE k BETWEEN $1 AND $2',
      values: [from, to],
    }),
    span: 3,
  },
};

const RETRIED: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

export async function record(address: pg.ClientConfig, workload: Workload): Promise<Recording> {
  const { create } = SHAPES[workload.shape];
  let left = workload.transactionsMax ?? Number.POSITIVE_INFINITY;
  await using setUp = await connected(address);
  await setUp.client.query(`DROP TABLE IF EXISTS elements; ${create}`);
  const keys = new Keys(workload);
  const until = performance.now() + workload.durationMs;
  const began = performance.now();
  const histories = await Promise.all(
    Array.from({ length: workload.clients }, async (_, number) => {
      await using session = await connected(address);
      const level = workload.levels[number % workload.levels.length] as Level;
      const run = new ClientRun(session.client, { level, shape: workload.shape, keys });
      while (performance.now() < until && left-- > 0) await run.transaction(keys.count(workload.stepsMax));
      return run.history;
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const last = new ClientRun(setUp.client, { level: 'serializable', shape: workload.shape, keys });
  await last.readAll();
  const history = histories.flat();
  const committed = history.filter(({ outcome }) => outcome === 'committed').length;
  return { history: [...history, ...last.history], committed, failed: history.length - committed, seconds };
}

async function connected(address: pg.ClientConfig): Promise<AsyncDisposable & { client: pg.Client }> {
  const client = new pg.Client(address);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

/** Keys and values in use, for all clients. */
class Keys {
  readonly #random: () => number;
  readonly #active: number[];
  readonly #appendsPerKey: number;
  readonly #appends = new Map<number, number>();
  #next: number;
  #value = 0;

  constructor({ keys, seed, appendsPerKey }: Workload) {
    this.#random = seededRandom(seed);
    this.#active = Array.from({ length: keys }, (_, key) => key);
    this.#next = keys;
    this.#appendsPerKey = appendsPerKey;
  }

  get end(): number {
    return this.#next;
  }

  /** From 1 to most. */
  count(most: number): number {
    return 1 + Math.floor(this.#random() * most);
  }

  any(): number {
    return this.#active[this.count(this.#active.length) - 1] as number;
  }

  append(): { readonly key: number; readonly value: number } {
    const key = this.any();
    const appends = (this.#appends.get(key) ?? 0) + 1;
    this.#appends.set(key, appends);
    if (appends >= this.#appendsPerKey) this.#active[this.#active.indexOf(key)] = this.#next++;
    return { key, value: ++this.#value };
  }
}

interface ClientOptions {
  readonly level: Level;
  readonly shape: Shape;
  readonly keys: Keys;
}

class ClientRun {
  readonly history: HistoryTransaction[] = [];
  readonly #client: pg.Client;
  readonly #options: ClientOptions;

  constructor(client: pg.Client, options: ClientOptions) {
    this.#client = client;
    this.#options = options;
  }

  async transaction(count: number): Promise<void> {
    const { keys, shape } = this.#options;
    await this.#noted(async (steps) => {
      for (let i = 0; i < count; i++) {
        if (keys.count(2) === 1) await this.#append(steps);
        else {
          const from = keys.any();
          await this.#read(steps, from, from + keys.count(SHAPES[shape].span) - 1);
        }
      }
    });
  }

  /** Every key there ever was, in one transaction. */
  async readAll(): Promise<void> {
    await this.#noted(async (steps) => {
      const { keys, shape } = this.#options;
      const { span } = SHAPES[shape];
      for (let from = 0; from < keys.end; from += span) await this.#read(steps, from, from + span - 1);
    });
  }

  async #noted(work: (steps: Step[]) => Promise<void>): Promise<void> {
    const { level } = this.#options;
    const steps: Step[] = [];
    const began = performance.now();
    let outcome: HistoryTransaction['outcome'] = 'committed';
    try {
      await this.#client.query(`BEGIN ISOLATION LEVEL ${level}`);
      await work(steps);
      await this.#client.query('COMMIT');
    } catch (error) {
      if (!RETRIED.has((error as pg.DatabaseError).code)) throw error;
      await this.#client.query('ROLLBACK');
      outcome = 'aborted';
    }
    this.history.push({ level, steps, outcome, began, ended: performance.now() });
  }

  async #append(steps: Step[]): Promise<void> {
    const { keys, shape } = this.#options;
    const { key, value } = keys.append();
    steps.push({ kind: 'append', key, value });
    await this.#ask(SHAPES[shape].append(key, value));
  }

  async #read(steps: Step[], from: number, to: number): Promise<void> {
    const { ordered, read } = SHAPES[this.#options.shape];
    const found = new Map<number, number[]>();
    for (const [key, values] of await this.#ask(read(from, to))) {
      const list = found.get(key as number) ?? [];
      found.set(key as number, list.concat(values as number | number[]));
    }
    for (let key = from; key <= to; key++) {
      steps.push({ kind: 'read', key, values: found.get(key) ?? [], ordered });
    }
  }

  async #ask({ text, values }: Statement): Promise<readonly (readonly unknown[])[]> {
    const name = text.slice(0, 60);
    const { rows } = await this.#client.query({ name, text, values: [...values], rowMode: 'array' });
    return rows;
  }
}
