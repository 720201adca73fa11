/**
 * Statements that the server keeps by name (`quern.saved_queries`). One thing to know: superusers are shown those of all roles,
 * so one's own are asked for.
 */
import { quoteText } from '../../../server/names.ts';
import { rowsOf } from '../../../server/statement.ts';

export interface SavedQuery {
  readonly name: string;
  readonly statement: string;
  readonly params: readonly string[];
  /** As the server writes it: tells whether it is still the same. */
  readonly updatedAt: string;
}

/** Superusers see those of their role's limited keys too: without a key comes first. */
const OWN = 'role = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)';

/** Without the end of long texts. */
export const LIST_SAVED = `SELECT DISTINCT ON (name) name, left(statement, 300) AS statement, updated_at
  FROM quern.saved_queries WHERE ${OWN} ORDER BY name, key IS NOT NULL`;

export interface ListedQuery {
  readonly name: string;
  readonly statement: string;
  readonly updated_at: string;
}

const ONE = `SELECT name, statement, params, updated_at FROM quern.saved_queries
  WHERE ${OWN} AND name = $1 ORDER BY key IS NOT NULL LIMIT 1`;

interface Row extends ListedQuery {
  readonly params: readonly unknown[] | null;
}

/** Null: there is none. */
export async function savedQuery(name: string, signal?: AbortSignal): Promise<SavedQuery | null> {
  const [row] = await rowsOf<Row>(ONE, { params: [name], signal });
  if (row === undefined) return null;
  const params = (row.params ?? []).map((value) =>
    value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value),
  );
  return { name, statement: row.statement, params, updatedAt: row.updated_at };
}

export interface Kept {
  readonly name: string;
  readonly statement: string;
  readonly params: readonly string[];
}

/** SQL that saves it, to be read before. */
export const saveSql = (name: string): string =>
  `SELECT quern.save_query(${quoteText(name)}, $statement$…$statement$)`;

export const renameSql = (name: string, to: string): string =>
  `SELECT quern.rename_query(${quoteText(name)}, ${quoteText(to)})`;

export const dropSql = (name: string): string => `SELECT quern.drop_query(${quoteText(name)})`;

const paramsOf = ({ params }: Kept): string | null => (params.length === 0 ? null : JSON.stringify(params));

/** @throws StatementError 42710 where the name is taken, and it is not to be replaced. */
export async function saveQuery(kept: Kept, isReplacing: boolean): Promise<void> {
  const params = [kept.name, kept.statement, paramsOf(kept), isReplacing];
  await rowsOf('SELECT quern.save_query($1, $2, $3::jsonb, $4)', { params });
}

/** @returns false where it is no longer as it was: nothing is saved. */
export async function saveUnchanged(kept: Kept, updatedAt: string): Promise<boolean> {
  const sql = `SELECT quern.save_query($1, $2, $3::jsonb)
    WHERE EXISTS (SELECT FROM quern.saved_queries
      WHERE ${OWN} AND name = $1 AND updated_at = $4::timestamptz)`;
  const params = [kept.name, kept.statement, paramsOf(kept), updatedAt];
  return (await rowsOf(sql, { params })).length > 0;
}

export const renameQuery = (name: string, to: string): Promise<unknown> =>
  rowsOf('SELECT quern.rename_query($1, $2)', { params: [name, to] });

export const dropQuery = (name: string): Promise<unknown> =>
  rowsOf('SELECT quern.drop_query($1)', { params: [name] });
