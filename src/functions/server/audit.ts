/** `quern.audit_verify`: follows the chain of the audit. What it does is behind `services.ts`. */
import type { ScalarFunction } from '../function.ts';

export const AUDIT_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'quern.audit_verify',
    args: [],
    returns: 'jsonb',
    volatility: 'volatile',
    effect: 'none',
    summary:
      'Follows the chain of `quern.audit` from its first entry to its end: entries, first, last, hash. Error XX001 names what is missing or changed. For members of quern_auditor.',
    example: ["SELECT quern.audit_verify() ? 'hash'", 't'],
    evaluateLater: async ({ services }) => services.session.verifyAudit(),
  },
];
