/** Statements that change the catalog. Those that the session runs by itself, and unknown ones, are 0A000. */
import { CLASS_OID, DATABASE_OID } from '../../../catalog/oids.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { columnByName, type Relation } from '../../../catalog/model.ts';
import { extensions } from '../../../catalog/system/extensions.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { formatType } from '../../../types/registry.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { QualifiedName, SessionStatement, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { storedSource } from '../../deparse/source.ts';
import { bindAccess } from '../access/access.ts';
import { roleNamed, roleOf } from '../access/actor.ts';
import { bindAlterTable } from './alter-table.ts';
import { bindAlterFunction, bindCreateFunction } from './create-function.ts';
import { bindDropFunction } from './drop-function.ts';
import { bindCreateIndex } from './create-index.ts';
import { bindCreateTable } from './create-table.ts';
import { bindAlterSequence, bindCreateSequence } from '../relation/sequences.ts';
import { bindCreateTableAs } from './create-table-as.ts';
import { bindAlterOwner, checkMaySetRole } from '../access/owner.ts';
import { bindRefresh } from './materialized-view.ts';
import { checkChecked } from './alter-view.ts';
import { bindPolicy, policyOf } from './policies.ts';
import { bindDropType } from './drop-type.ts';
import { bindAlterType, bindCreateEnum, enumNamed } from './enum-types.ts';
import { viewOptions } from '../relation/view-options.ts';
import { queryColumns } from '../query/query-columns.ts';
import { withDependentPolicies } from './dependent-policies.ts';
import { readsTemporary } from './dependent-views.ts';
import { bindDrop, bindTruncate } from './drop.ts';
import { creationPlace, findExisting, findStoredIndex, storedRelation } from '../names.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

/** Statements that change no rows by a plan. */
type Definition = Exclude<Statement, Of<'query' | 'insert' | 'update' | 'delete' | 'merge' | 'copy'>>;

/** Nothing is read of what it defines: policies are asked later, of whoever reads. */
export function bindDefinition(statement: Definition, context: BindContext): BoundStatement {
  const defining = { ...context, isDefined: true };
  return withDependentPolicies(bindOne(statement, defining), statement, defining);
}

function bindOne(statement: Definition, context: BindContext): BoundStatement {
  switch (statement.kind) {
    case 'create table':
      return bindCreateTable(statement, context);
    case 'create index':
      return bindCreateIndex(statement, context);
    case 'alter table':
      return bindAlterTable(statement, context);
    case 'drop':
      return statement.object === 'type' ? bindDropType(statement, context) : bindDrop(statement, context);
    case 'create enum':
      return bindCreateEnum(statement, context);
    case 'alter type':
      return bindAlterType(statement, context);
    case 'truncate':
      return bindTruncate(statement, context);
    case 'create schema':
      return bindCreateSchema(statement, context);
    case 'create extension':
      return bindCreateExtension(statement, context);
    case 'create view':
      return bindCreateView(statement, context);
    case 'create function':
      return bindCreateFunction(statement, context);
    case 'alter owner':
      return bindAlterOwner(statement, context);
    case 'create policy':
    case 'alter policy':
    case 'rename policy':
    case 'drop policy':
      return bindPolicy(statement, context);
    case 'alter function':
    case 'drop function':
      return bindChangedFunction(statement, context);
    case 'comment':
      return bindComment(statement, context);
    case 'create sequence':
    case 'alter sequence':
      return bindSequence(statement, context);
    case 'create table as':
      return bindCreateTableAs(statement, context);
    case 'refresh':
      return bindRefresh(statement, context);
    case 'create role':
    case 'alter role':
    case 'alter role setting':
    case 'rename role':
    case 'drop role':
    case 'grant role':
    case 'grant':
    case 'alter default privileges':
    case 'reassign owned':
    case 'drop owned':
      return bindAccess(statement, context);
    case 'unsupported':
      throw unsupported(statement);
    default:
      return refused(statement);
  }
}

const bindChangedFunction = (
  statement: Of<'alter function' | 'drop function'>,
  context: BindContext,
): BoundStatement =>
  statement.kind === 'drop function'
    ? bindDropFunction(statement, context)
    : bindAlterFunction(statement, context);

const bindSequence = (
  statement: Of<'create sequence' | 'alter sequence'>,
  context: BindContext,
): BoundStatement =>
  statement.kind === 'create sequence'
    ? bindCreateSequence(statement, context)
    : bindAlterSequence(statement, context);

const unsupported = ({ feature, at, hint }: Of<'unsupported'>): SqlError =>
  notSupported(feature, { position: at || undefined, hint });

function refused(statement: SessionStatement): never {
  throw notSupported(statement.kind.toUpperCase(), { position: statement.at || undefined });
}

function bindCreateSchema(statement: Of<'create schema'>, context: BindContext): BoundStatement {
  const { ifNotExists } = statement;
  const owner = statement.owner === null ? null : roleOf(context, statement.owner);
  if (owner !== null) checkMaySetRole(context, owner.oid);
  const name = statement.name === '' && owner !== null ? owner.name : statement.name;
  const known = context.catalog.namespaces.some((namespace) => namespace.name === name);
  if (known && ifNotExists) {
    const notices = [`schema "${name}" already exists, skipping`];
    return { kind: 'catalog', tag: 'CREATE SCHEMA', edits: [], notices };
  }
  const edit: CatalogEdit = { edit: 'create namespace', name, ...(owner !== null && { owner: owner.oid }) };
  return { kind: 'catalog', tag: 'CREATE SCHEMA', edits: [edit], notices: [] };
}

/** Extensions are built in. */
function bindCreateExtension(statement: Of<'create extension'>, { catalog }: BindContext): BoundStatement {
  const { name, ifNotExists } = statement;
  if (name !== 'plpgsql' && !extensions(catalog).some((extension) => extension.name === name)) {
    throw new SqlError('feature_not_supported', `extension "${name}" is not available`, {
      position: statement.at || undefined,
      hint: 'The extensions there are, vector, pg_trgm and quern, are built in.',
    });
  }
  const notices = ifNotExists ? [`extension "${name}" already exists, skipping`] : [];
  return { kind: 'catalog', tag: 'CREATE EXTENSION', edits: [], notices };
}

const NEW_VIEW = { oid: 0, kind: 'view', indexes: [], constraints: [] } as const;

type ViewBody = Pick<Relation, 'columns' | 'definition' | 'checkOption' | 'options'>;

function bindCreateView(statement: Of<'create view'>, context: BindContext): BoundStatement {
  const { name, query, text, replace } = statement;
  const check =
    statement.checkOption === null ? [] : [{ at: 0, name: 'check_option', value: statement.checkOption }];
  const options = viewOptions([...statement.options, ...check]);
  const columns = queryColumns(context, query, statement.columns);
  const isImplied = !statement.temporary && readsTemporary(context, statement);
  const { namespace, edits: place } = creationPlace(context, name, statement.temporary || isImplied);
  const known = findExisting(context, name);
  const added = { columns, definition: storedSource(context, text), ...options };
  checkChecked(context, { ...NEW_VIEW, namespace: 0, name: '', ...added });
  if (known?.namespace === namespace && replace) return replaceView(known, added);
  if (known?.namespace === namespace) {
    throw new SqlError('duplicate_table', `relation "${name.name}" already exists`);
  }
  const view: Relation = { ...NEW_VIEW, namespace, name: name.name, ...added };
  const edits: readonly CatalogEdit[] = [...place, { edit: 'create relation', relation: view }];
  const notices = isImplied ? [`view "${name.name}" will be a temporary view`] : [];
  return { kind: 'catalog', tag: 'CREATE VIEW', edits, notices };
}

/** Views that read it go on reading it: columns may only be added at the end. @throws SqlError 42809, 42P16. */
function replaceView(known: Relation, body: ViewBody): BoundStatement {
  if (known.kind !== 'view') throw new SqlError('wrong_object_type', `"${known.name}" is not a view`);
  const { columns } = body;
  const wrong = (message: string, hint?: string): SqlError =>
    new SqlError('invalid_table_definition', message, { hint });
  if (columns.length < known.columns.length) throw wrong('cannot drop columns from view');
  for (const [i, old] of known.columns.entries()) {
    const column = columns[i] ?? old;
    if (column.name !== old.name) {
      throw wrong(
        `cannot change name of view column "${old.name}" to "${column.name}"`,
        'Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.',
      );
    }
    if (column.type.oid !== old.type.oid || column.type.modifier !== old.type.modifier) {
      const [from, to] = [formatType(old.type), formatType(column.type)];
      throw wrong(`cannot change data type of view column "${old.name}" from ${from} to ${to}`);
    }
  }
  const { checkOption: _, options: __, ...kept } = known;
  const relation = { ...kept, ...body };
  return {
    kind: 'catalog',
    tag: 'CREATE VIEW',
    edits: [{ edit: 'rewrite relation', relation }],
    notices: [],
  };
}

type CommentEdit = Omit<Extract<CatalogEdit, { edit: 'comment' }>, 'edit' | 'text'>;
type Commented = Of<'comment'>['object'];

function bindComment(statement: Of<'comment'>, context: BindContext): BoundStatement {
  const { object, name, text } = statement;
  if (object === 'other') {
    throw notSupported('COMMENT ON this kind of object', { position: statement.at || undefined });
  }
  const edits: CatalogEdit[] = [];
  if (object === 'extension') checkExtensionComment(context, name.at(-1) ?? '', text);
  else edits.push({ edit: 'comment', ...COMMENTED[object](context, statement), text });
  return { kind: 'catalog', tag: 'COMMENT', edits, notices: [] };
}

/** Objects of comments, by their rows in the catalog. @throws SqlError where there is none. */
const COMMENTED: {
  readonly [K in Exclude<Commented, 'extension' | 'other'>]: (
    context: BindContext,
    statement: Of<'comment'>,
  ) => CommentEdit;
} = {
  table: (context, statement) =>
    inClass(CLASS_OID.pg_class, storedRelation(context, qualified(statement)).oid),
  view: (context, statement) =>
    inClass(CLASS_OID.pg_class, storedRelation(context, qualified(statement)).oid),
  index: (context, statement) => inClass(CLASS_OID.pg_class, indexOid(context, qualified(statement))),
  type: (context, statement) => inClass(CLASS_OID.pg_type, enumNamed(context, qualified(statement)).oid),
  role: (context, { name }) => inClass(CLASS_OID.pg_authid, roleNamed(context, name.at(-1) ?? '').oid),
  database: () => inClass(CLASS_OID.pg_database, DATABASE_OID),
  column: (context, statement) => {
    const relation = storedRelation(context, ownerOf(statement));
    const last = statement.name.at(-1) ?? '';
    const column = columnByName(relation, last);
    if (column) return { classOid: CLASS_OID.pg_class, oid: relation.oid, column: column.attribute };
    const message = `column "${last}" of relation "${relation.name}" does not exist`;
    throw new SqlError('undefined_column', message);
  },
  constraint: (context, statement) => {
    const relation = storedRelation(context, ownerOf(statement));
    const last = statement.name.at(-1) ?? '';
    const constraint = relation.constraints.find((candidate) => candidate.name === last);
    if (constraint) return inClass(CLASS_OID.pg_constraint, constraint.oid);
    const message = `constraint "${last}" for table "${relation.name}" does not exist`;
    throw new SqlError('undefined_object', message);
  },
  policy: (context, statement) => {
    const relation = storedRelation(context, ownerOf(statement));
    return inClass(CLASS_OID.pg_policy, policyOf(relation, statement.name.at(-1) ?? '').oid);
  },
  schema: (context, { name }) => {
    const last = name.at(-1) ?? '';
    const schema = context.catalog.namespaces.find((candidate) => candidate.name === last);
    if (schema) return inClass(CLASS_OID.pg_namespace, schema.oid);
    throw new SqlError('invalid_schema_name', `schema "${last}" does not exist`);
  },
};

const inClass = (classOid: number, oid: number): CommentEdit => ({ classOid, oid, column: 0 });

const qualified = ({ name, at }: Pick<Of<'comment'>, 'name' | 'at'>): QualifiedName => ({
  schema: name.at(-2) ?? null,
  name: name.at(-1) ?? '',
  partition: null,
  at,
});

/** The relation of `relation.column`. */
const ownerOf = ({ name, at }: Of<'comment'>): QualifiedName => qualified({ name: name.slice(0, -1), at });

function indexOid(context: BindContext, name: QualifiedName): number {
  const index = findStoredIndex(context, name);
  if (index) return index.oid;
  throw new SqlError('undefined_table', `relation "${name.name}" does not exist`);
}

/** pg_dump repeats what an extension says of itself. @throws SqlError 42704, 0A000 for another text. */
function checkExtensionComment(context: BindContext, name: string, text: string | null): void {
  const known = extensions(context.catalog).find((extension) => extension.name === name);
  if (known === undefined) throw new SqlError('undefined_object', `extension "${name}" does not exist`);
  if (known.comment !== text) throw notSupported('changing the comment on an extension');
}
