/**
 * State of one call of `bindStatement`: ids given out, what each column id stands for, parameter types
 * inferred so far. Names live in levels (`scope.ts`).
 */
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import type { TypeRef } from '../../types/type.ts';
import type { With } from '../ast.ts';
import type { BindContext } from './context.ts';
import type { ConstantsDraft, Expression, ScanDraft } from './draft.ts';
import type { Level, RowField } from './level.ts';
import type { CollectedRight, RelationUse } from './rights.ts';
import type { Trace } from './trace.ts';

/** Facts of a column id for an error message or a rule of typing. */
export interface ColumnInfo {
  readonly level: Level;
  /** Name of its FROM entry. */
  readonly table: string;
  readonly name: string;
  /** Accepted on write without a declaration: compared by value class. */
  readonly undeclared: boolean;
  /** Origin for RowDescription; 0 when computed. */
  readonly relation: number;
  readonly attribute: number;
  /** The scan that reads it, where ranking functions put their arms; null for computed columns. */
  readonly scan: ScanDraft | null;
}

export interface State {
  /** Another one inside of views, functions and what is stored (`rights.ts`). */
  context: BindContext;
  readonly columns: Map<number, ColumnInfo>;
  /** Ids that stand for an expression known only at the end of the level (`bm25_score()`, GROUPING). */
  readonly substitutes: Map<number, Expression>;
  /** Ids whose value comes from a ranking function: sort keys with one put NULLs last. */
  readonly ranking: Set<number>;
  /** Ids that stand for constants of long VALUES that nothing has typed yet. */
  readonly unread: Map<number, UnreadConstants>;
  /** By parameter number - 1: type OID, 0 for not known. */
  readonly parameters: number[];
  /** By index of a parameter, its value where the plan depends on it; undefined where it is not known. */
  readonly fixed: Map<number, Datum | undefined>;
  nextId: number;
  nextCommonTable: number;
  /** Fields of records, by the modifiers of their types (`expression/record.ts`). */
  readonly rowShapes: (readonly RowField[])[];
  /** Views being expanded, to end a cycle. */
  readonly views: number[];
  /** Relations whose policies are being bound, to end a recursion. */
  readonly policies: number[];
  /** Functions in SQL being expanded, to end a recursion. */
  readonly functions: number[];
  /** All functions in SQL that were expanded. */
  readonly functionsUsed: Set<number>;
  /** Values of `$1`, `$2`, … in a function's body; null outside of one. */
  functionArguments: readonly Expression[] | null;
  /** Calls of functions in SQL as they were expanded: the same call is the same expression. */
  readonly sqlCalls: SqlCallRecord[];
  /** The statement's own WITH, the only one that may write. */
  topWith: With | null;
  /** Rights that are needed, in the order in which the statement names things. */
  readonly rights: CollectedRight[];
  /** Uses of the relations that scans read. */
  readonly scanUses: Map<ScanDraft, RelationUse>;
  /** Whose rights relations are asked with; null: of whoever runs the statement. */
  as: number | null;
  /** The owner of the SECURITY DEFINER function that is being expanded; null outside of one. */
  invoker: number | null;
  /** Whoever the statement is bound for; undefined: the owner. */
  readonly caller: number | undefined;
  /** Filled where what is bound is to be written out again; else null. */
  readonly trace: Trace | null;
}

export interface UnreadConstants {
  readonly draft: ConstantsDraft;
  /** Among the constants of the statement's VALUES. */
  readonly column: number;
}

export interface SqlCallRecord {
  readonly function: number;
  readonly args: readonly Expression[];
  readonly expression: Expression;
}

export function newState(context: BindContext, trace: Trace | null = null): State {
  return {
    context,
    columns: new Map(),
    substitutes: new Map(),
    ranking: new Set(),
    unread: new Map(),
    parameters: [...context.parameterTypes],
    fixed: new Map(),
    nextId: 1,
    nextCommonTable: 1,
    rowShapes: [],
    views: [],
    policies: [],
    functions: [],
    functionsUsed: new Set(),
    functionArguments: null,
    sqlCalls: [],
    topWith: null,
    rights: [],
    scanUses: new Map(),
    as: null,
    invoker: null,
    caller: context.role,
    trace,
  };
}

export function newId(state: State): number {
  return state.nextId++;
}

export function typeOnly(oid: number): TypeRef {
  return { oid, modifier: -1 };
}

/** Adds `position` to an error that has none. */
export function located<T>(at: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SqlError && at > 0) throw error.with({ position: at });
    throw error;
  }
}
