/** `node scripts/error-table.ts`: writes docs/errors.md, every kind of error of `src/error-kinds.ts`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_KINDS } from '../src/error-kinds.ts';

export const ERROR_TABLE_PATH = join(import.meta.dirname, '../docs/errors.md');

const HEAD = `# Errors

An error carries a SQLSTATE, a message, where it helps a position, DETAIL and HINT, and in its routine field
(\`R\`; \`error.routine\` in node, \`error.diag.source_function\` in psycopg) a kind, which tells apart what
shares a SQLSTATE. Programs go by the kind, and by the SQLSTATE where there is none.

* \`document_validation\`: DETAIL is a JSON list of \`{kind, document_offset, field, …}\`, at most 1,000 faults of
  the statement. A plain table has PostgreSQL's DETAIL instead.
* \`schema_validation\` of a collection: DETAIL is a JSON list of \`{kind, field, index, type}\`.
* \`serialization_failure\`, \`slow_down\` and a connection that ended before its statement began may be tried
  again.
* A prepared statement that has to be prepared anew has PostgreSQL's \`RevalidateCachedQuery\` or
  \`FetchPreparedStatement\` there, by which pgjdbc and postgres.js do so themselves.

<!-- Written by scripts/error-table.ts from src/error-kinds.ts. -->

| kind | SQLSTATE | error of the clients | what it means |
|---|---|---|---|
`;

/** \`22\` is the class of them. */
const shown = (state: string): string => (state.length === 2 ? `\`${state}…\`` : `\`${state}\``);

export function errorTable(): string {
  const lines = Object.entries(ERROR_KINDS).map(([kind, { clients, states, besides, summary }]) => {
    const sqlstates = [...states, ...besides].map(shown).join(', ');
    return `| \`${kind}\` | ${sqlstates} | \`${clients ?? 'QuernError'}\` | ${summary} |`;
  });
  return `${HEAD}${lines.join('\n')}\n`;
}

if (import.meta.main) writeFileSync(ERROR_TABLE_PATH, errorTable());
