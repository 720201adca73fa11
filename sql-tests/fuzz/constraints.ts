/**
 * Tables with constraints by chance (NULLS NOT DISTINCT, MATCH FULL, DEFERRABLE, referential actions) and statements
 * in transactions over them: every answer and every table afterwards must be PostgreSQL's.
 *
 * Which of several constraints is told to be broken may differ: they are checked in another order.
 */
import type { Random } from '../faults/mutations.ts';
import { chance, pick, times } from './choose.ts';
import type { Side } from './compare.ts';

export interface ConstraintDifference {
  /** The statements of the round up to the one that is answered differently. */
  readonly history: readonly string[];
  readonly what: string;
}

const STATEMENTS_A_ROUND = 40;
const TABLES = ['p', 'c', 'u'] as const;
const NAMES = ['p_key', 'c_fk', 'c_key', 'u_k', 'u_v', 'u_fk'];
const ACTIONS = ['NO ACTION', 'RESTRICT', 'CASCADE', 'SET NULL', 'SET DEFAULT'];
const TIMES = ['', ' DEFERRABLE', ' DEFERRABLE INITIALLY DEFERRED', ' INITIALLY DEFERRED', ' NOT DEFERRABLE'];

/** One round: tables of its own, then statements. @returns null when both servers agree. */
export async function constraintRound(
  random: Random,
  { wanted, tested }: { readonly wanted: Side; readonly tested: Side },
): Promise<ConstraintDifference | null> {
  const history: string[] = [];
  const made = new Round(random);
  const all = [
    'ROLLBACK',
    'DROP TABLE IF EXISTS u, c, p CASCADE',
    ...made.tables(),
    ...times(STATEMENTS_A_ROUND, () => () => made.statement()),
    'COMMIT',
    ...TABLES.map((table) => `SELECT * FROM ${table}`),
  ];
  for (const next of all) {
    const sql = typeof next === 'string' ? next : next();
    history.push(sql);
    const [expected, actual] = [await wanted.run(sql), await tested.run(sql)];
    made.ended(sql, expected.error !== null);
    const found = compared(expected, actual);
    if (found !== null) return { history, what: found };
  }
  return null;
}

type Answer = Awaited<ReturnType<Side['run']>>;

/** Class 23 is one: integrity_constraint_violation. */
function compared(expected: Answer, actual: Answer): string | null {
  const shown = ({ error, message, rows }: Answer): string =>
    error === null ? rows.toSorted().join(' ⏎ ') : /^23/.test(error) ? '23' : `${error} ${message}`;
  const [left, right] = [shown(expected), shown(actual)];
  return left === right ? null : `PostgreSQL: ${left} ${expected.message}; Quern: ${right} ${actual.message}`;
}

class Round {
  readonly #random: Random;
  #inBlock = false;
  /** A statement of the block was refused: it waits for ROLLBACK [TO]. */
  #failed = false;
  #savepoints: string[] = [];
  /** Every key of `u` is deferrable: rows may pass their keys on in any order. */
  #movesKeys = false;

  constructor(random: Random) {
    this.#random = random;
  }

  tables(): string[] {
    const random = this.#random;
    const time = (): string => pick(random, TIMES);
    const action = (): string => ` ON DELETE ${pick(random, ACTIONS)} ON UPDATE ${pick(random, ACTIONS)}`;
    const nulls = (): string => (chance(random, 50) ? ' NULLS NOT DISTINCT' : '');
    const [k, v] = [time(), time()];
    this.#movesKeys = [k, v].every((text) => text !== '' && text !== ' NOT DEFERRABLE');
    const match = pick(random, ['', ' MATCH FULL', ' MATCH SIMPLE']);
    const set = chance(random, 20) ? ' ON DELETE SET NULL (y)' : action();
    return [
      `CREATE TABLE p (a int, b int DEFAULT 1, n int, CONSTRAINT p_key ${pick(random, ['PRIMARY KEY', 'UNIQUE', 'UNIQUE NULLS NOT DISTINCT'])} (a, b))`,
      `CREATE TABLE c (id int, x int DEFAULT 1, y int DEFAULT 1, CONSTRAINT c_key UNIQUE${nulls()} (id)${time()}, CONSTRAINT c_fk FOREIGN KEY (x, y) REFERENCES p (a, b)${match}${set}${time()})`,
      `CREATE TABLE u (id int PRIMARY KEY, k int, v int, up int, CONSTRAINT u_k UNIQUE${nulls()} (k)${k}, CONSTRAINT u_v UNIQUE${nulls()} (k, v)${v}, CONSTRAINT u_fk FOREIGN KEY (up) REFERENCES u${action()}${time()})`,
      'INSERT INTO p SELECT a, b FROM generate_series(1, 4) a, generate_series(1, 3) b',
      'INSERT INTO c SELECT g, g, 1 FROM generate_series(1, 3) g',
      'INSERT INTO u SELECT g, g, g, nullif(g / 2, 0) FROM generate_series(1, 6) g',
    ];
  }

