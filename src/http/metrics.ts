/** Numbers of the server, for those who may see them: by a key, unless the configuration opens them. */
import { bearerKey } from './bearer.ts';
import { answerText, type Route } from './exchange.ts';

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

export const metricsRoute = ({ read, check }: MetricsDoor): Route => ({
  method: 'GET',
  path: '/metrics',
  ...(check === null && { guard: 'name' }),
  async answer(exchange) {
    const { request, caller } = exchange;
    if (check !== null) await requireKey(check, request.headers.authorization, caller.peer);
    answerText(exchange, read().map(exposition).join(''));
  },
});

/** @throws Refusal 401; what the check ends with. */
async function requireKey(
  check: NonNullable<MetricsDoor['check']>,
  authorization: string | undefined,
  peer: string,
): Promise<void> {
  const hint = 'Of a role that is a member of pg_monitor; --metrics open takes the need away.';
  const key = bearerKey(authorization, hint);
  await check(key, peer);
}

/** Prometheus' text format, version 0.0.4. */
function exposition({ name, help, type, value }: Metric): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;
}
