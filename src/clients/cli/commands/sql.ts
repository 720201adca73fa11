/** `quern sql -c "…"`: runs statements and prints each result as a table, or as JSON for programs. */
import { type QueryResult, ServerError, WireClient } from '../wire-client.ts';

export interface SqlOptions {
  readonly command: string;
  readonly host?: string;
  readonly port?: string;
  readonly output: string;
}

/** @returns the exit code. */
export async function runSql(options: SqlOptions): Promise<number> {
  const password = process.env.QUERN_API_KEY;
  if (password === undefined || password === '') {
    process.stderr.write('quern: set QUERN_API_KEY to your API key\n');
    return 1;
  }
  try {
    const client = await WireClient.connect({
      host: options.host ?? process.env.QUERN_HOST ?? '127.0.0.1',
      port: Number(options.port ?? process.env.QUERN_PORT ?? 5432),
      password,
    });
    const results: QueryResult[] = [];
    const isJson = options.output === 'json';
    await client.query(options.command, (result) => {
      if (isJson) results.push(result);
      else process.stdout.write(asTable(result));
    });
    client.close();
    if (isJson) process.stdout.write(asJson(results));
    return 0;
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
    return 1;
  }
}

function errorText(error: unknown): string {
  if (!(error instanceof ServerError))
    return `quern: ${error instanceof Error ? error.message : String(error)}`;
  const lines = [`ERROR ${error.fields.get('C') ?? ''}: ${error.message}`];
  for (const [letter, title] of [
    ['D', 'DETAIL'],
    ['H', 'HINT'],
  ] as const) {
    const text = error.fields.get(letter);
    if (text !== undefined) lines.push(`${title}: ${text}`);
  }
  return lines.join('\n');
}

function asJson(results: readonly QueryResult[]): string {
  const tables = results.map(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null]))),
  );
  return `${JSON.stringify(tables.length === 1 ? tables[0] : tables, null, 2)}\n`;
}

function asTable({ columns, rows, tag }: QueryResult): string {
  if (columns.length === 0) return `${tag}\n`;
  const widths = columns.map((name, i) => Math.max(name.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly (string | null)[]): string =>
    cells
      .map((cell, i) => (cell ?? '').padEnd(widths[i] as number))
      .join(' | ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  const count = rows.length === 1 ? '(1 row)' : `(${rows.length} rows)`;
  return `${[line(columns), rule, ...rows.map(line), count].join('\n')}\n`;
}
