/**
 * Undeclared columns are learnt from documents: a role that does not see all documents of a collection is shown those that
 * documents which it sees have, and no others. They are looked for as each statement begins, where anything was written
 * since; the rest are hidden in the catalog that its statements are planned with. One thing to know: what was not looked
 * for yet is hidden.
 */
import { privilegesOn } from '../../catalog/access/checks.ts';
import { PRIVILEGE } from '../../catalog/access/privileges.ts';
import { isSuperuser } from '../../catalog/access/roles.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import { type Catalog, type Column, liveColumns, type Relation } from '../../catalog/model.ts';
import { hidesRows } from '../../catalog/policies.ts';
import { isPrivate } from '../../catalog/private-relations.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { runInternal } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import { reachesRelation, rowLimits } from '../scope/key-limits.ts';
import type { SessionState } from '../session-state.ts';

/** A collection of which some documents may be hidden. */
interface Narrowed {
  readonly relation: Relation;
  /** Some documents may be seen. */
  readonly isReadable: boolean;
}

/** Attribute numbers by relation. */
type Seen = ReadonlyMap<number, ReadonlySet<number>>;

const NOTHING: Seen = new Map();
/** Columns asked for by one statement. */
const COLUMNS_A_QUERY = 50;

export class SeenFields {
  readonly #session: SessionState;
  #narrowed: {
    readonly catalog: Catalog;
    readonly generation: number;
    readonly all: readonly Narrowed[];
  } | null = null;
  #looked: { readonly generation: number; readonly sequence: number; readonly catalog: Catalog } | null =
    null;
  #seen: Seen = NOTHING;
  #isLooking = false;
  #shown: {
    readonly of: Catalog;
    readonly seen: Seen;
    readonly generation: number;
    readonly catalog: Catalog;
  } | null = null;

  constructor(session: SessionState) {
    this.#session = session;
  }

  /** A catalog without columns that the session may not know of; the same object while these are the same. */
  catalog(of: Catalog = this.#session.catalog()): Catalog {
    const all = this.#isLooking ? [] : this.#collections(of);
    if (all.length === 0) return of;
    const { generation } = this.#session.settings;
    const seen = this.#looked?.generation === generation ? this.#seen : NOTHING;
    const shown = this.#shown;
    if (shown?.of === of && shown.seen === seen && shown.generation === generation) return shown.catalog;
    const relations = new Map(of.relations);
    for (const { relation } of all)
      relations.set(relation.oid, withoutUnseen(relation, seen.get(relation.oid)));
    this.#shown = { of, seen, generation, catalog: { ...of, relations } };
    return this.#shown.catalog;
  }

  get isNarrowed(): boolean {
    return this.#collections(this.#session.catalog()).length > 0;
  }

  /** Null: there is nothing to look for, or nothing was written since. In a transaction. */
  look(statement: Statement): Promise<void> | null {
    const catalog = this.#session.catalog();
    const all = this.#collections(catalog);
    if (all.length === 0) return null;
    const { generation } = this.#session.settings;
    using snapshot = this.#session.block.require().snapshot();
    const now = { generation, sequence: snapshot.sequence, catalog };
    const { generation: then, sequence, catalog: known } = this.#looked ?? { sequence: -1 };
    const isSame = then === generation && sequence === now.sequence && known === catalog;
    if (isSame && !snapshot.showsOwnWrites) return null;
    return this.#lookFor(statement, all).then((seen) => {
      this.#seen = isAlike(seen, this.#seen) ? this.#seen : seen;
      this.#looked = now;
    });
  }

  #collections(catalog: Catalog): readonly Narrowed[] {
    const { generation } = this.#session.settings;
    const known = this.#narrowed;
    if (known?.catalog === catalog && known.generation === generation) return known.all;
    const all = narrowedCollections(this.#session, catalog);
    this.#narrowed = { catalog, generation, all };
    return all;
  }

  async #lookFor(statement: Statement, all: readonly Narrowed[]): Promise<Seen> {
    this.#isLooking = true;
    try {
      const seen = new Map<number, ReadonlySet<number>>();
      for (const { relation, isReadable } of all) {
        if (isReadable) seen.set(relation.oid, await seenOf(statement, relation));
      }
      return seen;
    } finally {
      this.#isLooking = false;
    }
  }
}

