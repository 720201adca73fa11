/** Slowing of repeated wrong keys. */
import { expect, it } from 'vitest';
import { PasswordThrottle } from './password-throttle.ts';

it('waits longer after each failure, one after the other, and sends away who would wait too long', () => {
  let now = 0;
  const throttle = new PasswordThrottle(() => now);
  const delays: number[] = [];
  for (let i = 0; i < 6; i++) {
    delays.push(throttle.begin('a'));
    now += delays.at(-1) as number;
  }
  expect(delays).toEqual([0, 0, 0, 200, 400, 800]);
  expect(throttle.begin('b')).toBe(0);
});

it('a thousand at once wait as a thousand in a row do', () => {
  const throttle = new PasswordThrottle(() => 0);
  const waits: number[] = [];
  let refused = 0;
  for (let i = 0; i < 1000; i++) {
    try {
      waits.push(throttle.begin('a'));
    } catch (error) {
      expect(error).toMatchObject({ condition: 'cannot_connect_now' });
      refused++;
    }
  }
  expect(waits).toEqual([0, 0, 0, 200, 600, 1400, 3000, 6200, 12_600]);
  expect(refused).toBe(991);
});

it('a right key takes its own try back, and not those of others; quiet networks are forgotten', () => {
  let now = 0;
  const throttle = new PasswordThrottle(() => now);
  for (let i = 0; i < 5; i++) throttle.begin('a');
  throttle.succeeded('a');
  expect(throttle.begin('a')).toBeGreaterThan(0);
  now += 16 * 60_000;
  expect(throttle.begin('a')).toBe(0);
});

it('knows a network under all its addresses', () => {
  const throttle = new PasswordThrottle(() => 0);
  for (let i = 0; i < 3; i++) throttle.begin('10.0.0.1');
  expect(throttle.begin('::ffff:10.0.0.1')).toBe(200);
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'])
    throttle.begin(address);
  expect(throttle.begin('2001:db8:1:2::ffff')).toBe(200);
  expect(throttle.begin('2001:db8:1:3::1')).toBe(0);
});
