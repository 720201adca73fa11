/**
 * Statements that concern the session only: one row per kind says what it does beside, what it returns and how it runs. They are
 * never bound to a plan, except for the statement inside an EXPLAIN, a cursor or a prepared statement.
 */
import { findRelation } from '../../catalog/lookup.ts';
import { hasRows } from '../../catalog/model.ts';
import type { Engine } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { Effect } from '../../functions/function.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { QualifiedName, SessionStatement, Statement as Tree } from '../../sql/ast.ts';
import { OID } from '../../types/oids.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { alterDataset, createDataset, dropDataset } from '../datasets/definitions.ts';
import { createEvaluation, dropEvaluation } from '../evaluation/definitions.ts';
import { evaluate, evaluateColumns } from '../evaluation/evaluate.ts';
import { copy } from '../copy/statement.ts';
import { analyze, type AnalyzeTarget } from './analyze.ts';
import { closeCursor, declareCursor, fetchColumns, fetchRows } from './cursor-statements.ts';
import { explain, explainColumns } from './explain-statement.ts';
import { deallocate, executeColumns, executePrepared, prepareStatement } from './prepare-statements.ts';
import { alterKey, alterKeyColumns, createKey, dropKey, KEY_COLUMNS } from './key-statements.ts';
import { lock, lockEffect } from './lock-statement.ts';
import {
  checkpointRights,
  createDatasetRights,
  datasetOwnerRights,
  lockRights,
  maintained,
  reindexRights,
  vacuumRights,
} from './statement-rights.ts';
import { refuseStatement } from '../scope/key-limits.ts';
import { column, FixedResult, type Running } from '../running/running.ts';
import { setConstraints } from './set-constraints.ts';
import { settingText, unknownSetting } from '../settings/settings.ts';
import { discardTemporary } from './temporary.ts';
import type { SessionState } from '../session-state.ts';
import {
  type StatementCall,
  type StatementKind,
  type StatementOf,
  warnNoTransaction,
} from './statement-call.ts';
import type { TransactionBlock } from '../transaction/transaction-block.ts';
import { runTransactionStatement } from './transaction-statements.ts';

interface Row<K extends StatementKind> {
  /** Effect beside its answer; of a statement that runs another one, that other one has its own. */
  readonly effect: Effect | ((tree: StatementOf<K>) => Effect);
  /** Name where it is refused; absent: its kind. */
  readonly title?: string;
  /** Null when it returns no rows; absent: it never does. */
  readonly columns?: (session: SessionState, tree: StatementOf<K>) => readonly OutputColumn[] | null;
  /** Asks for the rights of the session's role; `inner`: those of the statement inside, or of its plan, are all. */
  readonly rights: 'none' | 'inner' | ((call: StatementCall<K>) => void);
  readonly run: (call: StatementCall<K>) => Running | Promise<Running>;
}

type SessionKind = SessionStatement['kind'] | 'copy';

