/** Numbers of the server, for those who may see them: by a key, unless the configuration opens them. */
import { SqlError } from '../errors.ts';
import { bearerKey } from './bearer.ts';
import { Refusal } from './refusal.ts';

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: number;
}

export interface MetricsDoor {
  readonly read: () => readonly Metric[];
  /** Passes a key whose role may see them; null: anybody may. @throws SqlError 28P01, 42501, 57P03. */
  readonly check: ((key: string, peer: string) => Promise<void>) | null;
}

/** By condition: what the check ends with. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_password: 401,
  insufficient_privilege: 403,
  cannot_connect_now: 429,
};

/** @throws Refusal 401, 403, 429. */
export async function readMetrics(
  { read, check }: MetricsDoor,
  authorization: string | undefined,
  peer: string,
): Promise<string> {
  if (check !== null) await requireKey(check, authorization, peer);
  return read().map(exposition).join('');
}

async function requireKey(
  check: NonNullable<MetricsDoor['check']>,
  authorization: string | undefined,
  peer: string,
): Promise<void> {
  const hint = 'Of a role that is a member of pg_monitor; --metrics open takes the need away.';
  const key = bearerKey(authorization, hint);
  try {
    await check(key, peer);
  } catch (error) {
    const status = error instanceof SqlError ? STATUSES[error.condition] : undefined;
    if (!(error instanceof SqlError) || status === undefined) throw error;
    throw new Refusal(status, error.message, error.fields.hint ?? null);
  }
}

/** Prometheus' text format, version 0.0.4. */
function exposition({ name, help, type, value }: Metric): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;
}
