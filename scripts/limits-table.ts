/** `node scripts/limits-table.ts`: writes docs/limits.md, the bounds of `src/limits.ts` that users can meet. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as VALUES from '../src/limits.ts';
import { LIMITS } from '../src/session/settings/limit-rows.ts';

export const LIMITS_TABLE_PATH = join(import.meta.dirname, '../docs/limits.md');

type Limit = keyof typeof VALUES;

/** How the server goes about its work: no user meets these as an error. */
const INTERNAL: readonly Limit[] = [
  'BATCH_ROWS_MAX',
  'SCAN_ROWS_MAX',
  'TIES_MAX',
  'PARSE_INLINE_BYTES_MAX',
  'SOCKET_WRITE_BYTES',
  // No settings: docs/keys.md tells them.
  'API_KEYS_COUNT_MAX',
  'SCRAM_KEYS_COUNT_MAX',
  'ROWS_WAIT_MS_MAX',
  'INGESTION_LANES',
  'EMBEDDED_PASSAGES_BYTES_MAX',
  'ASK_ENDPOINT_SECONDS',
  'ASK_GGUF_SECONDS',
  'CALL_INLINE_BYTES_MAX',
  'CALL_HELPERS_COUNT_MAX',
  'CALL_HELPER_HEAP_MB_MAX',
  'CALL_HELPER_BASE_MB',
  'BLOCK_BYTES',
  'PAGED_BLOCK_BYTES',
  'TIME_SLICE_MS',
];

const HEAD = `# Limits

What is larger is an error that says so, mostly of class \`54\` (too large, too many, too deep) or \`53\` (no room for it now), or \`22023\`
of an argument. Memory for all statements together is \`quern serve --memory\`; a statement that does not get what it wants ends with
53200. Rows, tables and datasets are not counted. [Connections](connections.md),
[large values](large-values.md) and [storage](storage.md) say more.

Each is a setting, which \`SHOW\`, \`SHOW ALL\` and \`pg_settings\` tell. Those with a * can be lowered by
\`SET\`, for a session or a transaction, and are gone by from then on; above what stands here they are 22023.
The others belong to the server: to set one is 55P02.

<!-- Written by scripts/limits-table.ts from src/limits.ts. -->
`;

/** @returns names of limits of which the page says nothing, or that it knows and there are not. */
export function undecidedLimits(): readonly string[] {
  const known = [...INTERNAL, ...LIMITS.flatMap(({ rows }) => rows.map(({ constant }) => constant))];
  return [...new Set(known).symmetricDifference(new Set(Object.keys(VALUES)))];
}

function shown(name: string, value: number): string {
  if (/_MS(?:_|$)/.test(name)) return `${value / 1000} s`;
  if (!/_BYTES(?:_|$)/.test(name)) return value.toLocaleString('en');
  if (value % 2 ** 20 === 0) return `${value / 2 ** 20} MiB`;
  return value % 1024 === 0 && value >= 4096 ? `${value / 1024} KiB` : `${value.toLocaleString('en')} bytes`;
}

export function limitsTable(): string {
  const sections = LIMITS.map(({ title, rows }) => {
    const lines = rows.map(
      ({ setting, constant, value, says, isSettable }) =>
        `| ${says} | ${shown(constant, value)} | \`${setting}\`${isSettable ? ' *' : ''} |`,
    );
    return `\n## ${title}\n\n| | at most | setting |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `${HEAD}${sections.join('')}`;
}

if (import.meta.main) writeFileSync(LIMITS_TABLE_PATH, limitsTable());
