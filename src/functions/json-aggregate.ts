/** JSON aggregates: arrays and objects of every row's value. Source: PostgreSQL 18, section 9.21. */
import { SqlError } from '../errors.ts';
import type { RecordDatum } from '../types/datum.ts';
import { formatJsonb, type JsonValue } from '../types/json.ts';
import type { AggregateFunction, FunctionContext } from './function.ts';
import { jsonOfDatum } from './json-values.ts';

interface Rows {
  readonly rows: RecordDatum[];
}

const init = (): Rows => ({ rows: [] });
const step = (state: Rows, row: RecordDatum): Rows => {
  state.rows.push(row);
  return state;
};

const valueAt = (context: FunctionContext, row: RecordDatum, i: number): JsonValue =>
  jsonOfDatum(row.fields[i] ?? null, row.types[i] as number, context.settings);

function entry(context: FunctionContext, row: RecordDatum): [string, JsonValue] {
  const name = valueAt(context, row, 0);
  if (name === null) throw new SqlError('null_value_not_allowed', 'field name must not be null');
  return [typeof name === 'string' ? name : formatJsonb(name), valueAt(context, row, 1)];
}

/** json keeps every member in order, jsonb the last of each name. */
function objectText(kind: string, entries: readonly [string, JsonValue][]): string {
  if (kind === 'jsonb') return formatJsonb(new Map(entries));
  return `{ ${entries.map(([name, value]) => `${JSON.stringify(name)} : ${formatJsonb(value)}`).join(', ')} }`;
}

export const JSON_AGGREGATES: readonly AggregateFunction[] = (['json', 'jsonb'] as const).flatMap(
  (kind): AggregateFunction[] => [
    {
      name: `${kind}_agg`,
      args: ['...any'],
      argsMax: 1,
      returns: kind,
      strict: false,
      summary: 'All values, NULLs too, as a JSON array.',
      example: [`SELECT ${kind}_agg(x) FROM (VALUES (1), (2)) AS t(x)`, '[1, 2]'],
      init,
      step,
      final: ({ rows }: Rows, context) =>
        rows.length === 0 ? null : formatJsonb(rows.map((row) => valueAt(context, row, 0))),
    },
    {
      name: `${kind}_object_agg`,
      args: ['...any'],
      argsMax: 2,
      returns: kind,
      strict: false,
      summary: 'Names and values as a JSON object.',
      example: [
        `SELECT ${kind}_object_agg(k, v) FROM (VALUES ('a', 1)) AS t(k, v)`,
        kind === 'json' ? '{ "a" : 1 }' : '{"a": 1}',
      ],
      init,
      step,
      final: ({ rows }: Rows, context) =>
        rows.length === 0
          ? null
          : objectText(
              kind,
              rows.map((row) => entry(context, row)),
            ),
    },
  ],
);
