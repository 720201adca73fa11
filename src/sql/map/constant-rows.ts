/**
 * Long VALUES by column: constants apart from what is done with them, so that thousands of `'…'::date` are one
 * cast of one column; and back to rows of expressions where these are wanted.
 */
import {
  type ConstantColumn,
  type ConstantPiece,
  pieceNumbers,
  pieceTexts,
} from '../../plan/constant-rows.ts';
import { SqlError } from '../../errors.ts';
import type { Expr, ShapedColumn, ShapedRows, ValuesQuery } from '../ast.ts';
import { classOf, type Constant, ConstantColumnBuilder, constantOf } from './constant-columns.ts';
import { as, type MapContext, mapExpr } from './context.ts';
import type { pg } from '../parse/grammar.ts';
import { type Change, shapeOf } from './shapes.ts';

/** Fewer values are an expression each. */
const VALUES_COUNT_MIN = 1_000;
/** Views and what else is kept as text; others are bound by column. */
const LISTED_COUNT_MAX = 40_000;
/** Shapes of one column; with more of them its rows are an expression each. */
const SHAPES_COUNT_MAX = 16;
const INTEGER = /^-?\d+$/;

/** Null for short lists, rows of several lengths, columns of cells that have little in common. */
export function constantRows(context: MapContext, lists: readonly pg.Node[]): ShapedRows | null {
  const width = as(lists[0], 'List')?.items?.length ?? 0;
  if (width * lists.length < VALUES_COUNT_MIN) return null;
  const constants: ConstantColumnBuilder[] = [];
  const columns = Array.from({ length: width }, () => new ShapesBuilder(constants));
  for (const [row, list] of lists.entries()) {
    const items = as(list, 'List')?.items ?? [];
    if (items.length !== width) return null;
    for (const [i, column] of columns.entries()) {
      if (!column.add(row, mapExpr(context, items[i]))) return null;
    }
  }
  const cells = columns.map((column) => column.build());
  return { count: lists.length, columns: constants.map((column) => column.build(lists.length)), cells };
}

interface Shape {
  readonly value: Expr;
  readonly row: number;
  readonly number: number;
  /** Where the constants go, in the order in which they stand. */
  readonly slots: readonly ConstantColumnBuilder[];
}

/** Adds its columns of constants to those of all. */
class ShapesBuilder {
  readonly #constants: ConstantColumnBuilder[];
  readonly #shapes: Shape[] = [];
  /** Constants that stand for themselves. */
  readonly #plain: Shape[] = [];
  readonly #byText = new Map<string, Shape>();
  readonly #slots = new Map<string, number>();
  readonly #numbers: number[] = [];

  constructor(constants: ConstantColumnBuilder[]) {
    this.#constants = constants;
  }

  add(row: number, expr: Expr): boolean {
    const constant = constantOf(expr);
    const shape = constant === null ? this.#shaped(row, expr) : this.#plainShape(row, constant);
    if (shape === null) return false;
    this.#numbers.push(shape.number);
    return this.#shapes.length <= SHAPES_COUNT_MAX;
  }

  build(): ShapedColumn {
    const shapes = this.#shapes.map(({ value, row }) => ({ value, row }));
    if (shapes.length === 1) return { shapes, which: null };
    const which = this.#newColumn();
    for (const [row, number] of this.#numbers.entries()) {
      this.#constants[which]?.add(row, { kind: 'integer', text: String(number), at: 0 });
    }
    return { shapes, which };
  }

