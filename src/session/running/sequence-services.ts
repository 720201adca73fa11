/**
 * `nextval`, `currval`, `setval`, `lastval` and `pg_get_serial_sequence`: the engine gives the numbers, the
 * session remembers those it took.
 */
import { PRIVILEGE } from '../../catalog/access/privileges.ts';
import type { Relation } from '../../catalog/model.ts';
import { definitionOf, ownedSequence } from '../../catalog/sequences.ts';
import { OWN_TEMPORARY_SCHEMA, temporaryNamespaceOid } from '../../catalog/temporary-names.ts';
import { SqlError } from '../../errors.ts';
import type { SessionServices } from '../../functions/services.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { refuseDatasetLock } from '../datasets/guard.ts';
import { holds } from '../rights/check.ts';
import { requireAny, requireRead } from '../rights/of-session.ts';
import type { SessionState } from '../session-state.ts';

export const sequenceServices = (session: SessionState): SessionServices['sequences'] => ({
  next(oid, isServer) {
    const relation = sequenceOf(session, oid);
    if (!isServer) requireCounting(session, relation);
    if (!isServer) refuseDatasetLock(session.catalog(), { relation: oid, mode: 'row exclusive' });
    const value = session.block.require().nextValue(oid);
    if (value === null) throw exhausted(relation);
    session.block.takenNumbers.delete(oid);
    session.block.takenNumbers.set(oid, value);
    return value;
  },
  current(oid) {
    const { name } = sequenceOf(session, oid);
    requireAny(session, { kind: 'sequence', oid }, [PRIVILEGE.usage, PRIVILEGE.select]);
    const value = session.block.takenNumbers.get(oid);
    if (value === undefined) throw notYet(`currval of sequence "${name}"`);
    return value;
  },
  /** The newest entry of the session's numbers is the last one taken. */
  last() {
    const last = [...session.block.takenNumbers].at(-1);
    if (last === undefined) throw notYet('lastval');
    const [oid, value] = last;
    if (session.catalog().relations.has(oid)) {
      requireAny(session, { kind: 'sequence', oid }, [PRIVILEGE.usage, PRIVILEGE.select]);
    }
    return value;
  },
  set(oid, { last, called }, isServer) {
    const relation = sequenceOf(session, oid);
    if (!isServer) requireAny(session, { kind: 'sequence', oid }, [PRIVILEGE.update]);
    if (!isServer) refuseDatasetLock(session.catalog(), { relation: oid, mode: 'row exclusive' });
    const { min, max } = definitionOf(relation);
    if (last < BigInt(min) || last > BigInt(max)) {
      throw new SqlError(
        'numeric_value_out_of_range',
        `setval: value ${last} is out of bounds for sequence "${relation.name}" (${min}..${max})`,
      );
    }
    session.block.require().setValue(oid, { last, called });
    if (called) session.block.takenNumbers.set(oid, last);
    return last;
  },
  lastValue(oid) {
    requireRead(session, sequenceOf(session, oid));
    return session.block.require().sequenceState(oid).last;
  },
  isCalled(oid) {
    requireRead(session, sequenceOf(session, oid));
    return session.block.require().sequenceState(oid).called;
  },
  ownedBy: (table, column) => ownedSequenceName(session, table, column),
});

/** An identity column's counts for whoever inserts into its table, who needs no right on it. */
function requireCounting(session: SessionState, { oid, sequence }: Relation): void {
  const table = session.catalog().relations.get(sequence?.owner?.relation ?? 0);
  const column = table?.columns.find(({ attribute }) => attribute === sequence?.owner?.attribute);
  const isIdentity = table !== undefined && column !== undefined && column.identity !== null;
  if (isIdentity && mayInsert(session, table.oid)) return;
  requireAny(session, { kind: 'sequence', oid }, [PRIVILEGE.usage, PRIVILEGE.update]);
}

const mayInsert = (session: SessionState, oid: number): boolean =>
  holds(session.catalog(), session.identity.current, {
    kind: 'relation',
    oid,
    privileges: PRIVILEGE.insert,
    columns: [],
    as: null,
  });

function ownedSequenceName(session: SessionState, table: string, column: string): string | null {
  const services = session.catalogServices();
  const oid = services.relationOid(table);
  if (oid === null) throw new SqlError('undefined_table', `relation "${table}" does not exist`);
  const relation = session.catalog().relations.get(oid);
  if (relation === undefined) return null;
  const found = relation.columns.find(({ name, dropped }) => name === column && !dropped);
  if (found === undefined) {
    const message = `column "${column}" of relation "${relation.name}" does not exist`;
    throw new SqlError('undefined_column', message);
  }
  const sequence = ownedSequence(session.catalog(), relation, found);
  if (sequence === undefined) return null;
  const isOwn = sequence.namespace === temporaryNamespaceOid(session.temporarySchema);
  const named = services.namespaceName(sequence.namespace) ?? 'public';
  const schema = isOwn ? OWN_TEMPORARY_SCHEMA : named;
  return `${quoteIdentifier(schema)}.${quoteIdentifier(sequence.name)}`;
}

function sequenceOf(session: SessionState, oid: number): Relation {
  const relation = session.catalog().relations.get(oid);
  if (relation === undefined) {
    throw new SqlError('undefined_table', `could not open relation with OID ${oid}`);
  }
  if (relation.kind !== 'sequence') {
    throw new SqlError('wrong_object_type', `cannot open relation "${relation.name}"`, {
      detail: `This operation is not supported for ${relation.kind === 'view' ? 'views' : 'tables'}.`,
    });
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
