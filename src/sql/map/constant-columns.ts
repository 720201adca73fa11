/** Constants of long VALUES as they are gathered, a column at a time (`plan/constant-rows.ts`). */
import {
  CONSTANT_SEPARATOR,
  type ConstantColumn,
  type ConstantPiece,
  PIECE_ROWS,
} from '../../plan/constant-rows.ts';
import type { Expr } from '../ast.ts';

/** Integers of fewer characters have the narrowest type. */
const SHORT_CHARACTERS = 9;
const INT4_MAX = 2n ** 31n - 1n;
const INT8_MAX = 2n ** 63n - 1n;

export interface Constant {
  readonly kind: 'integer' | 'decimal' | 'string' | 'boolean' | 'null';
  readonly text: string;
  readonly at: number;
}

/** Null for other expressions. */
export function constantOf(expr: Expr): Constant | null {
  const { kind, at } = expr;
  switch (kind) {
    case 'integer':
    case 'decimal':
      return { kind, text: expr.text, at };
    case 'string':
      return { kind, text: expr.value, at };
    case 'boolean':
      return { kind, text: String(expr.value), at };
    case 'null':
      return { kind, text: '', at };
    default:
      return null;
  }
}

/** Constants of one class have one type wherever they stand; NULL and strings have none yet. */
export function classOf({ kind, text }: Constant): string {
  if (kind === 'null') return 'string';
  if (kind !== 'integer' || text.length <= SHORT_CHARACTERS) return kind;
  const size = magnitude(text);
  return size <= INT4_MAX ? kind : size <= INT8_MAX ? 'int8' : 'decimal';
}

/** Magnitude of a number; of a negative one less, so that the least of a type counts as the greatest does. */
function magnitude(text: string): bigint {
  const value = BigInt(text);
  return value < 0n ? -value - 1n : value;
}

export class ConstantColumnBuilder {
  #kind: ConstantColumn['kind'] | null = null;
  #widest = 0n;
  #widestText = '';
  #longest = 0;
  readonly #pieces: ConstantPiece[] = [];
  #texts: string[] = [];
  #nulls: number[] = [];
  #places: number[] = [];

  /** Rows that were left out are NULL. False where it does not go with the others. */
  add(row: number, constant: Constant): boolean {
    const { kind, text, at } = constant;
    if (kind !== 'null' && !this.#goesWith(kind)) return false;
    this.#fillTo(row);
    if (kind === 'integer') this.#widen(text);
    this.#longest = Math.max(this.#longest, text.length);
    this.#put(kind === 'null' ? null : text, at);
    return true;
  }

  build(count: number): ConstantColumn {
    this.#fillTo(count);
    this.#endPiece();
    const kind = this.#kind ?? 'string';
    return { kind, widest: this.#widestText, longest: this.#longest, pieces: this.#pieces };
  }

  #fillTo(row: number): void {
    while (this.#pieces.length * PIECE_ROWS + this.#texts.length < row) this.#put(null, 0);
  }

  #put(text: string | null, at: number): void {
    if (this.#texts.length === PIECE_ROWS) this.#endPiece();
    if (text === null) this.#nulls.push(this.#texts.length);
    this.#texts.push(text ?? '');
    this.#places.push(at);
  }

  #endPiece(): void {
    this.#pieces.push({
      texts: this.#texts.join(CONSTANT_SEPARATOR),
      nulls: this.#nulls.join(' '),
      places: this.#places.join(' '),
    });
    this.#texts = [];
    this.#nulls = [];
    this.#places = [];
  }

  #goesWith(kind: 'integer' | 'decimal' | 'string' | 'boolean'): boolean {
    this.#kind ??= kind;
    if (this.#kind === kind) return true;
    const isNumber = this.#kind !== 'string' && this.#kind !== 'boolean';
    if (!isNumber || kind === 'string' || kind === 'boolean') return false;
    this.#kind = 'mixed';
    return true;
  }

  #widen(text: string): void {
    if (this.#widestText === '') this.#widestText = '0';
    if (text.length <= SHORT_CHARACTERS) return;
    const size = magnitude(text);
    if (size <= this.#widest) return;
    this.#widest = size;
    this.#widestText = text;
  }
}
