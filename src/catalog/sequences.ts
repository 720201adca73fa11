/** How sequences count, and which column owns one. Source: init_params and nextval of sequence.c, PostgreSQL 18. */
import { OID } from '../types/oids.ts';
import type { Catalog, Column, Relation, SequenceDefinition } from './model.ts';

export type SequenceType = typeof OID.int2 | typeof OID.int4 | typeof OID.int8;

/** Where a sequence stands: `called` says whether `last` has been given out. */
export interface SequenceState {
  readonly last: bigint;
  readonly called: boolean;
}

const BITS: Readonly<Record<SequenceType, bigint>> = { [OID.int2]: 15n, [OID.int4]: 31n, [OID.int8]: 63n };

/** @returns undefined for types that do not count. */
export function boundsOf(type: number): { readonly min: bigint; readonly max: bigint } | undefined {
  const bits = BITS[type as SequenceType] as bigint | undefined;
  return bits === undefined ? undefined : { min: -(2n ** bits), max: 2n ** bits - 1n };
}

/** bigint from 1 by 1. */
export const PLAIN_SEQUENCE: SequenceDefinition = {
  type: OID.int8,
  start: '1',
  increment: '1',
  min: '1',
  max: String(2n ** 63n - 1n),
  cache: '1',
  cycle: false,
  owner: null,
};

export const definitionOf = (relation: Relation | undefined): SequenceDefinition =>
  relation?.sequence ?? PLAIN_SEQUENCE;

/** A sequence that gave no number yet. */
export const startOf = ({ start }: SequenceDefinition): SequenceState => ({
  last: BigInt(start),
  called: false,
});

/** The number after a state; null when there is none. */
export function numberAfter(definition: SequenceDefinition, { last, called }: SequenceState): bigint | null {
  if (!called) return last;
  const next = last + BigInt(definition.increment);
  const [min, max] = [BigInt(definition.min), BigInt(definition.max)];
  if (next >= min && next <= max) return next;
  if (!definition.cycle) return null;
  return BigInt(definition.increment) > 0n ? min : max;
}

/** Sequences that go with a relation. */
export function sequencesOwnedBy(catalog: Catalog, relation: number): readonly Relation[] {
  return [...catalog.relations.values()].filter(({ sequence }) => sequence?.owner?.relation === relation);
}

/** The sequence that goes with a column: of SERIAL, of IDENTITY, or OWNED BY it. */
export function ownedSequence(catalog: Catalog, relation: Relation, column: Column): Relation | undefined {
  return sequencesOwnedBy(catalog, relation.oid).find(
    ({ sequence }) => sequence?.owner?.attribute === column.attribute,
  );
}

/** The column that owns a sequence. */
export function ownerOf(
  catalog: Catalog,
  sequence: Relation,
): { readonly relation: Relation; readonly column: Column } | undefined {
  const owner = sequence.sequence?.owner;
  const relation = owner ? catalog.relations.get(owner.relation) : undefined;
  const column = relation?.columns.find(
    ({ attribute, dropped }) => attribute === owner?.attribute && !dropped,
  );
  return relation === undefined || column === undefined ? undefined : { relation, column };
}
