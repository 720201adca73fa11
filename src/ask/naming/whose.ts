/**
 * Names in a question that no document carries. Figures of another company under a name that was asked for are worse than
 * no answer, so a name has to stand somewhere: among the documents' words, or as the initials of whom one is of. Words are
 * names here where their capitals say so, which is told apart in English, and anywhere by two capitals in one word.
 */
import type { AskRequest } from '../../functions/services.ts';
import { isCommonName } from '../../language/common-names.ts';
import { detectLanguage, languageOfCode } from '../../language/detect-language.ts';
import { PACKS } from '../../language/questions/packs.ts';
import { text } from '../../session/datasets/parameters.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Parameter, Query } from '../../session/server-session.ts';
import { initialsOf } from '../../language/names/initials.ts';
import { nameKey } from '../../language/names/name-keys.ts';
import { narrowedTo } from './named-documents.ts';
import type { Question } from '../question.ts';
import { conceptsIn } from '../vocabulary.ts';

/** More names, or datasets, are not looked up for one question. */
const NAMES_COUNT_MAX = 6;
const DATASETS_COUNT_MAX = 20;
/** Documents of a dataset whose beginnings are read for whom they are of. */
const SUBJECTS_COUNT_MAX = 500;
const BEGINNING_CHUNKS = 2;
const BEGINNING_CHARACTERS_MAX = 1_500;
const QUESTION_CHARACTERS_MAX = 2_000;
/** Text before a word that is looked at: its last mark, or its last word. */
const BEFORE_CHARACTERS_MAX = 40;

type Wanted = AskRequest['datasets'];

export interface Whose {
  /** Names as the question has them, which nothing carries. */
  readonly missing: readonly string[];
  /** Datasets with only the documents of those whose initials are asked for; null where there are none. */
  readonly abbreviated: Wanted | null;
}

const NOBODY: Whose = { missing: [], abbreviated: null };

/** @param query runs statements as the asker. */
export async function whoseOf(
  query: Query,
  question: Pick<Question, 'core' | 'language' | 'vocabulary'>,
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
  const told = isForeign ? unknown.filter(hasTwoCapitals) : unknown;
  const missing: string[] = [];
  const abbreviated: Subject[] = [];
  for (const name of told) {
    const found = subjects.filter(({ initials }) => initials.has(lettersOf(name)));
    if (found.length === 0) missing.push(name);
    abbreviated.push(...found);
  }
  return { missing, abbreviated: abbreviated.length === 0 ? null : narrowed(abbreviated, datasets) };
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

/** True for an article of the language; of one without words, none is. */
const isArticle = (word: string, language: string): boolean =>
  PACKS.some(({ name, articles }) => name === language && articles.includes(word.toLowerCase()));

const capitalsIn = (word: string): number => word.match(/\p{Lu}/gu)?.length ?? 0;
const hasTwoCapitals = (name: string): boolean => name.split(/\s+/).some((word) => capitalsIn(word) > 1);

const WORD = /[\p{L}\p{N}]+(?:[&'’.-][\p{L}\p{N}]+)*/gu;
const POSSESSIVE = /['’]s?$/u;
/** `Table 2`, `Appendix C`, `FY 2022`: a part or a period with its number. */
const NUMBERED = /^[\s#.№-]*(?:\p{N}|\p{Lu}(?![\p{L}\p{N}&'’]))/u;

/**
 * Runs of words with capitals that name somebody or something, in their order. No words of calendars, currencies,
 * languages or accounts, and none with digits, which are forms, periods and numbers; none of a title, where all is capital.
 */
export function properNames({
  core,
  language,
  vocabulary,
}: Pick<Question, 'core' | 'language' | 'vocabulary'>): readonly string[] {
  const asked = core.slice(0, QUESTION_CHARACTERS_MAX);
  const terms = vocabulary.rowsIn(asked);
  const words = [...asked.matchAll(WORD)];
  const capital = words.slice(1).filter(([word]) => /^\p{Lu}/u.test(word)).length;
  const small = words.filter(([word]) => /^\p{Ll}/u.test(word)).length;
  if (capital > small + 1) return [];
  const runs: string[][] = [];
  let end = -1;
  for (const { 0: word, index } of words) {
    const name = word.replace(POSSESSIVE, '');
    const before = asked.slice(Math.max(0, index - BEFORE_CHARACTERS_MAX), index);
    const begins = before === '' || /[.?!:;¿¡"“„«(]\s*$/u.test(before);
    const isNumbered = NUMBERED.test(asked.slice(index + word.length));
    const isTerm = terms.some(({ start, end: after }) => start <= index && index < after);
    if (isTerm || isNumbered || !isName(name, word !== name, begins, language)) continue;
    const goesOn = end >= 0 && /^\s+(?:&\s+)?$/.test(asked.slice(end, index));
    if (goesOn) runs.at(-1)?.push(name);
    else if (isArticle(/(\p{L}+)\s+$/u.exec(before)?.[1] ?? '', language)) continue;
    else runs.push([name]);
    end = word === name ? index + word.length : -1;
  }
  return [...new Set(runs.map((run) => run.join(' ')))];
}

function isName(word: string, isOwner: boolean, begins: boolean, language: string): boolean {
  if (word.length < 2 || /\p{N}/u.test(word) || !/\p{Lu}/u.test(word)) return false;
  if (/^[IVXL]+$/.test(word) || isCommonName(word) || conceptsIn(word).length > 0) return false;
  if (capitalsIn(word) > 1)
    return !begins || isOwner || capitalsIn(word) === word.replace(/\P{L}/gu, '').length;
  return language === 'english' && /^\p{Lu}/u.test(word) && (!begins || isOwner);
}
