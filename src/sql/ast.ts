/**
 * Our own syntax tree: what `parse/parse.ts` makes of libpg-query's output, and all that the binder sees. Names
 * are as written after PostgreSQL's folding; `at` is a 1-based character position in the statement's text.
 */

import type { LockWait, RowLockMode, TableLockMode } from '../catalog/lock-modes.ts';
import type { Deferral } from '../catalog/model.ts';
import type { ConstantRows } from '../plan/constant-rows.ts';
import type { Datum } from '../types/datum.ts';
import type { TypeRef } from '../types/type.ts';

/** Plain constants as they were written, without quotes, between NULs: a list crosses threads as one string. */
export interface ConstantList {
  readonly kind: 'integer' | 'string';
  readonly joined: string;
}

export interface Located {
  readonly at: number;
}

export interface QualifiedName extends Located {
  readonly schema: string | null;
  /** Without the partition: `books` of `books$acme`. */
  readonly name: string;
  readonly partition: string | null;
}

export interface TypeName extends Located {
  /** `['pg_catalog','int4']` or `['vector']`; PostgreSQL's grammar qualifies what it renames. */
  readonly names: readonly string[];
  readonly modifiers: readonly number[];
  /** Array dimensions: 1 for `int[]`. */
  readonly dimensions: number;
  readonly setOf: boolean;
}

// ───────────────────────────── expressions ─────────────────────────────

export type Expr =
  | (Located & {
      readonly kind: 'integer' /** Decimal text: int4, int8 or numeric by size. */;
      readonly text: string;
    })
  | (Located & { readonly kind: 'decimal'; readonly text: string })
  | (Located & { readonly kind: 'string'; readonly value: string })
  | (Located & { readonly kind: 'bits'; readonly value: string })
  | (Located & { readonly kind: 'boolean'; readonly value: boolean })
  | (Located & { readonly kind: 'null' })
  | (Located & { readonly kind: 'default' })
  /** Constant of a row of long VALUES, in that column of `ShapedRows`. */
  | (Located & { readonly kind: 'slot'; readonly column: number })
  | (Located & { readonly kind: 'parameter' /** 1-based, as written. */; readonly number: number })
  /** `a`, `t.a`, `s.t.a`, last `'*'` for a star. */
  | (Located & { readonly kind: 'column'; readonly path: readonly string[] })
  | (Located & { readonly kind: 'star'; readonly path: readonly string[] })
  | (Located & {
      readonly kind: 'operator';
      readonly schema: string | null;
      readonly operator: string;
      readonly left: Expr | null;
      readonly right: Expr;
    })
  | (Located & { readonly kind: 'and' | 'or'; readonly args: readonly Expr[] })
  | (Located & { readonly kind: 'not'; readonly input: Expr })
  | (Located & {
      readonly kind: 'is';
      readonly input: Expr;
      readonly test: 'null' | 'true' | 'false' | 'unknown';
      readonly negated: boolean;
    })
  | (Located & {
      readonly kind: 'distinct';
      readonly left: Expr;
      readonly right: Expr;
      readonly negated: boolean;
    })
  /** IN (list); IN (SELECT) is a subquery. */
  | (Located & {
      readonly kind: 'in';
      readonly input: Expr;
      readonly items: readonly Expr[];
      readonly negated: boolean;
    })
  /** IN of a long list: one node for all of it (`map/constants.ts`). */
  | (Located & {
      readonly kind: 'in constants';
      readonly input: Expr;
      readonly list: ConstantList;
      readonly negated: boolean;
    })
  | (Located & {
      readonly kind: 'like';
      readonly operator: 'like' | 'ilike' | 'similar';
      readonly input: Expr;
      readonly pattern: Expr;
      readonly escape: Expr | null;
      readonly negated: boolean;
    })
  | (Located & {
      readonly kind: 'between';
      readonly input: Expr;
      readonly low: Expr;
      readonly high: Expr;
      readonly negated: boolean;
      readonly symmetric: boolean;
    })
  /** `left op ANY|ALL (array)`. */
  | (Located & {
      readonly kind: 'quantified';
      readonly operator: string;
      readonly quantifier: 'any' | 'all';
      readonly left: Expr;
      readonly array: Expr;
    })
  | (Located & {
      readonly kind: 'case';
      readonly operand: Expr | null;
      readonly branches: readonly { readonly when: Expr; readonly then: Expr }[];
      readonly otherwise: Expr | null;
    })
  | (Located & { readonly kind: 'coalesce' | 'greatest' | 'least'; readonly args: readonly Expr[] })
  | (Located & { readonly kind: 'nullif'; readonly left: Expr; readonly right: Expr })
  | (Located & { readonly kind: 'cast'; readonly input: Expr; readonly type: TypeName })
  | (Located & { readonly kind: 'collate'; readonly input: Expr; readonly collation: readonly string[] })
  | (Located & FunctionCall)
  | (Located & { readonly kind: 'array'; readonly elements: readonly Expr[] })
  | (Located & { readonly kind: 'row'; readonly fields: readonly Expr[] })
  /** `a[1]`, `a[1:2]`. */
  | (Located &
      Subscript & {
        readonly kind: 'subscript';
        readonly input: Expr;
        /** One access with its input, which is a subscript: `a[1][2]`, not `(a[1])[2]`. */
        readonly continues: boolean;
      })
  /** `(row).field`; field `'*'` for all. */
  | (Located & { readonly kind: 'field'; readonly input: Expr; readonly field: string })
  | (Located & {
      readonly kind: 'subquery';
      readonly form: 'scalar' | 'exists' | 'any' | 'all' | 'array';
      /** For any and all (`IN` is `= ANY`): the test's left side and operator. */
      readonly test: Expr | null;
      readonly operator: string | null;
      readonly query: Query;
    })
  | (Located & { readonly kind: 'grouping'; readonly args: readonly Expr[] })
  /** CURRENT_DATE, CURRENT_TIMESTAMP(3), CURRENT_USER … by lower-case name. */
  | (Located & { readonly kind: 'special'; readonly name: string; readonly precision: number | null })
  | (Located & { readonly kind: 'current of'; readonly cursor: string });

