/** Requests that are done once, as a relation: a row is part of the commit of what its request wrote. */
export const REQUEST_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.requests (
    key text NOT NULL,
    request_id text NOT NULL,
    role oid NOT NULL,
    digest text NOT NULL,
    tag text NOT NULL,
    lsn text,
    at timestamptz NOT NULL,
    PRIMARY KEY (key, request_id)
  )`,
  'CREATE INDEX IF NOT EXISTS requests_at ON quern.requests (at)',
];
