/** The collections of a server. */
import { addedSql, createIndexSql, createSql, fieldsOf, indexNameOf, schemaOf } from './ddl.ts';
import { CollectionNotFoundError } from './errors.ts';
import type { FieldIndex, Schema } from './schema.ts';
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

  /** @internal */
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

  /** Adds a field with its indexes; documents that are there lack it, so it cannot be required. */
  async addField(name: string, field: string, spec: Schema[string]): Promise<Collection> {
    const relation = identifier(checkName('collection', name));
    return await this.#changed(name, `ALTER TABLE ${relation} ADD COLUMN ${addedSql(field, spec)}`);
  }

  /** Takes a declared field away, with its indexes and all its values. */
  async dropField(name: string, field: string): Promise<Collection> {
    const relation = identifier(checkName('collection', name));
    return await this.#changed(name, `ALTER TABLE ${relation} DROP COLUMN ${identifier(field)}`);
  }

  /** Makes an index beside readers and writers; `a.b` is a field of a struct. */
  async addIndex(name: string, field: string, index: FieldIndex): Promise<Collection> {
    return await this.#changed(name, createIndexSql(checkName('collection', name), field, index));
  }

  /** Takes a field's index away. @throws InvalidArgumentError where the field has no such index */
  async dropIndex(name: string, field: string, index: FieldIndex): Promise<Collection> {
    await this.get(name);
    const told = await this.#connection.run(fieldsOf(name));
    return await this.#changed(name, `DROP INDEX ${identifier(indexNameOf(told, field, index))}`);
  }

  async #changed(name: string, sql: string): Promise<Collection> {
    await this.#connection.run({ sql, params: [] }, { repeatable: false });
    return await this.get(name);
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