/** `a int` of a column definition list. */
export interface ColumnType extends Located {
  readonly name: string;
  readonly type: TypeName;
}

export interface FunctionCall {
  readonly kind: 'function';
  readonly schema: string | null;
  readonly name: string;
  readonly args: readonly Argument[];
  /** `count(*)`. */
  readonly star: boolean;
  readonly distinct: boolean;
  readonly variadic: boolean;
  /** Written in the standard's own syntax: `EXTRACT(year FROM d)`. */
  readonly sqlSyntax: boolean;
  readonly order: readonly OrderItem[];
  /** WITHIN GROUP: `order` is then the aggregated argument. */
  readonly withinGroup: boolean;
  readonly filter: Expr | null;
  readonly over: WindowDefinition | null;
}

export interface Argument {
  /** `name => value`. */
  readonly name: string | null;
  readonly value: Expr;
}

export interface WindowDefinition {
  readonly at: number;
  /** OVER name, or a window that copies one. */
  readonly name: string | null;
  readonly partition: readonly Expr[];
  readonly order: readonly OrderItem[];
  readonly frame: {
    readonly mode: 'rows' | 'range' | 'groups';
    /** BETWEEN start AND end; without it only the start was written. */
    readonly between: boolean;
    readonly start: FrameBound;
    readonly end: FrameBound;
    readonly exclude: 'no others' | 'current row' | 'group' | 'ties';
  } | null;
}

export type FrameBound =
  | { readonly kind: 'unbounded preceding' | 'current row' | 'unbounded following' }
  | { readonly kind: 'preceding' | 'following'; readonly offset: Expr };

export interface OrderItem extends Located {
  readonly value: Expr;
  readonly descending: boolean;
  /** Null: by default (NULLS LAST ascending, NULLS FIRST descending, ranking keys last). */
  readonly nullsFirst: boolean | null;
  /** ORDER BY … USING operator. */
  readonly using: string | null;
}

// ───────────────────────────── queries ─────────────────────────────

export type Query = Select | SetQuery | ValuesQuery;

interface QueryTail {
  readonly with: With | null;
  readonly order: readonly OrderItem[];
  readonly limit: Expr | null;
  readonly offset: Expr | null;
  readonly withTies: boolean;
  /** FOR UPDATE and its kin. */
  readonly locking: readonly LockingClause[];
}

export interface LockingClause {
  readonly strength: RowLockMode;
  /** Relations that OF names; none: all of FROM. */
  readonly relations: readonly (Located & { readonly name: string; readonly schema: string | null })[];
  readonly wait: LockWait;
}

export interface Select extends QueryTail, Located {
  readonly kind: 'select';
  readonly distinct: 'all' | 'distinct' | { readonly on: readonly Expr[] };
  readonly items: readonly SelectItem[];
  readonly from: readonly FromItem[];
  readonly where: Expr | null;
  readonly group: readonly GroupItem[];
  readonly groupDistinct: boolean;
  readonly having: Expr | null;
  readonly windows: readonly { readonly name: string; readonly definition: WindowDefinition }[];
}

/** From left to right: each member is combined with all that stands before it. */
export interface SetQuery extends QueryTail, Located {
  readonly kind: 'set';
  readonly first: Query;
  /** One at least. A list, because thousands of them would nest too deep. */
  readonly rest: readonly SetMember[];
}

export interface SetMember {
  readonly operation: 'union' | 'intersect' | 'except';
  readonly all: boolean;
  readonly query: Query;
}

export interface ValuesQuery extends QueryTail, Located {
  readonly kind: 'values';
  readonly rows: readonly (readonly Expr[])[] | ShapedRows;
}

/** Long VALUES: constants by column, and what each cell does with its own, once for all that do the same. */
export interface ShapedRows extends ConstantRows {
  readonly cells: readonly ShapedColumn[];
}

