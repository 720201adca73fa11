/** CREATE TYPE … AS ENUM and ALTER TYPE. */
import { notSupported } from '../../errors.ts';
import type { AlterType, Statement } from '../ast.ts';
import { as, type MapContext, strings } from './context.ts';
import { mapRole } from './access.ts';
import { mapFunctionName } from './functions.ts';
import { mapListName } from './names.ts';
import type { pg } from '../parse/grammar.ts';

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

/** ALTER … OWNER TO of all but relations. */
export function mapAlterOwner(context: MapContext, body: pg.AlterOwnerStmt, at: number): Statement {
  const kind = (body.objectType ?? '').replace(/^OBJECT_/, '').replaceAll('_', ' ');
  const change = { action: 'set owner', role: mapRole(body.newowner) } as const;
  switch (kind) {
    case 'TYPE':
      return mapAlterType(body.object, change, at);
    case 'FUNCTION':
      return { kind: 'alter function', at, function: mapFunctionName(context, body.object, at), change };
    case 'SCHEMA':
    case 'DATABASE': {
      const object = kind === 'SCHEMA' ? 'schema' : 'database';
      const name = as(body.object, 'String')?.sval ?? '';
      return { kind: 'alter owner', at, object, name, role: change.role };
    }
    default:
      throw notSupported(`ALTER ${kind} OWNER TO`);
  }
}
