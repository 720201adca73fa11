/**
 * A collection or table as the catalog knows it: its columns, its key, its size, and what one may do with it.
 */
import { relationName } from '../../server/names.ts';
import { type Loaded, useRows } from '../../server/use-rows.ts';

export interface RelationColumn {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** An expression. */
  readonly default: string | null;
  /** The server computes it, or numbers it: nobody writes it. */
  readonly isGenerated: boolean;
  readonly comment: string | null;
}

export interface Relation {
  readonly schema: string;
  readonly name: string;
  /** As addresses and people have it. */
  readonly shown: string;
  /** As SQL has it. */
  readonly sql: string;
  readonly isCollection: boolean;
  readonly columns: readonly RelationColumn[];
  /** Names of columns that documents brought. */
  readonly undeclared: ReadonlySet<string>;
  /** Columns of the primary key; none: rows cannot be told apart. */
  readonly key: readonly string[];
  /** Null: whoever asks does not see every row, and is not told how many there are. */
  readonly rowCount: number | null;
  readonly bytes: number | null;
  /** Null: never written to, or it is not told. */
  readonly changedAt: string | null;
  readonly comment: string | null;
  readonly rights: Rights;
  readonly hasRowRules: boolean;
  /** Columns with a keyword index: what `match()` finds in. */
  readonly keywordColumns: readonly string[];
}

export interface Rights {
  readonly read: boolean;
  readonly insert: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  readonly own: boolean;
}

const DESCRIBED = `SELECT n.nspname AS schema, c.relname AS name, q.name IS NOT NULL AS collection,
  (SELECT jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
      'isRequired', a.attnotnull, 'default', pg_get_expr(d.adbin, d.adrelid),
      'isGenerated', a.attgenerated <> '' OR a.attidentity = 'a', 'comment', col_description(c.oid, a.attnum))
    ORDER BY a.attnum)
    FROM pg_catalog.pg_attribute a
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  q.undeclared, (SELECT i.columns FROM quern.indexes i
    WHERE i.schema = n.nspname AND i.relation = c.relname AND i.is_primary) AS key,
  (SELECT array_agg(DISTINCT i.columns[1]) FROM quern.indexes i
    WHERE i.schema = n.nspname AND i.relation = c.relname AND i.is_valid
      AND i.kind IN ('keyword', 'semantic')) AS words,
  coalesce(q.row_count::float8, nullif(c.reltuples, -1)::float8) AS rows,
  coalesce(q.bytes, pg_total_relation_size(c.oid))::float8 AS bytes, q.changed_at,
  obj_description(c.oid, 'pg_class') AS comment, c.relrowsecurity AS rules,
  has_table_privilege(c.oid, 'SELECT') AS read, has_table_privilege(c.oid, 'INSERT') AS insert,
  has_table_privilege(c.oid, 'UPDATE') AS update, has_table_privilege(c.oid, 'DELETE') AS delete,
  pg_has_role(c.relowner, 'USAGE') AS own
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN quern.collections q ON q.schema = n.nspname AND q.name = c.relname
WHERE c.relkind IN ('r', 'p')
  AND (n.nspname = 'public' AND c.relname = $1 OR n.nspname || '.' || c.relname = $1)
ORDER BY n.nspname = 'public' AND c.relname = $1 DESC LIMIT 1`;

interface Described {
  readonly schema: string;
  readonly name: string;
  readonly collection: boolean;
  readonly columns: readonly RelationColumn[] | null;
  readonly undeclared: readonly { readonly name: string }[] | null;
  readonly key: readonly string[] | null;
  readonly words: readonly string[] | null;
  readonly rows: number | null;
  readonly bytes: number | null;
  readonly changed_at: string | null;
  readonly comment: string | null;
  readonly rules: boolean;
  readonly read: boolean;
  readonly insert: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  readonly own: boolean;
}

/** `films`, `shop.orders`. */
export const shownName = (schema: string, name: string): string =>
  schema === 'public' ? name : `${schema}.${name}`;

function relationOf(described: Described): Relation {
  const { schema, name, collection, read, insert, update, own } = described;
  return {
    schema,
    name,
    shown: shownName(schema, name),
    sql: relationName(schema, name),
    isCollection: collection,
    columns: described.columns ?? [],
    undeclared: new Set((described.undeclared ?? []).map((field) => field.name)),
    key: described.key ?? [],
    rowCount: described.rows,
    bytes: described.bytes,
    changedAt: described.changed_at,
    comment: described.comment,
    rights: { read, insert, update, delete: described.delete, own },
    hasRowRules: described.rules,
    keywordColumns: described.words ?? [],
  };
}

/** An empty list: there is none of that name, or no longer. */
export function useRelation(name: string): Loaded<readonly Relation[]> {
  const { value, ...rest } = useRows<Described>(DESCRIBED, [name]);
  return { ...rest, value: value?.map(relationOf) ?? null };
}
