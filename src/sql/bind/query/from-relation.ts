/** A name in FROM: a common table, a stored relation, a view, or a relation of the system catalog. */
import { liveColumns, type Relation } from '../../../catalog/model.ts';
import type { PolicyCommand } from '../../../catalog/access/model.ts';
import { findSystemRelation } from '../../../catalog/system/registry.ts';
import { PRIVILEGE, type Privileges } from '../../../catalog/access/privileges.ts';
import { assert, present } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import type { CommonTableScan, SystemScan } from '../../../plan/plan.ts';
import { type BindContext, bindQuery, bindRowRule } from '../context.ts';
import type { Alias, FromItem, Query, QualifiedName } from '../../ast.ts';
import { parseStatements } from '../../parse/parse.ts';
import { type Draft, type DraftColumn, reference, type ScanDraft } from '../draft.ts';
import { checkAliasWidth, namedItem } from './from-item.ts';
import { isLocking, lockOf } from './locking.ts';
import { findStored, isSystemSchema, relationNotFound, viewContext, writtenName } from '../names.ts';
import type { FromResult, Level, ScopeColumn, ScopeItem } from '../level.ts';
import { inStored, inView, type RelationUse, useRelation, useSystemRelation, wantWhole } from '../rights.ts';
import { newId } from '../state.ts';
import { findCommonTable, refuseLater } from './common-tables.ts';

type RelationItem = Extract<FromItem, { kind: 'relation' }>;

export function bindRelationItem(level: Level, item: RelationItem): FromResult {
  const name = item.relation;
  const { context } = level.state;
  const table =
    name.schema === null && name.partition === null
      ? findCommonTable(level.commonTables, name.name)
      : undefined;
  const alias = item.alias ?? { name: writtenName(name), columns: [] };
  if (table) {
    if (!table.readable) {
      const message = `WITH query "${table.name}" does not have a RETURNING clause`;
      throw new SqlError('feature_not_supported', message, { position: name.at });
    }
    table.scans++;
    const output = freshColumns(level, table.columns);
    for (const [i, { id }] of output.entries()) {
      if (level.state.ranking.has(table.columns[i]?.id ?? -1)) level.state.ranking.add(id);
    }
    const plan: CommonTableScan<Draft> = { kind: 'cte', id: table.id, output };
    return namedItem(level, plan, alias);
  }
  const system = findSystem(level, name);
  if (system) {
    useSystemRelation(level.state, system);
    const columns = system.columns.map((column, i) => {
      return { name: column.name, type: column.type, relation: system.oid, attribute: i + 1 };
    });
    const plan: SystemScan<Draft> = {
      kind: 'system',
      relation: system.oid,
      output: freshColumns(level, columns),
    };
    const result = namedItem(level, plan, alias);
    return {
      ...result,
      items: result.items.map((entry) => ({ ...entry, schema: system.schema, oid: system.oid })),
    };
  }
  const relation = findStored(namesInSight(level), name);
  if (!relation) {
    if (name.schema === null) refuseLater(level.commonTables, name);
    throw relationNotFound(context, name);
  }
  if (relation.kind === 'view') return bindView(level, relation, alias);
  if (relation.kind === 'sequence') return bindSequence(level, relation, alias);
  const rowNumber = level.marks || isLocking(level.locking);
  if (relation.kind === 'materialized view' && lockOf(level.locking, alias.name) !== null) {
    const message = `cannot lock rows in materialized view "${relation.name}"`;
    throw new SqlError('wrong_object_type', message);
  }
  const use = useRelation(level.state, relation, readBy(level, alias.name));
  const locks = lockOf(level.locking, alias.name) !== null;
  const commands = locks ? (['select', 'update'] as const) : READ;
  const result = scanRelation(level, relation, { name, alias: item.alias, rowNumber, use, commands });
  if (rowNumber) level.marked.push({ scan: result.plan, alias: alias.name });
  return result;
}

/** Inside a view its names are in sight. */
function namesInSight({ state: { context, views } }: Level): BindContext {
  const view = context.catalog.relations.get(views.at(-1) ?? 0);
  return view === undefined ? context : viewContext(context, view);
}

/** Catalog relations need no schema unless a stored relation of the search path comes first. */
function findSystem(level: Level, name: QualifiedName): ReturnType<typeof findSystemRelation> {
  if (name.partition !== null) return undefined;
  if (name.schema !== null) {
    return isSystemSchema(name.schema) ? findSystemRelation(name.schema, name.name) : undefined;
  }
  const path = level.state.context.searchPath;
  const explicit = path.indexOf('pg_catalog');
  if (explicit > 0 && findStored(level.state.context, name)) return undefined;
  return findSystemRelation('pg_catalog', name.name);
}

function freshColumns(level: Level, columns: readonly Omit<DraftColumn, 'id'>[]): readonly DraftColumn[] {
  return columns.map(({ name, type, relation, attribute }) => {
    return { id: newId(level.state), name, type, relation, attribute };
  });
}

function bindView(level: Level, relation: Relation, alias: Alias): FromResult {
  const { state } = level;
  if (state.context.restrictedViews) {
    const message = `access to non-system view "${relation.name}" is restricted`;
    throw new SqlError('object_not_in_prerequisite_state', message);
  }
  if (state.views.includes(relation.oid)) {
    throw new SqlError('invalid_object_definition', `infinite recursion detected in view "${relation.name}"`);
  }
  state.views.push(relation.oid);
  const lock = lockOf(level.locking, alias.name);
  const use = useRelation(state, relation, readBy(level, alias.name));
  const { plan } = inView(state, relation, () =>
    bindQuery({ state, parent: null, commonTables: null, lock }, viewQuery(relation)),
  );
  state.views.pop();
  const names = liveColumns(relation).map((column) => column.name);
  const columns = names.map((name, i) => alias.columns[i] ?? name);
  const result = namedItem(level, plan, { name: alias.name, columns });
  return usedItem(result, use, liveColumns(relation));
}

