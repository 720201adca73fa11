/** Services of functions (`functions/services.ts`), for one statement. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionServices } from '../../functions/services.ts';
import { datasetServices } from '../datasets/services.ts';
import { researchServices } from '../research/services.ts';
import { documentServices } from '../documents/services.ts';
import { savedQueryServices } from '../saved-queries/services.ts';
import { keyAt } from '../statements/key-at.ts';
import { audited } from '../audit/actor.ts';
import { verifyAudit } from '../statements/verify-audit.ts';
import { recallCheck } from '../statements/recall-check.ts';
import { SqlError } from '../../errors.ts';
import { requireOwnSuperuser, requireSignalled } from '../rights/of-session.ts';
import { refuseRelation } from '../scope/key-limits.ts';
import { numberedRelation, requireNumbered } from './lsn-wait.ts';
import { SeededRandom } from './seeded-random.ts';
import { typedTextServices } from './typed-text-services.ts';
import { sequenceServices } from './sequence-services.ts';
import type { Statement } from './statement.ts';
import { advisoryLockServices, inferenceServices } from './waiting-services.ts';

/** The longest time a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Each made when a function first asks for it. */
export class StatementServices implements SessionServices {
  readonly #statement: Statement;
  readonly #made: { -readonly [Service in keyof SessionServices]?: SessionServices[Service] } = {};

  constructor(statement: Statement) {
    this.#statement = statement;
  }

  get session(): SessionServices['session'] {
    this.#made.session ??= administration(this.#statement);
    return this.#made.session;
  }

  get typedText(): SessionServices['typedText'] {
    this.#made.typedText ??= typedTextServices(this.#statement);
    return this.#made.typedText;
  }

  get sequences(): SessionServices['sequences'] {
    this.#made.sequences ??= sequenceServices(this.#statement.session);
    return this.#made.sequences;
  }

  get advisoryLocks(): SessionServices['advisoryLocks'] {
    this.#made.advisoryLocks ??= advisoryLockServices(this.#statement);
    return this.#made.advisoryLocks;
  }

  get inference(): SessionServices['inference'] {
    this.#made.inference ??= inferenceServices(this.#statement);
    return this.#made.inference;
  }

  get datasets(): SessionServices['datasets'] {
    this.#made.datasets ??= datasetServices(this.#statement);
    return this.#made.datasets;
  }

  get research(): SessionServices['research'] {
    this.#made.research ??= researchServices(this.#statement);
    return this.#made.research;
  }

  get savedQueries(): SessionServices['savedQueries'] {
    this.#made.savedQueries ??= savedQueryServices(this.#statement);
    return this.#made.savedQueries;
  }

  get documents(): SessionServices['documents'] {
    this.#made.documents ??= documentServices(this.#statement);
    return this.#made.documents;
  }
}

function administration(statement: Statement): SessionServices['session'] {
  const { session, signal } = statement;
  return {
    lastLsn: () => session.block.lastLsn,
    lsn(name) {
      const names = { catalog: session.catalog(), searchPath: session.searchPath() };
      const found = numberedRelation(names, name);
      if (found === null) return null;
      requireNumbered(session, found.oid);
      const relation = names.catalog.relations.get(found.oid);
      if (relation !== undefined) refuseRelation(session, relation, found.partition);
      return session.environment.engine.lsn(found.oid, found.partition);
    },
    seed(seed) {
      session.seeded = new SeededRandom(seed);
    },
    notify: (channel, payload) => session.notifications.notify(channel, payload),
    listeningChannels: () => session.notifications.heardChannels(),
    cancelStatement(processId) {
      requireSignalled(session, processId, 'cancel query');
      return session.directory.cancelStatement(processId);
    },
    terminate(processId) {
      requireSignalled(session, processId, 'terminate process');
      return session.directory.terminate(processId);
    },
    startedMicros: () => session.environment.startedMicros,
    clientAddress: () => session.clientAddress,
    blockers: (processId) => session.environment.engine.blockers(processId),
    async rekey() {
      requireOwnSuperuser(session, 'change the encryption key');
      const { rekey } = session.environment;
      if (rekey === undefined) {
        throw new SqlError(
          'object_not_in_prerequisite_state',
          'the data of this server has no encryption key',
        );
      }
      await audited(session, { action: 'change encryption key' }, rekey);
    },
    async sleep(seconds) {
      const ms = Math.max(0, Math.min(seconds * 1000, TIMER_MS_MAX));
      await sleep(ms, undefined, { signal });
    },
    checkRecall: (request) => recallCheck(statement, request),
    verifyAudit: () => verifyAudit(session, signal),
    keyAt: (relation, share) => keyAt(statement, relation, share),
  };
}
