/**
 * Dialect beyond PostgreSQL's grammar, found on tokens before the grammar can misread it
 * (`CREATE TABLE t (a text, INDEX keyword_index(a))` would parse as a column called index). Our clauses are
 * overwritten in place, byte for byte, by blanks or by a short stand-in, so every position survives.
 * Identifiers above 63 bytes, which the grammar cuts silently, get stand-ins too.
 */
import { SqlError } from '../../errors.ts';
import { STRUCT_DEPTH_MAX } from '../../limits.ts';
import type { AlterAction, IndexClause, Statement } from '../ast.ts';
import { indexClause, ownAlterAction, ownStatement } from './dialect-clauses.ts';
import { checkNameLength, type ClauseTokens, unexpected, word } from './dialect-tokens.ts';
import { evaluationStatement, type Wrapped } from './evaluation-statements.ts';
import type { Token } from './grammar.ts';
import type { Source } from './source.ts';

/** A text made fit for PostgreSQL's grammar, and what was taken out. Keys are byte offsets in the text. */
export interface Dialect {
  readonly text: string;
  /** By the start of the column's definition. */
  readonly columnIndexes: ReadonlyMap<number, readonly PlacedClause[]>;
  /** By the start of the column's definition: the fields in `STRUCT (…)`, as a CREATE TABLE of them. */
  readonly columnStructs: ReadonlyMap<number, PlacedStruct>;
  /** Table elements, by where their stand-in `LIKE a` has its name. */
  readonly tableIndexes: ReadonlyMap<number, IndexClause>;
  /** By the start of the ALTER TABLE statement's first token: actions by their number. */
  readonly alterActions: ReadonlyMap<number, ReadonlyMap<number, AlterAction>>;
  /** Statements that are all ours. */
  readonly statements: readonly {
    readonly start: number;
    readonly end: number;
    readonly statement: Statement;
  }[];
  /** Statements of ours around queries, which stay in the text. */
  readonly wrapped: readonly Wrapped[];
  /** Stand-in to full identifier. */
  readonly names: ReadonlyMap<string, string>;
}

export interface PlacedClause {
  readonly start: number;
  readonly clause: IndexClause;
}

export interface PlacedStruct {
  readonly start: number;
  readonly end: number;
  readonly fields: Source;
}

