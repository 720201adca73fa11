/**
 * Texts with metadata in a collection, as the vector stores of frameworks keep them. A document is
 * `{ _id, text, metadata: {…} }`, and has a `vector` where the application embeds.
 */
import type { Client } from '../typescript/src/client.ts';
import type { CollectionClient } from '../typescript/src/collection.ts';
import type { Collection } from '../typescript/src/collections.ts';
import { f32Vector } from '../typescript/src/data.ts';
import {
  CollectionAlreadyExistsError,
  CollectionNotFoundError,
  InvalidArgumentError,
} from '../typescript/src/errors.ts';
import { conditionOf, type PassageFilter } from './passage-filter.ts';
import { compileCondition } from '../typescript/src/query/compile.ts';
import { field } from '../typescript/src/query/expression.ts';
import { fn } from '../typescript/src/query/functions.ts';
import { select } from '../typescript/src/query/stages.ts';
import { rowsOf } from '../typescript/src/rows.ts';
import {
  f32Vector as f32VectorField,
  FieldSpec,
  keywordIndex,
  semanticIndex,
  text,
  vectorIndex,
} from '../typescript/src/schema.ts';
import { CONNECTION } from '../typescript/src/wire/connection.ts';
import { parameterOf } from '../typescript/src/wire/encode.ts';
import { identifier, textLiteral } from '../typescript/src/wire/names.ts';

/** `similarity`; or `hybrid`, words and meaning together. */
export type PassageMode = 'similarity' | 'hybrid';

export interface Passage {
  readonly id: string;
  readonly text: string;
  readonly metadata: Record<string, unknown>;
  readonly score: number;
}

export interface PassagesOptions {
  readonly collection: string;
  readonly partition?: string | undefined;
  /** Fields that hold them: `text`, `metadata`, `vector`. */
  readonly textField?: string | undefined;
  readonly metadataField?: string | undefined;
  readonly vectorField?: string | undefined;
  /** False: a collection that is not there is `CollectionNotFoundError`. By default the first write makes it. */
  readonly createCollection?: boolean | undefined;
  /** The server's model where it embeds and the collection is made. */
  readonly model?: string | undefined;
}

/** The text to compare with: by meaning with the vector, where the application embeds. */
export interface Wanted {
  readonly query?: string | undefined;
  readonly vector?: readonly number[] | undefined;
  readonly k: number;
  readonly filter?: PassageFilter | undefined;
}

const BATCH = 1000;
const DEPTH_MAX = 10_000;

export class Passages {
  readonly #client: Client;
  readonly #documents: CollectionClient;
  readonly #embeds: boolean;
  readonly #options: PassagesOptions;
  readonly #text: string;
  readonly #metadata: string;
  readonly #vector: string;
  /** True when the least number is the nearest; null until the collection is known to be there. */
  #isAscending: boolean | null = null;

  /** @param embeds whether the application embeds; else the server does, by a semantic index of the text. */
  constructor(client: Client, options: PassagesOptions, embeds: boolean) {
    this.#client = client;
    this.#options = options;
    this.#embeds = embeds;
    this.#text = options.textField ?? 'text';
    this.#metadata = options.metadataField ?? 'metadata';
    this.#vector = options.vectorField ?? 'vector';
    this.#documents = client.collection(options.collection, options.partition);
  }

