/** Rows of several parts as numbers that sort as the rows are stored: by part, then by position. */
import type { Part } from '../../engine/engine.ts';

/** Positions of a part lie between its number times this and the next one. */
const PART_ROWS = 2 ** 32;

/** Where rows are. */
export interface Addresses {
  readonly parts: readonly Part[];
  /** The number of each row's part, and its position there. */
  readonly partOf: ArrayLike<number>;
  readonly rows: ArrayLike<number>;
}

export const addressOf = (part: number, row: number): number => part * PART_ROWS + row;

export const partOfAddress = (address: number): number => Math.floor(address / PART_ROWS);

/** Not by %, which is a call for doubles. */
export const rowOfAddress = (address: number): number => address - partOfAddress(address) * PART_ROWS;