const OWN_WORDS = /\b(?:index|struct|dataset|partition|embedding|evaluate|evaluation|api)\b/i;
/** Where an identifier of more than 63 bytes may be; finds more than there are, never fewer. */
const LONG_NAMES = /(?<![\w$])[\w$]{64}|"[^"]{64}|[^\0-\x7f][^'\s]{20}|"[^"]{0,63}[^\0-\x7f][^"]{20}/;
const NAME_BYTES_KEPT = 63;
/** Stand-ins that the grammar accepts as a table element and as an action of ALTER TABLE. */
const ELEMENT_STAND_IN = 'LIKE a';
const ACTION_STAND_IN = 'NOT OF';

/**
 * Finds and takes out what is ours.
 * @throws SqlError 42601 in a clause of ours, 42622 for a name above 255 bytes.
 */
export function prepareDialect(source: Source): Dialect {
  const found = new Found(source);
  const words = OWN_WORDS.test(source.text);
  const names = LONG_NAMES.test(source.text);
  if (!words && !names) return found;
  let tokens: readonly Token[];
  try {
    tokens = source.tokens();
  } catch {
    return found; // the grammar words a lexical error better
  }
  if (words) for (const statement of splitStatements(tokens)) takeStatement(found, statement);
  if (names) for (const token of tokens) takeLongName(found, token);
  return found;
}

class Found implements Dialect {
  readonly source: Source;
  readonly columnIndexes = new Map<number, PlacedClause[]>();
  readonly columnStructs = new Map<number, PlacedStruct>();
  readonly tableIndexes = new Map<number, IndexClause>();
  readonly alterActions = new Map<number, Map<number, AlterAction>>();
  readonly statements: { start: number; end: number; statement: Statement }[] = [];
  readonly wrapped: Wrapped[] = [];
  readonly names = new Map<string, string>();
  #bytes: Buffer | null = null;

  constructor(source: Source) {
    this.source = source;
  }

  get text(): string {
    return this.#bytes === null ? this.source.text : this.#bytes.toString();
  }

  /** Overwrites [start, end) with a stand-in, padded with `pad`. */
  overwrite(start: number, end: number, standIn: string, pad = ' '): void {
    this.#bytes ??= Buffer.from(this.source.text);
    this.#bytes.fill(pad, start, end);
    this.#bytes.write(standIn, start);
  }
}

/** Runs of tokens between semicolons; none is empty. */
function splitStatements(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [];
  let current: Token[] = [];
  let depth = 0;
  for (const token of tokens) {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    if (token.text === ';' && depth <= 0) {
      if (current.length > 0) statements.push(current);
      current = [];
      depth = 0;
    } else {
      current.push(token);
    }
  }
  if (current.length > 0) statements.push(current);
  return statements;
}

function takeStatement(found: Found, tokens: readonly Token[]): void {
  const first = tokens[0] as Token;
  const last = tokens.at(-1) as Token;
  const context: ClauseTokens = { source: found.source, tokens };
  const wrapped = evaluationStatement(context);
  if (wrapped !== null) {
    takeWrapped(found, wrapped);
    return;
  }
  const statement = ownStatement(context);
  if (statement !== null) {
    found.statements.push({ start: first.start, end: last.end, statement });
    found.overwrite(first.start, last.end, '');
    return;
  }
  const start = tableHead(tokens);
  if (start > 0 && word(first) === 'CREATE') takeTableElements(found, context, start);
  if (start > 0 && word(first) === 'ALTER') takeAlterActions(found, context, start);
}

/** Drops what is around the queries; each becomes a statement of its own. */
function takeWrapped(found: Found, wrapped: Wrapped): void {
  found.wrapped.push(wrapped);
  let from = wrapped.start;
  let separator = '';
  for (const { start, end } of wrapped.queries) {
    found.overwrite(from, start, separator);
    from = end;
    separator = ';';
  }
  found.overwrite(from, wrapped.end, '');
}

/** Position of the first token after `CREATE … TABLE` or `ALTER TABLE`; 0 for other statements. */
function tableHead(tokens: readonly Token[]): number {
  for (let i = 0; i < 4; i++) if (word(tokens[i]) === 'TABLE') return i + 1;
  return 0;
}

/** Pieces between commas at parenthesis depth `depth` from token `start` on: [first, end) token positions. */
function splitList(tokens: readonly Token[], start: number, depth: number): [number, number][] {
  const pieces: [number, number][] = [];
  let level = depth;
  let from = start;
  let i = start;
  for (; i < tokens.length; i++) {
    const text = (tokens[i] as Token).text;
    if (text === '(' || text === '[') level++;
    if ((text === ')' || text === ']') && --level < depth) break;
    if (text === ',' && level === depth) {
      pieces.push([from, i]);
      from = i + 1;
    }
  }
  pieces.push([from, i]);
  return pieces.filter(([first, end]) => end > first);
}

const isName = (token: Token | undefined): boolean => token?.tokenName === 'IDENT';
/** As the first word of an element, INDEX may also name a column: only our own clause names count. */
const isElementClause = (tokens: readonly Token[], at: number): boolean =>
  word(tokens[at]) === 'INDEX' &&
  /^\w+_index$/i.test(tokens[at + 1]?.text ?? '') &&
  tokens[at + 2]?.text === '(';

function takeTableElements(found: Found, context: ClauseTokens, start: number): void {
  const { tokens } = context;
  let open = start;
  while (open < tokens.length && tokens[open]?.text !== '(') open++;
  if (open === tokens.length) return;
  for (const [first, end] of splitList(tokens, open + 1, 0)) {
    if (isElementClause(tokens, first)) {
      const { clause, next } = indexClause(context, first);
      if (next !== end) throw unexpected(context, tokens[next]);
      const from = (tokens[first] as Token).start;
      found.tableIndexes.set(from + ELEMENT_STAND_IN.indexOf('a'), clause);
      found.overwrite(from, (tokens[end - 1] as Token).end, ELEMENT_STAND_IN);
    } else {
      takeColumnClauses(found, context, first, end);
    }
  }
}

/** `INDEX name(…)` after a column's type, among its other constraints, and `STRUCT (…)` after JSONB. */
function takeColumnClauses(found: Found, context: ClauseTokens, first: number, end: number): void {
  const { tokens } = context;
  const column = (tokens[first] as Token).start;
  for (let i = first + 1; i < end; i++) {
    if (isStruct(tokens, i)) i = takeStruct(found, context, { column, at: i });
    if (word(tokens[i]) !== 'INDEX' || !isName(tokens[i + 1]) || tokens[i + 2]?.text !== '(') continue;
    const { clause, next } = indexClause(context, i);
    const from = (tokens[i] as Token).start;
    const clauses = found.columnIndexes.get(column) ?? [];
    clauses.push({ start: from, clause });
    found.columnIndexes.set(column, clauses);
    found.overwrite(from, (tokens[next - 1] as Token).end, '');
    i = next - 1;
  }
}

const isStruct = (tokens: readonly Token[], at: number): boolean =>
  word(tokens[at]) === 'STRUCT' && word(tokens[at - 1]) === 'JSONB' && tokens[at + 1]?.text === '(';

/** @returns the position of its last token. @throws SqlError 54001 for structs too deep within each other. */
function takeStruct(
  found: Found,
  context: ClauseTokens,
  { column, at }: { readonly column: number; readonly at: number },
): number {
  const { source, tokens } = context;
  let level = 0;
  let depth = 0;
  let last = at + 1;
  for (; last < tokens.length; last++) {
    if (isStruct(tokens, last - 1) && ++depth > STRUCT_DEPTH_MAX) throw structTooDeep(context, tokens[last]);
    if (tokens[last]?.text === '(') level++;
    if (tokens[last]?.text === ')' && --level === 0) break;
  }
  const close = tokens[last];
  if (close === undefined) throw unexpected(context, undefined);
  const { start } = tokens[at] as Token;
  const fields = source.part((tokens[at + 1] as Token).start, close.end, STRUCT_PREFIX);
  found.columnStructs.set(column, { start, end: close.end, fields });
  found.overwrite(start, close.end, '');
  return last;
}

/** No longer than what stands before the fields of any struct. */
const STRUCT_PREFIX = 'CREATE TABLE s ';

function structTooDeep({ source }: ClauseTokens, token: Token | undefined): SqlError {
  const message = `a struct is deeper than ${STRUCT_DEPTH_MAX} levels`;
  return new SqlError('statement_too_complex', message, {
    routine: 'schema_validation',
    detail: JSON.stringify([{ kind: 'struct_too_deep', max_depth: STRUCT_DEPTH_MAX }]),
    position: source.position(token?.start),
  });
}

function takeAlterActions(found: Found, context: ClauseTokens, start: number): void {
  const { tokens } = context;
  let head = start;
  if (word(tokens[head]) === 'IF') head += 2;
  if (word(tokens[head]) === 'ONLY') head++;
  head++;
  while (tokens[head]?.text === '.') head += 2;
  const own = new Map<number, AlterAction>();
  splitList(tokens, head, 0).forEach(([first, end], number) => {
    const action = ownAlterAction(context, first, end, isElementClause(tokens, first + 1));
    if (action !== null) {
      own.set(number, action);
      found.overwrite((tokens[first] as Token).start, (tokens[end - 1] as Token).end, ACTION_STAND_IN);
    } else if (word(tokens[first]) === 'ADD') {
      takeColumnClauses(found, context, columnAfterAdd(tokens, first), end);
    }
  });
  if (own.size > 0) found.alterActions.set((tokens[0] as Token).start, own);
}

/** `ADD [COLUMN] [IF NOT EXISTS] name`. */
function columnAfterAdd(tokens: readonly Token[], add: number): number {
  let i = add + 1;
  if (word(tokens[i]) === 'COLUMN') i++;
  if (word(tokens[i]) === 'IF') i += 3;
  return i;
}

function takeLongName(found: Found, token: Token): void {
  if (!isName(token) || token.end - token.start <= NAME_BYTES_KEPT) return;
  const taken = [...found.statements, ...found.columnStructs.values()];
  if (taken.some(({ start, end }) => start <= token.start && token.start < end)) return;
  const written = found.source.slice(token.start, token.end);
  const name = written.startsWith('"')
    ? written.slice(1, -1).replaceAll('""', '"')
    : written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const dollar = name.indexOf('$');
  const parts = dollar > 0 ? [name.slice(0, dollar), name.slice(dollar + 1)] : [name];
  for (const part of parts) checkNameLength(found, token, part);
  const standIn = `zq_long_name_${found.names.size}_`.padEnd(NAME_BYTES_KEPT, 'x');
  found.names.set(standIn, name);
  found.overwrite(token.start, token.end, standIn, 'x');
}
