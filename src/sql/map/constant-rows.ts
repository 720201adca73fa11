/** Long VALUES of plain constants, by column; and back to rows of expressions where these are wanted. */
import {
  CONSTANT_SEPARATOR,
  type ConstantColumn,
  type ConstantPiece,
  type ConstantRows,
  PIECE_ROWS,
  pieceNumbers,
  pieceTexts,
} from '../../plan/constant-rows.ts';
import type { Expr, ValuesQuery } from '../ast.ts';
import { as, type MapContext } from './context.ts';
import type { pg } from '../parse/grammar.ts';

/** Fewer values are an expression each. */
const VALUES_COUNT_MIN = 1_000;
const DECIMAL = /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const INTEGER = /^-?\d+$/;
/** Integers of fewer characters have the narrowest type. */
const SHORT_CHARACTERS = 9;

/** Null for short lists, other expressions, rows of several lengths, columns of several kinds. */
export function constantRows(context: MapContext, lists: readonly pg.Node[]): ConstantRows | null {
  const width = as(lists[0], 'List')?.items?.length ?? 0;
  if (width * lists.length < VALUES_COUNT_MIN) return null;
  const columns = Array.from({ length: width }, () => new ColumnBuilder());
  for (const list of lists) {
    const items = as(list, 'List')?.items ?? [];
    if (items.length !== width) return null;
    for (let i = 0; i < width; i++) {
      const constant = as(items[i], 'A_Const');
      if (constant === null) return null;
      if (!(columns[i] as ColumnBuilder).add(constant, context.at(constant.location))) return null;
    }
  }
  return { count: lists.length, columns: columns.map((column) => column.build()) };
}

class ColumnBuilder {
  #kind: ConstantColumn['kind'] | null = null;
  #widest = 0n;
  #widestText = '';
  #longest = 0;
  readonly #pieces: ConstantPiece[] = [];
  #texts: string[] = [];
  #nulls: number[] = [];
  #places: number[] = [];

  /** False where it does not go with the others. */
  add(constant: pg.A_Const, at: number): boolean {
    if (this.#texts.length === PIECE_ROWS) this.#endPiece();
    const text = constant.isnull ? '' : this.#textOf(constant);
    if (text === null) return false;
    if (constant.isnull) this.#nulls.push(this.#texts.length);
    this.#longest = Math.max(this.#longest, text.length);
    this.#texts.push(text);
    this.#places.push(at);
    return true;
  }

  build(): ConstantColumn {
    this.#endPiece();
    const kind = this.#kind ?? 'string';
    return { kind, widest: this.#widestText, longest: this.#longest, pieces: this.#pieces };
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

  #textOf(constant: pg.A_Const): string | null {
    if (constant.boolval !== undefined) {
      return this.#isKind('boolean') ? String(constant.boolval.boolval ?? false) : null;
    }
    if (constant.sval !== undefined) return this.#isKind('string') ? (constant.sval.sval ?? '') : null;
    const text = constant.fval?.fval ?? (constant.ival === undefined ? '' : String(constant.ival.ival ?? 0));
    if (INTEGER.test(text)) return this.#isNumber('integer') ? this.#integer(text) : null;
    return DECIMAL.test(text) && this.#isNumber('decimal') ? text : null;
  }

  #isKind(kind: ConstantColumn['kind']): boolean {
    this.#kind ??= kind;
    return this.#kind === kind;
  }

  #isNumber(kind: 'integer' | 'decimal'): boolean {
    if (this.#isKind(kind)) return true;
    if (this.#kind === 'string' || this.#kind === 'boolean') return false;
    this.#kind = 'mixed';
    return true;
  }

  #integer(text: string): string {
    if (this.#widestText === '') this.#widestText = '0';
    if (text.length <= SHORT_CHARACTERS) return text;
    const value = BigInt(text);
    const magnitude = value < 0n ? -value - 1n : value;
    if (magnitude > this.#widest) {
      this.#widest = magnitude;
      this.#widestText = text;
    }
    return text;
  }
}

type Rows = readonly (readonly Expr[])[];

/** Who binds them and who prints them speak of the same expressions. */
const LISTED = new WeakMap<ConstantRows, Rows>();

/** As they were written. */
export function listedRows(rows: ValuesQuery['rows']): Rows {
  if (!('columns' in rows)) return rows;
  const known = LISTED.get(rows) ?? listedAnew(rows);
  LISTED.set(rows, known);
  return known;
}

function listedAnew(rows: ConstantRows): Rows {
  const columns = rows.columns.map(({ kind, pieces }) => pieces.flatMap((piece) => listed(kind, piece)));
  return Array.from({ length: rows.count }, (_, row) => columns.map((column) => column[row] as Expr));
}

export function firstRow(rows: ValuesQuery['rows']): readonly Expr[] {
  if (!('columns' in rows)) return rows[0] ?? [];
  const columns = rows.columns.map((column) => ({ ...column, pieces: column.pieces.slice(0, 1) }));
  return listedAnew({ count: 1, columns })[0] ?? [];
}

function listed(kind: ConstantColumn['kind'], piece: ConstantPiece): Expr[] {
  const places = pieceNumbers(piece.places);
  return pieceTexts(piece).map((text, i): Expr => {
    const at = places[i] ?? 0;
    if (text === null) return { kind: 'null', at };
    if (kind === 'string') return { kind: 'string', at, value: text };
    if (kind === 'boolean') return { kind: 'boolean', at, value: text === 'true' };
    return { kind: INTEGER.test(text) ? 'integer' : 'decimal', at, text };
  });
}
