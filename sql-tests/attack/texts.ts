/**
 * Generates the texts an attacker sends to where one may only read, from a seed. Calls that write stand in every place of
 * a query, statements that write behind others, after what would end a transaction, disguised, and over several calls.
 */
import { chance, pick, times } from '../fuzz/choose.ts';
import { type Random, seeded } from '../faults/mutations.ts';
import { volatileCalls } from './calls.ts';
import { WAYS_OUT, WRITES } from './statements.ts';
import type { Target } from './world.ts';

export interface Attempt {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** One after the other through one door. */
export type Attack = readonly Attempt[];

const attempt = (sql: string, params: readonly unknown[] = []): Attempt => ({ sql, params });

/** Places of a query where a value is computed. */
const PLACES: readonly ((value: string) => string)[] = [
  (value) => `SELECT ${value}`,
  (value) => `SELECT ${value} FROM plain LIMIT 1`,
  (value) => `SELECT a FROM plain WHERE ${value} IS NOT NULL`,
  (value) => `SELECT a FROM plain ORDER BY (${value})::text`,
  (value) => `SELECT count(*) FROM plain GROUP BY (${value})::text`,
  (value) => `SELECT count(*) FROM plain HAVING (${value}) IS NOT NULL`,
  (value) => `SELECT count(*) FILTER (WHERE ${value} IS NULL) FROM plain`,
  (value) => `SELECT row_number() OVER (ORDER BY (${value})::text) FROM plain`,
  (value) => `SELECT CASE WHEN a > 1 THEN (${value})::text END FROM plain`,
  (value) => `SELECT coalesce(NULL, (${value})::text)`,
  (value) => `SELECT (SELECT ${value})`,
  (value) => `SELECT EXISTS (SELECT ${value})`,
  (value) => `SELECT 1 WHERE '1' IN (SELECT (${value})::text)`,
  (value) => `VALUES (1, (${value})::text)`,
  (value) => `WITH w AS MATERIALIZED (SELECT (${value})::text AS v) SELECT * FROM w`,
  (value) =>
    `WITH RECURSIVE w(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM w WHERE n < 3 AND ${value} IS NOT NULL) TABLE w`,
  (value) => `SELECT * FROM plain, LATERAL (SELECT (${value})::text AS v) AS l LIMIT 2`,
  (value) => `SELECT * FROM plain p LEFT JOIN books ON p.b = (${value})::text`,
  (value) => `SELECT 1 UNION SELECT length((${value})::text)`,
  (value) => `SELECT ARRAY[(${value})::text], ROW((${value})::text)`,
  (value) => `SELECT jsonb_build_object('a', ${value})`,
  (value) => `SELECT * FROM generate_series(1, length((${value})::text))`,
  (value) => `SELECT a FROM plain LIMIT length((${value})::text)`,
  (value) => `SELECT string_agg((${value})::text, ',' ORDER BY a) FROM plain`,
  (value) => `SELECT * FROM books WHERE matches('Emma', title) AND ${value} IS NOT NULL`,
  (value) => `SELECT * FROM hybrid('books', 'Emma', columns => ARRAY['title']) WHERE (${value}) IS NOT NULL`,
  (value) => `SELECT * FROM search('Acme', 'notes', filter => '${value.replaceAll("'", "''")} IS NOT NULL')`,
  (value) => `SELECT quern.recall_check('books', 'title', '${value.replaceAll("'", "''")} IS NOT NULL')`,
  (value) => `EXPLAIN (ANALYZE, COSTS off) SELECT ${value}`,
  (value) => `COPY (SELECT ${value}) TO STDOUT`,
  (value) => `DECLARE c CURSOR WITH HOLD FOR SELECT ${value}`,
];

/** Where a table function stands. */
const SOURCES: readonly ((rows: string) => string)[] = [
  (rows) => `SELECT * FROM ${rows}`,
  (rows) => `SELECT count(*) FROM plain, LATERAL (SELECT * FROM ${rows}) AS l`,
  (rows) => `SELECT (SELECT count(*) FROM ${rows})`,
  (rows) => `WITH w AS (SELECT * FROM ${rows}) SELECT * FROM w`,
  (rows) => `EXPLAIN ANALYZE SELECT * FROM ${rows}`,
  (rows) => `SELECT 1 WHERE EXISTS (SELECT * FROM ${rows})`,
  (rows) => `(SELECT 1) UNION ALL SELECT count(*) FROM ${rows}`,
];

/** A statement that writes, within another. */
const HOLDERS: readonly ((statement: string) => string)[] = [
  (statement) => statement,
  (statement) => `EXPLAIN ANALYZE ${statement}`,
  (statement) => `EXPLAIN (ANALYZE, FORMAT json) ${statement}`,
  (statement) => `WITH w AS (${statement} RETURNING 1) SELECT * FROM w`,
  (statement) => `WITH w AS (${statement}) SELECT 1`,
  (statement) => `SELECT * FROM (${statement} RETURNING *) AS q`,
  (statement) => `COPY (${statement} RETURNING 1) TO STDOUT`,
  (statement) => `(${statement})`,
  (statement) => `DO $do$ BEGIN ${statement}; END $do$`,
  (statement) => `CREATE FUNCTION evil() RETURNS void LANGUAGE sql AS $f$ ${statement} $f$`,
  (statement) => `SELECT 1 AS "SELECT", $$;$$ AS quoted; ${statement}`,
];

const SPACES = [' ', '\n', '\t', ' /**/ ', ' /* ; */ ', ' -- ;\n', ' /* /* nested */ ; */ ', '\f', '\u00a0'];
const BEFORE = [
  '',
  '',
  '/* SELECT */ ',
  '-- SELECT 1\n',
  ' \n\t',
  '/* /* */ SELECT */',
  '(((',
  ';',
  ';;',
  '\ufeff',
  '\\',
];
const BETWEEN = [
  '; ',
  ';',
  ';;',
  '; -- ;\n',
  ' ; /* x */ ',
  ';\n\n',
  ' -- x\n;',
  "; SELECT 'a;b''c'; ",
  '; SELECT $q$;$q$; ',
  '\uff1b ',
];
const AFTER = ['', '', ';', ' --', ' /*', '; SELECT 1', ';;', '\\g', " -- '", '; COMMIT'];

/** Texts that end in another place for who reads quotes or escapes otherwise. */
const QUOTES: readonly ((statement: string) => string)[] = [
  (statement) => `SELECT 'a\\'; ${statement}; --'`,
  (statement) => `SELECT E'a\\'; ${statement}; --'`,
  (statement) => `SELECT U&'\\0027; ${statement}; --'`,
  (statement) => `SELECT $a$ ; ${statement} ; $b$ ; $a$; ${statement}`,
  (statement) => `SELECT "a""; ${statement}; --" FROM (SELECT 1 AS "a""; ${statement}; --") AS q`,
  (statement) => `SELECT /* */ 1 /* ; */ ; /* */ ${statement} /* */`,
  (statement) => `SELECT 1 AS "a\u0000b"; ${statement}`,
  (statement) => `SELECT $1; ${statement}`,
];

export class Attacker {
  readonly #random: Random;
  readonly #calls: ReturnType<typeof volatileCalls>;

