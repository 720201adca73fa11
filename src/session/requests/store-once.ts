/**
 * Storing a request that is done once: the first commit that writes stores its id, so that both are there or neither is.
 * One thing to know: a second commit that writes would not be done by a repeat, and is refused.
 */
import { SqlError } from '../../errors.ts';
import { OID } from '../../types/oids.ts';
import { text } from '../datasets/parameters.ts';
import type { Once } from './once.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import { ownerParameters } from '../whose.ts';

/** Within the statement's transaction, which is about to be committed. @throws SqlError 0A000, 23505. */
export async function storeOnce({ request, tag, isStored }: Once, statement: Statement): Promise<void> {
  if (isStored) {
    throw new SqlError('feature_not_supported', 'a request with an id writes in one transaction', {
      hint: 'Send the statements in requests of their own, each with its id.',
    });
  }
  const { owner, id } = request;
  const digest = await request.digest();
  const { environment, identity, key } = statement.session;
  const whose = ownerParameters({ role: identity.authenticated, key: key?.rowKey?.id ?? null });
  const at = [OID.timestamptz, environment.clockMicros()] as const;
  await rowsOf(
    statement,
    `INSERT INTO quern.requests (bearer, request_id, role, key, digest, tag, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    { parameters: [text(owner), text(id), ...whose, text(digest), text(tag), at], asServer: true },
  );
}
