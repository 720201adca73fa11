/** The datasets of a server. */
import { absent } from './dataset.ts';
import { type Options, optionsOf } from './options.ts';
import type { Connection, Rows } from './wire/connection.ts';
import { checkName, identifier, textLiteral } from './wire/names.ts';

export interface Dataset {
  readonly name: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly description: string;
  readonly region: string;
  readonly createdAt: string;
}

const COLUMNS = 'SELECT name, description, region, created_at FROM quern.datasets';

/** The description as an argument: by itself or by name. */
type Description = string | Options<{ readonly description: string }>;
const textOf = (given: Description): string | undefined =>
  typeof given === 'string' ? given : optionsOf('a dataset', given, ['description']).description;

/** The one organisation and project that a server has, as collections tell them. */
const ONLY = 'default';

export class DatasetsClient {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @throws DatasetNotFoundError */
  async get(name: string): Promise<Dataset> {
    const params = [checkName('dataset', name)];
    const [dataset] = datasetsOf(
      await this.#connection.run({ sql: `${COLUMNS} WHERE name = $1::text`, params }),
    );
    if (dataset !== undefined) return dataset;
    throw absent(name);
  }

  async list(): Promise<Dataset[]> {
    return datasetsOf(await this.#connection.run({ sql: `${COLUMNS} ORDER BY name`, params: [] }));
  }

  /** @throws DatasetAlreadyExistsError */
  async create(name: string, description?: Description): Promise<Dataset> {
    const text = textOf(description);
    const options = text === undefined ? '' : ` WITH (description = ${textLiteral(text)})`;
    await this.#define(`CREATE DATASET ${identifier(checkName('dataset', name))}${options}`);
    return await this.get(name);
  }

  /** A description that is left out stays as it is; `""` empties it. */
  async update(name: string, description?: Description): Promise<Dataset> {
    const text = textOf(description);
    if (text !== undefined) {
      await this.#define(
        `ALTER DATASET ${identifier(checkName('dataset', name))} SET (description = ${textLiteral(text)})`,
      );
    }
    return await this.get(name);
  }

  /** With everything in it. @throws DatasetNotFoundError */
  async delete(name: string): Promise<void> {
    await this.#define(`DROP DATASET ${identifier(checkName('dataset', name))}`);
  }

  async #define(sql: string): Promise<void> {
    await this.#connection.run({ sql, params: [] }, { repeatable: false });
  }
}

const datasetsOf = ({ values }: Rows): Dataset[] =>
  values.map(([name, description, region, createdAt]) => ({
    name: String(name),
    orgId: ONLY,
    projectId: ONLY,
    description: String(description ?? ''),
    region: String(region),
    createdAt: new Date(Number(createdAt)).toISOString(),
  }));