/** SELECT … FOR UPDATE asks for UPDATE, on any column. */
const readBy = (level: Level, alias: string): Privileges =>
  lockOf(level.locking, alias) === null ? PRIVILEGE.select : PRIVILEGE.select | PRIVILEGE.update;

/** The entry as the use of a relation whose columns are these. */
function usedItem(
  { plan, items }: FromResult,
  use: RelationUse,
  live: readonly { readonly attribute: number }[],
): FromResult {
  const [item] = items;
  const entry = present(item, 'an entry of FROM');
  const columns = entry.columns.map((column, i): ScopeColumn => {
    return { ...column, used: { use, attribute: live[i]?.attribute ?? 0 } };
  });
  return { plan, items: [{ ...entry, columns, use }], columns };
}

/** The one row of a sequence. PostgreSQL's log_cnt counts numbers logged ahead: here there are none. */
function bindSequence(level: Level, sequence: Relation, alias: Alias): FromResult {
  const { oid } = sequence;
  wantWhole(useRelation(level.state, sequence, 0), PRIVILEGE.select);
  const definition =
    'SELECT last_value, 0::bigint AS log_cnt, is_called ' +
    `FROM pg_catalog.pg_get_sequence_data('${oid}'::pg_catalog.regclass)`;
  const { plan } = inStored(level.state, () =>
    bindQuery({ state: level.state, parent: null, commonTables: null }, queryOf(definition)),
  );
  const columns = ['last_value', 'log_cnt', 'is_called'].map((name, i) => alias.columns[i] ?? name);
  return namedItem(level, plan, { name: alias.name, columns });
}

/** Query of a text that we have written. */
export function queryOf(text: string): Query {
  const [parsed] = parseStatements(text);
  assert(parsed?.statement.kind === 'query', 'our own text is a query');
  return parsed.statement.query;
}

export function viewQuery(relation: Relation): Query {
  const [parsed] = parseStatements(relation.definition ?? '');
  if (parsed?.statement.kind === 'query') return parsed.statement.query;
  throw new SqlError('data_corrupted', `view "${relation.name}" has no query`);
}

const READ = ['select'] as const;

/** Its attribute number in PostgreSQL. */
const CTID = -1;

export interface ScanOptions {
  readonly name: QualifiedName;
  readonly alias: Alias | null;
  readonly rowNumber?: boolean;
  /** Undefined: nothing is asked for what is read of it. */
  readonly use: RelationUse | undefined;
  /** Commands whose policies rows have to pass; absent: SELECT. */
  readonly commands?: readonly Exclude<PolicyCommand, 'all'>[];
}

/** A scan of a stored relation with all its live columns; `settle.ts` keeps those that are read. */
export function scanRelation(level: Level, relation: Relation, options: ScanOptions): FromResult<ScanDraft> {
  const { name, alias, use } = options;
  const { state } = level;
  const live = liveColumns(relation);
  checkAliasWidth(alias, live.length);
  const output = live.map((column): DraftColumn => {
    const { type, attribute } = column;
    return { id: newId(state), name: column.name, type, relation: relation.oid, attribute };
  });
  const scan: ScanDraft = {
    kind: 'scan',
    relation: relation.oid,
    partition: name.partition,
    columns: live.map((column) => column.attribute),
    arms: [],
    armColumns: [],
    rowNumber: options.rowNumber ?? false,
    rowNumberId: newId(state),
    rule: bindRowRule(level, relation, { partition: name.partition, commands: options.commands ?? READ }),
    filter: null,
    lookup: null,
    topK: null,
    output,
  };
  if (use) state.scanUses.set(scan, use);
  const ids = output.map((column) => column.id);
  const item = relationItem(level, { relation, scan, ids, name, alias, use });
  const origin = { undeclared: false, relation: relation.oid, attribute: CTID, scan: null };
  state.columns.set(scan.rowNumberId, { level, table: item.alias, name: 'ctid', ...origin });
  return { plan: scan, items: [item], columns: item.columns };
}

/** The names of a stored relation's columns over the given ids, in the order of its live columns. */
export function relationItem(
  level: Level,
  options: {
    readonly relation: Relation;
    readonly scan: ScanDraft | null;
    readonly ids: readonly number[];
    readonly name: QualifiedName;
    readonly alias: Alias | null;
    /** Undefined: nothing is asked for what is read of it. */
    readonly use: RelationUse | undefined;
  },
): ScopeItem {
  const { relation, scan, ids, name, alias, use } = options;
  const table = alias?.name ?? writtenName(name);
  const columns = liveColumns(relation).map((column, i): ScopeColumn => {
    const id = ids[i] ?? 0;
    const origin = { relation: relation.oid, attribute: column.attribute };
    const named = alias?.columns[i] ?? column.name;
    const { undeclared } = column;
    level.state.columns.set(id, { level, table, name: named, undeclared, ...origin, scan });
    const used = use && { use, attribute: column.attribute };
    return {
      name: named,
      expression: reference(id, column.type),
      undeclared,
      ...origin,
      ...(used && { used }),
    };
  });
  return {
    alias: table,
    schema: name.schema,
    columns,
    relation,
    scan,
    oid: relation.oid,
    originalName: relation.name,
    ...(use && { use }),
  };
}
