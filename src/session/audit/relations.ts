/**
 * Relations of the audit: entries whose numbers and hashes commits fill in (`engine/embedded/commit/chain.ts`), texts of
 * questions apart from them, so that these can be forgotten, and the view that people read.
 */
export const AUDIT_RELATIONS: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS quern.audit_entries (sequence bigint, hash text, entry text NOT NULL)',
  `CREATE TABLE IF NOT EXISTS quern.audit_texts (
    digest text PRIMARY KEY,
    salt text NOT NULL,
    text text NOT NULL,
    at timestamptz NOT NULL
  )`,
  'CREATE INDEX IF NOT EXISTS audit_texts_at ON quern.audit_texts (at)',
  `CREATE OR REPLACE VIEW quern.audit WITH (security_invoker = true) AS
    SELECT e.sequence, (e.json->>'at')::timestamptz AS at, e.json->>'action' AS action,
      e.json->>'role' AS role, e.json->>'key' AS key, e.json->>'address' AS address,
      (e.json->>'pid')::integer AS pid,
      ARRAY(SELECT pg_catalog.jsonb_array_elements_text(e.json->'objects')) AS objects,
      e.json->'detail' AS detail, t.text AS text, e.hash
    FROM (SELECT sequence, hash, entry::jsonb AS json FROM quern.audit_entries) e
      LEFT JOIN quern.audit_texts t ON t.digest = e.json->'detail'->>'text'`,
];
