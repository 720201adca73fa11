/** Keys that move within a grid. */
import type { KeyboardEvent } from 'react';
import type { Cell } from './use-view.ts';

export interface Bounds {
  readonly rowCount: number;
  readonly columnCount: number;
  /** Rows. */
  readonly page: number;
}

/** Null for keys that move nothing. */
export function moved(
  { key, metaKey, ctrlKey }: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey'>,
  { row, column }: Cell,
  bounds: Bounds,
): Cell | null {
  const isFar = metaKey || ctrlKey;
  const at = (toRow: number, toColumn: number): Cell => ({
    row: Math.max(0, Math.min(bounds.rowCount - 1, toRow)),
    column: Math.max(0, Math.min(bounds.columnCount - 1, toColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return at(isFar ? bounds.rowCount : row + 1, column);
    case 'ArrowUp':
      return at(isFar ? 0 : row - 1, column);
    case 'ArrowRight':
      return at(row, isFar ? bounds.columnCount : column + 1);
    case 'ArrowLeft':
      return at(row, isFar ? 0 : column - 1);
    case 'PageDown':
      return at(row + bounds.page, column);
    case 'PageUp':
      return at(row - bounds.page, column);
    case 'Home':
      return at(isFar ? 0 : row, 0);
    case 'End':
      return at(isFar ? bounds.rowCount : row, bounds.columnCount);
    default:
      return null;
  }
}
