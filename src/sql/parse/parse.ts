/**
 * Text to statements: dialect pre-pass, PostgreSQL's grammar, then our own tree at once; nothing past
 * `sql/` sees the grammar's. Positions count characters from 1 in the whole text, as PostgreSQL does.
 */
import { assert, present } from '../../assert.ts';
import { type Condition, SqlError, tooDeep } from '../../errors.ts';
import { STATEMENT_BYTES_MAX } from '../../limits.ts';
import type { ColumnDefinition, Expr, Select, Statement, WrittenQuery } from '../ast.ts';
import { type Dialect, prepareDialect } from './dialect.ts';
import { mapStatement } from '../map/context.ts';
import { newMapContext } from '../map/map.ts';
import { Grammar, GrammarError, type pg } from './grammar.ts';
import { Source } from './source.ts';

/** Its text is without the semicolon, blanks around it and comments before it. */
export type ParsedStatement = WrittenQuery;

const grammar = new Grammar();

/** Call once, and again after an error 54001, before parsing. */
export function loadParser(): Promise<void> {
  return grammar.load();
}

/** Call after the first `loadParser`, before anything is parsed: the parser then takes less memory, and more time. */
export function keepParserSmall(): void {
  grammar.compileSmall();
}

/**
 * All statements of a text; empty ones are left out.
 * @throws SqlError 42601 with position, 22021 for NUL, 42622 for a long name, 54000 for a long text,
 *   54001 for deep nesting.
 */
export function parseStatements(text: string): readonly ParsedStatement[] {
  return parseText(text, 0);
}

/** @param origin characters of `text` that stand before what the user wrote. */
function parseText(text: string, origin: number): readonly ParsedStatement[] {
  if (text.length > STATEMENT_BYTES_MAX || Buffer.byteLength(text) > STATEMENT_BYTES_MAX) {
    throw new SqlError(
      'program_limit_exceeded',
      `statement text is longer than ${STATEMENT_BYTES_MAX} bytes`,
      {
        hint: 'Send the data as parameters or with COPY.',
      },
    );
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    throw new SqlError('character_not_in_repertoire', 'invalid byte sequence for encoding "UTF8": 0x00', {
      position: characterCount(text.slice(0, nul)) + 1,
    });
  }
  const source = new Source(text, grammar, origin);
  const dialect = prepareDialect(source);
  try {
    return mapAll(source, dialect);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}

/**
 * One expression, as after SELECT, and nothing else; positions count from the expression's start.
 * @throws SqlError as parseStatements.
 */
export function parseExpression(text: string): Expr {
  const prefix = 'SELECT ';
  const parsed = parseText(prefix + text, prefix.length);
  const statement = parsed[0]?.statement;
  const query = statement?.kind === 'query' && statement.query.kind === 'select' ? statement.query : null;
  const item = query?.items[0];
  if (query === null || item === undefined || parsed.length !== 1 || !isBare(query) || item.alias !== null) {
    throw new SqlError('syntax_error', 'one expression is expected');
  }
  return item.value;
}

/** True when a SELECT has one item and no clause. */
function isBare({ items, distinct, from, where, group, having, windows, ...tail }: Select): boolean {
  const lists = [from, group, windows, tail.order, tail.locking];
  const clauses = [where, having, tail.with, tail.limit, tail.offset];
  const isEmpty = lists.every(({ length }) => length === 0) && clauses.every((clause) => clause === null);
  return items.length === 1 && distinct === 'all' && isEmpty;
}

function mapAll(source: Source, dialect: Dialect): ParsedStatement[] {
  const context = newMapContext(source, dialect, structFields);
  const found: Placed[] = [...dialect.statements];
  const starts = dialect.wrapped.flatMap(({ queries }) => queries.map(({ start }) => start));
  const inside = new Map<number, Statement | null>(starts.map((start) => [start, null]));
  for (const raw of grammarTree(source, dialect).stmts ?? []) {
    if (raw.stmt === undefined) continue;
    const { start, end } = extent(source, raw);
    const statement = mapStatement(context, raw.stmt, start);
    if (inside.has(start)) inside.set(start, statement);
    else found.push({ start, end, statement });
  }
  for (const { start, end, queries, wrap } of dialect.wrapped) {
    const read = queries.flatMap((query) => {
      const statement = inside.get(query.start);
      return statement === undefined || statement === null ? [] : [written(source, { ...query, statement })];
    });
    found.push({ start, end, statement: wrap(read) });
  }
  found.sort((a, b) => a.start - b.start);
  return found.map((one) => written(source, one));
}

/** @throws SqlError 42601 for anything but fields. */
function structFields(fields: Source): readonly ColumnDefinition[] {
  const [parsed] = mapAll(fields, prepareDialect(fields));
  const { statement } = present(parsed, 'a struct');
  assert(statement.kind === 'create table', 'the fields of a struct');
  const { columns, constraints, likes, indexes } = statement;
  const [other] = [...constraints, ...likes, ...indexes];
  if (other === undefined) return columns;
  throw new SqlError('syntax_error', 'a struct has fields only', { position: other.at || undefined });
}

interface Placed {
  readonly start: number;
  readonly end: number;
  readonly statement: Statement;
}

const written = (source: Source, { start, end, statement }: Placed): ParsedStatement => ({
  statement,
  text: source.slice(start, end),
  start: source.position(start) - 1,
});

/** Bytes of a statement without blanks around it and comments before it. */
function extent(source: Source, raw: pg.RawStmt): { start: number; end: number } {
  const from = raw.stmt_location ?? 0;
  const to = raw.stmt_len ? from + raw.stmt_len : Number.POSITIVE_INFINITY;
  const text = source.slice(from, to);
  const lead = blankLength(text);
  const start = from + Buffer.byteLength(text.slice(0, lead));
  const body = text.slice(lead).trimEnd();
  return { start, end: start + Buffer.byteLength(body) };
}

/** Length of the blanks and comments that a text begins with; C-style comments nest. */
function blankLength(text: string): number {
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('--', at)) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
    } else if (text.startsWith('/*', at)) {
      at = commentEnd(text, at);
    } else if (/\s/.test(text[at] as string)) {
      at++;
    } else {
      break;
    }
  }
  return at;
}

