/**
 * System columns of relations: `ctid` and `xmin` of the row's number, `tableoid`; nothing is known of `xmax`,
 * `cmin` and `cmax`, which are 0 for rows that are read; RETURNING of INSERT has an `xmax` that is not 0 for rows that
 * ON CONFLICT has updated, as programs ask for it. `*` does not show them, and a column of that name
 * comes first.
 */
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import { wantColumn } from '../rights.ts';
import { notSupported } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { branch, type Expression, FLOAT, literal, reference } from '../draft.ts';
import type { Level, ScopeItem } from '../level.ts';
import { typeOnly } from '../state.ts';

const NUMBERED = {
  ctid: { function: '.ctid(,float8)', type: OID.tid },
  xmin: { function: '.xmin(,float8)', type: OID.xid },
} as const;

const ZERO: Readonly<Record<string, number>> = { xmax: OID.xid, cmin: OID.cid, cmax: OID.cid };

export const isSystemColumn = (name: string): boolean =>
  name === 'tableoid' || Object.hasOwn(NUMBERED, name) || Object.hasOwn(ZERO, name);

/** @throws SqlError 0A000 where rows are just being written, whose places and versions are not known yet. */
export function systemColumn(
  level: Level,
  item: ScopeItem,
  name: string,
  at: number,
): Expression | undefined {
  if (item.oid === 0) return undefined;
  readSystemColumn(item);
  if (name === 'tableoid') return ofRow(item, literal(item.oid, typeOnly(OID.oid), at));
  if (name === 'ctid' || name === 'xmin') return numbered(level, item, name, at);
  const zero = Object.hasOwn(ZERO, name) ? ZERO[name] : undefined;
  if (zero === undefined) return undefined;
  if (name === 'xmax' && item.replacedId !== undefined) {
    return reference(item.replacedId, typeOnly(OID.xid), at);
  }
  if (item.relation !== null && item.scan === null) throw unknownHere(name, at);
  return ofRow(item, literal(0, typeOnly(zero), at));
}

/** No grant on columns reaches it: whoever reads it may read the whole relation. */
function readSystemColumn({ use }: ScopeItem): void {
  if (use !== undefined) wantColumn(use, PRIVILEGE.select, SYSTEM_ATTRIBUTE);
}

const SYSTEM_ATTRIBUTE = -1;

/** NULL where an outer join found no row. */
function ofRow({ presence }: ScopeItem, value: Expression): Expression {
  if (!presence) return value;
  const { type, at = 0 } = value;
  return { kind: 'case', branches: [branch({ ...presence, at }, value)], otherwise: null, type, at };
}

function numbered(level: Level, item: ScopeItem, name: 'ctid' | 'xmin', at: number): Expression {
  const { function: id, type } = NUMBERED[name];
  const row = item.scan?.rowNumberId ?? item.rowNumberId ?? 0;
  if (row === 0) {
    // Rows of the system's own relations are made of the catalog, and change with it.
    const made = item.relation === null && name === 'xmin';
    if (made) return literal(level.state.context.catalog.version, typeOnly(type), at);
    throw unknownHere(name, at);
  }
  if (item.scan) item.scan.rowNumber = true;
  return { kind: 'call', function: id, args: [reference(row, FLOAT, at)], type: typeOnly(type), at };
}

const unknownHere = (name: string, position: number) =>
  notSupported(`system column "${name}" here`, { position: position || undefined });
