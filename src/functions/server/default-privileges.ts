/**
 * acldefault: the privileges that an object has while nobody was granted any. Source: PostgreSQL 18,
 * section 5.8 "Privileges" and acldefault() of acl.c.
 */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import { OID } from '../../types/oids.ts';
import type { ScalarFunction } from '../function.ts';

/** Privileges of the owner and of everybody, by the kind of object. */
const DEFAULTS: Readonly<Record<string, { readonly owner: string; readonly everybody: string }>> = {
  c: { owner: '', everybody: '' },
  r: { owner: 'arwdDxtm', everybody: '' },
  s: { owner: 'rwU', everybody: '' },
  d: { owner: 'CTc', everybody: 'Tc' },
  f: { owner: 'X', everybody: 'X' },
  l: { owner: 'U', everybody: 'U' },
  L: { owner: 'rw', everybody: '' },
  n: { owner: 'UC', everybody: '' },
  t: { owner: 'C', everybody: '' },
  F: { owner: 'U', everybody: '' },
  S: { owner: 'U', everybody: '' },
  T: { owner: 'U', everybody: 'U' },
  p: { owner: 'sA', everybody: '' },
};

export const DEFAULT_PRIVILEGE_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'acldefault',
    args: ['char', 'oid'],
    returns: 'aclitem[]',
    volatility: 'stable',
    summary: 'The privileges that an object of a kind has by default, by its owner.',
    example: ["SELECT acldefault('n', 10)", '{quern=UC/quern}'],
    evaluateIn: (context, kind: string, role: number) => {
      const found = Object.hasOwn(DEFAULTS, kind) ? DEFAULTS[kind] : undefined;
      if (found === undefined) {
        throw new SqlError('invalid_parameter_value', `unrecognized object type abbreviation: ${kind}`);
      }
      const owner = context.catalog.roleName(role) ?? String(role);
      const items = [
        ...(found.everybody === '' ? [] : [`=${found.everybody}/${owner}`]),
        ...(found.owner === '' ? [] : [`${owner}=${found.owner}/${owner}`]),
      ];
      return arrayDatum(OID.aclitem, items);
    },
  },
];
