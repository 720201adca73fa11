/**
 * Names in sight. A `Level` is one SELECT (or UPDATE, VALUES …): the FROM entries by name, the columns that
 * are visible without a qualifier, and the level around it. Resolution and its errors follow PostgreSQL's
 * parse_relation.c: the innermost level that knows a name wins, two there are ambiguous.
 */
import { SqlError } from '../../errors.ts';
import type { Relation } from '../../catalog/model.ts';
import type { Expression } from '../../plan/expression.ts';
import type { AggregateCall, Arm, MarkedRow, SortKey, WindowFrame } from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import type { TypeRef } from '../../types/type.ts';
import type { LockingClause, WindowDefinition } from '../ast.ts';
import { branch, type ScanDraft } from './draft.ts';
import type { PassageCall } from './ranking/passages.ts';
import { knownType, type RowField } from './expression/record.ts';
import type { CommonTables } from './query/with.ts';
import type { State } from './state.ts';
import { missingColumn, missingTable } from './scope-errors.ts';
import { isSystemColumn, systemColumn } from './expression/system-columns.ts';

/** Where an expression stands: decides what it may hold, and is named in errors as PostgreSQL names it. */
export type Clause =
  | 'SELECT'
  | 'WHERE'
  | 'HAVING'
  | 'GROUP BY'
  | 'ORDER BY'
  | 'LIMIT'
  | 'JOIN conditions'
  | 'functions in FROM'
  | 'VALUES'
  | 'RETURNING'
  | 'UPDATE'
  | 'DEFAULT expressions'
  | 'check constraints'
  | 'column generation expressions'
  | 'index expressions'
  | 'index predicates'
  | 'transform expressions'
  | 'FILTER'
  | 'aggregate arguments'
  | 'window definitions'
  | 'MERGE WHEN conditions'
  | 'EXECUTE parameters';

export interface ScopeColumn {
  readonly name: string;
  readonly expression: Expression;
  readonly undeclared: boolean;
  /** Origin for RowDescription; 0 when computed. */
  readonly relation: number;
  readonly attribute: number;
}

/** A FROM entry as it can be named. */
export interface ScopeItem {
  readonly alias: string;
  readonly schema: string | null;
  readonly columns: readonly ScopeColumn[];
  /** The stored relation behind it, when it is one. */
  readonly relation: Relation | null;
  readonly scan: ScanDraft | null;
  /** `tableoid` of its rows; 0 when it is no relation. */
  readonly oid: number;
  /** Id of the row number of rows that are deleted. */
  readonly rowNumberId?: number;
  /** Id of `xmax` of rows that are inserted: not 0 for those that ON CONFLICT has updated. */
  readonly replacedId?: number;
  /** Its name before the alias: for "perhaps you meant to reference the table alias". */
  readonly originalName: string | null;
  /** On the side of an outer join that may have no row: NULL where there is none (`expression/presence.ts`). */
  readonly presence?: Expression;
  /** A call in FROM that gives single values: its name is the value, not a row of it. */
  readonly scalar?: boolean;
}

export interface PendingAggregate {
  readonly id: number;
  readonly call: AggregateCall;
}

export interface PendingWindow {
  readonly id: number;
  readonly function: string;
  readonly args: readonly Expression[];
  readonly filter: Expression | null;
  readonly partition: readonly Expression[];
  readonly order: readonly SortKey[];
  readonly frame: WindowFrame;
  readonly type: TypeRef;
}

export interface PendingSet {
  readonly id: number;
  readonly function: string;
  readonly args: readonly Expression[];
  readonly type: TypeRef;
  /** Of a function with several columns; null for one value a row. */
  readonly fields: readonly RowField[] | null;
  readonly name: string;
}

export type KeywordArm = Extract<Arm, { kind: 'keyword' }>;

export interface ScoreCall {
  readonly id: number;
  readonly b: Expression | null;
  readonly k1: Expression | null;
}

export interface Level {
  readonly state: State;
  readonly parent: Level | null;
  readonly commonTables: CommonTables | null;
  items: readonly ScopeItem[];
  /** Visible without a qualifier, in the order of `*`. */
  columns: readonly ScopeColumn[];
  /** FROM entries beside a subquery that it could only see with LATERAL: for the error's hint. */
  hidden: readonly ScopeItem[];
  /** Names of the select list, while ORDER BY is bound. */
  aliases: ReadonlyMap<string, Expression> | null;
  clause: Clause;
  readonly aggregates: PendingAggregate[];
  readonly groupingCalls: {
    readonly id: number;
    readonly args: readonly Expression[];
    readonly at: number;
  }[];
  readonly windows: PendingWindow[];
  windowNames: ReadonlyMap<string, WindowDefinition>;
  readonly sets: PendingSet[];
  /** Keyword predicates, and the calls of `bm25_score()` that add them up at the end of the level. */
  readonly keywordArms: { readonly scan: ScanDraft; readonly arm: KeywordArm }[];
  readonly scoreCalls: ScoreCall[];
  /** Calls of `snippet` and `highlight` whose query is that of the keyword predicates. */
  readonly passageCalls: PassageCall[];
  /** What `merge_action()` gives, in RETURNING of a MERGE. */
  mergeAction: Expression | null;
  /** FOR UPDATE and its kin, and the scans that FROM has of stored relations while there are any. */
  locking: RowLocking;
  readonly marked: MarkedScan[];
  /** Whether scans are marked though nothing is locked: FROM of UPDATE, USING of DELETE. */
  marks: boolean;
}

