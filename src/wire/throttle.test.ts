/** Slowing of repeated wrong passwords. */
import { expect, it } from 'vitest';
import { PasswordThrottle } from './throttle.ts';

it('waits longer after each failure, forgets on success and after a while', () => {
  let now = 0;
  const throttle = new PasswordThrottle(() => now);
  const delays: number[] = [];
  for (let i = 0; i < 12; i++) {
    delays.push(throttle.delayMs('a'));
    throttle.failed('a');
  }
  expect(delays.slice(0, 6)).toEqual([0, 0, 0, 200, 400, 800]);
  expect(throttle.delayMs('a')).toBe(10_000);
  expect(throttle.delayMs('b')).toBe(0);
  now = 16 * 60_000;
  expect(throttle.delayMs('a')).toBe(0);
  for (let i = 0; i < 5; i++) throttle.failed('b');
  throttle.succeeded('b');
  expect(throttle.delayMs('b')).toBe(0);
});
