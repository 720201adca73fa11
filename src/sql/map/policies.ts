/** CREATE, ALTER, DROP POLICY, and the actions of ALTER TABLE that switch policies on and off. */
import type { AlterAction, PolicyCondition, Statement } from '../ast.ts';
import type { pg } from '../parse/grammar.ts';
import { mapRoles } from './access.ts';
import { as, type MapContext, mapExpr, strings } from './context.ts';
import { mapListName, mapRelationName } from './names.ts';
import { textFrom } from './text.ts';

const COMMANDS = ['all', 'select', 'insert', 'update', 'delete'] as const;

export function mapCreatePolicy(
  context: MapContext,
  body: pg.CreatePolicyStmt,
  at: number,
  start: number,
): Statement {
  return {
    kind: 'create policy',
    at,
    name: body.policy_name ?? '',
    table: mapRelationName(context, body.table),
    command: COMMANDS.find((command) => command === body.cmd_name) ?? 'all',
    permissive: body.permissive ?? false,
    roles: mapRoles(body.roles),
    using: conditionOf(context, { keyword: 'USING', node: body.qual, start }),
    check: conditionOf(context, { keyword: 'CHECK', node: body.with_check, start }),
  };
}

export function mapAlterPolicy(
  context: MapContext,
  body: pg.AlterPolicyStmt,
  at: number,
  start: number,
): Statement {
  return {
    kind: 'alter policy',
    at,
    name: body.policy_name ?? '',
    table: mapRelationName(context, body.table),
    roles: body.roles === undefined ? null : mapRoles(body.roles),
    using: conditionOf(context, { keyword: 'USING', node: body.qual, start }),
    check: conditionOf(context, { keyword: 'CHECK', node: body.with_check, start }),
  };
}

/** The one object is the table's name, and the policy's last. */
export function mapDropPolicy(body: pg.DropStmt, at: number): Statement {
  const path = strings(as(body.objects?.[0], 'List')?.items);
  const table = mapListName(at, path.slice(0, -1));
  return { kind: 'drop policy', at, name: path.at(-1) ?? '', table, ifExists: body.missing_ok ?? false };
}

interface Clause {
  readonly keyword: 'USING' | 'CHECK';
  readonly node: pg.Node | undefined;
  /** Byte offset of the statement. */
  readonly start: number;
}

/** The clause's keyword is the first one outside of all parentheses: names before it are no keywords, or quoted. */
function conditionOf(context: MapContext, { keyword, node, start }: Clause): PolicyCondition | null {
  if (node === undefined) return null;
  const tokens = context.source.tokens();
  let depth = 0;
  for (let at = context.source.tokenAt(start); at < tokens.length; at++) {
    const text = tokens[at]?.text.toUpperCase();
    if (text === '(') depth++;
    else if (text === ')') depth--;
    else if (depth === 0 && text === keyword && tokens[at + 1]?.text === '(') {
      const inside = textFrom(context, at + 2, { before: Number.POSITIVE_INFINITY, commas: true });
      return { expression: mapExpr(context, node), text: inside };
    }
  }
  return null;
}

type Switch = Extract<AlterAction, { action: 'row security' }>['to'];

/** Actions by PostgreSQL's names of them. */
export const ROW_SECURITY: Readonly<Record<string, Switch>> = {
  AT_EnableRowSecurity: 'enable',
  AT_DisableRowSecurity: 'disable',
  AT_ForceRowSecurity: 'force',
  AT_NoForceRowSecurity: 'no force',
};
