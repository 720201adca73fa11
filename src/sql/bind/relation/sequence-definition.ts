/** Options of a sequence checked and put together. Source: init_params of sequence.c, PostgreSQL 18. */
import type { Relation, SequenceDefinition } from '../../../catalog/model.ts';
import { boundsOf, PLAIN_SEQUENCE } from '../../../catalog/sequences.ts';
import { SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { formatType, typeByOid } from '../../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../../types/settings.ts';
import type { SequenceOptions } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { typeOf } from '../names.ts';

/** The grammar lets fractions and numbers of any size through. @throws SqlError 22P02, 22003. */
const int8 = (text: string): bigint => typeByOid(OID.int8).parse(text, -1, DEFAULT_SETTINGS) as bigint;
const invalid = (message: string): SqlError => new SqlError('invalid_parameter_value', message);

export function sequenceRelation(namespace: number, name: string, sequence: SequenceDefinition): Relation {
  return {
    oid: 0,
    namespace,
    name,
    kind: 'sequence',
    columns: [],
    indexes: [],
    constraints: [],
    definition: null,
    sequence,
  };
}

/**
 * A definition with options applied. @param known what it was; null for a new one.
 * @param usualType of a new one where AS does not say.
 * @returns with the number that RESTART gives, checked against the bounds.
 * @throws SqlError 22023, 22P02, 22003.
 */
export function defineSequence(
  context: BindContext,
  known: SequenceDefinition | null,
  options: SequenceOptions,
  usualType: number = OID.int8,
): { readonly definition: SequenceDefinition; readonly restart: bigint | null } {
  const old = known ?? PLAIN_SEQUENCE;
  const type = options.type === undefined ? (known?.type ?? usualType) : typeOf(context, options.type).oid;
  const bounds = boundsOf(type);
  if (bounds === undefined) throw invalid('sequence type must be smallint, integer, or bigint');
  const increment = int8(options.increment ?? old.increment);
  if (increment === 0n) throw invalid('INCREMENT must not be zero');
  const up = increment > 0n;
  const oldBounds = boundsOf(old.type);
  const moved = known === null || type !== old.type;
  const kept = (value: string, limit: bigint | undefined, usual: bigint): bigint =>
    known === null || (moved && BigInt(value) === limit) ? usual : BigInt(value);
  const bound = (given: string | null | undefined, before: bigint, usual: bigint): bigint =>
    given === undefined ? before : given === null ? usual : int8(given);
  const usualMax = up ? bounds.max : -1n;
  const usualMin = up ? 1n : bounds.min;
  const max = bound(options.max, kept(old.max, oldBounds?.max, usualMax), usualMax);
  const min = bound(options.min, kept(old.min, oldBounds?.min, usualMin), usualMin);
  checkBounds({ min, max }, bounds, type);
  const start = int8(options.start ?? (known === null ? String(up ? min : max) : old.start));
  checkWithin('START', start, { min, max });
  const restart = options.restart === undefined ? null : int8(String(options.restart ?? start));
  if (restart !== null) checkWithin('RESTART', restart, { min, max });
  const cache = int8(options.cache ?? old.cache);
  if (cache <= 0n) throw invalid(`CACHE (${cache}) must be greater than zero`);
  const definition = {
    type,
    start: String(start),
    increment: String(increment),
    min: String(min),
    max: String(max),
    cache: String(cache),
    cycle: options.cycle ?? old.cycle,
    owner: old.owner,
  };
  return { definition, restart };
}

interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}

function checkBounds({ min, max }: Bounds, limits: Bounds, type: number): void {
  const name = formatType({ oid: type, modifier: -1 });
  const isWithin = (value: bigint): boolean => value >= limits.min && value <= limits.max;
  if (!isWithin(max)) throw invalid(`MAXVALUE (${max}) is out of range for sequence data type ${name}`);
  if (!isWithin(min)) throw invalid(`MINVALUE (${min}) is out of range for sequence data type ${name}`);
  if (min >= max) throw invalid(`MINVALUE (${min}) must be less than MAXVALUE (${max})`);
}

function checkWithin(what: 'START' | 'RESTART', value: bigint, { min, max }: Bounds): void {
  if (value < min) throw invalid(`${what} value (${value}) cannot be less than MINVALUE (${min})`);
  if (value > max) throw invalid(`${what} value (${value}) cannot be greater than MAXVALUE (${max})`);
}

/** The sequence of a SERIAL or IDENTITY column, of the column's type. @throws SqlError 22023. */
export function columnSequence(
  context: BindContext,
  type: number,
  options: SequenceOptions,
): SequenceDefinition {
  if (boundsOf(type) !== undefined) return defineSequence(context, null, options, type).definition;
  throw invalid('identity column type must be smallint, integer, or bigint');
}