export interface ShapedColumn {
  /** In the order of the first row that has them. */
  readonly shapes: readonly { readonly value: Expr; readonly row: number }[];
  /** The column of constants that says which shape a row has; null where all have the same. */
  readonly which: number | null;
}

export interface SelectItem extends Located {
  readonly value: Expr;
  readonly alias: string | null;
}

export type GroupItem =
  | { readonly kind: 'expression'; readonly value: Expr }
  | { readonly kind: 'rollup' | 'cube' | 'sets'; readonly items: readonly GroupItem[] }
  | { readonly kind: 'list'; readonly values: readonly Expr[] };

export interface With {
  readonly recursive: boolean;
  readonly tables: readonly (Located & {
    readonly name: string;
    readonly columns: readonly string[];
    readonly materialized: boolean | null;
    readonly query: Query | InsertStatement | UpdateStatement | DeleteStatement | MergeStatement;
  })[];
}

export interface Alias {
  readonly name: string;
  readonly columns: readonly string[];
}

export type FromItem =
  | (Located & { readonly kind: 'relation'; readonly relation: QualifiedName; readonly alias: Alias | null })
  | (Located & {
      readonly kind: 'query';
      readonly query: Query;
      readonly alias: Alias | null;
      readonly lateral: boolean;
    })
  | (Located & {
      readonly kind: 'function';
      /** Several for ROWS FROM. */
      readonly calls: readonly (FunctionCall & Located)[];
      readonly alias: Alias | null;
      /** A column definition list for each call; empty where there is none. */
      readonly definitions: readonly (readonly ColumnType[])[];
      readonly ordinality: boolean;
      readonly lateral: boolean;
    })
  | (Located & {
      readonly kind: 'join';
      readonly join: 'inner' | 'left' | 'right' | 'full' | 'cross';
      readonly natural: boolean;
      readonly left: FromItem;
      readonly right: FromItem;
      readonly on: Expr | null;
      readonly using: readonly string[] | null;
      /** `JOIN … USING (…) AS x`: a name for the columns of USING; the sides stay in sight. */
      readonly usingAlias: string | null;
      readonly alias: Alias | null;
    });

// ───────────────────────────── statements ─────────────────────────────

export interface PolicyCondition {
  readonly expression: Expr;
  readonly text: string;
}

export interface CreatePolicy extends Located {
  readonly kind: 'create policy';
  readonly name: string;
  readonly table: QualifiedName;
  readonly command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  readonly permissive: boolean;
  readonly roles: readonly RoleSpec[];
  readonly using: PolicyCondition | null;
  readonly check: PolicyCondition | null;
}

export type Statement =
  | (Located & { readonly kind: 'query'; readonly query: Query })
  | InsertStatement
  | UpdateStatement
  | DeleteStatement
  | MergeStatement
  | CreateTable
  | (Located & {
      readonly kind: 'create table as';
      readonly name: QualifiedName;
      readonly temporary: boolean;
      readonly onCommit: OnCommit | null;
      readonly query: Query;
      readonly ifNotExists: boolean;
      readonly columns: readonly string[];
      readonly withData: boolean;
      /** The query's text in CREATE MATERIALIZED VIEW. */
      readonly viewText: string | null;
      readonly options: readonly WithOption[];
    })
  | (Located & {
      readonly kind: 'refresh';
      readonly name: QualifiedName;
      readonly concurrently: boolean;
      readonly withData: boolean;
    })
  | (Located & {
      readonly kind: 'drop';
      readonly object:
        | 'table'
        | 'index'
        | 'view'
        | 'materialized view'
        | 'schema'
        | 'sequence'
        | 'type'
        | 'extension';
      readonly names: readonly QualifiedName[];
      readonly ifExists: boolean;
      readonly cascade: boolean;
    })
  | CreateIndex
  | AlterTable
  | (Located & {
      readonly kind: 'truncate';
      readonly names: readonly QualifiedName[];
      readonly cascade: boolean;
      readonly restartIdentity: boolean;
    })
  /** Counting from 1 by 1. */
  | (Located & {
      readonly kind: 'create sequence';
      readonly name: QualifiedName;
      readonly temporary: boolean;
      readonly ifNotExists: boolean;
      readonly options: SequenceOptions;
    })
  | (Located & {
      readonly kind: 'alter sequence';
      readonly name: QualifiedName;
      readonly ifExists: boolean;
      readonly options: SequenceOptions;
    })
  | (Located & {
      readonly kind: 'create schema';
      readonly name: string;
      readonly ifNotExists: boolean;
      /** AUTHORIZATION; null: whoever runs it. */
      readonly owner: RoleSpec | null;
    })
  | (Located & {
      readonly kind: 'create view';
      readonly name: QualifiedName;
      readonly temporary: boolean;
      readonly columns: readonly string[];
      readonly query: Query;
      readonly text: string;
      readonly replace: boolean;
      readonly checkOption: 'local' | 'cascaded' | null;
      readonly options: readonly WithOption[];
    })
  | CreateFunction
  | (Located & {
      readonly kind: 'drop function';
      readonly functions: readonly FunctionName[];
      readonly ifExists: boolean;
      readonly cascade: boolean;
    })
  | (Located & {
      readonly kind: 'alter function';
      readonly function: FunctionName;
      readonly change:
        | { readonly action: 'rename'; readonly to: string }
        | { readonly action: 'set schema'; readonly schema: string }
        | { readonly action: 'set owner'; readonly role: RoleSpec }
        | { readonly action: 'comment'; readonly text: string | null }
        | { readonly action: 'set'; readonly traits: FunctionTraits };
    })
  | (Located & {
      readonly kind: 'create enum';
      readonly name: QualifiedName;
      readonly labels: readonly string[];
    })
  | AlterType
  | (Located & {
      readonly kind: 'alter owner';
      readonly object: 'schema' | 'database';
      readonly name: string;
      readonly role: RoleSpec;
    })
  | AccessStatement
  | CreatePolicy
  | (Located & {
      readonly kind: 'alter policy';
      readonly name: string;
      readonly table: QualifiedName;
      /** Null: as they are. */
      readonly roles: readonly RoleSpec[] | null;
      readonly using: PolicyCondition | null;
      readonly check: PolicyCondition | null;
    })
  | (Located & {
      readonly kind: 'rename policy';
      readonly name: string;
      readonly table: QualifiedName;
      readonly to: string;
      readonly ifExists: boolean;
    })
  | (Located & {
      readonly kind: 'drop policy';
      readonly name: string;
      readonly table: QualifiedName;
      readonly ifExists: boolean;
    })
  | (Located & { readonly kind: 'create extension'; readonly name: string; readonly ifNotExists: boolean })
  | (Located & {
      readonly kind: 'comment';
      readonly object:
        | 'table'
        | 'column'
        | 'index'
        | 'view'
        | 'schema'
        | 'database'
        | 'constraint'
        | 'type'
        | 'extension'
        | 'role'
        | 'policy'
        | 'other';
      readonly name: readonly string[];
      readonly text: string | null;
    })
  | CopyStatement
  | SessionStatement
  /** A statement PostgreSQL's grammar knows and Quern does not run: bound to 0A000 naming it. */
  | (Located & { readonly kind: 'unsupported'; readonly feature: string; readonly hint?: string });

