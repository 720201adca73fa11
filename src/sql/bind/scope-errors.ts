/**
 * Errors about names that are not in sight, with PostgreSQL's wording and its suggestions
 * (parse_relation.c, errorMissingColumn and errorMissingRTE).
 */
import { DistanceTable } from '../../edit-distance.ts';
import { SqlError } from '../../errors.ts';
import { OID } from '../../types/oids.ts';
import { eachReference, type Expression } from './draft.ts';
import type { Level, ScopeItem } from './level.ts';

const DISTANCE_MAX = 3;

/** @throws SqlError 42P10 for columns of the level in what must be one value for all rows. */
export function refuseVariables(level: Level, expression: Expression, what: string): void {
  eachReference(expression, (column) => {
    if (level.state.columns.get(column.id)?.level !== level) return;
    throw new SqlError('invalid_column_reference', `argument of ${what} must not contain variables`, {
      position: column.at || undefined,
    });
  });
}

/** @throws SqlError 42703, always. */
export function missingColumn(level: Level, name: string, at: number, item?: ScopeItem): never {
  const message = item ? `column ${item.alias}.${name} does not exist` : `column "${name}" does not exist`;
  throw new SqlError('undefined_column', message, { position: at, hint: columnHint(level, name, item) });
}

function columnHint(level: Level, name: string, item?: ScopeItem): string | undefined {
  const items = item ? [item] : visibleItems(level);
  const table = items.find((candidate) => candidate.relation?.kind === 'table');
  if (name === '_id' && table) {
    return plainTableHint(table.relation?.name ?? '');
  }
  const near = nearColumns(items, name);
  if (near.length === 1) return `Perhaps you meant to reference the column "${near[0]}".`;
  if (near.length === 2) {
    return `Perhaps you meant to reference the column "${near[0]}" or the column "${near[1]}".`;
  }
  const collection = items.find((candidate) => candidate.relation?.kind === 'collection');
  if (collection) {
    return `No document of collection "${collection.relation?.name}" has a column "${name}" yet.`;
  }
  return undefined;
}

/** For `_id` where there is none. */
export function plainTableHint(table: string): string {
  return `Table "${table}" is a plain table; declaring "_id TEXT" or an INDEX clause makes a collection.`;
}

function nearColumns(items: readonly ScopeItem[], name: string): readonly string[] {
  const table = new DistanceTable(name, { swaps: false });
  let best = Math.min(DISTANCE_MAX, Math.floor(name.length / 2));
  let near: string[] = [];
  for (const item of items) {
    for (const column of item.columns) {
      const distance = table.distanceTo(column.name, best);
      if (distance > best) continue;
      if (distance < best) near = [];
      best = distance;
      near.push(`${item.alias}.${column.name}`);
    }
  }
  return near.length > 2 ? [] : near;
}

/** @param path the column's whole path. @throws SqlError 42P01, always. */
export function missingTable(level: Level, path: readonly string[], at: number): never {
  const name = path[path.length - 2] ?? '';
  const renamed = visibleItems(level).find((item) => item.originalName === name && item.alias !== name);
  if (renamed) {
    throw new SqlError('undefined_table', `invalid reference to FROM-clause entry for table "${name}"`, {
      routine: 'invalid_argument',
      position: at,
      hint: `Perhaps you meant to reference the table alias "${renamed.alias}".`,
    });
  }
  if (level.hidden.some((item) => item.alias === name)) {
    throw new SqlError('undefined_table', `invalid reference to FROM-clause entry for table "${name}"`, {
      routine: 'invalid_argument',
      position: at,
      detail:
        `There is an entry for table "${name}", ` +
        'but it cannot be referenced from this part of the query.',
      ...(level.clause !== 'VALUES' && {
        hint: 'To reference that table, you must mark this subquery with LATERAL.',
      }),
    });
  }
  const isStruct = visibleItems(level).some(({ columns }) =>
    columns.some((column) => column.name === name && column.expression.type.oid === OID.jsonb),
  );
  const field = path.at(-1)?.replaceAll("'", "''");
  throw new SqlError('undefined_table', `missing FROM-clause entry for table "${name}"`, {
    routine: 'invalid_argument',
    position: at,
    hint: isStruct ? `"${name}" is a column; a field of what it holds is ${name}['${field}'].` : undefined,
  });
}

export function visibleItems(level: Level): readonly ScopeItem[] {
  const items: ScopeItem[] = [];
  for (let scope: Level | null = level; scope; scope = scope.parent) items.push(...scope.items);
  return items;
}
