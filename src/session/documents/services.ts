/** Documents as a request: `quern.upsert()` and `quern.update()`. */
import type { BroughtDocuments, SessionServices } from '../../functions/services.ts';
import type { Runner } from '../running/runner.ts';
import { updateDocuments } from './update.ts';
import { upsertDocuments } from './upsert.ts';

export const documentServices = (runner: Runner): SessionServices['documents'] => ({
  upsert: (relation, brought: BroughtDocuments, signal) =>
    upsertDocuments(runner, relation, { brought, signal }),
  update: (relation, brought, strict, signal) =>
    updateDocuments(runner, relation, { brought, strict, signal }),
  rows: (signal) => runner.requests.rows.get(signal) ?? [],
});
