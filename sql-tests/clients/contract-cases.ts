/** Contract cases (`src/clients/cases`, its README has the language) run with the TypeScript client. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../src/clients/typescript/src/client.ts';
import * as data from '../../src/clients/typescript/src/data.ts';
import { QuernError } from '../../src/clients/typescript/src/errors.ts';
import * as query from '../../src/clients/typescript/src/query.ts';
import * as schema from '../../src/clients/typescript/src/schema.ts';

const CASES = join(import.meta.dirname, '../../src/clients/cases');

// biome-ignore lint/suspicious/noExplicitAny: cases are data, and name what is called.
type Json = any;
type Connect = (options: Json) => Client;

export interface CaseFile {
  readonly name: string;
  readonly cases: readonly Json[];
  readonly [more: string]: Json;
}

/** Integers beyond 2^53 stay what they are. */
function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLarge && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? 0) : value;
}

export const caseFiles = (): CaseFile[] =>
  readdirSync(CASES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({
      name: name.slice(0, -5),
      ...JSON.parse(readFileSync(join(CASES, name), 'utf8'), exact),
    }));

/** `match_tokens` and `and_` as TypeScript has them. */
const camel = (name: string): string =>
  name.replace(/_$/, '').replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const camelKeys = (given: Json): Json =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [camel(name), value]));

const VECTORS = ['f32', 'f16', 'f8', 'u8', 'i8', 'binary'];

export class CaseRunner {
  readonly #client: Client;
  readonly #connect: Connect;
  #saved = new Map<string, Json>();
  #refs: Json = {};

  constructor(client: Client, connect: Connect) {
    this.#client = client;
    this.#connect = connect;
  }

