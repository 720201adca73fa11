/** Errors of a client, or a statement, that has taken too long. */
import { SqlError } from '../../errors.ts';

export const IDLE_TIMEOUTS = {
  block: {
    setting: 'idle_in_transaction_session_timeout',
    condition: 'idle_in_transaction_session_timeout',
    message: 'terminating connection due to idle-in-transaction timeout',
  },
  session: {
    setting: 'idle_session_timeout',
    condition: 'idle_session_timeout',
    message: 'terminating connection due to idle-session timeout',
  },
} as const;

export function timedOut(): SqlError {
  return new SqlError('query_canceled', 'canceling statement due to statement timeout', {
    routine: 'statement_timeout',
  });
}
