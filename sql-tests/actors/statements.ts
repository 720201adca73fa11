/**
 * Statements by chance that say who acts, what is permitted, and what is then read and written. A case is one or more
 * statements that belong together.
 */
import type { Random } from '../faults/mutations.ts';
import { chance, pick, times } from '../fuzz/choose.ts';
import { definition } from './definitions.ts';
import { inspection } from './inspections.ts';
import { merge } from './merges.ts';
import {
  columnsOf,
  condition,
  type Make,
  readable,
  returning,
  someColumns,
  TABLES,
  value,
  values,
  VIEWS,
  where,
  writable,
} from './parts.ts';
import { ACTORS } from './world.ts';

// ───────────────────────────── who ─────────────────────────────

/** An actor that has not the rights of others, mostly. */
const actor: Make = (random) => pick(random, ACTORS);

const ACTING: readonly Make[] = [
  (random) => `SET ROLE ${actor(random)}`,
  (random) => `SET SESSION AUTHORIZATION ${actor(random)}`,
  () => 'RESET ROLE',
  () => 'SET ROLE NONE',
  () => 'SET ROLE a_team',
  () => 'RESET SESSION AUTHORIZATION',
];

/** Begins anew as the owner of all, then as another; now and then as one who became yet another. */
function acting(random: Random): readonly string[] {
  if (chance(random, 25)) return [pick(random, ACTING)(random)];
  const first = ['RESET SESSION AUTHORIZATION', 'RESET ROLE'];
  if (chance(random, 10)) return first;
  if (chance(random, 60)) return [...first, `SET ROLE ${actor(random)}`];
  return [
    ...first,
    `SET SESSION AUTHORIZATION ${actor(random)}`,
    ...(chance(random, 40) ? [`SET ROLE ${chance(random, 50) ? 'a_team' : actor(random)}`] : []),
  ];
}

// ───────────────────────────── reading ─────────────────────────────

const READS: readonly Make[] = [
  (random) => {
    const from = readable(random);
    return `SELECT ${someColumns(random, from)} FROM ${from}${where(random, from)}`;
  },
  (random) => {
    const from = readable(random);
    return `SELECT * FROM ${from}${where(random, from)}`;
  },
  (random) => {
    const from = readable(random);
    return `SELECT count(*), min(${pick(random, columnsOf(from))}) FROM ${from}${where(random, from)}`;
  },
  (random) =>
    `SELECT a.id, b.${pick(random, ['id', 'n', 'owner'])} FROM a_notes a JOIN ${pick(random, ['a_notes', 'a_v_own', 'a_v_inv'])} b ON a.owner = b.owner`,
  (random) =>
    `SELECT p.id, x.id FROM a_plain p LEFT JOIN ${pick(random, ['a_notes', 'a_v_chk'])} x ON x.id = p.note`,
  (random) => {
    const from = readable(random);
    const lock = pick(random, ['UPDATE', 'NO KEY UPDATE', 'SHARE', 'KEY SHARE']);
    return `SELECT ${pick(random, columnsOf(from))} FROM ${from}${where(random, from)} FOR ${lock}`;
  },
  (random) =>
    `SELECT id FROM a_plain WHERE ${pick(random, ['', 'NOT '])}EXISTS (SELECT 1 FROM a_notes x WHERE x.id = a_plain.note)`,
  (random) =>
    `SELECT d.name, (SELECT count(*) FROM a_notes x WHERE x.dept = d.name) FROM a_depts d${where(random, 'a_depts')}`,
  (random) => `WITH w AS (SELECT ${someColumns(random, 'a_notes')} FROM a_notes) SELECT count(*) FROM w`,
  (random) => `TABLE ${readable(random)}`,
  (random) =>
    `SELECT dept, count(*) FROM a_notes${where(random, 'a_notes')} GROUP BY dept HAVING count(*) > ${random(3)}`,
  (random) => `SELECT id, 10 / (n - ${random(7)}) FROM ${pick(random, ['a_notes', 'a_v_bar', 'a_v_own'])}`,
  (random) =>
    `SELECT id FROM ${pick(random, ['a_notes', 'a_v_bar', 'a_v_own'])} WHERE 10 / (n - ${random(7)}) > 1`,
  () => 'SELECT a_def(), a_inv()',
  () => 'SELECT a_def()',
  () => 'SELECT a_me(), current_user, session_user',
  (random) => `SELECT a_leads('a_ann', ${pick(random, ["'sales'", "'legal'", 'NULL'])})`,
  () => "SELECT nextval('a_seq')",
  (random) =>
    `SELECT id FROM a_notes ${pick(random, ['UNION', 'EXCEPT', 'INTERSECT'])} SELECT note FROM a_plain`,
  (random) =>
    `EXPLAIN (COSTS off) ${pick(random, ['SELECT', 'DELETE'])}${''} FROM ${writable(random)}`.replace(
      'SELECT FROM',
      'SELECT 1 FROM',
    ),
  (random) => `COPY ${readable(random)} TO STDOUT`,
  (random) => {
    const from = pick(random, TABLES);
    return `COPY ${from} (${someColumns(random, from)}) TO STDOUT`;
  },
  (random) => `COPY (SELECT ${someColumns(random, 'a_notes')} FROM a_notes) TO STDOUT`,
];

