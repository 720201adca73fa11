/**
 * Which year or which row of a table has the most or the least of something, and which years are beyond a number that
 * the question names: told by code from the cells of one table, all of which are shown and cited.
 */
import type { Draft } from '../passage.ts';
import { supportOf } from '../statement.ts';
import { WEIGHTS } from '../weights.ts';
import type { Comparison } from '../question/comparison.ts';
import { isNamed } from './found-cells.ts';
import { type CellsRequest, type Operand, OperandFinder, type Refusal } from './operands.ts';
import { withoutOwner } from '../question/subject.ts';
import { whyApart } from './units.ts';
import { amountsOf } from './amounts.ts';
import type { KnownTables } from './known-tables.ts';
import type { Amount } from '../cells/row.ts';

/** More are no list that a reader can check. */
const CELLS_MAX = 12;
const TOTAL = /\b(?:sub-?)?totals?\b|\bnet (?:income|change)\b|^all\b/i;

/** Null where no table has all of it, or its numbers are not all clear. */
export function compared(comparison: Comparison, request: CellsRequest, tables: KnownTables): Draft | null {
  const operands = comparison.of === 'years' ? yearsOf(comparison, request) : rowsOf(comparison, request);
  if (operands === null || operands.length < 2 || operands.length > CELLS_MAX) return null;
  const { refusal } = request;
  const doubtful = operands.find(({ cell }) => cell.amount === null);
  if (doubtful !== undefined) return refusal.because(`${doubtful.cell.doubt} (${doubtful.row.label})`);
  const amounts = amountsOf(operands, tables, refusal);
  const text = amounts === null ? null : textOf(comparison, { operands, amounts, refusal });
  if (text === null) return null;
  return {
    text,
    supports: operands.map(({ passage, row, cell }) => supportOf(passage, row, [cell])),
    score: Math.min(1, 0.4 + 0.6 * Math.min(...operands.map(({ fit }) => fit))),
    isComputed: true,
    sameAs: null,
  };
}

/** Candidates along one row, or along one column whose rows are years. */
function yearsOf({ subject }: Comparison, request: CellsRequest): readonly Operand[] | null {
  const all = new OperandFinder(request).series(subject);
  const { years } = request.question;
  const [first = 0] = years;
  const last = years.at(-1) ?? 0;
  return years.length < 2
    ? all
    : (all?.filter(({ cell }) => (cell.year ?? 0) >= first && (cell.year ?? 0) <= last) ?? null);
}

/** Candidates along one column: the rows of one part of the table but for totals. */
function rowsOf(
  { subject }: Comparison,
  { question, cells, reader }: CellsRequest,
): readonly Operand[] | null {
  const bare = withoutOwner(subject, (owner) => isNamed(cells, reader.terms(owner, question.language)));
  const wanted = new Set(reader.terms(bare, question.language).filter((term) => !/^\d+$/.test(term)));
  if (wanted.size === 0) return null;
  const [year = null] = question.years.slice(-1);
  const groups = Map.groupBy(
    cells.filter(
      ({ row, cell }) => row.label !== '' && !TOTAL.test(row.label) && (year === null || cell.year === year),
    ),
    ({ passage, row, cell }) => `${passage.dataset}\n${passage.contentId}\n${row.section}\n${cell.column}`,
  );
  let best: readonly Operand[] | null = null;
  let bestFit = WEIGHTS.tableFit;
  for (const group of groups.values()) {
    const [first] = group;
    if (
      first === undefined ||
      group.length < 2 ||
      new Set(group.map(({ row }) => row.label)).size !== group.length
    )
      continue;
    if (whyApart(group) !== null) continue;
    const held = [...wanted].filter((term) => first.column.has(term) || first.around.has(term)).length;
    const named = [...wanted].filter((term) => first.column.has(term)).length;
    const near = WEIGHTS.tableColumn * (named / wanted.size) + WEIGHTS.tableStrength * first.passage.strength;
    const fit = held / wanted.size + near;
    if (fit <= bestFit) continue;
    bestFit = fit;
    const own = Math.min(1, fit);
    best = group.map(({ passage, row, cell }) => ({ passage, row, cell, fit: own, ownFit: own }));
  }
  return best;
}

interface Compared {
  readonly operands: readonly Operand[];
  readonly amounts: readonly Amount[];
  readonly refusal: Refusal;
}

/** `Net sales, highest (computed): 2018: 500; of 2017: 480; 2018: 500`. */
function textOf({ of, wanted }: Comparison, { operands, amounts, refusal }: Compared): string | null {
  const [one] = operands;
  if (one === undefined) return null;
  const name = ({ row, cell }: Operand): string => (of === 'years' ? String(cell.year) : row.label);
  const subject = of === 'years' ? one.row.label : one.cell.column;
  const unit = one.row.unit === '' ? '' : ` (${one.row.unit})`;
  const shown = (operand: Operand): string => `${name(operand)}: ${operand.cell.value}`;
  const from = `of ${operands.map(shown).join('; ')}${unit}`;
  const values = operands.map((operand, i) => ({ operand, amount: amounts[i] as Amount }));
  if (wanted.kind === 'bound') {
    const told = values.map(({ operand, amount: { value, power } }) => ({
      operand,
      isBeyond: wanted.isBeyond(value, power),
    }));
    if (told.some(({ isBeyond }) => isBeyond === null))
      return refusal.because(`nothing says what ${one.row.label} is in`);
    const beyond = told.filter(({ isBeyond }) => isBeyond).map(({ operand }) => name(operand));
    const names = beyond.length === 0 ? 'none' : beyond.join(', ');
    return `${subject} ${wanted.words} (computed): ${names} (${beyond.length} of ${operands.length}); ${from}`;
  }
  const [first, second] = values.toSorted((a, b) =>
    wanted.kind === 'most' ? b.amount.value - a.amount.value : a.amount.value - b.amount.value,
  );
  if (first === undefined || first.amount.value === second?.amount.value) return null;
  return `${subject === '' ? '' : `${subject}, `}${wanted.word} (computed): ${shown(first.operand)}; ${from}`;
}
