/**
 * Documents that a text names by whom they are of, looked up by the keys of its words. A company's own name, a trading
 * symbol or what its documents call it is sure; a title, or one word in a text without capitals, may be said of
 * something else.
 */
import { isCommonName } from '../../../language/common-names.ts';
import { endsInLegalForm, type NameRun, nameRuns } from '../../../language/names/name-keys.ts';
import type { Vocabulary } from '../../../language/domains/vocabulary.ts';
import { STOP_WORDS } from '../../../language/stop-words.ts';
import type { Query } from '../../server-session.ts';
import { texts } from '../parameters.ts';
import { datasetSchema } from '../relations.ts';
import { namedByShortening } from './find-shortened.ts';

export interface NamedDocument {
  readonly docId: string;
  /** As the text has it. */
  readonly said: string;
  readonly isSure: boolean;
}

/** The beginning of a longer text is looked at. */
const CHARACTERS_MAX = 2_000;
/** A name of more documents tells nothing apart. */
const DOCUMENTS_COUNT_MAX = 1_000;
/** Datasets with more documents of nobody are not kept to those that are named. */
const OF_NOBODY_COUNT_MAX = 500;
/** Kinds of names by which a document is of somebody. */
const OF_SOMEBODY = "('cover', 'header', 'symbol', 'short', 'given')";

/** By the documents' ids. @param vocabulary whose terms name nobody. */
export async function subjectsNamed(
  query: Query,
  dataset: string,
  asked: { readonly text: string; readonly vocabulary: Vocabulary },
): Promise<ReadonlyMap<string, NamedDocument>> {
  const told = asked.text.slice(0, CHARACTERS_MAX);
  const runs = new Map<string, NameRun>();
  for (const run of namesIn(told, asked.vocabulary)) runs.set(run.key, run);
  if (runs.size === 0) return new Map();
  const rows = await query(
    `SELECT doc_id, name, kind, key FROM ${datasetSchema(dataset)}.subjects
     WHERE key = ANY($1) AND kind <> 'dropped' LIMIT ${DOCUMENTS_COUNT_MAX}`,
    texts([...runs.keys()]),
  );
  const found = rows.flatMap(({ doc_id, name, kind, key }) => {
    const run = runs.get(String(key));
    const isSure = run === undefined ? null : sureness(run, { name: String(name), kind: String(kind) }, told);
    return run === undefined || isSure === null
      ? []
      : [{ docId: String(doc_id), said: run.said, isSure, run }];
  });
  const whole = found.filter(({ run }) => !found.some((other) => isWithin(run, other.run)));
  const others = [...runs.values()].filter((run) => !whole.some((one) => isTouching(run, one.run)));
  const shortened = await namedByShortening(query, dataset, { runs: others, told });
  const named = new Map<string, NamedDocument>();
  for (const { docId, said, isSure } of [...whole, ...shortened]) {
    if (isSure || !named.has(docId)) named.set(docId, { docId, said, isSure });
  }
  return named;
}

const isWithin = (one: NameRun, other: NameRun): boolean =>
  one !== other && other.from <= one.from && one.to <= other.to;

const isTouching = (one: NameRun, other: NameRun): boolean => one.from <= other.to && other.from <= one.to;

/** Runs that may be names: no stop words, days, terms of the dataset. */
function namesIn(told: string, vocabulary: Vocabulary): readonly NameRun[] {
  const terms = vocabulary.rowsIn(told);
  return nameRuns(told).filter(({ said, wordCount, start, end }) => {
    const isTerm = terms.some((term) => term.start <= start && end <= term.end);
    return !isTerm && !(wordCount === 1 && (said.length < 2 || isStopWord(said) || isCommonName(said)));
  });
}

const STOPS: ReadonlySet<string> = new Set(STOP_WORDS.english);
const isStopWord = (word: string): boolean => STOPS.has(word.toLowerCase());

/** A letter in small, so that capitals tell something. */
const hasSmall = (told: string): boolean => /\p{Ll}/u.test(told);
const hasCapitals = (told: string): boolean => /(?<=\S\s)\p{Lu}\p{L}/u.test(told);

/** Null where the run does not name it. */
function sureness(
  run: NameRun,
  { name, kind }: { readonly name: string; readonly kind: string },
  told: string,
): boolean | null {
  if (kind === 'initials' || kind === 'symbol') return run.isAbbreviation && hasSmall(told) ? true : null;
  if (hasCapitals(told) && !run.isCapital) return kind === 'given' && run.wordCount > 1 ? true : null;
  if (kind === 'title' && !endsInLegalForm(name)) return false;
  return run.wordCount > 1 || run.isCapital;
}

/** Ids of the documents that are of nobody; null where there are many. A company's name in a title is somebody's. */
export async function documentsOfNobody(query: Query, dataset: string): Promise<readonly string[] | null> {
  const schema = datasetSchema(dataset);
  const rows = await query(
    `SELECT d._id, string_agg(t.name, E'\\n') AS titles
     FROM ${schema}.documents d LEFT JOIN ${schema}.subjects t ON t.doc_id = d._id AND t.kind = 'title'
     WHERE NOT EXISTS (
       SELECT 1 FROM ${schema}.subjects s WHERE s.doc_id = d._id AND s.kind IN ${OF_SOMEBODY})
     GROUP BY d._id LIMIT ${OF_NOBODY_COUNT_MAX + 1}`,
  );
  const ofNobody = rows.filter(
    ({ titles }) =>
      !String(titles ?? '')
        .split('\n')
        .some(endsInLegalForm),
  );
  return rows.length > OF_NOBODY_COUNT_MAX ? null : ofNobody.map(({ _id }) => String(_id));
}
