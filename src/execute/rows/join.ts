/**
 * Joins. The right side is read first; where it has equal keys and is more than `work_mem`, both sides are partitioned. A
 * lateral right side is run anew for every left row.
 */
import type { Join } from '../../physical/physical.ts';
import type { Task } from '../../task.ts';
import { OID } from '../../types/oids.ts';
import type { Batch } from '../../types/column/vector.ts';
import { bytesOf, type HeldRows } from '../held-rows.ts';
import { heldFor } from '../node-statistics.ts';
import { joinerOf, RIGHT_COPIES } from './joiner.ts';
import { runLateralJoin } from './lateral-join.ts';
import { PartitionedJoin } from './partitioned-join.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

/** About what a row's key takes in the hash table: of one 32-bit integer, and of others. */
const INTEGER_BYTES = 32;
const KEY_BYTES = 128;

export function runJoin(plan: Join, run: Run): Steps {
  return plan.way === 'lateral' ? runLateralJoin(plan, run) : runPairs(plan, run);
}

function* runPairs(plan: Join, run: Run): Steps {
  using right = new RightSide(plan, run);
  yield* eachBatch(plan.right, run, (batch) => right.add(batch));
  if (right.partitioned !== null) return yield* right.partitioned.rows();
  const joiner = yield* joinerOf(plan, right.gathered, { run, held: right.held });
  if (joiner === null) return;
  yield* eachBatch(plan.left, run, (batch) => joiner.join(batch));
  yield* joiner.unmatchedRight();
}

/** The rows that are looked up: gathered, or in partitions. */
class RightSide implements Disposable {
  readonly #plan: Join;
  readonly #run: Run;
  readonly #keyBytes: number;
  readonly held: HeldRows;
  gathered: Batch[] = [];
  partitioned: PartitionedJoin | null = null;
  #tableBytes = 0;

  constructor(plan: Join, run: Run) {
    const [key, second] = plan.hashed;
    this.#plan = plan;
    this.#run = run;
    this.#keyBytes = key?.right.type.oid === OID.int4 && second === undefined ? INTEGER_BYTES : KEY_BYTES;
    this.held = heldFor(plan, run);
  }

  *add(batch: Batch): Task<void> {
    if (batch.length === 0) return;
    if (this.partitioned !== null) return yield* this.partitioned.addRight(batch);
    const bytes = RIGHT_COPIES * bytesOf(batch);
    this.#tableBytes += this.#keyBytes * batch.length;
    const { memoryBytes } = this.#run.context.spill;
    const isHashed = this.#plan.hashed.length > 0;
    if (isHashed && !this.held.hasRoom(bytes + this.#tableBytes, memoryBytes))
      return yield* this.#spill(batch);
    this.held.addBytes(bytes);
    this.gathered.push(batch);
  }

  *#spill(last: Batch): Task<void> {
    this.partitioned = new PartitionedJoin(this.#plan, this.#run, this.held.bytes);
    for (const batch of this.gathered) yield* this.partitioned.addRight(batch);
    this.gathered = [];
    this.held.clear();
    yield* this.partitioned.addRight(last);
  }

  [Symbol.dispose](): void {
    this.held[Symbol.dispose]();
    this.partitioned?.[Symbol.dispose]();
  }
}
