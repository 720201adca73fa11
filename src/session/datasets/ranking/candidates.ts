/**
 * The passages of one dataset that an arm has among its best, each with the exact scores of all arms: meaning, what
 * is implied, and words. The arms look at all documents, and again at those that the query names.
 */
import { takeTurn } from '../../../time-slice.ts';
import type { Parameter, Row } from '../../server-session.ts';
import { text, texts } from '../parameters.ts';
import { datasetSchema } from '../relations.ts';
import { namedDocuments } from './named.ts';
import type { Ask, Candidate, Target } from './passage.ts';
import type { Question } from './question.ts';
import { WEIGHTS } from './weights.ts';

const DEPTH_MIN = 100;
/** Looked at for each result that is wanted, so that neighbours and duplicates leave enough. */
const DEPTH_A_RESULT = 3;
const NAMED_DOCUMENTS_COUNT_MAX = 5;
const ROWS_A_TURN = 1_000;

/** @param topK results that are wanted in the end. */
export async function candidatesOf(
  ask: Ask,
  target: Target,
  { question, topK }: { readonly question: Question; readonly topK: number },
): Promise<readonly Candidate[]> {
  const depth = Math.max(DEPTH_MIN, DEPTH_A_RESULT * topK);
  const named = withSubjects(await namedDocuments(ask, target, question.names), target);
  const ids = new Set(await bestOf(ask, target, { question, depth }));
  const documents = [...named.keys()].slice(0, NAMED_DOCUMENTS_COUNT_MAX);
  if (documents.length > 0 && documents.length !== target.documents?.length) {
    for (const id of await bestOf(ask, { ...target, documents }, { question, depth })) ids.add(id);
  }
  return scored(ask, target.dataset, { question, ids: [...ids], named });
}

/** A document that is called by somebody's name is named, however its file is called. */
function withSubjects(
  named: ReadonlyMap<string, number>,
  { named: subjects, documents }: Target,
): ReadonlyMap<string, number> {
  const all = new Map(named);
  const within = documents === null ? null : new Set(documents);
  for (const id of subjects.keys())
    if (within?.has(id) !== false) all.set(id, Math.max(all.get(id) ?? 0, WEIGHTS.subject));
  return new Map([...all].sort(([, one], [, other]) => other - one));
}

/** Keys of the chunks that any arm has among its best. */
async function bestOf(
  ask: Ask,
  { dataset, documents }: Target,
  { question, depth }: { readonly question: Question; readonly depth: number },
): Promise<readonly string[]> {
  const chunks = `${datasetSchema(dataset)}.chunks`;
  const within = documents === null ? 'true' : 'doc_id = ANY($2)';
  const search = async (query: string, condition: string, score: string): Promise<readonly string[]> => {
    const parameters: Parameter[] = [text(query)];
    if (documents !== null) parameters.push(texts(documents));
    const sql = `SELECT _id FROM ${chunks} WHERE ${condition} AND ${within}
      ORDER BY ${score} DESC LIMIT ${depth}`;
    return (await ask(sql, ...parameters)).map((row) => String(row._id));
  };
  const byMeaning = (query: string) => search(query, 'true', 'semantic_similarity(passage, $1)');
  return [
    ...(await byMeaning(question.meaning)),
    ...(question.implied === '' ? [] : await byMeaning(question.implied)),
    ...(await search(question.words, 'match($1, passage)', 'bm25_score()')),
  ];
}

interface Found {
  readonly question: Question;
  readonly ids: readonly string[];
  readonly named: ReadonlyMap<string, number>;
}

async function scored(
  ask: Ask,
  dataset: string,
  { question, ids, named }: Found,
): Promise<readonly Candidate[]> {
  const { meaning, implied, words } = question;
  const asked = [meaning, implied === '' ? meaning : implied, words].map(text);
  const candidates: Candidate[] = [];
  for (let start = 0; start < ids.length; start += ROWS_A_TURN) {
    const rows = await ask(
      `SELECT _id, doc_id, ordinal, semantic_similarity(passage, $1) AS semantic_score,
         semantic_similarity(passage, $2) AS implied_score, bm25(passage, $3) AS keyword_score
       FROM ${datasetSchema(dataset)}.chunks WHERE _id = ANY($4)`,
      ...asked,
      texts(ids.slice(start, start + ROWS_A_TURN)),
    );
    for (const row of rows) candidates.push(candidateOf(dataset, row, named));
    await takeTurn();
  }
  return candidates;
}

function candidateOf(dataset: string, row: Row, named: ReadonlyMap<string, number>): Candidate {
  return {
    dataset,
    key: String(row._id),
    docId: String(row.doc_id),
    ordinal: Number(row.ordinal),
    score: 0,
    semanticScore: numberOf(row.semantic_score),
    impliedScore: numberOf(row.implied_score),
    keywordScore: numberOf(row.keyword_score),
    namedScore: named.get(String(row.doc_id)) ?? 0,
  };
}

const numberOf = (value: Row[string] | undefined): number | null => (value == null ? null : Number(value));
