/** A statement's surroundings: the transaction it is in and what is known of it. */
import type { Isolation, SessionLocks, Transaction } from '../../src/engine/engine.ts';
import type { Found } from './laws.ts';
import type { ModelTransaction } from './model.ts';
import type { Row } from './schema.ts';
import type { World } from './world.ts';

/** Why a statement was aborted. */
export class Canceled extends Error {
  override readonly name = 'Canceled';
}

/** A transaction under way, as its statements see it. */
export interface Work {
  readonly world: World;
  readonly client: string;
  readonly transaction: Transaction;
  readonly session: SessionLocks;
  readonly isolation: Isolation;
  readonly model: ModelTransaction;
  readonly signal: AbortSignal;
  /** Under repeatable read: what the first statement saw. */
  readonly fixed: ReadonlyMap<string, Found> | null;
  /** For messages. */
  statement: string;
  /** Rows it is about to insert. */
  readonly proposed: Row[];
}
