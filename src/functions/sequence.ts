/** Sequences, through the session's service of the function's name, and random identifiers. */
import type { Datum } from '../types/datum.ts';
import type { ScalarFunction } from './function.ts';

const VARIANT = ['8', '9', 'a', 'b'] as const;

/** Version 4: random but for the version and variant digits. */
function randomUuid(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  digits[12] = '4';
  digits[16] = VARIANT[Math.floor(random() * 4)] ?? '8';
  const text = digits.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  );
}

const sequence = (name: string, args: readonly string[], summary: string, call: string): ScalarFunction => ({
  name,
  args,
  returns: 'int8',
  volatility: 'volatile',
  summary,
  example: [`SELECT ${call} IS NOT NULL`, 't'],
  evaluateIn: (context, ...values: Datum[]) => context.service(name, ...values),
});

export const SEQUENCE_FUNCTIONS: readonly ScalarFunction[] = [
  sequence('nextval', ['regclass'], 'The next number of a sequence.', "nextval('films_id_seq')"),
  sequence('currval', ['regclass'], 'The number this session took last.', "currval('films_id_seq')"),
  sequence('setval', ['regclass', 'int8'], 'Sets the sequence.', "setval('films_id_seq', 1)"),
  sequence('setval', ['regclass', 'int8', 'bool'], 'Sets the sequence.', "setval('films_id_seq', 1, false)"),
  sequence('lastval', [], 'The number this session took last of any sequence.', 'lastval()'),
  {
    name: 'gen_random_uuid',
    args: [],
    returns: 'uuid',
    volatility: 'volatile',
    summary: 'A random UUID (version 4).',
    example: ['SELECT length(gen_random_uuid()::text)', '36'],
    evaluateIn: (context) => randomUuid(() => context.random()),
  },
];
