/**
 * Functions that wait, and advisory locks. Source: PostgreSQL 18, sections 9.9.5 "Delaying Execution" and
 * 9.28.10 "Advisory Lock Functions".
 */
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum, IntervalDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';
import type { AdvisoryLockKey } from '../services.ts';

const DAY_SECONDS = 86_400;

function secondsOf({ months, days, micros }: IntervalDatum): number {
  return (months * 30 + days) * DAY_SECONDS + Number(micros) / 1e6;
}

async function sleep({ services }: FunctionContext, seconds: number): Promise<Datum> {
  await services.session.sleep(seconds);
  return '';
}

const SLEEPS: readonly ScalarFunction[] = [
  {
    name: 'pg_sleep',
    args: ['float8'],
    returns: 'void',
    volatility: 'volatile',
    effect: 'none',
    summary: 'Waits for so many seconds.',
    example: ['SELECT pg_sleep(0)', ''],
    evaluateLater: sleep,
  },
  {
    name: 'pg_sleep_for',
    args: ['interval'],
    returns: 'void',
    volatility: 'volatile',
    effect: 'none',
    summary: 'Waits for an interval.',
    example: ["SELECT pg_sleep_for('1 millisecond')", ''],
    evaluateLater: (context, time: IntervalDatum) => sleep(context, secondsOf(time)),
  },
  {
    name: 'pg_sleep_until',
    args: ['timestamptz'],
    returns: 'void',
    volatility: 'volatile',
    effect: 'none',
    summary: 'Waits until a moment.',
    example: ['SELECT pg_sleep_until(now())', ''],
    evaluateLater: (context, until: bigint) => sleep(context, Number(until - context.clockMicros()) / 1e6),
  },
];

const KEYS = [
  { args: ['int8'], locked: '1', free: '3' },
  { args: ['int4', 'int4'], locked: '1, 2', free: '3, 4' },
] as const;

const FORMS = [
  { suffix: '', mode: 'exclusive', which: 'an advisory lock' },
  { suffix: '_shared', mode: 'share', which: 'a shared advisory lock' },
] as const;

const HOLDERS = [
  { infix: '', until: 'session', text: 'until it is unlocked or the session ends' },
  { infix: '_xact', until: 'transaction', text: 'to the end of the transaction' },
] as const;

type KeyRow = Pick<ScalarFunction, 'effect' | 'returns' | 'summary' | 'evaluateIn' | 'evaluateLater'>;

/** One row for each way to give the key. @param example which key it shows, and the answer. */
const forKeys = (
  name: string,
  row: KeyRow,
  example: { readonly key: 'locked' | 'free'; readonly answer: string },
): ScalarFunction[] =>
  KEYS.map(({ args, [example.key]: key }) => ({
    name,
    args,
    volatility: 'volatile',
    example: [`SELECT ${name}(${key})`, example.answer],
    ...row,
  }));

const LOCKS: readonly ScalarFunction[] = FORMS.flatMap(({ suffix, mode, which }) =>
  HOLDERS.flatMap(({ infix, until, text }) => {
    const name = `pg_advisory${infix}_lock${suffix}`;
    const attempt = `pg_try_advisory${infix}_lock${suffix}`;
    return [
      ...forKeys(
        name,
        {
          effect: 'server',
          returns: 'void',
          summary: `Takes ${which}, waiting if need be, ${text}.`,
          evaluateLater: async ({ services }, ...key: AdvisoryLockKey) => {
            await services.advisoryLocks.lock(key, { mode, until });
            return '';
          },
        },
        { key: 'locked', answer: '' },
      ),
      ...forKeys(
        attempt,
        {
          effect: 'server',
          returns: 'bool',
          summary: `Takes ${which} if it can be had at once, ${text}.`,
          evaluateIn: ({ services }, ...key: AdvisoryLockKey) =>
            services.advisoryLocks.tryLock(key, { mode, until }),
        },
        { key: 'locked', answer: 't' },
      ),
    ];
  }),
);

const UNLOCKS: readonly ScalarFunction[] = FORMS.flatMap(({ suffix, mode, which }) => {
  const name = `pg_advisory_unlock${suffix}`;
  return forKeys(
    name,
    {
      effect: 'session',
      returns: 'bool',
      summary: `Gives back ${which} of the session; false when it has none.`,
      evaluateIn: ({ services }, ...key: AdvisoryLockKey) => services.advisoryLocks.unlock(key, mode),
    },
    { key: 'free', answer: 'f' },
  );
});

export const WAITING_FUNCTIONS: readonly ScalarFunction[] = [
  ...SLEEPS,
  ...LOCKS,
  ...UNLOCKS,
  {
    name: 'pg_advisory_unlock_all',
    args: [],
    returns: 'void',
    volatility: 'volatile',
    effect: 'session',
    summary: 'Gives back all advisory locks of the session.',
    example: ['SELECT pg_advisory_unlock_all()', ''],
    evaluateIn: ({ services }) => {
      services.advisoryLocks.unlockAll();
      return '';
    },
  },
  {
    name: 'pg_blocking_pids',
    args: ['int4'],
    returns: '_int4',
    volatility: 'volatile',
    effect: 'none',
    summary: 'The sessions that a session waits for.',
    example: ['SELECT pg_blocking_pids(pg_backend_pid())', '{}'],
    evaluateIn: ({ services }, process: number) => arrayDatum(OID.int4, services.session.blockers(process)),
  },
];
