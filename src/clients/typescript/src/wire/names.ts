/** Names as SQL writes them, and what a name may be. */
import { InvalidArgumentError } from '../errors.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/;

export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** `a.b.c` leads into structs: `"a"['b']['c']`. @param column what its first name is in SQL. */
export const pathSql = (column: string, path: readonly string[]): string =>
  `${column}${path.map((key) => `[${textLiteral(key)}]`).join('')}`;

/** @param what `collection`, `partition` or `dataset`. */
export function checkName(what: string, name: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new InvalidArgumentError(
    `Invalid ${what} name ${JSON.stringify(name)}: 1 to 255 letters, digits, "_", "-" and ".", a letter or digit first`,
  );
}
