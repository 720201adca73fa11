/** A ranked scan gives its rows in order, ties by primary key as a stable sort leaves them: no sort need stand over it. */
import { sameTree } from '../../plan/same-tree.ts';
import type { Choice } from '../choice.ts';

export const rankedOrder: Choice = {
  name: 'ranked-order',
  summary: 'Leaves out the sort of rows that a ranking gives in order.',
  choose: (plan) => {
    if (plan.kind !== 'sort' || plan.input.kind !== 'scan') return plan;
    const { request, topK } = plan.input;
    const isRanked = request.kind === 'best rows' && topK !== null && topK.groups === undefined;
    return isRanked && sameTree(topK.keys, plan.keys) ? plan.input : plan;
  },
};
