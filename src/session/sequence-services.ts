/**
 * `nextval`, `currval`, `setval`, `lastval` and `pg_get_serial_sequence`: the engine gives the numbers, the
 * session remembers those it took.
 */
import type { Relation } from '../catalog/model.ts';
import { ownedSequence } from '../catalog/sequence-default.ts';
import { OWN_TEMPORARY_SCHEMA, temporaryNamespaceOid } from '../catalog/temporary-names.ts';
import { SqlError } from '../errors.ts';
import type { Datum } from '../types/datum.ts';
import { quoteIdentifier } from '../types/quote.ts';
import type { StatementRunner } from './statement-runner.ts';

const SEQUENCE_MAX = 2n ** 63n - 1n;

export const SEQUENCE_SERVICES = {
  nextval: (runner: StatementRunner, oid: Datum): Datum => {
    const { name } = sequenceOf(runner, oid, 'nextval');
    const value = runner.block.require().nextValue(Number(oid));
    if (value > SEQUENCE_MAX) {
      throw new SqlError(
        'sequence_generator_limit_exceeded',
        `nextval: reached maximum value of sequence "${name}" (${SEQUENCE_MAX})`,
      );
    }
    runner.block.takenNumbers.delete(Number(oid));
    runner.block.takenNumbers.set(Number(oid), value);
    return value;
  },
  currval: (runner: StatementRunner, oid: Datum): Datum => {
    const { name } = sequenceOf(runner, oid, null);
    const value = runner.block.takenNumbers.get(Number(oid));
    if (value === undefined) throw notYet(`currval of sequence "${name}"`);
    return value;
  },
  setval: (runner: StatementRunner, oid: Datum, value: Datum, called: Datum = true): Datum => {
    const { name } = sequenceOf(runner, oid, 'setval');
    const last = BigInt(value as bigint);
    if (last < 1n) {
      throw new SqlError(
        'numeric_value_out_of_range',
        `setval: value ${last} is out of bounds for sequence "${name}" (1..${SEQUENCE_MAX})`,
      );
    }
    runner.block.require().setValue(Number(oid), { last, called: called === true });
    if (called === true) runner.block.takenNumbers.set(Number(oid), last);
    return last;
  },
  /** The newest entry of the session's numbers is the last one taken. */
  lastval: ({ block }: StatementRunner): Datum => {
    const last = [...block.takenNumbers.values()].at(-1);
    if (last === undefined) throw notYet('lastval');
    return last;
  },
  /** A sequence that was never used stands before 1. */
  sequence_last_value: (runner: StatementRunner, oid: Datum): Datum => {
    sequenceOf(runner, oid, null);
    const { last } = runner.block.require().sequenceState(Number(oid));
    return last === 0n ? 1n : last;
  },
  sequence_is_called: (runner: StatementRunner, oid: Datum): Datum => {
    const { last, called } = runner.block.require().sequenceState(Number(oid));
    return called && last !== 0n;
  },
  /** @throws SqlError 42P01, 42703. */
  pg_get_serial_sequence: (runner: StatementRunner, table: Datum, column: Datum): Datum => {
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
function sequenceOf(runner: StatementRunner, oid: Datum, writes: string | null): Relation {
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

function notYet(what: string): SqlError {
  return new SqlError('object_not_in_prerequisite_state', `${what} is not yet defined in this session`);
}
