/**
 * Documents that a question names, by its words: `Boeing` and `2022` of BOEING_2022_10K. Only words that few documents
 * have in their names count, and only documents that have most of those that the question has.
 */
import type { AskRequest } from '../../functions/services.ts';
import { lineWordsOf } from '../../language/texts/lines.ts';
import { SPACED_LETTER, UNSPACED_LETTER } from '../../language/scripts.ts';
import type { Query } from '../../session/server-session.ts';
import { texts } from '../../session/datasets/parameters.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Question } from '../question.ts';
import { WEIGHTS } from '../weights.ts';

/** Names of more documents are not read for one question. */
const DOCUMENTS_COUNT_MAX = 5_000;
/** More are no narrowing. */
const NAMED_COUNT_MAX = 20;

type Wanted = AskRequest['datasets'];

/** Datasets narrowed to the documents that are named; null where none is. */
export async function namedDocuments(
  query: Query,
  { text, years }: Pick<Question, 'text' | 'years'>,
  datasets: Wanted,
): Promise<Wanted | null> {
  return (await documentNames(query, datasets)).named(text, years);
}

/** Names of documents, read once for several texts. */
export async function documentNames(query: Query, datasets: Wanted): Promise<DocumentNames> {
  const known: KnownDataset[] = [];
  for (const one of datasets) {
    const within = one.documents == null ? '' : 'AND _id = ANY($1)';
    const rows = await query(
      `SELECT doc_id, name FROM ${datasetSchema(one.dataset)}.documents WHERE version > 0 ${within}
       LIMIT ${DOCUMENTS_COUNT_MAX + 1}`,
      ...(one.documents == null ? [] : [texts(one.documents)]),
    );
    if (rows.length < 2 || rows.length > DOCUMENTS_COUNT_MAX) continue;
    const names = rows.map((row) => ({ id: String(row.doc_id), words: wordsOfName(`${row.name}`) }));
    known.push({ wanted: one, names });
  }
  return new DocumentNames(known);
}

export class DocumentNames {
  readonly #known: readonly KnownDataset[];
  readonly #words: ReadonlySet<string>;

  constructor(known: readonly KnownDataset[]) {
    this.#known = known;
    this.#words = new Set(known.flatMap(({ names }) => names.flatMap(({ words }) => [...words])));
  }

  /** Datasets with only the documents that the text names; null where it names none. */
  named(text: string, years: readonly number[]): Wanted | null {
    const words = wordsOfQuestion(text).intersection(this.#words);
    if (words.size === 0) return null;
    const narrowed = this.#known.flatMap(({ wanted, names }) => {
      const named = bestNamed(names, words, years);
      return named.length === 0 || named.length > NAMED_COUNT_MAX ? [] : [narrowedTo(wanted, named)];
    });
    return narrowed.length === 0 ? null : narrowed;
  }

  /** Those of somebody's documents whose names have most of the text's years and quarters; all where none has any. */
  ofYears(ids: readonly string[], text: string, years: readonly number[]): readonly string[] {
    const words = wordsOfQuestion(text);
    const own = this.#known.flatMap(({ names }) => names.filter(({ id }) => ids.includes(id)));
    const exact = withMostNumbers(
      own.map(({ id, words: known }) => ({ id, numbers: numbersIn(known.intersection(words), years) })),
    );
    return exact.length === 0 ? ids : exact;
  }
}

const isNumber = (word: string): boolean => /^(?:\d+|q[1-4])$/.test(word);

/** The years that are asked for count fully. */
function numbersIn(words: Iterable<string>, years: readonly number[]): number {
  let numbers = 0;
  for (const word of words)
    if (isNumber(word)) numbers += years.includes(Number(word)) ? 1 : WEIGHTS.otherNumber;
  return numbers;
}

/** None where no document has a number. */
function withMostNumbers(
  documents: readonly { readonly id: string; readonly numbers: number }[],
): readonly string[] {
  const most = Math.max(0, ...documents.map(({ numbers }) => numbers));
  return most === 0 ? [] : documents.filter(({ numbers }) => numbers === most).map(({ id }) => id);
}

/** A dataset with only these of its documents, of which others may be left out already. */
export function narrowedTo({ documents, ...rest }: Wanted[number], ids: readonly string[]): Wanted[number] {
  return { ...rest, documents: documents == null ? ids : ids.filter((id) => documents.includes(id)) };
}

interface KnownDataset {
  readonly wanted: Wanted[number];
  readonly names: readonly Named[];
}

interface Named {
  readonly id: string;
  readonly words: ReadonlySet<string>;
}

function bestNamed(
  documents: readonly Named[],
  words: ReadonlySet<string>,
  years: readonly number[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { words: own } of documents)
    for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1);
  const scored = documents.map(({ id, words: own }) => {
    const said = own.intersection(words);
    let names = 0;
    for (const word of said)
      if (!isNumber(word)) names += Math.log((documents.length + 1) / (counts.get(word) ?? 1));
    return { id, names, numbers: numbersIn(said, years) };
  });
  const best = Math.max(0, ...scored.map(({ names }) => names));
  if (best < Math.log(2)) return [];
  const named = scored.filter(({ names }) => names > WEIGHTS.namedBesideBest * best);
  const exact = withMostNumbers(named);
  return exact.length > 0 ? exact : named.map(({ id }) => id);
}

/** Where scripts with spaces and without meet, too. */
const BETWEEN_WORDS = new RegExp(
  `[^\\p{L}\\p{N}]+|(?<=${UNSPACED_LETTER})(?=${SPACED_LETTER})|(?<=${SPACED_LETTER})(?=${UNSPACED_LETTER})`,
  'u',
);

/**
 * Words, and pairs of them written as one: `Best Buy` is `bestbuy`. Where the question has capitals, so have names in it:
 * "long-term" is none of `acl-long-386`.
 */
function wordsOfQuestion(text: string): ReadonlySet<string> {
  const hasCapitals = /(?<=\S\s)\p{Lu}\p{L}/u.test(text);
  const words = text
    .replace(/['’]s\b/g, '')
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '' && (!hasCapitals || /^[\p{Lu}\p{N}]/u.test(word)))
    .map((word) => word.toLowerCase())
    .flatMap((word) => [word, ...(/^(?:fy)((?:19|20)\d{2})(q[1-4])?$/.exec(word)?.slice(1) ?? [])])
    .filter((word) => word !== undefined);
  const pairs = words.slice(1).map((word, i) => `${words[i]}${word}`);
  return new Set([...words, ...pairs].filter((word) => word.length > 1 && !COMMON.has(word)));
}

const wordsOfName = (name: string): ReadonlySet<string> =>
  new Set(
    name
      .replace(/\.\w{1,5}$/, '')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .flatMap((word) => [word, ...(/^((?:19|20)\d{2})(q[1-4])$/.exec(word)?.slice(1) ?? [])])
      .filter((word) => word.length > 1 && !COMMON.has(word)),
  );

const ENDINGS = ['pdf', 'doc', 'docx'];
/** Words of names that questions have without naming anything. */
const COMMON: ReadonlySet<string> = new Set([...lineWordsOf((words) => words.ofFiles), ...ENDINGS]);
