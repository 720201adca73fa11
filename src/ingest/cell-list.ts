/**
 * Cells of a table as columns of numbers and bytes, some 40 bytes each outside of the heap, where objects and strings
 * would take several times as much: a sheet may have two million.
 */
import type { Cell, Cells } from './document.ts';

/** Numbers that become more. */
export class NumberColumn {
  #numbers = new Uint32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length++] = number;
  }

  at(index: number): number {
    return this.#numbers[index] as number;
  }
}

/** Texts that become more, as UTF-8. */
export class TextColumn {
  #bytes = Buffer.alloc(1024);
  #size = 0;
  readonly #ends = new NumberColumn();

  get length(): number {
    return this.#ends.length;
  }

  /** Bytes of all texts. */
  get size(): number {
    return this.#size;
  }

  push(text: string): void {
    const size = this.#size + Buffer.byteLength(text);
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.write(text, this.#size);
    this.#size = size;
    this.#ends.push(size);
  }

  at(index: number): string {
    return this.#bytes.toString('utf8', index === 0 ? 0 : this.#ends.at(index - 1), this.#ends.at(index));
  }
}

/** Kinds of a value: there is none, the file says that the cell is no number, it is its text, it is another decimal. */
const [ABSENT, NONE, AS_WRITTEN, OWN] = [0, 1, 2, 3] as const;

/** Values of cells, as `Cell.value` has them. */
export class ValueColumn {
  readonly #kinds = new NumberColumn();
  /** Place among the own ones. */
  readonly #places = new NumberColumn();
  readonly #own = new TextColumn();

  push(text: string, value: string | null | undefined): void {
    const kind = value === undefined ? ABSENT : value === null ? NONE : value === text ? AS_WRITTEN : OWN;
    this.#kinds.push(kind);
    this.#places.push(this.#own.length);
    if (kind === OWN) this.#own.push(value as string);
  }

  at(index: number, textOf: () => string): string | null | undefined {
    const kind = this.#kinds.at(index);
    if (kind === OWN) return this.#own.at(this.#places.at(index));
    return kind === ABSENT ? undefined : kind === NONE ? null : textOf();
  }
}

const FIELDS = ['row', 'column', 'rowEnd', 'columnEnd', 'start', 'end'] as const;

export class CellList implements Cells {
  readonly #fields = new NumberColumn();
  readonly #values = new ValueColumn();
  readonly #textOf: (cell: Cell) => string;

  /** @param textOf a cell's text, when the table has one. */
  constructor(textOf: (cell: Cell) => string) {
    this.#textOf = textOf;
  }

  get length(): number {
    return this.#fields.length / FIELDS.length;
  }

  push(cell: Cell, text: string): void {
    for (const field of FIELDS) this.#fields.push(cell[field]);
    this.#values.push(text, cell.value);
  }

  at(index: number): Cell | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const from = FIELDS.length * index;
    const fields = this.#fields;
    const place = {
      row: fields.at(from),
      column: fields.at(from + 1),
      rowEnd: fields.at(from + 2),
      columnEnd: fields.at(from + 3),
      start: fields.at(from + 4),
      end: fields.at(from + 5),
    };
    const value = this.#values.at(index, () => this.#textOf(place));
    return value === undefined ? place : { ...place, value };
  }

  *[Symbol.iterator](): Generator<Cell> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Cell;
  }
}
