/** One collection, or one partition of it: documents in, documents and rows out. */
import { checkSortFields, documentsOf, type Row, rowsOf } from './rows.ts';
import { ConsistencyLevel } from './config.ts';
import { fieldsOf, packedFieldsOf } from './ddl.ts';
import { DocumentValidationError, InvalidArgumentError } from './errors.ts';
import { type HybridOptions, hybridStatement } from './hybrid.ts';
import { compileCondition, compileQuery, NULLS_COLUMN } from './query/compile.ts';
import { type Options, optionsOf, present, refuseMore } from './options.ts';
import { Expression } from './query/expression.ts';
import { Query, type Whole } from './query/stages.ts';
import type { DocumentOf, Schema, StoredOf } from './schema.ts';
import type { Connection, RunOptions } from './wire/connection.ts';
import {
  areWorthPacking,
  arrayText,
  documentsJson,
  NOTHING_PACKED,
  type PackedFields,
} from './wire/encode.ts';
import { checkName, identifier, pathSql, textLiteral } from './wire/names.ts';

export interface ReadOptions {
  /** Waits until this LSN is visible; `QueryLsnTimeoutError` after the retries' time. */
  readonly lsn?: string | undefined;
  readonly consistency?: ConsistencyLevel | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface GetOptions extends ReadOptions {
  /** Names of fields, dotted ones too; left out, all. */
  readonly fields?: readonly string[] | undefined;
}

const READ = ['lsn', 'consistency', 'signal'] as const;
const read = (call: string, given: Options<ReadOptions>): ReadOptions =>
  optionsOf<ReadOptions>(call, given, READ);

interface Signalled {
  readonly signal?: AbortSignal | undefined;
}

interface UpdateOptions extends Signalled {
  /** Documents that are not there are faults. */
  readonly failOnMissing?: boolean | undefined;
}

/** Part of a document: null takes a field away. */
type Changes = { readonly _id: string } & Readonly<Record<string, unknown>>;

/** @template S the collection's schema, for types alone. */
export class CollectionClient<S extends Schema = Schema> {
  readonly name: string;
  readonly partition: string | null;
  readonly #connection: Connection;
  /** The relation as quoted SQL, and as `quern.lsn` takes it. */
  readonly #relation: string;

  /** @internal */
  constructor(connection: Connection, name: string, partition: string | null = null) {
    this.#connection = connection;
    this.name = checkName('collection', name);
    this.partition = partition === null ? null : checkName('partition', partition);
    this.#relation = identifier(partition === null ? name : `${name}$${partition}`);
  }

  /** Documents by id; absent ids are left out. A dotted field comes back as a flat key. */
  async get(
    ids: readonly string[],
    fields?: readonly string[] | Options<GetOptions>,
    options?: Options<ReadOptions>,
    ...more: readonly never[]
  ): Promise<Record<string, StoredOf<S>>> {
    refuseMore('get(ids, fields, options)', more);
    const first = Array.isArray(fields)
      ? { fields: fields as readonly string[] }
      : optionsOf<GetOptions>('get', fields as Options<GetOptions>, ['fields', ...READ]);
    const given: GetOptions = { ...first, ...optionsOf<ReadOptions>('get', options, READ) };
    const names = given.fields === undefined ? '*' : `${fieldsSql(given.fields)}${NULLS_COLUMN}`;
    const sql = `SELECT ${names} FROM ${this.#relation} WHERE "_id" = ANY($1::text[])`;
    const rows = await this.#connection.run({ sql, params: [textArray(ids)] }, this.#reading(given));
    return documentsOf(rows) as Record<string, StoredOf<S>>;
  }

  /** How many documents there are. */
  async count(options?: Options<ReadOptions>): Promise<number> {
    const sql = `SELECT count(*) FROM ${this.#relation}`;
    const { values } = await this.#connection.run({ sql, params: [] }, this.#reading(read('count', options)));
    return Number(values[0]?.[0]);
  }

  /** The rows of a query: `_id`, and what it selects; what is null is left out. */
  async query<R = Whole>(query: Query<R>, options?: Options<ReadOptions>): Promise<Row<S, R>[]> {
    if (!(query instanceof Query))
      throw new InvalidArgumentError('a query begins with select, filter or groupBy');
    const how = this.#reading(read('query', options));
    const rows = await this.#connection.run(compileQuery(query, this.#relation), how);
    checkSortFields(rows);
    return rowsOf(rows) as Row<S, R>[];
  }

  /** Words and meaning in one ranking: the best documents, each with `score` and what each arm gave it. */
  async hybrid(
    text: string | null,
    options?: number | Options<HybridOptions>,
    more?: Options<Omit<HybridOptions, 'k'>>,
  ): Promise<(StoredOf<S> & { score: number })[]> {
    const named: Options<HybridOptions> = typeof options === 'number' ? { k: options } : options;
    const given: HybridOptions = { ...present<HybridOptions>(named), ...present<HybridOptions>(more) };
    const name = this.partition === null ? this.name : `${this.name}$${this.partition}`;
    const rows = await this.#connection.run(hybridStatement(name, text, given), { signal: given.signal });
    return rowsOf(rows) as (StoredOf<S> & { score: number })[];
  }

  /** Replaces whole documents by `_id`. @returns the write's LSN. */
  async upsert<D extends DocumentOf<S>>(
    documents: readonly D[],
    options?: Options<Signalled>,
  ): Promise<string> {
    const { signal } = optionsOf<Signalled>('upsert', options, ['signal']);
    const sql = 'SELECT lsn FROM quern.upsert($1::text, $2::text)';
    return await this.#write(sql, documents, { signal, repeatable: true });
  }

