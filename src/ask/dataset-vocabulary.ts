/** The terms that a question to datasets is read with: of the domains that are active in any, and of their users. */
import type { AskRequest } from '../functions/services.ts';
import type { Vocabulary } from '../language/domains/vocabulary.ts';
import { arrayTexts, texts } from '../session/datasets/parameters.ts';
import { termsIn, vocabularyOf } from '../session/datasets/terms/find-terms.ts';
import type { Query } from '../session/server-session.ts';

/** @param query runs statements as the asker. */
export async function vocabularyFor(
  query: Query,
  question: string,
  datasets: AskRequest['datasets'],
): Promise<Vocabulary> {
  const names = datasets.map(({ dataset }) => dataset);
  const rows = await query('SELECT domains FROM quern.datasets WHERE name = ANY($1)', texts(names));
  const domains = new Set(rows.flatMap((row) => arrayTexts(row.domains)));
  return vocabularyOf([...domains], await termsIn(query, names, question));
}
