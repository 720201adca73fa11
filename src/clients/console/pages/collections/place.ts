/**
 * Addresses of this page: a collection by its name (its schema before it unless it is `public`), one side of
 * it, one row of it.
 */
import { useLocation } from 'react-router';
import { nameOfPart, pathOf, pathPart } from '../../shell/path.ts';

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
const keyText = (key: readonly string[]): string => key.map(pathPart).join(',');

export const collectionPath = (name: string, side: Side = 'rows'): string =>
  `${pathOf('collections', name)}/${side}`;

/** Key of a new row's form: no row's. */
export const NEW_ROW: readonly string[] = [];

/** Where a key stands; a row's own plus is encoded. */
const NEW_PART = '+';

export const rowPath = (name: string, key: readonly string[]): string =>
  `${collectionPath(name)}/${key === NEW_ROW ? NEW_PART : keyText(key)}`;

const keyOf = (part: string): readonly string[] =>
  part === NEW_PART ? NEW_ROW : part.split(',').map(nameOfPart);

function placeOf(pathname: string): Place {
  const [, , name, side = '', key] = pathname.split('/');
  return {
    name: name === undefined || name === '' ? null : nameOfPart(name),
    side: SIDES.includes(side) ? (side as Side) : null,
    key: side === 'rows' && key !== undefined && key !== '' ? keyOf(key) : null,
  };
}

export const usePlace = (): Place => placeOf(useLocation().pathname);
