/** Microseconds that go on between milliseconds, and follow the time of day when it is set. */
import { expect, it } from 'vitest';
import { UNIX_EPOCH_MS } from './epoch.ts';
import { microsecondClock } from './clock.ts';

it('counts microseconds between the ticks of the day', () => {
  let [day, passed] = [UNIX_EPOCH_MS + 5, 100.25];
  const clock = microsecondClock(
    () => day,
    () => passed,
  );
  expect(clock()).toBe(5000n);
  passed += 0.004;
  expect(clock()).toBe(5004n);
  passed += 0.9;
  day += 1;
  expect(clock()).toBe(6000n);
});

it('follows the day when it is set', () => {
  let [day, passed] = [UNIX_EPOCH_MS, 0];
  const clock = microsecondClock(
    () => day,
    () => passed,
  );
  day += 60_000;
  expect(clock()).toBe(60_000_000n);
  day -= 30_000;
  passed += 0.5;
  expect(clock()).toBe(30_000_000n);
});

it('is never behind the day, and never runs back by itself', () => {
  const clock = microsecondClock(Date.now, () => performance.now());
  let before = clock();
  const fractions = new Set<bigint>();
  for (let i = 0; i < 20_000; i++) {
    const day = Date.now();
    const time = clock();
    expect(time >= before).toBe(true);
    expect(time >= BigInt(day - UNIX_EPOCH_MS - 5000) * 1000n).toBe(true);
    fractions.add(time % 1000n);
    before = time;
  }
  expect(fractions.size).toBeGreaterThan(5);
});
