/** Keys as rows, and the statements that make and change them, as one would write them by hand. */
import { quoteName, quoteText } from '../../server/names.ts';

export interface KeyRow {
  readonly name: string;
  readonly prefix: string;
  readonly role: string;
  readonly collections: readonly string[] | null;
  readonly partitions: readonly string[] | null;
  readonly datasets: readonly string[] | null;
  readonly read_only: boolean;
  readonly addresses: readonly string[] | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly created_at: string | null;
  readonly expires_at: string | null;
  readonly old_key_until: string | null;
  readonly last_used: string | null;
  readonly is_expired: boolean | null;
}

export const LIST_KEYS = `SELECT *, expires_at <= now() AS is_expired FROM quern.api_keys ORDER BY name`;

export const LIST_ROLES = `SELECT rolname AS name FROM pg_catalog.pg_roles WHERE rolname NOT LIKE 'pg\\_%' ORDER BY 1`;

/** A key as its form has it; empty texts set nothing. */
export interface KeyDraft {
  readonly name: string;
  readonly role: string;
  /** An interval, or a time. */
  readonly expires: string;
  readonly isReadOnly: boolean;
  /** Lists, with commas. */
  readonly collections: string;
  readonly partitions: string;
  readonly datasets: string;
  readonly addresses: string;
  /** `tenant = acme`, a line each. */
  readonly attributes: string;
}

export const NEW_KEY: KeyDraft = {
  name: '',
  role: 'reader',
  expires: '90 days',
  isReadOnly: false,
  collections: '',
  partitions: '',
  datasets: '',
  addresses: '',
  attributes: '',
};

const listed = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const listOption = (name: string, text: string): readonly string[] =>
  listed(text).length === 0 ? [] : [`${name} = ARRAY[${listed(text).map(quoteText).join(', ')}]`];

/** `tenant = acme` a line, as JSON. */
function attributesOf(text: string): string | null {
  const pairs = text.split('\n').flatMap((line): [string, string][] => {
    const at = line.indexOf('=');
    return at <= 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
  return pairs.length === 0 ? null : JSON.stringify(Object.fromEntries(pairs));
}

export function createStatement(draft: KeyDraft): string {
  const attributes = attributesOf(draft.attributes);
  const options = [
    `role = ${quoteName(draft.role)}`,
    ...(draft.expires.trim() === '' ? [] : [`expires = ${quoteText(draft.expires.trim())}`]),
    ...(draft.isReadOnly ? ['read_only'] : []),
    ...listOption('collections', draft.collections),
    ...listOption('partitions', draft.partitions),
    ...listOption('datasets', draft.datasets),
    ...listOption('addresses', draft.addresses),
    ...(attributes === null ? [] : [`attributes = ${quoteText(attributes)}`]),
  ];
  const name = draft.name.trim() === '' ? '' : ` ${quoteName(draft.name.trim())}`;
  return `CREATE API KEY${name} WITH (${options.join(', ')})`;
}

export const rotateStatement = (name: string, overlap: string): string =>
  `ALTER API KEY ${quoteName(name)} ROTATE${overlap.trim() === '' ? '' : ` WITH (overlap = ${quoteText(overlap.trim())})`}`;

export const expireStatement = (name: string): string => `ALTER API KEY ${quoteName(name)} EXPIRE`;

export const dropStatement = (name: string): string => `DROP API KEY ${quoteName(name)}`;

/** Limits of a key in a few words. */
export function limitsOf(key: KeyRow, words: { readonly readOnly: string }): readonly string[] {
  const { collections, partitions, datasets, addresses, attributes } = key;
  const lists = [collections, partitions, datasets, addresses].filter((list) => list !== null);
  return [
    ...(key.read_only ? [words.readOnly] : []),
    ...lists.map((list) => list.join(', ')),
    ...Object.entries(attributes).map(([name, value]) => `${name} = ${value}`),
  ];
}
