/** CREATE, ALTER and DROP API KEY, read from tokens. */
import type { KeyOption, KeyStatement } from '../ast.ts';
import {
  type ClauseTokens,
  labelOf,
  matches,
  nameOf,
  optionValue,
  stringOf,
  unexpected,
  word,
} from './dialect-tokens.ts';

type At<T> = { readonly value: T; readonly next: number };

/** Null for a statement of another kind. @throws SqlError 42601. */
export function keyStatement(context: ClauseTokens): KeyStatement | null {
  if (!matches(context.tokens, 1, ['API', 'KEY'])) return null;
  switch (word(context.tokens[0])) {
    case 'CREATE':
      return createKey(context);
    case 'ALTER':
      return alterKey(context);
    case 'DROP':
      return dropKey(context);
    default:
      return null;
  }
}

const atOf = ({ source, tokens }: ClauseTokens): number => source.position(tokens[0]?.start);

function finish(context: ClauseTokens, next: number): void {
  if (next < context.tokens.length) throw unexpected(context, context.tokens[next]);
}

/** `CREATE API KEY [name] [WITH (…)]` */
function createKey(context: ClauseTokens): KeyStatement {
  const { tokens } = context;
  const isNamed = tokens[3] !== undefined && word(tokens[3]) !== 'WITH';
  const name = isNamed ? labelOf(context, tokens[3]) : null;
  const { value: options, next } = withOptions(context, isNamed ? 4 : 3);
  finish(context, next);
  return { kind: 'create key', at: atOf(context), name, options };
}

/** `ALTER API KEY name RENAME TO other | ROTATE [WITH (…)] | EXPIRE | SET (…)` */
function alterKey(context: ClauseTokens): KeyStatement {
  const { tokens } = context;
  const statement = { kind: 'alter key', at: atOf(context), name: labelOf(context, tokens[3]) } as const;
  const { value: action, next } = actionOf(context, 4);
  finish(context, next);
  return { ...statement, action };
}

type Action = Extract<KeyStatement, { kind: 'alter key' }>['action'];

function actionOf(context: ClauseTokens, at: number): At<Action> {
  const { tokens } = context;
  switch (word(tokens[at])) {
    case 'RENAME':
      if (word(tokens[at + 1]) !== 'TO') throw unexpected(context, tokens[at + 1]);
      return { value: { action: 'rename', to: labelOf(context, tokens[at + 2]) }, next: at + 3 };
    case 'EXPIRE':
      return { value: { action: 'expire' }, next: at + 1 };
    case 'ROTATE': {
      const { value: options, next } = withOptions(context, at + 1);
      return { value: { action: 'rotate', options }, next };
    }
    case 'SET': {
      const { value: options, next } = optionList(context, at + 1);
      return { value: { action: 'set', options }, next };
    }
    default:
      throw unexpected(context, tokens[at]);
  }
}

/** `DROP API KEY [IF EXISTS] name` */
function dropKey(context: ClauseTokens): KeyStatement {
  const ifExists = matches(context.tokens, 3, ['IF', 'EXISTS']);
  const at = ifExists ? 5 : 3;
  const name = labelOf(context, context.tokens[at]);
  finish(context, at + 1);
  return { kind: 'drop key', at: atOf(context), name, ifExists };
}

function withOptions(context: ClauseTokens, at: number): At<readonly KeyOption[]> {
  if (word(context.tokens[at]) !== 'WITH') return { value: [], next: at };
  return optionList(context, at + 1);
}

/** `(name = value, name, …)` from the bracket on; a name alone is `true`. */
function optionList(context: ClauseTokens, open: number): At<readonly KeyOption[]> {
  const { source, tokens } = context;
  if (tokens[open]?.text !== '(') throw unexpected(context, tokens[open]);
  const options: KeyOption[] = [];
  let i = open + 1;
  for (;;) {
    const at = source.position(tokens[i]?.start);
    const name = nameOf(context, tokens[i]);
    const isAssigned = ['=', '=>', ':='].includes(tokens[i + 1]?.text ?? '');
    const { value, next } = isAssigned ? valueAt(context, i + 2) : { value: 'true', next: i + 1 };
    options.push({ at, name, value });
    i = next;
    if (tokens[i]?.text === ')') return { value: options, next: i + 1 };
    if (tokens[i]?.text !== ',') throw unexpected(context, tokens[i]);
    i++;
  }
}

/** `'text'`, `reader`, `true`, `NULL`, `INTERVAL '1 day'`, `ARRAY['a', 'b']`. */
function valueAt(context: ClauseTokens, at: number): At<KeyOption['value']> {
  const { tokens } = context;
  if (word(tokens[at]) === 'NULL') return { value: null, next: at + 1 };
  const isTyped = ['INTERVAL', 'TIMESTAMPTZ', 'TIMESTAMP', 'DATE'].includes(word(tokens[at]));
  if (isTyped) return { value: stringOf(context, tokens[at + 1]), next: at + 2 };
  if (word(tokens[at]) !== 'ARRAY') return optionValue(context, at);
  if (tokens[at + 1]?.text !== '[') throw unexpected(context, tokens[at + 1]);
  const items: string[] = [];
  let i = at + 2;
  while (tokens[i]?.text !== ']') {
    items.push(stringOf(context, tokens[i++]));
    if (tokens[i]?.text === ',') i++;
    else if (tokens[i]?.text !== ']') throw unexpected(context, tokens[i]);
  }
  return { value: items, next: i + 1 };
}