const undeclaredOf = (relation: Relation): readonly Column[] =>
  liveColumns(relation).filter(({ undeclared }) => undeclared);

function narrowedCollections(session: SessionState, catalog: Catalog): readonly Narrowed[] {
  const role = session.identity.current;
  const scope = rowLimits(session);
  if (scope === null && isSuperuser(catalog, role)) return [];
  return [...catalog.relations.values()].flatMap((relation): Narrowed[] => {
    if (undeclaredOf(relation).length === 0) return [];
    const isReached = scope === null || reachesRelation(scope, catalog, relation);
    const isReadable = isReached && !isPrivate(catalog, relation) && readsSome(catalog, role, relation);
    const isWhole = isReadable && (scope === null || scope.partitions === null);
    return isWhole && !hidesRows(catalog, relation, role) ? [] : [{ relation, isReadable }];
  });
}

function readsSome(catalog: Catalog, role: number, { oid, columns }: Relation): boolean {
  const reads = (column: number): boolean =>
    (privilegesOn(catalog, role, { kind: 'column', oid, column }) & PRIVILEGE.select) !== 0;
  return (
    (privilegesOn(catalog, role, { kind: 'relation', oid }) & PRIVILEGE.select) !== 0 ||
    columns.some(({ attribute }) => reads(attribute))
  );
}

function withoutUnseen(relation: Relation, seen: ReadonlySet<number> | undefined): Relation {
  const columns = relation.columns.map((column): Column => {
    const isHidden = column.undeclared && !column.dropped && seen?.has(column.attribute) !== true;
    return isHidden ? { ...column, hidden: true } : column;
  });
  return { ...relation, columns };
}

/** Columns that some document has which the session sees, in any partition that it reaches. */
async function seenOf(statement: Statement, relation: Relation): Promise<ReadonlySet<number>> {
  const { session } = statement;
  const schema = quoteIdentifier(namespaceName(session.catalog(), relation.namespace) ?? '');
  const seen = new Set<number>();
  for (const name of placesOf(session, relation)) {
    const from = `${schema}.${quoteIdentifier(name)}`;
    const wanted = undeclaredOf(relation).filter(({ attribute }) => !seen.has(attribute));
    for (let at = 0; at < wanted.length; at += COLUMNS_A_QUERY) {
      const some = wanted.slice(at, at + COLUMNS_A_QUERY);
      const asked = some.map(
        (column) => `EXISTS (SELECT FROM ${from} WHERE ${quoteIdentifier(column.name)} IS NOT NULL)`,
      );
      const request = { types: [], parameters: [], isAllowed: true } as const;
      const [batch] = await runInternal(statement, `SELECT ${asked.join(', ')}`, request);
      for (const [i, { attribute }] of some.entries()) {
        if (batch?.columns[i]?.get(0) === true) seen.add(attribute);
      }
    }
  }
  return seen;
}

/** The relation and its partitions by name, as far as the session's key reaches them. */
function placesOf(session: SessionState, relation: Relation): readonly string[] {
  using snapshot = session.block.require().snapshot();
  const limits = rowLimits(session)?.partitions ?? null;
  const reached = snapshot
    .partitions(relation.oid)
    .filter((name) => limits === null || limits.includes(name));
  return [...(limits === null ? [relation.name] : []), ...reached.map((name) => `${relation.name}$${name}`)];
}

function isAlike(some: Seen, others: Seen): boolean {
  if (some.size !== others.size) return false;
  return [...some].every(([oid, columns]) => others.get(oid)?.symmetricDifference(columns).size === 0);
}
