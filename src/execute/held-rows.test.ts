/** Bounds on what a statement holds. */
import { expect, test } from 'vitest';
import { TextVector, vectorOf } from '../types/vector.ts';
import { HeldRows } from './held-rows.ts';

test('rows are counted by their bytes, and too many are told', () => {
  const held = new HeldRows(1_000);
  const numbers = { length: 100, columns: [vectorOf('int32', new Array<number>(100).fill(1))] };
  held.add(numbers);
  held.add(numbers);
  const texts = { length: 2, columns: [TextVector.fromStrings(['a'.repeat(100), 'b'.repeat(100)])] };
  expect(() => held.add(texts)).toThrow(expect.objectContaining({ condition: 'out_of_memory' }));
  held.clear();
  held.add(texts);
});