function commentEnd(text: string, start: number): number {
  let depth = 1;
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start + 2;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

/** @throws SqlError 42601 with the position in the text as it was sent. */
function grammarTree(source: Source, dialect: Dialect): pg.ParseResult {
  if (dialect.text.trim() === '') return {};
  let tree: pg.ParseResult;
  try {
    tree = grammar.parse(dialect.text);
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    throw grammarCondition(source, dialect, error);
  }
  return dialect.names.size === 0 ? tree : restoreNames(tree, dialect.names);
}

/** Refusals of gram.y as a feature: the grammar gives its words and not its code. */
const FEATURES = /not yet implemented$|cannot be marked|cannot be altered to be/;

const refusalOf = (message: string): Condition => {
  if (FEATURES.test(message)) return 'feature_not_supported';
  return /^role name ".*" is reserved$/s.test(message) ? 'reserved_name' : 'syntax_error';
};

function grammarCondition(source: Source, dialect: Dialect, error: GrammarError): SqlError {
  if (error.message.startsWith('memory exhausted')) return tooDeep();
  const byte = Buffer.byteLength(dialect.text.slice(0, unitOf(dialect.text, error.position)));
  const message = error.message.replace(/zq_long_name_\d+_x*/g, (standIn) => {
    const name = dialect.names.get(standIn.slice(0, 63));
    return name ?? standIn;
  });
  return new SqlError(refusalOf(message), message, { position: source.position(byte) });
}

function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** UTF-16 index of the character number `position`. */
function unitOf(text: string, position: number): number {
  let unit = 0;
  for (let i = 0; i < position; i++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}

/** Puts the full identifiers back where the grammar saw stand-ins. */
function restoreNames(tree: pg.ParseResult, names: ReadonlyMap<string, string>): pg.ParseResult {
  const text = JSON.stringify(tree, (_, value: unknown) =>
    typeof value === 'string' ? (names.get(value) ?? value) : value,
  );
  return JSON.parse(text) as pg.ParseResult;
}