/** A role by its name, or by who runs the statement. */
export type RoleSpec =
  | { readonly role: 'named'; readonly name: string }
  | { readonly role: 'current' | 'session' | 'public' };

/** `LOGIN`, `CONNECTION LIMIT 5`, `IN ROLE a, b`. */
export interface RoleOption extends Located {
  /** As the grammar names it: `canlogin`, `connectionlimit`, `addroleto`. */
  readonly name: string;
  /** Null: PASSWORD NULL. */
  readonly value: string | number | boolean | readonly RoleSpec[] | null;
}

/** `SELECT (a, b)`; a privilege of null is ALL. */
export interface WrittenPrivilege {
  readonly privilege: string | null;
  readonly columns: readonly string[];
}

/** Objects of GRANT, by what the statement calls them. */
export type GrantTarget =
  | { readonly object: 'table' | 'sequence'; readonly names: readonly QualifiedName[] }
  | {
      readonly object: 'function' | 'procedure' | 'routine';
      readonly functions: readonly FunctionName[];
    }
  | { readonly object: 'type' | 'domain'; readonly names: readonly QualifiedName[] }
  | { readonly object: 'database' | 'schema' | 'language' | 'tablespace'; readonly plain: readonly string[] }
  | {
      readonly object: 'all in schema';
      readonly of: 'table' | 'sequence' | 'function' | 'procedure' | 'routine';
      readonly schemas: readonly string[];
    };

/** The rights of GRANT and REVOKE, whatever they are on. */
export interface WrittenGrant {
  readonly isGrant: boolean;
  /** Null: ALL. */
  readonly privileges: readonly WrittenPrivilege[] | null;
  readonly grantees: readonly RoleSpec[];
  /** WITH GRANT OPTION; GRANT OPTION FOR. */
  readonly grantOption: boolean;
  readonly cascade: boolean;
}

