/**
 * SQL functions. Scalar functions, operators, casts, aggregates and set-returning functions are
 * rows of tables (`functions/<group>.ts`), collected by `registry.ts`; a plan names them by `id` only.
 *
 * Types are given by `pg_type.typname`; the pseudo-types `any anyelement anyarray anynonarray anyenum
 * anyrange anycompatible anycompatiblearray` are resolved as PostgreSQL does. A last argument `...name` is variadic.
 */
import type { Notice } from '../errors.ts';
import type { Datum } from '../types/datum.ts';
import type { FormatSettings } from '../types/type.ts';
import type { Vector } from '../types/column/vector.ts';
import type { SessionServices } from './services.ts';

/**
 * SQL text and the text of the single value it gives: runs as a test, in a database that has the type
 * `mood`, an enum of 'sad', 'ok' and 'happy'.
 */
export type Example = readonly [sql: string, result: string | null];

export type Volatility = 'immutable' | 'stable' | 'volatile';

/**
 * Effect of a call beside giving its value, the least first: nothing; it changes its own session (settings, chance);
 * it adds to what the server keeps for whoever asks (research); it reaches beyond that, outside of the transaction
 * (other sessions, their locks, what is kept of others); it writes in the transaction. `effect.ts` asks for leave before
 * the last three.
 */
export type Effect = 'none' | 'session' | 'kept' | 'server' | 'data';

/** Context that a call by a helper process has too: plain data of the session that the call takes along. */
export interface CallContext {
  readonly settings: FormatSettings;
  readonly statementMicros: bigint;
  random(): number;
  setting(name: string): string | null;
  notice(notice: Notice): void;
}

/**
 * Context of an evaluation within its session. Filled by `session/`. Who asks more than `CallContext` in
 * a helper process ends the call there, and the session makes it.
 */
export interface FunctionContext extends CallContext {
  /** The statement is the server's own, which may write what users may only read. */
  readonly isServer: boolean;
  /** @param what `nextval()`. @throws SqlError 25006 where the session, or its transaction, only reads. */
  allow(effect: Effect, what: string): void;
  clockMicros(): bigint;
  /** `current_user`. */
  user(): string;
  /** `session_user`. */
  sessionUser(): string;
  /** `system_user`; null of nobody outside. */
  systemUser(): string | null;
  /** An attribute of the session's key; null where it has none. */
  keyAttribute(name: string): string | null;
  database(): string;
  searchPath(): readonly string[];
  setSetting(name: string, value: string, local: boolean): string;
  backendPid(): number;
  /** Columns of all rows of a relation in pg_catalog. */
  systemRows(relation: string, columns: readonly string[]): Iterable<readonly Datum[]>;
  /** Catalog questions (`regclass`, `pg_get_indexdef`, …): see `catalog/services.ts`. */
  readonly catalog: CatalogServices;
  /** Sequences, locks, models and what else needs the engine, the session or the statement. */
  readonly services: SessionServices;
}

