/** Bound expressions as SQL-like text for EXPLAIN, with the names of the input's columns. */
import { unreachable } from '../../assert.ts';
import type { Datum } from '../../types/datum.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';
import { findTypeByOid, formatType } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Expression } from '../../plan/expression.ts';
import type { OutputColumn } from '../../plan/plan.ts';

/** Longer literals are cut: a vector would fill pages. */
const LITERAL_CHARACTERS_MAX = 60;

export function expressionText(expression: Expression, input: readonly OutputColumn[]): string {
  const text = (part: Expression): string => expressionText(part, input);
  const list = (parts: readonly Expression[], separator = ', '): string => parts.map(text).join(separator);
  switch (expression.kind) {
    case 'literal':
      return literalText(expression.value, expression.type);
    case 'parameter':
      return `$${expression.index + 1}`;
    case 'column':
      return quoteIdentifier(input[expression.index]?.name ?? `column${expression.index + 1}`);
    case 'outer':
      return `outer${expression.depth}.column${expression.index + 1}`;
    case 'call':
      return callText(expression.function, expression.args.map(text));
    case 'cast':
      return `(${text(expression.input)})::${formatType(expression.type)}`;
    case 'and':
    case 'or':
      return `(${list(expression.args, ` ${expression.kind.toUpperCase()} `)})`;
    case 'not':
      return `(NOT ${text(expression.input)})`;
    case 'is': {
      const not = expression.negated ? 'NOT ' : '';
      return `(${text(expression.input)} IS ${not}${expression.test.toUpperCase()})`;
    }
    case 'case': {
      const branches = expression.branches.map(
        (branch) => ` WHEN ${text(branch.when)} THEN ${text(branch.then)}`,
      );
      const otherwise = expression.otherwise === null ? '' : ` ELSE ${text(expression.otherwise)}`;
      return `CASE${branches.join('')}${otherwise} END`;
    }
    case 'coalesce':
      return `COALESCE(${list(expression.args)})`;
    case 'in': {
      const not = expression.negated ? 'NOT ' : '';
      return `(${text(expression.input)} ${not}IN (${list(expression.items)}))`;
    }
    case 'array':
      return `ARRAY[${list(expression.elements)}]`;
    case 'row':
      return `ROW(${list(expression.fields)})`;
    case 'quantified': {
      const operator = `${nameOf(expression.operator)} ${expression.quantifier.toUpperCase()}`;
      return `(${text(expression.left)} ${operator} (${text(expression.array)}))`;
    }
    case 'subquery':
      return `${expression.negated ? 'NOT ' : ''}${expression.form.toUpperCase()}(SubPlan)`;
    default:
      return unreachable(expression);
  }
}

const nameOf = (id: string): string => {
  const open = id.lastIndexOf('(');
  return open < 0 ? id : id.slice(0, open);
};

/** `(a + b)`, `(-a)`, `lower(a)`: operators have names without letters. */
function callText(id: string, args: readonly string[]): string {
  const name = nameOf(id);
  if (/^[a-z_]/i.test(name)) return `${name}(${args.join(', ')})`;
  return args.length === 2 ? `(${args[0]} ${name} ${args[1]})` : `(${name} ${args.join(', ')})`;
}

function literalText(value: Datum, type: TypeRef): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
    const isPlain = typeof value === 'boolean' || findTypeByOid(type.oid)?.category === 'N';
    if (isPlain) return String(value);
  }
  const known = findTypeByOid(type.oid);
  const text = known === undefined ? String(value) : known.format(value, DEFAULT_SETTINGS);
  const shown = text.length > LITERAL_CHARACTERS_MAX ? `${text.slice(0, LITERAL_CHARACTERS_MAX)}…` : text;
  return `${quoteLiteral(shown)}::${formatType(type)}`;
}
