/**
 * Statements that concern the session only: one row per kind says what it does beside, what it returns and how it runs. They are
 * never bound to a plan, except for the statement inside an EXPLAIN, a cursor or a prepared statement.
 */
import { findRelation } from '../../catalog/lookup.ts';
import { hasRows } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { Effect } from '../../functions/function.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { QualifiedName, SessionStatement, Statement } from '../../sql/ast.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
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
import { lock, lockEffect } from './lock-statement.ts';
import { column, FixedResult, type Running } from '../running/running.ts';
import { setConstraints } from './set-constraints.ts';
import { settingText, unknownSetting } from '../settings/settings.ts';
import { discardTemporary } from './temporary.ts';
import type { Runner, RunRequest } from '../running/runner.ts';
import {
  type StatementCall,
  type StatementKind,
  type StatementOf,
  warnNoTransaction,
} from './statement-call.ts';
import { runTransactionStatement } from './transaction-statements.ts';

interface Row<K extends StatementKind> {
  /** Effect beside its answer; of a statement that runs another one, that other one has its own. */
  readonly effect: Effect | ((statement: StatementOf<K>) => Effect);
  /** Name where it is refused; absent: its kind. */
  readonly title?: string;
  /** Null when it returns no rows; absent: it never does. */
  readonly columns?: (runner: Runner, statement: StatementOf<K>) => readonly OutputColumn[] | null;
  readonly run: (call: StatementCall<K>) => Running | Promise<Running>;
}

type SessionKind = SessionStatement['kind'] | 'copy';

const TABLE: { readonly [K in SessionKind]: Row<K> } = {
  transaction: { effect: 'session', run: runTransactionStatement },
  set: { effect: 'session', run: ({ runner, statement }) => runSet(runner, statement) },
  show: {
    effect: 'none',
    columns: (_, statement) => showColumns(statement.name),
    run: ({ runner, statement }) => runShow(runner, statement.name),
  },
  explain: { effect: 'none', columns: (_, statement) => explainColumns(statement), run: explain },
  prepare: { effect: 'session', run: prepareStatement },
  execute: { effect: 'none', columns: executeColumns, run: executePrepared },
  deallocate: { effect: 'session', run: deallocate },
  'declare cursor': { effect: 'session', run: declareCursor },
  fetch: { effect: 'session', columns: fetchColumns, run: fetchRows },
  'close cursor': { effect: 'session', run: closeCursor },
  discard: { effect: 'session', run: ({ runner, statement }) => discard(runner, statement.target) },
  listen: {
    effect: 'server',
    run: ({ runner, statement }) => {
      runner.notifications.listen(statement.channel);
      return new FixedResult('LISTEN');
    },
  },
  unlisten: {
    effect: 'session',
    run: ({ runner, statement }) => {
      runner.notifications.unlisten(statement.channel);
      return new FixedResult('UNLISTEN');
    },
  },
  notify: {
    effect: 'server',
    run: ({ runner, statement }) => {
      runner.notifications.notify(statement.channel, statement.payload);
      return new FixedResult('NOTIFY');
    },
  },
  copy: {
    effect: ({ direction }) => (direction === 'from' ? 'data' : 'none'),
    title: 'COPY FROM',
    run: copy,
  },
  lock: { effect: ({ mode }) => lockEffect(mode), title: 'LOCK TABLE', run: lock },
  'set constraints': { effect: 'session', run: setConstraints },
  analyze: { effect: 'server', run: (call) => vacuum(call, 'ANALYZE') },
  vacuum: { effect: 'server', run: (call) => vacuum(call, 'VACUUM') },
  reindex: { effect: 'server', run: reindex },
  checkpoint: { effect: 'server', run: checkpoint },
  'create dataset': { effect: 'data', run: createDataset },
  'alter dataset': { effect: 'data', run: alterDataset },
  'drop dataset': { effect: 'data', run: dropDataset },
  'create evaluation': { effect: 'data', run: createEvaluation },
  'drop evaluation': { effect: 'data', run: dropEvaluation },
  evaluate: { effect: 'data', columns: (_, statement) => evaluateColumns(statement), run: evaluate },
};

export function isSessionStatement(statement: Statement): statement is StatementOf<SessionKind> {
  return statement.kind in TABLE;
}

export function describeSessionStatement(
  runner: Runner,
  statement: StatementOf<SessionKind>,
): readonly OutputColumn[] | null {
  const row = rowOf(statement);
  return row.columns?.(runner, statement) ?? null;
}

export function runSessionStatement(
  runner: Runner,
  parsed: ParsedStatement,
  statement: StatementOf<SessionKind>,
  request: RunRequest,
): Running | Promise<Running> {
  const { effect, title = statement.kind.toUpperCase(), run } = rowOf(statement);
  runner.allow(typeof effect === 'string' ? effect : effect(statement), title);
  return run({ runner, parsed, statement, request });
}

