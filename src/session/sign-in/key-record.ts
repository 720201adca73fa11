/**
 * API keys as they are kept: one JSON text. A folder whose only key is an owner key without limits keeps it in the form
 * that servers before there were others read, with what they do not know as fields that they pass over.
 */
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { isUnlimited, type KeyScope, NO_SCOPE } from './key-scope.ts';
import type { Salting, Verifier } from '../../catalog/access/scram.ts';

/** One text by which a key is given; more than one while an older one still goes. */
export interface KeySecret {
  readonly id: string;
  /** Its beginning, by which people tell keys apart; '' of one that was chosen. */
  readonly prefix: string;
  /** A digest of one that was made here, a slow hash of a chosen one. */
  readonly known: { readonly digest: string } | { readonly salt: string; readonly hash: string };
  /** Null until its next sign-in in clear. */
  readonly verifier: Verifier | null;
  /** End of one that was replaced, in Unix milliseconds; null: as long as its key. */
  readonly untilMs: number | null;
}

/** A browser that is signed in with a key, as it is kept: its token is told to it alone. */
export interface KeptBrowser {
  readonly digest: string;
  /** `KeySecret.id`: the text that it signed in with, with which it ends. */
  readonly secret: string;
  /** In Unix milliseconds. */
  readonly createdMs: number;
  /** To the hour. */
  readonly usedMs: number;
  readonly address: string;
  readonly userAgent: string;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly role: number;
  /** In Unix milliseconds; null of a key of before that was kept. */
  readonly createdMs: number | null;
  readonly expiresMs: number | null;
  readonly scope: KeyScope;
  /** The newest is the last. */
  readonly secrets: readonly KeySecret[];
  /** Day of its last sign-in, `2027-01-31` in UTC; null: never. */
  readonly lastUsed: string | null;
  /** The oldest first; absent: there are none. Older servers keep it and go by nothing of it. */
  readonly browsers?: readonly KeptBrowser[];
}

/** All that the record says. */
export interface KeptKeys {
  /** All keys share it. */
  readonly salting: Salting;
  readonly keys: readonly ApiKey[];
}

const VERSION = 2;

/** An owner key as servers of before wrote it. */
interface OldKey {
  readonly role: 'owner';
  readonly digest?: string;
  readonly salt?: string;
  readonly hash?: string;
  /** Written beside what they read. */
  readonly more?: Omit<ApiKey, 'role' | 'secrets' | 'scope'> & {
    readonly secret: Omit<KeySecret, 'known'>;
    readonly salting: Salting;
  };
}

/** Older servers read the keys as they are meant. */
const isOldForm = ({ keys }: KeptKeys): boolean => keys.length === 1 && keys.every(isPlainOwner);

const isPlainOwner = ({ role, expiresMs, scope, secrets }: ApiKey): boolean =>
  role === OWNER_ROLE_OID && expiresMs === null && isUnlimited(scope) && secrets.length === 1;

export function encodeKeys(kept: KeptKeys): string {
  if (!isOldForm(kept)) return JSON.stringify({ version: VERSION, ...kept });
  return JSON.stringify(kept.keys.map((key) => oldKey(key, kept.salting)));
}

function oldKey({ role: _, secrets, scope: __, ...rest }: ApiKey, salting: Salting): OldKey {
  const { known, ...secret } = secrets[0] as KeySecret;
  return { role: 'owner', ...known, more: { ...rest, secret, salting } };
}

/** @param made salting for a record that has none. @throws Error for a record of a later version. */
export function decodeKeys(text: string, made: Salting): KeptKeys {
  const record = JSON.parse(text) as readonly OldKey[] | ({ readonly version: number } & KeptKeys);
  if (!('version' in record)) {
    return { salting: record[0]?.more?.salting ?? made, keys: record.map(fromOldKey) };
  }
  if (record.version !== VERSION) throw new Error(`keys of version ${record.version} are not known`);
  // Limits that came later are not in records of before.
  const keys = record.keys.map((key) => ({ ...key, scope: { ...NO_SCOPE, ...key.scope } }));
  return { salting: record.salting, keys };
}

function fromOldKey({ digest, salt = '', hash = '', more }: OldKey, at: number): ApiKey {
  const name = at === 0 ? 'owner' : `owner_${at + 1}`;
  const known = digest === undefined ? { salt, hash } : { digest };
  const secret = { id: name, prefix: '', verifier: null, untilMs: null };
  const {
    secret: kept = secret,
    salting: _,
    ...rest
  } = more ?? {
    id: name,
    name,
    createdMs: null,
    expiresMs: null,
    lastUsed: null,
    secret,
    salting: null,
  };
  return { ...rest, role: OWNER_ROLE_OID, scope: NO_SCOPE, secrets: [{ ...kept, known }] };
}
