/** `quern collection …`: collections and their schemas. */
import { readFileSync } from 'node:fs';
import type { Collection } from '../../typescript/src/collections.ts';
import { identifier } from '../../typescript/src/wire/names.ts';
import { UsageError } from '../errors.ts';
import { confirmed } from '../input.ts';
import type { Call } from '../running.ts';
import { asking, type ServerOptions } from '../server.ts';
import { printList } from '../table.ts';
import { print, printJson } from '../terminal.ts';

const COLUMNS =
  'SELECT name, region, created_at, fields, undeclared FROM quern.collections WHERE schema = current_schema()';

interface Field {
  readonly name: string;
  readonly sql: string;
  readonly required?: boolean;
  readonly indexes?: readonly { readonly kind: string }[];
}

export const listCollections = (call: Call<ServerOptions>): Promise<number | undefined> =>
  asking(call, async (client) => {
    const rows = await client.collections().list();
    printList(
      call.options.output,
      rows.map(({ name, region, createdAt, schema }: Collection) => ({
        name,
        region,
        created_at: createdAt,
        fields: Object.keys(schema).length,
      })),
    );
    return undefined;
  });

export const getCollection = (call: Call<ServerOptions>, name: string): Promise<number | undefined> =>
  asking(call, async (client) => {
    const { createdAt } = await client.collections().get(name);
    const [row] = await client.sql(`${COLUMNS} AND name = $1`, [name]);
    if (call.options.output === 'json') printJson({ ...row, created_at: createdAt });
    else printFields((row?.fields ?? []) as Field[]);
    return undefined;
  });

function printFields(fields: readonly Field[]): void {
  printList(
    'text',
    fields.map(({ name, sql, required = false, indexes = [] }) => ({
      field: name,
      type: sql,
      required: required ? 'yes' : '',
      indexes: indexes.map(({ kind }) => kind).join(', '),
    })),
  );
}

interface CreateOptions extends ServerOptions {
  readonly schema?: string;
}

/** The schema is the columns of CREATE TABLE, as text or in a file. */
export const createCollection = (call: Call<CreateOptions>, name: string): Promise<number | undefined> =>
  asking(call, async (client) => {
    const { options } = call;
    const columns = options.schema === undefined ? '' : columnsOf(options.schema);
    await client.sql(`CREATE TABLE ${identifier(name)} (_id TEXT${columns === '' ? '' : `, ${columns}`})`);
    if (options.output === 'json') printJson({ created: name });
    else print(`created ${name}`);
    return undefined;
  });

function columnsOf(given: string): string {
  if (!given.startsWith('@')) return given;
  try {
    return readFileSync(given.slice(1), 'utf8').trim();
  } catch (error) {
    throw new UsageError(`${given.slice(1)} cannot be read: ${(error as Error).message}`);
  }
}

export const deleteCollection = (
  call: Call<ServerOptions & { readonly yes?: boolean }>,
  name: string,
): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    await confirmed(`Delete collection ${name} with all its documents?`, call.options, signal);
    await client.collections().delete(name);
    if (call.options.output === 'json') printJson({ deleted: name });
    else print(`deleted ${name}`);
    return undefined;
  });
