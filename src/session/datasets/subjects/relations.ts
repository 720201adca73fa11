/**
 * Names of whom documents are of, one row a name: found at ingestion (`ingest/subjects`), or given by users, which a new
 * version keeps. `kind` is title, cover, header, symbol, short, initials; given; or dropped, of a name that users have
 * taken away.
 */
export const SUBJECT_COLUMNS: Readonly<Record<string, string>> = {
  doc_id: 'text NOT NULL',
  name: 'text NOT NULL',
  kind: 'text NOT NULL',
  language: 'text',
  /** `nameKey` of the name. */
  key: 'text NOT NULL',
};

/** @param schema as SQL has it. */
export const subjectIndexes = (schema: string): readonly string[] => [
  `CREATE INDEX IF NOT EXISTS subjects_key ON ${schema}.subjects (key)`,
  `CREATE INDEX IF NOT EXISTS subjects_doc_id ON ${schema}.subjects (doc_id)`,
];
