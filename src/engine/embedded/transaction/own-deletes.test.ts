/** Which own rows are there, one by one and as bits, whatever took them away; against a plain list. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasBit } from '../../../types/column/bitset.ts';
import { OwnDeletes } from './own-deletes.ts';

const ROWS = 200;
const row = fc.nat(ROWS - 1);
const step = fc.oneof(
  fc.record({ kind: fc.constant('delete' as const), row }),
  fc.record({ kind: fc.constant('empty' as const), row }),
  fc.record({ kind: fc.constant('withdraw' as const), row }),
);

it('bits say of every row what its clock says', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), row, fc.nat(12), (steps, start, seenAt) => {
      const deletes = new OwnDeletes();
      const gone = Array.from({ length: ROWS }, () => Number.POSITIVE_INFINITY);
      for (const [clock, { kind, row }] of steps.entries()) {
        if (kind === 'delete' && !deletes.has(row)) {
          deletes.add(row, clock);
          gone[row] = clock;
        } else if (kind === 'empty') {
          // As TRUNCATE: all rows so far, so none behind them is gone before.
          if (gone.slice(row).some(Number.isFinite)) continue;
          deletes.empty(row, clock);
          for (let i = 0; i < row; i++) gone[i] = Math.min(gone[i] as number, clock);
        } else if (kind === 'withdraw' && !gone.slice(row).some(Number.isFinite)) {
          deletes.withdraw(row, ROWS);
          gone.fill(-1, row);
        }
      }
      const count = ROWS - start;
      const bits = deletes.visible(start, count, seenAt);
      const shown = Array.from({ length: count }, (_, i) => bits === null || hasBit(bits, i));
      expect(shown).toEqual(gone.slice(start).map((clock) => clock > seenAt));
      expect(deletes.count).toBe(gone.filter(Number.isFinite).length);
    }),
    { numRuns: 500 },
  );
});