  async prepare(file: CaseFile): Promise<void> {
    this.#refs = file.refs ?? {};
    for (const { name } of await this.#client.collections().list())
      await this.#client.collections().delete(name);
    for (const { name } of await this.#client.datasets().list()) await this.#client.datasets().delete(name);
    for (const [name, one] of Object.entries(file.collections ?? {})) {
      await this.#client.collections().create(name, this.#schema(one));
    }
    for (const [name, documents] of Object.entries(file.documents ?? {})) {
      await this.#client.collection(name).upsert(this.#value(documents));
    }
  }

  /** @throws Error that says where what was seen differs. */
  async run(file: CaseFile, one: Json): Promise<void> {
    this.#saved = new Map();
    for (const step of steps(one)) await this.#step(step, file.collection ?? 'books');
  }

  async #step(step: Json, collection: string): Promise<void> {
    const own = step.client === undefined ? null : this.#connect(camelKeys(step.client));
    let result: Json;
    try {
      result = await this.#perform(own ?? this.#client, step, collection);
    } catch (error) {
      if (step.error === undefined) throw error;
      this.#checkError(error, step.error);
      return;
    } finally {
      await own?.close();
    }
    if (step.error !== undefined) throw new Error(`gave ${show(result)}, no ${step.error.class}`);
    if (step.save !== undefined) this.#saved.set(step.save, result);
    if (step.same_as !== undefined) same(result, this.#saved.get(step.same_as), 'result');
    if (step.contains !== undefined) this.#some(result, this.#saved.get(step.contains), 'result');
    if (step.expect !== undefined) this.#check(result, step.expect, 'result');
  }

  async #perform(client: Client, step: Json, collection: string): Promise<Json> {
    const [name, where = ''] = step.do.split('.').reverse();
    const args = this.#arguments(step.args ?? {});
    if (where === 'collections' || where === 'datasets') {
      const { name: target, schema: made, description } = args;
      const second = made ?? (description === undefined ? undefined : { description });
      const given = [target, second].filter((one) => one !== undefined);
      return await (client as Json)[where]()[camel(name)](...given);
    }
    if (where === 'dataset')
      return await settled(datasetCall(client.dataset(step.dataset ?? 'filings'), name, args));
    if (['search', 'ask', 'research'].includes(name)) {
      const { query: text, datasets, top_k: topK, ...rest } = args;
      const options = camelKeys(rest);
      return await settled(
        (client as Json)[name](text, datasets, ...(topK === undefined ? [] : [topK]), options),
      );
    }
    if (name === 'sql' || name === 'read_only')
      return await (client as Json)[camel(name)](args.statement, args.parameters);
    const target = client.collection(step.collection ?? collection, step.partition);
    return await collectionCall(target, name, args);
  }

  #arguments(given: Json): Json {
    const read: Record<string, (one: Json) => Json> = {
      query: (one) => (typeof one === 'string' ? one : this.#query(one)),
      schema: (one) => this.#schema(one),
      filter: (one) => this.#expression(one),
      which: (one) =>
        Array.isArray(one) && OPERATORS.has(one[0]) ? this.#expression(one) : this.#value(one),
      file: ([fileName, content, mimeType]) => ({
        fileName,
        data: typeof content === 'string' ? new TextEncoder().encode(content) : this.#value(content),
        mimeType,
      }),
      datasets: (many) =>
        many.map((one: Json) =>
          one.filter === undefined ? one : { ...one, filter: this.#expression(one.filter) },
        ),
    };
    return Object.fromEntries(
      Object.entries(given).map(([name, one]) => [name, read[name]?.(one) ?? this.#value(one)]),
    );
  }

  /** A value of JavaScript from a case's. */
  #value(given: Json): Json {
    if (Array.isArray(given)) return given.map((one) => this.#value(one));
    if (typeof given !== 'object' || given === null) return given;
    const [first, ...others] = Object.entries(given);
    if (first !== undefined && others.length === 0 && first[0].startsWith('$')) {
      const made = this.#tagged(first[0].slice(1), first[1]);
      if (made !== undefined) return made;
    }
    return Object.fromEntries(Object.entries(given).map(([name, one]) => [name, this.#value(one)]));
  }

  #tagged(tag: string, one: Json): Json {
    const [, element = '', kind = ''] = /^(.+?)_((?:sparse_)?vector|matrix)$/.exec(tag) ?? [];
    if (kind === 'matrix') return data.matrix(one, element as 'f32');
    if (kind === 'sparse_vector') {
      const make = element === 'f32' ? data.f32SparseVector : data.u8SparseVector;
      return make(
        Object.fromEntries(one.indices.map((at: number, index: number) => [at, one.values[index]])),
      );
    }
    if (VECTORS.includes(element)) return (data as Json)[camel(tag)](one);
    switch (tag) {
      case 'float':
        return data.float(Number(one));
      case 'int':
        return BigInt(one);
      case 'bytes':
        return new Uint8Array(Buffer.from(one, 'base64'));
      case 'timestamp':
        return new Date(one);
      case 'list':
        return this.#value(one);
      case 'text_list':
        return data.stringList(one);
      case 'int_list':
        return data.i64List(one);
      case 'float_list':
        return data.f64List(one.map(Number));
      case 'saved':
        return this.#saved.get(one);
      case 'long':
        return 'x'.repeat(one);
      default:
        return undefined;
    }
  }

  /** An expression from `[operator, …]`; anything else is a value. */
  #expression(given: Json): Json {
    if (given?.$repeat !== undefined) {
      const [count, one] = given.$repeat;
      return Array.from({ length: count }, () => this.#expression(one));
    }
    if (given?.$nested !== undefined) {
      const [depth, name, one] = given.$nested;
      let made = this.#expression(one);
      for (let at = 0; at < depth; at++) made = made[camel(name)](this.#expression(one));
      return made;
    }
    if (!Array.isArray(given) || typeof given[0] !== 'string') {
      return Array.isArray(given) ? given.map((one) => this.#expression(one)) : this.#value(given);
    }
    const [name, ...rest] = given;
    const named = rest.at(-1)?.$named === undefined ? null : camelKeys(this.#value(rest.pop().$named));
    const options = named === null ? [] : [named];
    if (name === 'match_tokens') return query.matchTokens(rest[0], ...options);
    const [space = '', method] = name.split('.');
    if (method !== undefined) {
      const plain = rest.map((one) => (space === 'fn' ? this.#value(one) : this.#expression(one)));
      return (query as Json)[space][camel(method)](...plain, ...options);
    }
    const args = rest.map((one) => this.#expression(one));
    if (FUNCTIONS.has(name)) return (query as Json)[camel(name)](...args, ...options);
    const first = args[0] instanceof query.Expression ? args[0] : query.literal(args[0]);
    return (first as Json)[camel(name)](...args.slice(1), ...options);
  }

  #query(stages: Json): Json {
    let made: Json = new query.Query([]);
    const each = (given: Json): Json =>
      Object.fromEntries(Object.entries(given).map(([name, one]) => [name, this.#expression(one)]));
    for (const [name, ...args] of stages) {
      if (name === 'select')
        made = made.select(...args[0], ...(args[1] === undefined ? [] : [each(args[1])]));
      else if (name === 'group_by') made = made.groupBy(each(args[0]), each(args[1]));
      else if (name === 'sort' && Array.isArray(args[0]?.[0])) {
        made = made.sort(args[0].map(([key, order]: Json) => [this.#expression(key), order]));
      } else if (['sort', 'topk', 'filter'].includes(name)) {
        made = made[name](this.#expression(args[0]), ...args.slice(1));
      } else made = made[name](...args);
    }
    return made;
  }

  #schema(given: Json): Json {
    const fields = given?.$ref === undefined ? given : this.#refs[given.$ref];
    return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, this.#spec(one)]));
  }

  #spec(given: Json): Json {
    if (typeof given !== 'object' || given === null) return given;
    const { type, indexes = [], required = false, fields, ...rest } = given;
    const make = (schema as Json)[camel(type)];
    let made = type === 'struct' ? make(this.#schema(fields)) : make(camelKeys(rest));
    for (const [kind, options] of indexes)
      made = made.index((schema as Json)[camel(kind)](camelKeys(options ?? {})));
    return required ? made.required() : made;
  }

  #check(seen: Json, expected: Json, at: string): void {
    if (Array.isArray(expected)) {
      if (seen?.length !== expected.length) throw new Error(`${at} is ${show(seen)}, not ${show(expected)}`);
      for (const [index, one] of expected.entries()) this.#check(seen[index], one, `${at}[${index}]`);
      return;
    }
    if (typeof expected !== 'object' || expected === null) {
      same(seen, expected, at);
      return;
    }
    const [first, ...others] = Object.entries(expected);
    if (first !== undefined && others.length === 0) {
      if (this.#checkTagged(seen, first[0], first[1], at)) return;
    }
    same(
      Object.keys(seen ?? {})
        .map(String)
        .sort(),
      Object.keys(expected).map(neutral(seen)).sort(),
      `keys of ${at}`,
    );
    for (const [name, one] of Object.entries(expected))
      this.#check(seen[neutral(seen)(name)], one, `${at}.${name}`);
  }

  /** @returns whether the expectation was one of a single tag. */
  #checkTagged(seen: Json, tag: string, one: Json, at: string): boolean {
    switch (tag) {
      case '$ids':
        same(
          seen.map(({ _id }: Json) => _id),
          one,
          at,
        );
        return true;
      case '$count':
        same(seen.length, one, `length of ${at}`);
        return true;
      case '$last':
        this.#check(seen.at(-1), one, `last of ${at}`);
        return true;
      case '$between':
        if (!(seen >= one[0] && seen <= one[1]))
          throw new Error(`${at} is ${show(seen)}, not between ${one}`);
        return true;
      case '$some':
        this.#some(seen, one, at);
        return true;
      case '$any_order': {
        const sorted = (many: Json[]): Json[] => many.map(show).sort();
        same(sorted(seen), sorted(this.#value(one)), at);
        return true;
      }
      case '$type':
        if (!TYPES[one]?.(seen)) throw new Error(`${at} is ${show(seen)}, no ${one}`);
        return true;
      case '$matching':
        if (!new RegExp(one).test(seen)) throw new Error(`${at} is ${show(seen)}, not like ${one}`);
        return true;
      case '$part':
        for (const [name, value] of Object.entries(one)) {
          if (name === '$class') same(seen.type, String(value).toLowerCase(), `${at}.type`);
          else this.#check(seen[neutral(seen)(name)], value, `${at}.${name}`);
        }
        return true;
      case '$schema':
        same(seen, this.#schema(one), at);
        return true;
      default: {
        const value = this.#tagged(tag.slice(1), one);
        if (value !== undefined) same(seen, read(value), at);
        return value !== undefined;
      }
    }
  }

  #some(seen: Json, expected: Json, at: string): void {
    const holds = seen.some((one: Json) => {
      try {
        this.#check(one, expected, at);
        return true;
      } catch {
        return false;
      }
    });
    if (!holds) throw new Error(`none of ${at} ${show(seen)} is ${show(expected)}`);
  }

  #checkError(raised: Json, expected: Json): void {
    const names: string[] = [];
    for (let made = raised?.constructor; made?.name; made = Object.getPrototypeOf(made))
      names.push(made.name);
    if (!names.includes(expected.class) || !(raised instanceof QuernError)) {
      throw new Error(`threw ${show(names)} ${raised?.message}, not ${expected.class}`);
    }
    if (!raised.message.includes(expected.message ?? '')) {
      throw new Error(`${show(raised.message)} does not say ${show(expected.message)}`);
    }
    if (expected.sqlstate !== undefined) same(raised.sqlstate, expected.sqlstate, 'sqlstate');
    if (expected.errors === undefined) return;
    same(raised.errors.length, expected.errors.length, `errors ${show(raised.errors)}`);
    // A document's faults come in any order.
    for (const one of expected.errors) this.#some(raised.errors, { $part: one }, 'errors');
  }
}

const OPERATORS = new Set('eq lt lte gt gte and_ or_ not_ add field in_ contains match literal'.split(' '));
const FUNCTIONS = new Set('match match_tokens should not_ all any field literal'.split(' '));

const TYPES: Record<string, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  int: (value) => typeof value === 'bigint' || Number.isInteger(value),
  float: (value) => typeof value === 'number',
  bool: (value) => typeof value === 'boolean',
  list: Array.isArray,
  dict: (value) => typeof value === 'object' && !Array.isArray(value),
  bytes: (value) => value instanceof Uint8Array,
};

/** A case's steps, also of its short forms: `where` and `ids`, `of` and `gives`, `round_trip`. */
function steps(one: Json): Json[] {
  const { error, collection } = one;
  const rest = { ...(error !== undefined && { error }), ...(collection !== undefined && { collection }) };
  if (one.where !== undefined) {
    const stages = [
      ['select', []],
      ['filter', one.where],
      ['sort', ['field', '_id'], true],
      ['limit', 100],
    ];
    const expect = one.ids === undefined ? {} : { expect: { $ids: one.ids } };
    return [{ do: 'query', args: { query: stages }, ...expect, ...rest }];
  }
  if (one.gives !== undefined) {
    const named = one.gives.map(([of, value]: Json, at: number) => [`x${at}`, of, value]);
    const aliases = Object.fromEntries(named.map(([name, of]: Json) => [name, of]));
    const row = Object.fromEntries(
      named.filter(([, , value]: Json) => value !== null).map(([name, , value]: Json) => [name, value]),
    );
    const stages = [
      ['select', [], aliases],
      ['filter', ['eq', ['field', '_id'], one.of]],
    ];
    const expect = error === undefined ? { expect: [{ _id: one.of, ...row }] } : {};
    return [{ do: 'query', args: { query: stages }, ...expect, ...rest }];
  }
  if (one.round_trip !== undefined) {
    const document = { _id: 'round', ...one.round_trip };
    return [
      { do: 'upsert', args: { documents: [document] }, ...rest },
      { do: 'get', args: { ids: ['round'] }, expect: { round: document }, ...rest },
    ];
  }
  return one.steps ?? [one];
}

async function settled(result: Json): Promise<Json> {
  if (typeof result?.[Symbol.asyncIterator] !== 'function') return await result;
  const all: Json[] = [];
  for await (const one of result) all.push(one);
  return all;
}

async function collectionCall(target: Json, name: string, args: Json): Promise<Json> {
  const {
    ids,
    query: made,
    documents,
    which,
    name: partition,
    prefix,
    fail_on_missing: failOnMissing,
    ...rest
  } = args;
  const options = camelKeys(rest);
  switch (name) {
    case 'get':
      return await target.get(ids, options);
    case 'query':
      return await target.query(made, options);
    case 'upsert':
      return await target.upsert(documents);
    case 'update':
      return await target.update(documents, ...(failOnMissing === undefined ? [] : [failOnMissing]));
    case 'delete':
      return await target.delete(which);
    case 'list_partitions':
      return await target.listPartitions(...(prefix === undefined ? [] : [prefix]));
    case 'delete_partition':
      return await target.deletePartition(partition);
    default:
      return await target[camel(name)](options);
  }
}

function datasetCall(target: Json, name: string, args: Json): Json {
  const { doc_id: id, file, metadata, ids, fields, handle, config, ...rest } = args;
  switch (name) {
    case 'upsert_file':
      return target.upsertFile(id, file, metadata);
    case 'update_metadata':
      return target.updateMetadata(id, metadata);
    case 'get_metadata':
      return target.getMetadata(ids, ...(fields === undefined ? [] : [fields]));
    case 'delete':
      return target.delete(id);
    case 'check_handle':
      return target.checkHandle(handle);
    case 'wait_for_handle':
      return target.waitForHandle(handle, ...(config === undefined ? [] : [camelKeys(config)]));
    default:
      return target[camel(name)](camelKeys({ fields, ...rest }));
  }
}

/** Members of the client's own objects are in camel case, those of documents as they were written. */
const neutral =
  (seen: Json) =>
  (name: string): string =>
    seen !== null && typeof seen === 'object' && !(name in seen) && camel(name) in seen ? camel(name) : name;

/** The value that a written one is read back as. */
function read(value: Json): Json {
  if (value instanceof data.List) return [...value.values];
  if (value instanceof data.Matrix) return value.rows;
  if (value instanceof data.Float) return value.value;
  if (value instanceof Date) return value.getTime();
  return value;
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one)) ?? String(value);

function same(seen: Json, expected: Json, at: string): void {
  if (!equal(seen, expected)) throw new Error(`${at} is ${show(seen)}, not ${show(expected)}`);
}

function equal(a: Json, b: Json): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-6 * Math.abs(b) + 1e-9;
  if (typeof a === 'bigint' || typeof b === 'bigint') return String(a) === String(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => name in b && equal(a[name], b[name]))
  );
}
