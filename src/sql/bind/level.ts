/**
 * Names in sight, as data. A `Level` is one SELECT (or UPDATE, VALUES …): the FROM entries by name, the columns that
 * are visible without a qualifier, and the level around it. `scope.ts` looks names up in it.
 */
import type { Relation } from '../../catalog/model.ts';
import type { AggregateCall, Arm, MarkedRow, WindowFrame } from '../../plan/plan.ts';
import type { TypeRef } from '../../types/type.ts';
import type { LockingClause, WindowDefinition } from '../ast.ts';
import type { ConstantsDraft, Draft, Expression, Plan, ScanDraft, SortKey } from './draft.ts';
import type { CommonTables } from './query/common-tables.ts';
import type { RelationUse, UsedColumn } from './rights.ts';
import type { State } from './state.ts';

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
  | 'window ROWS'
  | 'window RANGE'
  | 'window GROUPS'
  | 'MERGE WHEN conditions'
  | 'EXECUTE parameters'
  | 'policy expressions';

export interface ScopeColumn {
  readonly name: string;
  readonly expression: Expression;
  readonly undeclared: boolean;
  /** Origin for RowDescription; 0 when computed. */
  readonly relation: number;
  readonly attribute: number;
  /** The stored column that one reads with it; absent: none, or one that is asked for elsewhere. */
  readonly used?: UsedColumn;
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
  /** The relation as the statement uses it; absent: nothing is asked for. */
  readonly use?: RelationUse;
}

/** An entry of FROM, or all of them, when bound. */
export interface FromResult<P extends Plan = Plan> {
  readonly plan: P;
  readonly items: readonly ScopeItem[];
  readonly columns: readonly ScopeColumn[];
}

/** An entry of the select list, as ORDER BY and GROUP BY can name it. */
export interface Target {
  readonly name: string;
  readonly expression: Expression;
}

export interface SelectTarget extends Target {
  /** Origin for RowDescription; 0 when computed. */
  readonly relation: number;
  readonly attribute: number;
  /** Its type is known only when a value is read (`expression/undeclared.ts`). */
  readonly mixed?: boolean;
}

export interface PendingAggregate {
  readonly id: number;
  readonly call: AggregateCall<Draft>;
}

export interface PendingWindow {
  readonly id: number;
  readonly function: string;
  readonly args: readonly Expression[];
  readonly filter: Expression | null;
  readonly partition: readonly Expression[];
  readonly order: readonly SortKey[];
  readonly frame: WindowFrame<Draft>;
  readonly type: TypeRef;
}

export interface RowField {
  readonly name: string;
  readonly type: TypeRef;
}

export interface PendingSet {
  readonly id: number;
  readonly function: string;
  readonly args: readonly Expression[];
  readonly type: TypeRef;
  /** Columns of a function that has several; null for one value a row. */
  readonly fields: readonly RowField[] | null;
  readonly name: string;
}

export type KeywordArm = Extract<Arm<Draft>, { kind: 'keyword' }>;

/** An arm of a scan that a query level asks. */
export interface LevelArm<A extends Arm<Draft> = KeywordArm> {
  readonly scan: ScanDraft;
  readonly arm: A;
}

export type RankingArm = Exclude<Arm<Draft>, { kind: 'vector' | 'embedding' }>;

export interface ScoreCall {
  readonly id: number;
  readonly name: 'bm25_score' | 'explain_score';
  readonly at: number;
  readonly b: Expression | null;
  readonly k1: Expression | null;
}

/** A call that waits for the end of its level. */
export interface PassageCall {
  readonly id: number;
  readonly name: string;
  readonly args: ReadonlyMap<string, Expression>;
  /** Names of `index =>`. */
  readonly indexes: readonly string[];
  readonly at: number;
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
  /** Keyword predicates, and the calls of `bm25_score()` and `explain_score()` that add them up at the end of the level. */
  readonly keywordArms: LevelArm[];
  /** Calls of `bm25()` and `semantic_similarity()`, which `explain_score()` tells about too. */
  readonly rankingArms: LevelArm<RankingArm>[];
  readonly scoreCalls: ScoreCall[];
  /** Calls of `snippet` and `highlight` whose query is that of the keyword predicates. */
  readonly passageCalls: PassageCall[];
  /** Plans of `hybrid()` in FROM, and what the ids of their stored columns are below its search. */
  readonly searches: Map<Plan, ReadonlyMap<number, Expression>>;
  /** Value of `merge_action()`, in RETURNING of a MERGE. */
  mergeAction: Expression | null;
  /** FOR UPDATE and its kin, and the scans that FROM has of stored relations while there are any. */
  locking: RowLocking;
  readonly marked: MarkedScan[];
  /** True when scans are marked though nothing is locked: FROM of UPDATE, USING of DELETE. */
  marks: boolean;
  /** Constants of long VALUES, whose expressions stand on this level. */
  constants: ConstantsDraft | null;
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
    rankingArms: [],
    scoreCalls: [],
    passageCalls: [],
    searches: new Map(),
    mergeAction: null,
    locking: NO_LOCKING,
    marked: [],
    marks: false,
    constants: null,
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
