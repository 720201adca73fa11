/**
 * The catalog as immutable data: relations with their columns, indexes and constraints. The engine stores
 * it (as JSON, encrypted) and hands out one version per snapshot; a change makes a new version. `system/`
 * shows it as pg_catalog and information_schema.
 */
import type { TextPath } from '../types/json/path-column.ts';
import type { TypeRef } from '../types/type.ts';
import type { DefaultAccess, Membership, ObjectAccess, Policy, Role, RowSecurity } from './access/model.ts';
import type { IndexKind } from './index-kinds.ts';

/** First OID given to users' objects, as in PostgreSQL; smaller ones are fixed in `catalog/oids.ts`. */
export const FIRST_USER_OID = 16384;

export interface Catalog {
  /** Grows by one with every change; statements bound to an older version are bound anew. */
  readonly version: number;
  readonly nextOid: number;
  readonly namespaces: readonly Namespace[];
  /** By OID. */
  readonly relations: ReadonlyMap<number, Relation>;
  /** Users' functions in SQL, by OID. */
  readonly functions: ReadonlyMap<number, SqlFunction>;
  /** Users' enum types by OID. */
  readonly enums: ReadonlyMap<number, EnumType>;
  readonly comments: readonly Comment[];
  /** Users' roles by OID; every database has those of `access/roles.ts`, too. */
  readonly roles: ReadonlyMap<number, Role>;
  readonly memberships: readonly Membership[];
  /** Owners and access lists that are not the usual ones, by `accessKey`. */
  readonly access: ReadonlyMap<string, ObjectAccess>;
  readonly defaultAccess: readonly DefaultAccess[];
}

export interface Namespace {
  readonly oid: number;
  readonly name: string;
  /** A dataset's properties beside its relations. */
  readonly dataset?: Dataset;
}

/** A schema whose relations are written by ingestion only. */
export interface Dataset {
  readonly description: string;
  readonly region: string;
  /** Microseconds since 2000-01-01 UTC, as decimal text. */
  readonly createdMicros: string;
  /** Ids of the domain packs that its questions are read with; absent or null: those that its documents speak of. */
  readonly domains?: readonly string[] | null;
  /** Ids of those that ingestion has found its documents to speak of; absent in one of an older Quern, of which it is not told yet. */
  readonly spokenDomains?: readonly string[];
  /** Its texts go to no endpoint outside. */
  readonly staysHere?: true;
}

export interface Comment {
  readonly classOid: number;
  readonly oid: number;
  /** Attribute number, 0 for the object itself. */
  readonly column: number;
  readonly text: string;
}

/** A user's function in SQL. */
export interface SqlFunction {
  readonly oid: number;
  readonly namespace: number;
  readonly name: string;
  /** All of them in order, columns of RETURNS TABLE last. */
  readonly arguments: readonly FunctionArgument[];
  /** `record` for a row of several columns, `void` for nothing. */
  readonly returns: TypeRef;
  /** Relation whose row type it returns; 0 for none. */
  readonly returnsRelation: number;
  readonly set: boolean;
  /** Not run with a NULL argument: the result is NULL, or no rows. */
  readonly strict: boolean;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  /** Promises beyond volatility, told again as they were given; nothing here depends on them yet. */
  readonly promises?: FunctionPromises;
  /** `string`: AS '…'; `return`: an expression; `atomic`: what stands between BEGIN ATOMIC and END. */
  readonly form: 'string' | 'return' | 'atomic';
  readonly body: string;
}

/** Only what is not usual. */
export interface FunctionPromises {
  readonly securityDefiner?: true;
  readonly leakproof?: true;
  readonly parallel?: 'safe' | 'restricted';
  readonly cost?: number;
  /** Rows that a set is expected to give. */
  readonly rows?: number;
}

export const USUAL_COST = 100;
export const USUAL_ROWS = 1000;

export interface FunctionArgument {
  readonly name: string | null;
  readonly mode: 'in' | 'out' | 'inout' | 'variadic' | 'table';
  readonly type: TypeRef;
  /** SQL text of the default; null for none. */
  readonly defaultText: string | null;
}

/** An enum type; how its labels change says `enums.ts`. */
export interface EnumType {
  readonly oid: number;
  readonly namespace: number;
  readonly name: string;
  /** Ascending by order. */
  readonly labels: readonly EnumLabel[];
}

export interface EnumLabel {
  readonly oid: number;
  readonly order: number;
  readonly label: string;
}