/** Roles, memberships, owners and access lists. */
export type AccessStatement =
  | (Located & {
      readonly kind: 'create role';
      readonly name: string;
      /** CREATE USER: it may sign in. */
      readonly isUser: boolean;
      readonly options: readonly RoleOption[];
    })
  | (Located & {
      readonly kind: 'alter role';
      readonly role: RoleSpec;
      readonly options: readonly RoleOption[];
      /** ALTER GROUP … DROP USER. */
      readonly removes: boolean;
    })
  | (Located & {
      readonly kind: 'alter role setting';
      /** Null: ALL. */
      readonly role: RoleSpec | null;
      readonly database: string | null;
      /** Null: RESET ALL. */
      readonly name: string | null;
      /** Null: RESET. */
      readonly values: readonly string[] | null;
    })
  | (Located & { readonly kind: 'rename role'; readonly name: string; readonly to: string })
  | (Located & {
      readonly kind: 'drop role';
      readonly roles: readonly RoleSpec[];
      readonly ifExists: boolean;
    })
  | (Located & {
      readonly kind: 'grant role';
      readonly isGrant: boolean;
      readonly roles: readonly string[];
      readonly members: readonly RoleSpec[];
      readonly options: readonly WithOption[];
      readonly grantor: RoleSpec | null;
      readonly cascade: boolean;
    })
  | (Located & {
      readonly kind: 'grant';
      readonly target: GrantTarget;
      readonly grant: WrittenGrant;
      readonly grantor: RoleSpec | null;
    })
  | (Located & {
      readonly kind: 'alter default privileges';
      readonly object: 'table' | 'sequence' | 'function' | 'type' | 'schema';
      /** Null: of whoever runs it. */
      readonly roles: readonly RoleSpec[] | null;
      /** Null: in all. */
      readonly schemas: readonly string[] | null;
      readonly grant: WrittenGrant;
    })
  | (Located & {
      readonly kind: 'reassign owned';
      readonly roles: readonly RoleSpec[];
      readonly to: RoleSpec;
    })
  | (Located & {
      readonly kind: 'drop owned';
      readonly roles: readonly RoleSpec[];
      readonly cascade: boolean;
    });

/** Statements that a session runs itself; in the body of a function nobody does. */
export type SessionStatement =
  | ExplainStatement
  | (Located & {
      readonly kind: 'set';
      readonly name: string;
      /** Null for the default. */
      readonly values: readonly string[] | null;
      readonly local: boolean;
      /** RESET, which tells so. */
      readonly reset: boolean;
    })
  | (Located & { readonly kind: 'show'; readonly name: string })
  | TransactionStatement
  | (Located & {
      readonly kind: 'prepare';
      readonly name: string;
      readonly types: readonly TypeName[];
      readonly statement: Statement;
    })
  | (Located & { readonly kind: 'execute'; readonly name: string; readonly args: readonly Expr[] })
  | (Located & { readonly kind: 'deallocate'; readonly name: string | null })
  | (Located & {
      readonly kind: 'declare cursor';
      readonly name: string;
      readonly query: Query;
      readonly hold: boolean;
      readonly scroll: boolean;
      readonly binary: boolean;
    })
  | (Located & {
      readonly kind: 'fetch';
      readonly cursor: string;
      readonly direction: 'forward' | 'backward' | 'absolute' | 'relative';
      readonly count: number | 'all';
      readonly move: boolean;
    })
  | (Located & { readonly kind: 'close cursor'; readonly name: string | null })
  | (Located & { readonly kind: 'listen'; readonly channel: string })
  /** Null: every channel. */
  | (Located & { readonly kind: 'unlisten'; readonly channel: string | null })
  | (Located & { readonly kind: 'notify'; readonly channel: string; readonly payload: string })
  | (Located & { readonly kind: 'discard'; readonly target: 'all' | 'plans' | 'sequences' | 'temp' })
  /** `mode` in PostgreSQL's words: ACCESS SHARE. */
  | (Located & {
      readonly kind: 'lock';
      readonly names: readonly QualifiedName[];
      readonly mode: TableLockMode;
      readonly nowait: boolean;
    })
  /** `names` null: ALL. */
  | (Located & {
      readonly kind: 'set constraints';
      readonly names: readonly QualifiedName[] | null;
      readonly deferred: boolean;
    })
  | (Located & {
      readonly kind: 'reindex' | 'checkpoint';
      readonly names: readonly QualifiedName[];
    })
  | DatasetStatement
  | EvaluationStatement
  | KeyStatement
  /**
   * `columns` stands beside `names`, null for all; `analyze` is set for VACUUM ANALYZE too, `full` for VACUUM
   * FULL.
   */
  | (Located & {
      readonly kind: 'analyze' | 'vacuum';
      readonly names: readonly QualifiedName[];
      readonly columns: readonly (readonly string[] | null)[];
      readonly analyze: boolean;
      readonly full: boolean;
    });

/** A function by name, and by the types of its arguments where they are given. */
export interface FunctionName {
  readonly name: QualifiedName;
  readonly types: readonly TypeName[] | null;
}

/** Null: not said. */
export interface FunctionTraits {
  readonly volatility: 'immutable' | 'stable' | 'volatile' | null;
  readonly strict: boolean | null;
  readonly securityDefiner: boolean | null;
  readonly leakproof: boolean | null;
  readonly parallel: string | null;
  readonly cost: number | null;
  readonly rows: number | null;
}

export interface CreateFunction extends Located {
  readonly kind: 'create function';
  readonly name: QualifiedName;
  readonly replace: boolean;
  readonly arguments: readonly {
    readonly at: number;
    readonly name: string | null;
    readonly mode: 'in' | 'out' | 'inout' | 'variadic' | 'table';
    readonly type: TypeName;
    readonly default: { readonly value: Expr; readonly text: string } | null;
  }[];
  /** Null when OUT arguments say it. */
  readonly returns: TypeName | null;
  /** Lower case; null when not said. */
  readonly language: string | null;
  readonly traits: FunctionTraits;
  readonly body: {
    readonly form: 'string' | 'return' | 'atomic';
    readonly text: string;
    /** Position of the text in the statement; 0 when escapes make them differ. */
    readonly at: number;
  } | null;
}

