/** `quern sql`: statements and their results as tables, or as JSON for programs; without `-c` a prompt. */
import type { ScriptResult } from '../../typescript/src/wire/connection.ts';
import { asking, type ServerOptions } from '../session.ts';
import { countText, print, printJson, tableText } from '../terminal.ts';

export interface SqlOptions extends ServerOptions {
  readonly command?: string;
}

export const sql = (options: SqlOptions): Promise<number> =>
  asking(options, async (client, signal) => {
    if (options.command === undefined && process.stdin.isTTY) {
      const { runShell } = await import('../shell.ts');
      await runShell(client);
      return undefined;
    }
    const text = options.command ?? (await standardInput());
    const results = await client.script(text, { signal });
    if (options.output === 'json') printJson(asJson(results));
    else for (const result of results) printResult(result);
    return undefined;
  });

async function standardInput(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += chunk;
  return text;
}

function asJson(results: readonly ScriptResult[]): unknown {
  const tables = results.map(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
  );
  return tables.length === 1 ? tables[0] : tables;
}

export function printResult({ columns, rows, tag }: ScriptResult): void {
  if (columns.length === 0) print(tag);
  else print(`${tableText(columns, rows)}\n${countText(rows.length, 'row')}`);
}
