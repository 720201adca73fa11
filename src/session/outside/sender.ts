/**
 * Who may send texts outside, and which: a role of `quern_outside`, under a key that is live, what comes from no relation and
 * no dataset with `outside = off`. What cannot be told apart, such as texts of kept answers, counts as coming from all.
 */
import { ownerOf } from '../../catalog/access/checks.ts';
import { hasRightsOf, OUTSIDE_ROLE, roleByOid } from '../../catalog/access/roles.ts';
import { findNamespace, namespaceName } from '../../catalog/lookup.ts';
import type { Catalog } from '../../catalog/model.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { anyDatasetStaysHere, holdsAnswers, isOfQuern, staysHere } from '../../catalog/outside.ts';
import { SqlError } from '../../errors.ts';
import { Sender } from '../../inference/sender.ts';
import type { Environment } from '../environment.ts';
import type { SessionState } from '../session-state.ts';
import type { SessionKey } from '../sign-in/session-key.ts';
import { keySendsNothing } from './of-key.ts';
import { beginCall, type CallLog } from './log.ts';
import type { Sources } from './sources.ts';

/** A statement, as far as it is asked for. */
interface Sending {
  readonly session: SessionState;
  readonly sources: Sources;
}

interface Whose {
  readonly role: number;
  readonly key: SessionKey | null;
}

interface Texts {
  readonly relations: Iterable<number>;
  readonly datasets: readonly string[];
  readonly answers: boolean;
}

/** Sender of all that a statement reads. @param datasets besides: whose texts are sent. */
export const senderOf = ({ session, sources }: Sending, datasets: readonly string[] = []): Sender =>
  sender({
    catalog: () => session.catalog(),
    log: session.directory,
    whose: () => whoseOf(session),
    texts: () => ({ relations: sources.relations(), datasets, answers: sources.answers }),
  });

/** For jobs of the server, of datasets. */
export const jobSender = (session: SessionState, datasets: readonly string[]): Sender =>
  sender({
    catalog: () => session.catalog(),
    log: session.directory,
    whose: () => whoseOf(session),
    texts: () => ({ relations: [], datasets, answers: false }),
  });

/** For work on stored rows that nobody's statement does: as the relation's owner. */
export const ownerSender = (
  { engine }: Pick<Environment, 'engine'>,
  log: CallLog,
  relation: number,
): Sender =>
  sender({
    catalog: () => engine.catalog(),
    log,
    whose: () => ({ role: ownerOf(engine.catalog(), { kind: 'relation', oid: relation }), key: null }),
    texts: () => ({ relations: [relation], datasets: [], answers: false }),
  });

const whoseOf = ({ identity, key }: SessionState): Whose => ({ role: identity.current, key });

interface Parts {
  readonly catalog: () => Catalog;
  readonly log: CallLog;
  readonly whose: () => Whose;
  readonly texts: () => Texts;
}

/** All is asked for at each request. */
const sender = ({ catalog, log, whose, texts }: Parts): Sender =>
  new Sender({
    refusal: () => refusalOf(catalog(), whose(), texts()),
    begin: (call) => {
      const by = whose();
      const roleName = roleByOid(catalog(), by.role)?.name ?? null;
      return beginCall(log, { ...call, ...named(catalog(), texts()), ...by, roleName });
    },
  });

/** Why nothing may go out; null: it may. */
function refusalOf(catalog: Catalog, { role, key }: Whose, texts: Texts): SqlError | null {
  key?.requireLive();
  if (key?.scope.staysHere === true) return keySendsNothing();
  const name = roleByOid(catalog, role)?.name ?? role;
  if (role !== OWNER_ROLE_OID && !hasRightsOf(catalog, role, OUTSIDE_ROLE)) {
    return new SqlError('insufficient_privilege', 'permission denied to send texts to an endpoint outside', {
      hint: `Only members of role "quern_outside" may: GRANT quern_outside TO "${name}".`,
    });
  }
  for (const dataset of texts.datasets) {
    if (findNamespace(catalog, dataset)?.dataset?.staysHere === true) return keptDataset(dataset);
  }
  for (const oid of texts.relations) {
    const relation = catalog.relations.get(oid);
    if (relation === undefined) continue;
    const schema = namespaceName(catalog, relation.namespace) ?? '';
    if (relation.staysHere !== true && staysHere(catalog, relation)) return keptDataset(schema);
    if (relation.staysHere === true) {
      return stays(`table "${relation.name}"`, `ALTER TABLE ${schema}.${relation.name} SET (outside = on)`);
    }
    if (holdsAnswers(relation) && anyDatasetStaysHere(catalog)) return keptAnswers();
  }
  return texts.answers && anyDatasetStaysHere(catalog) ? keptAnswers() : null;
}

const keptDataset = (name: string): SqlError =>
  stays(`dataset "${name}"`, `ALTER DATASET "${name}" SET (outside = 'on')`);

const keptAnswers = (): SqlError => stays('kept answers', 'there is no dataset with outside = off');

const stays = (what: string, unless: string): SqlError =>
  new SqlError('insufficient_privilege', `texts of ${what} may not go to an endpoint outside`, {
    hint: `The statement reads them, and its model or reranker is outside. They may where: ${unless}.`,
  });

/** Names of what the texts are of: the datasets, else the relations; at most a few. */
function named(catalog: Catalog, { relations, datasets }: Texts): { readonly source: string | null } {
  const names = new Set(datasets);
  for (const oid of relations) {
    const relation = catalog.relations.get(oid);
    if (relation === undefined || isOfQuern(relation)) continue;
    const schema = catalog.namespaces.find((one) => one.oid === relation.namespace);
    names.add(schema?.dataset === undefined ? `${schema?.name}.${relation.name}` : schema.name);
  }
  return { source: names.size === 0 ? null : [...names].slice(0, SOURCES_TOLD_MAX).join(', ') };
}

const SOURCES_TOLD_MAX = 8;
