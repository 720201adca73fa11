/** CREATE TYPE … AS ENUM and ALTER TYPE. */
import { notSupported } from '../errors.ts';
import type { AlterType, Statement } from './ast.ts';
import { as, type MapContext, strings } from './map-context.ts';
import { mapListName } from './map-names.ts';
import type { pg } from './parse-grammar.ts';

export function mapCreateEnum(_: MapContext, body: pg.CreateEnumStmt, at: number): Statement {
  return {
    kind: 'create enum',
    at,
    name: mapListName(at, strings(body.typeName)),
    labels: strings(body.vals),
  };
}

/** ADD VALUE and RENAME VALUE. */
export function mapAlterEnum(_: MapContext, body: pg.AlterEnumStmt, at: number): AlterType {
  const label = body.newVal ?? '';
  const neighbour = body.newValNeighbor;
  return {
    kind: 'alter type',
    at,
    name: mapListName(at, strings(body.typeName)),
    change:
      body.oldVal !== undefined
        ? { action: 'rename value', from: body.oldVal, to: label }
        : {
            action: 'add value',
            label,
            ifNotExists: body.skipIfNewValExists ?? false,
            place:
              neighbour === undefined ? null : { side: body.newValIsAfter ? 'after' : 'before', neighbour },
          },
  };
}

/** @param object of RENAME TO, SET SCHEMA and OWNER TO: the type's name as a list. */
export function mapAlterType(
  object: pg.Node | undefined,
  change: AlterType['change'],
  at: number,
): AlterType {
  return { kind: 'alter type', at, name: mapListName(at, strings(as(object, 'List')?.items)), change };
}

/** ALTER TYPE … OWNER TO; other objects have no owner to change. */
export function mapAlterOwner(_: MapContext, body: pg.AlterOwnerStmt, at: number): Statement {
  const kind = (body.objectType ?? '').replace(/^OBJECT_/, '').replaceAll('_', ' ');
  if (kind !== 'TYPE') throw notSupported(`ALTER ${kind} OWNER TO`);
  return mapAlterType(body.object, { action: 'set owner', role: body.newowner?.rolename ?? null }, at);
}
