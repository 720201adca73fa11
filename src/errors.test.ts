/** Which error a client is told of, when more than one went wrong. */
import { describe, expect, it } from 'vitest';
import { firstError, SqlError, sqlErrorOf } from './errors.ts';

const overflow = (): never => overflow();
const failing = (error: Error): Disposable => ({
  [Symbol.dispose]() {
    throw error;
  },
});
const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the first of several errors is the one that is told', () => {
  const division = new SqlError('division_by_zero', 'division by zero');

  it('when disposals fail as well', () => {
    const thrown = thrownBy(() => {
      using _outer = failing(new Error('outer disposal'));
      using _inner = failing(new RangeError('inner disposal'));
      throw division;
    });
    expect(thrown).toBeInstanceOf(SuppressedError);
    expect(sqlErrorOf(thrown)).toBe(division);
  });

  it('when the stack is too small for the disposal too', () => {
    const thrown = thrownBy(() => {
      using _held = { [Symbol.dispose]: overflow };
      return overflow();
    });
    expect(thrown).toBeInstanceOf(SuppressedError);
    expect(sqlErrorOf(thrown)).toMatchObject({ sqlstate: '54001', message: 'stack depth limit exceeded' });
  });

  it('when several were waited for', async () => {
    const thrown: unknown = await Promise.any([Promise.reject(division)]).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AggregateError);
    expect(sqlErrorOf(thrown)).toBe(division);
  });

  it('and our own mistakes stay ours', () => {
    const ours = new TypeError('ours');
    const thrown = thrownBy(() => {
      using _held = failing(division);
      throw ours;
    });
    expect([firstError(thrown), sqlErrorOf(thrown)]).toEqual([ours, null]);
    expect(firstError(new AggregateError([]))).toBeInstanceOf(AggregateError);
  });
});
