/** `quern.audit_verify()`, for auditors: reads what is committed, whatever the asker's transaction sees. */
import { AUDIT_ROLE, hasRightsOf } from '../../catalog/access/roles.ts';
import { SqlError } from '../../errors.ts';
import { formatJsonb, jsonOf } from '../../types/json/json.ts';
import { verifyChain } from '../audit/verify.ts';
import type { SessionState } from '../session-state.ts';
import { limitsRows } from '../sign-in/key-scope.ts';

/** @throws SqlError 42501, XX001. */
export async function verifyAudit(session: SessionState, signal: AbortSignal): Promise<string> {
  const { directory, environment, identity, key } = session;
  const isLimited = key !== null && limitsRows(key.scope);
  if (isLimited || !hasRightsOf(session.catalog(), identity.current, AUDIT_ROLE)) {
    throw new SqlError('insufficient_privilege', 'permission denied to verify the audit', {
      hint: 'Members of quern_auditor may, with a key without limits.',
    });
  }
  await directory.audit.settled();
  const end = environment.engine.chainEnd();
  const found = await directory.keeping.transaction((query) => verifyChain(query, end), signal);
  return formatJsonb(jsonOf(found));
}
