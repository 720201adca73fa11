/** Services of functions (`functions/services.ts`): made once for a session. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionServices } from '../../functions/services.ts';
import { datasetServices } from '../datasets/services.ts';
import { researchServices } from '../research/services.ts';
import { documentServices } from '../documents/services.ts';
import { recallCheck } from '../statements/recall-check.ts';
import { numberedRelation } from './lsn-wait.ts';
import { SeededRandom } from './seeded-random.ts';
import { typedTextServices } from './typed-text-services.ts';
import { sequenceServices } from './sequence-services.ts';
import type { Runner } from './runner.ts';
import { advisoryLockServices, inferenceServices } from './waiting-services.ts';

/** The longest time a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const sessionServices = (runner: Runner): SessionServices => ({
  session: administration(runner),
  typedText: typedTextServices(runner),
  sequences: sequenceServices(runner),
  advisoryLocks: advisoryLockServices(runner),
  inference: inferenceServices(runner),
  datasets: datasetServices(runner),
  research: researchServices(runner),
  documents: documentServices(runner),
});

const administration = (runner: Runner): SessionServices['session'] => ({
  lastLsn() {
    let newest: string | null = null;
    for (const lsn of runner.block.lastLsns.values()) {
      if (newest === null || BigInt(lsn) > BigInt(newest)) newest = lsn;
    }
    return newest;
  },
  lsn(name) {
    const names = { catalog: runner.catalog(), searchPath: runner.settings.searchPath() };
    const found = numberedRelation(names, name);
    return found === null ? null : runner.environment.engine.lsn(found.oid, found.partition);
  },
  seed(seed) {
    runner.seeded = new SeededRandom(seed);
  },
  notify: (channel, payload) => runner.notifications.notify(channel, payload),
  listeningChannels: () => runner.notifications.heardChannels(),
  cancelStatement: (processId) => runner.directory.cancelStatement(processId),
  terminate: (processId) => runner.directory.terminate(processId),
  startedMicros: () => runner.environment.startedMicros,
  blockers: (processId) => runner.environment.engine.blockers(processId),
  async sleep(seconds, signal) {
    const ms = Math.max(0, Math.min(seconds * 1000, TIMER_MS_MAX));
    await sleep(ms, undefined, { signal });
  },
  checkRecall: (request, signal) => recallCheck(runner, signal, request),
});