export interface AlterType extends Located {
  readonly kind: 'alter type';
  readonly name: QualifiedName;
  readonly change:
    | {
        readonly action: 'add value';
        readonly label: string;
        readonly ifNotExists: boolean;
        readonly place: { readonly side: 'before' | 'after'; readonly neighbour: string } | null;
      }
    | { readonly action: 'rename value'; readonly from: string; readonly to: string }
    | { readonly action: 'rename'; readonly to: string }
    | { readonly action: 'set schema'; readonly schema: string }
    | { readonly action: 'set owner'; readonly role: RoleSpec };
}

export interface InsertStatement extends Located {
  readonly kind: 'insert';
  readonly with: With | null;
  readonly relation: QualifiedName;
  readonly alias: string | null;
  readonly columns: readonly TargetColumn[] | null;
  /** Null for DEFAULT VALUES. */
  readonly source: Query | null;
  readonly overriding: 'system' | 'user' | null;
  /** The server fills what it has just made or emptied, a materialized view too. */
  readonly fills?: true;
  readonly conflict: {
    readonly target: {
      /** Names of columns, and expressions. */
      readonly elements: readonly (string | Expr)[];
      readonly constraint: string | null;
      /** The predicate of a partial index. */
      readonly where: Expr | null;
    } | null;
    readonly set: readonly SetItem[] | null;
    readonly where: Expr | null;
  } | null;
  readonly returning: readonly SelectItem[] | null;
}

export interface SetItem extends Located {
  /** Several for `(a, b) = (…)`. */
  readonly columns: readonly string[];
  /** A list for each column: two for `a[1][2]`, none for a whole column. */
  readonly subscripts: readonly (readonly Subscript[])[];
  readonly value: Expr;
}

/** `[i]` has a lower bound only; of a slice either may be left out. */
export interface Subscript {
  readonly slice: boolean;
  readonly lower: Expr | null;
  readonly upper: Expr | null;
}

/** A column that a write names, or elements of it. */
export interface TargetColumn extends Located {
  readonly name: string;
  readonly subscripts: readonly Subscript[];
}

export interface UpdateStatement extends Located {
  readonly kind: 'update';
  readonly with: With | null;
  readonly relation: QualifiedName;
  readonly alias: string | null;
  readonly set: readonly SetItem[];
  readonly from: readonly FromItem[];
  readonly where: Expr | null;
  readonly returning: readonly SelectItem[] | null;
}

export interface DeleteStatement extends Located {
  readonly kind: 'delete';
  readonly with: With | null;
  readonly relation: QualifiedName;
  readonly alias: string | null;
  readonly using: readonly FromItem[];
  readonly where: Expr | null;
  readonly returning: readonly SelectItem[] | null;
}

export interface MergeStatement extends Located {
  readonly kind: 'merge';
  readonly with: With | null;
  readonly relation: QualifiedName;
  readonly alias: string | null;
  readonly source: FromItem;
  readonly on: Expr;
  readonly clauses: readonly MergeClause[];
  readonly returning: readonly SelectItem[] | null;
}

/** WHEN … THEN …: the first one that fits a row is done. */
export type MergeClause = {
  readonly match: 'matched' | 'not matched by source' | 'not matched by target';
  readonly condition: Expr | null;
} & (
  | { readonly action: 'update'; readonly set: readonly SetItem[] }
  | { readonly action: 'delete' | 'nothing' }
  | {
      readonly action: 'insert';
      readonly columns: InsertStatement['columns'];
      /** Null for DEFAULT VALUES. */
      readonly values: readonly Expr[] | null;
      readonly overriding: InsertStatement['overriding'];
    }
);

/** A whole statement about datasets; options of WITH and SET with their values as text. */
export type DatasetStatement =
  | (Located & {
      readonly kind: 'create dataset';
      readonly name: string;
      readonly ifNotExists: boolean;
      readonly options: readonly WithOption[];
    })
  | (Located & {
      readonly kind: 'alter dataset';
      readonly name: string;
      readonly ifExists: boolean;
      readonly options: readonly WithOption[];
    })
  | (Located & {
      readonly kind: 'drop dataset';
      readonly names: readonly string[];
      readonly ifExists: boolean;
      readonly cascade: boolean;
    });

/** An option of an API key; its value is text, a list, or NULL. */
export type KeyOption = Located & {
  readonly name: string;
  readonly value: string | readonly string[] | null;
};

/** A whole statement about API keys, none of which it holds. */
export type KeyStatement =
  | (Located & {
      readonly kind: 'create key';
      readonly name: string | null;
      readonly options: readonly KeyOption[];
    })
  | (Located & {
      readonly kind: 'alter key';
      readonly name: string;
      readonly action:
        | { readonly action: 'rename'; readonly to: string }
        | { readonly action: 'rotate' | 'set'; readonly options: readonly KeyOption[] }
        | { readonly action: 'expire' };
    })
  | (Located & { readonly kind: 'drop key'; readonly name: string; readonly ifExists: boolean });

