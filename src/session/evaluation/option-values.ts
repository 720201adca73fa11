/** Values of options: written in the statement, or sent as parameters. */
import { SqlError } from '../../errors.ts';
import type { EvaluationOption } from '../../sql/ast.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { typeByOid } from '../../types/registry.ts';
import type { Statement } from '../running/statement.ts';

/** Values that the client sent. */
export type Sent = Pick<Statement, 'parameters' | 'prepared'>;

/** @throws SqlError 42P02, 22004, 22023. */
export function textOption(
  option: EvaluationOption,
  sent: Sent,
  { charactersMax }: { readonly charactersMax: number },
): string {
  const value = writtenOf(option, sent);
  if (value.length <= charactersMax) return value;
  throw wrongOption(option, `${option.name} has more than ${charactersMax} characters`);
}

/** @throws SqlError 42P02, 22004, 22023. */
export function countOption(
  option: EvaluationOption,
  sent: Sent,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = writtenOf(option, sent);
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw wrongOption(option, `${option.name} must be between ${min} and ${max}, not ${value}`);
}

/** @throws SqlError 42P02, 22004, 22023. */
export function choiceOption<Choice extends string>(
  option: EvaluationOption,
  sent: Sent,
  choices: readonly Choice[],
): Choice {
  const value = writtenOf(option, sent);
  const known = choices.find((choice) => choice === value);
  if (known !== undefined) return known;
  throw wrongOption(option, `unknown ${option.name} "${value}"`, `There are ${choices.join(', ')}.`);
}

export const wrongOption = ({ at }: EvaluationOption, message: string, hint?: string): SqlError =>
  new SqlError('invalid_parameter_value', message, { position: at || undefined, hint });

function writtenOf({ at, name, value, parameter }: EvaluationOption, sent: Sent): string {
  if (parameter === null) return value;
  const given = sent.parameters[parameter - 1];
  const type = sent.prepared?.parameters[parameter - 1];
  const position = at || undefined;
  if (given === undefined || type === undefined) {
    throw new SqlError('undefined_parameter', `there is no parameter ${value}`, { position });
  }
  if (given === null) throw new SqlError('null_value_not_allowed', `${name} may not be null`, { position });
  return typeByOid(type).format(given, DEFAULT_SETTINGS);
}
