/**
 * Set-returning functions of the select list: projections that multiply rows. Those that GROUP BY reads come
 * before the groups are made, the others after windows, as in PostgreSQL's planner (split_pathtarget_at_srfs).
 */
import {
  type DraftColumn,
  eachReference,
  type Expression,
  idsOf,
  literal,
  mentions,
  type Plan,
  reference,
} from '../draft.ts';
import type { Level, PendingSet } from '../level.ts';

export const idsOfSets = (level: Level): ReadonlySet<number> => new Set(level.sets.map(({ id }) => id));

/**
 * The rows that are grouped: multiplied by the sets among the keys, which are done with then.
 * @param above all that is read after grouping.
 */
export function expandGrouped(
  level: Level,
  input: Plan,
  { keys, above }: { readonly keys: readonly Expression[]; readonly above: unknown },
): Plan {
  const own = level.sets.filter(({ id }) => mentions(keys, new Set([id])));
  if (own.length === 0) return input;
  // The arguments of a set call for columns before it.
  const grouped = new Set(own);
  for (const set of grouped) {
    for (const other of level.sets) if (mentions(set.args, new Set([other.id]))) grouped.add(other);
  }
  const rest = level.sets.filter((set) => !grouped.has(set));
  const read = [keys, above, level.aggregates.map(({ call }) => call), level.windows, rest];
  const expanded = expand(level, input, { sets: [...grouped], read });
  level.sets.splice(0, level.sets.length, ...rest);
  return expanded;
}

/** Multiplied by all sets that are left. @param above all that is read after. */
export function expandSets(level: Level, input: Plan, above: unknown): Plan {
  return expand(level, input, { sets: level.sets, read: above });
}

interface Expansion {
  readonly sets: readonly PendingSet[];
  readonly read: unknown;
}

/** Sets whose arguments need no other come first and beside each other, the shorter ones filled with NULLs. */
function expand(level: Level, input: Plan, { sets, read }: Expansion): Plan {
  if (sets.length === 0) return input;
  const ids = new Set(sets.map(({ id }) => id));
  const first = sets.filter(({ args }) => !mentions(args, ids));
  const later = sets.filter((set) => !first.includes(set));
  const plan = oneProjection(level, input, { sets: first, read: [read, later] });
  return expand(level, plan, { sets: later, read });
}

/** Projection of what is read above, with one more column for each set. */
function oneProjection(level: Level, input: Plan, { sets, read }: Expansion): Plan {
  const wanted = new Set<number>();
  eachReference(read, (column) => wanted.add(column.id));
  for (const id of wanted) {
    eachReference(level.state.substitutes.get(id), (column) => wanted.add(column.id));
  }
  const kept = input.output.filter((column) => wanted.has(column.id));
  const passed = [...kept, ...armsOf(level, wanted, new Set(idsOf(input)))];
  const columns = sets.map(({ id, name, type }): DraftColumn => {
    return { id, name, type, relation: 0, attribute: 0 };
  });
  return {
    kind: 'project',
    input,
    expressions: [
      ...passed.map(({ id, type }) => reference(id, type)),
      ...sets.map(({ type }) => literal(null, type)),
    ],
    sets: sets.map(({ function: called, args, fields }, i) => {
      return { position: passed.length + i, function: called, args, fields };
    }),
    output: [...passed, ...columns],
  };
}

/** Arm columns are not in a draft scan's output yet. */
function armsOf(
  level: Level,
  wanted: ReadonlySet<number>,
  known: ReadonlySet<number>,
): readonly DraftColumn[] {
  const arms = level.items.flatMap((item) => item.scan?.armColumns ?? []);
  return arms.filter((column) => wanted.has(column.id) && !known.has(column.id));
}
