/**
 * Terms that texts are read with. A question to datasets has those of the domains that are active in any of them, and of
 * their users; a text of no dataset those of all domains: names of accounts are nobody's name anywhere.
 */
import type { AskRequest } from '../functions/services.ts';
import { ALL_DOMAINS, type Concept, type Vocabulary } from '../language/domains/vocabulary.ts';
import { arrayTexts, texts } from '../session/datasets/parameters.ts';
import { termsIn, vocabularyOf, writtenLanguages } from '../session/datasets/terms/find-terms.ts';
import type { Query } from '../session/server-session.ts';

/** Those of all domains that a text names, in their order. */
export const conceptsIn = (text: string): readonly Concept[] => ALL_DOMAINS.conceptsIn(text);

/** @param query runs statements as the asker. */
export async function vocabularyFor(
  query: Query,
  question: string,
  datasets: AskRequest['datasets'],
): Promise<Vocabulary> {
  const names = datasets.map(({ dataset }) => dataset);
  const rows = await query('SELECT domains FROM quern.datasets WHERE name = ANY($1)', texts(names));
  const domains = new Set(rows.flatMap((row) => arrayTexts(row.domains)));
  const written = await writtenLanguages(query, question, names);
  return vocabularyOf([...domains], await termsIn(query, names, question), written);
}