  /**
   * Merges into documents: structs deeply, null takes a field away. Ids that are not there are ignored.
   * @returns the write's LSN, or `""` when nothing was there to update.
   */
  async update(documents: readonly Changes[], options?: boolean | Options<UpdateOptions>): Promise<string> {
    const { failOnMissing = false, signal } =
      typeof options === 'boolean'
        ? { failOnMissing: options, signal: undefined }
        : optionsOf<UpdateOptions>('update', options, ['failOnMissing', 'signal']);
    const sql = 'SELECT lsn FROM quern.update($1::text, $2::text, $3::boolean)';
    return await this.#write(sql, documents, { signal, repeatable: false }, [String(failOnMissing)]);
  }

  /** Deletes by ids or by a condition. @returns the LSN, also when nothing matched. */
  async delete(what: readonly string[] | Expression, options?: Options<Signalled>): Promise<string> {
    const { signal } = optionsOf<Signalled>('delete', options, ['signal']);
    const { text, params } = deletion(what);
    const then = { sql: 'SELECT coalesce(quern.last_lsn(), quern.lsn($1::text))', params: [this.#relation] };
    const sql = `DELETE FROM ${this.#relation} WHERE ${text}`;
    const { values } = await this.#connection.run({ sql, params }, { signal, repeatable: false, then });
    return String(values[0]?.[0] ?? '');
  }

  async listPartitions(prefix?: string | Options<{ readonly prefix: string }>): Promise<string[]> {
    const { prefix: start = '' } =
      typeof prefix === 'string' ? { prefix } : optionsOf('listPartitions', prefix, ['prefix']);
    const sql =
      'SELECT partition FROM quern.partitions WHERE relation = $1::text AND starts_with(partition, $2::text) ORDER BY 1';
    const { values } = await this.#connection.run({ sql, params: [this.name, start] });
    // A collection that is not there has no partitions either: asked for by name it says so.
    if (values.length === 0) {
      await this.#connection.run({ sql: `SELECT 1 FROM ${identifier(this.name)} LIMIT 0`, params: [] });
    }
    return values.map(([one]) => String(one));
  }

  async deletePartition(name: string): Promise<void> {
    const partition = textLiteral(checkName('partition', name));
    const sql = `ALTER TABLE ${identifier(this.name)} DROP PARTITION ${partition}`;
    await this.#connection.run({ sql, params: [] }, { repeatable: false });
  }

  async #write(
    sql: string,
    documents: readonly unknown[],
    options: RunOptions,
    more: readonly string[] = [],
  ): Promise<string> {
    const run = async (fields: PackedFields): Promise<string> => {
      const params = [this.#relation, documentsJson(documents, fields), ...more];
      const { values } = await this.#connection.run({ sql, params }, options);
      return String(values[0]?.[0] ?? '');
    };
    const { packedFields } = this.#connection;
    let fields = packedFields.get(this.name) ?? NOTHING_PACKED;
    const isLearnt = packedFields.has(this.name);
    if (!isLearnt && areWorthPacking(documents)) fields = await this.#learn();
    try {
      return await run(fields);
    } catch (error) {
      // Perhaps the schema is another one now.
      if (!(error instanceof DocumentValidationError) || (fields.size === 0 && !isLearnt)) throw error;
      const known = JSON.stringify([...fields]);
      fields = await this.#learn();
      if (JSON.stringify([...fields]) === known) throw error;
      return await run(fields);
    }
  }

  /** Which lists of numbers go as bytes, by the schema; kept until a write fails. */
  async #learn(): Promise<PackedFields> {
    const fields = packedFieldsOf(await this.#connection.run(fieldsOf(this.name)));
    this.#connection.packedFields.set(this.name, fields);
    return fields;
  }

  #reading({ lsn, consistency, signal }: ReadOptions): RunOptions {
    if (consistency !== undefined && !Object.values(ConsistencyLevel).includes(consistency)) {
      throw new InvalidArgumentError(`unknown consistency ${JSON.stringify(consistency)}`);
    }
    if (lsn === undefined) return { signal };
    if (!/^[1-9]\d{0,18}$/.test(lsn)) throw new InvalidArgumentError(`${JSON.stringify(lsn)} is no LSN`);
    const settings = {
      'quern.lsn': `${this.#relation}:${lsn}`,
      'quern.lsn_timeout': `${this.#connection.retries.timeout}ms`,
    };
    return { signal, settings };
  }
}

const textArray = (ids: readonly string[]): string => {
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== 'string')) {
    throw new InvalidArgumentError('ids are an array of strings');
  }
  return arrayText(ids);
};

const fieldsSql = (fields: readonly string[]): string => {
  if (!Array.isArray(fields) || fields.some((one) => typeof one !== 'string' || one === '')) {
    throw new InvalidArgumentError('fields are an array of names');
  }
  const columns = new Set(['_id', ...(fields as readonly string[])]);
  return [...columns]
    .map((name) => {
      const [column = '', ...path] = name.split('.');
      return `${pathSql(identifier(column), path)} AS ${identifier(name)}`;
    })
    .join(', ');
};

function deletion(what: readonly string[] | Expression): ReturnType<typeof compileCondition> {
  if (what instanceof Expression) return compileCondition(what.node);
  return { text: '"_id" = ANY($1::text[])', params: [textArray(what)] };
}