/** Catalog services for functions; implemented in `catalog/`. All return null for "no such object". */
export interface CatalogServices {
  relationOid(name: string): number | null;
  /** Quoted and schema-qualified where the search path needs it. */
  relationName(oid: number): string | null;
  typeOid(name: string): number | null;
  typeName(oid: number, modifier: number): string | null;
  namespaceOid(name: string): number | null;
  namespaceName(oid: number): string | null;
  functionOid(name: string): number | null;
  functionName(oid: number): string | null;
  /** `string text, from integer`, as `pg_get_function_arguments`, which shows defaults. */
  functionArguments(oid: number, defaults: boolean): string | null;
  /** CREATE FUNCTION of a user's function; null for those of the system. */
  functionDefinition(oid: number): string | null;
  /** `RETURN …`, `BEGIN ATOMIC … END`; null for a string's. */
  functionBody(oid: number): string | null;
  functionResult(oid: number): string | null;
  /** By a name as SQL writes it. */
  roleOid(name: string): number | null;
  /** By a name as it is. */
  roleNamed(name: string): number | null;
  roleName(oid: number): string | null;
  /** Privileges of a role on an object, as bits in the order of `PRIVILEGE_NAMES`; null: there is no such object. */
  privilegesOf(role: number, object: AccessObject): HeldPrivileges | null;
  /** True where policies hold for the role in the relation; null: there is no such relation. */
  isRuled(role: number, relation: number): boolean | null;
  /** Number of a column by its name; null: there is no such column. */
  columnNumber(relation: number, name: string): number | null;
  /** A schema by its name as it is. */
  namespaceNamed(name: string): number | null;
  isSequence(relation: number): boolean;
  /** Numbers of a relation's columns. */
  columnNumbers(relation: number): readonly number[];
  /** True where `role` is a member of `of`, has its rights, may SET ROLE to it, may grant it. */
  hasRole(role: number, of: number, how: 'member' | 'usage' | 'set' | 'admin'): boolean;
  indexDefinition(oid: number, column: number, pretty: boolean): string | null;
  constraintDefinition(oid: number, pretty: boolean): string | null;
  /** @param form fewer brackets, and where lists of columns break: 0 puts each on a line of its own. */
  viewDefinition(oid: number, form: { readonly pretty: boolean; readonly wrap: number }): string | null;
  expressionText(stored: string, relation: number, pretty: boolean): string | null;
  description(oid: number, classOid: number | null, column: number): string | null;
  isVisible(kind: 'relation' | 'type' | 'function', oid: number): boolean;
  relationBytes(oid: number): bigint | null;
  /** The size of all relations together. */
  databaseBytes(): bigint;
  readonly databaseOid: number;
  updatability(oid: number): Updatability;
  /** References of a view. */
  viewReferences(oid: number): References;
  /** References of the expression of a default, a generated column, a CHECK or an index. */
  expressionReferences(stored: string): References;
  /** References of a function whose body is bound when it is made; nothing for one that is a string. */
  functionReferences(oid: number): References;
}

/** An object of privileges: `relation`, `function` and so on, with the number of a column. */
export interface AccessObject {
  readonly kind:
    | 'relation'
    | 'sequence'
    | 'database'
    | 'function'
    | 'schema'
    | 'type'
    | 'language'
    | 'tablespace';
  readonly oid: number;
  readonly column?: number;
}

export interface HeldPrivileges {
  readonly privileges: number;
  /** Those among them that may be granted on. */
  readonly grantable: number;
}

/** Objects that a stored definition refers to. */
export interface References {
  /** Attribute numbers that are read, by relation. */
  readonly relations: ReadonlyMap<number, ReadonlySet<number>>;
  /** OIDs of users' functions. */
  readonly functions: ReadonlySet<number>;
}

export const NO_REFERENCES: References = { relations: new Map(), functions: new Set() };

/** Writes that a relation allows. */
export interface Updatability {
  /** Bits of `EVENT`. */
  readonly events: number;
  /** Attribute numbers that UPDATE and INSERT may name. */
  readonly columns: ReadonlySet<number>;
}

/** PostgreSQL's commands as the bits of `pg_relation_is_updatable`. */
export const EVENT = { update: 4, insert: 8, delete: 16 } as const;

export const NOT_UPDATABLE: Updatability = { events: 0, columns: new Set() };

/**
 * How the work of a call grows with the weight of its arguments: 1 when absent, as going through them does; 0 when
 * it does not at all (a subscript); 8 where each byte is much work. Long calls are made by a helper process.
 */
interface Effort {
  readonly effort?: number;
}

