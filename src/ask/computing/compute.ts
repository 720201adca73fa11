/**
 * Ratios, differences, percentage changes, averages and sums whose parts stand in tables: computed here, shown as a
 * formula, every operand with the cell it was taken from. Where an operand is not clear, nothing is computed.
 */
import { writeAmount } from '../amount.ts';
import { compared } from './compare.ts';
import { measured } from './measured.ts';
import { measuresIn } from './measures.ts';
import { amountsOf } from './amounts.ts';
import { CostSigns } from './cost-signs.ts';
import { type CellsRequest, cellsOf, type Found, type Operand, OperandFinder, Refusal } from './operands.ts';
import type { Operation } from '../question/operation.ts';
import { isOfScope, isOfTime, ofNamedDocuments } from './whose-cells.ts';
import type { Draft } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import type { ReadPassage } from '../reading.ts';
import { supportOf } from '../statement.ts';
import type { Turns } from '../turns.ts';
import { type Amount, type Cell, type Row, unitWords } from '../cells/row.ts';

interface ComputeRequest {
  readonly question: Question;
  readonly passages: readonly ReadPassage[];
  readonly reader: Reader;
}

/** Measures aside: documents may give those themselves. */
export const asksToCompute = ({ kind, operation, comparison }: Question): boolean =>
  kind !== 'reason' && (operation !== null || comparison !== null);

export interface Computation {
  /** Null where the question asks for no calculation, its parts are not there, or not clear. */
  readonly draft: Draft | null;
  /** Why what is there was not computed with. */
  readonly why: string | null;
}

const NOTHING: Computation = { draft: null, why: null };

export async function computed({ question, ...request }: ComputeRequest, turns: Turns): Promise<Computation> {
  const { operation, comparison } = question;
  // No number is a cause.
  if (question.kind === 'reason') return NOTHING;
  if (!asksToCompute(question) && measuresIn(question).length === 0) return NOTHING;
  const passages = ofNamedDocuments(question, request.passages);
  const refusal = new Refusal();
  const signs = new CostSigns(passages);
  const ofMeasure = comparison === null ? measured({ question, passages, signs, refusal }) : null;
  if (ofMeasure !== null) return { draft: ofMeasure, why: null };
  if (operation === null && comparison === null) return { draft: null, why: refusal.why };
  const all: Found[] = [];
  for (const passage of passages) {
    const pause = turns.next();
    if (pause !== null) await pause;
    all.push(...cellsOf(passage, question, request.reader));
  }
  const pools = poolsOf(question, all);
  for (const cells of pools.asked) {
    const ofCells = { question, cells, reader: request.reader, refusal };
    const made = comparison === null ? null : compared(comparison, ofCells, signs);
    const draft = made ?? (operation === null ? null : operated(operation, ofCells, signs));
    if (draft !== null || refusal.why !== null) return { draft, why: draft === null ? refusal.why : null };
  }
  return { draft: null, why: whyElsewhere({ question, reader: request.reader }, pools.others) };
}

interface Pools {
  /** Cells that the question may ask for; the first that has it counts. */
  readonly asked: readonly (readonly Found[])[];
  readonly others: readonly Found[];
}

/** Where no year is asked for, quarters may be what there is. */
function poolsOf(question: Question, cells: readonly Found[]): Pools {
  const ofScope = isOfScope(question);
  const ofTime = isOfTime(question);
  const inScope = cells.filter(ofScope);
  const asked = inScope.filter(ofTime);
  const isOfYears = question.years.length > 0 || question.comparison?.of === 'years';
  const isOfAnyTime = !isOfYears && !question.isOfPartOfYear && asked.length < inScope.length;
  const others = cells.length > asked.length ? cells : [];
  return { asked: isOfAnyTime ? [asked, inScope] : [asked], others };
}

/** Says that it is there of others or of other times only. */
function whyElsewhere(
  { question, reader }: Pick<CellsRequest, 'question' | 'reader'>,
  cells: readonly Found[],
): string | null {
  const { operation } = question;
  if (operation === null || cells.length === 0) return null;
  const operands = new OperandFinder({ question, cells, reader, refusal: new Refusal() }).operands(operation);
  const ofScope = isOfScope(question);
  const other = operands?.find((one) => !ofScope(one));
  if (operands === null || operands === undefined) return null;
  if (other !== undefined) return `${other.row.label} is there only for: ${other.cell.scope}`;
  const [first] = operands;
  return first === undefined ? null : `${first.row.label} is there only for: ${first.cell.column}`;
}

function operated(operation: Operation, request: CellsRequest, signs: CostSigns): Draft | null {
  const operands = new OperandFinder(request).operands(operation);
  if (operands === null || new Set(operands.map(({ cell }) => cell)).size < 2) return null;
  const amounts = amountsOf(operands, signs, request.refusal);
  if (amounts === null) return null;
  const formula = formulaOf(operation, amounts);
  if (!Number.isFinite(formula.value)) return null;
  return {
    text: textOf(operation, { operands, amounts }, formula),
    supports: operands.map(({ passage, row, cell }) => supportOf(passage, row, [cell])),
    score: Math.min(1, 0.4 + 0.6 * Math.min(...operands.map(({ fit }) => fit))),
    isComputed: true,
    sameAs: null,
  };
}

interface Formula {
  readonly text: string;
  readonly value: number;
  readonly isPercent: boolean;
}

function formulaOf({ kind }: Operation, amounts: readonly Amount[]): Formula {
  const values = amounts.map(({ value }) => value);
  const [first, second] = values as [number, number];
  const sum = values.reduce((total, value) => total + value, 0);
  const parts = amounts.map(written).join(' + ');
  const [a, b] = amounts.map(written) as [string, string];
  switch (kind) {
    case 'percentage change':
      return { text: `(${a} − ${b}) / ${b}`, value: (100 * (first - second)) / second, isPercent: true };
    case 'change':
    case 'difference':
      return { text: `${a} − ${b}`, value: first - second, isPercent: false };
    case 'ratio':
      return { text: `${a} / ${b}`, value: first / second, isPercent: false };
    case 'percentage':
      return { text: `${a} / ${b}`, value: (100 * first) / second, isPercent: true };
    case 'average':
      return { text: `(${parts}) / ${values.length}`, value: sum / values.length, isPercent: false };
    case 'sum':
      return { text: parts, value: sum, isPercent: false };
  }
}

const written = ({ value, decimals }: Amount): string => {
  const plain = writeAmount(value, decimals);
  return value < 0 ? `(${plain})` : plain;
};

interface Computed {
  readonly operands: readonly Operand[];
  readonly amounts: readonly Amount[];
}

function textOf(
  { kind, label }: Operation,
  { operands, amounts }: Computed,
  { text, value, isPercent }: Formula,
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
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${label === '' ? '' : `, ${label}`}`;
  return `${title} (computed): ${text} = ${writeAmount(value, 2)}${suffix}${scale}; from ${names.join('; ')}`;
}

const nameOf = ({ label }: Row, { column }: Cell): string =>
  [label, column].filter((part) => part !== '').join(', ');
