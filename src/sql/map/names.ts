/**
 * Names and types. `books$acme` is partition `acme` of `books`.
 */
import { splitPartition } from '../../catalog/partition-names.ts';
import type { QualifiedName, TypeName } from '../ast.ts';
import { as, type MapContext, strings } from './context.ts';
import type { pg } from '../parse/grammar.ts';

export function mapRelationName(context: MapContext, range: pg.RangeVar | undefined): QualifiedName {
  return {
    at: context.at(range?.location),
    schema: range?.schemaname ?? null,
    ...splitPartition(range?.relname ?? ''),
  };
}

/** A name as a list of strings: `schema.name`, with the position of the statement. */
export function mapListName(at: number, names: readonly string[]): QualifiedName {
  return { at, schema: names.at(-2) ?? null, ...splitPartition(names.at(-1) ?? '') };
}

export function mapTypeName(context: MapContext, type: pg.TypeName | undefined): TypeName {
  const names = strings(type?.names);
  return {
    at: context.at(type?.location),
    names,
    modifiers: (type?.typmods ?? []).map(modifierOf).filter((modifier) => modifier !== null),
    dimensions: type?.arrayBounds?.length ?? 0,
    setOf: type?.setof ?? false,
  };
}

/** Type modifiers are integers in every type there is; a signed one comes as a constant as well. */
function modifierOf(node: pg.Node): number | null {
  const constant = as(node, 'A_Const');
  if (constant === null) return null;
  if (constant.ival !== undefined) return constant.ival.ival ?? 0;
  return constant.fval === undefined ? null : Number(constant.fval.fval);
}
