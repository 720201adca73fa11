/** BEGIN, COMMIT, ROLLBACK, savepoints and SET TRANSACTION, with PostgreSQL's warnings and tags. */
import { notSupported, SqlError } from '../../errors.ts';
import type { TransactionStatement } from '../../sql/ast.ts';
import { FixedResult, type Running } from '../running/running.ts';
import { type StatementCall, warnNoTransaction } from './statement-call.ts';
import type { Runner } from '../running/runner.ts';
import type { TransactionModes } from '../transaction/transaction-block.ts';

export async function runTransactionStatement({
  runner,
  parsed,
  statement,
  request,
}: StatementCall<'transaction'>): Promise<Running> {
  switch (statement.action) {
    case 'begin':
      return begin(runner, statement, /^\s*start\b/i.test(parsed.text));
    case 'commit':
      return end(runner, statement, 'COMMIT', request.signal);
    case 'rollback':
      return end(runner, statement, 'ROLLBACK', request.signal);
    case 'set':
      return setModes(runner, statement);
    case 'prepare':
      throw notSupported('PREPARE TRANSACTION');
    case 'savepoint':
    case 'release':
    case 'rollback to':
      return savepoint(runner, statement.action, statement.savepoint ?? '');
  }
}

function begin(runner: Runner, statement: TransactionStatement, isStart: boolean): Running {
  if (!runner.block.begin(statement)) {
    runner.notice({
      severity: 'WARNING',
      condition: 'active_sql_transaction',
      message: 'there is already a transaction in progress',
    });
  }
  return new FixedResult(isStart ? 'START TRANSACTION' : 'BEGIN');
}

async function end(
  runner: Runner,
  statement: TransactionStatement,
  how: 'COMMIT' | 'ROLLBACK',
  signal: AbortSignal,
): Promise<Running> {
  const { block } = runner;
  if (!block.inBlock) {
    if (statement.chain) {
      throw new SqlError(
        'no_active_sql_transaction',
        `${how} AND CHAIN can only be used in transaction blocks`,
      );
    }
    runner.notice({
      severity: 'WARNING',
      condition: 'no_active_sql_transaction',
      message: 'there is no transaction in progress',
    });
  }
  const modes: TransactionModes = {
    isolation: block.isolation,
    readOnly: block.readOnly,
    deferrable: block.deferrable,
  };
  let tag: string = how;
  if (how === 'ROLLBACK') await runner.rollback();
  else if ((await runner.commit(signal)) === 'rolled back') tag = 'ROLLBACK';
  if (statement.chain) block.begin(modes);
  return new FixedResult(tag);
}

function setModes(runner: Runner, statement: TransactionStatement): Running {
  if (statement.session) {
    const { settings } = runner;
    if (statement.isolation !== null) {
      settings.set('default_transaction_isolation', statement.isolation, false);
    }
    if (statement.readOnly !== null) {
      settings.set('default_transaction_read_only', statement.readOnly ? 'on' : 'off', false);
    }
    if (statement.deferrable !== null) {
      settings.set('default_transaction_deferrable', statement.deferrable ? 'on' : 'off', false);
    }
    return new FixedResult('SET');
  }
  if (!runner.block.inBlock) warnNoTransaction(runner, 'SET TRANSACTION');
  else runner.block.setModes(statement);
  return new FixedResult('SET');
}

function savepoint(runner: Runner, action: 'savepoint' | 'release' | 'rollback to', name: string): Running {
  const { block } = runner;
  const words = {
    savepoint: 'SAVEPOINT',
    release: 'RELEASE SAVEPOINT',
    'rollback to': 'ROLLBACK TO SAVEPOINT',
  };
  if (!block.inBlock) {
    throw new SqlError(
      'no_active_sql_transaction',
      `${words[action]} can only be used in transaction blocks`,
    );
  }
  if (action === 'savepoint') block.savepoint(name);
  else if (action === 'release') block.release(name);
  else block.rollbackTo(name);
  return new FixedResult({ savepoint: 'SAVEPOINT', release: 'RELEASE', 'rollback to': 'ROLLBACK' }[action]);
}
