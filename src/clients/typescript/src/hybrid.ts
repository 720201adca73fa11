/** The table function `hybrid()`: words and meaning in one ranking. */
import { InvalidArgumentError } from './errors.ts';
import { compileCondition, Sql } from './query/compile.ts';
import type { Expression, Value } from './query/expression.ts';
import { vectorParameter } from './wire/encode.ts';
import type { Statement } from './wire/link.ts';
import { textLiteral } from './wire/names.ts';

export interface HybridOptions {
  /** How many documents. Default 10. */
  readonly k?: number | undefined;
  /** Fields to look in; left out, all that have an index. */
  readonly columns?: readonly string[] | undefined;
  readonly filter?: Expression | undefined;
  /** One of your own, compared with `vectorColumn`. */
  readonly vector?: Value | undefined;
  readonly vectorColumn?: string | undefined;
  /** Further ones of the server's `hybrid()`: `method`, `weights`, `depth`, `diversity`, `fuzzy`, … */
  readonly [option: string]: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Options that the server takes as constants alone. */
const CONSTANTS = new Set(['method', 'fields', 'syntax', 'explain']);

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);

/** @internal @param relation as `hybrid()` takes its name. @throws InvalidArgumentError */
export function hybridStatement(
  relation: string,
  text: string | null,
  { k = 10, columns, filter, vector, vectorColumn, signal: _, ...more }: HybridOptions,
): Statement {
  if (text !== null && typeof text !== 'string') throw new InvalidArgumentError('the text is a string');
  if (text === null && vector === undefined) {
    throw new InvalidArgumentError('hybrid takes a text, a vector, or both');
  }
  if (!Number.isInteger(k) || k < 1)
    throw new InvalidArgumentError(`k is an integer of at least 1, not ${k}`);
  const sql = new Sql();
  const args = [textLiteral(relation), ...(text === null ? [] : [sql.value(text)])];
  if (columns !== undefined) args.push(`columns => ARRAY[${columns.map(textLiteral).join(', ')}]`);
  args.push(`k => ${k}`);
  if (vector !== undefined) args.push(`vector => ${sql.parameter(vectorParameter(vector))}`);
  if (vectorColumn !== undefined) args.push(`vector_column => ${textLiteral(vectorColumn)}`);
  for (const [option, value] of Object.entries(more)) {
    if (value !== undefined) args.push(`${optionName(option)} => ${optionSql(option, value as Value, sql)}`);
  }
  const where = filter === undefined ? '' : ` WHERE ${compileCondition(filter.node, sql).text}`;
  return { sql: `SELECT * FROM hybrid(${args.join(', ')})${where} ORDER BY score DESC`, params: sql.params };
}

function optionName(option: string): string {
  if (/^[a-zA-Z_]+$/.test(option)) return snake(option);
  throw new InvalidArgumentError(`hybrid has no option ${JSON.stringify(option)}`);
}

const optionSql = (option: string, value: Value, sql: Sql): string => {
  if (!CONSTANTS.has(option)) return sql.value(value);
  return typeof value === 'boolean' ? String(value) : textLiteral(String(value));
};