const TABLE: { readonly [K in SessionKind]: Row<K> } = {
  transaction: { effect: 'session', rights: 'none', run: runTransactionStatement },
  set: { effect: 'session', rights: 'none', run: runSet },
  show: {
    effect: 'none',
    rights: 'none',
    columns: (_, tree) => showColumns(tree.name),
    run: ({ session, tree }) => runShow(session, tree.name),
  },
  explain: { effect: 'none', rights: 'inner', columns: (_, tree) => explainColumns(tree), run: explain },
  prepare: { effect: 'session', rights: 'none', run: prepareStatement },
  execute: { effect: 'none', rights: 'inner', columns: executeColumns, run: executePrepared },
  deallocate: { effect: 'session', rights: 'none', run: deallocate },
  'declare cursor': { effect: 'session', rights: 'inner', run: declareCursor },
  fetch: { effect: 'session', rights: 'none', columns: fetchColumns, run: fetchRows },
  'close cursor': { effect: 'session', rights: 'none', run: closeCursor },
  discard: { effect: 'session', rights: 'none', run: ({ session, tree }) => discard(session, tree.target) },
  listen: {
    effect: 'server',
    rights: 'none',
    run: ({ session, tree }) => {
      session.notifications.listen(tree.channel);
      return new FixedResult('LISTEN');
    },
  },
  unlisten: {
    effect: 'session',
    rights: 'none',
    run: ({ session, tree }) => {
      session.notifications.unlisten(tree.channel);
      return new FixedResult('UNLISTEN');
    },
  },
  notify: {
    effect: 'server',
    rights: 'none',
    run: ({ session, tree }) => {
      session.notifications.notify(tree.channel, tree.payload);
      return new FixedResult('NOTIFY');
    },
  },
  copy: {
    effect: ({ direction }) => (direction === 'from' ? 'data' : 'none'),
    title: 'COPY FROM',
    rights: 'inner',
    run: copy,
  },
  lock: { effect: ({ mode }) => lockEffect(mode), title: 'LOCK TABLE', rights: lockRights, run: lock },
  'set constraints': { effect: 'session', rights: 'none', run: setConstraints },
  // Relations that are not one's own to maintain are passed over.
  analyze: { effect: 'server', rights: 'inner', run: (call) => vacuum(call, 'ANALYZE') },
  vacuum: { effect: 'server', rights: vacuumRights, run: (call) => vacuum(call, 'VACUUM') },
  reindex: { effect: 'server', rights: reindexRights, run: reindex },
  checkpoint: { effect: 'server', rights: checkpointRights, run: checkpoint },
  'create dataset': { effect: 'data', rights: createDatasetRights, run: createDataset },
  'alter dataset': { effect: 'data', rights: datasetOwnerRights, run: alterDataset },
  'drop dataset': { effect: 'data', rights: datasetOwnerRights, run: dropDataset },
  // Whoever may read what they ask has evaluations of its own.
  'create evaluation': { effect: 'data', rights: 'inner', run: createEvaluation },
  'drop evaluation': { effect: 'data', rights: 'none', run: dropEvaluation },
  evaluate: {
    effect: 'data',
    rights: 'inner',
    columns: (_, tree) => evaluateColumns(tree),
    run: evaluate,
  },
  // They ask who may give and take keys by the roles of the keys.
  'create key': {
    effect: 'server',
    title: 'CREATE API KEY',
    rights: 'none',
    columns: () => KEY_COLUMNS,
    run: createKey,
  },
  'alter key': {
    effect: 'server',
    title: 'ALTER API KEY',
    rights: 'none',
    columns: (_, tree) => alterKeyColumns(tree),
    run: alterKey,
  },
  'drop key': { effect: 'server', title: 'DROP API KEY', rights: 'none', run: dropKey },
};

export function isSessionStatement(tree: Tree): tree is StatementOf<SessionKind> {
  return tree.kind in TABLE;
}

export function describeSessionStatement(
  session: SessionState,
  tree: StatementOf<SessionKind>,
): readonly OutputColumn[] | null {
  return rowOf(tree).columns?.(session, tree) ?? null;
}

export function runSessionStatement(call: StatementCall<SessionKind>): Running | Promise<Running> {
  const { session, tree } = call;
  const { effect, rights, title = tree.kind.toUpperCase(), run } = rowOf(tree);
  refuseStatement(session, tree, title);
  session.allow(typeof effect === 'string' ? effect : effect(tree), title);
  if (typeof rights !== 'string') rights(call);
  return run(call);
}

/** The table's type ties each row to its kind; the lookup by a variable kind cannot say so. */
function rowOf(tree: StatementOf<SessionKind>): Row<StatementKind> {
  return TABLE[tree.kind] as unknown as Row<StatementKind>;
}

function showColumns(name: string): readonly OutputColumn[] {
  if (name.toLowerCase() !== 'all') return [column(canonicalName(name), OID.text)];
  return ['name', 'setting', 'description'].map((title) => column(title, OID.text));
}

/** SHOW's column is headed by the setting's own spelling. */
function canonicalName(name: string): string {
  const spelled = ['TimeZone', 'DateStyle', 'IntervalStyle'];
  return spelled.find((known) => known.toLowerCase() === name.toLowerCase()) ?? name.toLowerCase();
}

function runShow(session: SessionState, name: string): Running {
  const columns = showColumns(name);
  if (name.toLowerCase() === 'all') {
    const rows = session.settings.all().map((row) => [row.name, row.value, row.summary]);
    return new FixedResult('SHOW', columns, rows);
  }
  const value = session.showSetting(name);
  if (value === null) throw unknownSetting(name);
  return new FixedResult('SHOW', columns, [[value]]);
}

function runSet({ session, statement, tree }: StatementCall<'set'>): Running {
  const { name, values, local, reset } = tree;
  if (local && !session.block.inBlock) {
    warnNoTransaction(statement, 'SET LOCAL');
    return new FixedResult('SET');
  }
  const tag = reset ? 'RESET' : 'SET';
  if (name.toLowerCase() === 'all') {
    session.settings.resetAll();
    return new FixedResult('RESET');
  }
  const text = values === null ? null : settingText(name, values);
  if (!setTransactionMode(session.block, name, text)) session.setSetting(name, text, local);
  return new FixedResult(tag);
}

