/**
 * Walks the pages of the data file's trees before LMDB maps it: where a page is missing, or is none, LMDB ends
 * the process (SIGBUS, a failed assertion) instead of giving an error. Layout: `MDB_page`, `MDB_node` and
 * `MDB_ovpage` of LMDB's mdb.c, data version 2. Values are not looked at: they are sealed.
 */
import { readSync } from 'node:fs';

/** Offsets in a page, in a node of a page, and in what stands for a value that has pages of its own. */
const PAGE = { number: 0, flags: 18, lower: 20, nodes: 24 } as const;
const NODE = { low: 0, high: 2, flags: 4, keySize: 6, key: 8 } as const;
const OVERFLOW = { page: 0, count: 16, end: 24 } as const;
const BRANCH_PAGE = 0x01;
const LEAF_PAGE = 0x02;
const OVERFLOW_VALUE = 0x01;
const NO_PAGE = 0xffffffffffffffffn;

export interface DataFile {
  /** Descriptor to read from. */
  readonly file: number;
  readonly pageSize: number;
  /** Bytes. */
  readonly size: number;
}

/** Fault in words; null: every page that a tree refers to is there. */
export function findMissingPage(data: DataFile, roots: readonly bigint[]): string | null {
  const { file, pageSize, size } = data;
  const pageCount = Math.floor(size / pageSize);
  const page = Buffer.alloc(pageSize);
  const waiting = roots.filter((root) => root !== NO_PAGE).map(Number);
  for (let seen = 0; waiting.length > 0; seen++) {
    const number = waiting.pop() as number;
    if (number >= pageCount) return 'its end is missing';
    if (seen > pageCount || readSync(file, page, 0, pageSize, number * pageSize) < pageSize) {
      return `page ${number} is not one of its trees`;
    }
    const found = referredPages(page, number, pageCount);
    if (typeof found === 'string') return found;
    for (const child of found) waiting.push(child);
  }
  return null;
}

/** Pages below a branch; of a leaf none, once its values' pages are known to be there. */
function referredPages(page: Buffer, number: number, pageCount: number): readonly number[] | string {
  const flags = page.readUInt16LE(PAGE.flags);
  const isBranch = (flags & BRANCH_PAGE) !== 0;
  const nodeCount = page.readUInt16LE(PAGE.lower) >> 1;
  const isPage =
    page.readBigUInt64LE(PAGE.number) === BigInt(number) &&
    isBranch !== ((flags & LEAF_PAGE) !== 0) &&
    PAGE.nodes + 2 * nodeCount <= page.length;
  if (!isPage) return `page ${number} is not one of its trees`;
  const children: number[] = [];
  for (let i = 0; i < nodeCount; i++) {
    const at = PAGE.nodes + page.readUInt16LE(PAGE.nodes + 2 * i);
    const end = nodeEnd(page, at, isBranch);
    if (end > page.length) return `page ${number} is damaged`;
    if (isBranch) children.push(childOf(page, at));
    else if (isOverflow(page, at) && lastPageOf(page, end - OVERFLOW.end) > pageCount) {
      return 'its end is missing';
    }
  }
  return children;
}

function nodeEnd(page: Buffer, at: number, isBranch: boolean): number {
  if (at + NODE.key > page.length) return Number.POSITIVE_INFINITY;
  const keyEnd = at + NODE.key + page.readUInt16LE(at + NODE.keySize);
  if (isBranch) return keyEnd;
  if (isOverflow(page, at)) return keyEnd + OVERFLOW.end;
  return keyEnd + page.readUInt16LE(at + NODE.low) + 2 ** 16 * page.readUInt16LE(at + NODE.high);
}

const isOverflow = (page: Buffer, at: number): boolean =>
  (page.readUInt16LE(at + NODE.flags) & OVERFLOW_VALUE) !== 0;

/** A page number takes the place of a value's size and flags. */
const childOf = (page: Buffer, at: number): number =>
  page.readUInt16LE(at + NODE.low) +
  2 ** 16 * page.readUInt16LE(at + NODE.high) +
  2 ** 32 * page.readUInt16LE(at + NODE.flags);

const lastPageOf = (page: Buffer, at: number): number =>
  Number(page.readBigUInt64LE(at + OVERFLOW.page) + page.readBigUInt64LE(at + OVERFLOW.count));
