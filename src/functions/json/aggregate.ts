/** JSON aggregates: arrays and objects of every row's value. Source: PostgreSQL 18, section 9.21. */
import { SqlError } from '../../errors.ts';
import type { RecordDatum } from '../../types/datum.ts';
import { formatJsonb, type JsonValue } from '../../types/json/json.ts';
import { OID } from '../../types/oids.ts';
import type { AggregateFunction, FunctionContext } from '../function.ts';
import { checkValueBytes, weightOf } from '../../types/weight.ts';
import { jsonOfDatum } from './values.ts';
import { checkKey, writeJson, writeKey, writeMembers } from './write.ts';

interface Rows {
  readonly rows: RecordDatum[];
  bytes: number;
}

const init = (): Rows => ({ rows: [], bytes: 0 });
/** @throws SqlError 54000 when there is too much for one document. */
const step = (state: Rows, row: RecordDatum): Rows => {
  state.bytes += weightOf(row);
  checkValueBytes(state.bytes);
  state.rows.push(row);
  return state;
};

/** A value of json_agg as it is written, rows and arrays after a line break. */
function written({ settings }: FunctionContext, rows: readonly RecordDatum[]): string {
  const items = rows.map(({ fields: [field = null], types: [type = OID.text] }, i) => {
    const text = writeJson(field, type, settings);
    const nests = typeof field === 'object' && field !== null && 'datum' in field && NESTS.has(field.datum);
    return i > 0 && nests ? `\n ${text}` : text;
  });
  return `[${items.join(', ')}]`;
}

const NESTS: ReadonlySet<string> = new Set(['array', 'record']);

const valueAt = (context: FunctionContext, row: RecordDatum, i: number): JsonValue =>
  jsonOfDatum(row.fields[i] ?? null, row.types[i] as number, context.settings);

function checkName({ fields: [name = null] }: RecordDatum, kind: 'json' | 'jsonb'): void {
  if (name !== null) return;
  if (kind === 'jsonb') throw new SqlError('invalid_parameter_value', 'field name must not be null');
  throw new SqlError('null_value_not_allowed', 'null value not allowed for object key');
}

/** json keeps every member in order, jsonb the last of each name. */
function objectText(kind: 'json' | 'jsonb', rows: readonly RecordDatum[], context: FunctionContext): string {
  for (const row of rows) checkName(row, kind);
  if (kind === 'jsonb') {
    return formatJsonb(
      new Map(
        rows.map((row): [string, JsonValue] => {
          checkKey(row.fields[0] ?? null, row.types[0] ?? OID.text);
          const name = valueAt(context, row, 0);
          return [typeof name === 'string' ? name : formatJsonb(name), valueAt(context, row, 1)];
        }),
      ),
    );
  }
  const { settings } = context;
  const members = rows.map(({ fields, types }) => {
    const name = writeKey(fields[0] ?? null, types[0] ?? OID.text, settings);
    return [name, writeJson(fields[1] ?? null, types[1] ?? OID.text, settings)] as const;
  });
  return `{ ${writeMembers(members)} }`;
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
      gathers: true,
      init,
      step,
      final: ({ rows }: Rows, context) => {
        if (rows.length === 0) return null;
        return kind === 'json'
          ? written(context, rows)
          : formatJsonb(rows.map((row) => valueAt(context, row, 0)));
      },
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
      gathers: true,
      init,
      step,
      final: ({ rows }: Rows, context) => (rows.length === 0 ? null : objectText(kind, rows, context)),
    },
  ],
);
