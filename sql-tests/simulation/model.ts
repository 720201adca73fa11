/**
 * Model of the engine's promises, kept beside it: for every place (partition and key) the rows that were written
 * there, in order. A writer holds its key to its end, so the order of writes is the order of commits, and
 * whoever writes must have found what the model has as the newest.
 */
import type { Row } from './schema.ts';
import type { Reading } from './serial-order.ts';

/** A law of the engine that was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export type Status = 'open' | 'ending' | 'committed';

export class ModelTransaction {
  readonly name: string;
  status: Status = 'open';
  /** When its client has heard of its end. */
  endedAt = Number.POSITIVE_INFINITY;
  /** Somebody has seen its rows: they stay. */
  isSeen = false;
  readonly writes: Write[] = [];
  readonly shares: Share[] = [];
  /** Reads of a serializable transaction. */
  readonly reads: Reading[] = [];
  /** Numbers of the sequence. */
  readonly drawn: bigint[] = [];

  constructor(name: string) {
    this.name = name;
  }
}

export interface Write {
  readonly transaction: ModelTransaction;
  readonly place: string;
  /** Null: deleted. */
  readonly row: Row | null;
  /** The row that was there. */
  readonly before: Row | null;
}

/** A row that stays as it is, or at least stays. */
interface Share {
  readonly place: string;
  readonly mode: 'share' | 'key share';
}

/** Rows that a snapshot may show, by place, with or without each of the commits under way. */
export interface Expectation {
  readonly chains: ReadonlyMap<string, readonly Seen[]>;
  readonly ending: readonly ModelTransaction[];
}

/** A write as a snapshot finds it. */
interface Seen extends Write {
  /** To be seen whatever becomes of the commits under way. */
  readonly isThere: boolean;
}

export const placeOf = (partition: string | null, id: string): string => `${partition ?? ''}/${id}`;
const partitionOf = (place: string): string => place.slice(0, place.indexOf('/'));

export class Model {
  readonly #chains = new Map<string, Write[]>();
  readonly #open = new Set<ModelTransaction>();
  /** Acknowledged ones. */
  readonly committed = new Set<ModelTransaction>();
  /** Counts steps of clients: what was before what. */
  clock = 0;

  begin(name: string): ModelTransaction {
    const transaction = new ModelTransaction(name);
    this.#open.add(transaction);
    return transaction;
  }

  /** The newest row of a place, whoever wrote it. */
  newest(place: string): Row | null {
    return this.#chains.get(place)?.at(-1)?.row ?? null;
  }

