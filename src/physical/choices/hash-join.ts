/** Pairs of a join by a table of the right side's keys, where equal values have equal keys; else every pair is looked at. */
import { hashableKeys } from '../join-keys.ts';
import type { Choice } from '../choice.ts';

export const hashJoin: Choice = {
  name: 'hash-join',
  summary: 'Joins by a table of the right side’s keys instead of looking at every pair.',
  choose: (plan) => {
    if (plan.kind !== 'join' || plan.lateral) return plan;
    const { keys: hashed, condition: rest } = hashableKeys(plan);
    return hashed.length === 0 ? plan : { ...plan, way: 'hash', hashed, rest };
  },
};
