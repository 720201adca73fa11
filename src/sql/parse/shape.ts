/**
 * Shapes of texts: texts of one outline (`outline.ts`) are one statement with parameters, parsed and planned once.
 * Literals are lifted where they are values that rows are computed from or compared with: beside columns in WHERE,
 * SET, ORDER BY and what is selected, by themselves in VALUES, in lists, and as what is selected. All others, those of
 * LIMIT and ordinals too, belong to the shape. Whether the plan with parameters is the one that the text would have had
 * is not told here (`session/running/shared-plans.ts`).
 */
import { OID } from '../../types/oids.ts';
import type {
  Expr,
  FunctionCall,
  InsertStatement,
  Located,
  Query,
  Select,
  SetItem,
  Statement,
} from '../ast.ts';
import { type LiteralKind, type Outline, readable } from './outline.ts';

interface Lifted {
  /** Places among the outline's literals: of the first one, and of those that are equal to it. */
  readonly places: number[];
  readonly isNegative: boolean;
}

/** A statement in which literals have become parameters. */
export interface Template {
  readonly statement: Statement;
  /** OIDs of their types; 0 for what strings turn out to be. */
  readonly types: readonly number[];
  readonly lifted: readonly Lifted[];
  /** Literals that belong to the shape, by their place. */
  readonly kept: readonly (readonly [place: number, literal: string])[];
}

const TYPES: Readonly<Record<LiteralKind, number>> = { i: OID.int4, l: OID.int8, n: OID.numeric, s: 0 };

/** Null where nothing can be lifted. @param statement of the text whose outline it is. */
export function templateOf(text: string, outline: Outline, statement: Statement): Template | null {
  const lifting = new Lifting(text, outline);
  const changed = lifting.statement(statement);
  const { lifted } = lifting;
  if (changed === null || lifted.length === 0) return null;
  const places = new Set(lifted.flatMap((one) => one.places));
  const kept = outline.literals.flatMap((literal, place) =>
    places.has(place) ? [] : [[place, literal] as const],
  );
  const types = lifted.map(({ places: [first = 0] }) => TYPES[outline.kinds[first] as LiteralKind]);
  return { statement: changed, types, lifted, kept };
}

class Lifting {
  readonly lifted: Lifted[] = [];
  readonly #text: string;
  readonly #outline: Outline;
  /** Parameters by literal, where equal ones share theirs: what is selected and what it is ordered by may be one. */
  #shared: Map<string, number> | null = null;

  constructor(text: string, outline: Outline) {
    this.#text = text;
    this.#outline = outline;
  }

