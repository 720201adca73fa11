/** Follows the chain of the audit from its first entry to where the root says that it ends: what is missing, changed or moved shows. */
import { chainHash } from '../../text-hash.ts';
import type { ChainEnd } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { OID } from '../../types/oids.ts';
import { integer } from '../datasets/parameters.ts';
import type { Query, Row } from '../server-session.ts';

const PAGE = 2_000;

interface Entry {
  readonly sequence: number;
  readonly hash: string;
  readonly entry: string;
}

/** The part of the chain that was found right. */
export interface VerifiedChain {
  readonly entries: number;
  /** Number of the first entry that is there; null where there is none. */
  readonly first: number | null;
  readonly last: number;
  /** Hash of the last one. */
  readonly hash: string;
}

/**
 * @param end as of before the rows are read.
 * @throws SqlError XX001 that names the entry.
 */
export async function verifyChain(query: Query, end: ChainEnd): Promise<VerifiedChain> {
  const chain = new FollowedChain(end);
  for (let after = 0; ; ) {
    const page = await entriesAfter(query, after, PAGE);
    for (const entry of page) chain.follow(entry);
    after = page.at(-1)?.sequence ?? after;
    if (page.length < PAGE) break;
  }
  return chain.end();
}

/** Entries in their order; none while the server has not made its relations. */
export async function entriesAfter(query: Query, after: number, count: number): Promise<readonly Entry[]> {
  const rows = await query(
    'SELECT sequence, hash, entry FROM quern.audit_entries WHERE sequence > $1 ORDER BY sequence LIMIT $2',
    [OID.int8, BigInt(after)],
    integer(count),
  ).catch((error: unknown): readonly Row[] => {
    if (error instanceof SqlError && error.condition === 'undefined_table') return [];
    throw error;
  });
  return rows.map(({ sequence, hash, entry }) => ({
    sequence: Number(sequence),
    hash: String(hash),
    entry: String(entry),
  }));
}

class FollowedChain {
  readonly #end: ChainEnd;
  #first: Entry | null = null;
  #last: ChainEnd = { sequence: 0, hash: '' };
  #count = 0;
  /** The last entry that retention took away, as an entry says that is still there. */
  #removed: ChainEnd = { sequence: 0, hash: '' };
  #meetsEnd = false;

  constructor(end: ChainEnd) {
    this.#end = end;
    this.#meetsEnd = end.sequence === 0;
  }

  follow(entry: Entry): void {
    const { sequence, hash } = entry;
    if (this.#first === null) this.#first = entry;
    else {
      const { sequence: before, hash: previous } = this.#last;
      if (sequence <= before) throw broken(`entry ${sequence} is there twice`);
      if (sequence !== before + 1) throw broken(`entries ${before + 1} to ${sequence - 1} are missing`);
      if (chainHash(previous, sequence, entry.entry) !== hash) throw broken(changed(sequence));
    }
    if (sequence === this.#end.sequence) {
      if (hash !== this.#end.hash) throw broken(changed(sequence));
      this.#meetsEnd = true;
    }
    this.#last = { sequence, hash };
    this.#count++;
    this.#removed = removedBy(entry.entry) ?? this.#removed;
  }

  end(): VerifiedChain {
    const { sequence: last, hash } = this.#last;
    if (!this.#meetsEnd) throw broken(`entries ${last + 1} to ${this.#end.sequence} are missing`);
    const first = this.#first;
    if (first !== null) {
      const { sequence: removed, hash: previous } = this.#removed;
      if (first.sequence !== removed + 1) {
        throw broken(`entries ${removed + 1} to ${first.sequence - 1} are missing`);
      }
      if (chainHash(previous, first.sequence, first.entry) !== first.hash)
        throw broken(changed(first.sequence));
    }
    return { entries: this.#count, first: first?.sequence ?? null, last, hash };
  }
}

/** Null: it tells of something else. */
function removedBy(entry: string): ChainEnd | null {
  if (!entry.includes('"retention"')) return null;
  const { action, detail } = JSON.parse(entry) as {
    action: string;
    detail?: { through: number; hash: string };
  };
  return action === 'retention' && detail !== undefined
    ? { sequence: detail.through, hash: detail.hash }
    : null;
}

const changed = (sequence: number): string => `entry ${sequence} is not what was written`;

const broken = (message: string): SqlError =>
  new SqlError('data_corrupted', `the audit is not whole: ${message}`, {
    hint: 'Compare it with the lines of --audit-log, which say what was there.',
  });
