/**
 * One run of a text of SQL: the results of its statements as they come. One thing to know: rows are taken from the server as
 * they are looked at. A page is taken at once; the rest waits at the server until somebody scrolls near the end, so ten million
 * rows cost neither side their memory.
 */
import {
  type Column,
  type Done,
  type Fault,
  faultOf,
  type Message,
  type Notice,
  type Row,
} from '../../server/messages.ts';
import { messagesOf } from '../../server/statement.ts';

/** Taken before anybody has scrolled, and beyond what is in sight. */
const AHEAD_ROWS = 2_000;
const AHEAD_CHARACTERS = 32_000_000;
/** More are not held by a page; export has them all. */
const HELD_ROWS_MAX = 1_000_000;
const HELD_CHARACTERS_MAX = 400_000_000;
/** Rows that are looked at so near to the last one want more. */
const NEAR_ROWS = 100;

export interface StatementResult {
  readonly columns: readonly Column[] | null;
  readonly rows: readonly Row[];
  readonly notices: readonly Notice[];
  readonly done: Done | null;
}

export interface RunState {
  readonly isRunning: boolean;
  readonly results: readonly StatementResult[];
  readonly fault: Fault | null;
  /** Milliseconds until the first row, and until the end. */
  readonly firstMs: number | null;
  readonly ms: number | null;
  /** Rows are left at the server, and the statement holds them. */
  readonly isWaiting: boolean;
  readonly isCut: boolean;
}

/** Rows are appended in place: what is told anew is how many there are. */
interface Building {
  columns: readonly Column[] | null;
  rows: Row[];
  notices: Notice[];
  done: Done | null;
}

const empty = (): Building => ({ columns: null, rows: [], notices: [], done: null });

export class Run {
  readonly text: string;
  readonly params: readonly unknown[];
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #startedMs = performance.now();
  readonly #results: Building[] = [];
  #state: RunState = {
    isRunning: true,
    results: [],
    fault: null,
    firstMs: null,
    ms: null,
    isWaiting: false,
    isCut: false,
  };
  #wantedRows = AHEAD_ROWS;
  /** All that have come. */
  #characters = 0;
  #wantedCharacters = AHEAD_CHARACTERS;
  #more: (() => void) | null = null;

  constructor(text: string, params: readonly unknown[]) {
    this.text = text;
    this.params = params;
    void this.#follow();
  }

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  readonly state = (): RunState => this.#state;

  /** Ends the statement at the server too. */
  cancel(): void {
    this.#ending.abort();
    this.#more?.();
  }

  /** Rows up to this one are wanted. */
  want(row: number): void {
    const wantedRows = Math.max(this.#wantedRows, row + AHEAD_ROWS);
    const isNear = row >= (this.#results.at(-1)?.rows.length ?? 0) - NEAR_ROWS;
    const wantedCharacters = isNear ? this.#characters + AHEAD_CHARACTERS : this.#wantedCharacters;
    if (wantedRows === this.#wantedRows && wantedCharacters === this.#wantedCharacters) return;
    this.#wantedRows = wantedRows;
    this.#wantedCharacters = wantedCharacters;
    this.#more?.();
  }

  async #follow(): Promise<void> {
    const { text: statement, params } = this;
    const { signal } = this.#ending;
    try {
      const options = { signal, ...(params.length > 0 && { params }) };
      for await (const message of messagesOf(statement, options)) {
        this.#characters += message.size;
        this.#take(message);
        if (message.rows !== undefined && !(await this.#goesOn())) break;
      }
    } catch (error) {
      if (signal.aborted)
        this.#end({ fault: { message: 'The statement was cancelled.', sqlstate: '57014' } });
      else this.#end({ fault: faultOf(error) });
      return;
    }
    this.#end({});
  }

  #take({ columns, rows, notice, done, error }: Message): void {
    if (this.#results.length === 0 || this.#results.at(-1)?.done != null) this.#results.push(empty());
    const result = this.#results.at(-1) as Building;
    if (columns !== undefined) result.columns = columns;
    if (rows !== undefined) for (const row of rows) result.rows.push(row);
    if (notice !== undefined) result.notices.push(notice);
    if (done !== undefined) result.done = done;
    const firstMs = this.#state.firstMs ?? (rows === undefined ? null : performance.now() - this.#startedMs);
    this.#tell({ firstMs, ...(error !== undefined && { fault: error }) });
  }

  /** Waits until more rows are wanted. @returns false where no more are held. */
  async #goesOn(): Promise<boolean> {
    const count = this.#results.at(-1)?.rows.length ?? 0;
    if (count >= HELD_ROWS_MAX || this.#characters >= HELD_CHARACTERS_MAX) {
      this.#tell({ isCut: true });
      return false;
    }
    const isEnough = (): boolean => count >= this.#wantedRows || this.#characters >= this.#wantedCharacters;
    while (isEnough() && !this.#ending.signal.aborted) {
      this.#tell({ isWaiting: true });
      await new Promise<void>((resolve) => (this.#more = resolve));
      this.#more = null;
      this.#tell({ isWaiting: false });
    }
    return true;
  }

  #end(last: Partial<RunState>): void {
    this.#tell({ ...last, isRunning: false, isWaiting: false, ms: performance.now() - this.#startedMs });
  }

  #tell(change: Partial<RunState>): void {
    // Each is another object where something has come to it: who shows one need not look at the others.
    const before = this.#state.results;
    const results = this.#results.map((result, i): StatementResult => {
      const known = before[i];
      const isSame =
        known !== undefined &&
        i < this.#results.length - 1 &&
        known.done === result.done &&
        known.rows === result.rows;
      return isSame ? known : { ...result };
    });
    this.#state = { ...this.#state, results, ...change };
    for (const tell of this.#listeners) tell();
  }
}
