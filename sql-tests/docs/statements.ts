/**
 * Cuts the SQL of an example into its statements: at semicolons outside of quotes and comments; a command of psql
 * is a line.
 */

export interface Statement {
  /** Without its semicolon, and without comments before it. */
  readonly text: string;
  /** Line of the statement's start, from 0. */
  readonly line: number;
  /** The error that a comment behind it says it ends with: `; -- 0A000`. */
  readonly sqlstate: string | null;
}

/** Tokens within which a semicolon ends nothing: strings, quoted names, dollar quotes, comments. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|;|^\\[^\n]*/gm;

export function statementsOf(sql: string): readonly Statement[] {
  const statements: Statement[] = [];
  const add = (from: number, to: number): void => {
    const raw = sql.slice(from, to);
    const before = /^(?:\s|--[^\n]*(?:\n|$))*/.exec(raw)?.[0].length ?? 0;
    const text = raw.slice(before).trim();
    const line = sql.slice(0, from + before).split('\n').length - 1;
    const sqlstate = /^;[ \t]*-- ([0-9][0-9A-Z]{4})\b/.exec(sql.slice(to))?.[1] ?? null;
    if (text !== '') statements.push({ text, line, sqlstate });
  };
  let start = 0;
  for (const token of sql.matchAll(TOKEN)) {
    const end = token.index + token[0].length;
    if (token[0] === ';') add(start, token.index);
    else if (token[0].startsWith('\\')) add(token.index, end);
    else continue;
    start = end;
  }
  add(start, sql.length);
  return statements;
}
