/** `node scripts/contract-table.ts`: writes docs/clients-sql.md, the SQL that clients emit, from the contract's rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContractRow, readContract } from '../sql-tests/clients/contract.ts';

export const CONTRACT_TABLE_PATH = join(import.meta.dirname, '../docs/clients-sql.md');

const HEAD = `# What a client emits

The calls of Quern's clients with the SQL that each one is, and what the server answers. Every row runs as a
test through node \`pg\` and psycopg.

* Values are parameters with a cast: \`$1::bigint\`, \`$1::float8\`, \`$1::text\`, \`$1::boolean\`, \`$1::bytea\`,
  \`$1::text[]\`, \`$1::vector\` … Names of collections, fields and aliases are quoted identifiers.
* A dotted path \`a.b.c\` is \`a['b']['c']\`, compared by value class: a mismatch is NULL, not an error.
* \`numeric\` results (sums, averages, arithmetic of undeclared numbers) are an integer where they have no point, else
  a float.
* A partition is \`"collection$partition"\`.
* Errors go by their [kind](errors.md).

<!-- Written by scripts/contract-table.ts from sql-tests/clients/contract.json. -->
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${cell(text)}\``;

function outcome({ rows, error, pending }: ContractRow): string {
  if (pending !== undefined) return `**not yet**: ${pending}`;
  if (error) return error.map(code).join(' ');
  if (rows === undefined || rows.length === 0) return '–';
  const shown = rows.map((row) => row.map((value) => value ?? 'NULL').join(', ')).join('; ');
  return code(shown.length > 200 ? `${shown.slice(0, 200)}…` : shown);
}

function line(row: ContractRow): string {
  const { call, sql, parameters = [] } = row;
  const values = parameters.map((value) => code(JSON.stringify(value))).join(', ');
  return `| ${cell(call)} | ${code(sql)} | ${values} | ${outcome(row)} |`;
}

export function contractTable(): string {
  const { setup, sections } = readContract();
  const made = `\n\`\`\`sql\n${setup.map((sql) => `${sql};`).join('\n')}\n\`\`\`\n`;
  const parts = sections.map(({ section, note, rows }) => {
    const head = note === undefined ? '' : `${note}\n\n`;
    const table = ['| call | SQL | parameters | answer |', '|---|---|---|---|', ...rows.map(line)];
    return `\n## ${section}\n\n${head}${table.join('\n')}\n`;
  });
  return `${HEAD}${made}${parts.join('')}`;
}

if (import.meta.main) writeFileSync(CONTRACT_TABLE_PATH, contractTable());
