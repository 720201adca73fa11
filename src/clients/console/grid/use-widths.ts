/** Widths of columns in pixels: by their first values, until somebody draws one wider. */
import { useMemo, useState } from 'react';
import { useNarrow } from '../parts/use-narrow.ts';
import type { Column, Row } from '../server/messages.ts';
import { fittingWidth } from './cell-text.ts';

const LOOKED_AT_ROWS = 30;
/** More of a type's name is cut. */
const SHOWN_TYPE_CHARACTERS = 12;
/** The first column of a small screen stays in sight, and leaves room for others. */
const KEPT_PX_MAX = 148;

type SetWidth = (column: number, width: number) => void;

export function useWidths(
  columns: readonly Column[],
  rowAt: (index: number) => Row | undefined,
  rowCount: number,
): readonly [readonly number[], SetWidth] {
  const [drawn, draw] = useState<ReadonlyMap<string, number>>(new Map());
  const hasRows = rowCount > 0 && rowAt(0) !== undefined;
  // Once, when the first rows are there: widths do not move while one reads.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows of a result only become more
  const fitting = useMemo(() => {
    const rows = Array.from({ length: Math.min(rowCount, LOOKED_AT_ROWS) }, (_, i) => rowAt(i)).filter(
      (row) => row !== undefined,
    );
    return columns.map(({ name, type }, i) =>
      fittingWidth(
        `${name} ${type.slice(0, SHOWN_TYPE_CHARACTERS)}`,
        rows.map((row) => row[i] ?? null),
      ),
    );
  }, [columns, hasRows]);
  const isNarrow = useNarrow();
  const widths = useMemo(() => {
    const fits = (width: number, i: number): number =>
      isNarrow && i === 0 ? Math.min(width, KEPT_PX_MAX) : width;
    return columns.map(({ name }, i) => fits(drawn.get(`${i} ${name}`) ?? fitting[i] ?? 0, i));
  }, [columns, drawn, fitting, isNarrow]);
  const setWidth: SetWidth = (column, width) =>
    draw((before) => new Map(before).set(`${column} ${columns[column]?.name}`, width));
  return [widths, setWidth];
}
