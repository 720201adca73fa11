/**
 * Which type becomes which, and how: PostgreSQL's pg_cast by our table `cast.ts`, binary coercion, array
 * element by element, else through text input and output (find_coercion_pathway of parse_coerce.c).
 */
import { SqlError } from '../errors.ts';
import { OID } from '../types/oids.ts';
import { findTypeByOid, formatType, typeRef } from '../types/registry.ts';
import { BINARY_CASTS, CASTS } from './cast.ts';
import { oidOf } from './signature.ts';

export type CastContext = 'implicit' | 'assignment' | 'explicit';

const RANK: Readonly<Record<CastContext, number>> = { implicit: 0, assignment: 1, explicit: 2 };

interface Path {
  readonly method: string;
  readonly context: CastContext;
}

const key = (from: number, to: number): string => `${from}>${to}`;

const PATHS: ReadonlyMap<string, Path> = new Map(
  [
    ...BINARY_CASTS.map(({ from, to, context }) => ({ from, to, context, method: 'none' })),
    ...CASTS.map(({ from, to, context }) => ({ from, to, context, method: `${from}->${to}` })),
  ].flatMap(({ from, to, context, method }) => {
    const [source, target] = [oidOf(from), oidOf(to)];
    return source === undefined || target === undefined
      ? []
      : [[key(source, target), { method, context }] as const];
  }),
);

const POLYMORPHIC: ReadonlySet<number> = new Set([
  OID.any,
  OID.anyelement,
  OID.anyarray,
  OID.anynonarray,
  OID.anyenum,
  OID.anyrange,
  OID.anycompatible,
  OID.anycompatiblearray,
]);

export const isPolymorphic = (oid: number): boolean => POLYMORPHIC.has(oid);

/** Element type of an array type; int2vector and oidvector are arrays of theirs, as in PostgreSQL. */
export function elementOf(oid: number): number | undefined {
  const type = findTypeByOid(oid);
  return type?.category === 'A' ? type.elementOid : undefined;
}

/**
 * @returns null when not allowed in `context`; `'none'` when the value is the same; `'text'` for
 *          conversion through text; else the id of a cast.
 */
export function resolveCast(from: number, to: number, context: CastContext): string | null {
  if (from === to || isPolymorphic(to)) return 'none';
  if (from === OID.unknown) return 'text';
  const path = PATHS.get(key(from, to));
  if (path !== undefined) return RANK[path.context] <= RANK[context] ? path.method : null;
  const [source, target] = [elementOf(from), elementOf(to)];
  const vector = to === OID.int2vector || to === OID.oidvector; // arrays do not become these
  if (source !== undefined && target !== undefined && !vector) return arrayCast(source, target, context);
  return throughText(from, to, context);
}

function arrayCast(source: number, target: number, context: CastContext): string | null {
  const method = resolveCast(source, target, context);
  if (method === null || method === 'none') return method;
  if (isEnum(source) || isEnum(target)) return method;
  return `_${findTypeByOid(source)?.name}->_${findTypeByOid(target)?.name}`;
}

/** Casts of enums, and of arrays of them, go through text: no row of the registry can name their types. */
const isEnum = (oid: number): boolean => findTypeByOid(oid)?.category === 'E';

/** Strings take anything on assignment and give anything when asked explicitly. */
function throughText(from: number, to: number, context: CastContext): string | null {
  const [source, target] = [findTypeByOid(from), findTypeByOid(to)];
  if (source === undefined || target === undefined) return null;
  if (target.category === 'S' && context !== 'implicit') return 'text';
  if (source.category === 'S' && context === 'explicit') return 'text';
  return null;
}

export function canCoerce(from: number, to: number): boolean {
  return resolveCast(from, to, 'implicit') !== null;
}

/**
 * The one type of CASE, UNION, ARRAY, VALUES and their kin (select_common_type).
 * @param what as PostgreSQL names the construct: `CASE`, `UNION`, `VALUES`.
 * @throws SqlError 42804.
 */
export function commonType(types: readonly number[], what: string, at?: number): number {
  const known = types.filter((oid) => oid !== OID.unknown);
  let [common] = known;
  if (common === undefined) return OID.text;
  for (const next of known) {
    if (next === common) continue;
    const [current, other] = [findTypeByOid(common), findTypeByOid(next)];
    if (current?.category !== other?.category) {
      const shown = `${formatType(typeRef(common))} and ${formatType(typeRef(next))}`;
      throw new SqlError('datatype_mismatch', `${what} types ${shown} cannot be matched`, { position: at });
    }
    if (!current?.preferred && canCoerce(common, next) && !canCoerce(next, common)) common = next;
  }
  return common;
}
