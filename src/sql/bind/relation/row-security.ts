/**
 * Policies of a relation, bound: which of its rows are there for a role (`rowRule`), and what rows it may write
 * (`writePolicies`). Permissive ones are joined by OR, restrictive ones by AND; without a permissive one there is no row.
 * Follows PostgreSQL's rowsecurity.c.
 */
import { present } from '../../../assert.ts';
import { namespaceName } from '../../../catalog/lookup.ts';
import { columnByName, type Relation } from '../../../catalog/model.ts';
import { ownershipOf } from '../../../catalog/private-relations.ts';
import { OWNER_ROLE_OID } from '../../../catalog/oids.ts';
import type { Policy } from '../../../catalog/access/model.ts';
import { documentsAround, isRuled, policiesFor } from '../../../catalog/policies.ts';
import { SqlError } from '../../../errors.ts';
import type { MetRows, RowRule, RowRules } from '../../../plan/plan.ts';
import { quoteIdentifier } from '../../../types/text/quote.ts';
import { parseExpression } from '../../parse/parse.ts';
import { bindExpression, type RuledRows } from '../context.ts';
import { and, BOOLEAN, type Draft, type Expression, filter, literal } from '../draft.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import { inClause, type Level, newLevel } from '../level.ts';
import { isAskedAsCited, ownRows } from './own-rows.ts';
import { scanRelation } from '../query/from-relation.ts';
import { inStored } from '../rights.ts';
import type { State } from '../state.ts';

/** The role whose rights a relation is read with here: that of the view around it, else that of the statement. */
const roleInEffect = ({ as, invoker, context, caller }: State): number =>
  as ?? invoker ?? context.rowRole ?? caller ?? OWNER_ROLE_OID;

/** Null where the relation has no policies for the role. @throws SqlError 42501 under `row_security = off`. */
function ruled(state: State, relation: Relation): { readonly role: number } | null {
  const { catalog, rowSecurity = true, isDefined = false } = state.context;
  if (relation.rowSecurity === undefined || isDefined) return null;
  const role = roleInEffect(state);
  if (!isRuled(catalog, relation, role)) return null;
  if (rowSecurity) return { role };
  const message = `query would be affected by row-level security policy for table "${relation.name}"`;
  throw new SqlError('insufficient_privilege', message);
}

/** @param commands whose policies a row has to pass, all of them. @returns null: all rows are there. */
export function rowRule(
  around: Level,
  relation: Relation,
  { partition, commands }: RuledRows,
): RowRule<Draft> | null {
  const { state } = around;
  if (commands.length === 0) return null;
  const found = ruled(state, relation);
  const derived = derivedRule(state, relation);
  if (found === null && derived === null) return null;
  return guarded(state, relation, () => {
    const level = newLevel(state, null, null);
    const name = { schema: null, name: relation.name, partition, at: 0 };
    const scanned = scanRelation(level, relation, {
      name,
      alias: null,
      rowNumber: true,
      use: undefined,
      commands: [],
    });
    level.items = scanned.items;
    level.columns = scanned.columns;
    const { catalog } = state.context;
    const conditions = commands.flatMap((command) => {
      if (found === null) return [];
      const policies = policiesFor(catalog, relation, { command, role: found.role });
      return [joined(level, policies, ({ using }) => using)];
    });
    if (derived !== null) conditions.push(conditionOf(level, derived));
    return { plan: filter(scanned.plan, and(conditions)), mark: scanned.plan.rowNumberId };
  });
}

/** Columns by which relations of a dataset belong to a document, or to what belongs to one. */
const BELONGS_BY = [
  { column: 'doc_id', to: 'documents' },
  { column: 'file', to: 'documents' },
  { column: 'table_id', to: 'tables' },
] as const;

