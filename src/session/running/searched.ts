/** Indexes that a plan searches by meaning: who reads the answer is told what is not embedded yet (`pending.ts`). */
import type { Plan } from '../../plan/plan.ts';
import { planChildren, subqueryPlans } from '../../plan/walk.ts';

export interface Searched {
  /** Relations whose embeddings it asks, by OID. */
  readonly relations: readonly number[];
  /** It calls `search()`: which datasets that asks is known when it runs. */
  readonly datasets: boolean;
}

export const NOTHING_SEARCHED: Searched = { relations: [], datasets: false };

const SEARCH = /^quern\.search\b/;

export function searchedBy(plan: Plan): Searched {
  const relations = new Set<number>();
  let datasets = false;
  const visit = (node: Plan): void => {
    if (node.kind === 'scan' && node.arms.some(({ kind }) => kind === 'semantic'))
      relations.add(node.relation);
    if (node.kind === 'function' && SEARCH.test(node.function)) datasets = true;
    for (const inner of subqueryPlans(node)) visit(inner);
    for (const child of planChildren(node)) visit(child);
  };
  visit(plan);
  return relations.size === 0 && !datasets ? NOTHING_SEARCHED : { relations: [...relations], datasets };
}
