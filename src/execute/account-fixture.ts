/** An account that nobody limits, for tests of operators by themselves. */
import { Account } from './account.ts';

export const unlimitedAccount = (): Account =>
  new Account({
    limit: Number.POSITIVE_INFINITY,
    claimed: 0,
    claim: () => true,
    release: () => undefined,
  });
