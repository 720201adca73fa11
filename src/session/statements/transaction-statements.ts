/** BEGIN, COMMIT, ROLLBACK, savepoints and SET TRANSACTION, with PostgreSQL's warnings and tags. */
import { notSupported, SqlError } from '../../errors.ts';
import type { TransactionStatement } from '../../sql/ast.ts';
import { FixedResult, type Running } from '../running/running.ts';
import type { SessionState } from '../session-state.ts';
import { type StatementCall, warnNoTransaction } from './statement-call.ts';
import type { Statement } from '../running/statement.ts';
import type { TransactionModes } from '../transaction/transaction-block.ts';

export async function runTransactionStatement({
  statement,
  parsed,
  tree,
}: StatementCall<'transaction'>): Promise<Running> {
  switch (tree.action) {
    case 'begin':
      return begin(statement, tree, /^\s*start\b/i.test(parsed.text));
    case 'commit':
      return end(statement, tree, 'COMMIT');
    case 'rollback':
      return end(statement, tree, 'ROLLBACK');
    case 'set':
      return setModes(statement, tree);
    case 'prepare':
      throw notSupported('PREPARE TRANSACTION');
    case 'savepoint':
    case 'release':
    case 'rollback to':
      return savepoint(statement.session, tree.action, tree.savepoint ?? '');
  }
}

function begin(statement: Statement, tree: TransactionStatement, isStart: boolean): Running {
  if (!statement.session.block.begin(tree)) {
    statement.notice({
      severity: 'WARNING',
      condition: 'active_sql_transaction',
      message: 'there is already a transaction in progress',
    });
  }
  return new FixedResult(isStart ? 'START TRANSACTION' : 'BEGIN');
}

async function end(
  statement: Statement,
  tree: TransactionStatement,
  how: 'COMMIT' | 'ROLLBACK',
): Promise<Running> {
  const { block } = statement.session;
  if (!block.inBlock) {
    if (tree.chain) {
      throw new SqlError(
        'no_active_sql_transaction',
        `${how} AND CHAIN can only be used in transaction blocks`,
      );
    }
    statement.notice({
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
  if (how === 'ROLLBACK') await statement.rollback();
  else if ((await statement.commit()) === 'rolled back') tag = 'ROLLBACK';
  if (tree.chain) block.begin(modes);
  return new FixedResult(tag);
}

function setModes(statement: Statement, tree: TransactionStatement): Running {
  if (tree.session) {
    const { settings } = statement.session;
    if (tree.isolation !== null) {
      settings.set('default_transaction_isolation', tree.isolation, false);
    }
    if (tree.readOnly !== null) {
      settings.set('default_transaction_read_only', tree.readOnly ? 'on' : 'off', false);
    }
    if (tree.deferrable !== null) {
      settings.set('default_transaction_deferrable', tree.deferrable ? 'on' : 'off', false);
    }
    return new FixedResult('SET');
  }
  const { block } = statement.session;
  if (!block.inBlock) warnNoTransaction(statement, 'SET TRANSACTION');
  else block.setModes(tree);
  return new FixedResult('SET');
}

function savepoint(
  { block }: SessionState,
  action: 'savepoint' | 'release' | 'rollback to',
  name: string,
): Running {
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
