/**
 * The clauses and statements of our dialect, read from tokens: `INDEX name(column, option => value)`, our
 * actions of ALTER TABLE, and statements whose heads PostgreSQL does not know.
 */
import type { AlterAction, IndexClause, Statement } from '../ast.ts';
import { datasetStatement } from './dataset-statements.ts';
import {
  type ClauseTokens,
  matches,
  nameOf,
  optionValue,
  stringOf,
  unexpected,
  word,
} from './dialect-tokens.ts';
import type { Token } from './grammar.ts';
import { keyStatement } from './key-statements.ts';

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
  const ifExists = matches(tokens, first, ['DROP', 'PARTITION', 'IF', 'EXISTS']);
  const name = first + (ifExists ? 4 : 2);
  if (matches(tokens, first, ['DROP', 'PARTITION']) && tokens[name]?.tokenName === 'SCONST') {
    finished(name + 1);
    return { at, action: 'drop partition', partition: stringOf(context, tokens[name]), ifExists };
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
const OWN_HEADS: readonly (readonly string[])[] = [['REVOKE', 'API', 'KEY']];

/** A statement that is all ours; null when it is PostgreSQL's or a variation of it. */
export function ownStatement(context: ClauseTokens): Statement | null {
  const { source, tokens } = context;
  const at = source.position((tokens[0] as Token).start);
  const head = OWN_HEADS.find((words) => matches(tokens, 0, words));
  if (head !== undefined) return { kind: 'unsupported', at, feature: head.join(' ') };
  if (word(tokens[1]) === 'DATASET') return datasetStatement(context);
  const ofKey = keyStatement(context);
  if (ofKey !== null) return ofKey;
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
