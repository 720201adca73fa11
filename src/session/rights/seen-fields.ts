/**
 * Undeclared columns are learnt from documents: a role that does not see all documents of a collection is shown those that
 * documents which it sees have, and no others. They are looked for when a statement that reads it is planned, where
 * anything was written since; the rest are hidden in the catalog that it is planned with. One thing to know: what was not
 * looked for yet is hidden.
 */
import { PRIVILEGE } from '../../catalog/access/privileges.ts';
import { isSuperuser } from '../../catalog/access/roles.ts';
import { type Catalog, type Column, liveColumns, type Relation } from '../../catalog/model.ts';
import { hidesRows } from '../../catalog/policies.ts';
import { isPrivate } from '../../catalog/private-relations.ts';
import { SqlError } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Right } from '../../plan/right.ts';
import { planChildren, subqueryPlans } from '../../plan/walk.ts';
import type { Planned } from '../running/planner.ts';
import type { Identity } from '../identity.ts';
import type { SessionSettings } from '../settings/settings.ts';
import type { SessionKey } from '../sign-in/session-key.ts';
import type { TransactionBlock } from '../transaction/transaction-block.ts';
import { holds } from './check.ts';
import { reachesRelation, rowLimits } from '../scope/key-limits.ts';

/** A session, as far as it is asked for. */
interface Session {
  readonly key: SessionKey | null;
  readonly settings: SessionSettings;
  readonly identity: Identity;
  readonly block: TransactionBlock;
  catalog(): Catalog;
}

/** Attribute numbers of undeclared columns that documents have which the session sees. */
export type FindFields = (relation: Relation) => Promise<ReadonlySet<number>>;

/** A collection of which some documents may be hidden. */
interface Narrowed {
  readonly relation: Relation;
  /** Some documents may be seen. */
  readonly isReadable: boolean;
}

interface Look {
  readonly relation: Relation;
  readonly generation: number;
  /** The newest commit that was looked at. */
  readonly sequence: number;
  /** Attribute numbers. */
  readonly seen: ReadonlySet<number>;
}

interface Shown {
  readonly of: Catalog;
  readonly change: number;
  readonly generation: number;
  readonly catalog: Catalog;
}

const NOTHING: ReadonlyMap<number, Narrowed> = new Map();
/** Older than every commit. */
const NEVER = -1;

