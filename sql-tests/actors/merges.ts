/** MERGE by chance into tables with and without policies. */
import type { Random } from '../faults/mutations.ts';
import { chance, pick } from '../fuzz/choose.ts';
import type { Make } from './parts.ts';

const MATCHED: readonly Make[] = [
  (random) =>
    `UPDATE SET ${pick(random, ["body = 'm'", 'owner = s.t', 'n = x.n + 1', 'owner = current_user', "dept = 'legal'"])}`,
  () => 'DELETE',
  () => 'DO NOTHING',
];

const also = (random: Random, of: readonly string[]): string =>
  chance(random, 40) ? ` AND ${pick(random, of)}` : '';

function clauses(random: Random): string {
  const found: string[] = [];
  const matched = ['x.owner = current_user', 'x.n > 2', 'x.id = 1', 's.id < 5'];
  for (let i = random(3); i > 0; i--) {
    found.push(`WHEN MATCHED AND ${pick(random, matched)} THEN ${pick(random, MATCHED)(random)}`);
  }
  if (chance(random, 60)) found.push(`WHEN MATCHED THEN ${pick(random, MATCHED)(random)}`);
  if (chance(random, 60)) {
    const row = pick(random, [
      '(s.id + 20, current_user)',
      '(s.note, s.t)',
      '(s.id + 20, DEFAULT)',
      "(s.id, 'a_bob')",
    ]);
    const action = chance(random, 15) ? 'DO NOTHING' : `INSERT (id, owner) VALUES ${row}`;
    found.push(`WHEN NOT MATCHED${also(random, ['s.id > 2', 's.t IS NOT NULL'])} THEN ${action}`);
  }
  if (chance(random, 15)) {
    const action = pick(random, ['DELETE', "UPDATE SET body = 'gone'", 'DO NOTHING']);
    found.push(
      `WHEN NOT MATCHED BY SOURCE${also(random, ['x.n > 2', 'x.owner = current_user'])} THEN ${action}`,
    );
  }
  return found.length === 0 ? 'WHEN MATCHED THEN DELETE' : found.join(' ');
}

export const merge: Make = (random) => {
  const into = pick(random, ['a_notes', 'a_notes', 'a_notes', 'a_v_inv', 'a_v_own', 'a_v_chk']);
  const source = pick(random, [
    'a_plain',
    'a_plain',
    '(SELECT 1 AS id, 1 AS note, current_user::text AS t)',
    "(VALUES (2, 2, 'a_bob'), (9, 9, 'a_ann'))",
  ]);
  const names = source.startsWith('(VALUES') ? 's (id, note, t)' : 's';
  const on = pick(random, ['s.note = x.id', 's.note = x.id', 's.id = x.id AND x.n > 1', 's.t = x.owner']);
  const answer = chance(random, 25) ? ' RETURNING merge_action(), x.id' : '';
  const made = clauses(random);
  const text = into.startsWith('a_v') ? made.replaceAll(/body = '\w+'|dept = '\w+'/g, 'n = 3') : made;
  return `MERGE INTO ${into} x USING ${source} ${names} ON ${on} ${text}${answer}`;
};
