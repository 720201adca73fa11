/**
 * Documents as a request, through a socket: values of every type come back as they were, declared or not, and updates
 * merge as a plain model in memory does. The rest is in `sql-tests/quern/documents.slt`.
 */
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  anyValue,
  DECLARED,
  type Document,
  readColumn,
  shown,
  type Value,
  written,
  writtenDocument,
} from '../fixtures/document-values.ts';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';

let server: InProcessServer;
let client: pg.Client;

beforeAll(async () => {
  server = await startInProcess('memory');
  client = new pg.Client({ ...server.address, types: { getTypeParser: () => (text: string) => text } });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await server?.[Symbol.asyncDispose]();
});

type Model = Map<string, Document>;

const UNDECLARED = ['u', 'v', 'w w'];
const id = fc.constantFrom('a', 'b', 'c', 'd', 'é', "'");
const orNull = (value: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.option(value, { nil: { type: 'null' } as const, freq: 6 });

const fields: fc.Arbitrary<readonly (readonly [string, Value])[]> = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom(...UNDECLARED), orNull(anyValue)),
    ...Object.entries(DECLARED).map(([column, value]) =>
      fc.tuple(fc.constant(column.split(' ')[0] ?? ''), orNull(value)),
    ),
  ),
  { maxLength: 8 },
);

const document: fc.Arbitrary<Document> = fc
  .tuple(id, fields)
  .map(([_id, given]) => new Map<string, Value>([['_id', { type: 'text', value: _id }], ...given]));

const step = fc.record({
  action: fc.constantFrom('upsert', 'update'),
  form: fc.constantFrom('text', 'jsonb', 'columns'),
  documents: fc.array(document, { minLength: 1, maxLength: 6 }),
});

const idOf = (given: Document): string => {
  const value = given.get('_id');
  return value?.type === 'text' ? value.value : '';
};

/** Deep merge: null removes. */
function merged(stored: Document, patch: Document): Document {
  const result = new Map(stored);
  for (const [name, value] of patch) {
    if (value.type === 'null') result.delete(name);
    else if (value.type === 'struct') {
      const old = result.get(name);
      result.set(name, {
        type: 'struct',
        value: merged(old?.type === 'struct' ? old.value : new Map(), value.value),
      });
    } else result.set(name, value);
  }
  return result;
}

/** A row as a document: what is NULL is missing, but for what `_nulls` names. */
function withItsNulls(row: Document): Document {
  const document = new Map([...row].filter(([name, value]) => value.type !== 'null' && name !== '_nulls'));
  const nulls = row.get('_nulls');
  for (const name of nulls?.type === 'list' ? nulls.value : []) {
    if (name.type === 'text' && !document.has(name.value)) document.set(name.value, { type: 'null' });
  }
  return document;
}

function apply(
  model: Model,
  { action, documents }: { action: string; documents: readonly Document[] },
): void {
  for (const given of documents) {
    const stored = model.get(idOf(given));
    if (action === 'upsert') model.set(idOf(given), given);
    else if (stored !== undefined) model.set(idOf(given), merged(stored, given));
  }
}

async function send(
  table: string,
  { action, form, documents }: { action: string; form: string; documents: readonly Document[] },
): Promise<string> {
  const texts = documents.map((given) => writtenDocument(given));
  if (form === 'columns' && action === 'upsert') return sendColumns(table, documents);
  const cast = form === 'jsonb' ? '::jsonb' : '';
  const sql = `SELECT lsn FROM quern.${action}($1, $2${cast})`;
  const { rows } = await client.query<{ lsn: string }>(sql, [table, `[${texts.join(',')}]`]);
  return rows[0]?.lsn ?? 'no row';
}

/** Every field as jsonb. */
async function sendColumns(table: string, documents: readonly Document[]): Promise<string> {
  const names = [...new Set(documents.flatMap((given) => [...given.keys()]))];
  const arrays = names.map((name) =>
    documents.map((given) => {
      const value = given.get(name);
      return value === undefined ? null : written(value);
    }),
  );
  const places = names.map((_, i) => `$${i + 3}::jsonb[]`).join(', ');
  const sql = `SELECT lsn FROM quern.upsert($1, $2::text[], ${places})`;
  const { rows } = await client.query<{ lsn: string }>(sql, [table, names, ...arrays]);
  return rows[0]?.lsn ?? 'no row';
}

async function stored(table: string): Promise<ReadonlyMap<string, string>> {
  const { rows, fields: columns } = await client.query({ text: `SELECT * FROM ${table}`, rowMode: 'array' });
  return new Map(
    rows.map((row: (string | null)[]): [string, string] => {
      const values = columns.map(({ name, dataTypeID }, i): [string, Value] => {
        return [name, readColumn(row[i] ?? null, dataTypeID)];
      });
      const read = withItsNulls(new Map(values));
      return [idOf(read), shown({ type: 'struct', value: read })];
    }),
  );
}

const shownModel = (model: Model): ReadonlyMap<string, string> =>
  new Map([...model].map(([key, value]) => [key, shown({ type: 'struct', value })]));

let tables = 0;

it('what is written is read, and merged as a model merges it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const table = `t${tables++}`;
      await client.query(`CREATE TABLE ${table} (_id text, ${Object.keys(DECLARED).join(', ')})`);
      const model: Model = new Map();
      let lsn = 0;
      for (const one of steps) {
        const known = one.action === 'upsert' || one.documents.some((given) => model.has(idOf(given)));
        apply(model, one);
        if (known) lsn++;
        expect(await send(table, one)).toBe(known ? String(lsn) : '');
        expect(await stored(table)).toEqual(shownModel(model));
      }
      await client.query(`DROP TABLE ${table}`);
    }),
    { numRuns: 15 },
  );
});
