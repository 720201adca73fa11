/** Runs without some rows, their bits made or not, against sets of positions. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../../seeded-random.ts';
import { bitPositions } from '../../../types/column/bitset.ts';
import { Head } from './head.ts';
import { shownRows, showsRow, withoutRows } from './hidden-rows.ts';
import type { Run } from './source.ts';

test.each([100, 40_000])('a run of %i rows shows those that were not hidden', (rowCount) => {
  const random = seededRandom(rowCount);
  const hidden = new Set<number>();
  let run: Run = { source: new Head(), rowCount, visible: null };
  for (let step = 0; step < 60; step++) {
    const positions = new Set<number>();
    while (positions.size < 1 + Math.floor(random() * 9)) {
      const position = Math.floor(random() * rowCount);
      if (hidden.has(position) || hidden.size > rowCount / 2) break;
      positions.add(position);
      hidden.add(position);
    }
    const before = run;
    const shownBefore = shownRows(before);
    run = withoutRows(run, [...positions]);
    expect(shownRows(run)).toBe(rowCount - hidden.size);
    for (const position of positions)
      expect([showsRow(before, position), showsRow(run, position)]).toEqual([true, false]);
    if (random() < 0.2)
      expect(bitPositions(run.visible, rowCount).some((row) => hidden.has(row))).toBe(false);
    expect(shownRows(before)).toBe(shownBefore);
  }
  const shown = Array.from({ length: rowCount }, (_, row) => row).filter((row) => !hidden.has(row));
  expect([...bitPositions(run.visible, rowCount)]).toEqual(shown);
  expect(shown.every((row) => showsRow(run, row))).toBe(true);
});