  constructor(seed: number, target: Target) {
    this.#random = seeded(seed);
    this.#calls = volatileCalls(target);
  }

  /** @returns attacks with `count` texts at least. */
  attacks(count: number): Attack[] {
    const attacks: Attack[] = [];
    for (let texts = 0; texts < count; ) {
      const attack = this.#attack();
      attacks.push(attack);
      texts += attack.length;
    }
    return attacks;
  }

  #attack(): Attack {
    const one = (): Attack => [attempt(this.#write())];
    const disguised = (): Attack => [attempt(this.#disguised(this.#write()))];
    const kinds: readonly (() => Attack)[] = [
      ...[one, one, one, one, disguised, disguised],
      () => [attempt(this.#list())],
      () => [attempt(this.#list(), [1])],
      () => [attempt(pick(this.#random, QUOTES)(this.#write()))],
      () => this.#bound(),
      () => this.#prepared(),
      () => this.#afterwards(),
      () => this.#cursor(),
    ];
    return pick(this.#random, kinds)();
  }

  /** One statement that does more than read. */
  #write(): string {
    const random = this.#random;
    const { known, all } = this.#calls;
    const calls = chance(random, 70) ? known : all;
    if (chance(random, 40)) return pick(random, PLACES)(pick(random, calls.values));
    if (chance(random, 25)) return pick(random, SOURCES)(pick(random, calls.rows));
    const statement = pick(random, WRITES);
    return chance(random, 50) ? statement : pick(random, HOLDERS)(statement);
  }

  /** Statements of one text. */
  #list(): string {
    const random = this.#random;
    const some = (most: number): string[] => times(random(most + 1), () => pick(random, WAYS_OUT));
    const statements = [...some(3), this.#write(), ...some(2)];
    return `${pick(random, BEFORE)}${statements.join(pick(random, BETWEEN))}${pick(random, AFTER)}`;
  }

  /** Other spaces, other cases, other ends. */
  #disguised(statement: string): string {
    const random = this.#random;
    const spaced = statement
      .split(' ')
      .reduce((text, word) => `${text}${chance(random, 25) ? pick(random, SPACES) : ' '}${word}`);
    const cased = chance(random, 30)
      ? spaced.replaceAll(/\b[A-Z]{3,}\b/g, (word) => this.#cased(word))
      : spaced;
    return `${pick(random, BEFORE)}${cased}${pick(random, AFTER)}`;
  }

  #cased(word: string): string {
    return [...word].map((letter) => (chance(this.#random, 50) ? letter.toLowerCase() : letter)).join('');
  }

  /** Sends as parameters what the text would say itself. */
  #bound(): Attack {
    const forms: readonly Attempt[] = [
      attempt('SELECT set_config($1, $2, $3::bool)', ['quern.read_only', 'off', false]),
      attempt('SELECT nextval($1::regclass)', ['numbers']),
      attempt('SELECT nextval($1::text::regclass), $2::int', ['numbers', 1]),
      attempt('DELETE FROM plain WHERE a > $1', [0]),
      attempt('INSERT INTO plain (a, b) VALUES ($1, $2)', [97, 'evil']),
      attempt('SELECT lsn FROM quern.upsert($1, $2)', ['books', '[{"_id": "evil", "title": "Evil"}]']),
      attempt("SELECT search.doc_id FROM search($1, 'notes', filter => $2)", [
        'Acme',
        "nextval('numbers') > 0",
      ]),
      attempt('SELECT 1; DELETE FROM plain WHERE a > $1', [0]),
      attempt('COMMIT; DELETE FROM plain', ['x']),
    ];
    return [pick(this.#random, forms)];
  }

  /** Made in one call, run in another. */
  #prepared(): Attack {
    const random = this.#random;
    const name = pick(random, ['p', '"P;"', 's0', 's1']);
    const made = attempt(`PREPARE ${name} AS ${this.#write()}`);
    const run = attempt(pick(random, [`EXECUTE ${name}`, `EXPLAIN ANALYZE EXECUTE ${name}`]));
    const between = times(random(2), () => attempt(pick(random, WAYS_OUT)));
    if (chance(random, 30)) return [attempt(`${made.sql}; ${run.sql}`)];
    return [made, ...between, run];
  }

  /** A way out in calls of their own, then the write. */
  #afterwards(): Attack {
    const random = this.#random;
    const ways = times(1 + random(2), () => attempt(pick(random, WAYS_OUT)));
    return [...ways, attempt(this.#write())];
  }

  #cursor(): Attack {
    const random = this.#random;
    const query = pick(random, PLACES.slice(0, 3))(pick(random, this.#calls.known.values));
    const declare = attempt(`DECLARE c CURSOR WITH HOLD FOR ${query}`);
    const fetch = attempt(pick(random, ['FETCH ALL c', 'MOVE ALL c', 'CLOSE c', 'COMMIT']));
    return chance(random, 50)
      ? [attempt(`BEGIN; ${declare.sql}; ${fetch.sql}; COMMIT`)]
      : [attempt('BEGIN'), declare, fetch];
  }
}