export interface Relation {
  readonly oid: number;
  readonly namespace: number;
  readonly name: string;
  /**
   * collection: `_id TEXT` primary key, upserts, undeclared columns. table: a plain PostgreSQL table.
   * view, materialized view (which has rows) and sequence come with their statements.
   */
  readonly kind: 'collection' | 'table' | 'view' | 'materialized view' | 'sequence';
  /** Ascending by attribute number; dropped ones stay, so that stored rows keep their meaning. */
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly constraints: readonly Constraint[];
  /** A view's query as SQL: every relation with its schema, and no stars. */
  readonly definition: string | null;
  /** How far WITH CHECK OPTION of a view reaches. */
  readonly checkOption?: 'local' | 'cascaded';
  /** All options of a view as they were written: `security_barrier=true`, `check_option=local`. */
  readonly options?: readonly string[];
  /** A materialized view that has not been filled, and cannot be read. */
  readonly unpopulated?: true;
  /** How a sequence counts. */
  readonly sequence?: SequenceDefinition;
  /** When a collection was made: microseconds since 2000-01-01 UTC, as decimal text. */
  readonly createdMicros?: string;
  /** Its texts go to no endpoint outside. */
  readonly staysHere?: true;
  /** Absent: off. */
  readonly rowSecurity?: RowSecurity;
  readonly policies?: readonly Policy[];
  /** Keyword scores count words of all rows, also for those who do not see all; absent: of the rows that one sees. */
  readonly sharedStatistics?: true;
  /** Fate of a temporary table's rows at commit; absent: they stay until the session ends. */
  readonly onCommit?: 'delete rows' | 'drop';
}

/** How a sequence counts; numbers as decimal text, which JSON keeps exact. */
export interface SequenceDefinition {
  /** OID of smallint, integer or bigint. */
  readonly type: number;
  readonly start: string;
  readonly increment: string;
  readonly min: string;
  readonly max: string;
  readonly cache: string;
  readonly cycle: boolean;
  /** The column it goes with, by OID and attribute number. */
  readonly owner: { readonly relation: number; readonly attribute: number } | null;
}

export interface Column {
  /** 1-based and never reused. */
  readonly attribute: number;
  readonly name: string;
  readonly type: TypeRef;
  readonly notNull: boolean;
  /** SQL text of the default expression. */
  readonly defaultText: string | null;
  readonly identity: 'always' | 'by default' | null;
  readonly generatedText: string | null;
  /** Not in the schema, seen on a write; its type may become jsonb when documents differ. */
  readonly undeclared: boolean;
  readonly dropped: boolean;
  /** Declared members of documents in it; others may be there too. */
  readonly struct?: readonly StructField[];
  /** Values that a unique index on expressions tells rows apart by: nobody sees the column. */
  readonly hidden?: true;
}

/** A field of a struct, whose columns are jsonb. */
export interface StructField {
  readonly name: string;
  readonly type: TypeRef;
  readonly notNull: boolean;
  readonly struct?: readonly StructField[];
}

export interface Index {
  readonly oid: number;
  readonly name: string;
  readonly kind: IndexKind;
  /** Attribute numbers. */
  readonly columns: readonly number[];
  /** Path into its one jsonb column, for a keyword or semantic index on the text there. */
  readonly path?: TextPath;
  readonly unique: boolean;
  readonly primary: boolean;
  /** Options with their defaults filled in: `{ metric: 'cosine' }`, `{ type: 'text', language: 'english' }`. */
  readonly options: Readonly<Record<string, string>>;
  /** The index of a DEFERRABLE constraint: within a transaction rows may share a key until it is checked. */
  readonly deferrable?: true;
  /** NULLS NOT DISTINCT: so many columns from the first in which NULL equals NULL. */
  readonly equalNulls?: number;
  /** Fingerprint of the model that made a semantic index's vectors (`EmbeddingModel.fingerprint`). */
  readonly fingerprint?: string;
  /** Writes keep it up to date, and no query asks it: see `edit/embedding.ts`. */
  readonly standby?: {
    readonly state: 'building' | 'former';
    /** OID of the index that answers meanwhile; 0: none, it is being made of rows that were there. */
    readonly of: number;
  };
  /** How it was written, where that is more than its kind and columns. */
  readonly shape?: IndexShape;
}

/** An index as CREATE INDEX gave it. */
export interface IndexShape {
  /** The name after USING: `hnsw` is a vector index. */
  readonly method: string;
  readonly elements: readonly IndexElement[];
  /** Attribute numbers of INCLUDE. */
  readonly included: readonly number[];
  /** Parameters of WITH that were written. */
  readonly parameters: Readonly<Record<string, string>>;
  /** SQL text of a partial index's predicate. */
  readonly where: string | null;
  /** Attribute numbers that expressions and predicate read. */
  readonly reads: readonly number[];
}

