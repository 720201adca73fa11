/** Civil dates and zones against JavaScript's own Date and known transitions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { civilFromDays, dayOfWeek, daysFromCivil } from './calendar.ts';
import { isTimeZone, localToInstant, zoneNamed, zoneOffset } from './zone.ts';

const micros = (iso: string): bigint => (BigInt(Date.parse(iso)) - BigInt(Date.UTC(2000, 0, 1))) * 1000n;

test('days and civil dates agree with Date', () => {
  fc.assert(
    fc.property(fc.integer({ min: -2_000_000, max: 90_000_000 }), (days) => {
      const date = new Date(Date.UTC(2000, 0, 1) + days * 86_400_000);
      const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
      expect(civilFromDays(days)).toEqual(civil);
      expect(daysFromCivil(civil.year, civil.month, civil.day)).toBe(days);
      expect(dayOfWeek(days)).toBe(date.getUTCDay());
    }),
  );
});

test.each([
  ['UTC', '2024-07-01T00:00:00Z', 0],
  ['America/New_York', '2024-07-01T00:00:00Z', -4 * 3600],
  ['America/New_York', '2024-01-01T00:00:00Z', -5 * 3600],
  ['America/New_York', '1850-01-01T00:00:00Z', -(4 * 3600 + 56 * 60 + 2)],
  ['Asia/Kolkata', '2024-01-01T00:00:00Z', 5.5 * 3600],
  ['<-08>+08', '2024-01-01T00:00:00Z', -8 * 3600],
  ['UTC+3', '2024-01-01T00:00:00Z', -3 * 3600],
  [zoneNamed('PST'), '2024-07-01T00:00:00Z', -8 * 3600],
  ['ABC3DEF', '2024-07-01T00:00:00Z', -2 * 3600],
])('offset of %s at %s', (zone, instant, seconds) => {
  expect(zoneOffset(zone, micros(instant))).toBe(seconds);
});

test('skipped and repeated local times', () => {
  const at = (local: string): bigint => localToInstant('America/New_York', micros(`${local}Z`));
  expect(at('2024-03-10T02:30:00')).toBe(micros('2024-03-10T07:30:00Z'));
  expect(at('2024-11-03T01:30:00')).toBe(micros('2024-11-03T06:30:00Z'));
  expect(isTimeZone('Mars/Olympus')).toBe(false);
});
