/**
 * Parameters of WITH in CREATE TABLE, VIEW and MATERIALIZED VIEW, as PostgreSQL's reloptions.c knows them, and those of ours
 * (`shared_statistics`, `outside`). The others of tables are about storage that we do not have.
 */
import type { Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { WithOption } from '../../ast.ts';

type Values =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly words: readonly string[] }
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly whole: boolean };

const BOOLEAN: Values = { kind: 'boolean' };
const whole = (min: number, max: number): Values => ({ kind: 'number', min, max, whole: true });
const real = (min: number, max: number): Values => ({ kind: 'number', min, max, whole: false });
const INT_MAX = 2_147_483_647;

const VACUUM: Readonly<Record<string, Values>> = {
  autovacuum_enabled: BOOLEAN,
  autovacuum_vacuum_threshold: whole(0, INT_MAX),
  autovacuum_vacuum_max_threshold: whole(-1, INT_MAX),
  autovacuum_vacuum_insert_threshold: whole(-1, INT_MAX),
  autovacuum_analyze_threshold: whole(0, INT_MAX),
  autovacuum_vacuum_cost_limit: whole(1, 10_000),
  autovacuum_vacuum_cost_delay: real(0, 100),
  autovacuum_freeze_min_age: whole(0, 1_000_000_000),
  autovacuum_freeze_max_age: whole(100_000, 2_000_000_000),
  autovacuum_freeze_table_age: whole(0, 2_000_000_000),
  autovacuum_multixact_freeze_min_age: whole(0, 1_000_000_000),
  autovacuum_multixact_freeze_max_age: whole(10_000, 2_000_000_000),
  autovacuum_multixact_freeze_table_age: whole(0, 2_000_000_000),
  log_autovacuum_min_duration: whole(-1, INT_MAX),
  autovacuum_vacuum_scale_factor: real(0, 100),
  autovacuum_vacuum_insert_scale_factor: real(0, 100),
  autovacuum_analyze_scale_factor: real(0, 100),
  vacuum_index_cleanup: {
    kind: 'enum',
    words: ['auto', 'on', 'off', 'true', 'false', 'yes', 'no', '1', '0'],
  },
  vacuum_truncate: BOOLEAN,
  vacuum_max_eager_freeze_failure_rate: real(0, 1),
};

/** With it keyword scores count words of all rows of the table, not only of those that one sees. */
export const SHARED_STATISTICS = 'shared_statistics';
export const OUTSIDE = 'outside';

const OPTIONS: Readonly<Record<'table' | 'view', Readonly<Record<string, Values>>>> = {
  table: {
    ...VACUUM,
    fillfactor: whole(10, 100),
    toast_tuple_target: whole(128, 8160),
    parallel_workers: whole(0, 1024),
    user_catalog_table: BOOLEAN,
    [SHARED_STATISTICS]: BOOLEAN,
    [OUTSIDE]: BOOLEAN,
  },
  view: {
    security_barrier: BOOLEAN,
    security_invoker: BOOLEAN,
    check_option: { kind: 'enum', words: ['local', 'cascaded'] },
  },
};

/** @throws SqlError 22023 for what PostgreSQL does not know, or not with that value. */
export function checkRelationOptions(of: keyof typeof OPTIONS, options: readonly WithOption[]): void {
  const seen = new Set<string>();
  for (const { name, value } of options) {
    if (seen.has(name)) throw wrong(`parameter "${name}" specified more than once`);
    seen.add(name);
    // Tables of old dumps say that they have no oids.
    if (of === 'table' && name === 'oids' && /^(false|off)$/i.test(value)) continue;
    const [last = '', space] = name.split('.').reverse();
    if (space !== undefined && space !== 'toast') {
      throw wrong(`unrecognized parameter namespace "${space}"`);
    }
    if (space !== undefined && of === 'view') continue;
    const known = space === undefined ? OPTIONS[of] : VACUUM;
    const values = Object.hasOwn(known, last) ? known[last] : undefined;
    if (values === undefined) throw wrong(`unrecognized parameter "${last}"`);
    checkValue(last, value, values);
  }
}

/** Options of a table that change anything, as the catalog has them. */
export function tableOptions(
  options: readonly WithOption[],
): Partial<Pick<Relation, 'sharedStatistics' | 'staysHere'>> {
  return {
    ...(isOptionOn(options, SHARED_STATISTICS) === true && { sharedStatistics: true }),
    ...(isOptionOn(options, OUTSIDE) === false && { staysHere: true }),
  };
}

/** Null where the options do not say. */
function isOptionOn(options: readonly WithOption[], name: string): boolean | null {
  const own = options.find((option) => option.name === name);
  return own === undefined ? null : isOn(own);
}

export const isOn = ({ value }: WithOption): boolean => /^(t|y|on|1)/i.test(value);

function checkValue(name: string, value: string, values: Values): void {
  if (values.kind === 'boolean') {
    if (/^(t(rue?)?|f(a(l(se?)?)?)?|y(es?)?|no?|on|off?|1|0)$/i.test(value)) return;
    throw wrong(`invalid value for boolean option "${name}": ${value}`);
  }
  if (values.kind === 'enum') {
    if (values.words.includes(value.toLowerCase())) return;
    const words = values.words.slice(0, 3).map((word) => `"${word}"`);
    const last = words.pop();
    const detail = `Valid values are ${words.join(', ')}${words.length > 1 ? ',' : ''} and ${last}.`;
    throw wrong(`invalid value for enum option "${name}": ${value}`, detail);
  }
  const { min, max } = values;
  const number = Number(value);
  if (value.trim() === '' || (values.whole ? !Number.isInteger(number) : !Number.isFinite(number))) {
    const type = values.whole ? 'integer' : 'floating point';
    throw wrong(`invalid value for ${type} option "${name}": ${value}`);
  }
  if (number >= min && number <= max) return;
  const [low, high] = values.whole ? [min, max] : [min.toFixed(6), max.toFixed(6)];
  const detail = `Valid values are between "${low}" and "${high}".`;
  throw wrong(`value ${value} out of bounds for option "${name}"`, detail);
}

const wrong = (message: string, detail?: string): SqlError =>
  new SqlError('invalid_parameter_value', message, detail === undefined ? {} : { detail });