interface Common extends Effort {
  readonly name: string;
  readonly args: readonly string[];
  readonly returns: string;
  readonly summary: string;
  readonly example: Example;
  /** Default immutable: folded when all arguments are constants. */
  readonly volatility?: Volatility;
  /** Every volatile function says; one that does not is taken to write. */
  readonly effect?: Effect;
  /** Trailing arguments that may be left out, as SQL literals of their types (`'1'`, `'null'`). */
  readonly defaults?: readonly string[];
  /** Argument names for `name => value`; in order. */
  readonly argNames?: readonly string[];
  /**
   * Most arguments of a variadic `...any` or `...anyenum`, which arrive as one RecordDatum that knows their types:
   * how a function of "any type" learns what it was given (`to_json`, `pg_typeof`).
   */
  readonly argsMax?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: rows state their own argument types; the registry cannot
type Values = any[];

/** One row of a scalar function. Unless `strict: false`, it is not called with a NULL and gives NULL. */
export interface ScalarFunction extends Common {
  readonly strict?: boolean;
  /** An array argument that is NULL is given as one of its type without elements. */
  readonly emptyForNull?: true;
  /** It tells something of the session, the same all through a statement, at once: by literals alone it is a fact. */
  readonly isFact?: true;
  /** Row at a time; variadic arguments come as an array datum. */
  readonly evaluate?: (...args: Values) => Datum;
  /** Row at a time, with the session. */
  readonly evaluateIn?: (context: FunctionContext, ...args: Values) => Datum;
  /** Row at a time, of a function that waits; it cannot stand inside of CASE or COALESCE. */
  readonly evaluateLater?: (context: FunctionContext, ...args: Values) => Promise<Datum>;
  /** All rows of a batch together, of a function that waits for a service; for strict ones those without NULL. */
  readonly evaluateAllLater?: (
    context: FunctionContext,
    rows: readonly (readonly Datum[])[],
  ) => Promise<readonly Datum[]>;
  /** All rows at once: the hot path of arithmetic and comparison. Handles NULLs itself. */
  readonly kernel?: (args: readonly Vector[], length: number) => Vector;
}

/** Its values are there before the expression it stands in is computed. */
export const waits = (callable: ScalarFunction | Operator): boolean =>
  'evaluateLater' in callable || 'evaluateAllLater' in callable;

/** `left` is absent for prefix operators. `function` names the ScalarFunction of the same argument types. */
export interface Operator extends Effort {
  readonly name: string;
  readonly left?: string;
  readonly right: string;
  readonly returns: string;
  readonly strict?: boolean;
  readonly summary: string;
  readonly example: Example;
  readonly volatility?: Volatility;
  /** The operator with its sides exchanged, and its opposite: what optimizer rules may use. */
  readonly commutator?: string;
  readonly negator?: string;
  /** The operand of any type is cast to text first, as PostgreSQL's `text || anynonarray` does. */
  readonly asText?: true;
  readonly emptyForNull?: true;
  readonly evaluate?: (...args: Values) => Datum;
  readonly evaluateIn?: (context: FunctionContext, ...args: Values) => Datum;
  readonly kernel?: (args: readonly Vector[], length: number) => Vector;
}

export interface Cast {
  readonly from: string;
  readonly to: string;
  readonly context: 'implicit' | 'assignment' | 'explicit';
  readonly evaluate?: (value: never) => Datum;
  readonly evaluateIn?: (context: FunctionContext, value: never) => Datum;
  readonly kernel?: (arg: Vector) => Vector;
}

/**
 * An aggregate keeps one state per group. `step` is not called for rows with a NULL argument unless
 * `strict: false`. `steps` does a batch at once: `groups[i]` is the state's position for row i.
 */
export interface AggregateFunction extends Common {
  readonly strict?: boolean;
  /** Its state is `{ rows: Datum[] }`, and all the work is done by `final`: by a helper process when they are many. */
  readonly gathers?: true;
  /** Called with WITHIN GROUP (ORDER BY …) only: the sorted values are the last arguments. */
  readonly ordered?: true;
  // biome-ignore lint/suspicious/noExplicitAny: the state's type is the row's own business
  readonly init: () => any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly step: (state: any, ...args: Values) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly final: (state: any, context: FunctionContext) => Datum;
}

/** A set-returning function: one column named after the function, or the `columns` it declares. */
export interface SetFunction extends Common {
  readonly strict?: boolean;
  readonly columns?: readonly { readonly name: string; readonly type: string }[];
  /**
   * Rows of fields that the caller says: by a column definition list, or as the first argument's row type has
   * them. The binder adds two arguments: a record of NULLs with the fields' names and types, and an int4[] of
   * their modifiers.
   */
  readonly shaped?: 'by definitions' | 'by first argument';
  /** A request: where it is all of a statement that is a transaction of its own, it ends the transaction. */
  readonly commits?: true;
  /** Asynchronous for a function that waits, of effort 0: each row goes on as it comes. */
  readonly rows: (
    context: FunctionContext,
    ...args: Values
  ) => Iterable<readonly Datum[]> | AsyncIterable<readonly Datum[]>;
}
