/** What printing carries along: the text so far, and what the names in a query stand for. */
import { typeName } from '../../catalog/enums.ts';
import type { TypeRef } from '../../types/type.ts';
import type { BindContext } from '../bind/bind.ts';
import type { Level } from '../bind/scope.ts';
import type { State } from '../bind/state.ts';
import type { Trace } from '../bind/trace.ts';
import type { SelectTarget } from '../bind/query/items.ts';
import type { Select } from '../ast.ts';
import type { Layout } from './layout.ts';

export interface Printer {
  readonly layout: Layout;
  readonly state: State;
  readonly trace: Trace;
  /** Names are shown as this search path needs them. */
  readonly context: BindContext;
  /** Names in the text are found as this search path finds them. */
  readonly resolving: BindContext;
  /** Columns are shown with their table's name. */
  readonly qualified: boolean;
  /** Inside another query: columns are always qualified there. */
  readonly nested: boolean;
  /** Names of FROM entries in this query and those around it. */
  readonly reserved: ReadonlySet<string>;
  /** How a level's FROM entries are called, where that is not their own name. */
  readonly aliases: ReadonlyMap<Level, ReadonlyMap<string, string>>;
  /** The same for the query that is printed. */
  readonly own: ReadonlyMap<string, string>;
  /** Common tables in sight. */
  readonly tables: ReadonlySet<string>;
  /** The SELECT whose list ORDER BY and GROUP BY may name. */
  readonly select: Select | null;
}

export type { SelectTarget };

/** A type's name as the printer's search path needs it. */
export function typeText({ context }: Printer, type: TypeRef): string {
  return typeName(context, type) ?? '???';
}
