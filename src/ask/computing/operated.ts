/** A calculation from the cells that are its operands, written as a formula, each operand with where it stands. */
import { writeAmount } from '../amount.ts';
import { type Amount, type Cell, type Row, unitWords } from '../cells/row.ts';
import type { Draft } from '../passage.ts';
import type { Operation } from '../question/operation.ts';
import { supportOf } from '../statement.ts';
import { amountsOf } from './amounts.ts';
import type { KnownTables } from './known-tables.ts';
import { type CellsRequest, type Operand, OperandFinder } from './operands.ts';

export function operated(operation: Operation, request: CellsRequest, tables: KnownTables): Draft | null {
  const groups = new OperandFinder(request).operands(operation);
  const operands = groups?.flat();
  if (groups === null || operands === undefined || new Set(operands.map(({ cell }) => cell)).size < 2)
    return null;
  const amounts = amountsOf(operands, tables, request.refusal);
  if (amounts === null) return null;
  const formula = formulaOf(operation, termsOf(groups, amounts));
  if (!Number.isFinite(formula.value)) return null;
  return {
    text: textOf(operation, { operands, amounts }, formula),
    supports: operands.map(({ passage, row, cell }) => supportOf(passage, row, [cell])),
    score: Math.min(1, 0.4 + 0.6 * Math.min(...operands.map(({ fit }) => fit))),
    isComputed: true,
    sameAs: null,
  };
}

interface Term {
  readonly value: number;
  readonly text: string;
}

/** One amount, or the mean of several. */
function termsOf(groups: readonly (readonly Operand[])[], amounts: readonly Amount[]): readonly Term[] {
  let from = 0;
  return groups.map(({ length }) => {
    const own = amounts.slice(from, from + length);
    from += length;
    const sum = own.reduce((total, { value }) => total + value, 0);
    const texts = own.map(written);
    return length === 1
      ? { value: sum, text: texts.join('') }
      : { value: sum / length, text: `((${texts.join(' + ')}) / ${length})` };
  });
}

const written = ({ value, decimals }: Amount): string => {
  const plain = writeAmount(value, decimals);
  return value < 0 ? `(${plain})` : plain;
};

interface Formula {
  readonly text: string;
  readonly value: number;
  readonly isPercent: boolean;
  readonly title: string;
}

function formulaOf({ kind, isApart, isFall }: Operation, terms: readonly Term[]): Formula {
  const [first, second] = terms as readonly [Term, Term];
  const sum = terms.reduce((total, { value }) => total + value, 0);
  const parts = terms.map(({ text }) => text).join(' + ');
  const plain = { title: titled(kind), isPercent: false };
  switch (kind) {
    case 'percentage change': {
      const [to, from] = isFall && first.value < second.value ? [second, first] : [first, second];
      return {
        title: to === first ? plain.title : 'Percentage decrease',
        text: `(${to.text} − ${from.text}) / ${second.text}`,
        value: (100 * (to.value - from.value)) / second.value,
        isPercent: true,
      };
    }
    case 'change':
    case 'difference': {
      const isTurned = (isApart || isFall) && first.value < second.value;
      const [more, less] = isTurned ? [second, first] : [first, second];
      const title = isFall && isTurned ? 'Decrease' : plain.title;
      return { ...plain, title, text: `${more.text} − ${less.text}`, value: more.value - less.value };
    }
    case 'ratio':
      return { ...plain, text: `${first.text} / ${second.text}`, value: first.value / second.value };
    case 'percentage':
      return {
        ...plain,
        text: `${first.text} / ${second.text}`,
        value: (100 * first.value) / second.value,
        isPercent: true,
      };
    case 'average':
      return { ...plain, text: `(${parts}) / ${terms.length}`, value: sum / terms.length };
    case 'sum':
      return { ...plain, text: parts, value: sum };
  }
}

const titled = (kind: string): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;

interface Computed {
  readonly operands: readonly Operand[];
  readonly amounts: readonly Amount[];
}

function textOf(
  { kind, label }: Operation,
  { operands, amounts }: Computed,
  { title, text, value, isPercent }: Formula,
): string {
  const unit = amounts[0] === undefined ? '' : unitWords(amounts[0]);
  const inPercent = amounts.every((amount) => amount.isPercent);
  const isStillPercent = isPercent || (inPercent && (kind === 'average' || kind === 'sum'));
  const suffix = isStillPercent ? ' %' : inPercent && kind !== 'ratio' ? ' percentage points' : '';
  const scale = isPercent || inPercent || kind === 'ratio' || unit === '' ? '' : ` (${unit})`;
  const names = operands.map(
    ({ row, cell }) =>
      `${nameOf(row, cell)}: ${writeAmount(cell.amount?.value ?? 0, cell.amount?.decimals ?? 0)}`,
  );
  const named = `${title}${label === '' ? '' : `, ${label}`}`;
  return `${named} (computed): ${text} = ${writeAmount(value, 2)}${suffix}${scale}; from ${names.join('; ')}`;
}

const nameOf = ({ label }: Row, { column }: Cell): string =>
  [label, column].filter((part) => part !== '').join(', ');