// ───────────────────────────── writing ─────────────────────────────

const insert: Make = (random) => {
  const into = writable(random);
  const named = chance(random, 30)
    ? ['id', 'name', 'who'].filter((one) => columnsOf(into).includes(one)).slice(0, 1)
    : [];
  const columns = named.length > 0 ? named : columnsOf(into);
  const rows = times(1 + random(2), () => `(${columns.map((column) => value(random, column)).join(', ')})`);
  return `INSERT INTO ${into} (${columns.join(', ')}) VALUES ${rows.join(', ')}`;
};

const conflict: Make = (random) => {
  const choice = random(5);
  if (choice === 0) return ' ON CONFLICT DO NOTHING';
  if (choice === 1) return ' ON CONFLICT (id) DO NOTHING';
  const set = pick(random, [
    'body = excluded.body',
    'owner = excluded.owner',
    'n = a_notes.n + 1',
    "owner = 'a_ann'",
    'id = 40',
  ]);
  const only = chance(random, 30)
    ? ` WHERE ${condition(random, 'a_notes').replaceAll(/\b(id|owner|dept|n|body)\b(?= [<>=I])/g, 'a_notes.$1')}`
    : '';
  return ` ON CONFLICT (id) DO UPDATE SET ${set}${only}`;
};

const WRITES: readonly Make[] = [
  (random) => `${insert(random)}${chance(random, 30) ? ' RETURNING *' : ''}`,
  (random) => {
    const row = `(${values(random, 'a_notes')})`;
    return `INSERT INTO a_notes VALUES ${row}${conflict(random)}${returning(random, 'a_notes')}`;
  },
  (random) =>
    `INSERT INTO a_notes (id, owner) SELECT id + 20, ${pick(random, ['current_user', "'a_bob'", 't'])} FROM a_plain${returning(random, 'a_notes')}`,
  (random) => {
    const into = writable(random);
    const column = pick(random, columnsOf(into));
    return `UPDATE ${into} SET ${column} = ${value(random, column)}${where(random, into, 90)}${returning(random, into)}`;
  },
  (random) => {
    const into = writable(random);
    const column = pick(random, columnsOf(into));
    return `UPDATE ${into} SET ${column} = ${value(random, column)}`;
  },
  (random) =>
    `UPDATE a_notes x SET body = p.t FROM a_plain p WHERE p.note = x.id${chance(random, 50) ? ' RETURNING x.id, p.id' : ''}`,
  (random) =>
    `UPDATE a_plain SET t = (SELECT max(owner) FROM a_notes) WHERE id = ${pick(random, ['1', '2'])}`,
  (random) => {
    const from = writable(random);
    return `DELETE FROM ${from}${where(random, from, 95)}${returning(random, from)}`;
  },
  (random) =>
    `DELETE FROM a_notes x USING a_plain p WHERE p.note = x.id AND p.id = ${pick(random, ['1', '2', '10'])}`,
  (random) =>
    `WITH gone AS (DELETE FROM a_notes${where(random, 'a_notes', 100)} RETURNING id) SELECT count(*) FROM gone`,
  merge,
  merge,
  (random) => `TRUNCATE ${pick(random, ['a_depts', 'a_plain', 'a_in.log'])}`,
  (random) =>
    `LOCK TABLE ${pick(random, [...TABLES, ...VIEWS])} IN ${pick(random, ['ACCESS SHARE', 'ROW SHARE', 'ROW EXCLUSIVE', 'SHARE', 'ACCESS EXCLUSIVE'])} MODE`,
];

