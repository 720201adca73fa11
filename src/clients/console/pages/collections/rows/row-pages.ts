/**
 * Pages of rows, held as long as they are near what is looked at. A page is found from the one beside it
 * where that is there, else from where in the whole it is. One thing to know: how many rows there are is an
 * estimate until the end has been seen.
 */
import { type Column, type Fault, faultOf, type Row } from '../../../server/messages.ts';
import type { Anchor, RowSource } from './row-source.ts';

/** So few that the order of a small part gives them: more, and the server looks at each of its rows. */
const PAGE_ROWS = 100;
const HELD_PAGES_MAX = 120;
/** While the thumb is drawn nothing is asked for. */
const QUIET_MS = 40;

export interface PagesState {
  readonly columns: readonly Column[] | null;
  readonly rowCount: number;
  /** The count is one of the server's. */
  readonly isCounted: boolean;
  readonly isLoading: boolean;
  readonly fault: Fault | null;
  /** Another one whenever rows have come or gone. */
  readonly version: number;
}

export class RowPages {
  readonly #source: RowSource;
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  #state: PagesState = {
    columns: null,
    rowCount: 0,
    isCounted: false,
    isLoading: true,
    fault: null,
    version: 0,
  };
  #first = 0;
  #end = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loading: { readonly page: number; readonly abort: AbortController } | null = null;

  /** @param before of the same view: what is in sight there is read first. */
  constructor(source: RowSource, before: RowPages | null = null) {
    this.#source = source;
    if (before !== null) {
      const { columns, rowCount, version } = before.#state;
      this.#state = { ...this.#state, columns, rowCount, version: version + 1 };
      [this.#first, this.#end] = [before.#first, before.#end];
    }
    void this.#count();
    void this.#load();
  }

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  readonly state = (): PagesState => this.#state;

  rowAt(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** Index of a row that is held; null where it is not. */
  find(isWanted: (row: Row) => boolean): number | null {
    for (const [page, rows] of this.#pages) {
      const at = rows.findIndex(isWanted);
      if (at >= 0) return page * PAGE_ROWS + at;
    }
    return null;
  }

  /** Rows [first, end) are in sight. */
  want(first: number, end: number): void {
    this.#first = Math.floor(first / PAGE_ROWS);
    this.#end = Math.max(this.#first + 1, Math.ceil(end / PAGE_ROWS));
    const { page } = this.#loading ?? {};
    if (page !== undefined && (page < this.#first - 1 || page > this.#end)) this.#loading?.abort.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), this.#pages.has(this.#first) ? 0 : QUIET_MS);
  }

  /** Asks again for what is in sight. */
  retry(): void {
    this.#tell({ fault: null });
    void this.#load();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
    this.#loading?.abort.abort();
  }

  async #count(): Promise<void> {
    try {
      const rowCount = await this.#source.count(this.#ending.signal);
      if (rowCount !== null)
        this.#tell({ rowCount: Math.max(rowCount, this.#state.rowCount), isCounted: true });
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#tell({ fault: faultOf(error) });
    }
  }

  #missing(): number | null {
    const last = Math.max(0, Math.ceil(this.#state.rowCount / PAGE_ROWS) - 1);
    const wanted = [];
    for (let page = this.#first; page < this.#end; page++) wanted.push(page);
    wanted.push(this.#end, this.#first - 1);
    return wanted.find((page) => page >= 0 && page <= last && !this.#pages.has(page)) ?? null;
  }

  async #load(): Promise<void> {
    if (this.#loading !== null || this.#state.fault !== null) return;
    for (let page = this.#missing(); page !== null; page = this.#missing()) {
      const abort = new AbortController();
      this.#loading = { page, abort };
      this.#tell({ isLoading: true });
      try {
        await this.#loadPage(page, abort.signal);
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        if (!abort.signal.aborted) {
          this.#loading = null;
          this.#tell({ fault: faultOf(error), isLoading: false });
          return;
        }
      }
      this.#loading = null;
    }
    this.#tell({ isLoading: false });
  }

  #anchorOf(page: number): Anchor {
    const before = this.#pages.get(page - 1);
    const after = this.#pages.get(page + 1);
    if (page === 0) return { kind: 'start' };
    if (this.#source.isByKey && before?.length === PAGE_ROWS)
      return { kind: 'after', row: before.at(-1) as Row };
    if (this.#source.isByKey && after?.[0] !== undefined) return { kind: 'before', row: after[0] };
    const { rowCount, isCounted } = this.#state;
    const isLast = page === Math.ceil(rowCount / PAGE_ROWS) - 1;
    if (this.#source.isByKey && isLast && isCounted) return { kind: 'end' };
    return { kind: 'at', index: page * PAGE_ROWS, of: rowCount };
  }

  async #loadPage(page: number, signal: AbortSignal): Promise<void> {
    const anchor = this.#anchorOf(page);
    const count = anchor.kind === 'end' ? this.#state.rowCount - page * PAGE_ROWS : PAGE_ROWS;
    const { columns, rows } = await this.#source.page(anchor, count, signal);
    if (signal.aborted) return;
    this.#pages.set(page, rows);
    this.#evict();
    this.#tell({
      columns: this.#state.columns ?? columns,
      rowCount: this.#countAfter(page, rows.length, anchor),
      version: this.#state.version + 1,
    });
  }

  /** The number of rows, by a page that has come. */
  #countAfter(page: number, length: number, anchor: Anchor): number {
    const { rowCount, isCounted } = this.#state;
    const seen = page * PAGE_ROWS + length;
    const isFromStart = anchor.kind === 'start' || anchor.kind === 'after';
    if (length < PAGE_ROWS && isFromStart) return seen;
    return isCounted ? Math.max(rowCount, seen) : Math.max(rowCount, seen + 1);
  }

  /** The first page stays: widths of columns are by its rows. */
  #evict(): void {
    const away = (page: number): number => Math.abs(page - this.#first);
    const others = [...this.#pages.keys()].filter((page) => page > 0).sort((a, b) => away(b) - away(a));
    for (const page of others.slice(0, Math.max(0, this.#pages.size - HELD_PAGES_MAX)))
      this.#pages.delete(page);
  }

  #tell(change: Partial<PagesState>): void {
    if (this.#ending.signal.aborted) return;
    this.#state = { ...this.#state, ...change };
    for (const tell of this.#listeners) tell();
  }
}
