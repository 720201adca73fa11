/** Documents as a request: `quern.upsert()` and `quern.update()`. */
import type { SessionServices } from '../../functions/services.ts';
import type { Statement } from '../running/statement.ts';
import { updateDocuments } from './update.ts';
import { upsertDocuments } from './upsert.ts';

export const documentServices = (statement: Statement): SessionServices['documents'] => ({
  upsert: (relation, brought) => upsertDocuments(statement, relation, brought),
  update: (relation, brought, strict) => updateDocuments(statement, relation, { brought, strict }),
  rows: () => statement.documentRows,
});
