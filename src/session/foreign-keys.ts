/**
 * Foreign keys, checked when a statement has written all its rows: new rows must find the row they refer to,
 * and rows that others refer to are kept, or take the others with them. As in PostgreSQL, referential
 * actions are statements of their own, which the session runs within the transaction.
 */
import { present } from '../assert.ts';
import type { CatalogEdit } from '../catalog/edit.ts';
import {
  type Catalog,
  type Column,
  columnByAttribute,
  type ForeignKey,
  foreignKeys,
  type Index,
  type ReferentialAction,
  type Relation,
} from '../catalog/model.ts';
import { namespaceName } from '../catalog/lookup.ts';
import type { NewRows, RowAddress, Snapshot, Transaction } from '../engine/engine.ts';
import { SqlError } from '../errors.ts';
import { castById } from '../functions/registry.ts';
import { resolveCast } from '../functions/resolve.ts';
import { arrayDatum } from '../types/array.ts';
import type { Datum } from '../types/datum.ts';
import { quoteIdentifier } from '../types/quote.ts';
import { arrayOf, formatType, typeByOid } from '../types/registry.ts';
import { DEFAULT_SETTINGS } from '../types/settings.ts';
import { type RecordedWrite, recording } from './recorded-writes.ts';
import { runInternal } from './internal-statement.ts';
import type { StatementRunner } from './statement-runner.ts';

type Key = readonly Datum[];

interface Known {
  readonly catalog: Catalog;
  readonly keys: readonly ForeignKey[];
  readonly children: ReadonlySet<number>;
  readonly parents: ReadonlySet<number>;
}

interface Recorded {
  readonly transaction: Transaction;
  /** Null when there is no foreign key. */
  readonly check: ((signal: AbortSignal) => Promise<void>) | null;
}

/** Keys that are gone, with what became of them: null where the row was deleted. */
interface GoneKey {
  readonly key: Key;
  readonly now: Key | null;
}

export class ForeignKeyChecks {
  readonly #runner: StatementRunner;
  #known: Known | null = null;

  constructor(runner: StatementRunner) {
    this.#runner = runner;
  }

  record(transaction: Transaction): Recorded {
    const known = this.#of(transaction.catalog());
    if (known.keys.length === 0) return { transaction, check: null };
    const writes: RecordedWrite[] = [];
    return {
      transaction: recording(transaction, writes, known),
      check: (signal) => this.#check(transaction, writes.splice(0), signal),
    };
  }

  /** Rows that are there when a foreign key is added must keep it. @throws SqlError 23503. */
  async validate(edits: readonly CatalogEdit[], signal: AbortSignal): Promise<void> {
    for (const edit of edits) {
      if (edit.edit !== 'add constraint' || !edit.constraint.references || edit.notValid) continue;
      const key = this.#of(this.#runner.catalog()).keys.find(
        ({ child, constraint }) => child.oid === edit.relation && constraint.name === edit.constraint.name,
      );
      if (key === undefined) continue;
      const text = orphanQuery(this.#runner.catalog(), key);
      const batches = await runInternal(this.#runner, text, { types: [], parameters: [], signal });
      const found = batches.find((batch) => batch.length > 0);
      if (found !== undefined)
        throw notPresent(
          key,
          found.columns.map((column) => column.get(0)),
        );
    }
  }

  #of(catalog: Catalog): Known {
    if (this.#known?.catalog === catalog) return this.#known;
    const keys = foreignKeys(catalog);
    const children = new Set(keys.map(({ child }) => child.oid));
    const parents = new Set(keys.map(({ parent }) => parent.oid));
    this.#known = { catalog, keys, children, parents };
    return this.#known;
  }

  async #check(
    transaction: Transaction,
    writes: readonly RecordedWrite[],
    signal: AbortSignal,
  ): Promise<void> {
    if (writes.length === 0) return;
    const { keys } = this.#of(transaction.catalog());
    try {
      for (const key of keys) await checkNewRows(key, { transaction, writes, signal });
      for (const key of keys) {
        const gone = await goneKeys(key, transaction, writes);
        if (gone.length > 0) await this.#act(key, gone, signal);
      }
    } finally {
      for (const write of writes) if (write.kind === 'delete') write.before[Symbol.dispose]();
    }
  }

