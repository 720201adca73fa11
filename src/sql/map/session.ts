/**
 * Statements that concern the session: transactions, settings, prepared statements, cursors, COPY, EXPLAIN.
 */
import { notSupported } from '../../errors.ts';
import type { CopyStatement, ExplainStatement, Statement, TransactionStatement } from '../ast.ts';
import {
  as,
  type MapContext,
  mapExprs,
  mapOptionalExpr,
  mapQuery,
  mapStatement,
  strings,
} from './context.ts';
import { mapRelationName, mapTypeName } from './names.ts';
import { copyOption, optionText } from './options.ts';
import type { pg } from '../parse/grammar.ts';

const TRANSACTIONS: Readonly<Record<string, TransactionStatement['action']>> = {
  TRANS_STMT_BEGIN: 'begin',
  TRANS_STMT_START: 'begin',
  TRANS_STMT_COMMIT: 'commit',
  TRANS_STMT_ROLLBACK: 'rollback',
  TRANS_STMT_SAVEPOINT: 'savepoint',
  TRANS_STMT_RELEASE: 'release',
  TRANS_STMT_ROLLBACK_TO: 'rollback to',
};

export function mapTransaction(at: number, body: pg.TransactionStmt): TransactionStatement {
  const action = TRANSACTIONS[body.kind ?? ''];
  if (action === undefined) throw notSupported('PREPARE TRANSACTION');
  return {
    kind: 'transaction',
    at,
    action,
    savepoint: body.savepoint_name ?? null,
    ...transactionModes(body.options),
    chain: body.chain ?? false,
    session: false,
  };
}

function transactionModes(nodes: readonly pg.Node[] | undefined) {
  const modes = new Map<string, string>();
  for (const node of nodes ?? []) {
    const mode = as(node, 'DefElem');
    modes.set(mode?.defname ?? '', optionText(mode?.arg) ?? '');
  }
  const flag = (name: string): boolean | null => (modes.has(name) ? modes.get(name) === '1' : null);
  return {
    isolation: (modes.get('transaction_isolation') ?? null) as TransactionStatement['isolation'],
    readOnly: flag('transaction_read_only'),
    deferrable: flag('transaction_deferrable'),
  };
}

export function mapSet(at: number, body: pg.VariableSetStmt): Statement {
  const name = body.name ?? 'all';
  if (body.kind === 'VAR_SET_MULTI') {
    if (name === 'TRANSACTION SNAPSHOT') throw notSupported('SET TRANSACTION SNAPSHOT');
    return {
      kind: 'transaction',
      at,
      action: 'set',
      savepoint: null,
      ...transactionModes(body.args),
      chain: false,
      session: name === 'SESSION CHARACTERISTICS',
    };
  }
  const values = body.kind === 'VAR_SET_VALUE' ? (body.args ?? []).map(settingValue) : null;
  const reset = body.kind === 'VAR_RESET' || body.kind === 'VAR_RESET_ALL';
  return { kind: 'set', at, name, values, local: body.is_local ?? false, reset };
}

/** `INTERVAL '-08:00'` stays one: hours of a zone are counted eastwards in it, westwards in plain text. */
function settingValue(node: pg.Node): string {
  const text = optionText(node) ?? '';
  const type = as(node, 'TypeCast')?.typeName;
  return strings(type?.names).at(-1) === 'interval' ? `INTERVAL '${text}'` : text;
}

export function mapPrepare(context: MapContext, at: number, body: pg.PrepareStmt): Statement {
  return {
    kind: 'prepare',
    at,
    name: body.name ?? '',
    types: (body.argtypes ?? []).map((node) => mapTypeName(context, as(node, 'TypeName') ?? {})),
    statement: mapStatement(context, body.query as pg.Node, 0),
  };
}

/** CURSOR_OPT_… bits of parsenodes.h. */
const CURSOR = { binary: 0x1, scroll: 0x2, hold: 0x20 } as const;

export function mapDeclareCursor(context: MapContext, at: number, body: pg.DeclareCursorStmt): Statement {
  const options = body.options ?? 0;
  return {
    kind: 'declare cursor',
    at,
    name: body.portalname ?? '',
    query: mapQuery(context, body.query),
    hold: (options & CURSOR.hold) !== 0,
    scroll: (options & CURSOR.scroll) !== 0,
    binary: (options & CURSOR.binary) !== 0,
  };
}

const FETCH_ALL = 2_147_483_647;
const DIRECTIONS = {
  FETCH_FORWARD: 'forward',
  FETCH_BACKWARD: 'backward',
  FETCH_ABSOLUTE: 'absolute',
  FETCH_RELATIVE: 'relative',
} as const;

export function mapFetch(at: number, body: pg.FetchStmt): Statement {
  const count = Number(body.howMany ?? 0);
  return {
    kind: 'fetch',
    at,
    cursor: body.portalname ?? '',
    direction: DIRECTIONS[body.direction ?? 'FETCH_FORWARD'],
    count: Math.abs(count) >= FETCH_ALL ? 'all' : count,
    move: body.ismove ?? false,
  };
}

const DISCARDS = {
  DISCARD_ALL: 'all',
  DISCARD_PLANS: 'plans',
  DISCARD_SEQUENCES: 'sequences',
  DISCARD_TEMP: 'temp',
} as const;

export function mapDiscard(at: number, body: pg.DiscardStmt): Statement {
  return { kind: 'discard', at, target: DISCARDS[body.target ?? 'DISCARD_ALL'] };
}

export function mapCopy(context: MapContext, at: number, body: pg.CopyStmt): CopyStatement {
  const options: Record<string, string | readonly string[] | true> = {};
  const optionsAt: Record<string, number> = {};
  for (const node of body.options ?? []) {
    const option = as(node, 'DefElem');
    options[option?.defname ?? ''] = copyOption(option?.arg);
    optionsAt[option?.defname ?? ''] = context.at(option?.location);
  }
  const direction = body.is_from ? 'from' : 'to';
  const pipe = direction === 'from' ? 'stdin' : 'stdout';
  return {
    kind: 'copy',
    at,
    direction,
    relation: body.relation === undefined ? null : mapRelationName(context, body.relation),
    columns: body.attlist === undefined ? null : strings(body.attlist),
    query: body.query === undefined ? null : mapQuery(context, body.query),
    source: body.filename === undefined ? pipe : body.is_program ? 'program' : 'file',
    options,
    optionsAt,
    where: mapOptionalExpr(context, body.whereClause),
  };
}

const FORMATS: ReadonlySet<string> = new Set(['text', 'json', 'xml', 'yaml']);

export function mapExplain(context: MapContext, at: number, body: pg.ExplainStmt): ExplainStatement {
  const options: Record<string, string> = {};
  for (const node of body.options ?? []) {
    const option = as(node, 'DefElem');
    options[option?.defname ?? ''] = optionText(option?.arg) ?? 'on';
  }
  const { analyze, verbose, format = 'text', ...others } = options;
  if (!FORMATS.has(format)) throw notSupported(`EXPLAIN's format "${format}"`);
  return {
    kind: 'explain',
    at,
    analyze: isOn(analyze),
    verbose: isOn(verbose),
    format: format as ExplainStatement['format'],
    options: others,
    statement: mapStatement(context, body.query as pg.Node, 0),
  };
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['off', 'false', '0'].includes(value.toLowerCase());

export function mapExecute(context: MapContext, at: number, body: pg.ExecuteStmt): Statement {
  return { kind: 'execute', at, name: body.name ?? '', args: mapExprs(context, body.params) };
}