  /** Null: it is none of those that are lifted from. */
  statement(statement: Statement): Statement | null {
    switch (statement.kind) {
      case 'query': {
        const query = this.#query(statement.query);
        return query === null ? null : { ...statement, query };
      }
      case 'update': {
        if (statement.with !== null || statement.from.length > 0) return null;
        const where = this.#optional(statement.where);
        const set = statement.set.map((item): SetItem => ({ ...item, value: this.#value(item.value) }));
        return { ...statement, set, where };
      }
      case 'delete':
        if (statement.with !== null || statement.using.length > 0) return null;
        return { ...statement, where: this.#optional(statement.where) };
      case 'insert':
        return this.#insert(statement);
      default:
        return null;
    }
  }

  #query(query: Query): Query | null {
    if (query.kind !== 'select' || query.with !== null || query.from.length > 1) return null;
    if (query.from[0] !== undefined && query.from[0].kind !== 'relation') return null;
    const where = this.#optional(query.where);
    return isGrouped(query) ? { ...query, where } : { ...query, where, ...this.#output(query) };
  }

  #output({ items, order }: Select): Pick<Select, 'items' | 'order'> {
    this.#shared = new Map();
    const output = {
      items: items.map((item) => ({ ...item, value: this.#value(item.value) })),
      order: order.map((item) => ({ ...item, value: this.#operand(item.value) })),
    };
    this.#shared = null;
    return output;
  }

  #insert(statement: InsertStatement): Statement | null {
    const { source } = statement;
    if (statement.with !== null || source?.kind !== 'values' || 'cells' in source.rows) return null;
    if (source.with !== null) return null;
    const rows = source.rows.map((row) => row.map((value) => this.#literal(value) ?? value));
    return { ...statement, source: { ...source, rows } };
  }

  #optional(where: Expr | null): Expr | null {
    return where === null ? null : this.#operand(where);
  }

  #value(value: Expr): Expr {
    return this.#literal(value) ?? this.#operand(value);
  }

  /** Literals beside columns. */
  #operand(value: Expr): Expr {
    switch (value.kind) {
      case 'and':
      case 'or':
        return { ...value, args: value.args.map((arg) => this.#operand(arg)) };
      case 'not':
        return { ...value, input: this.#operand(value.input) };
      case 'operator': {
        const { left, right, operator } = value;
        if (left === null || !OPERATORS.has(operator) || !(hasColumn(left) || hasColumn(right))) return value;
        return { ...value, left: this.#value(left), right: this.#value(right) };
      }
      case 'in':
        if (!hasColumn(value.input)) return value;
        return { ...value, items: value.items.map((item) => this.#literal(item) ?? item) };
      case 'between':
        if (!hasColumn(value.input)) return value;
        return { ...value, low: this.#value(value.low), high: this.#value(value.high) };
      case 'function':
        return isPlainCall(value) && hasColumn(value) ? this.#call(value) : value;
      default:
        return value;
    }
  }

  /** Strings only: a number is how something is computed. */
  #call(call: FunctionCall & Located): Expr {
    const args = call.args.map((arg) => {
      const isText = arg.name === null && (arg.value.kind === 'string' || arg.value.kind === 'cast');
      return isText ? { ...arg, value: this.#literal(arg.value) ?? arg.value } : arg;
    });
    return { ...call, args };
  }

  /** The parameter in a literal's place; null where it is none. */
  #literal(value: Expr): Expr | null {
    switch (value.kind) {
      case 'integer':
      case 'decimal':
        return this.#number(value);
      case 'string':
        return this.#lift(value, this.#outline.starts.indexOf(value.at - 1), false);
      case 'cast': {
        const input = value.input.kind === 'string' ? this.#literal(value.input) : null;
        return input && { ...value, input };
      }
      default:
        return null;
    }
  }

  #number(value: Expr & { kind: 'integer' | 'decimal' }): Expr | null {
    const isNegative = value.text.startsWith('-');
    let start = value.at - 1;
    if (isNegative) while (/[-\s]/.test(this.#text[start] ?? '')) start++;
    return this.#lift(value, this.#outline.starts.indexOf(start), isNegative);
  }

  #lift(value: Expr & { kind: 'integer' | 'decimal' | 'string' }, place: number, isNegative: boolean) {
    const { literals, kinds } = this.#outline;
    const [literal, kind] = [literals[place], kinds[place]];
    if (literal === undefined || kind === undefined) return null;
    const given = value.kind === 'string' ? value.value : value.text;
    if (
      (value.kind === 'string') !== (kind === 's') ||
      !isWritten(given, readable(literal, kind, isNegative))
    ) {
      return null;
    }
    const known = this.#shared?.get(`${isNegative} ${literal}`);
    if (known !== undefined) this.lifted[known - 1]?.places.push(place);
    else this.lifted.push({ places: [place], isNegative });
    const number = known ?? this.lifted.length;
    this.#shared?.set(`${isNegative} ${literal}`, number);
    return { kind: 'parameter', number, at: value.at } as const;
  }
}

/** The grammar writes whole numbers in its own way: `007` is 7. */
const isWritten = (given: string, literal: string): boolean =>
  given === literal ||
  (/^-?\d+$/.test(literal) && /^-?\d+$/.test(given) && BigInt(given) === BigInt(literal));

const OPERATORS: ReadonlySet<string> = new Set('= < > <= >= <> + - * / <-> <=> <#> <+>'.split(' '));

/** True where what is selected is compared, as it is written, with what is grouped by. */
const isGrouped = ({ group, having, windows, distinct }: Select): boolean =>
  group.length > 0 || having !== null || windows.length > 0 || distinct !== 'all';

const isPlainCall = ({ over, filter, order, star, distinct, variadic }: FunctionCall): boolean =>
  over === null && filter === null && order.length === 0 && !star && !distinct && !variadic;

function hasColumn(value: Expr): boolean {
  switch (value.kind) {
    case 'column':
      return true;
    case 'operator':
      return (value.left !== null && hasColumn(value.left)) || hasColumn(value.right);
    case 'cast':
      return hasColumn(value.input);
    case 'function':
      return value.args.some((arg) => hasColumn(arg.value));
    default:
      return false;
  }
}