  async #act(key: ForeignKey, gone: readonly GoneKey[], signal: AbortSignal): Promise<void> {
    const { onDelete, onUpdate } = key.reference;
    const deleted = gone.filter(({ now }) => now === null);
    const changed = gone.filter(({ now }) => now !== null);
    if (deleted.length > 0) await this.#actOn(key, deleted, onDelete, signal);
    if (changed.length > 0) await this.#actOn(key, changed, onUpdate, signal);
  }

  async #actOn(
    key: ForeignKey,
    gone: readonly GoneKey[],
    action: ReferentialAction,
    signal: AbortSignal,
  ): Promise<void> {
    const statement = actionStatement(this.#of(this.#runner.catalog()).catalog, key, gone, action);
    const batches = await runInternal(this.#runner, statement.text, {
      ...statement,
      signal,
      newest: true,
    });
    if (action !== 'no action' && action !== 'restrict') return;
    const found = batches.find((batch) => batch.length > 0);
    if (found !== undefined)
      throw stillReferenced(
        key,
        action,
        found.columns.map((column) => column.get(0)),
      );
  }
}

// ───────────────────────────── new rows ─────────────────────────────

interface Checked {
  readonly transaction: Transaction;
  readonly writes: readonly RecordedWrite[];
  readonly signal: AbortSignal;
}

/**
 * Rows referred to are there, and locked so that they stay until the transaction ends.
 * @throws SqlError 23503 naming the key that is not there; 40001.
 */
async function checkNewRows(key: ForeignKey, { transaction, writes, signal }: Checked): Promise<void> {
  let wanted = newKeys(key, writes);
  while (wanted.length > 0) {
    using snapshot = transaction.snapshot();
    const find = finder(key, snapshot);
    const numbers = wanted.map((values) => {
      const found = find(values);
      if (found === null) throw notPresent(key, values);
      return found.rowNumber;
    });
    const newest = await transaction.lock(key.parent.oid, null, Float64Array.from(numbers), {
      mode: 'key share',
      wait: 'block',
      signal,
    });
    wanted = wanted.filter((_, i) => newest[i] !== numbers[i]);
  }
}

/** Keys of other rows that the statement wrote, each once where that is easily seen. */
function newKeys({ child, constraint }: ForeignKey, writes: readonly RecordedWrite[]): readonly Key[] {
  const keys: Key[] = [];
  const seen = new Set<string>();
  for (const write of writes) {
    if (write.kind !== 'insert' || write.relation !== child.oid) continue;
    const { changed } = write.rows;
    if (changed && !constraint.columns.some((attribute) => changed.has(attribute))) continue;
    const columns = constraint.columns.map((attribute) => write.rows.columns.get(attribute));
    for (let row = 0; row < write.rows.length; row++) {
      const values = columns.map((column) => column?.get(row) ?? null);
      if (!values.includes(null) && isNew(seen, values)) keys.push(values);
    }
  }
  return keys;
}

function isNew(seen: Set<string>, values: Key): boolean {
  const text = values.map(String).join('\u0000');
  if (values.some((value) => typeof value === 'object') || seen.has(text)) return !seen.has(text);
  seen.add(text);
  return true;
}

/** Where the referenced relation has a row of this key, given in the foreign key's order and types. */
function finder(
  { child, constraint, reference, parent }: ForeignKey,
  snapshot: Snapshot,
): (key: Key) => RowAddress | null {
  const now = present(snapshot.catalog.relations.get(parent.oid), `relation ${parent.oid}`);
  const index = present(uniqueIndex(now, reference.columns), 'unique index of a foreign key');
  const order = index.columns.map((attribute) => reference.columns.indexOf(attribute));
  const converts = order.map((at) =>
    converter(columnOf(child, constraint.columns[at]), columnOf(parent, reference.columns[at])),
  );
  return (key) => {
    const values = converted(key, order, converts);
    return values === null ? null : snapshot.lookup(parent.oid, null, index.oid, values);
  };
}

/** Null when a value is outside what the referenced column can hold: there is no such row. */
function converted(
  key: Key,
  order: readonly number[],
  converts: readonly ((value: Datum) => Datum)[],
): Datum[] | null {
  try {
    return order.map((at, i) => present(converts[i], 'conversion')(key[at] as Datum));
  } catch (error) {
    if (error instanceof SqlError && error.condition === 'numeric_value_out_of_range') return null;
    throw error;
  }
}

const uniqueIndex = (relation: Relation, columns: readonly number[]): Index | undefined =>
  relation.indexes.find(
    (index) =>
      index.unique &&
      index.columns.length === columns.length &&
      index.columns.every((attribute) => columns.includes(attribute)),
  );