export interface IndexElement {
  /** 0 for an expression. */
  readonly attribute: number;
  readonly expression: string | null;
  /** The name of an expression's column in the catalog: that of its function. */
  readonly name: string;
  /** Type of the element's values. */
  readonly type: number;
  readonly operatorClass: string | null;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** The index as it would have been written: plain columns where nothing else is known. */
export function indexShape(relation: Relation, index: Index): IndexShape {
  if (index.shape) return index.shape;
  const elements = index.columns.map((attribute): IndexElement => {
    const column = columnByAttribute(relation, attribute);
    const plain = { expression: null, operatorClass: null, descending: false, nullsFirst: false };
    return { attribute, name: column?.name ?? '', type: column?.type.oid ?? 0, ...plain };
  });
  const { kind: method, options: parameters } = index;
  return { method, elements, included: [], parameters, where: null, reads: [] };
}

export interface Constraint {
  readonly oid: number;
  readonly name: string;
  readonly kind: 'primary key' | 'unique' | 'check' | 'foreign key' | 'not null';
  readonly columns: readonly number[];
  /** Unique index behind a primary key or unique constraint; 0 otherwise. */
  readonly index: number;
  /** SQL text of a CHECK. */
  readonly expression: string | null;
  /** The target of a foreign key. */
  readonly references?: ForeignReference;
  /** When a DEFERRABLE one is checked unless SET CONSTRAINTS says otherwise. */
  readonly deferrable?: Deferral;
}

/** Immediate is at the end of each statement, deferred at the end of the transaction. */
export type Deferral = 'immediate' | 'deferred';

export type ReferentialAction = 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';

export interface ForeignReference {
  /** OID; 0 in a new relation that refers to itself. */
  readonly relation: number;
  /** Attribute numbers, one for each of the constraint's columns. */
  readonly columns: readonly number[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
  /** MATCH FULL: all of the key's columns are NULL, or none. */
  readonly full?: true;
  /** The columns that ON DELETE SET NULL | DEFAULT (…) names; absent: all of the constraint's. */
  readonly setOnDelete?: readonly number[];
}

/** A foreign key with the relations at its two ends. */
export interface ForeignKey {
  readonly child: Relation;
  readonly constraint: Constraint;
  readonly reference: ForeignReference;
  readonly parent: Relation;
}

export function foreignKeys(catalog: Catalog): readonly ForeignKey[] {
  return [...catalog.relations.values()].flatMap((child) =>
    child.constraints.flatMap((constraint): readonly ForeignKey[] => {
      const reference = constraint.references;
      const parent = reference && catalog.relations.get(reference.relation);
      return parent ? [{ child, constraint, reference, parent }] : [];
    }),
  );
}

/** True when it shows the rows of a query of its own. */
export function hasQuery({ kind }: Relation): boolean {
  return kind === 'view' || kind === 'materialized view';
}

/** True when it has rows of its own. */
export function hasRows({ kind }: Relation): boolean {
  return kind === 'table' || kind === 'collection' || kind === 'materialized view';
}

/** Columns a query sees, in attribute order. */
export function liveColumns(relation: Relation): readonly Column[] {
  return relation.columns.filter((column) => !column.dropped && !column.hidden);
}

export function columnByAttribute(relation: Relation, attribute: number): Column | undefined {
  return relation.columns.find((column) => column.attribute === attribute);
}

export function columnByName(relation: Relation, name: string): Column | undefined {
  return relation.columns.find((column) => column.name === name && !column.dropped && !column.hidden);
}

/** Name of what a keyword or semantic index is over, as one writes it: `title`, or `meta.title` for a path. */
export function indexedName(
  relation: Relation,
  { columns: [attribute = 0], path = [] }: Index,
  separator = '.',
): string {
  return [columnByAttribute(relation, attribute)?.name ?? '', ...path].join(separator);
}

export function primaryKey(relation: Relation): Index | undefined {
  return relation.indexes.find((index) => index.primary);
}

/** An index with its relation, by the index's OID. */
export function findIndex(catalog: Catalog, oid: number): { relation: Relation; index: Index } | undefined {
  for (const relation of catalog.relations.values()) {
    const index = relation.indexes.find((candidate) => candidate.oid === oid);
    if (index) return { relation, index };
  }
  return undefined;
}

/** Column of a collection that names the fields of a document which were written as null, and are not missing. */
export const NULLS = '_nulls';
