/**
 * When the constraints of a transaction are checked, and which foreign keys still are to be. What SET CONSTRAINTS
 * says and what waits go back with a savepoint, also what has been checked since.
 */
import type { Constraint } from '../../catalog/model.ts';
import type { GoneKey } from './foreign-key-rows.ts';

/** Part of a foreign key's check, put off to the end of the transaction. */
export type PendingCheck =
  /** Rows of the referring relation, by number. */
  | {
      readonly kind: 'new rows';
      readonly relation: number;
      readonly partition: string | null;
      readonly numbers: Float64Array;
    }
  /** Keys of the referenced relation. */
  | { readonly kind: 'gone keys'; readonly relation: number; readonly keys: readonly GoneKey[] };

interface Times {
  /** Value that SET CONSTRAINTS ALL set. */
  readonly all: boolean | null;
  /** By the constraint's OID: whether it is deferred. */
  readonly named: ReadonlyMap<number, boolean>;
}

export interface DeferralMark extends Times {
  readonly pending: readonly (readonly [number, PendingCheck[], number])[];
}

const AS_DECLARED: Times = { all: null, named: new Map() };

export class Deferral {
  #times = AS_DECLARED;
  /** By the constraint's OID. A list only grows until it is taken whole. */
  #pending = new Map<number, PendingCheck[]>();

  isDeferred({ oid, deferrable }: Constraint): boolean {
    if (deferrable === undefined) return false;
    return this.#times.named.get(oid) ?? this.#times.all ?? deferrable === 'deferred';
  }

  /** @param constraints OIDs; null: ALL. */
  set(constraints: readonly number[] | null, deferred: boolean): void {
    if (constraints === null) this.#times = { ...AS_DECLARED, all: deferred };
    else {
      const named = new Map(this.#times.named);
      for (const oid of constraints) named.set(oid, deferred);
      this.#times = { ...this.#times, named };
    }
  }

  add(constraint: number, check: PendingCheck): void {
    const known = this.#pending.get(constraint);
    if (known === undefined) this.#pending.set(constraint, [check]);
    else known.push(check);
  }

  has(constraint: number): boolean {
    return this.#pending.has(constraint);
  }

  get empty(): boolean {
    return this.#pending.size === 0;
  }

  /** True when something waits that was done to the relation. */
  concerns(relation: number): boolean {
    for (const checks of this.#pending.values()) {
      if (checks.some((check) => check.relation === relation)) return true;
    }
    return false;
  }

  /** Nothing waits for the constraint any more. */
  take(constraint: number): readonly PendingCheck[] {
    const checks = this.#pending.get(constraint) ?? [];
    this.#pending.delete(constraint);
    return checks;
  }

  mark(): DeferralMark {
    const pending = [...this.#pending].map(([oid, checks]) => [oid, checks, checks.length] as const);
    return { ...this.#times, pending };
  }

  rollbackTo({ all, named, pending }: DeferralMark): void {
    this.#times = { all, named };
    this.#pending = new Map(
      pending.map(([oid, checks, count]) => {
        checks.length = count;
        return [oid, checks];
      }),
    );
  }

  /** At the end of the transaction. */
  clear(): void {
    this.#times = AS_DECLARED;
    this.#pending = new Map();
  }
}