  /** Writes in their order, by place. */
  chains(partition: string | null): readonly (readonly [string, readonly Write[]])[] {
    return [...this.#chains].filter(([place]) => partitionOf(place) === (partition ?? ''));
  }

  /** True when somebody has asked for a commit and not heard of it. */
  get isEnding(): boolean {
    return [...this.#open].some(({ status }) => status === 'ending');
  }

  /** Newest rows of a partition. */
  rows(partition: string | null): readonly Row[] {
    const places = [...this.#chains.keys()].filter((place) => partitionOf(place) === (partition ?? ''));
    return places.map((place) => this.newest(place)).filter((row) => row !== null);
  }

  /** Requires that another transaction that has not begun to end has written there last. */
  requireHad(transaction: ModelTransaction, place: string): void {
    const last = this.#chains.get(place)?.at(-1)?.transaction;
    if (last === undefined || last === transaction || last.status !== 'open') return;
    throw new Violation(`${transaction.name} has what ${last.name} holds: ${place}`);
  }

  write(transaction: ModelTransaction, place: string, row: Row | null): void {
    this.clock++;
    this.requireHad(transaction, place);
    for (const other of this.#open) {
      if (other === transaction || other.status !== 'open') continue;
      const isInTheWay = other.shares.some(
        (share) => share.place === place && (share.mode === 'share' || row === null),
      );
      if (isInTheWay)
        throw new Violation(`${transaction.name} writes ${place}, which ${other.name} has locked`);
    }
    const write = { transaction, place, row, before: this.newest(place) };
    transaction.writes.push(write);
    const chain = this.#chains.get(place) ?? [];
    this.#chains.set(place, chain);
    chain.push(write);
  }

  /** Takes back what was written and locked since there were so many. */
  rollBack(transaction: ModelTransaction, writes = 0, shares = 0): void {
    this.clock++;
    for (const write of transaction.writes.splice(writes)) {
      const chain = this.#chains.get(write.place) as Write[];
      chain.splice(chain.indexOf(write), 1);
    }
    transaction.shares.length = shares;
  }

  end(transaction: ModelTransaction, status: 'ending' | 'committed' | 'gone'): void {
    this.clock++;
    if (status === 'gone' && transaction.isSeen) {
      throw new Violation(`${transaction.name} was seen, though it did not commit`);
    }
    if (status === 'gone') this.rollBack(transaction);
    else transaction.status = status;
    if (status === 'ending') return;
    transaction.endedAt = this.clock;
    if (status === 'committed') this.committed.add(transaction);
    this.#open.delete(transaction);
  }

  /** True when a row that passes can have been in the way of a statement that began at `since`. */
  wasThere(
    transaction: ModelTransaction,
    since: number,
    passes: (row: Row, place: string) => boolean,
  ): boolean {
    for (const [place, chain] of this.#chains) {
      for (const [i, { row, transaction: writer }] of chain.entries()) {
        if (row === null || !passes(row, place)) continue;
        if (writer !== transaction && writer.status === 'open') continue;
        const isGone = chain.slice(i + 1).some((later) => later.transaction.endedAt < since);
        if (!isGone) return true;
      }
    }
    return false;
  }

  /**
   * True when two rows of a partition that pass can have been there since `since`: as the transaction has written
   * them, and as others have.
   */
  wereTwo(transaction: ModelTransaction, since: number, passes: (row: Row) => boolean): boolean {
    const seen = new Set<string>();
    for (const [place, chain] of this.#chains) {
      const isThere = chain.some(({ row, transaction: writer }, i) => {
        if (row === null || !passes(row)) return false;
        if (writer !== transaction && writer.status === 'open') return false;
        const isGone = (later: Write): boolean =>
          later.transaction === transaction || later.transaction.endedAt < since;
        return !chain.slice(i + 1).some(isGone);
      });
      if (isThere && seen.has(partitionOf(place))) return true;
      if (isThere) seen.add(partitionOf(place));
    }
    return false;
  }

  /** For messages. */
  text(): string {
    const lines = [...this.#chains].map(([place, chain]) => {
      const writes = chain.map(
        ({ transaction: { name, status }, row }) => `${name} ${status} ${JSON.stringify(row)}`,
      );
      return `${place}: ${writes.join('; ')}`;
    });
    return lines.join('\n');
  }

  /** Rows committed by now, under those that `own` has written. */
  expect(own: ModelTransaction | null = null): Expectation {
    const isThere = ({ transaction }: Write): boolean =>
      transaction === own || transaction.status === 'committed' || transaction.isSeen;
    const chains = new Map(
      [...this.#chains].map(([place, chain]) => [
        place,
        chain.map((write) => ({ ...write, isThere: isThere(write) })),
      ]),
    );
    const ending = [...this.#open].filter(({ status, isSeen }) => status === 'ending' && !isSeen);
    return { chains, ending };
  }
}

export const rowsText = (rows: ReadonlyMap<string, Row>): string =>
  JSON.stringify([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Rows to be seen when these of the commits under way are. */
function seenWith({ chains }: Expectation, ended: ReadonlySet<ModelTransaction>): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const [place, chain] of chains) {
    const last = chain.findLast(({ transaction, isThere }) => isThere || ended.has(transaction));
    if (last !== undefined && last.row !== null) rows.set(place, last.row);
  }
  return rows;
}

/**
 * @param rows seen, by place.
 * @throws Violation unless they are all of some commits and nothing of the others.
 */
export function requireExpected(
  rows: ReadonlyMap<string, Row>,
  expectation: Expectation,
  where: string,
): void {
  const { ending } = expectation;
  const seen = rowsText(rows);
  const fitting: ReadonlySet<ModelTransaction>[] = [];
  for (let bits = 0; bits < 2 ** ending.length; bits++) {
    const ended = new Set(ending.filter((_, i) => (bits & (1 << i)) !== 0));
    if (rowsText(seenWith(expectation, ended)) === seen) fitting.push(ended);
  }
  const [first, ...others] = fitting;
  if (first === undefined) {
    const wanted = rowsText(seenWith(expectation, new Set()));
    const names = ending.map(({ name }) => name).join(', ');
    throw new Violation(`${where}: ${seen} instead of ${wanted}, commits under way: ${names || 'none'}`);
  }
  if (others.length > 0) return;
  for (const transaction of first) transaction.isSeen = true;
}
