/** Exports, which leave the database as a whole: COPY TO, downloads. One is written down before its first byte. */
import type { Catalog } from '../../catalog/model.ts';
import type { Plan } from '../../plan/plan.ts';
import { planChildren } from '../../plan/walk.ts';
import type { Statement } from '../running/statement.ts';
import { relationName } from './catalog-changes.ts';
import { actorOf } from './actor.ts';

/** @throws SqlError 53100 where it cannot be written down. */
export async function auditExport({ session }: Statement, objects: readonly string[]): Promise<void> {
  // The server's own sessions export nothing.
  if (session.signedInAs === null) return;
  await session.directory.audit.noted(actorOf(session), { action: 'export', objects });
}

/** Relations whose rows a plan reads. */
export function readBy(catalog: Catalog, plan: Plan): readonly string[] {
  const names = new Set<string>();
  const visit = (node: Plan): void => {
    const relation = 'relation' in node ? catalog.relations.get(Number(node.relation)) : undefined;
    const name = relation === undefined ? null : relationName(catalog, relation);
    if (name !== null) names.add(name);
    for (const child of planChildren(node)) visit(child);
  };
  visit(plan);
  return [...names];
}
