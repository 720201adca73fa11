/**
 * Polymorphic pseudo-types: `any*` of one call stand for one type, `anycompatible*` for the common type of
 * what was given (enforce_generic_type_consistency of parse_coerce.c).
 */
import { SqlError } from '../errors.ts';
import { OID } from '../types/oids.ts';
import { arrayOf, findTypeByOid, formatType, typeRef } from '../types/registry.ts';
import { canCoerce, commonType, elementOf } from './resolve-casts.ts';

export interface PolymorphicCall {
  readonly declared: readonly number[];
  readonly given: readonly number[];
  readonly results: readonly number[];
  readonly position: number | undefined;
}

const ELEMENTS: ReadonlySet<number> = new Set([OID.anyelement, OID.anynonarray, OID.anyenum]);

/** @throws SqlError 42804 when the given types do not agree. */
export function bindPolymorphic(call: PolymorphicCall): {
  args: readonly number[];
  results: readonly number[];
} {
  const { declared, given, results, position } = call;
  const element = elementType(call);
  const compatible = compatibleType(call);
  const anyArgument = given.find((_, i) => declared[i] === OID.any);
  const concrete = (type: number, own: number | undefined): number => {
    switch (type) {
      case OID.anyelement:
      case OID.anynonarray:
      case OID.anyenum:
        return element ?? anyArgument ?? OID.text;
      case OID.anyarray:
        return own !== undefined && own !== OID.unknown && elementOf(own) === undefined
          ? own
          : element === undefined && anyArgument !== undefined && elementOf(anyArgument) !== undefined
            ? anyArgument
            : arrayOrFail(element ?? anyArgument, position);
      case OID.anyrange:
        return rangeOrFail(call);
      case OID.anycompatible:
        return compatible ?? OID.text;
      case OID.anycompatiblearray:
        return arrayOrFail(compatible, position);
      case OID.any:
        return own === OID.unknown || own === undefined ? OID.text : own;
      default:
        return type;
    }
  };
  return {
    args: declared.map((type, i) => concrete(type, given[i])),
    results: results.map((type) => concrete(type, undefined)),
  };
}

function arrayOrFail(element: number | undefined, position: number | undefined): number {
  if (element === undefined) {
    throw new SqlError(
      'datatype_mismatch',
      'could not determine polymorphic type because input has type unknown',
      {
        position,
      },
    );
  }
  const array = arrayOf(element === OID.unknown ? OID.text : element);
  if (array !== undefined) return array.oid;
  const shown = formatType(typeRef(element));
  throw new SqlError('undefined_object', `could not find array type for data type ${shown}`, { position });
}

/** The range type among the given ones: that of the bounds does not say it. */
function rangeOrFail({ given, position }: PolymorphicCall): number {
  const range = given.find((oid) => findTypeByOid(oid)?.subtypeOid !== undefined);
  if (range !== undefined) return range;
  const message = 'could not determine polymorphic type anyrange because input has type unknown';
  throw mismatch(message, position);
}

function mismatch(message: string, position: number | undefined): SqlError {
  return new SqlError('datatype_mismatch', message, { position });
}

function elementType({ declared, given, position }: PolymorphicCall): number | undefined {
  let element: number | undefined;
  for (const [i, type] of declared.entries()) {
    const own = given[i];
    if (own === undefined || own === OID.unknown) continue;
    let next: number | undefined;
    if (type === OID.anyarray) {
      next = elementOf(own);
      if (next === undefined) {
        const message = `argument declared anyarray is not an array but type ${formatType(typeRef(own))}`;
        throw mismatch(message, position);
      }
    } else if (type === OID.anyrange) {
      next = findTypeByOid(own)?.subtypeOid;
      if (next === undefined) {
        const message = `argument declared anyrange is not a range type but type ${formatType(typeRef(own))}`;
        throw mismatch(message, position);
      }
    } else if (ELEMENTS.has(type)) next = own;
    if (type === OID.anyenum && findTypeByOid(own)?.category !== 'E') {
      throw mismatch(`type matched to anyenum is not an enum type: ${formatType(typeRef(own))}`, position);
    }
    if (type === OID.anynonarray && elementOf(own) !== undefined) {
      throw mismatch('type matched to anynonarray is an array type', position);
    }
    if (next === undefined) continue;
    if (element !== undefined && element !== next) {
      throw mismatch('arguments declared "anyelement" are not all alike', position);
    }
    element = next;
  }
  return element;
}

function compatibleType({ declared, given, position }: PolymorphicCall): number | undefined {
  const types: number[] = [];
  for (const [i, type] of declared.entries()) {
    const own = given[i];
    if (own === undefined || own === OID.unknown) continue;
    if (type === OID.anycompatible) types.push(own);
    if (type !== OID.anycompatiblearray) continue;
    const element = elementOf(own);
    if (element === undefined) {
      const message = `argument declared anycompatiblearray is not an array but type ${formatType(typeRef(own))}`;
      throw mismatch(message, position);
    }
    types.push(element);
  }
  if (types.length === 0) return undefined;
  const common = commonType(types, 'arguments of anycompatible family', position);
  if (types.every((type) => canCoerce(type, common))) return common;
  throw mismatch('arguments of anycompatible family cannot be cast to a common type', position);
}