/** Rows that a dataset has of a document are there where the document is. Null: no policy is of concern. */
function derivedRule(state: State, relation: Relation): string | null {
  const { catalog, rowKey: key = null, isDefined = false } = state.context;
  const ownership = ownershipOf(relation);
  if (ownership !== undefined) {
    if (isDefined || isAskedAsCited(catalog, state.policies, relation)) return null;
    return ownRows({ catalog, role: roleInEffect(state), key }, ownership);
  }
  const documents = documentsAround(catalog, relation);
  if (documents === null || ruled(state, documents) === null) return null;
  const link = BELONGS_BY.find((one) => columnByName(relation, one.column) !== undefined);
  if (link === undefined) return 'false';
  const dataset = present(namespaceName(catalog, relation.namespace), 'a dataset');
  return `${link.column} IN (SELECT ${link.column} FROM ${quoteIdentifier(dataset)}.${link.to})`;
}

/** Policies for rows that an INSERT meets and changes; null: none of them is of concern. */
export function metRows(
  level: Level,
  relation: Relation,
  { partition, reads }: { readonly partition: string | null; readonly reads: boolean },
): MetRows<Draft> | null {
  const rule = rowRule(level, relation, { partition, commands: ['select', 'update'] });
  return rule && { rule, policies: writePolicies(level, relation, { command: 'update', reads }) };
}

/** Conditions of policies on a row that is there, each by itself; in a level where its columns are in sight. */
export function usingPolicies(
  level: Level,
  relation: Relation,
  command: 'update' | 'delete',
): RowRules<Draft>['policies'] {
  const found = ruled(level.state, relation);
  if (found === null) return [];
  const policies = policiesFor(level.state.context.catalog, relation, { command, role: found.role });
  const using = (policy: Policy): string | null => policy.using;
  return guarded(level.state, relation, () => [
    { name: null, condition: permitted(level, policies, using) },
    ...restrictions(level, policies, using),
  ]);
}

/** Conditions of policies on a new row; in a level where its columns are in sight. */
export function writePolicies(
  level: Level,
  relation: Relation,
  { command, reads }: { readonly command: 'insert' | 'update'; readonly reads: boolean },
): RowRules<Draft>['policies'] {
  const { state } = level;
  const found = ruled(state, relation);
  if (found === null) return [];
  const { role } = found;
  const { catalog } = state.context;
  return guarded(state, relation, () => {
    const written = policiesFor(catalog, relation, { command, role });
    const shown = reads ? policiesFor(catalog, relation, { command: 'select', role }) : [];
    const checked = ({ check, using }: Policy): string | null => check ?? using;
    return [
      { name: null, condition: permitted(level, written, checked) },
      ...restrictions(level, written, checked),
      ...(reads ? [{ name: null, condition: permitted(level, shown, ({ using }) => using) }] : []),
      ...restrictions(level, shown, ({ using }) => using),
    ];
  });
}

type TextOf = (policy: Policy) => string | null;

const joined = (level: Level, policies: readonly Policy[], textOf: TextOf): Expression =>
  and([
    permitted(level, policies, textOf),
    ...restrictions(level, policies, textOf).map(({ condition }) => condition),
  ]);

function permitted(level: Level, policies: readonly Policy[], textOf: TextOf): Expression {
  const permissive = policies.filter((policy) => policy.permissive);
  const args = permissive.map((policy) => conditionOf(level, textOf(policy)));
  const [first] = args;
  if (first === undefined) return literal(false, BOOLEAN);
  return args.length === 1 ? first : { kind: 'or', args, type: BOOLEAN };
}

const restrictions = (
  level: Level,
  policies: readonly Policy[],
  textOf: TextOf,
): RowRules<Draft>['policies'] =>
  policies
    .filter((policy) => !policy.permissive)
    .map((policy) => ({ name: policy.name, condition: conditionOf(level, textOf(policy)) }));

function conditionOf(level: Level, text: string | null): Expression {
  if (text === null) return literal(true, BOOLEAN);
  return inClause(level, 'policy expressions', () =>
    coerceBoolean(level.state, bindExpression(level, parseExpression(text)), 'argument of POLICY'),
  );
}

/** @throws SqlError 42P17 where a policy asks the relation that it is of. */
function guarded<T>(state: State, { oid, name }: Relation, bind: () => T): T {
  if (state.policies.includes(oid)) {
    const message = `infinite recursion detected in policy for relation "${name}"`;
    throw new SqlError('invalid_object_definition', message);
  }
  state.policies.push(oid);
  try {
    return inStored(state, bind);
  } finally {
    state.policies.pop();
  }
}