/** A query within a statement of ours, with its own part of the text: characters of the whole from `start`, 0-based. */
export interface WrittenQuery {
  readonly statement: Statement;
  readonly text: string;
  readonly start: number;
  /** Literals of the text that are parameters in the statement (`parse/shape.ts`): OIDs of their types, and values. */
  readonly lifted?: { readonly types: readonly number[]; readonly parameters: readonly Datum[] };
}

/** A statement whose literals are parameters. */
export interface ShapedStatement extends Omit<WrittenQuery, 'lifted'> {
  readonly types: readonly number[];
  /** Values of the parameters, as their types read them. */
  readonly texts: readonly string[];
}

/** An option whose value may be a parameter by its number; its value is `$1` then. */
export type EvaluationOption = WithOption & { readonly parameter: number | null };

export type OptionList = Located & { readonly options: readonly EvaluationOption[] };

type Named = Located & { readonly name: string };

/** A whole statement about evaluations. */
export type EvaluationStatement =
  | (Located & {
      readonly kind: 'create evaluation';
      readonly name: string;
      readonly ifNotExists: boolean;
      readonly options: readonly EvaluationOption[];
      readonly query: WrittenQuery;
    })
  | (Located & {
      readonly kind: 'drop evaluation';
      readonly names: readonly Named[];
      readonly ifExists: boolean;
    })
  | (Located & {
      readonly kind: 'evaluate';
      readonly evaluation: Named;
      /** ASK rather than SEARCH. */
      readonly asks: boolean;
      readonly datasets: readonly Named[];
      /** In place of datasets. */
      readonly queries: readonly (Located & {
        readonly label: string | null;
        readonly query: WrittenQuery;
      })[];
      readonly configurations: readonly OptionList[];
    });

/** `name = value` of WITH (…); a qualified name with its dot. */
export type WithOption = Located & { readonly name: string; readonly value: string };

/** `INDEX keyword_index(type => 'exact')` after a column, or as a table element with its columns. */
export interface IndexClause extends Located {
  /** `keyword_index`, lower case. */
  readonly clause: string;
  readonly columns: readonly string[];
  readonly options: readonly WithOption[];
}

export interface ColumnDefinition extends Located {
  readonly name: string;
  readonly type: TypeName;
  readonly notNull: boolean;
  readonly defaultValue: { readonly expression: Expr; readonly text: string } | null;
  readonly identity: 'always' | 'by default' | null;
  readonly identityOptions: SequenceOptions;
  readonly generated: (Located & { readonly expression: Expr; readonly text: string }) | null;
  readonly constraints: readonly TableConstraint[];
  readonly indexes: readonly IndexClause[];
  /** Fields of `JSONB STRUCT (…)`; null for any other column. */
  readonly struct: readonly ColumnDefinition[] | null;
}

export type TableConstraint = Located & {
  readonly kind: 'primary key' | 'unique' | 'check' | 'foreign key';
  readonly name: string | null;
  readonly columns: readonly string[];
  readonly check: { readonly expression: Expr; readonly text: string } | null;
  readonly references: {
    readonly relation: QualifiedName;
    readonly columns: readonly string[];
    readonly onDelete: string;
    readonly onUpdate: string;
    /** Columns that ON DELETE SET NULL | DEFAULT (…) names. */
    readonly setOnDelete: readonly string[];
    /** MATCH FULL. */
    readonly full: boolean;
    /** NOT VALID. */
    readonly notValid?: boolean;
  } | null;
  readonly nullsNotDistinct: boolean;
  /** Name of a unique index that is there. */
  readonly usingIndex: string | null;
  readonly deferrable: Deferral | null;
};

/** As written; numbers as decimal text. Null: NO MINVALUE, NO MAXVALUE, RESTART without a number. */
export interface SequenceOptions {
  readonly type?: TypeName;
  readonly start?: string;
  readonly increment?: string;
  readonly min?: string | null;
  readonly max?: string | null;
  readonly cache?: string;
  readonly cycle?: boolean;
  readonly restart?: string | null;
  /** Column, table, schema from the right; `['none']`. */
  readonly ownedBy?: readonly string[];
}

/** Fate of a temporary table's rows. */
export type OnCommit = 'preserve rows' | 'delete rows' | 'drop';

/** LIKE of CREATE TABLE. */
export interface LikeClause extends Located {
  readonly relation: QualifiedName;
  /** How many columns are declared before it. */
  readonly position: number;
  readonly includes: readonly ('constraints' | 'defaults' | 'generated' | 'identity' | 'indexes')[];
}

export interface CreateTable extends Located {
  readonly kind: 'create table';
  readonly name: QualifiedName;
  readonly ifNotExists: boolean;
  readonly temporary: boolean;
  readonly onCommit: OnCommit | null;
  readonly columns: readonly ColumnDefinition[];
  readonly constraints: readonly TableConstraint[];
  readonly likes: readonly LikeClause[];
  /** Table-level INDEX clauses. */
  readonly indexes: readonly IndexClause[];
  readonly options: readonly WithOption[];
}

