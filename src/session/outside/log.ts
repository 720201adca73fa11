/**
 * Requests to endpoints outside, a row each in `quern.outside_calls`: who sent what where, and none of its texts. The row
 * is there before the request is: one that cannot be written down is not made.
 */
import { SqlError } from '../../errors.ts';
import type { EndCall, OutsideCall } from '../../inference/sender.ts';
import { OID } from '../../types/oids.ts';
import { integer, text } from '../datasets/parameters.ts';
import type { Audit } from '../audit/auditor.ts';
import { NOBODY } from '../audit/entry.ts';
import type { Query, Row } from '../server-session.ts';
import type { ReusedSessions } from '../reused-sessions.ts';
import type { SessionKey } from '../sign-in/session-key.ts';

/** `source`: names of the datasets and relations that texts may be of. */
export const OUTSIDE_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.outside_calls (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL,
    role oid NOT NULL,
    key text,
    purpose text NOT NULL,
    source text,
    host text NOT NULL,
    model text,
    bytes bigint NOT NULL,
    digest text NOT NULL,
    outcome text NOT NULL,
    tokens integer,
    ms integer
  )`,
];

interface Sent extends OutsideCall {
  readonly role: number;
  readonly roleName: string | null;
  readonly key: SessionKey | null;
  readonly source: string | null;
}

/** It is written down whoever has gone. */
const NEVER = new AbortController().signal;

/** Builds of indexes go on before the server has brought its relations up to date. */
async function written(keeping: ReusedSessions, work: (query: Query) => Promise<readonly Row[]>) {
  try {
    return await keeping.transaction(work, NEVER);
  } catch (error) {
    if (!(error instanceof SqlError) || error.condition !== 'undefined_table') throw error;
    await keeping.transaction(async (query) => {
      for (const sql of OUTSIDE_RELATIONS) await query(sql);
    }, NEVER);
    return await keeping.transaction(work, NEVER);
  }
}

/** Where they are written down; the oldest go. */
export interface CallLog {
  readonly keeping: ReusedSessions;
  readonly calls: { kept(): void };
  readonly audit: Pick<Audit, 'note'>;
}

export async function beginCall({ keeping, calls, audit }: CallLog, call: Sent): Promise<EndCall> {
  const [row] = await written(keeping, (query) =>
    query(
      `INSERT INTO quern.outside_calls (at, role, key, purpose, source, host, model, bytes, digest, outcome)
         VALUES (clock_timestamp(), $1, $2, $3, $4, $5, $6, $7, $8, 'sent') RETURNING id`,
      [OID.oid, call.role],
      text(call.key?.held.name ?? null),
      text(call.purpose),
      text(call.source),
      text(call.host),
      text(call.model),
      [OID.int8, BigInt(call.bytes)],
      text(call.digest),
    ),
  );
  calls.kept();
  return async ({ ms, tokens, outcome }) => {
    audit.note(
      { ...NOBODY, role: call.roleName, key: call.key?.held.name ?? null },
      {
        action: 'call outside',
        objects: [call.host],
        detail: { purpose: call.purpose, source: call.source, digest: call.digest, tokens, outcome },
      },
    );
    await keeping.transaction(
      (query) =>
        query(
          'UPDATE quern.outside_calls SET outcome = $2, tokens = $3, ms = $4 WHERE id = $1',
          [OID.int8, row?.id ?? null],
          text(outcome),
          [OID.int4, tokens],
          integer(Math.round(ms)),
        ),
      NEVER,
    );
  };
}
