/** Completions of Tab at the prompt: keywords, functions of search, names of relations and columns. */
import type { SqlSession } from './session.ts';

const KEYWORDS =
  'SELECT FROM WHERE ORDER BY GROUP LIMIT OFFSET INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE DATASET DROP ALTER INDEX semantic_similarity( vector_distance( bm25_score() match( hybrid( search( ask( research('.split(
    ' ',
  );

export async function namesOf(session: SqlSession): Promise<readonly string[]> {
  const rows = await session.query(
    `SELECT DISTINCT column_name AS name FROM information_schema.columns
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
     UNION SELECT table_name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  return [...KEYWORDS, ...rows.map(({ name }) => String(name))];
}

/** Names that begin like the last word, keywords in the case that is typed. */
export function completions(line: string, names: readonly string[]): [string[], string] {
  const word = /[\w(]*$/.exec(line)?.[0] ?? '';
  if (word === '') return [[], word];
  const isLower = word === word.toLowerCase();
  const cased = names.map((name) => (isLower && /^[A-Z]+$/.test(name) ? name.toLowerCase() : name));
  return [cased.filter((name) => name.startsWith(word)), word];
}
