/** Threads: the asker's own answers that a question follows, by the thread's name or by the id of one of them. */
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import type { SearchRequest } from '../../functions/services.ts';
import { NAME_BYTES_MAX, THREAD_ANSWERS_COUNT_MAX } from '../../limits.ts';
import type { FormerAnswer, FormerDocument } from '../datasets/asker.ts';
import { text, texts, uuid } from '../datasets/parameters.ts';
import { ownerParameters, type RowOwner } from '../whose.ts';
import type { Query, Row } from '../server-session.ts';

export interface Thread {
  readonly name: string;
  /** The newest last; as many as a question may go back to. */
  readonly former: readonly FormerAnswer[];
  /** Documents that these are of, and those by which their questions were made whole. */
  readonly origins: readonly FormerDocument[];
  /** Request of the newest; null where there is none. */
  readonly asked: Pick<SearchRequest, 'datasets' | 'filter'> | null;
}

const ANSWER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * @param given a name, or the id of an answer; a name that nothing has is that of a new thread.
 * @param query of the asker's statement, which finds the answers that the asker may see now. @param asker whose threads.
 * @throws SqlError 22023 for an id that is not there, or not the asker's; a name that is too long.
 */
export async function threadOf(query: Query, given: string, asker: RowOwner): Promise<Thread> {
  const bytes = Buffer.byteLength(given);
  if (bytes === 0 || bytes > NAME_BYTES_MAX) {
    throw new SqlError('invalid_parameter_value', `the name of a thread has 1 to ${NAME_BYTES_MAX} bytes`);
  }
  const id = ANSWER_ID.test(given) ? given.toLowerCase() : null;
  const name = id === null ? given : await threadOfAnswer(query, id, asker);
  const upTo = id === null ? '' : 'AND answer_id <= $4';
  const rows = await query(
    `SELECT answer_id, question, understood, facts, filters FROM quern.answers
     WHERE ${isOwn('$2', '$3')} AND thread = $1 ${upTo}
     ORDER BY answer_id DESC LIMIT ${THREAD_ANSWERS_COUNT_MAX}`,
    text(name),
    ...ownerParameters(asker),
    ...(id === null ? [] : [uuid(id)]),
  );
  const former: FormerAnswer[] = [];
  for (const row of rows.toReversed()) former.push(await formerAnswer(query, row));
  const filters = rows[0]?.filters;
  const origins = await originsOf(query, former);
  return {
    name,
    former,
    origins,
    asked: filters == null ? null : (JSON.parse(String(filters)) as Thread['asked']),
  };
}

/** A thread is its role's and its limited key's. Answers of before they said whose they are were the owner's. */
const isOwn = (role: string, key: string): string =>
  `coalesce(role, ${OWNER_ROLE_OID}) = ${role} AND key IS NOT DISTINCT FROM ${key}`;

async function threadOfAnswer(query: Query, id: string, asker: RowOwner): Promise<string> {
  const sql = `SELECT thread FROM quern.answers WHERE answer_id = $1 AND ${isOwn('$2', '$3')}`;
  const [row] = await query(sql, uuid(id), ...ownerParameters(asker));
  if (row === undefined) throw unknownAnswer(id);
  return String(row.thread);
}

export const unknownAnswer = (id: string): SqlError =>
  new SqlError('invalid_parameter_value', `answer "${id}" does not exist`, {
    routine: 'answer_not_found',
    hint: 'quern.answers lists those that are kept; the oldest go.',
  });

async function formerAnswer(query: Query, row: Row): Promise<FormerAnswer> {
  const id = uuid(String(row.answer_id));
  const hasFacts = Number(row.facts) > 0;
  const facts = hasFacts
    ? await query('SELECT fact FROM quern.facts WHERE answer_id = $1 ORDER BY fact_number', id)
    : [];
  const sql = 'SELECT DISTINCT dataset, doc_id FROM quern.citations WHERE answer_id = $1';
  const documents = hasFacts ? await query(sql, id) : [];
  return {
    answerId: String(row.answer_id),
    question: String(row.question),
    understood: row.understood == null ? null : String(row.understood),
    facts: facts.map(({ fact }) => String(fact)),
    documents: documents.map(documentOf),
  };
}

async function originsOf(query: Query, former: readonly FormerAnswer[]): Promise<readonly FormerDocument[]> {
  const ids = texts(former.map(({ answerId }) => answerId));
  const sql = 'SELECT dataset, doc_id FROM quern.answer_origins WHERE answer_id = ANY($1::text[]::uuid[])';
  const rows = former.some(({ understood }) => understood !== null) ? await query(sql, ids) : [];
  return [...former.flatMap(({ documents }) => documents), ...rows.map(documentOf)];
}

const documentOf = ({ dataset, doc_id }: Row): FormerDocument => ({
  dataset: String(dataset),
  docId: String(doc_id),
});