/** `SET transaction_isolation = …` is SET TRANSACTION under another name. */
function setTransactionMode(block: TransactionBlock, name: string, value: string | null): boolean {
  const none = { isolation: null, readOnly: null, deferrable: null };
  const isOn = /^(on|true|yes|1)$/i.test(value ?? '');
  switch (name.toLowerCase()) {
    case 'transaction_isolation':
      if (value !== null)
        block.setModes({ ...none, isolation: value.toLowerCase() as typeof block.isolation });
      return true;
    case 'transaction_read_only':
      if (value !== null) block.setModes({ ...none, readOnly: isOn });
      return true;
    case 'transaction_deferrable':
      if (value !== null) block.setModes({ ...none, deferrable: isOn });
      return true;
    default:
      return false;
  }
}

async function discard(session: SessionState, target: StatementOf<'discard'>['target']): Promise<Running> {
  if (target === 'all') {
    if (session.block.inBlock) {
      throw new SqlError('active_sql_transaction', 'DISCARD ALL cannot run inside a transaction block');
    }
    await session.cursors.closeAll();
    session.locks.unlockAll();
    session.prepared.clear();
    session.setSetting('session_authorization', null, false);
    session.settings.resetAll();
    session.notifications.unlisten(null);
  }
  if (target === 'all' || target === 'temp') {
    await discardTemporary(session.block.require(), session.temporarySchema);
  }
  if (target === 'all' || target === 'sequences') session.block.takenNumbers.clear();
  if (target === 'all' || target === 'plans') session.planner.clear();
  return new FixedResult(`DISCARD ${target.toUpperCase()}`);
}

function requireRelations(session: SessionState, names: readonly QualifiedName[]): void {
  for (const { schema, name } of names) relationOid(session, schema, name);
}

/** @throws SqlError 42P01. */
function relationOid(session: SessionState, schema: string | null, name: string): number {
  const written =
    schema === null ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  const oid = session.catalogServices().relationOid(written);
  if (oid === null) throw new SqlError('undefined_table', `relation "${name}" does not exist`);
  return oid;
}

/** The head becomes segments now. */
async function checkpoint({ session }: StatementCall<'checkpoint'>): Promise<Running> {
  await session.environment.engine.flush();
  return new FixedResult('CHECKPOINT');
}

/** Makes what the indexes of the named relations keep anew, also when an index is named. */
async function reindex(call: StatementCall<'reindex'>): Promise<Running> {
  const { session, statement, tree } = call;
  const { engine } = session.environment;
  const relations = [...session.catalog().relations.values()];
  for (const { schema, name } of tree.names) {
    const oid = relationOid(session, schema, name);
    const relation = relations.find((found) => found.oid === oid || found.indexes.some((i) => i.oid === oid));
    if (relation === undefined || !hasRows(relation)) continue;
    await engine.buildIndexes(relation.oid, {
      index: relation.oid === oid ? 0 : oid,
      command: 'REINDEX',
      processId: session.processId,
      renews: true,
      stops: true,
      signal: statement.signal,
    });
  }
  return new FixedResult('REINDEX');
}

async function vacuum(call: StatementCall<'analyze' | 'vacuum'>, tag: string): Promise<Running> {
  const { session, statement, tree } = call;
  if (tag === 'VACUUM' && session.block.inBlock) {
    throw new SqlError('active_sql_transaction', 'VACUUM cannot run inside a transaction block');
  }
  requireRelations(session, tree.names);
  const word = tag.toLowerCase();
  const { engine, nowMs } = session.environment;
  const targets = maintained(call, rowTargets(session, tree), word);
  if (tag === 'VACUUM') {
    await (tree.full ? compactAll(engine) : engine.clean(targets.map(({ relation }) => relation.oid)));
  }
  if (!tree.analyze) return new FixedResult(tag);
  for (const target of targets) {
    await analyze(engine, target, { signal: statement.signal, now: nowMs });
  }
  return new FixedResult(tag);
}

async function compactAll(engine: Engine): Promise<void> {
  await engine.flush();
  await engine.compact();
}

/** Relations with rows that are named, or all. */
function rowTargets(
  session: SessionState,
  { names, columns }: StatementOf<'analyze'>,
): readonly AnalyzeTarget[] {
  const catalog = session.environment.engine.catalog();
  if (names.length === 0) {
    return [...catalog.relations.values()].filter(hasRows).map((relation) => ({ relation, columns: null }));
  }
  return names.flatMap(({ schema, name }, i) => {
    const relation = findRelation(catalog, schema, name, session.searchPath());
    return relation !== undefined && relation !== null && hasRows(relation)
      ? [{ relation, columns: columns[i] ?? null }]
      : [];
  });
}
