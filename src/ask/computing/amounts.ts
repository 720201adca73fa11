/** Operands as amounts that can be computed with each other: of one unit, in one scale, costs as what they amount to. */
import { present } from '../../assert.ts';
import type { Amount } from '../cells/row.ts';
import type { KnownTables } from './known-tables.ts';
import type { Operand, Refusal } from './operands.ts';
import { atPower, negated, whyApart } from './units.ts';

/** In the scale of the first; null where one does not fit the others, or its table. */
export function amountsOf(
  operands: readonly Operand[],
  tables: KnownTables,
  refusal: Refusal,
): readonly Amount[] | null {
  const amounts: Amount[] = [];
  const [first] = operands;
  const apart = whyApart(operands);
  if (apart !== null) return refusal.because(apart);
  for (const operand of operands) {
    const { row, cell } = operand;
    const misfit = tables.misfit(operand, cell);
    if (misfit !== null) return refusal.because(`${row.label}, ${cell.column} does not add up to ${misfit}`);
    const factor = tables.factor(operand, operand.isCost === true);
    if (factor === null)
      return refusal.because(
        `the table writes costs with brackets and without, and ${row.label} is ${cell.value}`,
      );
    const amount = present(cell.amount, 'an operand');
    amounts.push(atPower(factor === -1 ? negated(amount) : amount, first?.cell.amount?.power ?? null));
  }
  return amounts;
}
