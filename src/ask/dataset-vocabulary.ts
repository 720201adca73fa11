/** The terms that a question to datasets is read with: those of the domains that any of them speaks of. */
import type { AskRequest } from '../functions/services.ts';
import type { Vocabulary } from '../language/domains/vocabulary.ts';
import { arrayTexts, texts } from '../session/datasets/parameters.ts';
import { domainVocabulary } from '../session/datasets/domains.ts';
import type { Query } from '../session/server-session.ts';

/** @param query runs statements as the asker. */
export async function vocabularyFor(query: Query, datasets: AskRequest['datasets']): Promise<Vocabulary> {
  const names = datasets.map(({ dataset }) => dataset);
  const rows = await query('SELECT domains FROM quern.datasets WHERE name = ANY($1)', texts(names));
  return domainVocabulary([...new Set(rows.flatMap(({ domains }) => arrayTexts(domains)))]);
}
