/** Statements that are kept by name: a name is there once for a role, and for each of its limited keys. */
export const SAVED_QUERY_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.saved_queries (
    role oid NOT NULL,
    key text,
    name text NOT NULL,
    statement text NOT NULL,
    params jsonb,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX IF NOT EXISTS saved_queries_name ON quern.saved_queries (role, key, name)
    NULLS NOT DISTINCT`,
];
