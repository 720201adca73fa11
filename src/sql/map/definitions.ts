/**
 * CREATE TABLE, CREATE INDEX and ALTER TABLE, with the clauses that the dialect pre-pass took out put back.
 */
import { notSupported, SqlError } from '../../errors.ts';
import type {
  AlterAction,
  AlterTable,
  ColumnDefinition,
  CreateIndex,
  CreateTable,
  IndexClause,
  LikeClause,
  TableConstraint,
} from '../ast.ts';
import { mapRole } from './access.ts';
import { deferralOf, mapColumnConstraints, mapTableConstraint } from './constraints.ts';
import { as, type MapContext, mapExpr, mapFields, mapOptionalExpr, strings } from './context.ts';
import { mapRelationName, mapTypeName } from './names.ts';
import { mapOptions } from './options.ts';
import { parenthesizedText, textAfter } from './text.ts';
import { identityOf, mapIdentity, mapSequenceOptions, mapSetIdentity } from './sequences.ts';
import { ROW_SECURITY } from './policies.ts';
import type { pg } from '../parse/grammar.ts';

export function mapCreateTable(context: MapContext, body: pg.CreateStmt): CreateTable {
  if (body.partspec !== undefined || body.partbound !== undefined) throw notSupported('PARTITION BY');
  if (body.inhRelations !== undefined) throw notSupported('INHERITS');
  if (body.ofTypename !== undefined) throw notSupported('CREATE TABLE OF');
  const columns: ColumnDefinition[] = [];
  const constraints: TableConstraint[] = [];
  const indexes: IndexClause[] = [];
  const likes: LikeClause[] = [];
  for (const node of body.tableElts ?? []) {
    const column = as(node, 'ColumnDef');
    const constraint = as(node, 'Constraint');
    if (column !== null) columns.push(mapColumnDefinition(context, column));
    else if (constraint !== null) constraints.push(mapTableConstraint(context, constraint));
    else {
      const like = as(node, 'TableLikeClause') ?? {};
      const clause = context.dialect.tableIndexes.get(like.relation?.location ?? -1);
      if (clause === undefined) likes.push(mapLike(context, like, columns.length));
      else indexes.push(clause);
    }
  }
  const name = mapRelationName(context, body.relation);
  return {
    kind: 'create table',
    at: name.at,
    name,
    ifNotExists: body.if_not_exists ?? false,
    ...persistenceOf(body.relation, body.oncommit),
    columns,
    constraints,
    likes,
    indexes,
    options: mapOptions(context, body.options),
  };
}

const ON_COMMIT = {
  ONCOMMIT_PRESERVE_ROWS: 'preserve rows',
  ONCOMMIT_DELETE_ROWS: 'delete rows',
  ONCOMMIT_DROP: 'drop',
} as const;

export function persistenceOf(
  relation: pg.RangeVar | undefined,
  onCommit: pg.OnCommitAction | undefined,
): Pick<CreateTable, 'temporary' | 'onCommit'> {
  return {
    temporary: relation?.relpersistence === 't',
    onCommit: ON_COMMIT[onCommit as keyof typeof ON_COMMIT] ?? null,
  };
}

/** Bits of what LIKE includes, as parsenodes.h numbers them. */
const LIKE_BITS = { constraints: 4, defaults: 8, generated: 16, identity: 32, indexes: 64 } as const;

/** A LIKE that stands for no INDEX clause is what it says. */
function mapLike(context: MapContext, body: pg.TableLikeClause, position: number): LikeClause {
  const relation = mapRelationName(context, body.relation);
  const bits = body.options ?? 0;
  const includes = Object.entries(LIKE_BITS).filter(([, bit]) => (bits & bit) !== 0);
  return {
    at: relation.at,
    relation,
    position,
    includes: includes.map(([name]) => name as keyof typeof LIKE_BITS),
  };
}

// ───────────────────────────── columns ─────────────────────────────

