/**
 * Names in a question for figures that documents have only in passing: a rival, a former employer of a director. The
 * figures of whom a document is about are nobody else's, so that such a question is answered from what has the name in
 * it, or not at all.
 */
import { nameKey } from '../../language/names/name-keys.ts';
import { text } from '../../session/datasets/parameters.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Query } from '../../session/server-session.ts';
import type { WantedDataset } from '../../functions/services.ts';
import type { Passage } from '../passage.ts';
import type { Question } from '../question.ts';
import { isOfPlaces } from '../../language/common-names.ts';
import { hasTwoCapitals, properNames } from './proper-names.ts';
import { matched, namesDocument } from './whose.ts';

/** The language of most documents, in which a question says what documents say. */
const TOLD_SURELY = 'english';
/** More names, or datasets, are not looked up for one question. */
const NAMES_COUNT_MAX = 4;
const DATASETS_COUNT_MAX = 20;
/** A document is about what it begins with, or what such a share of its chunks has; of a few chunks one is enough. */
const ABOUT_SHARE_MIN = 0.02;
const ABOUT_CHUNKS_MIN = 3;
const ABOUT_SHARE_OF_FEW = 0.25;
const FIRST_ORDINAL = 1;
/** Documents that have the name most often; in others it is rarer. */
const DOCUMENTS_COUNT_MAX = 20;

/**
 * @param query runs statements as the asker.
 * @param asked `said` are names of whom documents are known to be of.
 * @returns names as the question has them.
 */
export async function bystandersOf(
  query: Query,
  question: Question,
  asked: {
    readonly datasets: readonly WantedDataset[];
    readonly said: readonly string[];
    /** Words that were found to be no names. */
    readonly nobody?: readonly string[];
    /** The question names whom a document is of: then others of one capital are told in English alone. */
    readonly namesSomebody?: boolean;
  },
): Promise<readonly string[]> {
  const { datasets, said, nobody = [], namesSomebody = false } = asked;
  if (!asksForFigures(question) || datasets.length > DATASETS_COUNT_MAX) return [];
  const keys = new Set([...said, ...nobody].map(nameKey));
  const { language } = question;
  const names = properNames(question).filter(
    (name) =>
      !isOfPlaces(name, language) &&
      !keys.has(nameKey(name)) &&
      (!namesSomebody || language === TOLD_SURELY || hasTwoCapitals(name)),
  );
  const bystanders: string[] = [];
  for (const name of names.slice(0, NAMES_COUNT_MAX)) {
    const isMain = await someOf(datasets, ({ dataset }) => isMainIn(query, name, dataset));
    if (!isMain) bystanders.push(name);
  }
  return bystanders;
}

/** True with the last word of each name: of people, and of much else, the first may be left out. */
export const saysNames = (written: string, names: readonly string[]): boolean =>
  names.every((name) => {
    const last = RegExp.escape(name.split(/\s+/).at(-1) ?? '');
    return new RegExp(`(?<![\\p{L}\\p{N}])${last}(?![\\p{L}\\p{N}])`, 'iu').test(written);
  });

export const hasNames = (
  { text: written, heading, docName }: Pick<Passage, 'text' | 'heading' | 'docName'>,
  names: readonly string[],
): boolean => saysNames(`${docName}\n${heading ?? ''}\n${written}`, names);

const asksForFigures = ({ kind, concepts, operation, comparison }: Question): boolean =>
  kind === 'number' || concepts.length > 0 || operation !== null || comparison !== null;

async function isMainIn(query: Query, name: string, dataset: string): Promise<boolean> {
  const schema = datasetSchema(dataset);
  const named = await query(
    `SELECT 1 AS found FROM ${schema}.subjects WHERE key >= $1 AND key < $2 AND kind <> 'dropped' LIMIT 1`,
    text(nameKey(name)),
    text(`${nameKey(name)}\u{10ffff}`),
  );
  if (named.length > 0) return true;
  if (await namesDocument(query, name, dataset)) return true;
  const documents = await query(
    `SELECT doc_id, count(*) AS chunks, min(ordinal) AS first FROM ${schema}.chunks
     WHERE match($1, passage, 1, true) GROUP BY doc_id ORDER BY chunks DESC LIMIT ${DOCUMENTS_COUNT_MAX}`,
    matched(name),
  );
  if (documents.some(({ first }) => Number(first) <= FIRST_ORDINAL)) return true;
  const [most] = documents;
  if (most === undefined) return false;
  const [all] = await query(
    `SELECT count(*) AS chunks FROM ${schema}.chunks WHERE doc_id = $1`,
    text(String(most.doc_id)),
  );
  const total = Number(all?.chunks ?? 0);
  const least = Math.max(ABOUT_SHARE_MIN * total, Math.min(ABOUT_CHUNKS_MIN, ABOUT_SHARE_OF_FEW * total));
  return Number(most.chunks) >= least;
}

async function someOf<One>(all: readonly One[], test: (one: One) => Promise<boolean>): Promise<boolean> {
  for (const one of all) if (await test(one)) return true;
  return false;
}
