/** Printed lines to rows: a cell that goes over several lines is one, whichever of its row's cells it is. */
import { lineWords } from '../../../../language/texts/lines.ts';
import type { Rule } from '../ink.ts';
import type { LineCell, TableLine } from './aligned.ts';
import type { Column } from './columns.ts';
import { isNumeric, median } from './grid.ts';

export interface MergedRows {
  readonly rows: readonly (readonly TableLine[])[];
  readonly headerRowCount: number;
}

export function mergeRows(
  lines: readonly TableLine[],
  columns: readonly Column[],
  rules: readonly Rule[],
): MergedRows {
  const pitches = lines.slice(1).map((line, index) => line.baseline - (lines[index] as TableLine).baseline);
  const pitch = median(pitches);
  const rows: TableLine[][] = [];
  let headerRowCount = 0;
  for (const [index, line] of lines.entries()) {
    const row = rows.at(-1);
    const before = lines[index - 1];
    const isJoined =
      row !== undefined &&
      before !== undefined &&
      !isRuledOff(before, line, columns, rules) &&
      goesOn(row, line, { columns, pitch, step: line.baseline - before.baseline, next: lines[index + 1] });
    if (isJoined) row.push(line);
    else {
      rows.push([line]);
      if (line.isHeader) headerRowCount = rows.length;
    }
  }
  return { rows, headerRowCount };
}

function isRuledOff(
  above: TableLine,
  below: TableLine,
  columns: readonly Column[],
  rules: readonly Rule[],
): boolean {
  const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0];
  let length = 0;
  for (const { isHorizontal, at, from, to } of rules) {
    if (!isHorizontal || at < above.baseline - 0.1 * above.size || at > below.baseline - 0.5 * below.size)
      continue;
    length += Math.max(0, Math.min(to, right) - Math.max(from, left));
  }
  return length > 0.4 * (right - left);
}

interface Measure {
  readonly columns: readonly Column[];
  readonly pitch: number;
  readonly step: number;
  readonly next: TableLine | undefined;
}

function goesOn(row: readonly TableLine[], line: TableLine, measure: Measure): boolean {
  const { columns, pitch, step, next } = measure;
  const size = line.size;
  if (step > 1.65 * size || step > 1.25 * pitch) return false;
  const last = row.at(-1) as TableLine;
  if (last.isHeader !== line.isHeader) return false;
  if (line.isHeader) return headerGoesOn(row, line);
  const isValue = ({ text, column }: LineCell): boolean => column > 0 && isNumeric(text);
  const rowCells = row.flatMap(({ cells }) => cells);
  if (line.cells.some(isValue) && rowCells.some(isValue)) return false;
  const above = (cell: LineCell): LineCell | undefined =>
    rowCells.findLast((one) => one.column <= cell.columnEnd && one.columnEnd >= cell.column);
  // A label over two lines: its values stand on the first or on the last.
  const label = line.cells[0];
  const labelAbove = label === undefined ? undefined : above(label);
  if (label !== undefined && label.column === 0 && labelAbove !== undefined) {
    const isAlone = line.cells.length === 1 || rowCells.every(({ column }) => column === 0);
    if (isAlone) {
      if (isOfGroup(labelAbove, line, next)) return false;
      return isContinued(labelAbove, label, columns);
    }
    return line.cells.every((cell) => {
      const one = above(cell);
      return one !== undefined && isContinued(one, cell, columns);
    });
  }
  // Other cells over several lines, the label on the first.
  if (label === undefined || label.column === 0) return false;
  return line.cells.every((cell) => {
    const one = above(cell);
    return (
      one !== undefined &&
      !isNumeric(cell.text) &&
      (isContinued(one, cell, columns) || (step < 1.02 * pitch && isFull(one, columns)))
    );
  });
}

/**
 * True when a line with values is the first row below the heading of a group: it is set in, begins as names do, and the
 * row after it goes on at its edge or further in. What is set in to go on with a label is alone with it.
 */
function isOfGroup(heading: LineCell, line: TableLine, next: TableLine | undefined): boolean {
  const [label] = line.cells;
  const [after] = next?.cells ?? [];
  if (label === undefined || line.cells.length < 2 || after === undefined || after.column > 0) return false;
  const near = 0.3 * line.size;
  const isSetIn = label.segment.left > heading.segment.left + near;
  const goesOnSetIn = after.segment.left > label.segment.left - near && !CONTINUING.test(after.text);
  return isSetIn && goesOnSetIn && !CONTINUING.test(label.text) && !OPEN_END.test(heading.text);
}

/** Headings stand over each other in one cell unless one of the lines spans columns that the other does not. */
function headerGoesOn(row: readonly TableLine[], line: TableLine): boolean {
  const cells = row.flatMap((one) => one.cells);
  const isSpanning = ({ column, columnEnd }: LineCell): boolean => columnEnd > column;
  if (cells.some(isSpanning)) {
    return line.cells.every((cell) =>
      cells.some((one) => one.column === cell.column && one.columnEnd === cell.columnEnd),
    );
  }
  return !line.cells.some(isSpanning);
}

const CONTINUING = /^[a-z(&,;]/;
const OPEN_END = new RegExp(`[-,(/&]$|${lineWords((words) => words.openEnds)}$`, 'iu');

function isContinued(above: LineCell, below: LineCell, columns: readonly Column[]): boolean {
  if (isNumeric(below.text) || /[:.]$/.test(above.text)) return false;
  if (CONTINUING.test(below.text) || OPEN_END.test(above.text)) return true;
  return below.segment.left > above.segment.left + 0.4 * below.segment.size && isFull(above, columns);
}

/** The line reaches the end of its column, so that its next word went to the next line. */
function isFull({ segment, column, columnEnd }: LineCell, columns: readonly Column[]): boolean {
  const left = columns[column]?.left ?? 0;
  const right = columns[columnEnd]?.right ?? 0;
  return segment.right - left > 0.8 * (right - left) && right - left > 6 * segment.size;
}
