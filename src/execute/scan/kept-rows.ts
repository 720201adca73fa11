/**
 * Rows of parts that a rule shows, kept for whoever asks by the same rule, with the same facts of a session, while the
 * relations that it asks are the same: a part's id is another after each commit to it.
 */
import { hasBit, emptyBits } from '../../types/column/bitset.ts';
import type { Part, RowAddress, RowMask } from '../../engine/engine.ts';
import type { KeptRule, RuleKey } from '../../physical/physical.ts';
import type { Task } from '../../task.ts';
import { factValues, keyOf, keyWith } from './filter-mask.ts';
import type { Run } from '../state.ts';

/** Null where nothing is kept: a transaction that is asked what it has read has to read. */
export function* ruleKeyOf({ plan, kept = null }: KeptRule, run: Run): Task<string | null> {
  if (run.snapshot.remembersReads) return null;
  if (kept === null) return plan.kind === 'scan' ? yield* keyOf(plan, run) : null;
  const values = yield* factValues(kept.facts, run);
  const key = values === null ? null : keyWith(kept, values, run);
  return key === null ? null : `${key} ${idsOf(kept, run).join()}`;
}

const idsOf = ({ relations }: RuleKey, { snapshot }: Run): readonly string[] =>
  relations.map(({ relation, partition }) =>
    snapshot
      .parts(relation, partition, true)
      .map(({ id }) => id)
      .join('+'),
  );

/** True when a row is shown, where that is known of its part; else null. */
export function* knownShown(rule: KeptRule, { part, row }: RowAddress, run: Run): Task<boolean | null> {
  const key = yield* ruleKeyOf(rule, run);
  const mask = key === null ? undefined : part.masks.get(key);
  return mask === undefined ? null : hasBit(mask.bits, row);
}

/** The rows of a part that are there. */
export const wholeMask = ({ visible, rowCount }: Part): RowMask => ({
  bits: visible ?? emptyBits(rowCount),
  count: rowCount,
});

/** True when the rule asks no other rows of the relation that it is for, so that it can be asked of some parts alone. */
export const asksOthersOnly = ({ kept = null }: KeptRule, relation: number): boolean =>
  kept?.relations.every((asked) => asked.relation !== relation) === true;
