/** Properties of a document's blocks. */
import { expect, it } from 'vitest';
import { cellText, type Paragraph, pagesBetween, type Table } from './document.ts';
import { PlacedTextBuilder } from './placed-text.ts';

it('names the pages of a range of words', () => {
  const builder = new PlacedTextBuilder();
  builder.word('one', 3, [0, 0, 1, 1]);
  builder.gap(' ');
  builder.word('two-', 3, [0, 0, 1, 1]);
  builder.takeBack('-');
  builder.word('fold', 4, [0, 0, 1, 1]);
  const block: Paragraph = { kind: 'paragraph', page: 3, ...builder.build() };
  expect(block.text).toBe('one twofold');
  expect([...(block.words?.ends ?? [])]).toEqual([3, 7, 11]);
  expect(pagesBetween(block, 0, 3)).toEqual([3]);
  expect(pagesBetween(block, 4, 11)).toEqual([3, 4]);
  expect(pagesBetween({ ...block, words: null }, 0, 3)).toEqual([3]);
  expect(pagesBetween({ ...block, words: null, page: 0 }, 0, 3)).toEqual([]);
});

it('gives the text of a cell', () => {
  const cell = { row: 0, column: 1, rowEnd: 0, columnEnd: 1, start: 2, end: 3 };
  const table: Table = {
    kind: 'table',
    page: 0,
    text: 'a\tb',
    words: null,
    rowCount: 1,
    columnCount: 2,
    headerRowCount: 0,
    cells: [cell],
    caption: null,
    unit: null,
    areas: [],
  };
  expect(cellText(table, cell)).toBe('b');
});
