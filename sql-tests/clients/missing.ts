/**
 * What real clients ask for and Quern has not yet: suite by suite, check by check, with the error it gives
 * now. A check that begins to pass, or fails in another way, fails its suite: then its line goes or changes.
 */
const FOREIGN_KEY = 'NotSupportedError (psycopg.errors.FeatureNotSupported) a foreign key is not supported';

export const MISSING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  psycopg_sync: {
    'types of the server are fetched': 'FeatureNotSupported 0A000 DROP TYPE is not supported',
  },
  asyncpg_suite: {
    'enums are introspected': 'FeatureNotSupportedError 0A000 CREATE TYPE is not supported',
  },
  sqlalchemy_suite: {
    'the orm saves and loads relationships': FOREIGN_KEY,
    'the orm reports conflicts': FOREIGN_KEY,
    'reflection sees what was declared': FOREIGN_KEY,
    'enums are native types':
      'NotSupportedError (psycopg.errors.FeatureNotSupported) CREATE TYPE is not supported',
  },
  pgvector_suite: {
    'an ivfflat index is taken': 'FeatureNotSupported 0A000 index method "ivfflat" is not supported',
  },
  langchain_suite: {
    'documents are added and found': FOREIGN_KEY,
    'filters narrow the search': FOREIGN_KEY,
    'documents are replaced and deleted': FOREIGN_KEY,
    'marginal relevance and retriever': FOREIGN_KEY,
    'the async store works': FOREIGN_KEY,
  },
};
