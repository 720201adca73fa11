/** The prompt of `quern sql`: lines until a semicolon, history, completion of names, Ctrl-C for a statement. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Client } from '../typescript/src/client.ts';
import { printResult } from './commands/sql.ts';
import { configFolder } from './credentials.ts';
import { errorText } from './session.ts';
import { print, tell } from './terminal.ts';

const HISTORY_MAX = 1000;
const KEYWORDS =
  'SELECT FROM WHERE ORDER BY GROUP LIMIT OFFSET INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE DATASET DROP ALTER INDEX semantic_similarity( vector_distance( bm25_score() match( hybrid( search( ask( research('.split(
    ' ',
  );
const HELP = `statements end with ; and may have several lines
  \\d         collections and tables
  \\d NAME    the columns of one
  \\x         each row by itself, on or off
  \\?         this help
  \\q         ends (Ctrl-D too); Ctrl-C cancels a statement or clears the line`;

const historyFile = (): string => join(configFolder(), 'history');

function readHistory(): string[] {
  try {
    return readFileSync(historyFile(), 'utf8').split('\n').filter(Boolean).slice(-HISTORY_MAX).reverse();
  } catch {
    return [];
  }
}

function remember(statement: string): void {
  mkdirSync(configFolder(), { recursive: true, mode: 0o700 });
  appendFileSync(historyFile(), `${statement.replaceAll('\n', ' ')}\n`, { mode: 0o600 });
}

/** Ends with the input. */
export async function runShell(client: Client): Promise<void> {
  const [first] = await client.sql('SELECT version() AS version');
  print(`${String(first?.version)}\n\\? for help`);
  const names = await namesOf(client);
  const terminal = createInterface({
    input: process.stdin,
    output: process.stdout,
    history: readHistory(),
    historySize: HISTORY_MAX,
    completer: (line: string) => completions(line, names),
  });
  const state = { expanded: false };
  let pending = '';
  let running: AbortController | null = null;
  terminal.on('SIGINT', () => {
    if (running !== null) running.abort();
    else {
      pending = '';
      process.stdout.write('\n');
      terminal.setPrompt('quern=> ');
      terminal.prompt();
    }
  });
  terminal.setPrompt('quern=> ');
  terminal.prompt();
  for await (const line of terminal) {
    if (pending === '' && line.trim().startsWith('\\')) {
      if (/^\\q\b/.test(line.trim())) break;
      await metaCommand(client, line.trim(), state);
    } else {
      pending = pending === '' ? line : `${pending}\n${line}`;
      if (isWhole(pending)) {
        running = new AbortController();
        if (pending.trim() !== '') remember(pending);
        await runStatement(client, pending, { expanded: state.expanded, signal: running.signal });
        running = null;
        pending = '';
      }
    }
    terminal.setPrompt(pending === '' ? 'quern=> ' : 'quern-> ');
    terminal.prompt();
  }
  terminal.close();
}

/** Ends with a semicolon that no quote or comment holds, or is empty. */
function isWhole(text: string): boolean {
  const bare = text
    .replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/g, 'x')
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return bare.trim() === '' || (/;\s*$/.test(bare) && !/['"]/.test(bare));
}

interface Running {
  readonly expanded: boolean;
  readonly signal: AbortSignal;
}

async function runStatement(client: Client, text: string, { expanded, signal }: Running): Promise<void> {
  const started = performance.now();
  try {
    for (const result of await client.script(text, { signal })) {
      if (!expanded || result.columns.length === 0) printResult(result);
      else for (const [at, row] of result.rows.entries()) printExpanded(result.columns, row, at + 1);
    }
    print(`${(performance.now() - started).toFixed(1)} ms`);
  } catch (error) {
    tell(signal.aborted ? 'cancelled' : errorText(error));
  }
}

function printExpanded(columns: readonly string[], row: readonly (string | null)[], number: number): void {
  const width = Math.max(...columns.map(({ length }) => length));
  print(`-[ ${number} ]${'-'.repeat(Math.max(0, width))}`);
  for (const [at, name] of columns.entries()) print(`${name.padEnd(width)} | ${row[at] ?? ''}`);
}

const RELATIONS = `SELECT table_schema AS schema, table_name AS name, table_type AS type
  FROM information_schema.tables
  WHERE table_schema NOT IN ('pg_catalog', 'information_schema', 'quern') ORDER BY 1, 2`;
const COLUMNS = `SELECT column_name AS column, data_type AS type, is_nullable AS nullable
  FROM information_schema.columns
  WHERE table_schema || '.' || table_name = $1 OR table_name = $1 ORDER BY ordinal_position`;

async function metaCommand(client: Client, line: string, state: { expanded: boolean }): Promise<void> {
  const [command = '', argument] = line.replace(/;$/, '').split(/\s+/);
  if (command === '\\x') {
    state.expanded = !state.expanded;
    print(`each row by itself: ${state.expanded ? 'on' : 'off'}`);
  } else if (command === '\\d') {
    const rows = argument === undefined ? await client.sql(RELATIONS) : await client.sql(COLUMNS, [argument]);
    if (rows.length === 0) {
      print(argument === undefined ? 'no relations yet' : `no relation ${argument}`);
      return;
    }
    const columns = Object.keys(rows[0] ?? {});
    printResult({
      columns,
      rows: rows.map((row) => columns.map((name) => String(row[name] ?? ''))),
      tag: '',
    });
  } else print(HELP);
}

async function namesOf(client: Client): Promise<readonly string[]> {
  const rows = await client.sql(
    `SELECT DISTINCT column_name AS name FROM information_schema.columns
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
     UNION SELECT table_name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  return [...KEYWORDS, ...rows.map(({ name }) => String(name))];
}

/** Names that begin like the last word, keywords in the case that is typed. */
function completions(line: string, names: readonly string[]): [string[], string] {
  const word = /[\w(]*$/.exec(line)?.[0] ?? '';
  if (word === '') return [[], word];
  const isLower = word === word.toLowerCase();
  const cased = names.map((name) => (isLower && /^[A-Z]+$/.test(name) ? name.toLowerCase() : name));
  return [cased.filter((name) => name.startsWith(word)), word];
}
