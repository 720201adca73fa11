/**
 * Trace of what the binder made of each piece of the syntax tree, kept when a definition is to be written out again
 * (`sql/deparse/`): PostgreSQL prints the types it resolved, in the form the user wrote.
 */
import type { Expr, FromItem, Select, SelectItem } from '../ast.ts';
import type { Level, SelectTarget } from './level.ts';
import type { Expression } from './draft.ts';

export interface Trace {
  /** The expression of a syntax node, before what is around it asked for another type. */
  readonly bound: Map<Expr, Expression>;
  /** Results of `coerce`, by identity; one step each. */
  readonly coerced: Map<Expression, Expression>;
  /** Entries of a select list; several for a star. */
  readonly targets: Map<SelectItem, readonly SelectTarget[]>;
  /** Names of the columns of what stands in FROM. */
  readonly columns: Map<FromItem, readonly string[]>;
  readonly levels: Map<Select, Level>;
  /** Columns that a NATURAL JOIN joins by. */
  readonly natural: Map<FromItem, readonly string[]>;
}

export function newTrace(): Trace {
  return {
    bound: new Map(),
    coerced: new Map(),
    targets: new Map(),
    columns: new Map(),
    levels: new Map(),
    natural: new Map(),
  };
}
