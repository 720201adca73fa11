/** INSERT, UPDATE, DELETE and MERGE, as statements and in WITH. */
import { unreachable } from '../../../assert.ts';
import type { QueryScope, WriteStatement } from '../context.ts';
import { bindDelete } from './delete.ts';
import { bindInsert } from './insert.ts';
import { bindMerge } from './merge.ts';
import { bindUpdate } from './update.ts';
import type { Plan } from '../draft.ts';

export function bindAnyWrite(scope: QueryScope, statement: WriteStatement): Plan {
  switch (statement.kind) {
    case 'insert':
      return bindInsert(scope, statement);
    case 'update':
      return bindUpdate(scope, statement);
    case 'delete':
      return bindDelete(scope, statement);
    case 'merge':
      return bindMerge(scope, statement);
    default:
      return unreachable(statement);
  }
}