export class SeenFields {
  readonly #session: Session;
  #collections: {
    readonly catalog: Catalog;
    readonly generation: number;
    readonly all: ReadonlyMap<number, Narrowed>;
  } | null = null;
  readonly #looked = new Map<number, Look>();
  #isLooking = false;
  /** Counts changes of what is shown. */
  #change = 0;
  #shown: Shown | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  /** A catalog without columns that the session may not know of; the same object while these are the same. */
  catalog(of: Catalog = this.#session.catalog()): Catalog {
    const all = this.#isLooking ? NOTHING : this.#narrowed(of);
    if (all.size === 0) return of;
    const { generation } = this.#session.settings;
    const shown = this.#shown;
    if (shown?.of === of && shown.change === this.#change && shown.generation === generation)
      return shown.catalog;
    const relations = new Map(of.relations);
    for (const { relation } of all.values()) {
      const looked = this.#looked.get(relation.oid);
      const seen = looked?.generation === generation ? looked.seen : null;
      relations.set(relation.oid, withoutUnseen(relation, seen));
    }
    this.#shown = { of, change: this.#change, generation, catalog: { ...of, relations } };
    return this.#shown.catalog;
  }

  get isNarrowed(): boolean {
    return this.#narrowed(this.#session.catalog()).size > 0;
  }

  /** A plan that is made with what the session may know of. In a transaction. */
  planned(find: FindFields, make: () => Planned): Planned | Promise<Planned> {
    const all = this.#narrowed(this.#session.catalog());
    if (all.size === 0 || this.#isLooking) return make();
    let planned: Planned;
    try {
      planned = make();
    } catch (error) {
      if (!(error instanceof SqlError) || error.condition !== 'undefined_column') throw error;
      const looking = this.look(find, all.keys());
      if (looking === null) throw error;
      return looking.then(make);
    }
    const looking = this.look(
      find,
      readsCatalog(planned) ? all.keys() : planned.locks.map(({ relation }) => relation),
    );
    return looking === null ? planned : looking.then(make);
  }

  /** Null: there is nothing to look for in these relations, or nothing was written since. In a transaction. */
  look(find: FindFields, relations: Iterable<number>): Promise<void> | null {
    const all = this.#narrowed(this.#session.catalog());
    const wanted = [...relations].flatMap((oid) => {
      const narrowed = all.get(oid);
      return narrowed?.isReadable === true && !this.#isFresh(narrowed.relation) ? [narrowed.relation] : [];
    });
    return wanted.length === 0 ? null : this.#lookFor(find, wanted);
  }

  #narrowed(catalog: Catalog): ReadonlyMap<number, Narrowed> {
    const { generation } = this.#session.settings;
    const known = this.#collections;
    if (known?.catalog === catalog && known.generation === generation) return known.all;
    const all = narrowedCollections(this.#session, catalog);
    this.#collections = { catalog, generation, all };
    return all;
  }

  #isFresh(relation: Relation): boolean {
    const looked = this.#looked.get(relation.oid);
    if (looked?.relation !== relation || looked.generation !== this.#session.settings.generation)
      return false;
    using snapshot = this.#session.block.require().snapshot();
    return !snapshot.showsOwnWrites && looked.sequence === snapshot.sequence;
  }

  async #lookFor(find: FindFields, relations: readonly Relation[]): Promise<void> {
    const { generation } = this.#session.settings;
    this.#isLooking = true;
    try {
      for (const relation of relations) {
        const sequence = this.#sequence();
        const seen = await find(relation);
        const before = this.#looked.get(relation.oid);
        const isSame = before?.generation === generation && before.seen.symmetricDifference(seen).size === 0;
        this.#looked.set(relation.oid, { relation, generation, sequence, seen });
        if (!isSame) this.#change++;
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** Commits that are shown; as none where the transaction's own writes, which may be taken back, are shown too. */
  #sequence(): number {
    using snapshot = this.#session.block.require().snapshot();
    return snapshot.showsOwnWrites ? NEVER : snapshot.sequence;
  }
}

/** It shows columns by what the catalog says, or defines something by them. */
function readsCatalog(planned: Planned): boolean {
  const known = READS_CATALOG.get(planned);
  if (known !== undefined) return known;
  const reads = planned.bound.kind !== 'plan' || hasSystemScan(planned.bound.plan);
  READS_CATALOG.set(planned, reads);
  return reads;
}

const READS_CATALOG = new WeakMap<Planned, boolean>();

const hasSystemScan = (plan: Plan): boolean =>
  plan.kind === 'system' || [...planChildren(plan), ...subqueryPlans(plan)].some(hasSystemScan);

export const undeclaredOf = (relation: Relation): readonly Column[] =>
  liveColumns(relation).filter(({ undeclared }) => undeclared);

function narrowedCollections(session: Session, catalog: Catalog): ReadonlyMap<number, Narrowed> {
  const role = session.identity.current;
  const scope = rowLimits(session);
  if (scope === null && isSuperuser(catalog, role)) return NOTHING;
  // Queries of relations with policies are refused then.
  const isRefused = !session.settings.isOn('row_security');
  const narrowed = [...catalog.relations.values()].flatMap((relation): [number, Narrowed][] => {
    if (undeclaredOf(relation).length === 0) return [];
    const hides = hidesRows(catalog, relation, role);
    const isReached = scope === null || reachesRelation(scope, catalog, relation);
    const isReadable =
      isReached && !isPrivate(catalog, relation) && holds(catalog, role, readingSome(relation));
    const isWhole = isReadable && (scope === null || scope.partitions === null);
    if (isWhole && !hides) return [];
    return [[relation.oid, { relation, isReadable: isReadable && !(hides && isRefused) }]];
  });
  return new Map(narrowed);
}

/** The right to read it, or some column of it. */
const readingSome = ({ oid }: Relation): Right => ({
  kind: 'relation',
  oid,
  privileges: PRIVILEGE.select,
  columns: [],
  as: null,
});

function withoutUnseen(relation: Relation, seen: ReadonlySet<number> | null): Relation {
  const columns = relation.columns.map((column): Column => {
    const isHidden = column.undeclared && !column.dropped && seen?.has(column.attribute) !== true;
    return isHidden ? { ...column, hidden: true } : column;
  });
  return { ...relation, columns };
}