// ───────────────────────────── cases ─────────────────────────────

const read: Make = (random) => pick(random, READS)(random);
const write: Make = (random) => pick(random, WRITES)(random);

/** A cursor or a prepared statement that outlives the role, or the right, that it was made with. */
const KEPT: readonly ((random: Random) => readonly string[])[] = [
  (random) => [
    'BEGIN',
    `DECLARE a_c CURSOR FOR SELECT ${someColumns(random, 'a_notes')} FROM ${pick(random, ['a_notes', 'a_v_inv'])}`.replace(
      /dept|body/g,
      'n',
    ),
    pick(random, ACTING)(random),
    'FETCH ALL FROM a_c',
    'COMMIT',
  ],
  (random) => [
    'DEALLOCATE ALL',
    `PREPARE a_p AS SELECT ${someColumns(random, 'a_notes')} FROM a_notes`,
    'EXECUTE a_p',
    ...acting(random),
    'EXECUTE a_p',
  ],
  (random) => [
    'DEALLOCATE ALL',
    'RESET SESSION AUTHORIZATION',
    'SET ROLE a_ann',
    "PREPARE a_p (int) AS UPDATE a_notes SET body = 'p' WHERE id = $1 RETURNING id",
    `EXECUTE a_p(${1 + random(5)})`,
    'RESET ROLE',
    pick(random, [
      'REVOKE UPDATE ON a_notes FROM a_team',
      'REVOKE a_team FROM a_ann',
      'GRANT UPDATE ON a_notes TO a_team',
    ]),
    'SET ROLE a_ann',
    `EXECUTE a_p(${1 + random(5)})`,
  ],
  (random) => ['BEGIN', `SET LOCAL ROLE ${actor(random)}`, read(random), 'COMMIT', read(random)],
  (random) => [`SET row_security = ${pick(random, ['off', 'on'])}`, read(random), write(random)],
  // PostgreSQL copies into nothing that has policies.
  (random) => ['BEGIN', `COPY ${pick(random, ['a_notes', 'a_v_chk'])} (id, owner, n) FROM STDIN`, 'ROLLBACK'],
  (random) => [`SET a.tenant = ${pick(random, ["'sales'", "'legal'", "''"])}`, read(random)],
];

/** Each with how often it comes among a hundred. */
const KINDS: readonly (readonly [(random: Random) => readonly string[], number])[] = [
  [acting, 20],
  [(random) => [read(random)], 27],
  [(random) => [write(random)], 25],
  [(random) => [definition(random)], 9],
  [(random) => ['RESET SESSION AUTHORIZATION', 'RESET ROLE', definition(random), ...acting(random)], 6],
  [(random) => [inspection(random)], 7],
  [(random) => pick(random, KEPT)(random), 6],
];

export function actorCase(random: Random): readonly string[] {
  let left = random(100);
  for (const [make, often] of KINDS) {
    if (left < often) return make(random);
    left -= often;
  }
  return acting(random);
}