/** The table's type ties each row to its kind; the lookup by a variable kind cannot say so. */
function rowOf(statement: StatementOf<SessionKind>): Row<StatementKind> {
  return TABLE[statement.kind] as unknown as Row<StatementKind>;
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

function runShow(runner: Runner, name: string): Running {
  const columns = showColumns(name);
  if (name.toLowerCase() === 'all') {
    const rows = runner.settings.all().map((row) => [row.name, row.value, row.summary]);
    return new FixedResult('SHOW', columns, rows);
  }
  const value = runner.showSetting(name);
  if (value === null) throw unknownSetting(name);
  return new FixedResult('SHOW', columns, [[value]]);
}

function runSet(runner: Runner, { name, values, local, reset }: StatementOf<'set'>): Running {
  if (local && !runner.block.inBlock) {
    warnNoTransaction(runner, 'SET LOCAL');
    return new FixedResult('SET');
  }
  const tag = reset ? 'RESET' : 'SET';
  if (name.toLowerCase() === 'all') {
    runner.settings.resetAll();
    return new FixedResult('RESET');
  }
  const text = values === null ? null : settingText(name, values);
  if (!setTransactionMode(runner, name, text)) runner.setSetting(name, text, local);
  return new FixedResult(tag);
}

/** `SET transaction_isolation = …` is SET TRANSACTION under another name. */
function setTransactionMode(runner: Runner, name: string, value: string | null): boolean {
  const { block } = runner;
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

async function discard(runner: Runner, target: StatementOf<'discard'>['target']): Promise<Running> {
  if (target === 'all') {
    if (runner.block.inBlock) {
      throw new SqlError('active_sql_transaction', 'DISCARD ALL cannot run inside a transaction block');
    }
    await runner.cursors.closeAll();
    runner.locks.unlockAll();
    runner.statements.clear();
    runner.settings.resetAll();
    runner.notifications.unlisten(null);
  }
  if (target === 'all' || target === 'temp') {
    await discardTemporary(runner.block.require(), runner.temporarySchema);
  }
  if (target === 'all' || target === 'sequences') runner.block.takenNumbers.clear();
  if (target === 'all' || target === 'plans') runner.planner.clear();
  return new FixedResult(`DISCARD ${target.toUpperCase()}`);
}

function requireRelations(runner: Runner, names: readonly QualifiedName[]): void {
  for (const { schema, name } of names) relationOid(runner, schema, name);
}

/** @throws SqlError 42P01. */
function relationOid(runner: Runner, schema: string | null, name: string): number {
  const written =
    schema === null ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  const oid = runner.catalogServices().relationOid(written);
  if (oid === null) throw new SqlError('undefined_table', `relation "${name}" does not exist`);
  return oid;
}

/** The head becomes segments now. */
async function checkpoint({ runner }: StatementCall<'checkpoint'>): Promise<Running> {
  await runner.environment.engine.flush();
  return new FixedResult('CHECKPOINT');
}

/** Makes what the indexes of the named relations keep anew, also when an index is named. */
async function reindex(call: StatementCall<'reindex'>): Promise<Running> {
  const { runner, statement, request } = call;
  const { engine } = runner.environment;
  const relations = [...runner.catalog().relations.values()];
  for (const { schema, name } of statement.names) {
    const oid = relationOid(runner, schema, name);
    const relation = relations.find((found) => found.oid === oid || found.indexes.some((i) => i.oid === oid));
    if (relation === undefined || !hasRows(relation)) continue;
    await engine.buildIndexes(relation.oid, {
      index: relation.oid === oid ? 0 : oid,
      command: 'REINDEX',
      processId: runner.processId,
      renews: true,
      stops: true,
      signal: request.signal,
    });
  }
  return new FixedResult('REINDEX');
}

async function vacuum(call: StatementCall<'analyze' | 'vacuum'>, tag: string): Promise<Running> {
  const { runner, statement, request } = call;
  if (tag === 'VACUUM' && runner.block.inBlock) {
    throw new SqlError('active_sql_transaction', 'VACUUM cannot run inside a transaction block');
  }
  requireRelations(runner, statement.names);
  const { engine, nowMs } = runner.environment;
  await engine.flush();
  if (statement.full) await engine.compact();
  if (!statement.analyze) return new FixedResult(tag);
  for (const target of analyzeTargets(runner, statement)) {
    await analyze(engine, target, { signal: request.signal, now: nowMs });
  }
  return new FixedResult(tag);
}

function analyzeTargets(
  runner: Runner,
  { names, columns }: StatementOf<'analyze'>,
): readonly AnalyzeTarget[] {
  const catalog = runner.environment.engine.catalog();
  if (names.length === 0) {
    return [...catalog.relations.values()].filter(hasRows).map((relation) => ({ relation, columns: null }));
  }
  return names.flatMap(({ schema, name }, i) => {
    const relation = findRelation(catalog, schema, name, runner.searchPath());
    return relation !== undefined && relation !== null && hasRows(relation)
      ? [{ relation, columns: columns[i] ?? null }]
      : [];
  });
}
