/** Bounds on what a statement holds. */
import { expect, test } from 'vitest';
import type { MemoryPool } from '../engine/engine.ts';
import { TextVector, vectorOf } from '../types/column/vector.ts';
import { Account } from './account.ts';
import { datumBytes } from '../types/held-bytes.ts';
import { HeldRows } from './held-rows.ts';

const MB = 1024 * 1024;

class Pool implements MemoryPool {
  readonly limit: number;
  claimed = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  claim(bytes: number): boolean {
    if (this.claimed + bytes > this.limit) return false;
    this.claimed += bytes;
    return true;
  }

  release(bytes: number): void {
    this.claimed -= bytes;
  }
}

const outOfMemory = expect.objectContaining({ condition: 'out_of_memory' });

test('rows are counted by their bytes, too many are told, and all is given back', () => {
  const pool = new Pool(8 * MB);
  {
    using account = new Account(pool);
    using held = new HeldRows(account);
    const numbers = { length: MB / 4, columns: [vectorOf('int32', new Array<number>(MB / 4).fill(1))] };
    held.add(numbers);
    expect(pool.claimed).toBe(0);
    held.add(numbers);
    expect(pool.claimed).toBe(MB);
    const texts = { length: 1, columns: [TextVector.fromStrings(['a'.repeat(4 * MB)])] };
    expect(() => held.add(texts)).toThrow(outOfMemory);
    held.clear();
    held.add({ length: 1, columns: [TextVector.fromStrings(['a'.repeat(3 * MB)])] });
    expect(pool.claimed).toBeGreaterThan(2 * MB);
  }
  expect(pool.claimed).toBe(0);
});

test('statements share what there is', () => {
  const pool = new Pool(8 * MB);
  using one = new Account(pool);
  using other = new Account(pool);
  using third = new Account(pool);
  one.hold(4 * MB);
  other.hold(4 * MB);
  third.hold(MB);
  expect(() => third.hold(3 * MB)).toThrow(outOfMemory);
  one.release(4 * MB);
  third.hold(2 * MB);
});

test('an array is measured by some of its elements', () => {
  const elements = new Array<string>(100_000).fill('x'.repeat(10));
  const bytes = datumBytes({ datum: 'array', elementType: 25, dimensions: [], elements });
  expect(bytes).toBeGreaterThan(4_000_000);
  expect(bytes).toBeLessThan(8_000_000);
});
