/**
 * The clauses and statements of our dialect, read from tokens: `INDEX name(column, option => value)`, our
 * actions of ALTER TABLE, and statements whose heads PostgreSQL does not know.
 */
import { SqlError } from '../../errors.ts';
import type { AlterAction, IndexClause, Statement } from '../ast.ts';
import type { Token } from './grammar.ts';
import type { Source } from './source.ts';

/** One statement's tokens. */
export interface ClauseTokens {
  readonly source: Source;
  readonly tokens: readonly Token[];
}

/** The token in upper case; '' for quoted identifiers and where there is none. */
export const word = (token: Token | undefined): string =>
  token === undefined || token.text.startsWith('"') ? '' : token.text.toUpperCase();

/** PostgreSQL's message for a token that does not fit; undefined is the end. */
export function unexpected({ source }: ClauseTokens, token: Token | undefined): SqlError {
  if (token === undefined) {
    const position = source.position(Buffer.byteLength(source.text));
    return new SqlError('syntax_error', 'syntax error at end of input', { position });
  }
  const near = source.slice(token.start, token.end);
  const position = source.position(token.start);
  return new SqlError('syntax_error', `syntax error at or near "${near}"`, { position });
}

function nameOf(context: ClauseTokens, token: Token | undefined): string {
  if (token === undefined || !/^[\p{L}_"]/u.test(token.text)) throw unexpected(context, token);
  const written = context.source.slice(token.start, token.end);
  return written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written.toLowerCase();
}

function stringOf(context: ClauseTokens, token: Token | undefined): string {
  if (token?.tokenName !== 'SCONST' || !token.text.startsWith("'")) throw unexpected(context, token);
  return context.source.slice(token.start, token.end).slice(1, -1).replaceAll("''", "'");
}

/** An option's value as text: `'exact'`, `384`, `-1`, `cosine`, `true`. */
function optionValue(context: ClauseTokens, at: number): { value: string; next: number } {
  const token = context.tokens[at];
  if (token?.tokenName === 'SCONST') return { value: stringOf(context, token), next: at + 1 };
  if (token?.text === '-' || token?.text === '+') {
    const sign = token.text === '-' ? '-' : '';
    return { value: sign + numberOf(context, context.tokens[at + 1]), next: at + 2 };
  }
  if (token !== undefined && /^[0-9.]/.test(token.text)) {
    return { value: numberOf(context, token), next: at + 1 };
  }
  return { value: nameOf(context, token), next: at + 1 };
}

function numberOf(context: ClauseTokens, token: Token | undefined): string {
  if (token === undefined || !/^[0-9.]/.test(token.text)) throw unexpected(context, token);
  return token.text;
}

/**
 * `INDEX name ( … )` from the token INDEX on; `next` is the position of the token after it.
 * @throws SqlError 42601.
 */
export function indexClause(context: ClauseTokens, at: number): { clause: IndexClause; next: number } {
  const { source, tokens } = context;
  const columns: string[] = [];
  const options: IndexClause['options'][number][] = [];
  let i = at + 3;
  while (tokens[i]?.text !== ')') {
    const token = tokens[i];
    const name = nameOf(context, token);
    if (['=>', '=', ':='].includes(tokens[i + 1]?.text ?? '')) {
      const { value, next } = optionValue(context, i + 2);
      options.push({ at: source.position(token?.start), name, value });
      i = next;
    } else {
      columns.push(name);
      i++;
    }
    if (tokens[i]?.text === ',') i++;
    else if (tokens[i]?.text !== ')') throw unexpected(context, tokens[i]);
  }
  const clause = nameOf(context, tokens[at + 1]);
  return { clause: { at: source.position(tokens[at]?.start), clause, columns, options }, next: i + 1 };
}

/** The words at `first` match; a string stands for itself, null for any one token. */
function matches(tokens: readonly Token[], first: number, pattern: readonly (string | null)[]): boolean {
  return pattern.every((wanted, i) => wanted === null || word(tokens[first + i]) === wanted);
}

/** An action of ALTER TABLE that is ours, from tokens [first, end); null when it is PostgreSQL's. */
export function ownAlterAction(
  context: ClauseTokens,
  first: number,
  end: number,
  addsIndex: boolean,
): AlterAction | null {
  const { source, tokens } = context;
  const at = source.position((tokens[first] as Token).start);
  const finished = (next: number): void => {
    if (next !== end) throw unexpected(context, tokens[next]);
  };
  if (word(tokens[first]) === 'ADD' && addsIndex) {
    const { clause, next } = indexClause(context, first + 1);
    finished(next);
    return { at, action: 'add index', index: clause };
  }
  if (matches(tokens, first, ['DROP', 'PARTITION']) && tokens[first + 2]?.tokenName === 'SCONST') {
    finished(first + 3);
    return { at, action: 'drop partition', partition: stringOf(context, tokens[first + 2]) };
  }
  if (word(tokens[first]) !== 'ALTER') return null;
  const column = word(tokens[first + 1]) === 'COLUMN' ? first + 2 : first + 1;
  const resets = matches(tokens, column + 1, ['RESET', 'EMBEDDING', 'MODEL']);
  if (!resets && !matches(tokens, column + 1, ['SET', 'EMBEDDING', 'MODEL'])) return null;
  finished(column + (resets ? 4 : 5));
  const model = resets ? null : stringOf(context, tokens[column + 4]);
  return { at, action: 'set embedding model', column: nameOf(context, tokens[column]), model };
}

/** Statement heads that PostgreSQL does not know; the longest comes first. */
const OWN_HEADS: readonly (readonly string[])[] = [
  ['CREATE', 'DATASET'],
  ['ALTER', 'DATASET'],
  ['DROP', 'DATASET'],
  ['CREATE', 'API', 'KEY'],
  ['ALTER', 'API', 'KEY'],
  ['DROP', 'API', 'KEY'],
  ['REVOKE', 'API', 'KEY'],
  ['EVALUATE'],
];

/** A statement that is all ours; null when it is PostgreSQL's or a variation of it. */
export function ownStatement(context: ClauseTokens): Statement | null {
  const { source, tokens } = context;
  const at = source.position((tokens[0] as Token).start);
  const head = OWN_HEADS.find((words) => matches(tokens, 0, words));
  if (head !== undefined) return { kind: 'unsupported', at, feature: head.join(' ') };
  if (!matches(tokens, 0, ['ALTER', 'TABLE'])) return null;
  return dropOrRenameIndex(context, at);
}

/** `ALTER TABLE t DROP INDEX [IF EXISTS] i` and `ALTER TABLE t RENAME INDEX i TO j`. */
function dropOrRenameIndex(context: ClauseTokens, at: number): Statement | null {
  const { source, tokens } = context;
  const name = (i: number) => {
    const schema = tokens[3]?.text === '.' ? nameOf(context, tokens[2]) : null;
    const position = source.position(tokens[i]?.start);
    return { at: position, schema, name: nameOf(context, tokens[i]), partition: null };
  };
  const verb = tokens[3]?.text === '.' ? 5 : 3;
  if (matches(tokens, verb, ['DROP', 'INDEX'])) {
    const ifExists = matches(tokens, verb + 2, ['IF', 'EXISTS']);
    const i = verb + (ifExists ? 4 : 2);
    if (tokens.length !== i + 1) return null;
    return { kind: 'drop', at, object: 'index', names: [name(i)], ifExists, cascade: false };
  }
  if (matches(tokens, verb, ['RENAME', 'INDEX', null, 'TO']) && tokens.length === verb + 5) {
    const to = nameOf(context, tokens[verb + 4]);
    const position = source.position(tokens[verb]?.start);
    const actions = [{ at: position, action: 'rename table', to }] as const;
    return { kind: 'alter table', at, name: name(verb + 2), ifExists: false, actions };
  }
  return null;
}