export interface CreateIndex extends Located {
  readonly kind: 'create index';
  readonly name: string | null;
  readonly relation: QualifiedName;
  /** After USING; 'btree' when left out. */
  readonly method: string;
  readonly columns: readonly (Located & {
    readonly name: string | null;
    readonly expression: Expr | null;
    readonly operatorClass: string | null;
    readonly descending: boolean;
    /** Null: first when descending. */
    readonly nullsFirst: boolean | null;
  })[];
  /** Columns of INCLUDE. */
  readonly included: readonly string[];
  readonly options: readonly WithOption[];
  readonly unique: boolean;
  readonly concurrently: boolean;
  readonly ifNotExists: boolean;
  readonly nullsNotDistinct: boolean;
  readonly where: Expr | null;
}

export interface AlterTable extends Located {
  readonly kind: 'alter table';
  readonly name: QualifiedName;
  readonly ifExists: boolean;
  readonly actions: readonly AlterAction[];
}

export type AlterAction = Located &
  (
    | { readonly action: 'add column'; readonly column: ColumnDefinition; readonly ifNotExists: boolean }
    | {
        readonly action: 'drop column';
        readonly column: string;
        readonly ifExists: boolean;
        readonly cascade: boolean;
      }
    | { readonly action: 'rename column'; readonly column: string; readonly to: string }
    | { readonly action: 'rename table'; readonly to: string }
    | { readonly action: 'set not null' | 'drop not null' | 'drop default'; readonly column: string }
    | {
        readonly action: 'set default';
        readonly column: string;
        readonly expression: Expr;
        readonly text: string;
      }
    | {
        readonly action: 'set type';
        readonly column: string;
        readonly type: TypeName;
        readonly using: { readonly expression: Expr; readonly text: string } | null;
      }
    | { readonly action: 'add constraint'; readonly constraint: TableConstraint }
    | {
        readonly action: 'drop constraint';
        readonly name: string;
        readonly ifExists: boolean;
        readonly cascade: boolean;
      }
    | {
        readonly action: 'alter constraint';
        readonly name: string;
        readonly deferrable: Deferral | null;
      }
    | { readonly action: 'rename constraint'; readonly name: string; readonly to: string }
    | { readonly action: 'set schema'; readonly schema: string }
    | {
        readonly action: 'add identity';
        readonly column: string;
        readonly identity: 'always' | 'by default';
        readonly options: SequenceOptions;
      }
    | {
        readonly action: 'set identity';
        readonly column: string;
        readonly identity: 'always' | 'by default' | null;
        readonly options: SequenceOptions;
      }
    | { readonly action: 'drop identity'; readonly column: string; readonly ifExists: boolean }
    | { readonly action: 'add index'; readonly index: IndexClause }
    | { readonly action: 'drop partition'; readonly partition: string; readonly ifExists: boolean }
    /** Null: RESET, back to the former one. */
    | { readonly action: 'set embedding model'; readonly column: string; readonly model: string | null }
    | { readonly action: 'set owner'; readonly role: RoleSpec }
    | { readonly action: 'set options'; readonly options: readonly WithOption[]; readonly reset: boolean }
    | { readonly action: 'row security'; readonly to: 'enable' | 'disable' | 'force' | 'no force' }
    | { readonly action: 'unsupported'; readonly feature: string }
  );

export interface ExplainStatement extends Located {
  readonly kind: 'explain';
  readonly analyze: boolean;
  readonly verbose: boolean;
  readonly format: 'text' | 'json' | 'xml' | 'yaml';
  /** Other options as written (costs, timing, buffers, retrieval …). */
  readonly options: Readonly<Record<string, string>>;
  readonly statement: Statement;
}

export interface TransactionStatement extends Located {
  readonly kind: 'transaction';
  readonly action:
    | 'begin'
    | 'commit'
    | 'rollback'
    | 'savepoint'
    | 'release'
    | 'rollback to'
    | 'set'
    | 'prepare';
  readonly savepoint: string | null;
  readonly isolation: 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable' | null;
  readonly readOnly: boolean | null;
  readonly deferrable: boolean | null;
  readonly chain: boolean;
  /** SET SESSION CHARACTERISTICS rather than SET TRANSACTION. */
  readonly session: boolean;
}

export interface CopyStatement extends Located {
  readonly kind: 'copy';
  readonly direction: 'from' | 'to';
  readonly relation: QualifiedName | null;
  readonly columns: readonly string[] | null;
  /** Types of undeclared columns, in the place of text, where what comes is not from a client's stream. */
  readonly types?: readonly TypeRef[];
  readonly query: Query | null;
  readonly source: 'stdin' | 'stdout' | 'file' | 'program';
  readonly options: Readonly<Record<string, string | readonly string[] | true>>;
  /** Positions of the options. */
  readonly optionsAt: Readonly<Record<string, number>>;
  readonly where: Expr | null;
}
