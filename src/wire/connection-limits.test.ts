/** Connections that fit under the system's bound of open files. */
import { expect, it } from 'vitest';
import { connectionLimits } from './connection-limits.ts';

it('takes all where it may, fewer where it must, and does not start where that serves nobody', () => {
  expect(connectionLimits(Number.POSITIVE_INFINITY)).toEqual({ signedIn: 2000, waiting: 1200, http: 200 });
  const { signedIn, waiting, http } = connectionLimits(1024);
  expect(signedIn + waiting + http).toBeLessThanOrEqual(1024 - 128);
  expect(signedIn).toBeGreaterThan(400);
  expect(() => connectionLimits(32)).toThrow(/32 files open/);
});
