/** Functions of enum types. Which type it is comes with the arguments. Source: PostgreSQL 18, section 9.10. */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum, RecordDatum } from '../../types/datum.ts';
import { findTypeByOid, formatType, typeRef } from '../../types/registry.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';

/** The enum's values, ascending. */
function valuesOf({ settings }: FunctionContext, type: number): readonly number[] {
  return [...settings.objects.enumValues(type).labels.keys()];
}

const enumOf = ({ types }: RecordDatum): number =>
  types.find((oid) => findTypeByOid(oid)?.category === 'E') ?? 0;

/** A bound of `enum_range`; a literal whose type only the other bound tells is still text. */
function boundOf({ settings }: FunctionContext, type: number, bound: Datum | undefined): Datum {
  if (typeof bound !== 'string') return bound ?? null;
  return findTypeByOid(type)?.parse(bound, -1, settings) ?? null;
}

const end = (name: string, which: 'first' | 'last', label: string): ScalarFunction => ({
  name,
  args: ['...anyenum'],
  argsMax: 1,
  returns: 'anyenum',
  volatility: 'stable',
  strict: false,
  summary: `The ${which} value of the argument's enum type.`,
  example: [`SELECT ${name}(NULL::mood)`, label],
  evaluateIn: (context, args: RecordDatum) => {
    const type = enumOf(args);
    const value = valuesOf(context, type).at(which === 'first' ? 0 : -1);
    if (value !== undefined) return value;
    const shown = context.settings.objects.name('regtype', type) ?? formatType(typeRef(type));
    throw new SqlError('object_not_in_prerequisite_state', `enum ${shown} contains no values`);
  },
});

export const ENUM_FUNCTIONS: readonly ScalarFunction[] = [
  end('enum_first', 'first', 'sad'),
  end('enum_last', 'last', 'happy'),
  {
    name: 'enum_range',
    args: ['...anyenum'],
    argsMax: 2,
    returns: 'anyarray',
    volatility: 'stable',
    strict: false,
    summary: "Values of the argument's enum type in order: all, or those from the first to the second.",
    example: ["SELECT enum_range('ok'::mood, NULL)", '{ok,happy}'],
    evaluateIn: (context, args: RecordDatum) => {
      const type = enumOf(args);
      const [low, high] =
        args.fields.length < 2 ? [] : args.fields.map((bound) => boundOf(context, type, bound));
      const values = valuesOf(context, type).filter(
        (value) => (low == null || value >= Number(low)) && (high == null || value <= Number(high)),
      );
      return arrayDatum(type, values);
    },
  },
];
