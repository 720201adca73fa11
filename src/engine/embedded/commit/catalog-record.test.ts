/** A catalog with every field that there is comes back as it was stored; a field added to the model is asked for here. */
import { expect, test } from 'vitest';
import type { AclItem, Policy, Role } from '../../../catalog/access/model.ts';
import type {
  Catalog,
  Column,
  Comment,
  Constraint,
  EnumType,
  ForeignReference,
  Index,
  IndexElement,
  IndexShape,
  Relation,
  SequenceDefinition,
  SqlFunction,
} from '../../../catalog/model.ts';
import { decodeCatalog, encodeCatalog } from './catalog-record.ts';

const type = { oid: 25, modifier: 7 };

const column: Required<Column> = {
  attribute: 1,
  name: 'title',
  type,
  notNull: true,
  defaultText: "'untitled'",
  identity: 'by default',
  generatedText: 'upper(title)',
  undeclared: true,
  dropped: true,
  struct: [{ name: 'author', type, notNull: true, struct: [{ name: 'born', type, notNull: false }] }],
  hidden: true,
};

const element: Required<IndexElement> = {
  attribute: 0,
  expression: 'upper(title)',
  name: 'upper',
  type: 25,
  operatorClass: 'text_ops',
  descending: true,
  nullsFirst: true,
};

const shape: Required<IndexShape> = {
  method: 'hnsw',
  elements: [element],
  included: [2],
  parameters: { m: '16' },
  where: "title <> ''",
  reads: [1],
};

const index: Required<Index> = {
  oid: 16390,
  name: 'books_title',
  kind: 'semantic',
  columns: [1],
  path: ['a', 0],
  unique: true,
  primary: true,
  options: { model: 'hash' },
  deferrable: true,
  equalNulls: 1,
  fingerprint: 'hash 64',
  standby: { state: 'building', of: 16389 },
  shape,
};

const references: Required<ForeignReference> = {
  relation: 16384,
  columns: [1],
  onDelete: 'cascade',
  onUpdate: 'set null',
  full: true,
  setOnDelete: [1],
};

const constraint: Required<Constraint> = {
  oid: 16391,
  name: 'books_parent',
  kind: 'foreign key',
  columns: [1],
  index: 16390,
  expression: "title <> ''",
  references,
  deferrable: 'deferred',
};

const sequence: Required<SequenceDefinition> = {
  type: 20,
  start: '9007199254740993',
  increment: '1',
  min: '1',
  max: '9223372036854775807',
  cache: '1',
  cycle: true,
  owner: { relation: 16384, attribute: 1 },
};

const policy: Required<Policy> = {
  oid: 16420,
  name: 'own',
  command: 'all',
  permissive: true,
  roles: [0],
  using: 'owner = current_user',
  check: null,
};

const relation: Required<Relation> = {
  staysHere: true,
  oid: 16384,
  namespace: 2200,
  name: 'books',
  kind: 'collection',
  columns: [column],
  indexes: [index],
  constraints: [constraint],
  definition: 'SELECT 1',
  checkOption: 'local',
  options: ['check_option=local'],
  unpopulated: true,
  sequence,
  createdMicros: '780000000000000',
  onCommit: 'drop',
  rowSecurity: 'forced',
  policies: [policy],
  sharedStatistics: true,
};

const sqlFunction: Required<SqlFunction> = {
  oid: 16400,
  namespace: 2200,
  name: 'add',
  arguments: [{ name: 'a', mode: 'in', type, defaultText: '1' }],
  returns: type,
  returnsRelation: 16384,
  set: true,
  strict: true,
  volatility: 'stable',
  promises: { securityDefiner: true, leakproof: true, parallel: 'safe', cost: 1, rows: 2 },
  form: 'return',
  body: 'a + 1',
};

const enumType: Required<EnumType> = {
  oid: 2 ** 30,
  namespace: 2200,
  name: 'mood',
  labels: [{ oid: 16401, order: 1.5, label: 'ok' }],
};

const comment: Required<Comment> = { classOid: 1259, oid: 16384, column: 1, text: 'a title' };

const role: Required<Role> = {
  oid: 16410,
  name: 'readers',
  superuser: false,
  inherit: true,
  createRole: false,
  createDatabase: false,
  login: true,
  replication: false,
  bypassRowSecurity: false,
  connectionLimit: 3,
  validUntil: '2030-01-01 00:00:00+00',
  verifier: 'SCRAM-SHA-256$4096:c2FsdA==$a:b',
  settings: ['search_path=films'],
};

const acl: readonly Required<AclItem>[] = [{ grantee: 16410, grantor: 10, privileges: 2, grantable: 0 }];

const catalog: Required<Catalog> = {
  version: 3,
  nextOid: 16500,
  namespaces: [{ oid: 2200, name: 'public' }],
  relations: new Map([[relation.oid, relation]]),
  functions: new Map([[sqlFunction.oid, sqlFunction]]),
  enums: new Map([[enumType.oid, enumType]]),
  comments: [comment],
  roles: new Map([[role.oid, role]]),
  memberships: [{ oid: 16411, role: 16410, member: 10, grantor: 10, admin: true, inherit: true, set: false }],
  access: new Map([['1259.16384.1', { classOid: 1259, oid: 16384, column: 1, owner: 10, acl }]]),
  defaultAccess: [{ oid: 16412, role: 16410, namespace: 2200, kind: 'relation', acl }],
};

test('a catalog with every field comes back', () => {
  expect(decodeCatalog(encodeCatalog(catalog))).toEqual(catalog);
});

test('a catalog that was stored before there were functions and enums has none', () => {
  const { functions: _, enums: __, ...older } = JSON.parse(encodeCatalog(catalog)) as Record<string, unknown>;
  expect(decodeCatalog(JSON.stringify(older))).toEqual({
    ...catalog,
    functions: new Map(),
    enums: new Map(),
  });
});