  #plainShape(row: number, constant: Constant): Shape {
    const known = this.#plain.find(({ slots }) => slots[0]?.add(row, constant));
    if (known !== undefined) return known;
    const column = this.#newColumn();
    const builder = this.#constants[column] as ConstantColumnBuilder;
    builder.add(row, constant);
    const shape = this.#newShape({ kind: 'slot', at: constant.at, column }, row, [builder]);
    this.#plain.push(shape);
    return shape;
  }

  #shaped(row: number, expr: Expr): Shape | null {
    const found: Constant[] = [];
    const text = shapeOf(expr, taken(found));
    if (text === null) return null;
    const key = JSON.stringify(text);
    const shape = this.#byText.get(key) ?? this.#anew(row, expr);
    this.#byText.set(key, shape);
    for (const [i, constant] of found.entries()) shape.slots[i]?.add(row, constant);
    return shape;
  }

  #anew(row: number, expr: Expr): Shape {
    const slots: ConstantColumnBuilder[] = [];
    const value = shapeOf(expr, {
      at: (at) => at,
      leaf: (leaf) => {
        const constant = constantOf(leaf);
        if (constant === null) return undefined;
        const column = this.#slot(`${slots.length} ${classOf(constant)}`);
        slots.push(this.#constants[column] as ConstantColumnBuilder);
        return { kind: 'slot', at: leaf.at, column };
      },
    });
    return this.#newShape(value ?? expr, row, slots);
  }

  #newShape(value: Expr, row: number, slots: readonly ConstantColumnBuilder[]): Shape {
    const shape = { value, row, number: this.#shapes.length, slots };
    this.#shapes.push(shape);
    return shape;
  }

  /** Shapes share what no row of theirs can have twice. */
  #slot(key: string): number {
    const column = this.#slots.get(key) ?? this.#newColumn();
    this.#slots.set(key, column);
    return column;
  }

  #newColumn(): number {
    return this.#constants.push(new ConstantColumnBuilder()) - 1;
  }
}

/** A shape without places, each constant as the name of its class. */
function taken(found: Constant[]): Change {
  return {
    at: () => 0,
    leaf: (leaf) => {
      const constant = constantOf(leaf);
      if (constant === null) return undefined;
      found.push(constant);
      return { kind: 'string', at: 0, value: classOf(constant) };
    },
  };
}

type Rows = readonly (readonly Expr[])[];

/** Who binds them and who prints them speak of the same expressions. */
const LISTED = new WeakMap<ShapedRows, Rows>();

/** As they were written. */
export function listedRows(rows: ValuesQuery['rows']): Rows {
  if (!('cells' in rows)) return rows;
  const known = LISTED.get(rows) ?? listedAnew(withinBounds(rows));
  LISTED.set(rows, known);
  return known;
}

/** @throws SqlError 54001 where others would wait for it too long. */
function withinBounds(rows: ShapedRows): ShapedRows {
  if (rows.count * rows.cells.length <= LISTED_COUNT_MAX) return rows;
  throw new SqlError('statement_too_complex', 'VALUES is too long to be kept as a definition', {
    hint: 'Insert the rows into a table.',
  });
}

export function firstRow(rows: ValuesQuery['rows']): readonly Expr[] {
  if (!('cells' in rows)) return rows[0] ?? [];
  const columns = rows.columns.map((column) => ({ ...column, pieces: column.pieces.slice(0, 1) }));
  return listedAnew({ ...rows, count: 1, columns })[0] ?? [];
}

function listedAnew({ count, columns, cells }: ShapedRows): Rows {
  const constants = columns.map(({ kind, pieces }) => pieces.flatMap((piece) => listed(kind, piece)));
  return Array.from({ length: count }, (_, row) => cells.map((cell) => listedCell(cell, row)));

  function listedCell({ shapes, which }: ShapedColumn, row: number): Expr {
    const number = which === null ? undefined : constants[which]?.[row];
    const shape = shapes[number?.kind === 'integer' ? Number(number.text) : 0];
    const first = shape?.value ?? { kind: 'null', at: 0 };
    return filled(first, (column) => constants[column]?.[row] ?? { kind: 'null', at: 0 });
  }
}

/** Other places are as far from the constants as they are in the first row. */
function filled(shape: Expr, constant: (column: number) => Expr): Expr {
  let moved = 0;
  const leaf = (part: Expr): Expr | undefined => {
    if (part.kind !== 'slot') return undefined;
    const given = constant(part.column);
    if (given.at > 0) moved = given.at - part.at;
    return given;
  };
  shapeOf(shape, { at: (at) => at, leaf });
  return shapeOf(shape, { at: (at) => at && at + moved, leaf }) ?? shape;
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
