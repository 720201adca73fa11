/** The time of day in microseconds, as PostgreSQL counts them, from two clocks that know a part of it each. */
import { UNIX_EPOCH_MS } from './epoch.ts';

/** Further apart than this, the time of day was set, or the two have drifted apart. */
const DRIFT_MS_MAX = 1;

/**
 * @param now the time of day in whole Unix milliseconds.
 * @param elapsed milliseconds with fractions that nobody sets.
 * @returns microseconds since 2000-01-01 UTC: never less than before unless the time of day was set back.
 */
export function microsecondClock(now: () => number, elapsed: () => number): () => bigint {
  let start = now() - elapsed();
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const [day, passed] = [now(), elapsed()];
    const ahead = start + passed - day;
    if (ahead < 0 || ahead > DRIFT_MS_MAX) start = day - passed;
    const time = start + passed;
    // The process may have waited between the two readings: then the day is read too early.
    if (time > last || last - time > 2 * DRIFT_MS_MAX) last = time;
    return BigInt(Math.floor((last - UNIX_EPOCH_MS) * 1000));
  };
}
