/**
 * Ratios, differences, percentage changes, averages and sums whose parts stand in tables: computed here, shown as a
 * formula, every operand with the cell it was taken from. Where an operand is not clear, nothing is computed.
 */
import { writeAmount } from '../amount.ts';
import { compared } from './compare.ts';
import { measured } from './measured.ts';
import { type CellsRequest, cellsOf, type Found, type Operand, OperandFinder } from './operands.ts';
import type { Operation } from '../question/operation.ts';
import { areOfOneUnit } from './units.ts';
import type { Draft } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import type { ReadPassage } from '../reading.ts';
import { supportOf } from '../statement.ts';
import type { Turns } from '../turns.ts';
import type { Cell, Row } from '../cells/row.ts';

interface ComputeRequest {
  readonly question: Question;
  readonly passages: readonly ReadPassage[];
  readonly reader: Reader;
}

/** Measures aside: documents may give those themselves. */
export const asksToCompute = ({ operation, comparison }: Question): boolean =>
  operation !== null || comparison !== null;

/** Null where the question asks for no calculation, or its parts are not there. */
export async function computed(request: ComputeRequest, turns: Turns): Promise<Draft | null> {
  const { question, passages, reader } = request;
  const { operation, comparison } = question;
  // No number is a cause.
  if (question.kind === 'reason') return null;
  const ofMeasure = comparison === null ? measured(question, passages) : null;
  if (ofMeasure !== null) return ofMeasure;
  if (operation === null && comparison === null) return null;
  const cells: Found[] = [];
  for (const passage of passages) {
    const pause = turns.next();
    if (pause !== null) await pause;
    cells.push(...cellsOf(passage, question, reader));
  }
  const ofCells = { question, cells, reader };
  const made = comparison === null ? null : compared(comparison, ofCells);
  return made ?? (operation === null ? null : operated(operation, ofCells));
}

function operated(operation: Operation, request: CellsRequest): Draft | null {
  const operands = new OperandFinder(request).operands(operation);
  if (operands === null || new Set(operands.map(({ cell }) => cell)).size < 2) return null;
  if (!areOfOneUnit(operands)) return null;
  const formula = formulaOf(operation, operands);
  if (!Number.isFinite(formula.value)) return null;
  return {
    text: textOf(operation, operands, formula),
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

function formulaOf({ kind }: Operation, operands: readonly Operand[]): Formula {
  const values = operands.map(({ value }) => value);
  const [first, second] = values as [number, number];
  const sum = values.reduce((total, value) => total + value, 0);
  const parts = operands.map(written).join(' + ');
  const [a, b] = operands.map(written) as [string, string];
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

const written = ({ cell, value }: Operand): string => {
  const plain = writeAmount(value, cell.amount?.decimals ?? 0);
  return value < 0 ? `(${plain})` : plain;
};

function textOf(
  { kind, label }: Operation,
  operands: readonly Operand[],
  { text, value, isPercent }: Formula,
): string {
  const unit = operands[0]?.row.unit ?? '';
  const inPercent = operands.every(({ cell }) => cell.amount?.isPercent === true);
  const isStillPercent = isPercent || (inPercent && (kind === 'average' || kind === 'sum'));
  const suffix = isStillPercent ? ' %' : inPercent && kind !== 'ratio' ? ' percentage points' : '';
  const scale = isPercent || inPercent || kind === 'ratio' || unit === '' ? '' : ` (${unit})`;
  const names = operands.map(
    ({ row, cell, value: own }) => `${nameOf(row, cell)}: ${writeAmount(own, cell.amount?.decimals ?? 0)}`,
  );
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${label === '' ? '' : `, ${label}`}`;
  return `${title} (computed): ${text} = ${writeAmount(value, 2)}${suffix}${scale}; from ${names.join('; ')}`;
}

const nameOf = ({ label }: Row, { column }: Cell): string =>
  [label, column].filter((part) => part !== '').join(', ');
