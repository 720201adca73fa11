/** Requests that were done, kept for a day by key and id: what came of them, and whether another one has the same id. */
import { SqlError } from '../../errors.ts';
import { REQUEST_HOURS_KEPT } from '../../limits.ts';
import { type Retention, SLICE } from '../answers/retention.ts';
import { text } from '../datasets/parameters.ts';
import type { DoneRequest, OnceRequest } from '../protocol.ts';
import type { ReusedSessions } from '../reused-sessions.ts';
import type { Query, Row } from '../server-session.ts';

const TOO_OLD = `at < clock_timestamp() - interval '${REQUEST_HOURS_KEPT} hours'`;
/** It is noted whoever has gone. */
const NEVER = new AbortController().signal;

export class KeptRequests {
  readonly #keeping: ReusedSessions;
  readonly #retention: Pick<Retention, 'kept'>;

  /** @param retention takes away those that are too old. */
  constructor(keeping: ReusedSessions, retention: Pick<Retention, 'kept'>) {
    this.#keeping = keeping;
    this.#retention = retention;
  }

  /** Null: none of this id has written, lately. @throws SqlError 22023 for one that asked for something else. */
  async find(request: OnceRequest): Promise<DoneRequest | null> {
    const { owner, id } = request;
    const row = await this.#keeping.transaction(async (query): Promise<Row | undefined> => {
      const key = [text(owner), text(id)];
      const where = 'WHERE bearer = $1 AND request_id = $2';
      const [found] = await query(
        `SELECT digest, tag, lsn, ${TOO_OLD} AS is_old FROM quern.requests ${where}`,
        ...key,
      );
      if (found?.is_old !== true) return found;
      await query(`DELETE FROM quern.requests ${where}`, ...key);
      return undefined;
    }, NEVER);
    if (row === undefined) return null;
    if (row.digest !== (await request.digest())) throw otherRequest(id);
    return { tag: String(row.tag), lsn: row.lsn === null ? null : String(row.lsn) };
  }

  /** How a request ended that was stored. */
  async note({ owner, id }: OnceRequest, { tag, lsn }: DoneRequest): Promise<void> {
    await this.#keeping.transaction(
      (query) =>
        query(
          'UPDATE quern.requests SET tag = $3, lsn = $4 WHERE bearer = $1 AND request_id = $2',
          ...[owner, id, tag, lsn].map(text),
        ),
      NEVER,
    );
    this.#retention.kept();
  }
}

/** Takes away a slice of what is too old. @returns how many. */
export async function forgetRequests(query: Query): Promise<number> {
  const rows = await query(`DELETE FROM quern.requests WHERE (bearer, request_id) IN
    (SELECT bearer, request_id FROM quern.requests WHERE ${TOO_OLD} ORDER BY at LIMIT ${SLICE})
    RETURNING 1 AS gone`);
  return rows.length;
}

const otherRequest = (id: string): SqlError =>
  new SqlError('invalid_parameter_value', `another request had the id "${id}"`, {
    detail: `An id stands for one statement with its parameters, data and settings, for ${REQUEST_HOURS_KEPT} hours.`,
    hint: 'Give every request an id of its own, a UUID say.',
  });
