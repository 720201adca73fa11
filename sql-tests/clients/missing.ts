/**
 * What real clients ask for and Quern has not yet: suite by suite, check by check, with the error it gives
 * now. A check that begins to pass, or fails in another way, fails its suite: then its line goes or changes.
 */
const RECORD_FIELD = 'PSQLException 0A000 ERROR: field selection from a record is not supported';

export const MISSING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  psycopg_sync: {
    'types of the server are fetched': 'FeatureNotSupported 0A000 DROP TYPE is not supported',
  },
  asyncpg_suite: {
    'enums are introspected': 'FeatureNotSupportedError 0A000 CREATE TYPE is not supported',
  },
  sqlalchemy_suite: {
    'enums are native types':
      'NotSupportedError (psycopg.errors.FeatureNotSupported) CREATE TYPE is not supported',
  },
  pgvector_suite: {
    'an ivfflat index is taken': 'FeatureNotSupported 0A000 index method "ivfflat" is not supported',
  },
  pgjdbc: {
    'metadata of tables, columns, indexes': RECORD_FIELD,
    'generated keys and updatable rows': RECORD_FIELD,
  },
};
