/** Conditions on metadata as frameworks write them, `{ year: { $gte: 1990 } }`, as expressions. */
import { InvalidArgumentError } from '../typescript/src/errors.ts';
import { Expression, field, literal, not, type Value } from '../typescript/src/query/expression.ts';

/** Fields with a value or with operators, of which all have to hold; or an expression over the collection's fields. */
export type PassageFilter = Readonly<Record<string, unknown>> | Expression;

/** @throws InvalidArgumentError for an operator that there is not: it lists those that there are. */
export function conditionOf(filter: PassageFilter | undefined, prefix: string): Expression | undefined {
  if (filter === undefined || filter instanceof Expression) return filter;
  return Object.keys(filter).length === 0 ? undefined : allOf(filter, prefix);
}

const COMPARISONS: Readonly<Record<string, (of: Expression, value: Value) => Expression>> = {
  $eq: (of, value) => of.eq(value),
  $ne: (of, value) => of.ne(value),
  $lt: (of, value) => of.lt(value),
  $lte: (of, value) => of.lte(value),
  $gt: (of, value) => of.gt(value),
  $gte: (of, value) => of.gte(value),
  $in: (of, value) => of.in(value),
  $nin: (of, value) => not(of.in(value)),
  $between: (of, value) => {
    const [low, high] = listOf(value, '$between') as [Value, Value];
    return of.gte(low).and(of.lte(high));
  },
  $contains: (of, value) => of.contains(value),
  $starts_with: (of, value) => of.startsWith(value),
  $exists: (of, value) => (value === true ? of.isNotNull() : of.isNull()),
};

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function allOf(filter: unknown, prefix: string): Expression {
  if (!isPlain(filter)) throw new InvalidArgumentError('a filter is an object, or an expression');
  const each = Object.entries(filter).map(([name, value]) => entry(name, value, prefix));
  return joined(each, (left, right) => left.and(right), true);
}

function entry(name: string, value: unknown, prefix: string): Expression {
  const nested = (): Expression[] => listOf(value, name).map((one) => allOf(one, prefix));
  if (name === '$and') return joined(nested(), (left, right) => left.and(right), true);
  if (name === '$or') return joined(nested(), (left, right) => left.or(right), false);
  if (name === '$not') return not(allOf(value, prefix));
  if (name.startsWith('$')) {
    throw new InvalidArgumentError(`unknown operator ${name}: $and, $or, $not, or the name of a field`);
  }
  const of: Expression = field(`${prefix}${name}`);
  if (!isPlain(value)) return of.eq(value as Value);
  const each = Object.entries(value).map(([sign, wanted]) => {
    const compare = Object.hasOwn(COMPARISONS, sign) ? COMPARISONS[sign] : undefined;
    if (compare !== undefined) return compare(of, wanted as Value);
    throw new InvalidArgumentError(`unknown operator ${sign}: ${Object.keys(COMPARISONS).join(', ')}`);
  });
  return joined(each, (left, right) => left.and(right), true);
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidArgumentError(`${name} takes an array`);
}

/** In pairs, so that many nest little. */
function joined(
  each: readonly Expression[],
  join: (left: Expression, right: Expression) => Expression,
  empty: boolean,
): Expression {
  const [first, second] = each;
  if (first === undefined) return literal(empty);
  if (second === undefined) return first;
  const middle = Math.ceil(each.length / 2);
  return join(joined(each.slice(0, middle), join, empty), joined(each.slice(middle), join, empty));
}
