/** CREATE, ALTER and DROP DATASET, read from tokens. */
import type { DatasetStatement, WithOption } from '../ast.ts';
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

/** Null for a statement of another kind whose second word is DATASET. @throws SqlError 42601. */
export function datasetStatement(context: ClauseTokens): DatasetStatement | null {
  const { tokens } = context;
  const verb = word(tokens[0]);
  if (verb === 'CREATE') return createDataset(context);
  if (verb === 'ALTER') return alterDataset(context);
  return verb === 'DROP' ? dropDataset(context) : null;
}

const atOf = ({ source, tokens }: ClauseTokens): number => source.position(tokens[0]?.start);

function finish(context: ClauseTokens, next: number): void {
  if (next < context.tokens.length) throw unexpected(context, context.tokens[next]);
}

/** `CREATE DATASET [IF NOT EXISTS] name [WITH (…)]` */
function createDataset(context: ClauseTokens): DatasetStatement {
  const { tokens } = context;
  const ifNotExists = matches(tokens, 2, ['IF', 'NOT', 'EXISTS']);
  const name = datasetName(context, ifNotExists ? 5 : 2);
  let next = name.next;
  let options: readonly WithOption[] = [];
  if (word(tokens[next]) === 'WITH') ({ options, next } = optionList(context, next + 1));
  finish(context, next);
  return { kind: 'create dataset', at: atOf(context), name: name.name, ifNotExists, options };
}

/** `ALTER DATASET [IF EXISTS] name SET (…)`, or `SET EMBEDDING MODEL 'm'` */
function alterDataset(context: ClauseTokens): DatasetStatement {
  const { source, tokens } = context;
  const ifExists = matches(tokens, 2, ['IF', 'EXISTS']);
  const { name, next: set } = datasetName(context, ifExists ? 4 : 2);
  if (word(tokens[set]) !== 'SET') throw unexpected(context, tokens[set]);
  const statement = { kind: 'alter dataset', at: atOf(context), name, ifExists } as const;
  if (matches(tokens, set + 1, ['EMBEDDING', 'MODEL'])) {
    const value = stringOf(context, tokens[set + 3]);
    finish(context, set + 4);
    const at = source.position(tokens[set + 3]?.start);
    return { ...statement, options: [{ at, name: 'embedding_model', value }] };
  }
  const { options, next } = optionList(context, set + 1);
  finish(context, next);
  return { ...statement, options };
}

/** `DROP DATASET [IF EXISTS] name, … [CASCADE | RESTRICT]` */
function dropDataset(context: ClauseTokens): DatasetStatement {
  const { tokens } = context;
  const ifExists = matches(tokens, 2, ['IF', 'EXISTS']);
  const names: string[] = [];
  let next = ifExists ? 4 : 2;
  do {
    const name = datasetName(context, tokens[next]?.text === ',' ? next + 1 : next);
    names.push(name.name);
    next = name.next;
  } while (tokens[next]?.text === ',');
  const behaviour = word(tokens[next]);
  finish(context, ['CASCADE', 'RESTRICT'].includes(behaviour) ? next + 1 : next);
  return { kind: 'drop dataset', at: atOf(context), names, ifExists, cascade: behaviour === 'CASCADE' };
}

function datasetName(context: ClauseTokens, at: number): { readonly name: string; readonly next: number } {
  return { name: labelOf(context, context.tokens[at]), next: at + 1 };
}

/** `(name = value, …)` from the bracket on. */
function optionList(
  context: ClauseTokens,
  open: number,
): { readonly options: readonly WithOption[]; readonly next: number } {
  const { source, tokens } = context;
  if (tokens[open]?.text !== '(') throw unexpected(context, tokens[open]);
  const options: WithOption[] = [];
  let i = open + 1;
  for (;;) {
    const at = source.position(tokens[i]?.start);
    const name = nameOf(context, tokens[i]);
    const isAssigned = ['=', '=>', ':='].includes(tokens[i + 1]?.text ?? '');
    if (!isAssigned) throw unexpected(context, tokens[i + 1]);
    const { value, next } = optionValue(context, i + 2);
    options.push({ at, name, value });
    i = next;
    if (tokens[i]?.text === ')') return { options, next: i + 1 };
    if (tokens[i]?.text !== ',') throw unexpected(context, tokens[i]);
    i++;
  }
}