/** The locking clauses of a SELECT. */
export interface RowLocking {
  readonly clauses: readonly LockingClause[];
  /** From around the subquery or view: for all its rows. */
  readonly outside: RowLock | null;
}

export type RowLock = NonNullable<MarkedRow['lock']>;

export interface MarkedScan {
  readonly scan: ScanDraft;
  readonly alias: string;
}

const NO_LOCKING: RowLocking = { clauses: [], outside: null };

export function newLevel(state: State, parent: Level | null, commonTables: CommonTables | null): Level {
  return {
    state,
    parent,
    commonTables,
    items: [],
    columns: [],
    hidden: [],
    aliases: null,
    clause: 'SELECT',
    aggregates: [],
    groupingCalls: [],
    windows: [],
    windowNames: new Map(),
    sets: [],
    keywordArms: [],
    scoreCalls: [],
    passageCalls: [],
    mergeAction: null,
    locking: NO_LOCKING,
    marked: [],
    marks: false,
  };
}

/** Runs `bind` with the level standing in `clause`. */
export function inClause<T>(level: Level, clause: Clause, bind: () => T): T {
  const before = level.clause;
  level.clause = clause;
  try {
    return bind();
  } finally {
    level.clause = before;
  }
}

/** Expressions that belong to a relation, and are of its row alone. */
const STORED: ReadonlySet<Clause> = new Set([
  'check constraints',
  'DEFAULT expressions',
  'column generation expressions',
  'index expressions',
  'index predicates',
  'transform expressions',
]);

/** @throws SqlError 0A000 where an expression sees one row only. */
export function refuseSubquery({ clause }: Level, at: number): void {
  if (!STORED.has(clause)) return;
  const message = `cannot use subquery in ${clause.replace(/s$/, '')}`;
  throw new SqlError('feature_not_supported', message, { position: at || undefined });
}

/** A column by its written path: `a`, `t.a`, `s.t.a`. @throws SqlError 42703, 42P01, 42702. */
export function resolveColumn(level: Level, path: readonly string[], at: number): Expression {
  const column = path[path.length - 1] ?? '';
  if (level.clause === 'DEFAULT expressions') {
    throw new SqlError('feature_not_supported', 'cannot use column reference in DEFAULT expression', {
      position: at,
    });
  }
  if (path.length === 1) {
    return resolveName(level, column, at) ?? missingColumn(level, column, at);
  }
  const item = resolveItem(level, path.slice(0, -1), at);
  if (!item) return missingTable(level, path, at);
  const found = item.columns.filter((candidate) => candidate.name === column);
  if (found.length > 1) throw ambiguous(column, at);
  return found[0]
    ? located(found[0], at)
    : (systemColumn(level, item, column, at) ?? missingColumn(level, column, at, item));
}

function resolveName(level: Level, name: string, at: number): Expression | undefined {
  for (let scope: Level | null = level; scope; scope = scope.parent) {
    const found = scope.columns.filter((column) => column.name === name);
    if (found.length > 1) throw ambiguous(name, at);
    const alias = scope.aliases?.get(name);
    if (alias && (found[0] === undefined || found[0].undeclared)) return alias;
    if (found[0]) return located(found[0], at);
    if (isSystemColumn(name)) {
      const relations = scope.items.filter(({ oid }) => oid !== 0);
      if (relations.length > 1) throw ambiguous(name, at);
      if (relations[0]) return systemColumn(level, relations[0], name, at);
    }
  }
  const row = resolveItem(level, [name], at);
  return row && wholeRow(level, row, at);
}

/** `t` or `t.*` as a value: the single value of a scalar call, NULL where an outer join found no row. */
export function wholeRow(level: Level, item: ScopeItem, at: number): Expression {
  const [only] = item.columns;
  if (item.scalar && only) return located(only, at);
  const row: Expression = {
    kind: 'row',
    fields: item.columns.map((column) => located(column, at)),
    names: item.columns.map((column) => column.name),
    type: { oid: OID.record, modifier: -1 },
    at,
  };
  if (!item.presence) return row;
  const type = knownType(level.state, row);
  return { kind: 'case', branches: [branch({ ...item.presence, at }, row)], otherwise: null, type, at };
}

/** A FROM entry by `[table]` or `[schema, table]`. */
export function resolveItem(level: Level, path: readonly string[], at: number): ScopeItem | undefined {
  const name = path[path.length - 1];
  const schema = path.length > 1 ? path[path.length - 2] : null;
  for (let scope: Level | null = level; scope; scope = scope.parent) {
    const found = scope.items.filter(
      (item) => item.alias === name && (schema === null || item.schema === schema),
    );
    if (found.length > 1) {
      throw new SqlError('ambiguous_alias', `table reference "${name}" is ambiguous`, { position: at });
    }
    if (found[0]) return found[0];
  }
  return undefined;
}

/** All columns of `*` or `t.*`. */
export function expandStar(level: Level, path: readonly string[], at: number): readonly ScopeColumn[] {
  if (path.length === 0) {
    if (level.items.length === 0) {
      throw new SqlError('syntax_error', 'SELECT * with no tables specified is not valid', { position: at });
    }
    return level.columns.map((column) => ({ ...column, expression: located(column, at) }));
  }
  const item = resolveItem(level, path, at) ?? missingTable(level, [...path, '*'], at);
  return item.columns.map((column) => ({ ...column, expression: located(column, at) }));
}

function located(column: ScopeColumn, at: number): Expression {
  return { ...column.expression, at };
}

function ambiguous(name: string, at: number): SqlError {
  return new SqlError('ambiguous_column', `column reference "${name}" is ambiguous`, { position: at });
}
