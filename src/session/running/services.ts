/**
 * What functions may ask of the session and the engine by name (`FunctionContext.service`): one row each.
 * Arguments come as datums of the types the calling function declares.
 */
import { notSupported } from '../../errors.ts';
import { splitPartition } from '../../catalog/partition-names.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { SeededRandom } from './seeded-random.ts';
import { SEQUENCE_SERVICES } from './sequence-services.ts';
import type { Runner } from './runner.ts';
import { ADVISORY_SERVICES } from './waiting-services.ts';

type Service = (runner: Runner, ...args: readonly Datum[]) => Datum;

const SERVICES: Readonly<Record<string, Service>> = {
  /** LSN of this session's last write: the largest where it wrote several collections. */
  'quern.last_lsn': ({ block }) => {
    let newest: string | null = null;
    for (const lsn of block.lastLsns.values()) {
      if (newest === null || BigInt(lsn) > BigInt(newest)) newest = lsn;
    }
    return newest;
  },
  /** Newest LSN of a collection or partition (`books`, `books$acme`); NULL when it is not there. */
  'quern.lsn': (runner, name) => {
    const { name: relation, partition } = splitPartition(String(name));
    const oid = runner.catalogServices().relationOid(relation);
    return oid === null ? null : runner.environment.engine.lsn(oid, partition);
  },
  setseed: (runner, seed) => {
    runner.seeded = new SeededRandom(Number(seed));
    return '';
  },
  pg_notify: ({ notifications }, channel, payload) => {
    notifications.notify(String(channel ?? ''), String(payload ?? ''));
    return null;
  },
  pg_listening_channels: ({ notifications }) => arrayDatum(OID.text, notifications.heardChannels()),
  pg_cancel_backend: ({ directory }, processId) => directory.cancelStatement(Number(processId)),
  pg_terminate_backend: ({ directory }, processId) => directory.terminate(Number(processId)),
  pg_postmaster_start_time: ({ environment }) => environment.startedMicros,
  pg_blocking_pids: ({ environment }, processId) =>
    arrayDatum(OID.int4, environment.engine.blockers(Number(processId))),
  ...ADVISORY_SERVICES,
  ...SEQUENCE_SERVICES,
};

/** @throws SqlError 0A000 for a service that is not there. */
export function callService(runner: Runner, name: string, args: readonly Datum[]): Datum {
  const service = SERVICES[name];
  if (service === undefined) throw notSupported(name);
  return service(runner, ...args);
}
