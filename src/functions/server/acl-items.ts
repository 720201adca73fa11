/** Access lists as values: acldefault, makeaclitem, aclexplode. Source: PostgreSQL 18, table 9.74, and acl.c. */
import { SqlError } from '../../errors.ts';
import { aclItemText, PRIVILEGE_LETTERS, PRIVILEGE_NAMES, readAclItem } from '../../types/acl-item.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { FunctionContext, ScalarFunction, SetFunction } from '../function.ts';

const bitsOf = (letters: string): number =>
  [...letters].reduce((bits, letter) => bits | (1 << PRIVILEGE_LETTERS.indexOf(letter)), 0);

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

const nameOf = ({ catalog }: FunctionContext, role: number): string | null =>
  role === 0 ? null : (catalog.roleName(role) ?? String(role));

export const ACL_FUNCTIONS: readonly ScalarFunction[] = [
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
      const owner = nameOf(context, role);
      const item = (grantee: string | null, letters: string): string[] =>
        letters === ''
          ? []
          : [aclItemText({ grantee, grantor: owner, privileges: bitsOf(letters), grantable: 0 })];
      return arrayDatum(OID.aclitem, [...item(null, found.everybody), ...item(owner, found.owner)]);
    },
  },
  {
    name: 'makeaclitem',
    args: ['oid', 'oid', 'text', 'bool'],
    returns: 'aclitem',
    volatility: 'stable',
    summary: 'An access item of grantee, grantor and privileges.',
    example: ["SELECT makeaclitem(0, 10, 'SELECT, INSERT', true)", '=a*r*/quern'],
    evaluateIn: (context, grantee: number, grantor: number, words: string, grantable: boolean) => {
      const privileges = words
        .split(',')
        .map((word) => privilegeBit(word.trim()))
        .reduce((all, bit) => all | bit, 0);
      const [to, by] = [nameOf(context, grantee), nameOf(context, grantor)];
      return aclItemText({ grantee: to, grantor: by, privileges, grantable: grantable ? privileges : 0 });
    },
  },
];

/** @throws SqlError 22023 */
function privilegeBit(word: string): number {
  const name = word.toUpperCase();
  const at = (PRIVILEGE_NAMES as readonly string[]).indexOf(name === 'TEMP' ? 'TEMPORARY' : name);
  if (at >= 0) return 1 << at;
  throw new SqlError('invalid_parameter_value', `unrecognized privilege type: "${word}"`);
}

export const ACL_SET_FUNCTIONS: readonly SetFunction[] = [
  {
    name: 'aclexplode',
    args: ['_aclitem'],
    returns: 'record',
    columns: [
      { name: 'grantor', type: 'oid' },
      { name: 'grantee', type: 'oid' },
      { name: 'privilege_type', type: 'text' },
      { name: 'is_grantable', type: 'bool' },
    ],
    summary: 'Access privileges as rows.',
    example: ["SELECT privilege_type FROM aclexplode('{=r/quern}')", 'SELECT'],
    volatility: 'stable',
    rows: (context, list: { readonly elements: readonly Datum[] }) =>
      list.elements.flatMap((element) => exploded(context, String(element))),
  },
];

function exploded({ catalog }: FunctionContext, text: string): readonly (readonly Datum[])[] {
  const { grantee, grantor, privileges, grantable } = readAclItem(text);
  const oidOf = (name: string | null): number =>
    name === null ? 0 : (catalog.roleNamed(name) ?? (Number(name) || 0));
  return PRIVILEGE_NAMES.flatMap((name, i): readonly (readonly Datum[])[] => {
    if ((privileges & (1 << i)) === 0) return [];
    return [[oidOf(grantor), oidOf(grantee), name, (grantable & (1 << i)) !== 0]];
  });
}