const columnOf = (relation: Relation, attribute: number | undefined): Column =>
  present(columnByAttribute(relation, attribute ?? 0), `attribute ${attribute}`);

function converter(from: Column, to: Column): (value: Datum) => Datum {
  if (from.type.oid === to.type.oid) return (value) => value;
  const method = resolveCast(from.type.oid, to.type.oid, 'assignment');
  if (method === null || method === 'none' || method === 'text') return (value) => value;
  const { evaluate } = castById(method);
  return (value) => (evaluate === undefined ? value : (evaluate(value as never) as Datum));
}

// ───────────────────────────── rows that are gone ─────────────────────────────

/** Keys of the referenced relation that the statement took away, each once. */
async function goneKeys(
  key: ForeignKey,
  transaction: Transaction,
  writes: readonly RecordedWrite[],
): Promise<readonly GoneKey[]> {
  const { parent, reference } = key;
  const gone: GoneKey[] = [];
  using snapshot = transaction.snapshot();
  const self = { ...key, child: parent, constraint: { ...key.constraint, columns: reference.columns } };
  const find = finder(self, snapshot);
  const versions = newVersions(parent, writes);
  for (const write of writes) {
    if (write.kind !== 'delete' || write.relation !== parent.oid) continue;
    const old = await oldKeys(write, reference.columns);
    for (const [row, values] of old.entries()) {
      if (values.includes(null) || find(values) !== null) continue;
      const next = versions.get(write.rowNumbers[row] as number);
      const now = next
        ? reference.columns.map((attribute) => next.rows.columns.get(attribute)?.get(next.row) ?? null)
        : null;
      gone.push({ key: values, now });
    }
  }
  return gone;
}

/** What the statement wrote in place of rows, by their numbers. */
function newVersions(
  { oid }: Relation,
  writes: readonly RecordedWrite[],
): ReadonlyMap<number, { readonly rows: NewRows; readonly row: number }> {
  const versions = new Map<number, { rows: NewRows; row: number }>();
  for (const write of writes) {
    if (write.kind !== 'insert' || write.relation !== oid) continue;
    const { rows } = write;
    rows.replaces?.forEach((old, row) => {
      versions.set(old, { rows, row });
    });
  }
  return versions;
}

/** Values of the rows before they were deleted, in their order. */
async function oldKeys(
  { before, relation, partition, rowNumbers }: Extract<RecordedWrite, { kind: 'delete' }>,
  attributes: readonly number[],
): Promise<readonly Key[]> {
  const parts = before.parts(relation, partition, true);
  const keys: Key[] = [];
  for (const number of rowNumbers) {
    for (const part of parts) {
      const row = positionOf(part.rowNumbers, part.rowCount, number);
      if (row < 0) continue;
      const columns = await part.read(attributes, row, row + 1);
      keys.push(columns.map((column) => column.get(0)));
      break;
    }
  }
  return keys;
}

/** Binary search. @returns -1 when the number is not there. */
function positionOf(numbers: Float64Array, count: number, wanted: number): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = numbers[middle] as number;
    if (value === wanted) return middle;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

// ───────────────────────────── actions ─────────────────────────────

interface ActionStatement {
  readonly text: string;
  readonly types: readonly number[];
  readonly parameters: readonly Datum[];
}

