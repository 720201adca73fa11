/**
 * The argument `filter` of a search: SQL over the relation's columns, as in WHERE. A constant is part of the statement and
 * may hold what the statement may. The value of a parameter comes from who knows where: it is one expression over the
 * columns and nothing else, and the plan made with it serves for that value only.
 */
import { notSupported, SqlError } from '../../../errors.ts';
import { FILTER_CHARACTERS_MAX } from '../../../limits.ts';
import { isVolatile } from '../../../plan/volatile.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import type { Expr } from '../../ast.ts';
import { parseExpression } from '../../parse/parse.ts';
import { bindExpression } from '../context.ts';
import { BOOLEAN, type Expression, filter, literal, type Plan, TEXT } from '../draft.ts';
import type { Call } from '../expression/arguments.ts';
import { coerce, coerceBoolean } from '../expression/coerce.ts';
import type { Level } from '../level.ts';
import type { State } from '../state.ts';
import { hasSubquery } from './hybrid-conditions.ts';
import { finishRanking } from './finish.ts';

/** The scan with its filter. @param value absent or NULL: none. */
export function filtered(level: Level, scan: Plan, value: Expr | undefined, call: Call): Plan {
  if (value === undefined || value.kind === 'null') return scan;
  level.clause = 'WHERE';
  if (value.kind === 'string') {
    const condition = insideFilter(value.value, call, () => conditionOf(level, value.value));
    return filter(scan, condition);
  }
  const text = fixedValue(level, value, call);
  if (text === null) return scan;
  // Who only describes the statement does not run it.
  if (text === undefined) return filter(scan, literal(false, BOOLEAN));
  return filter(scan, strangersFilter(level, String(text), call));
}

function conditionOf(level: Level, text: string): Expression {
  const condition = coerceBoolean(level.state, bindExpression(level, parseExpression(text)), 'WHERE');
  finishRanking(level);
  return condition;
}

/** @throws SqlError 54000 too. */
function strangersFilter(level: Level, text: string, call: Call): Expression {
  if (text.length <= FILTER_CHARACTERS_MAX) {
    return insideFilter(text, call, () => conditionOfStranger(level, text, call));
  }
  const message = `filter of ${text.length} characters is longer than the maximum of ${FILTER_CHARACTERS_MAX}`;
  throw new SqlError('program_limit_exceeded', message, {
    position: call.at,
    hint: `Write conditions in WHERE beside ${call.name}, long lists as = ANY ($1).`,
  });
}

/** Sees the relation's columns only: no parameters, no rows from around it, no other relations. */
function conditionOfStranger(level: Level, text: string, { name }: Call): Expression {
  const { state } = level;
  const around = state.functionArguments;
  state.functionArguments = [];
  const alone: Level = { ...level, parent: null, commonTables: null };
  try {
    const condition = conditionOf(alone, text);
    const refused = hasSubquery(condition)
      ? 'a subquery'
      : isVolatile(condition)
        ? 'a volatile function'
        : null;
    if (refused === null) return condition;
    throw notSupported(`${refused} in a filter of ${name} that is a parameter`, {
      hint: `Write the condition in the statement: in WHERE beside ${name}.`,
    });
  } finally {
    state.functionArguments = around;
  }
}

/**
 * The value of an argument that the plan depends on; undefined where it is not known yet.
 * @throws SqlError 22023 where it is neither a constant nor a parameter.
 */
function fixedValue(level: Level, value: Expr, call: Call): Datum | undefined {
  const { state } = level;
  const text = coerce(state, bindExpression(level, value), { type: TEXT, context: 'assignment' });
  const given = text.kind === 'cast' && isText(text.input) ? text.input : text;
  if (given.kind === 'literal') return given.value;
  if (given.kind === 'parameter') return parameterValue(state, given.index);
  throw new SqlError(
    'invalid_parameter_value',
    `the argument "filter" of ${call.name} must be a string constant or a parameter`,
    { position: call.at },
  );
}

const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.bpchar, OID.unknown]);
const isText = ({ type }: Expression): boolean => TEXTS.has(type.oid);

function parameterValue({ fixed, context }: State, index: number): Datum | undefined {
  const value = context.parameterValues?.[index];
  fixed.set(index, value);
  return value;
}

/** Errors tell where in the filter they are. */
function insideFilter(text: string, { name }: Call, read: () => Expression): Expression {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { position = 0, ...fields } = error.fields;
    const within = position > 0 ? { internalPosition: position } : {};
    const where = `filter of ${name}`;
    throw new SqlError(error.condition, error.message, { where, ...fields, ...within, internalQuery: text });
  }
}
