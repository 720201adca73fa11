/** Results of ANALYZE, by relation: in memory once asked for, stored with values as text. */
import type { ColumnStatistics } from '../../catalog/column-statistics.ts';
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import { findTypeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import type { SqlType } from '../../types/type.ts';
import type { Analysis } from '../engine.ts';
import type { Records } from './commit/records.ts';

export class Analyses {
  readonly #records: Records;
  readonly #known = new Map<number, Analysis | null>();

  constructor(records: Records) {
    this.#records = records;
  }

  /** Null before the first ANALYZE. */
  get(relation: number): Analysis | null {
    let analysis = this.#known.get(relation);
    if (analysis === undefined) {
      const stored = this.#records.analysis(relation);
      analysis = stored === null ? null : decodeAnalysis(stored);
      this.#known.set(relation, analysis);
    }
    return analysis;
  }

  set(relation: number, analysis: Analysis): void {
    this.#known.set(relation, analysis);
  }

  forget(relation: number): void {
    this.#known.delete(relation);
  }
}

interface StoredColumn extends Omit<ColumnStatistics, 'common' | 'bounds'> {
  readonly attribute: number;
  readonly common: readonly (readonly [text: string, share: number])[];
  readonly bounds: readonly string[];
}

interface StoredAnalysis {
  readonly rows: number;
  readonly written: number;
  readonly columns: readonly StoredColumn[];
}

export function encodeAnalysis({ rows, written, columns }: Analysis): StoredAnalysis {
  const stored = [...columns].map(([attribute, { common, bounds, ...column }]): StoredColumn => {
    const type = findTypeByOid(column.type);
    const text = (datum: Datum): string => (type === undefined ? '' : storedText(type, datum));
    return {
      ...column,
      attribute,
      common: common.map(({ value, share }) => [text(value), share]),
      bounds: bounds.map(text),
    };
  });
  return { rows, written, columns: stored };
}

function decodeAnalysis(stored: unknown): Analysis {
  const { rows, written, columns } = stored as StoredAnalysis;
  const decoded = columns.flatMap((column) => {
    const statistics = decodeColumn(column);
    return statistics === null ? [] : [[column.attribute, statistics] as const];
  });
  return { rows, written, columns: new Map(decoded) };
}

/** Null for what cannot be read any more, as arrays of enums by their labels: the next ANALYZE finds it anew. */
function decodeColumn({ attribute: _, common, bounds, ...column }: StoredColumn): ColumnStatistics | null {
  const type = findTypeByOid(column.type);
  if (type === undefined) return null;
  try {
    return {
      ...column,
      common: common.map(([text, share]) => ({ value: datumOf(type, text), share })),
      bounds: bounds.map((text) => datumOf(type, text)),
    };
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
}

/** An enum's value as its number: labels can be renamed, and are the catalog's. */
const storedText = (type: SqlType, datum: Datum): string =>
  type.category === 'E' ? String(datum) : type.format(datum, DEFAULT_SETTINGS);

/** @throws SqlError for a text that is none of the type's. */
function datumOf(type: SqlType, text: string): Datum {
  const order = type.category === 'E' ? Number(text) : Number.NaN;
  return Number.isNaN(order) ? type.parse(text, -1, DEFAULT_SETTINGS) : order;
}