/** The statement that a referential action is: a look for referring rows, or a change of them. */
function actionStatement(
  catalog: Catalog,
  key: ForeignKey,
  gone: readonly GoneKey[],
  action: ReferentialAction,
): ActionStatement {
  const { child, parent, reference, constraint } = key;
  const types = reference.columns.map((attribute) => columnOf(parent, attribute).type.oid);
  const names = constraint.columns.map((attribute) => quoteIdentifier(columnOf(child, attribute).name));
  const table = tableName(catalog, child);
  const cascades = action === 'cascade' && gone[0]?.now !== null;
  const lists = cascades
    ? [
        ...types.map((_, i) => gone.map((one) => one.key[i])),
        ...types.map((_, i) => gone.map((one) => one.now?.[i])),
      ]
    : types.map((_, i) => gone.map((one) => one.key[i]));
  const listTypes = cascades ? [...types, ...types] : types;
  const keys = `(SELECT ${lists.map((_, i) => `a${i}.v AS k${i}`).join(', ')} FROM ${unnested(listTypes)}) AS k`;
  const matching = names.map((name, i) => `c.${name} = k.k${i}`).join(' AND ');
  const set = (value: (i: number) => string): string =>
    `UPDATE ${table} AS c SET ${names.map((name, i) => `${name} = ${value(i)}`).join(', ')} FROM ${keys} WHERE ${matching}`;
  const texts: Readonly<Record<ReferentialAction, () => string>> = {
    'no action': () =>
      `SELECT ${names.map((_, i) => `k.k${i}`).join(', ')} FROM ${table} AS c, ${keys} WHERE ${matching} LIMIT 1`,
    restrict: () => texts['no action'](),
    cascade: () =>
      cascades
        ? set((i) => `k.k${types.length + i}`)
        : `DELETE FROM ${table} AS c USING ${keys} WHERE ${matching}`,
    'set null': () => set(() => 'NULL'),
    'set default': () => set(() => 'DEFAULT'),
  };
  return {
    text: texts[action](),
    types: listTypes.map((oid) => present(arrayOf(oid), `array of type ${oid}`).oid),
    parameters: lists.map((list, i) =>
      arrayDatum(
        listTypes[i] as number,
        list.map((value) => value ?? null),
      ),
    ),
  };
}

const tableName = (catalog: Catalog, { namespace, name }: Relation): string =>
  `${quoteIdentifier(namespaceName(catalog, namespace) ?? 'public')}.${quoteIdentifier(name)}`;

/** The key of one row that refers to nothing. */
function orphanQuery(catalog: Catalog, { child, constraint, parent, reference }: ForeignKey): string {
  const names = constraint.columns.map(
    (attribute) => `c.${quoteIdentifier(columnOf(child, attribute).name)}`,
  );
  const keys = reference.columns.map((attribute) => `p.${quoteIdentifier(columnOf(parent, attribute).name)}`);
  const given = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const same = names.map((name, i) => `${name} = ${keys[i]}`).join(' AND ');
  const found = `SELECT 1 FROM ${tableName(catalog, parent)} AS p WHERE ${same}`;
  const from = `${tableName(catalog, child)} AS c`;
  return `SELECT ${names.join(', ')} FROM ${from} WHERE ${given} AND NOT EXISTS (${found}) LIMIT 1`;
}

/** `unnest($1) WITH ORDINALITY AS a0 (v, n) JOIN …`: the parameters' elements side by side. */
function unnested(types: readonly number[]): string {
  const list = (i: number): string => {
    const type = formatType({ oid: types[i] as number, modifier: -1 });
    return `unnest($${i + 1}::${type}[]) WITH ORDINALITY AS a${i} (v, n)`;
  };
  return types.map((_, i) => (i === 0 ? list(i) : `JOIN ${list(i)} ON a${i}.n = a0.n`)).join(' ');
}

// ───────────────────────────── errors ─────────────────────────────

function notPresent({ child, constraint, parent }: ForeignKey, key: Key): SqlError {
  return new SqlError(
    'foreign_key_violation',
    `insert or update on table "${child.name}" violates foreign key constraint "${constraint.name}"`,
    {
      detail: `Key ${keyText(child, constraint.columns, key)} is not present in table "${parent.name}".`,
      table: child.name,
      constraint: constraint.name,
    },
  );
}

function stillReferenced(foreignKey: ForeignKey, action: ReferentialAction, key: Key): SqlError {
  const { child, constraint, parent, reference } = foreignKey;
  const restrict = action === 'restrict';
  const violates = restrict ? 'violates RESTRICT setting of' : 'violates';
  const text = keyText(parent, reference.columns, key);
  return new SqlError(
    restrict ? 'restrict_violation' : 'foreign_key_violation',
    `update or delete on table "${parent.name}" ${violates} foreign key constraint "${constraint.name}" on table "${child.name}"`,
    {
      detail: `Key ${text} is ${restrict ? '' : 'still '}referenced from table "${child.name}".`,
      table: child.name,
      constraint: constraint.name,
    },
  );
}

/** `(a, b)=(1, x)`. */
function keyText(relation: Relation, attributes: readonly number[], key: Key): string {
  const columns = attributes.map((attribute) => columnOf(relation, attribute));
  const values = columns.map((column, i) => formatted(column, key[i] as Datum));
  return `(${columns.map((column) => column.name).join(', ')})=(${values.join(', ')})`;
}

const formatted = (column: Column, value: Datum): string =>
  value === null ? 'null' : typeByOid(column.type.oid).format(value, DEFAULT_SETTINGS);
