/** A dash among numbers says that there is none: zero, for what is added up or taken off. */
import type { Amount, Cell, Row } from '../cells/row.ts';

const DASH = /^\p{Sc}?\s*[-‐‑‒–—―−]+$/u;
/** Columns with fewer numbers show nothing of what a dash in them is. */
const NUMBERS_MIN = 2;

type Time = Pick<Cell, 'year' | 'period' | 'scope'>;

/** Rows whose dashes are zeros, where the column's other cells and the row's are numbers. */
export function withNothing(rows: readonly Row[]): readonly Row[] {
  const times = new Map<string, readonly Time[]>();
  for (const [table, own] of Map.groupBy(rows, (row) => row.table)) {
    const columns = Map.groupBy(
      own.flatMap(({ cells }) => cells.filter(({ amount }) => amount !== null && !amount.isPercent)),
      ({ at }) => at,
    );
    for (const [at, cells] of columns) times.set(keyOf(table, at), cells);
  }
  return rows.map((row) => {
    const like = row.cells.find(({ amount }) => amount !== null)?.amount;
    if (like == null || like.isPercent || !row.cells.some(isNothing)) return row;
    return {
      ...row,
      cells: row.cells.map((cell) =>
        isNothing(cell) ? zeroAt(cell, times.get(keyOf(row.table, cell.at)) ?? [], like) : cell,
      ),
    };
  });
}

const keyOf = (table: string, at: number): string => `${at} ${table}`;

const isNothing = ({ amount, doubt, value }: Cell): boolean =>
  amount === null && doubt === null && DASH.test(value.trim());

/** As it is where the column's numbers are of several times. */
function zeroAt(cell: Cell, column: readonly Time[], like: Amount): Cell {
  const [first] = column;
  if (first === undefined || column.length < NUMBERS_MIN) return cell;
  if (column.some(({ period }) => period !== first.period)) return cell;
  const { year, period } = first;
  return { ...cell, year, period, amount: { ...like, decimal: '0', value: 0, decimals: 0 } };
}
