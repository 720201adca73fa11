/** The way in: collections, datasets, questions, SQL. */
import {
  type Answer,
  type AskOptions,
  ask,
  askOptions,
  type Content,
  getContent,
  type DatasetInput,
  type Progress,
  type SearchOptions,
  type SearchResult,
  search,
  searchOptions,
} from './asking.ts';
import { CollectionClient } from './collection.ts';
import { CollectionsClient } from './collections.ts';
import type { ClientConfig, ScriptResult } from './config.ts';
import { type Options, optionsOf, refuseMore } from './options.ts';
import { DatasetClient } from './dataset.ts';
import { DatasetsClient } from './datasets.ts';
import { InvalidArgumentError } from './errors.ts';
import type { Schema } from './schema.ts';
import { Connection, CONNECTION, type Rows } from './wire/connection.ts';
import { parameterOf } from './wire/encode.ts';

/**
 * A client of one server: connections are opened when they are wanted, and closed by `close()`.
 *
 *     await using client = new Client({ apiKey, region: 'local' });
 */
export class Client {
  readonly #connection: Connection;

  /** @internal For what builds queries of its own with this client. */
  get [CONNECTION](): Connection {
    return this.#connection;
  }

  constructor(config?: Options<ClientConfig>) {
    this.#connection = new Connection(config);
  }

  collections(): CollectionsClient {
    return new CollectionsClient(this.#connection);
  }

  /** @template S the schema, for the types of documents: `client.collection<typeof schema>('books')`. */
  collection<S extends Schema = Schema>(
    name: string,
    partition?: string | Options<{ readonly partition: string }>,
  ): CollectionClient<S> {
    const part =
      typeof partition === 'string' ? partition : optionsOf('collection', partition, ['partition']).partition;
    return new CollectionClient<S>(this.#connection, name, part ?? null);
  }

  datasets(): DatasetsClient {
    return new DatasetsClient(this.#connection);
  }

  dataset(name: string): DatasetClient {
    return new DatasetClient(this.#connection, name);
  }

  /** Facts with references, from documents: what is being done, and last the answer. */
  ask(
    question: string,
    datasets: readonly DatasetInput[],
    options?: Options<AskOptions>,
    ...more: readonly never[]
  ): AsyncGenerator<Progress | Answer> {
    refuseMore('ask(question, datasets, options)', more);
    return ask(this.#connection, 'ask', question, datasets, askOptions('ask', options));
  }

  /** Like `ask`, by way of a plan of questions. */
  research(
    question: string,
    datasets: readonly DatasetInput[],
    options?: Options<Omit<AskOptions, 'mode'>>,
    ...more: readonly never[]
  ): AsyncGenerator<Progress | Answer> {
    refuseMore('research(question, datasets, options)', more);
    return ask(this.#connection, 'research', question, datasets, askOptions('research', options));
  }

  /** The best passages. @param topK 1 to 1000. */
  search(
    query: string,
    datasets: readonly DatasetInput[],
    topK: number | (Options<SearchOptions> & { readonly topK: number }),
    options?: Options<SearchOptions>,
    ...more: readonly never[]
  ): AsyncGenerator<SearchResult> {
    refuseMore('search(query, datasets, topK, options)', more);
    const { topK: k, ...named } =
      typeof topK === 'object' && topK !== null ? topK : { topK, ...searchOptions(options) };
    return search(this.#connection, query, datasets, k, searchOptions(named));
  }

  /** The content that a reference refers to. */
  async getContent(dataset: string, contentId: string): Promise<Content> {
    return await getContent(this.#connection, dataset, contentId);
  }

  /** One statement as somebody wrote it, with `$1`, `$2` … for values. @returns one object a row. */
  async sql(
    text: string,
    params?: readonly unknown[] | null,
    options?: Options<Signalled>,
  ): Promise<Record<string, unknown>[]> {
    const texts = textsOf(params);
    const how = {
      ...optionsOf('sql', options, ['signal']),
      repeatable: false,
      unknownColumns: 'error',
    } as const;
    return allOf(await this.#connection.run({ sql: text, params: texts }, how));
  }

  /**
   * One statement in a session that may only read: what writes, takes a number, starts a job or reaches other sessions is
   * refused by the server (25006), whatever the text looks like. Nothing of the session stays: SET holds for no other call.
   */
  async readOnly(
    text: string,
    params?: readonly unknown[] | null,
    options?: Options<ReadOnlyOptions>,
  ): Promise<Record<string, unknown>[]> {
    const how = optionsOf('readOnly', options, ['signal', 'maxRows']);
    const { maxRows = 1 } = how;
    if (!Number.isInteger(maxRows) || maxRows < 1)
      throw new InvalidArgumentError('maxRows is a whole number above 0');
    return allOf(await this.#connection.read({ sql: text, params: textsOf(params) }, how));
  }

  /** Statements of any number, without parameters, values as the server's text: for prompts and scripts. */
  async script(text: string, options?: Options<Signalled>): Promise<readonly ScriptResult[]> {
    return await this.#connection.script(text, optionsOf('script', options, ['signal']).signal);
  }

  /** Waits for what runs, five seconds at most. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

interface Signalled {
  readonly signal: AbortSignal;
}

interface ReadOnlyOptions extends Signalled {
  /** The first so many rows are enough: the server makes no more of them. */
  readonly maxRows: number;
}

/** Texts of a statement's parameters. */
function textsOf(params: readonly unknown[] | null | undefined): (string | null)[] {
  if (params === null || params === undefined) return [];
  if (!Array.isArray(params)) throw new InvalidArgumentError('parameters of a statement are an array');
  return params.map((one: unknown) => parameterOf(one ?? null).text);
}

/** One object a row, nulls too. */
const allOf = ({ columns, values }: Rows): Record<string, unknown>[] =>
  values.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
