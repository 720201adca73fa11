/** The collections of a server. */
import { createSql, schemaOf } from './ddl.ts';
import { CollectionNotFoundError } from './errors.ts';
import type { Schema } from './schema.ts';
import type { Connection, Rows } from './wire/connection.ts';
import { checkName, identifier } from './wire/names.ts';

/** A collection as it was declared. */
export interface Collection<S extends Schema = Schema> {
  readonly name: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly region: string;
  readonly schema: S;
  readonly createdAt: string;
}

const COLUMNS =
  'SELECT name, org_id, project_id, region, fields, created_at FROM quern.collections WHERE schema = current_schema()';

export class CollectionsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @throws CollectionNotFoundError */
  async get(name: string): Promise<Collection> {
    const params = [checkName('collection', name)];
    const found = collectionsOf(
      await this.#connection.run({ sql: `${COLUMNS} AND name = $1::text`, params }),
    );
    const [collection] = found;
    if (collection !== undefined) return collection;
    throw new CollectionNotFoundError(`collection ${JSON.stringify(name)} does not exist`, {
      sqlstate: '42P01',
      kind: 'collection_not_found',
    });
  }

  async list(): Promise<Collection[]> {
    return collectionsOf(await this.#connection.run({ sql: `${COLUMNS} ORDER BY name`, params: [] }));
  }

  /** @throws CollectionAlreadyExistsError, SchemaValidationError */
  async create<S extends Schema>(name: string, schema: S): Promise<Collection<S>> {
    const sql = createSql(checkName('collection', name), schema);
    await this.#connection.run({ sql, params: [] }, { repeatable: false });
    return (await this.get(name)) as Collection<S>;
  }

  /** @throws CollectionNotFoundError */
  async delete(name: string): Promise<void> {
    const sql = `DROP TABLE ${identifier(checkName('collection', name))}`;
    await this.#connection.run({ sql, params: [] }, { repeatable: false });
  }
}

const collectionsOf = ({ values }: Rows): Collection[] =>
  values.map(([name, orgId, projectId, region, schema, createdAt]) => ({
    name: String(name),
    orgId: String(orgId ?? ''),
    projectId: String(projectId ?? ''),
    region: String(region),
    schema: schemaOf(schema as Parameters<typeof schemaOf>[0]),
    createdAt: new Date(Number(createdAt)).toISOString(),
  }));
