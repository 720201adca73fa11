/**
 * Terms of users, of all datasets: `dataset_terms`, one row a term, which the view `quern.terms` shows, and `term_names`,
 * the names that they are looked up by, folded as `language/domains/lexicon.ts` folds the words of questions.
 */
export const TERM_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.dataset_terms (
    dataset text NOT NULL,
    id text NOT NULL,
    kind text,
    names jsonb NOT NULL,
    parts jsonb,
    formula text,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (dataset, id)
  )`,
  `CREATE TABLE IF NOT EXISTS quern.term_names (
    dataset text NOT NULL,
    name text NOT NULL,
    id text NOT NULL
  )`,
  'CREATE INDEX IF NOT EXISTS term_names_name ON quern.term_names (dataset, name)',
  'CREATE INDEX IF NOT EXISTS term_names_id ON quern.term_names (dataset, id)',
  `CREATE OR REPLACE VIEW quern.terms AS
    SELECT dataset, id, kind, names, parts, formula, updated_at FROM quern.dataset_terms`,
];

/** Relations with a dataset's terms, which go with it. */
export const TERM_TABLES = ['dataset_terms', 'term_names'] as const;
