/**
 * The arithmetic of tables: which rows are sums of which; whether a number fits them; how what is taken off is
 * written, in brackets or plainly. A cost is told by its name and by sums; what it amounts to is the same either way.
 */
import { ALL_DOMAINS } from '../../language/domains/vocabulary.ts';
import { wordsPattern } from '../../language/questions/words.ts';
import { type TableSum, tableSums } from '../../tables/adds-up.ts';
import type { Cell, Row } from '../cells/row.ts';
import type { Passage } from '../passage.ts';
import type { ReadPassage } from '../reading.ts';

const COSTS = wordsPattern((pack) => pack.costs);
const TOTALS = new RegExp(`^\\s*${wordsPattern((pack) => pack.totals).source}`, 'iu');

interface InTable {
  readonly passage: Passage;
  readonly row: Row;
}

interface KnownTable {
  readonly rows: readonly Row[];
  readonly sums: readonly TableSum[];
  /** How its costs are written, as lines of that name show it; null where they do not, or both ways. */
  readonly isNegative: boolean | null;
}

/** Tables of the passages, each looked at once. */
export class KnownTables {
  readonly #rows: ReadonlyMap<string, readonly Row[]>;
  readonly #tables = new Map<string, KnownTable>();

  constructor(passages: readonly ReadPassage[]) {
    const all = passages.flatMap(({ passage, rows }) =>
      rows.map((row) => ({ key: keyOf(passage, row), row })),
    );
    this.#rows = new Map(
      [...Map.groupBy(all, ({ key }) => key)].map(([key, own]) => [key, own.map(({ row }) => row)]),
    );
  }

  /**
   * -1 for what is written as taken off, 1 for what is as it stands; null where nothing tells.
   * @param isKnown that it is a cost.
   */
  factor({ passage, row }: InTable, isKnown: boolean): 1 | -1 | null {
    const values = valuesOf(row);
    const negative = values.filter((value) => value < 0).length;
    if (negative === 0) return 1;
    const table = this.#tableOf(passage, row);
    const parts = table.sums.flatMap(({ parts: own, total }) =>
      own.flatMap((part, i) => (table.rows[part.line]?.index === row.index ? [{ ...part, i, total }] : [])),
    );
    if (parts.some(({ isMinus }) => isMinus)) return 1;
    const isAll = negative === values.length;
    if (isKnown || isCost(row)) {
      // Among costs alone a sum shows nothing of how they are taken off.
      const isTakenOff = parts.some(({ total }) => !isCost(table.rows[total] ?? row));
      if (negative > values.length / 2 && isTakenOff) return -1;
      return isAll ? (table.isNegative === false ? null : -1) : 1;
    }
    const isDeduction = parts.some(({ i, total }) => i > 0 && !TOTALS.test(table.rows[total]?.label ?? ''));
    return isDeduction && isAll && table.isNegative === true ? -1 : 1;
  }

  /** The total that the cell's number does not add up to, where the columns beside it do. */
  misfit({ passage, row }: InTable, { at }: Cell): string | null {
    const { rows, sums } = this.#tableOf(passage, row);
    const own = sums.find(
      ({ total, parts, fails }) =>
        fails.has(at) &&
        [total, ...parts.map(({ line }) => line)].some((line) => rows[line]?.index === row.index),
    );
    return own === undefined ? null : (rows[own.total]?.label ?? '');
  }

  /** True for the sum of rows above. */
  isSum(passage: Passage, row: Row): boolean {
    const { rows, sums } = this.#tableOf(passage, row);
    return sums.some(({ total }) => rows[total]?.index === row.index);
  }

  /** Names of the sums that it is a part of, and of those that these are parts of. */
  wholesOf(passage: Passage, row: Row): readonly string[] {
    const { rows, sums } = this.#tableOf(passage, row);
    const names: string[] = [];
    let at = rows.findIndex(({ index }) => index === row.index);
    for (;;) {
      const above = sums.find(({ parts }) => parts.some(({ line }) => line === at));
      const name = above === undefined ? undefined : rows[above.total];
      if (above === undefined || name === undefined) return names;
      names.push(name.label === '' ? name.section : name.label);
      at = above.total;
    }
  }

  #tableOf(passage: Passage, row: Row): KnownTable {
    const key = keyOf(passage, row);
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const made = tableOf(this.#rows.get(key) ?? []);
    this.#tables.set(key, made);
    return made;
  }
}

const keyOf = ({ dataset, docId, contentId }: Passage, { table }: Row): string =>
  `${dataset}\n${docId}\n${table === '' ? contentId : table}`;

function tableOf(shown: readonly Row[]): KnownTable {
  const rows = [...new Map(shown.map((row) => [row.index, row])).values()].sort((a, b) => a.index - b.index);
  const sums = tableSums(rows.map(({ cells }) => new Map(cells.flatMap(entryOf))));
  const costs = rows
    .filter(isCost)
    .flatMap(valuesOf)
    .filter((value) => value !== 0);
  const negative = costs.filter((value) => value < 0).length;
  const isMixed = negative > 0 && negative < costs.length;
  return { rows, sums, isNegative: costs.length === 0 || isMixed ? null : negative > 0 };
}

const entryOf = ({ at, amount }: Cell): readonly (readonly [number, number])[] =>
  amount === null || amount.isPercent ? [] : [[at, amount.value]];

/** Numbers of its years where it has them: changes beside them have signs of their own. */
function valuesOf({ cells }: Row): readonly number[] {
  const ofYears = cells.filter(({ year }) => year !== null);
  return (ofYears.length > 0 ? ofYears : cells).flatMap((cell) => entryOf(cell).map(([, value]) => value));
}

const isCost = ({ label }: Row): boolean =>
  COSTS.test(label) ||
  ALL_DOMAINS.rowsIn(label).some(({ row, start, end }) => row.isCost && end - start >= label.length - SLACK);

/** Characters of a label besides its name: brackets, a footnote's mark. */
const SLACK = 4;
