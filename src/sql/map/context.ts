/**
 * Shared parts of the mappers of libpg-query's tree: the source for positions, how deep it is in the tree, and the
 * mappers that all others may call (an expression holds a query, a query expressions and writes), through the
 * table that `map.ts` puts together. libpg-query leaves out zero, false and empty fields, so every field may be
 * missing.
 */
import { assert } from '../../assert.ts';
import { tooDeep } from '../../errors.ts';
import { EXPRESSION_DEPTH_MAX } from '../../limits.ts';
import type { ColumnDefinition, Expr, Query, Statement, With } from '../ast.ts';
import type { Dialect } from '../parse/dialect.ts';
import type { pg } from '../parse/grammar.ts';
import type { Source } from '../parse/source.ts';

type Write = Exclude<With['tables'][number]['query'], Query>;

export interface Mappers {
  readonly expression: (context: MapContext, node: pg.Node) => Expr;
  readonly query: (context: MapContext, node: pg.Node | undefined) => Query;
  /** Null for a node that is no INSERT, UPDATE, DELETE or MERGE. */
  readonly write: (context: MapContext, node: pg.Node | undefined) => Write | null;
  readonly statement: (context: MapContext, node: pg.Node, start: number) => Statement;
}

export class MapContext {
  readonly source: Source;
  readonly dialect: Dialect;
  readonly mappers: Mappers;
  /** Fields of a struct, which are a text of their own. */
  readonly mapFields: (fields: Source) => readonly ColumnDefinition[];
  #depth = 0;

  constructor({ source, dialect, mappers, mapFields }: Omit<MapContext, 'at' | 'nested'>) {
    this.source = source;
    this.dialect = dialect;
    this.mappers = mappers;
    this.mapFields = mapFields;
  }

  /** 1-based character position; the first location that the grammar gives, 0 when none does. */
  at(...locations: readonly (number | undefined)[]): number {
    for (const location of locations) {
      const position = this.source.position(location);
      if (position > 0) return position;
    }
    return 0;
  }

  /** Runs `map` one level deeper. @throws SqlError 54001 beyond EXPRESSION_DEPTH_MAX levels. */
  nested<T>(map: () => T): T {
    if (++this.#depth > EXPRESSION_DEPTH_MAX) throw tooDeep();
    try {
      return map();
    } finally {
      this.#depth--;
    }
  }
}

/** @throws SqlError 0A000 for expressions Quern has not, 54001 when they nest too deep. */
export function mapExpr(context: MapContext, node: pg.Node | undefined): Expr {
  return node === undefined ? { kind: 'null', at: 0 } : context.mappers.expression(context, node);
}

export function mapExprs(context: MapContext, nodes: readonly pg.Node[] | undefined): Expr[] {
  return (nodes ?? []).map((node) => mapExpr(context, node));
}

export function mapOptionalExpr(context: MapContext, node: pg.Node | undefined): Expr | null {
  return node === undefined ? null : mapExpr(context, node);
}

export function mapQuery(context: MapContext, node: pg.Node | undefined): Query {
  return context.mappers.query(context, node);
}

/** Null for a node that is no INSERT, UPDATE, DELETE or MERGE. */
export function mapWrite(context: MapContext, node: pg.Node | undefined): Write | null {
  return context.mappers.write(context, node);
}

/** The fields of a struct. @throws SqlError as for CREATE TABLE. */
export function mapFields(context: MapContext, fields: Source): readonly ColumnDefinition[] {
  return context.nested(() => context.mapFields(fields));
}

/**
 * @param start byte offset of the statement's first token.
 * @throws SqlError 54001 when it nests too deep.
 */
export function mapStatement(context: MapContext, node: pg.Node, start: number): Statement {
  return context.mappers.statement(context, node, start);
}

/** The one key of a node says what it is. */
export type Tag = pg.Node extends infer Member ? (Member extends unknown ? keyof Member : never) : never;
type Bodies = {
  readonly [K in Tag]: Extract<pg.Node, { [P in K]: unknown }> extends { [P in K]: infer B } ? B : never;
};
export type Body<K extends Tag> = Bodies[K];

/** `{ A_Const: {…} }` as its tag and body. */
export function open(node: pg.Node): readonly [tag: Tag, body: unknown] {
  const entry = Object.entries(node)[0];
  assert(entry !== undefined, 'a node of the parse tree has a tag');
  return entry as [Tag, unknown];
}

/** The node's body when it has that tag. */
export function as<K extends Tag>(node: pg.Node | undefined, tag: K): Body<K> | null {
  const fields = node as Readonly<Record<string, unknown>> | undefined;
  return fields !== undefined && tag in fields ? (fields[tag] as Body<K>) : null;
}

/** String nodes as strings: names of all kinds. */
export function strings(nodes: readonly pg.Node[] | undefined): string[] {
  return (nodes ?? []).map((node) => as(node, 'String')?.sval ?? '');
}