function mapColumnDefinition(context: MapContext, body: pg.ColumnDef): ColumnDefinition {
  const location = body.location ?? 0;
  const clauses = context.dialect.columnIndexes.get(location) ?? [];
  const constraints = (body.constraints ?? [])
    .map((node) => as(node, 'Constraint'))
    .filter((constraint) => constraint !== null);
  const struct = context.dialect.columnStructs.get(location);
  const starts = [
    ...constraints.map((constraint) => constraint.location ?? 0),
    ...clauses.map((clause) => clause.start),
    ...(body.collClause === undefined ? [] : [body.collClause.location ?? 0]),
  ];
  const next = (from: number): number => Math.min(...starts.filter((start) => start > from));
  const find = (type: pg.ConstrType) => constraints.find((constraint) => constraint.contype === type);
  const identity = find('CONSTR_IDENTITY');
  const initial = find('CONSTR_DEFAULT');
  const generated = find('CONSTR_GENERATED');
  return {
    at: context.at(location),
    name: body.colname ?? '',
    type: mapTypeName(context, body.typeName),
    notNull: find('CONSTR_NOTNULL') !== undefined,
    defaultValue:
      initial === undefined
        ? null
        : {
            expression: mapExpr(context, initial.raw_expr),
            text: textAfter(context, 'DEFAULT', initial.location ?? 0, {
              before: next(initial.location ?? 0),
            }),
          },
    ...mapIdentity(context, identity),
    generated:
      generated === undefined
        ? null
        : {
            at: context.at(generated.location),
            expression: mapExpr(context, generated.raw_expr),
            text: parenthesizedText(context, generated.location ?? 0),
          },
    constraints: mapColumnConstraints(context, constraints),
    indexes: clauses.map((clause) => clause.clause),
    struct: struct === undefined ? null : mapFields(context, struct.fields),
  };
}

// ───────────────────────────── indexes ─────────────────────────────

const NULLS: Readonly<Record<string, boolean>> = { SORTBY_NULLS_FIRST: true, SORTBY_NULLS_LAST: false };

export function mapCreateIndex(context: MapContext, body: pg.IndexStmt): CreateIndex {
  const relation = mapRelationName(context, body.relation);
  return {
    kind: 'create index',
    at: relation.at,
    name: body.idxname ?? null,
    relation,
    method: body.accessMethod ?? 'btree',
    columns: (body.indexParams ?? []).map((node) => {
      const element = as(node, 'IndexElem');
      return {
        at: relation.at,
        name: element?.name ?? null,
        expression: mapOptionalExpr(context, element?.expr),
        operatorClass: strings(element?.opclass).at(-1) ?? null,
        descending: element?.ordering === 'SORTBY_DESC',
        nullsFirst: NULLS[element?.nulls_ordering ?? ''] ?? null,
      };
    }),
    included: (body.indexIncludingParams ?? []).map((node) => as(node, 'IndexElem')?.name ?? ''),
    nullsNotDistinct: body.nulls_not_distinct ?? false,
    options: mapOptions(context, body.options),
    unique: body.unique ?? false,
    concurrently: body.concurrent ?? false,
    ifNotExists: body.if_not_exists ?? false,
    where: mapOptionalExpr(context, body.whereClause),
  };
}

// ───────────────────────────── ALTER TABLE ─────────────────────────────

/** @param start byte offset of the statement's first token: the key of its own actions. */
export function mapAlterTable(context: MapContext, body: pg.AlterTableStmt, start: number): AlterTable {
  const name = mapRelationName(context, body.relation);
  const own = context.dialect.alterActions.get(start);
  const actions = (body.cmds ?? []).map((node, number): AlterAction => {
    const action = own?.get(number);
    return action ?? { at: name.at, ...mapAction(context, as(node, 'AlterTableCmd') ?? {}) };
  });
  return { kind: 'alter table', at: name.at, name, ifExists: body.missing_ok ?? false, actions };
}

type Action = AlterAction extends infer Member
  ? Member extends unknown
    ? Omit<Member, 'at'>
    : never
  : never;
type UnplacedAction = Action & { readonly at?: number };

function mapAction(context: MapContext, body: pg.AlterTableCmd): UnplacedAction {
  const map = body.subtype && ACTIONS[body.subtype];
  return (
    map?.(context, body) ?? {
      action: 'unsupported',
      feature: `ALTER TABLE ${actionName(body.subtype ?? '')}`,
    }
  );
}

type ActionMapper = (context: MapContext, body: pg.AlterTableCmd) => UnplacedAction;

const nameOf = ({ name = '' }: pg.AlterTableCmd): string => name;

/** Options of DROP COLUMN and DROP CONSTRAINT. */
const dropOptions = ({ missing_ok = false, behavior }: pg.AlterTableCmd) => ({
  ifExists: missing_ok,
  cascade: behavior === 'DROP_CASCADE',
});

