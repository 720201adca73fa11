/**
 * Addresses of this page: a collection by its name (its schema before it unless it is `public`), one side of
 * it, one row of it.
 */
import { useLocation } from 'react-router';

export type Side = 'rows' | 'schema' | 'indexes' | 'settings' | 'import';

export interface Place {
  /** Null: the list. */
  readonly name: string | null;
  /** Null: the address does not say. */
  readonly side: Side | null;
  /** Values of the key of the row that is opened, in the order of the key's columns. */
  readonly key: readonly string[] | null;
}

const SIDES: readonly string[] = ['rows', 'schema', 'indexes', 'settings', 'import'];

/** Commas within values are encoded, those between them are not. */
const keyText = (key: readonly string[]): string => key.map(encodeURIComponent).join(',');

export const collectionPath = (name: string, side: Side = 'rows'): string =>
  `/collections/${encodeURIComponent(name)}/${side}`;

/** Key of a new row's form. */
export const NEW_ROW = '+';

export const rowPath = (name: string, key: readonly string[]): string =>
  `${collectionPath(name)}/${keyText(key)}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function placeOf(pathname: string): Place {
  const [, , name, side = '', key] = pathname.split('/');
  return {
    name: name === undefined || name === '' ? null : decoded(name),
    side: SIDES.includes(side) ? (side as Side) : null,
    key: side === 'rows' && key !== undefined && key !== '' ? key.split(',').map(decoded) : null,
  };
}

export const usePlace = (): Place => placeOf(useLocation().pathname);
