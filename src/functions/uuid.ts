/** Universally unique identifiers. Source: PostgreSQL 18, section 9.14. */
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

export const UUID_FUNCTIONS: readonly ScalarFunction[] = [
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
