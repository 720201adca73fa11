/** Requests that are done once, as a relation: a row is part of the commit of what its request wrote. `bearer`: id of a key. */
export const REQUEST_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.requests (
    bearer text NOT NULL,
    request_id text NOT NULL,
    role oid NOT NULL,
    key text,
    digest text NOT NULL,
    tag text NOT NULL,
    lsn text,
    at timestamptz NOT NULL,
    PRIMARY KEY (bearer, request_id)
  )`,
  'CREATE INDEX IF NOT EXISTS requests_at ON quern.requests (at)',
];
