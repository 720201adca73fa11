/** The rows a sort, a join or a window holds at once: too many end the statement, never the process. */
import { SqlError } from '../errors.ts';
import { HELD_BYTES_MAX } from '../limits.ts';
import type { Batch, Vector } from '../types/vector.ts';

/** A datum with what it refers to, roughly. */
const OBJECT_BYTES = 64;

export class HeldRows {
  readonly #limit: number;
  #bytes = 0;

  constructor(limit = HELD_BYTES_MAX) {
    this.#limit = limit;
  }

  /** @throws SqlError 53200 when these are too many. */
  add({ columns }: Batch): void {
    for (const column of columns) this.#bytes += bytesOf(column);
    if (this.#bytes > this.#limit) throw tooMuch(`more than ${Math.round(this.#limit / 2 ** 20)} MB of rows`);
  }

  /** Rows that are held no longer. */
  clear(): void {
    this.#bytes = 0;
  }
}

export function tooMuch(what: string): SqlError {
  return new SqlError('out_of_memory', 'out of memory', {
    detail: `One step of the statement would hold ${what}.`,
    hint: 'Narrow the rows down before they are joined, sorted or grouped, or select fewer columns.',
  });
}

function bytesOf(column: Vector): number {
  switch (column.kind) {
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return column.values.byteLength;
    case 'text': {
      if (column.dictionary !== null) return column.dictionary.codes.byteLength;
      const { offsets } = column.utf8();
      return 4 * column.length + (offsets[column.length] as number) - (offsets[0] as number);
    }
    case 'object':
      return OBJECT_BYTES * column.length;
  }
}
