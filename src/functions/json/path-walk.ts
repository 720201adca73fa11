/**
 * Walks a SQL/JSON path over a value. Items come one by one, so that a question of existence ends with the
 * first. Errors of class 22 are the data's: conditions take them for unknown, silent calls for nothing.
 * Source: jsonpath_exec.c of PostgreSQL 18.
 */
import { unreachable } from '../../assert.ts';
import { type Condition, SqlError } from '../../errors.ts';
import type { NumericDatum } from '../../types/datum.ts';
import { compareJsonb, type JsonObject, type JsonValue } from '../../types/json/json.ts';
import {
  type ArithmeticOperator,
  type ComparisonOperator,
  isPathCondition,
  type JsonPath,
  type PathCondition,
  type PathNode,
  type PathStep,
} from '../../types/json/path.ts';
import {
  addNumeric,
  divideNumeric,
  moduloNumeric,
  multiplyNumeric,
  negateNumeric,
  numericOf,
  subtractNumeric,
  truncateNumeric,
} from '../../types/number/numeric.ts';
import { compareMoments, Moment } from './path-moments.ts';
import {
  isArrayItem,
  isNumberItem,
  isObjectItem,
  METHOD_IMPLEMENTATIONS,
  type MethodContext,
  type PathItem,
} from './path-methods.ts';
import { regularExpression } from '../text/pattern.ts';

/** True, false or unknown. */
type Truth = boolean | null;

const ARITHMETIC: Readonly<Record<ArithmeticOperator, (a: NumericDatum, b: NumericDatum) => NumericDatum>> = {
  '+': addNumeric,
  '-': subtractNumeric,
  '*': multiplyNumeric,
  '/': divideNumeric,
  '%': moduloNumeric,
};

const HOLDS: Readonly<Record<ComparisonOperator, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Where an expression stands. */
interface Place {
  /** `@`. */
  readonly current: JsonValue | Moment;
  /** Elements of the innermost array that a subscript looks into; -1 outside of one. */
  readonly arraySize: number;
  /** Members and elements that are not there are passed over: lax mode, and below `**`. */
  readonly tolerant: boolean;
}

export interface WalkOptions extends MethodContext {
  readonly variables: JsonObject;
}

/** Errors of class 22 that are the path's or the call's. */
const NOT_OF_DATA: readonly Condition[] = ['invalid_parameter_value', 'invalid_regular_expression'];

/** The data does not fit the path; all other errors end the statement whatever was asked. */
export function isDataError(error: unknown): error is SqlError {
  return (
    error instanceof SqlError && error.sqlstate.startsWith('22') && !NOT_OF_DATA.includes(error.condition)
  );
}

export class PathWalk {
  readonly #path: JsonPath;
  readonly #root: JsonValue;
  readonly #options: WalkOptions;

  constructor(path: JsonPath, root: JsonValue, options: WalkOptions) {
    this.#path = path;
    this.#root = root;
    this.#options = options;
  }

  /** @throws SqlError of class 22 where the data does not fit; 42704 for a variable that is not there. */
  items(): Iterable<PathItem> {
    return this.#items(this.#path.root, { current: this.#root, arraySize: -1, tolerant: this.#path.lax });
  }

