/** Tasks stay within the call while nothing has to be waited for, and end as async functions end. */
import { describe, expect, it } from 'vitest';
import { runTask, type Task, wait } from './task.ts';

function* sum(values: readonly (number | Promise<number>)[], ended: string[] = []): Task<number> {
  try {
    let total = 0;
    for (const value of values) total += yield* wait(value);
    return total;
  } finally {
    ended.push('ended');
  }
}

describe('a task', () => {
  it('ends within the call when nothing has to be waited for', () => {
    expect(runTask(sum([1, 2, 3]))).toBe(6);
  });

  it('ends later when it waits', async () => {
    const later = runTask(sum([1, Promise.resolve(2), 3]));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(6);
  });

  it('throws in the call before it waits, rejects after it', async () => {
    function* failing(first: void | Promise<void>): Task<void> {
      yield* wait(first);
      throw new Error('failed');
    }
    expect(() => runTask(failing(undefined))).toThrow('failed');
    await expect(runTask(failing(Promise.resolve()))).rejects.toThrow('failed');
  });

  it('runs its finally when what it waits for is rejected', async () => {
    const ended: string[] = [];
    await expect(runTask(sum([Promise.reject(new Error('lost'))], ended))).rejects.toThrow('lost');
    expect(ended).toEqual(['ended']);
  });
});
