/**
 * Names in a question that no document carries. Figures of another company under a name that was asked for are worse than
 * no answer, so a name has to stand somewhere: among the documents' words, or as the initials of whom one is of. Where a
 * question is not in the documents' language, or all nouns have capitals, a word of one capital may be no name but a word
 * that documents translate: then it is told only of a question that names nobody else.
 */
import type { AskRequest } from '../../functions/services.ts';
import { isOfPlaces } from '../../language/common-names.ts';
import { detectLanguage, languageOfCode } from '../../language/detect-language.ts';
import { text } from '../../session/datasets/parameters.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Parameter, Query } from '../../session/server-session.ts';
import { initialsOf } from '../../language/names/initials.ts';
import { nameKey } from '../../language/names/name-keys.ts';
import { narrowedTo } from './named-documents.ts';
import type { Question } from '../question.ts';
import { hasCapitalNouns, hasTwoCapitals, properNames } from './proper-names.ts';

/** More names, or datasets, are not looked up for one question. */
const NAMES_COUNT_MAX = 6;
const DATASETS_COUNT_MAX = 20;
/** Documents of a dataset whose beginnings are read for whom they are of. */
const SUBJECTS_COUNT_MAX = 500;
const BEGINNING_CHUNKS = 2;
const BEGINNING_CHARACTERS_MAX = 1_500;

type Wanted = AskRequest['datasets'];

export interface Whose {
  /** Names as the question has them, which nothing carries. */
  readonly missing: readonly string[];
  /** Words that may be names, and nothing carries: missing where the question names no document. */
  readonly doubtful: readonly string[];
  /** Datasets with only the documents of those whose initials are asked for; null where there are none. */
  readonly abbreviated: Wanted | null;
}

const NOBODY: Whose = { missing: [], doubtful: [], abbreviated: null };

/** @param query runs statements as the asker. */
export async function whoseOf(
  query: Query,
  question: Pick<Question, 'core' | 'language' | 'vocabulary' | 'kind'>,
  { datasets, said }: { readonly datasets: Wanted; readonly said: readonly string[] },
): Promise<Whose> {
  const isSaid = (name: string): boolean => said.some((one) => nameKey(one) === nameKey(name));
  const names = properNames(question)
    .filter((name) => !isSaid(name))
    .slice(0, NAMES_COUNT_MAX);
  if (names.length === 0 || datasets.length > DATASETS_COUNT_MAX) return NOBODY;
  const unknown = [];
  for (const name of names) if (!(await isCarried(query, name, datasets))) unknown.push(name);
  if (unknown.length === 0) return NOBODY;
  const subjects = await subjectsOf(query, datasets);
  if (subjects.length === 0) return NOBODY;
  const isForeign = subjects.some(({ language }) => language !== question.language);
  const isSure = (name: string): boolean =>
    hasTwoCapitals(name) || !(isForeign || hasCapitalNouns(question.language));
  const doubtful = unknown.filter((name) => !isSure(name) && !isOfPlaces(name, question.language));
  const missing: string[] = [];
  const abbreviated: Subject[] = [];
  for (const name of unknown.filter(isSure)) {
    const found = subjects.filter(({ initials }) => initials.has(lettersOf(name)));
    if (found.length === 0) missing.push(name);
    abbreviated.push(...found);
  }
  return {
    missing,
    doubtful,
    abbreviated: abbreviated.length === 0 ? null : narrowed(abbreviated, datasets),
  };
}

/** True when some chunk has every word of the name. */
async function isCarried(query: Query, name: string, datasets: Wanted): Promise<boolean> {
  for (const { dataset } of datasets) {
    const rows = await query(
      `SELECT 1 AS found FROM ${datasetSchema(dataset)}.chunks WHERE match($1, passage, 1, true) LIMIT 1`,
      matched(name),
    );
    if (rows.length > 0 || (await namesDocument(query, name, dataset))) return true;
  }
  return false;
}

/** Every word of a name, as `match()` takes it. */
export const matched = (name: string): Parameter => text(name.replace(/&/g, ' '));

/** True when a document's file is called by it. */
export async function namesDocument(query: Query, name: string, dataset: string): Promise<boolean> {
  const rows = await query(
    `SELECT 1 AS found FROM ${datasetSchema(dataset)}.documents WHERE match($1, search_names, 1, true) LIMIT 1`,
    text(name.replace(/[\s&]+/g, '')),
  );
  return rows.length > 0;
}

interface Subject {
  readonly dataset: string;
  readonly docId: string;
  readonly language: string;
  readonly initials: ReadonlySet<string>;
}

/**
 * Documents with their languages. Those whose subjects are not stored yet, as an earlier Quern made them, are read for
 * whom they are of: titles and covers say so.
 */
async function subjectsOf(query: Query, datasets: Wanted): Promise<readonly Subject[]> {
  const subjects: Subject[] = [];
  for (const { dataset } of datasets) {
    const schema = datasetSchema(dataset);
    const stored = await query(
      `SELECT DISTINCT languages[1] AS code FROM ${schema}.documents WHERE version > 0 AND subjects_as IS NOT NULL`,
    );
    for (const { code } of stored) {
      const language = code == null ? null : languageOfCode(String(code));
      subjects.push({ dataset, docId: '', language: language ?? 'english', initials: NO_INITIALS });
    }
    const rows = await query(
      `SELECT doc_id, d.title, left(c.text, ${BEGINNING_CHARACTERS_MAX}) AS beginning
       FROM ${schema}.documents d JOIN ${schema}.chunks c USING (doc_id)
       WHERE d.version > 0 AND d.subjects_as IS NULL
         AND c.ordinal <= ${BEGINNING_CHUNKS} LIMIT ${SUBJECTS_COUNT_MAX * BEGINNING_CHUNKS}`,
    );
    for (const row of rows) {
      const beginning = `${row.title ?? ''}\n${row.beginning ?? ''}`;
      const language = detectLanguage(beginning);
      subjects.push({ dataset, docId: String(row.doc_id), language, initials: initialsOf(beginning) });
    }
  }
  return subjects;
}

const NO_INITIALS: ReadonlySet<string> = new Set();

const narrowed = (subjects: readonly Subject[], datasets: Wanted): Wanted =>
  datasets.flatMap((wanted) => {
    const ids = subjects.flatMap(({ dataset, docId }) => (dataset === wanted.dataset ? [docId] : []));
    return ids.length === 0 ? [] : [narrowedTo(wanted, [...new Set(ids)])];
  });

const lettersOf = (name: string): string => name.replace(/[^\p{L}\p{N}&]/gu, '').toLowerCase();