  /** Stores texts, in place of those of the same id; a text without an id gets one. @returns all ids. */
  async add(
    texts: readonly { readonly id?: string | undefined; readonly text: string; readonly metadata: object }[],
    vectors?: readonly (readonly number[])[],
  ): Promise<string[]> {
    if (vectors !== undefined && vectors.length !== texts.length) {
      throw new InvalidArgumentError(`there are ${texts.length} texts, but ${vectors.length} vectors`);
    }
    if (texts.length === 0) return [];
    const documents = texts.map((one, at) => ({
      _id: one.id ?? globalThis.crypto.randomUUID(),
      [this.#text]: one.text,
      [this.#metadata]: one.metadata,
      ...(vectors === undefined ? {} : { [this.#vector]: vectors[at] }),
    }));
    if (!(await this.#find())) await this.#make(vectors?.[0]?.length);
    for (let at = 0; at < documents.length; at += BATCH) {
      await this.#documents.upsert(documents.slice(at, at + BATCH) as { _id: string }[]);
    }
    return documents.map((one) => String(one._id));
  }

  /** Those that are there, in the order of the ids. */
  async get(ids: readonly string[]): Promise<Passage[]> {
    if (ids.length === 0 || !(await this.#find())) return [];
    const found = await this.#documents.get(ids, { fields: [this.#text, this.#metadata] });
    return [...new Set(ids)].flatMap((id) => {
      const row = found[id];
      return row === undefined ? [] : [this.#passage(row, 0)];
    });
  }

  /** Deletes by ids, or what a filter finds. */
  async delete(which: readonly string[] | PassageFilter): Promise<void> {
    const what = Array.isArray(which)
      ? (which as readonly string[])
      : this.#condition(which as PassageFilter);
    if (what === undefined) throw new InvalidArgumentError('delete takes ids, or a filter with a condition');
    if (await this.#find()) await this.#documents.delete(what);
  }

  async drop(): Promise<void> {
    this.#isAscending = null;
    try {
      await this.#client.collections().delete(this.#options.collection);
    } catch (error) {
      if (!(error instanceof CollectionNotFoundError)) throw error;
    }
  }

  /** The best, first. */
  async search(wanted: Wanted, mode: PassageMode): Promise<Passage[]> {
    if (mode !== 'similarity' && mode !== 'hybrid') {
      throw new InvalidArgumentError(`unknown mode ${JSON.stringify(mode)}: similarity, hybrid`);
    }
    if (wanted.k < 1 || !(await this.#find())) return [];
    return mode === 'hybrid' ? await this.#hybrid(wanted, []) : await this.#nearest(wanted);
  }

  /**
   * Near ones that are unlike one another, chosen by the server by maximal marginal relevance.
   * @param diversity 0, only near, to 1. @param depth how many of the nearest to choose from.
   */
  async diverse(wanted: Wanted, diversity: number, depth: number): Promise<Passage[]> {
    if (!(diversity >= 0 && diversity <= 1)) {
      throw new InvalidArgumentError(`diversity is from 0 to 1, not ${diversity}`);
    }
    if (wanted.k < 1 || !(await this.#find())) return [];
    const taken = Math.min(DEPTH_MAX, Math.max(wanted.k, Math.trunc(depth)));
    const rest = [`depth => ${taken}`, `diversity => ${diversity}`];
    const given = this.#embeds ? { ...wanted, query: undefined } : wanted;
    return await this.#hybrid(given, this.#embeds ? rest : [...rest, 'weights => ARRAY[1, 0]']);
  }

  async #nearest({ query = '', vector, k, filter }: Wanted): Promise<Passage[]> {
    const nearness =
      vector === undefined
        ? fn.semanticSimilarity(this.#text, query)
        : fn.vectorDistance(this.#vector, f32Vector([...vector]));
    const chosen = select(this.#text, this.#metadata, { _nearness: nearness });
    const condition = this.#condition(filter);
    const narrowed = condition === undefined ? chosen : chosen.filter(condition);
    const rows = await this.#documents.query(
      narrowed.topk(field('_nearness'), Math.trunc(k), this.#isAscending === true),
    );
    // A text without a word, and a document without a vector, are like nothing.
    return (rows as Record<string, unknown>[]).flatMap((row) =>
      typeof row._nearness === 'number' ? [this.#passage(row, row._nearness)] : [],
    );
  }

  async #hybrid({ query, vector, k, filter }: Wanted, rest: readonly string[]): Promise<Passage[]> {
    const condition = this.#condition(filter);
    const { text: matching, params } =
      condition === undefined ? { text: 'TRUE', params: [] } : compileCondition(condition.node);
    const given: unknown[] = [...params];
    const bound = (value: string): string => `$${given.push(value)}`;
    const { name, partition } = this.#documents;
    const args = [textLiteral(partition === null ? name : `${name}$${partition}`)];
    if (query !== undefined)
      args.push(`${bound(query)}::text`, `columns => ARRAY[${textLiteral(this.#text)}]`);
    if (vector !== undefined) {
      args.push(
        `vector => ${bound(`[${vector.join(',')}]`)}::vector`,
        `vector_column => ${textLiteral(this.#vector)}`,
      );
    }
    args.push(`k => ${Math.trunc(k)}`, ...rest);
    const columns = ['_id', this.#text, this.#metadata].map(identifier).join(', ');
    const sql = `SELECT ${columns}, score FROM hybrid(${args.join(', ')}) WHERE ${matching}`;
    const told = await this.#client[CONNECTION].run({
      sql,
      params: given.map((one) => parameterOf(one).text),
    });
    return rowsOf(told).map((row) => this.#passage(row, Number(row.score)));
  }

  #condition(filter: PassageFilter | undefined): ReturnType<typeof conditionOf> {
    return conditionOf(filter, `${this.#metadata}.`);
  }

  #passage(row: Record<string, unknown>, score: number): Passage {
    const metadata = (row[this.#metadata] ?? {}) as Record<string, unknown>;
    return { id: String(row._id), text: String(row[this.#text] ?? ''), metadata, score };
  }

  /** True when the collection, and the partition, is there; asked until it is. */
  async #find(): Promise<boolean> {
    if (this.#isAscending !== null) return true;
    const isMade = this.#options.createCollection !== false;
    try {
      const isAscending = this.#order(await this.#client.collections().get(this.#documents.name));
      const { partition } = this.#documents;
      if (
        isMade &&
        partition !== null &&
        !(await this.#documents.listPartitions(partition)).includes(partition)
      )
        return false;
      this.#isAscending = isAscending;
      return true;
    } catch (error) {
      if (isMade && error instanceof CollectionNotFoundError) return false;
      throw error;
    }
  }

  #order({ name, schema }: Collection): boolean {
    const [of, kind] = this.#embeds ? [this.#vector, 'vector'] : [this.#text, 'semantic'];
    const spec = schema[of];
    const index = spec instanceof FieldSpec ? spec.indexes.find((one) => one.kind === kind) : undefined;
    if (index !== undefined) {
      return index.kind === 'vector' && (index.metric === 'euclidean' || index.metric === 'hamming');
    }
    const who = this.#embeds ? 'the application' : 'the server';
    throw new InvalidArgumentError(
      `collection "${name}" has no ${kind} index on "${of}": ${who} embeds here`,
    );
  }

  async #make(dimension: number | undefined): Promise<void> {
    const { collection, model = null } = this.#options;
    const fields =
      dimension === undefined
        ? { [this.#text]: text().index(semanticIndex({ model })) }
        : {
            [this.#text]: text().index(keywordIndex()),
            [this.#vector]: f32VectorField(dimension).index(vectorIndex({ metric: 'cosine' })),
          };
    try {
      await this.#client.collections().create(collection, fields);
    } catch (error) {
      // Another one was first.
      if (!(error instanceof CollectionAlreadyExistsError)) throw error;
    }
    await this.#find();
  }
}
