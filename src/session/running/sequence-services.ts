/**
 * `nextval`, `currval`, `setval`, `lastval` and `pg_get_serial_sequence`: the engine gives the numbers, the
 * session remembers those it took.
 */
import type { Relation } from '../../catalog/model.ts';
import { definitionOf, ownedSequence } from '../../catalog/sequences.ts';
import { OWN_TEMPORARY_SCHEMA, temporaryNamespaceOid } from '../../catalog/temporary-names.ts';
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { Runner } from './runner.ts';

export const SEQUENCE_SERVICES = {
  nextval: (runner: Runner, oid: Datum): Datum => {
    const relation = sequenceOf(runner, oid, 'nextval');
    const value = runner.block.require().nextValue(Number(oid));
    if (value === null) throw exhausted(relation);
    runner.block.takenNumbers.delete(Number(oid));
    runner.block.takenNumbers.set(Number(oid), value);
    return value;
  },
  currval: (runner: Runner, oid: Datum): Datum => {
    const { name } = sequenceOf(runner, oid, null);
    const value = runner.block.takenNumbers.get(Number(oid));
    if (value === undefined) throw notYet(`currval of sequence "${name}"`);
    return value;
  },
  setval: (runner: Runner, oid: Datum, value: Datum, called: Datum = true): Datum => {
    const relation = sequenceOf(runner, oid, 'setval');
    const last = BigInt(value as bigint);
    const { min, max } = definitionOf(relation);
    if (last < BigInt(min) || last > BigInt(max)) {
      throw new SqlError(
        'numeric_value_out_of_range',
        `setval: value ${last} is out of bounds for sequence "${relation.name}" (${min}..${max})`,
      );
    }
    runner.block.require().setValue(Number(oid), { last, called: called === true });
    if (called === true) runner.block.takenNumbers.set(Number(oid), last);
    return last;
  },
  /** The newest entry of the session's numbers is the last one taken. */
  lastval: ({ block }: Runner): Datum => {
    const last = [...block.takenNumbers.values()].at(-1);
    if (last === undefined) throw notYet('lastval');
    return last;
  },
  sequence_last_value: (runner: Runner, oid: Datum): Datum => {
    sequenceOf(runner, oid, null);
    return runner.block.require().sequenceState(Number(oid)).last;
  },
  sequence_is_called: (runner: Runner, oid: Datum): Datum => {
    return runner.block.require().sequenceState(Number(oid)).called;
  },
  /** @throws SqlError 42P01, 42703. */
  pg_get_serial_sequence: (runner: Runner, table: Datum, column: Datum): Datum => {
    const services = runner.catalogServices();
    const oid = services.relationOid(String(table));
    if (oid === null) throw new SqlError('undefined_table', `relation "${String(table)}" does not exist`);
    const relation = runner.catalog().relations.get(oid);
    const found = relation?.columns.find(({ name, dropped }) => name === String(column) && !dropped);
    if (relation === undefined || found === undefined) {
      if (relation === undefined) return null;
      throw new SqlError(
        'undefined_column',
        `column "${String(column)}" of relation "${relation.name}" does not exist`,
      );
    }
    const sequence = ownedSequence(runner.catalog(), relation, found);
    if (sequence === undefined) return null;
    const isOwn = sequence.namespace === temporaryNamespaceOid(runner.temporarySchema);
    const named = services.namespaceName(sequence.namespace) ?? 'public';
    const schema = isOwn ? OWN_TEMPORARY_SCHEMA : named;
    return `${quoteIdentifier(schema)}.${quoteIdentifier(sequence.name)}`;
  },
} as const;

/** @param writes the function that would write. */
function sequenceOf(runner: Runner, oid: Datum, writes: string | null): Relation {
  const relation = runner.catalog().relations.get(Number(oid));
  if (relation === undefined) {
    throw new SqlError('undefined_table', `could not open relation with OID ${Number(oid)}`);
  }
  if (relation.kind !== 'sequence') {
    throw new SqlError('wrong_object_type', `cannot open relation "${relation.name}"`, {
      detail: `This operation is not supported for ${relation.kind === 'view' ? 'views' : 'tables'}.`,
    });
  }
  if (writes !== null && runner.block.readOnly) {
    throw new SqlError('read_only_sql_transaction', `cannot execute ${writes}() in a read-only transaction`);
  }
  return relation;
}

function exhausted(relation: Relation): SqlError {
  const { increment, min, max } = definitionOf(relation);
  const up = BigInt(increment) > 0n;
  const which = `${up ? 'maximum' : 'minimum'} value of sequence "${relation.name}"`;
  return new SqlError('sequence_generator_limit_exceeded', `nextval: reached ${which} (${up ? max : min})`);
}

function notYet(what: string): SqlError {
  return new SqlError('object_not_in_prerequisite_state', `${what} is not yet defined in this session`);
}
