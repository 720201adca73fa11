/** `quern collection …`: collections and their schemas. */
import { readFileSync } from 'node:fs';
import type { Collection } from '../../typescript/src/collections.ts';
import { asking, type ServerOptions, UsageError } from '../session.ts';
import { print, printJson, printList } from '../terminal.ts';
import { confirmed } from './datasets.ts';
import { identifier } from '../../typescript/src/wire/names.ts';

const COLUMNS =
  'SELECT name, region, created_at, fields, undeclared FROM quern.collections WHERE schema = current_schema()';

interface Field {
  readonly name: string;
  readonly sql: string;
  readonly required?: boolean;
  readonly indexes?: readonly { readonly kind: string }[];
}

export const listCollections = (options: ServerOptions): Promise<number> =>
  asking(options, async (client) => {
    const rows = await client.collections().list();
    printList(
      options.output,
      rows.map(({ name, region, createdAt, schema }: Collection) => ({
        name,
        region,
        created_at: createdAt,
        fields: Object.keys(schema).length,
      })),
    );
    return undefined;
  });

export const getCollection = (name: string, options: ServerOptions): Promise<number> =>
  asking(options, async (client) => {
    await client.collections().get(name);
    const [row] = await client.sql(`${COLUMNS} AND name = $1`, [name]);
    if (options.output === 'json') printJson(row);
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
export const createCollection = (name: string, options: CreateOptions): Promise<number> =>
  asking(options, async (client) => {
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
  name: string,
  options: ServerOptions & { readonly yes?: boolean },
): Promise<number> =>
  asking(options, async (client) => {
    await confirmed(`Delete collection ${name} with all its documents?`, options);
    await client.collections().delete(name);
    if (options.output === 'json') printJson({ deleted: name });
    else print(`deleted ${name}`);
    return undefined;
  });
