/** Constraints of tables and columns, with the attributes that stand behind a column's. */
import type { Deferral } from '../../catalog/model.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { TableConstraint } from '../ast.ts';
import { type MapContext, mapExpr, strings } from './context.ts';
import { mapRelationName } from './names.ts';
import { parenthesizedText } from './text.ts';
import type { pg } from '../parse/grammar.ts';

const KINDS = {
  CONSTR_PRIMARY: 'primary key',
  CONSTR_UNIQUE: 'unique',
  CONSTR_CHECK: 'check',
  CONSTR_FOREIGN: 'foreign key',
} as const;

const isKind = (type: pg.ConstrType | undefined): type is keyof typeof KINDS =>
  type !== undefined && type in KINDS;

/** pg_constraint's codes of referential actions. */
const ACTIONS: Readonly<Record<string, string>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
};

export function mapTableConstraint(context: MapContext, body: pg.Constraint): TableConstraint {
  if (!isKind(body.contype)) throw notSupported(unsupportedName(body.contype));
  const kind = KINDS[body.contype];
  const canBeOff = kind === 'check' || kind === 'foreign key';
  if (canBeOff && !body.is_enforced) throw notSupported('NOT ENFORCED');
  return {
    at: context.at(body.location),
    kind,
    name: body.conname ?? null,
    columns: strings(kind === 'foreign key' ? body.fk_attrs : body.keys),
    check:
      kind === 'check'
        ? {
            expression: mapExpr(context, body.raw_expr),
            text: parenthesizedText(context, body.location ?? 0),
          }
        : null,
    references: kind === 'foreign key' ? mapReferences(context, body) : null,
    nullsNotDistinct: body.nulls_not_distinct ?? false,
    usingIndex: body.indexname ?? null,
    deferrable: deferralOf(body.deferrable, body.initdeferred),
  };
}

function mapReferences(context: MapContext, body: pg.Constraint): TableConstraint['references'] {
  return {
    relation: mapRelationName(context, body.pktable),
    columns: strings(body.pk_attrs),
    onDelete: ACTIONS[body.fk_del_action ?? 'a'] ?? 'no action',
    onUpdate: ACTIONS[body.fk_upd_action ?? 'a'] ?? 'no action',
    setOnDelete: strings(body.fk_del_set_cols),
    full: body.fk_matchtype === 'f',
    notValid: body.skip_validation ?? false,
  };
}

const unsupportedName = (type: pg.ConstrType | undefined): string =>
  type === 'CONSTR_EXCLUSION'
    ? 'EXCLUDE'
    : type === 'CONSTR_NOTNULL'
      ? 'NOT NULL as a table constraint'
      : 'this constraint';

export const deferralOf = (
  deferrable: boolean | undefined,
  deferred: boolean | undefined,
): Deferral | null => (deferrable ? (deferred ? 'deferred' : 'immediate') : null);

// ───────────────────────────── of columns ─────────────────────────────

/** Attributes that follow a column's constraint, as parse_utilcmd.c reads them: each with its words for errors. */
const ATTRIBUTES = {
  CONSTR_ATTR_DEFERRABLE: { word: 'DEFERRABLE', of: 'deferrable', value: true },
  CONSTR_ATTR_NOT_DEFERRABLE: { word: 'NOT DEFERRABLE', of: 'deferrable', value: false },
  CONSTR_ATTR_DEFERRED: { word: 'INITIALLY DEFERRED', of: 'deferred', value: true },
  CONSTR_ATTR_IMMEDIATE: { word: 'INITIALLY IMMEDIATE', of: 'deferred', value: false },
} as const;

const isAttribute = (type: pg.ConstrType | undefined): type is keyof typeof ATTRIBUTES =>
  type !== undefined && type in ATTRIBUTES;

const DEFERRABLE_KINDS: ReadonlySet<string> = new Set(['primary key', 'unique', 'foreign key']);

interface Given {
  readonly constraint: TableConstraint;
  deferrable?: boolean;
  deferred?: boolean;
}

/** @throws SqlError 42601 for attributes that are misplaced, repeated or at odds; 0A000 for NOT ENFORCED. */
export function mapColumnConstraints(
  context: MapContext,
  nodes: readonly pg.Constraint[],
): readonly TableConstraint[] {
  const all: Given[] = [];
  let last: Given | null = null;
  for (const node of nodes) {
    const { contype } = node;
    if (contype === 'CONSTR_ATTR_NOT_ENFORCED') throw notSupported('NOT ENFORCED');
    if (isAttribute(contype)) putAttribute(last, contype, context.at(node.location));
    else {
      last = isKind(contype) ? { constraint: mapTableConstraint(context, node) } : null;
      if (last !== null) all.push(last);
    }
  }
  return all.map(({ constraint, deferrable, deferred }) => ({
    ...constraint,
    deferrable: deferralOf(deferrable ?? deferred, deferred),
  }));
}

function putAttribute(given: Given | null, type: keyof typeof ATTRIBUTES, at: number): void {
  const { word, of, value } = ATTRIBUTES[type];
  const wrong = (message: string): SqlError =>
    new SqlError('syntax_error', message, { position: at || undefined });
  if (given === null || !DEFERRABLE_KINDS.has(given.constraint.kind)) {
    throw wrong(`misplaced ${word} clause`);
  }
  if (given[of] !== undefined) {
    const words = of === 'deferrable' ? 'DEFERRABLE/NOT DEFERRABLE' : 'INITIALLY IMMEDIATE/DEFERRED';
    throw wrong(`multiple ${words} clauses not allowed`);
  }
  given[of] = value;
  if (given.deferred && given.deferrable === false) {
    throw wrong('constraint declared INITIALLY DEFERRED must be DEFERRABLE');
  }
}
