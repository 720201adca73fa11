/**
 * aclitem: one grantee's privileges, as `bob=r*w/alice`. The datum is this text, with the names that roles have now;
 * a name stands in quotes where it has other than letters, digits and `_`. Source: aclparse and aclitemout in acl.c.
 */
import { SqlError } from '../errors.ts';
import { OID } from './oids.ts';
import { quoteIdentifier } from './text/quote.ts';
import { TEXT_CODEC } from './text/text.ts';
import type { FormatSettings, SqlType } from './type.ts';

/** In the order in which aclitem prints them. */
export const PRIVILEGE_LETTERS = 'arwdDxtXUCTcsAm';

export const PRIVILEGE_NAMES = [
  'INSERT',
  'SELECT',
  'UPDATE',
  'DELETE',
  'TRUNCATE',
  'REFERENCES',
  'TRIGGER',
  'EXECUTE',
  'USAGE',
  'CREATE',
  'TEMPORARY',
  'CONNECT',
  'SET',
  'ALTER SYSTEM',
  'MAINTAIN',
] as const;

export interface WrittenAclItem {
  /** Null: everybody. */
  readonly grantee: string | null;
  /** Null: not said. */
  readonly grantor: string | null;
  /** Bits in the order of the letters. */
  readonly privileges: number;
  readonly grantable: number;
}

export function aclItemText({ grantee, grantor, privileges, grantable }: WrittenAclItem): string {
  const letters = [...PRIVILEGE_LETTERS].map((letter, i) => {
    if ((privileges & (1 << i)) === 0) return '';
    return (grantable & (1 << i)) === 0 ? letter : `${letter}*`;
  });
  return `${grantee === null ? '' : quoted(grantee)}=${letters.join('')}/${quoted(grantor ?? '')}`;
}

const quoted = (name: string): string =>
  /^[A-Za-z0-9_]+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

const ITEM =
  /^\s*(?:(?:group|user)\s+)?(?:"((?:[^"]|"")*)"|([^\s"=/]*))\s*(=?)((?:[A-Za-z]\*?)*)(?:(\/)(?:"((?:[^"]|"")*)"|([^\s"=/]*)))?\s*(.*)$/s;

const invalid = (message: string, hint?: string): SqlError =>
  new SqlError('invalid_text_representation', message, { ...(hint !== undefined && { hint }) });

/** @throws SqlError 22P02. */
export function readAclItem(text: string): WrittenAclItem {
  const [, inQuotes, bare, equals, letters = '', slash, quotedBy, by, rest] = ITEM.exec(text) ?? [];
  if (equals !== '=') throw invalid('missing "=" sign');
  let privileges = 0;
  let grantable = 0;
  for (const letter of letters) {
    const at = PRIVILEGE_LETTERS.indexOf(letter);
    if (letter === '*') grantable |= 1 << (31 - Math.clz32(privileges & ~grantable));
    else if (at < 0) throw invalid(`invalid mode character: must be one of "${PRIVILEGE_LETTERS}"`);
    else privileges |= 1 << at;
  }
  const grantor = quotedBy?.replaceAll('""', '"') ?? by ?? null;
  if (slash !== undefined && grantor === '') throw invalid('a name must follow the "/" sign');
  if (rest !== '') throw invalid('extra garbage at the end of the ACL specification');
  const grantee = (inQuotes?.replaceAll('""', '"') ?? bare) || null;
  return { grantee, grantor, privileges, grantable };
}

/** The owner of all, who has granted what no other is said to have. */
const OWNER = 10;

/** With roles that there are. @throws SqlError 22P02, 42704. */
function parseAclItem(text: string, { objects }: FormatSettings): string {
  const item = readAclItem(text);
  for (const name of [item.grantee, item.grantor]) {
    if (name === null || objects.oid('regrole', quoteIdentifier(name)) !== null) continue;
    throw new SqlError('undefined_object', `role "${name}" does not exist`);
  }
  return aclItemText({ ...item, grantor: item.grantor ?? objects.name('regrole', OWNER) });
}

export const ACLITEM: SqlType = {
  ...TEXT_CODEC,
  oid: OID.aclitem,
  name: 'aclitem',
  displayName: 'aclitem',
  arrayOid: 1034,
  category: 'U',
  typlen: 16,
  parse: (text, _modifier, settings) => parseAclItem(text, settings),
};
