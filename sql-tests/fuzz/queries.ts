/**
 * Queries by chance, well typed, over the tables of `tables.ts`. What comes out depends on the seed alone, and
 * its rows on nothing that a plan is free to choose: LIMIT stands above an order of all columns only.
 */
import type { Random } from '../faults/mutations.ts';
import { chance, pick, times } from './choose.ts';
import { AGGREGATES, COMPARABLE, type Form, FORMS, GATHERING } from './functions.ts';
import { type Parts, SHAPES } from './shapes.ts';
import { VALUE_SHAPES } from './values.ts';
import { type Column, LITERALS, TABLES, type Table, TYPES, type Type } from './tables.ts';

/** Columns that an expression can name. */
type Scope = readonly (Column & { readonly source: string })[];

interface Query {
  readonly text: string;
  readonly columns: readonly Column[];
}

const DEPTH_MAX = 3;
const JOINS = ['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'CROSS JOIN', 'LEFT JOIN LATERAL'] as const;
const ITEM_TYPES = TYPES.filter((type) => type !== 'jsonb' && type !== 'bytea');

export class QueryMaker {
  readonly #random: Random;
  #aliases = 0;
  /** Subqueries within subqueries. */
  #nesting = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** One statement that reads. */
  query(): string {
    this.#aliases = 0;
    const shape = this.#random(15);
    if (shape >= 10) return pick(this.#random, [...SHAPES, ...VALUE_SHAPES])(this.#parts());
    if (shape < 2) return this.#setOperation();
    if (shape < 4) return this.#withQuery();
    if (shape < 5) return this.#windowQuery();
    if (shape < 6) return this.#odd();
    return this.#ordered(this.#select([]));
  }

  /** One statement that writes and gives rows. */
  change(): string {
    this.#aliases = 0;
    const table = pick(this.#random, TABLES);
    const scope = table.columns.map((column) => ({ ...column, source: table.name }));
    const target = pick(this.#random, table.columns.slice(1));
    const returning = `RETURNING ${table.name}.id, ${this.#expression(scope, pick(this.#random, ITEM_TYPES), 1)} AS r`;
    switch (this.#random(6)) {
      case 5:
        return this.#elements();
      case 4:
        return this.#merge(table, target, scope);
      case 0:
        return `DELETE FROM ${table.name} WHERE ${this.#condition(scope, 1)} ${returning}`;
      case 1:
        return `UPDATE ${table.name} SET ${target.name} = ${this.#expression(scope, target.type, 1)} WHERE ${this.#condition(scope, 1)} ${returning}`;
      case 2: {
        const other = pick(
          this.#random,
          TABLES.filter((one) => one !== table),
        );
        const value = `(SELECT ${this.#aggregated(other.columns, 'u', target.type)} FROM ${other.name} u WHERE u.id >= ${table.name}.id)`;
        return `UPDATE ${table.name} SET ${target.name} = ${value} ${returning}`;
      }
      default: {
        const values = [`${100 + this.#random(3)}`, this.#expression([], target.type, 1)];
        const id = chance(this.#random, 40) ? String(1 + this.#random(9)) : values[0];
        const conflict = pick(this.#random, [
          'DO NOTHING',
          `DO UPDATE SET ${target.name} = EXCLUDED.${target.name}`,
        ]);
        return `INSERT INTO ${table.name} (id, ${target.name}) VALUES (${id}, ${values[1]}) ON CONFLICT (id) ${conflict} ${returning}`;
      }
    }
  }

  /** Elements and slices of the arrays that t1 and t2 have. */
  #elements(): string {
    const table = pick(
      this.#random,
      TABLES.filter(({ columns }) => columns.some(({ type }) => type === 'int4[]' || type === 'text[]')),
    );
    const column = table.columns.find(({ type }) => type.endsWith('[]')) as Column;
    const scope = table.columns.map((one) => ({ ...one, source: table.name }));
    const element = column.type === 'int4[]' ? 'int4' : 'text';
    const place = this.#random(5);
    const value = (): string => this.#expression(scope, element, 2);
    const target = pick(this.#random, [
      `${column.name}[${place}] = ${value()}`,
      `${column.name}[${place}] = ${value()}, ${column.name}[${place + 2}] = ${value()}`,
      `${column.name}[${place}:${place + 1}] = ARRAY[${value()}, ${value()}]`,
      `${column.name}[:${place}] = ${this.#expression(scope, column.type, 2)}`,
      `${column.name}[1][${place}] = ${value()}`,
    ]);
    const where = chance(this.#random, 60) ? ` WHERE ${this.#condition(scope, 2)}` : '';
    return `UPDATE ${table.name} SET ${target}${where} RETURNING id, ${column.name}, array_dims(${column.name})`;
  }

  #merge(table: Table, target: Column, scope: Scope): string {
    const source = pick(
      this.#random,
      TABLES.filter((one) => one !== table),
    );
    const both = [...scope, ...source.columns.map((column) => ({ ...column, source: 's' }))];
    const condition = this.#condition(both, 2);
    const value = this.#expression(both, target.type, 2);
    return `MERGE INTO ${table.name} USING ${source.name} s ON ${table.name}.id = s.id + ${this.#random(12)} WHEN MATCHED AND ${condition} THEN ${pick(this.#random, ['DELETE', 'DO NOTHING'])} WHEN MATCHED THEN UPDATE SET ${target.name} = ${value} WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id + 50, s.a) RETURNING merge_action(), ${table.name}.*, s.id`;
  }

  #parts(): Parts {
    return {
      random: this.#random,
      expression: (scope, type) => this.#expression(scope, type, 2),
      condition: (scope) => this.#condition(scope, 2),
    };
  }

  #alias(): string {
    return `x${++this.#aliases}`;
  }

  // ───────────────────────────── queries ─────────────────────────────

  #ordered({ text, columns }: Query): string {
    const places = columns.map((_, i) => {
      return `${i + 1}${pick(this.#random, ['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])}`;
    });
    const limit = chance(this.#random, 30) ? ` LIMIT ${this.#random(8)}` : '';
    const offset = chance(this.#random, 10) ? ` OFFSET ${this.#random(3)}` : '';
    return `${text} ORDER BY ${places.join(', ')}${limit}${offset}`;
  }

  /** DISTINCT ON, joins by name, sets in FROM, GROUPING, VALUES, row locks. */
  #odd(): string {
    const [first, second] = [pick(this.#random, TABLES), pick(this.#random, TABLES)];
    const scope = first.columns.map((column) => ({ ...column, source: 'p' }));
    const value = this.#expression(scope, pick(this.#random, ITEM_TYPES), 1);
    const condition = this.#condition(scope, 1);
    switch (this.#random(7)) {
      case 0:
        return `SELECT DISTINCT ON (p.a) p.a, p.id, ${value} AS v FROM ${first.name} p WHERE ${condition} ORDER BY p.a${pick(this.#random, ['', ' DESC', ' NULLS FIRST'])}, p.id`;
      case 1:
        return `SELECT * FROM ${first.name} p ${pick(this.#random, ['JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN'])} ${second.name} q USING (${pick(this.#random, ['id', 'a', 'id, a'])}) ORDER BY 1, 2, 3`;
      case 2:
        return `SELECT p.id, s.* FROM ${first.name} p, LATERAL generate_series(1, p.a % 4) WITH ORDINALITY AS s(v, o) WHERE ${condition} ORDER BY 1, 2`;
      case 3:
        return `SELECT p.a % 3 AS m, p.id % 2 AS n, grouping(p.a % 3, p.id % 2) AS g, count(*) FROM ${first.name} p WHERE ${condition} GROUP BY ${pick(this.#random, ['ROLLUP', 'CUBE'])} (p.a % 3, p.id % 2) ORDER BY 1, 2, 3`;
      case 4: {
        const rows = times(
          3,
          () => `(${this.#expression([], 'int4', 2)}, ${this.#expression([], 'text', 2)})`,
        );
        return `SELECT v.*, ${value} AS w FROM (VALUES ${rows.join(', ')}) AS v(k, t) LEFT JOIN ${first.name} p ON p.a = v.k ORDER BY 1, 2, 3`;
      }
      case 5:
        return `SELECT p.id, unnest(ARRAY[p.a, 1, NULL]) AS u, generate_series(1, 2) AS s, ${value} AS v FROM ${first.name} p WHERE ${condition} ORDER BY 1, 2, 3`;
      default:
        return `SELECT p.id, e.key, e.value FROM ${first.name} p, LATERAL jsonb_each_text(to_jsonb(p)) AS e WHERE ${condition} ORDER BY 1, 2`;
    }
  }

  #setOperation(): string {
    const types = times(1 + this.#random(3), () => pick(this.#random, COMPARABLE));
    const operation = pick(this.#random, [
      'UNION',
      'UNION ALL',
      'INTERSECT',
      'EXCEPT',
      'EXCEPT ALL',
      'INTERSECT ALL',
    ]);
    const [left, right] = [this.#select([], types), this.#select([], types)];
    return this.#ordered({ text: `(${left.text}) ${operation} (${right.text})`, columns: left.columns });
  }

  #withQuery(): string {
    if (chance(this.#random, 25)) {
      const step = 1 + this.#random(3);
      const value = this.#expression([{ name: 'n', type: 'int4', source: 'r' }], 'text', 1);
      return `WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + ${step} FROM r WHERE n < ${3 + this.#random(6)}) SELECT r.n, ${value} AS v FROM r ORDER BY 1`;
    }
    const name = this.#alias();
    const inner = this.#select([]);
    const scope = inner.columns.map((column) => ({ ...column, source: name }));
    const second = this.#alias();
    const table = pick(this.#random, TABLES);
    const both = [...scope, ...table.columns.map((column) => ({ ...column, source: second }))];
    const items = this.#items(
      both,
      times(2, () => pick(this.#random, ITEM_TYPES)),
    );
    const materialized = pick(this.#random, ['', 'MATERIALIZED ', 'NOT MATERIALIZED ']);
    const text = `WITH ${name} AS ${materialized}(${inner.text}) SELECT ${items.text} FROM ${name} JOIN ${table.name} ${second} ON ${this.#condition(both, 2)}`;
    return this.#ordered({ text, columns: items.columns });
  }

  #windowQuery(): string {
    const { text, scope, ids } = this.#from([]);
    const order = `${this.#expression(scope, pick(this.#random, COMPARABLE), 2)}${pick(this.#random, ['', ' DESC', ' NULLS FIRST'])}, ${ids.join(', ')}`;
    const partition = chance(this.#random, 60) ? `PARTITION BY ${this.#expression(scope, 'int4', 2)} ` : '';
    const calls = times(1 + this.#random(3), (i) => `${this.#windowCall(scope, partition, order)} AS w${i}`);
    return `SELECT ${[...ids, ...calls].join(', ')} FROM ${text} ORDER BY ${ids.map((_, i) => i + 1).join(', ')}`;
  }

  #windowCall(scope: Scope, partition: string, order: string): string {
    const value = this.#expression(scope, 'int4', 2);
    const call = pick(this.#random, [
      'row_number()',
      'rank()',
      'dense_rank()',
      'percent_rank()',
      'cume_dist()',
      'ntile(3)',
      `lag(${value}, ${this.#random(3)}, 0)`,
      `lead(${value})`,
      `first_value(${value})`,
      `last_value(${value})`,
      `nth_value(${value}, 2)`,
      `sum(${value})`,
      'count(*)',
      `max(${value})`,
      `avg(${value})`,
      `count(${value}) FILTER (WHERE ${this.#condition(scope, 2)})`,
    ]);
    const frame = chance(this.#random, 50) ? ` ${this.#frame()}` : '';
    if (chance(this.#random, 15)) {
      const range = pick(this.#random, [
        '2 PRECEDING AND 1 FOLLOWING',
        '1 FOLLOWING AND 3 FOLLOWING',
        '5 PRECEDING AND CURRENT ROW',
      ]);
      return `sum(${value}) OVER (${partition}ORDER BY ${this.#expression(scope, 'int4', 2)} RANGE BETWEEN ${range})`;
    }
    return `${call} OVER (${partition}ORDER BY ${order}${frame})`;
  }

  #frame(): string {
    const mode = pick(this.#random, ['ROWS', 'GROUPS']);
    const bounds = pick(this.#random, [
      'UNBOUNDED PRECEDING AND CURRENT ROW',
      '1 PRECEDING AND 1 FOLLOWING',
      'CURRENT ROW AND UNBOUNDED FOLLOWING',
      '3 PRECEDING AND 2 PRECEDING',
      '1 FOLLOWING AND 2 FOLLOWING',
      'UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
    ]);
    const excluded = ['', ' EXCLUDE CURRENT ROW', ' EXCLUDE GROUP'];
    // PostgreSQL's first_value looks for the current row among ties, and stops where the frame is without it.
    const withCurrent = !/^\d \w+ AND \d \w+$/.test(bounds) || bounds.includes('1 PRECEDING');
    const exclude = pick(this.#random, withCurrent ? [...excluded, ' EXCLUDE TIES'] : excluded);
    return `${mode} BETWEEN ${bounds}${exclude}`;
  }

  /** @param types of the columns; any when not given. */
  #select(outer: Scope, types?: readonly Type[]): Query {
    const { text: from, scope } = this.#from(outer);
    const visible = [...scope, ...outer];
    const wanted = types ?? times(1 + this.#random(4), () => pick(this.#random, ITEM_TYPES));
    const where = chance(this.#random, 60) ? ` WHERE ${this.#condition(visible, 0)}` : '';
    if (types === undefined && chance(this.#random, 35)) return this.#grouped(visible, from, where);
    const distinct = chance(this.#random, 15) ? 'DISTINCT ' : '';
    const { text, columns } = this.#items(visible, wanted);
    return { text: `SELECT ${distinct}${text} FROM ${from}${where}`, columns };
  }

  #items(scope: Scope, types: readonly Type[]): Query {
    const columns = types.map((type, i): Column => ({ name: `c${i}`, type }));
    const texts = columns.map(({ name, type }) => `${this.#expression(scope, type, 0)} AS ${name}`);
    return { text: texts.join(', '), columns };
  }

  #grouped(scope: Scope, from: string, where: string): Query {
    const keyTypes = times(this.#random(3), () => pick(this.#random, COMPARABLE));
    const keys = keyTypes.map((type) => this.#key(scope, type));
    const calls = times(1 + this.#random(3), () => this.#aggregate(scope));
    const sets = keys.length > 0 && chance(this.#random, 25);
    const shape = pick(this.#random, ['ROLLUP', 'CUBE', 'GROUPING SETS']);
    const list =
      shape === 'GROUPING SETS' ? `${keys.map((key) => `(${key})`).join(', ')}, ()` : keys.join(', ');
    const grouping = keys.length === 0 ? '' : ` GROUP BY ${sets ? `${shape} (${list})` : keys.join(', ')}`;
    const having = chance(this.#random, 20) ? ' HAVING count(*) > 1' : '';
    const columns = [...keyTypes, ...calls.map(({ type }) => type)].map((type, i) => ({
      name: `c${i}`,
      type,
    }));
    const items = [...keys, ...calls.map(({ text }) => text)].map((text, i) => `${text} AS c${i}`);
    return { text: `SELECT ${items.join(', ')} FROM ${from}${where}${grouping}${having}`, columns };
  }

  /** No bare constant: a number would be a position in the select list. */
  #key(scope: Scope, type: Type): string {
    const key = this.#expression(scope, type, 2);
    return /\bx\d/.test(key) ? key : `coalesce(${key})`;
  }

  #aggregate(scope: Scope): { readonly text: string; readonly type: Type } {
    const chosen = pick(this.#random, chance(this.#random, 25) ? GATHERING : AGGREGATES);
    const text = this.#applied(chosen, scope, 2);
    const distinct = chance(this.#random, 20) && /^(count|sum|avg)\(/.test(text);
    const filter = chance(this.#random, 25) ? ` FILTER (WHERE ${this.#condition(scope, 2)})` : '';
    return { text: `${distinct ? text.replace('(', '(DISTINCT ') : text}${filter}`, type: chosen.type };
  }

  // ───────────────────────────── FROM ─────────────────────────────

  #from(outer: Scope): { readonly text: string; readonly scope: Scope; readonly ids: readonly string[] } {
    const first = this.#relation();
    let { text, scope } = first;
    const ids = [...first.ids];
    // Deeper ones take PostgreSQL's planner to turn round: that is not what is looked for.
    for (let count = this.#random(this.#nesting > 0 ? 2 : 3); count > 0; count--) {
      const kind = pick(this.#random, JOINS);
      const lateral = kind.endsWith('LATERAL');
      const right = lateral ? this.#derived([...scope, ...outer]) : this.#relation();
      const both = [...scope, ...right.scope];
      // PostgreSQL makes FULL JOIN of equalities only.
      const on =
        kind === 'CROSS JOIN'
          ? ''
          : ` ON ${kind === 'FULL JOIN' ? this.#equality(scope, right.scope) : this.#joinCondition(scope, right.scope)}`;
      text = `${text} ${kind} ${right.text}${on}`;
      scope = both;
      ids.push(...right.ids);
    }
    return { text, scope, ids };
  }

  #relation(): { readonly text: string; readonly scope: Scope; readonly ids: readonly string[] } {
    if (this.#nesting < 1 && chance(this.#random, 15)) return this.#derived([]);
    const table = pick(this.#random, TABLES);
    const source = this.#alias();
    const scope = table.columns.map((column) => ({ ...column, source }));
    return { text: `${table.name} ${source}`, scope, ids: [`${source}.id`] };
  }

  #derived(outer: Scope): { readonly text: string; readonly scope: Scope; readonly ids: readonly string[] } {
    const source = this.#alias();
    this.#nesting++;
    const { text, columns } = this.#select(outer);
    this.#nesting--;
    const scope = columns.map((column) => ({ ...column, source }));
    return { text: `(${text}) ${source}`, scope, ids: columns.map(({ name }) => `${source}.${name}`) };
  }

  #equality(left: Scope, right: Scope): string {
    const pairs = left.flatMap((one) =>
      right.filter(({ type }) => type === one.type).map((other) => [one, other] as const),
    );
    const usable = pairs.filter(([{ type }]) => COMPARABLE.includes(type));
    if (usable.length === 0) return 'true';
    const [one, other] = pick(this.#random, usable);
    return `${one.source}.${one.name} = ${other.source}.${other.name}`;
  }

  #joinCondition(left: Scope, right: Scope): string {
    const equal = this.#equality(left, right);
    if (!chance(this.#random, 30)) return equal;
    return `${equal} ${pick(this.#random, ['AND', 'OR'])} ${this.#condition([...left, ...right], 2)}`;
  }

  // ───────────────────────────── expressions ─────────────────────────────

  #condition(scope: Scope, depth: number): string {
    const type = pick(this.#random, COMPARABLE);
    const value = (): string => this.#expression(scope, type, depth + 1);
    const choice = this.#random(depth > 1 ? 7 : 11);
    switch (choice) {
      case 0:
      case 1:
        return `${value()} ${pick(this.#random, ['=', '<>', '<', '<=', '>', '>='])} ${value()}`;
      case 2:
        return `${value()} IS ${pick(this.#random, ['', 'NOT '])}NULL`;
      case 3:
        return `${value()} ${pick(this.#random, ['', 'NOT '])}IN (${times(1 + this.#random(3), value).join(', ')})`;
      case 4:
        return `${value()} ${pick(this.#random, ['', 'NOT '])}BETWEEN ${value()} AND ${value()}`;
      case 5:
        return `${value()} IS ${pick(this.#random, ['', 'NOT '])}DISTINCT FROM ${value()}`;
      case 6:
        return this.#expression(scope, 'bool', depth + 1);
      case 7:
        return `${pick(this.#random, ['', 'NOT '])}EXISTS (${this.#inner(scope, [type])})`;
      case 8:
        return `${value()} ${pick(this.#random, ['IN', 'NOT IN', '= ANY', '> ALL', '<> ALL', '< ANY'])} (${this.#inner(scope, [type])})`;
      default: {
        const word = pick(this.#random, ['AND', 'OR']);
        return `(${this.#condition(scope, depth + 1)} ${word} ${this.#condition(scope, depth + 1)})`;
      }
    }
  }

  /** A subquery that may read the rows around it. */
  #inner(scope: Scope, types: readonly Type[]): string {
    if (this.#nesting >= 2)
      return `SELECT ${types.map((type) => pick(this.#random, LITERALS[type])).join(', ')}`;
    this.#nesting++;
    const { text } = this.#select(scope, types);
    this.#nesting--;
    return text;
  }

  /** One aggregate of the type, cast to it where none gives it. */
  #aggregated(columns: readonly Column[], source: string, type: Type): string {
    const scope = columns.map((column) => ({ ...column, source }));
    const fitting = AGGREGATES.filter((aggregate) => aggregate.type === type);
    if (fitting.length > 0) return this.#applied(pick(this.#random, fitting), scope, 2);
    const value = this.#expression(scope, type, 2);
    return type.endsWith('[]') ? `max(${value})` : `(array_agg(${value} ORDER BY ${source}.id))[1]`;
  }

  #expression(scope: Scope, type: Type, depth: number): string {
    const columns = scope.filter((column) => column.type === type);
    const choice = this.#random(100);
    if (columns.length > 0 && choice < 40 + depth * 10) {
      const { source, name } = pick(this.#random, columns);
      return `${source}.${name}`;
    }
    if (depth >= DEPTH_MAX || choice > 88) {
      return chance(this.#random, 12) ? `NULL::${type}` : pick(this.#random, LITERALS[type]);
    }
    if (choice > 83) {
      const value = (): string => this.#expression(scope, type, depth + 1);
      return `CASE WHEN ${this.#condition(scope, depth + 1)} THEN ${value()} ELSE ${value()} END`;
    }
    if (choice > 79)
      return `coalesce(${times(2, () => this.#expression(scope, type, depth + 1)).join(', ')})`;
    if (choice > 75 && depth < 2 && this.#nesting < 2) return this.#scalarSubquery(scope, type);
    return `(${this.#applied(pick(this.#random, FORMS[type]), scope, depth + 1)})`;
  }

  #scalarSubquery(scope: Scope, type: Type): string {
    const table = pick(this.#random, TABLES);
    const source = this.#alias();
    const own = table.columns.map((column) => ({ ...column, source }));
    const condition = this.#condition([...own, ...scope], 2);
    return `(SELECT ${this.#aggregated(table.columns, source, type)} FROM ${table.name} ${source} WHERE ${condition})`;
  }

  #applied(form: Form, scope: Scope, depth: number): string {
    const args = form.args.map((type) => this.#expression(scope, type, depth));
    return form.text.replaceAll(/\$(\d)/g, (_, number: string) => args[Number(number) - 1] ?? 'NULL');
  }
}