  statement(): string {
    const random = this.#random;
    if (chance(random, this.#failed ? 90 : 28)) return this.#control();
    const table = pick(random, TABLES);
    switch (random(4)) {
      case 0:
        return `DELETE FROM ${table} WHERE ${this.#condition(table)}`;
      case 1:
        return this.#update(table);
      default:
        return this.#insert(table);
    }
  }

  /** @param failed whether PostgreSQL refused the statement. */
  ended(sql: string, failed: boolean): void {
    this.#failed = failed && this.#inBlock;
    if (/^(COMMIT|ROLLBACK)$/.test(sql)) {
      this.#inBlock = false;
      this.#failed = false;
      this.#savepoints = [];
    } else if (sql === 'BEGIN') this.#inBlock = true;
    else if (sql.startsWith('SAVEPOINT') && !failed) this.#savepoints.push(sql.split(' ')[1] ?? '');
  }

  #control(): string {
    const random = this.#random;
    if (!this.#inBlock) return 'BEGIN';
    if (this.#failed && this.#savepoints.length === 0) return 'ROLLBACK';
    const names = chance(random, 40) ? 'ALL' : pick(random, NAMES);
    const save = `s${this.#savepoints.length}`;
    const known = this.#savepoints.length === 0 ? save : pick(random, this.#savepoints);
    return pick(random, [
      'COMMIT',
      'ROLLBACK',
      `SAVEPOINT ${save}`,
      `SAVEPOINT ${save}`,
      `ROLLBACK TO ${known}`,
      `ROLLBACK TO ${known}`,
      `SET CONSTRAINTS ${names} DEFERRED`,
      'SET CONSTRAINTS ALL DEFERRED',
      `SET CONSTRAINTS ${names} IMMEDIATE`,
    ]);
  }

  #value(): string {
    return pick(this.#random, ['1', '2', '3', '4', 'NULL']);
  }

  #insert(table: (typeof TABLES)[number]): string {
    const random = this.#random;
    const value = (): string => this.#value();
    const rows = times(1 + random(2), () =>
      table === 'u'
        ? `(${random(12)}, ${value()}, ${value()}, ${pick(random, ['NULL', 'NULL', String(random(12))])})`
        : `(${value()}, ${value()}, ${value()})`,
    );
    if (chance(random, 15)) {
      const columns = { p: 'a', c: 'x', u: 'id' }[table];
      return `INSERT INTO ${table} (${columns}) VALUES (${table === 'u' ? random(12) : value()})`;
    }
    // In PostgreSQL the order of the indexes decides whether an untargeted one meets a deferrable key.
    const target = { p: ' ON CONFLICT', c: ' ON CONFLICT (id)', u: ' ON CONFLICT (id)' }[table];
    const conflict = chance(random, 15) ? `${target} DO NOTHING` : '';
    return `INSERT INTO ${table} VALUES ${rows.join(', ')}${conflict}`;
  }

  /** Keys that are checked row by row get one value only: PostgreSQL's answer depends on the order of rows else. */
  #update(table: (typeof TABLES)[number]): string {
    const random = this.#random;
    const value = (): string => this.#value();
    const where = `WHERE ${this.#condition(table)}`;
    if (table === 'u' && this.#movesKeys && chance(random, 30)) return `UPDATE u SET k = k + 1 ${where}`;
    const sets = {
      p: [`a = ${value()}`, `b = ${value()}`, `n = ${value()}`, `a = ${value()}, b = ${value()}`],
      c: [`id = ${value()}`, `x = ${value()}`, `y = ${value()}`, `x = ${value()}, y = ${value()}`],
      u: [
        `k = ${value()}`,
        `v = ${value()}`,
        `up = ${random(12)}`,
        'up = NULL',
        `k = ${value()}, v = ${value()}`,
      ],
    };
    return `UPDATE ${table} SET ${pick(random, sets[table])} ${where}`;
  }

  #condition(table: (typeof TABLES)[number]): string {
    const random = this.#random;
    const columns = { p: ['a', 'b', 'n'], c: ['id', 'x', 'y'], u: ['id', 'k', 'v', 'up'] };
    const column = pick(random, columns[table]);
    return pick(random, [
      `${column} = ${1 + random(4)}`,
      `${column} IS NULL`,
      `${column} > ${random(5)}`,
      `${column} IN (1, 3, 5)`,
    ]);
  }
}
