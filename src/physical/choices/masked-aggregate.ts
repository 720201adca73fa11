/**
 * Aggregates of plain columns over a filtered scan, without copying the rows that pass: only those whose states are
 * typed arrays, which cannot fail for rows that do not.
 */
import { typedStateOf } from '../../functions/aggregate/typed-state.ts';
import type { Choice } from '../choice.ts';
import type { Aggregate } from '../physical.ts';

export const maskedAggregate: Choice = {
  name: 'masked-aggregate',
  summary: 'Adds up all rows that are looked at, those that do not pass in a group that nobody sees.',
  choose: (plan) => {
    if (plan.kind !== 'aggregate' || !isMaskable(plan)) return plan;
    const { input } = plan;
    if (input.kind !== 'scan' || input.filter === null || input.request.kind !== 'rows') return plan;
    return { ...plan, masked: true, input: { ...input, request: { kind: 'rows', masked: true } } };
  },
};

function isMaskable({ sets, keys, aggregates }: Aggregate): boolean {
  if (sets.length !== 1 || keys.length > 1 || !keys.every((key) => key.kind === 'column')) return false;
  return aggregates.every(
    (call) =>
      !call.distinct &&
      call.filter === null &&
      call.order.length === 0 &&
      call.args.every((arg) => arg.kind === 'column') &&
      typedStateOf(
        call.function,
        call.args.map(({ type }) => type.oid),
      ) !== null,
  );
}
