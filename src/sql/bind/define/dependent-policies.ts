/**
 * Policies that read what a definition changes. Their conditions are bound anew over the catalog as it will be: one that
 * could be read before and cannot be then depends on what is gone, and goes with it, or stops it.
 */
import type { Policy } from '../../../catalog/access/model.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import type { Catalog, Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { Statement } from '../../ast.ts';
import { parseExpression } from '../../parse/parse.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { writtenName } from '../names.ts';
import { inClause } from '../level.ts';
import { columnsLevel } from '../relation/columns-level.ts';

interface Dependent {
  readonly relation: Relation;
  readonly policy: Policy;
}

/** They take away nothing that a condition can read: where there are thousands of policies, these cost as before. */
const BREAKS_NOTHING: ReadonlySet<Statement['kind']> = new Set<Statement['kind']>([
  'create policy',
  'alter policy',
  'rename policy',
  'drop policy',
  'create role',
  'alter role',
  'alter role setting',
  'rename role',
  'drop role',
  'grant role',
  'grant',
  'alter default privileges',
  'alter owner',
  'reassign owned',
  'comment',
]);

/** @throws SqlError 2BP01 without CASCADE, 0A000 for a new name of what a subquery of a policy reads. */
export function withDependentPolicies(
  bound: BoundStatement,
  statement: Statement,
  context: BindContext,
): BoundStatement {
  if (bound.kind !== 'catalog' || bound.edits.length === 0 || BREAKS_NOTHING.has(statement.kind))
    return bound;
  const held = [...context.catalog.relations.values()].filter(({ policies = [] }) => policies.length > 0);
  if (held.length === 0) return bound;
  const after = bound.edits.reduce(applyEdit, context.catalog);
  const broken = held.flatMap((relation) => brokenPolicies(context, relation, after));
  const [first] = broken;
  if (first === undefined) return bound;
  const dropped = droppedBy(statement);
  const told = `policy ${first.policy.name} on table ${first.relation.name}`;
  if (dropped === null) throw notSupported(`this change of what ${told} reads`);
  if (!dropped.cascade) {
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop ${dropped.what} because other objects depend on it`,
      {
        detail: `${told} depends on ${dropped.what}`,
        hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
      },
    );
  }
  const drops = broken.map(
    ({ relation, policy }): CatalogEdit => ({
      edit: 'drop policy',
      relation: relation.oid,
      policy: policy.oid,
    }),
  );
  return {
    ...bound,
    edits: [...drops, ...bound.edits],
    notices: [...bound.notices, `drop cascades to ${told}`],
  };
}

function brokenPolicies(
  context: BindContext,
  { oid, policies = [] }: Relation,
  after: Catalog,
): readonly Dependent[] {
  const now = after.relations.get(oid);
  if (now === undefined) return [];
  const { catalog } = context;
  const before = catalog.relations.get(oid) ?? now;
  return policies.flatMap((policy) => {
    const later = now.policies?.find((one) => one.oid === policy.oid);
    const isBroken =
      later !== undefined &&
      !isReadable({ ...context, catalog: after }, now, later) &&
      isReadable(context, before, policy);
    return isBroken ? [{ relation: now, policy }] : [];
  });
}

function isReadable(context: BindContext, relation: Relation, { using, check }: Policy): boolean {
  try {
    for (const text of [using, check]) {
      if (text === null) continue;
      const level = columnsLevel(context, relation.name, relation.columns);
      inClause(level, 'policy expressions', () => bindExpression(level, parseExpression(text)));
    }
    return true;
  } catch (error) {
    if (error instanceof SqlError) return false;
    throw error;
  }
}

/** Null: it drops nothing. */
function droppedBy(statement: Statement): { readonly what: string; readonly cascade: boolean } | null {
  if (statement.kind === 'drop') {
    const { object, names, cascade } = statement;
    return { what: `${object} ${names.map(writtenName).join(', ')}`, cascade };
  }
  if (statement.kind === 'drop function') {
    return {
      what: `function ${statement.functions.map(({ name }) => writtenName(name)).join(', ')}`,
      cascade: statement.cascade,
    };
  }
  if (statement.kind !== 'alter table') return null;
  for (const action of statement.actions) {
    if (action.action !== 'drop column') continue;
    return { what: `column ${action.column} of table ${statement.name.name}`, cascade: action.cascade };
  }
  return null;
}
