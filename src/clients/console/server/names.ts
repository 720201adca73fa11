/** Names and texts as SQL writes them. Values go as parameters wherever a statement takes them; names cannot. */

const RESERVED_OR_ODD = /^(?![a-z_][a-z0-9_$]*$)/;

/** `films`, `"Odd name"`. Quoting more than is needed does no harm; a reserved word is always quoted. */
export const quoteName = (name: string): string =>
  RESERVED_OR_ODD.test(name) || KEYWORDS.has(name) ? `"${name.replaceAll('"', '""')}"` : name;

/** A relation by its schema; `public` need not be said. */
export const relationName = (schema: string, name: string): string =>
  schema === 'public' ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`;

/** For statements that take no parameters, as CREATE and DROP do. */
export const quoteText = (text: string): string =>
  text.includes('\\')
    ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;

/** Words that PostgreSQL reserves. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check
   collate collation column concurrently constraint create cross current_catalog current_date
   current_role current_schema current_time current_timestamp current_user default deferrable desc
   distinct do else end except false fetch for foreign freeze from full grant group having ilike in
   initially inner intersect into is isnull join lateral leading left like limit localtime
   localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
   references returning right select session_user similar some symmetric system_user table tablesample
   then to trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
);
