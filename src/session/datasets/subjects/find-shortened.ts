/**
 * Documents that a text names by the first words of whom they are of: `Nordwind` of Nordwind Logistik AG. One company
 * alone may begin so, and it is sure only where nearly all that has the word is of its documents: `American` is said of
 * much else.
 */
import { endsInLegalForm, nameKey, type NameRun } from '../../../language/names/name-keys.ts';
import type { Query } from '../../server-session.ts';
import { text } from '../parameters.ts';
import { datasetSchema } from '../relations.ts';
import type { NamedDocument } from './find-subjects.ts';

const RUNS_COUNT_MAX = 4;
const KEY_CHARACTERS_MIN = 3;
const DOCUMENTS_COUNT_MAX = 1_000;
/** Documents that have the word most often. */
const BESIDE_COUNT_MAX = 50;
/** Share of the chunks with the word that are of the company's own documents. */
const OWN_SHARE_MIN = 0.8;

/** @param runs of the text, those that may be names. @param told the text. */
export async function namedByShortening(
  query: Query,
  dataset: string,
  { runs, told }: { readonly runs: readonly NameRun[]; readonly told: string },
): Promise<readonly NamedDocument[]> {
  const found: NamedDocument[] = [];
  for (const run of runs.filter((one) => isWhole(one, told)).slice(0, RUNS_COUNT_MAX)) {
    const ids = await documentsOfBeginning(query, dataset, run);
    if (ids.length === 0) continue;
    const isSure = (await ownShare(query, dataset, { run, ids })) >= OWN_SHARE_MIN;
    for (const docId of ids) found.push({ docId, said: run.said, isSure });
  }
  return found;
}

/** A word with a capital stands neither before nor behind it, but at the begin of the text: `United` of `United States`. */
function isWhole({ key, isCapital, start, end, said, from }: NameRun, told: string): boolean {
  if (!isCapital || key.length < KEY_CHARACTERS_MIN || /\p{N}/u.test(said)) return false;
  const before = /(\S+)\s+$/u.exec(told.slice(0, start))?.[1] ?? '';
  const after = /^(?:['’]s?)?\s+(\S+)/u.exec(told.slice(end))?.[1] ?? '';
  return (from <= 1 || !/^\p{Lu}/u.test(before)) && !/^\p{Lu}/u.test(after);
}

/** Kinds of names that are of companies; titles where they end in a legal form. */
const OF_COMPANIES: ReadonlySet<string> = new Set(['cover', 'header', 'short', 'given', 'title']);

/** None where names of two companies begin so. */
async function documentsOfBeginning(
  query: Query,
  dataset: string,
  { key }: NameRun,
): Promise<readonly string[]> {
  const rows = await query(
    `SELECT doc_id, name, kind FROM ${datasetSchema(dataset)}.subjects
     WHERE key > $1 AND key < $2 AND kind <> 'dropped' LIMIT ${DOCUMENTS_COUNT_MAX}`,
    text(key),
    text(`${key}\u{10ffff}`),
  );
  const named = rows
    .map(({ doc_id, name, kind }) => ({ docId: String(doc_id), name: String(name), kind: String(kind) }))
    .filter(({ name, kind }) => OF_COMPANIES.has(kind) && (kind !== 'title' || endsInLegalForm(name)))
    .filter(({ name }) => beginsWith(name, key));
  const isOne = new Set(named.map(({ name }) => nameKey(name))).size === 1;
  return isOne ? [...new Set(named.map(({ docId }) => docId))] : [];
}

/** With whole words. */
function beginsWith(name: string, key: string): boolean {
  const words = name.split(/\s+/);
  return words.some((_, i) => i > 0 && nameKey(words.slice(0, i).join(' ')) === key);
}

interface Beginning {
  readonly run: NameRun;
  readonly ids: readonly string[];
}

async function ownShare(query: Query, dataset: string, { run, ids }: Beginning): Promise<number> {
  const rows = await query(
    `SELECT doc_id, count(*) AS chunks FROM ${datasetSchema(dataset)}.chunks
     WHERE match($1, passage, 1, true) GROUP BY doc_id ORDER BY chunks DESC LIMIT ${BESIDE_COUNT_MAX}`,
    text(run.said.replaceAll('&', ' ')),
  );
  const own = new Set(ids);
  const counts = rows.map(({ doc_id, chunks }) => ({
    isOwn: own.has(String(doc_id)),
    count: Number(chunks),
  }));
  const sum = (of: typeof counts): number => of.reduce((total, { count }) => total + count, 0);
  const all = sum(counts);
  return all === 0 ? 0 : sum(counts.filter(({ isOwn }) => isOwn)) / all;
}
