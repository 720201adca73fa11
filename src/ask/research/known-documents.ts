/** Names of documents in the asked datasets, and whom they are of: whom a question may mean by a name. */
import type { AskRequest } from '../../functions/services.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Query } from '../../session/server-session.ts';
import { planningWords } from '../../language/questions/planning/planning-packs.ts';
import { LEGAL_FORMS } from '../../language/names/legal-forms.ts';
import { yearsIn } from '../question.ts';
import type { Turns } from '../turns.ts';
import type { KnownDocuments } from './scope.ts';

/** Names of more documents are not read for one question. */
const DOCUMENTS_COUNT_MAX = 5_000;
/** A longer value of metadata is a text, and names nobody. */
const VALUE_CHARACTERS_MAX = 40;
/** Names of whom documents are of, as they name themselves or users do: titles have other words too. */
const WHOSE = "SELECT DISTINCT name FROM # WHERE kind IN ('cover', 'header', 'short', 'symbol', 'given')";
/** Words of names that name nobody. */
const COMMON: ReadonlySet<string> = new Set(planningWords(({ ofDocuments }) => ofDocuments));

export async function knownDocuments(
  query: Query,
  datasets: AskRequest['datasets'],
  turns: Turns,
): Promise<KnownDocuments> {
  const words = new Set<string>();
  const years = new Set<number>();
  for (const { dataset } of datasets) {
    const rows = await query(
      `SELECT name, metadata FROM ${datasetSchema(dataset)}.documents WHERE version > 0
       ORDER BY doc_id LIMIT ${DOCUMENTS_COUNT_MAX}`,
    );
    const subjects = await query(
      `${WHOSE.replace('#', () => `${datasetSchema(dataset)}.subjects`)} ORDER BY name LIMIT ${DOCUMENTS_COUNT_MAX}`,
    );
    for (const { name } of subjects)
      for (const word of wordsOf(String(name))) if (!LEGAL_FORMS.has(word)) words.add(word);
    for (const { name, metadata } of rows) {
      const pause = turns.next();
      if (pause !== null) await pause;
      const plain = String(name).replace(/\.\w{1,5}$/, '');
      const values = shortValues(metadata == null ? null : JSON.parse(String(metadata)));
      for (const text of [plain, ...values]) {
        for (const word of wordsOf(text)) words.add(word);
        for (const year of yearsIn(text.replace(/_/g, ' '))) years.add(year);
      }
    }
  }
  return { words, years: [...years].sort((a, b) => a - b) };
}

function shortValues(metadata: unknown): readonly string[] {
  if (typeof metadata !== 'object' || metadata === null) return [];
  return Object.values(metadata).flatMap((value: unknown) => {
    if (typeof value === 'number') return [String(value)];
    return typeof value === 'string' && value.length <= VALUE_CHARACTERS_MAX ? [value] : [];
  });
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && /\p{L}/u.test(word) && !COMMON.has(word));