const ACTIONS: { readonly [K in NonNullable<pg.AlterTableCmd['subtype']>]?: ActionMapper } = {
  AT_AddColumn: (context, body) => {
    const column = mapColumnDefinition(context, as(body.def, 'ColumnDef') ?? {});
    return { action: 'add column', at: column.at, column, ifNotExists: body.missing_ok ?? false };
  },
  AT_DropColumn: (_, body) => ({ action: 'drop column', column: nameOf(body), ...dropOptions(body) }),
  AT_SetNotNull: (_, body) => ({ action: 'set not null', column: nameOf(body) }),
  AT_DropNotNull: (_, body) => ({ action: 'drop not null', column: nameOf(body) }),
  AT_AddIdentity: (context, body) => {
    const constraint = as(body.def, 'Constraint');
    const identity = identityOf(constraint?.generated_when);
    const options = mapSequenceOptions(context, constraint?.options);
    return { action: 'add identity', column: nameOf(body), identity, options };
  },
  AT_SetIdentity: (context, body) => {
    return { action: 'set identity', column: nameOf(body), ...mapSetIdentity(context, body.def) };
  },
  AT_DropIdentity: (_, body) => {
    return { action: 'drop identity', column: nameOf(body), ifExists: body.missing_ok ?? false };
  },
  AT_ColumnDefault: (context, body) => mapDefaultAction(context, nameOf(body), body.def),
  AT_AlterColumnType: (context, body) => {
    const definition = as(body.def, 'ColumnDef');
    const type = mapTypeName(context, definition?.typeName);
    const node = definition?.raw_default;
    const using =
      node === undefined
        ? null
        : { expression: mapExpr(context, node), text: clauseText(context, 'USING', node) };
    return { action: 'set type', column: nameOf(body), type, using };
  },
  AT_AddConstraint: (context, body) => {
    const constraint = mapTableConstraint(context, as(body.def, 'Constraint') ?? {});
    return { action: 'add constraint', at: constraint.at, constraint };
  },
  AT_AlterConstraint: (_, body) => mapAlterConstraint(as(body.def, 'ATAlterConstraint') ?? {}),
  AT_DropConstraint: (_, body) => ({ action: 'drop constraint', name: nameOf(body), ...dropOptions(body) }),
  ...Object.fromEntries(
    Object.entries(ROW_SECURITY).map(([subtype, to]) => [subtype, () => ({ action: 'row security', to })]),
  ),
  AT_SetRelOptions: (context, body) => mapRelationOptions(context, body, false),
  AT_ResetRelOptions: (context, body) => mapRelationOptions(context, body, true),
  AT_ChangeOwner: (_, body) => ({ action: 'set owner', role: mapRole(body.newowner) }),
};

/** @throws SqlError 42601 for a value in RESET. */
function mapRelationOptions(context: MapContext, { def }: pg.AlterTableCmd, reset: boolean): Action {
  const items = as(def, 'List')?.items ?? [];
  if (reset && items.some((item) => as(item, 'DefElem')?.arg !== undefined)) {
    throw new SqlError('syntax_error', 'RESET must not include values for parameters');
  }
  return { action: 'set options', options: mapOptions(context, items), reset };
}

function mapAlterConstraint(body: pg.ATAlterConstraint): Action {
  if (body.alterEnforceability) return { action: 'unsupported', feature: 'ALTER CONSTRAINT … ENFORCED' };
  if (body.alterInheritability) return { action: 'unsupported', feature: 'ALTER CONSTRAINT … INHERIT' };
  const deferrable = deferralOf(body.deferrable, body.initdeferred);
  return { action: 'alter constraint', name: body.conname ?? '', deferrable };
}

/** `AT_EnableRowSecurity` → `ENABLE ROW SECURITY`. */
const actionName = (subtype: string): string =>
  subtype
    .replace(/^AT_/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();

function mapDefaultAction(context: MapContext, column: string, node: pg.Node | undefined): Action {
  if (node === undefined) return { action: 'drop default', column };
  const expression = mapExpr(context, node);
  return { action: 'set default', column, expression, text: clauseText(context, 'DEFAULT', node) };
}

/** The text after the last token `keyword` before the expression's own first position. */
function clauseText(context: MapContext, keyword: 'DEFAULT' | 'USING', node: pg.Node): string {
  const tokens = context.source.tokens();
  const inside = firstLocation(node);
  let at = context.source.tokenAt(inside);
  while (at > 0 && tokens[at]?.text.toUpperCase() !== keyword) at--;
  return textAfter(context, keyword, tokens[at]?.start ?? 0);
}

/** Smallest byte offset that the tree under a node names. */
function firstLocation(node: unknown): number {
  let first = Number.POSITIVE_INFINITY;
  JSON.stringify(node, (key, value: unknown) => {
    if (key === 'location' && typeof value === 'number' && value >= 0) first = Math.min(first, value);
    return value;
  });
  return first;
}
