/** The choices, in the order in which they are made for a node. */
import type { Choice } from './choice.ts';
import { candidates } from './choices/candidates.ts';
import { conditionOrder } from './choices/condition-order.ts';
import { hashJoin } from './choices/hash-join.ts';
import { impliedMatch } from './choices/implied-match.ts';
import { keptMasks } from './choices/kept-masks.ts';
import { keyList } from './choices/key-list.ts';
import { keywordRows } from './choices/keyword-rows.ts';
import { maskedAggregate } from './choices/masked-aggregate.ts';
import { rankedOrder } from './choices/ranked-order.ts';
import { zones } from './choices/zones.ts';

export const CHOICES: readonly Choice[] = [
  conditionOrder,
  keyList,
  keywordRows,
  zones,
  candidates,
  impliedMatch,
  keptMasks,
  rankedOrder,
  hashJoin,
  maskedAggregate,
];
