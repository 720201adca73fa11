/** Answers to functions about privileges and memberships. */
import type { AccessObject, CatalogServices, HeldPrivileges } from '../../functions/function.ts';
import { findTypeByOid } from '../../types/registry.ts';
import { findNamespace } from '../lookup.ts';
import {
  type Catalog,
  columnByAttribute,
  columnByName,
  findIndex,
  FIRST_USER_OID,
  liveColumns,
} from '../model.ts';
import { DATABASE_OID, DEFAULT_TABLESPACE_OID, GLOBAL_TABLESPACE_OID } from '../oids.ts';
import { isRuled } from '../policies.ts';
import { functionNameByOid } from '../system/function-oids.ts';
import { LANGUAGES } from '../system/languages.ts';
import { SYSTEM_TABLES } from '../system/columns/tables.ts';
import { grantableOn, privilegesOn } from './checks.ts';
import { isAdminOf } from './membership-rules.ts';
import { hasRightsOf, isSuperuser, rolesReached } from './roles.ts';

type Answers = Pick<
  CatalogServices,
  'privilegesOf' | 'columnNumber' | 'columnNumbers' | 'namespaceNamed' | 'isSequence' | 'hasRole' | 'isRuled'
>;

export const accessServices = (catalog: Catalog): Answers => ({
  isRuled: (role, oid) => {
    if (oid < FIRST_USER_OID) return false;
    const relation = catalog.relations.get(oid);
    return relation === undefined ? null : isRuled(catalog, relation, role);
  },
  privilegesOf: (role, object) => {
    if (!exists(catalog, object)) return null;
    const { kind, column } = object;
    const asked = column === undefined ? object : { ...object, kind: 'column' as const };
    const own = held(catalog, role, asked);
    if (kind !== 'relation' || column === undefined) return own;
    const whole = held(catalog, role, { kind, oid: object.oid });
    return {
      privileges: own.privileges | whole.privileges,
      grantable: own.grantable | whole.grantable,
    };
  },
  columnNumber: (oid, name) => {
    const relation = catalog.relations.get(oid);
    if (relation !== undefined) return columnByName(relation, name)?.attribute ?? null;
    const at = systemColumns(oid).findIndex((column) => column.name === name);
    return at < 0 ? null : at + 1;
  },
  namespaceNamed: (name) => findNamespace(catalog, name)?.oid ?? null,
  isSequence: (oid) => catalog.relations.get(oid)?.kind === 'sequence',
  columnNumbers: (oid) => {
    const relation = catalog.relations.get(oid);
    if (relation !== undefined) return liveColumns(relation).map(({ attribute }) => attribute);
    return systemColumns(oid).map((_, i) => i + 1);
  },
  hasRole: (role, of, how) => {
    if (how === 'admin') return isAdminOf(catalog, role, of);
    if (how === 'usage') return hasRightsOf(catalog, role, of);
    const by = how === 'set' ? 'set' : 'any';
    return isSuperuser(catalog, role) || rolesReached(catalog, role, by).has(of);
  },
});

type Asked = Parameters<typeof privilegesOn>[2];

const held = (catalog: Catalog, role: number, object: Asked): HeldPrivileges => ({
  privileges: privilegesOn(catalog, role, object),
  grantable: grantableOn(catalog, role, object),
});

const systemColumns = (oid: number) => SYSTEM_TABLES.find((table) => table.oid === oid)?.columns ?? [];

function exists(catalog: Catalog, { kind, oid, column }: AccessObject): boolean {
  const relation = catalog.relations.get(oid);
  switch (kind) {
    case 'relation':
    case 'sequence':
      if (column === undefined) {
        return (
          relation !== undefined || systemColumns(oid).length > 0 || findIndex(catalog, oid) !== undefined
        );
      }
      return relation === undefined
        ? column > 0 && column <= systemColumns(oid).length
        : columnByAttribute(relation, column)?.dropped === false;
    case 'function':
      return catalog.functions.has(oid) || functionNameByOid(oid) !== null;
    case 'schema':
      return catalog.namespaces.some((namespace) => namespace.oid === oid);
    case 'type':
      return catalog.enums.has(oid) || findTypeByOid(oid) !== undefined;
    case 'language':
      return LANGUAGES.some((language) => language.oid === oid);
    case 'tablespace':
      return oid === DEFAULT_TABLESPACE_OID || oid === GLOBAL_TABLESPACE_OID;
    case 'database':
      return oid === DATABASE_OID;
  }
}