  *#items(node: PathNode, place: Place): Iterable<PathItem> {
    if (isPathCondition(node)) {
      yield this.#truth(node, place);
      return;
    }
    switch (node.kind) {
      case 'literal':
        yield node.value;
        return;
      case 'variable':
        yield this.#variable(node.name);
        return;
      case 'root':
        yield this.#root;
        return;
      case 'current':
        yield place.current;
        return;
      case 'last':
        yield numericOf(BigInt(place.arraySize - 1));
        return;
      case 'path':
        for (const item of this.#items(node.base, place)) {
          yield* this.#walk(node.steps, 0, item, place);
        }
        return;
      case 'arithmetic':
        yield this.#arithmetic(node, place);
        return;
      case 'sign':
        yield* this.#signed(node, place);
        return;
      default:
        unreachable(node);
    }
  }

  #variable(name: string): JsonValue {
    const value = this.#options.variables.get(name);
    if (value !== undefined) return value;
    throw new SqlError('undefined_object', `could not find jsonpath variable "${name}"`);
  }

  /** Arrays count as their elements in lax mode. */
  #unwrapped(node: PathNode, place: Place): PathItem[] {
    const items = [...this.#items(node, place)];
    return this.#path.lax
      ? items.flatMap((item): readonly PathItem[] => (isArrayItem(item) ? item : [item]))
      : items;
  }

  #arithmetic(node: PathNode & { kind: 'arithmetic' }, place: Place): PathItem {
    const { operator } = node;
    const operand = (side: 'left' | 'right'): NumericDatum => {
      const [item, ...more] = operands[side];
      if (item !== undefined && more.length === 0 && isNumberItem(item)) return item;
      throw new SqlError(
        'singleton_sql_json_item_required',
        `${side} operand of jsonpath operator ${operator} is not a single numeric value`,
      );
    };
    const operands = { left: this.#unwrapped(node.left, place), right: this.#unwrapped(node.right, place) };
    return ARITHMETIC[operator](operand('left'), operand('right'));
  }

  *#signed(node: PathNode & { kind: 'sign' }, place: Place): Iterable<PathItem> {
    for (const item of this.#unwrapped(node.operand, place)) {
      if (!isNumberItem(item)) {
        throw new SqlError(
          'sql_json_number_not_found',
          `operand of unary jsonpath operator ${node.operator} is not a numeric value`,
        );
      }
      yield node.operator === '-' ? negateNumeric(item) : item;
    }
  }

  /** @param unwrap the step is applied to the elements of an array that it does not fit itself. */
  *#walk(
    steps: readonly PathStep[],
    index: number,
    item: PathItem,
    place: Place,
    unwrap = this.#path.lax,
  ): Iterable<PathItem> {
    const step = steps[index];
    if (step === undefined) {
      yield item;
      return;
    }
    if (unwrap && isArrayItem(item) && takesElements(step)) {
      for (const element of item) yield* this.#walk(steps, index, element, place, false);
      return;
    }
    if (step.kind === 'descendants') {
      const below = { ...place, tolerant: true };
      if (step.first === 0) yield* this.#walk(steps, index + 1, item, below);
      for (const found of descendants(item, 1, step)) yield* this.#walk(steps, index + 1, found, below);
      return;
    }
    for (const found of this.#step(step, item, place)) yield* this.#walk(steps, index + 1, found, place);
  }

  #step(step: Exclude<PathStep, { kind: 'descendants' }>, item: PathItem, place: Place): Iterable<PathItem> {
    switch (step.kind) {
      case 'key':
        return this.#key(step.name, item, place);
      case 'anyKey':
        if (isObjectItem(item)) return item.values();
        return this.#missing(
          place,
          'object',
          'jsonpath wildcard member accessor can only be applied to an object',
        );
      case 'anyElement':
        if (isArrayItem(item)) return item;
        if (this.#path.lax) return [item];
        return this.#missing(
          place,
          'array',
          'jsonpath wildcard array accessor can only be applied to an array',
        );
      case 'elements':
        return this.#elements(step, item, place);
      case 'filter':
        return this.#truth(step.condition, { ...place, current: item }) === true ? [item] : [];
      case 'method':
        if (step.name === 'size' && !this.#path.lax && !isArrayItem(item)) {
          return this.#missing(
            place,
            'array',
            'jsonpath item method .size() can only be applied to an array',
          );
        }
        return METHOD_IMPLEMENTATIONS[step.name](item, step.args, this.#options);
      default:
        return unreachable(step);
    }
  }

  #missing(place: Place, what: 'array' | 'object' | 'member', message: string): readonly PathItem[] {
    if (place.tolerant) return [];
    throw new SqlError(`sql_json_${what}_not_found`, message);
  }

  #key(name: string, item: PathItem, place: Place): readonly PathItem[] {
    if (!isObjectItem(item)) {
      return this.#missing(place, 'member', 'jsonpath member accessor can only be applied to an object');
    }
    const value = item.get(name);
    if (value !== undefined) return [value];
    return this.#missing(place, 'member', `JSON object does not contain key "${name}"`);
  }

  *#elements(step: PathStep & { kind: 'elements' }, item: PathItem, place: Place): Iterable<PathItem> {
    if (!isArrayItem(item) && !this.#path.lax) {
      yield* this.#missing(place, 'array', 'jsonpath array accessor can only be applied to an array');
      return;
    }
    const elements: readonly PathItem[] = isArrayItem(item) ? item : [item];
    const size = elements.length;
    const inside = { ...place, arraySize: size };
    for (const { from, to } of step.ranges) {
      const first = this.#subscript(from, inside);
      const last = to === null ? first : this.#subscript(to, inside);
      if (!place.tolerant && (first < 0 || first > last || last >= size)) {
        throw new SqlError('invalid_sql_json_subscript', 'jsonpath array subscript is out of bounds');
      }
      for (let i = Math.max(first, 0); i <= Math.min(last, size - 1); i++) yield elements[i] as PathItem;
    }
  }

  #subscript(node: PathNode, place: Place): number {
    const [item, ...more] = this.#items(node, place);
    if (item === undefined || more.length > 0 || !isNumberItem(item)) {
      throw new SqlError(
        'invalid_sql_json_subscript',
        'jsonpath array subscript is not a single numeric value',
      );
    }
    const index = Number(truncateNumeric(item).digits);
    if (index === (index | 0)) return index;
    throw new SqlError('invalid_sql_json_subscript', 'jsonpath array subscript is out of integer range');
  }

  #truth(node: PathCondition, place: Place): Truth {
    switch (node.kind) {
      case 'and': {
        const left = this.#truth(node.left, place);
        if (left === false) return false;
        const right = this.#truth(node.right, place);
        return right === true ? left : right;
      }
      case 'or': {
        const left = this.#truth(node.left, place);
        if (left === true) return true;
        const right = this.#truth(node.right, place);
        return right === false ? left : right;
      }
      case 'not': {
        const truth = this.#truth(node.operand, place);
        return truth === null ? null : !truth;
      }
      case 'unknown':
        return this.#truth(node.operand, place) === null;
      case 'exists':
        return this.#attempt(() => this.exists(this.#items(node.operand, place)));
      case 'comparison':
        return this.#pairs(
          () => this.#unwrapped(node.left, place),
          () => this.#unwrapped(node.right, place),
          (a, b) => this.#compare(node.operator, a, b),
        );
      case 'startsWith':
        return this.#pairs(
          () => this.#unwrapped(node.left, place),
          () => [...this.#items(node.right, place)],
          (text, start) =>
            typeof text === 'string' && typeof start === 'string' ? text.startsWith(start) : null,
        );
      case 'likeRegex': {
        const expression = regularExpression(node.pattern, regexpFlags(node.flags));
        return this.#pairs(
          () => this.#unwrapped(node.operand, place),
          () => [null],
          (text) => (typeof text === 'string' ? expression.test(text) : null),
        );
      }
      default:
        return unreachable(node);
    }
  }

  /** Strict mode looks at every item, so that no error goes unnoticed. */
  exists(items: Iterable<PathItem>): boolean {
    if (!this.#path.lax) return [...items].length > 0;
    for (const _ of items) return true;
    return false;
  }

  #attempt<T>(task: () => T): T | null {
    try {
      return task();
    } catch (error) {
      if (isDataError(error)) return null;
      throw error;
    }
  }

  /** True where it holds for any pair of items; unknown where an operand or (strict) a pair has no answer. */
  #pairs(
    left: () => readonly PathItem[],
    right: () => readonly PathItem[],
    holds: (a: PathItem, b: PathItem) => Truth,
  ): Truth {
    const lefts = this.#attempt(left);
    const rights = lefts === null ? null : this.#attempt(right);
    if (lefts === null || rights === null) return null;
    let found = false;
    let unknown = false;
    for (const a of lefts) {
      for (const b of rights) {
        const truth = holds(a, b);
        if (truth === null && !this.#path.lax) return null;
        if (truth === true && this.#path.lax) return true;
        unknown ||= truth === null;
        found ||= truth === true;
      }
    }
    return found || (unknown ? null : false);
  }

  #compare(operator: ComparisonOperator, a: PathItem, b: PathItem): Truth {
    if (a === null || b === null) return a === b ? HOLDS[operator](0) : operator === '!=';
    if (a instanceof Moment || b instanceof Moment) {
      if (!(a instanceof Moment && b instanceof Moment)) return null;
      const order = compareMoments(a, b, this.#options);
      return order === null ? null : HOLDS[operator](order);
    }
    const comparable = typeof a === 'object' ? isNumberItem(a) && isNumberItem(b) : typeof a === typeof b;
    return comparable ? HOLDS[operator](compareJsonb(a, b)) : null;
  }
}

/** Accessors of objects, filters and methods look into arrays in lax mode. */
function takesElements(step: PathStep): boolean {
  if (step.kind === 'method') return step.name !== 'size' && step.name !== 'type';
  return step.kind === 'key' || step.kind === 'anyKey' || step.kind === 'filter';
}

/** Descendants `level` or more below, those from `first` to `last`; `last` alone means what holds nothing. */
function* descendants(
  item: PathItem,
  level: number,
  range: { readonly first: number; readonly last: number },
): Iterable<PathItem> {
  if (level > range.last || (!isArrayItem(item) && !isObjectItem(item))) return;
  for (const child of item.values()) {
    const isLeaf = !isArrayItem(child) && !isObjectItem(child);
    if (level >= range.first || (range.first === Number.POSITIVE_INFINITY && isLeaf)) yield child;
    yield* descendants(child, level + 1, range);
  }
}

/** XQuery's flags in PostgreSQL's letters: without `s` a dot stops at line ends. */
function regexpFlags(flags: string): string {
  const has = (flag: string): boolean => flags.includes(flag);
  return `${has('i') ? 'i' : ''}${has('q') ? 'q' : ''}${has('s') ? '' : 'p'}${has('m') ? 'w' : ''}`;
}
