/**
 * The relations that all datasets share, made or brought up to date at a start. Which texts they were made by is
 * recorded: most starts find the same, and leave out four views that would be bound and stored again as they are.
 * Clients may only read them, so what was made is there.
 */
import { createHash } from 'node:crypto';
import { text } from '../session/datasets/parameters.ts';
import { SERVER_RELATIONS } from '../session/datasets/relations.ts';
import type { Query } from '../session/server-session.ts';

const RECORD = 'CREATE TABLE IF NOT EXISTS quern.server_relations (made_by text PRIMARY KEY)';

/** As one transaction. @param texts statements that change nothing where they have been run before. */
export async function makeServerRelations(
  query: Query,
  texts: readonly string[] = SERVER_RELATIONS,
): Promise<void> {
  const madeBy = text(createHash('sha256').update(texts.join(';')).digest('hex'));
  await query(RECORD);
  const known = await query('SELECT made_by FROM quern.server_relations WHERE made_by = $1', madeBy);
  if (known.length > 0) return;
  for (const sql of texts) await query(sql);
  await query('DELETE FROM quern.server_relations');
  await query('INSERT INTO quern.server_relations VALUES ($1)', madeBy);
}
