/** Parts of generated statements: names, columns, values and conditions. */
import type { Random } from '../faults/mutations.ts';
import { chance, pick } from '../fuzz/choose.ts';

export type Make = (random: Random) => string;

export const TABLES = ['a_notes', 'a_notes', 'a_depts', 'a_plain', 'a_in.log'] as const;
export const VIEWS = ['a_v_own', 'a_v_inv', 'a_v_bar', 'a_v_chk'] as const;

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  a_notes: ['id', 'owner', 'dept', 'n', 'body'],
  a_depts: ['name', 'boss', 'note'],
  a_plain: ['id', 'note', 't'],
  'a_in.log': ['who', 'msg'],
  a_v_own: ['id', 'owner', 'n'],
  a_v_inv: ['id', 'owner', 'n', 'body'],
  a_v_bar: ['id', 'owner', 'n'],
  a_v_chk: ['id', 'owner', 'dept', 'n'],
  a_v_top: ['id', 'name'],
};

export const columnsOf = (relation: string): readonly string[] => COLUMNS[relation] ?? ['id'];

/** Mostly what has policies. */
export const writable: Make = (random) =>
  chance(random, 50) ? 'a_notes' : pick(random, [...TABLES, ...VIEWS]);

export const readable: Make = (random) =>
  chance(random, 40) ? 'a_notes' : pick(random, [...TABLES, ...VIEWS, 'a_v_top']);

export const someColumns = (random: Random, relation: string): string => {
  const all = columnsOf(relation);
  const some = all.filter(() => chance(random, 50));
  return (some.length === 0 ? all.slice(0, 1) : some).join(', ');
};

const NUMBERS = new Set(['id', 'n', 'note']);
const WHO = ["'a_ann'", "'a_bob'", "'a_own'", "'nobody'", 'current_user', 'session_user', "'a Eve\"s'"];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  owner: WHO,
  who: WHO,
  boss: WHO,
  dept: ["'sales'", "'legal'", 'NULL'],
  name: ["'sales'", "'legal'", "'staff'", "'new'"],
};

export const value = (random: Random, column: string): string => {
  if (column === 'id') return String(1 + random(chance(random, 50) ? 12 : 60));
  if (NUMBERS.has(column)) return pick(random, ['0', '2', '3', '7', 'NULL', '1000']);
  return pick(random, WORDS[column] ?? ["'v'", "'w'", 'NULL']);
};

export const values = (random: Random, relation: string): string =>
  columnsOf(relation)
    .map((column) => value(random, column))
    .join(', ');

export const condition = (random: Random, relation: string): string => {
  const column = pick(random, columnsOf(relation));
  if (NUMBERS.has(column)) return `${column} ${pick(random, ['=', '>', '<', '<>'])} ${1 + random(9)}`;
  return chance(random, 20) ? `${column} IS NOT NULL` : `${column} = ${value(random, column)}`;
};

export const where = (random: Random, relation: string, percent = 50): string =>
  chance(random, percent) ? ` WHERE ${condition(random, relation)}` : '';

export const returning = (random: Random, relation: string): string =>
  chance(random, 40) ? ` RETURNING ${someColumns(random, relation)}` : '';
