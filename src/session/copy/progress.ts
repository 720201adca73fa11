/** Progress of a COPY under way, as `pg_stat_progress_copy` tells of it. */
import type { CopyFact } from '../../catalog/system/context.ts';
import type { PlanRows } from '../../execute/plan-rows.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Running } from '../running/running.ts';
import type { SessionState } from '../session-state.ts';

export class CopyProgress implements CopyFact {
  readonly command: CopyFact['command'];
  readonly relation: number;
  readonly bytesTotal: number;
  bytes = 0;
  rows = 0;

  constructor({ command, relation = 0, bytesTotal = 0 }: Partial<CopyFact> & Pick<CopyFact, 'command'>) {
    this.command = command;
    this.relation = relation;
    this.bytesTotal = bytesTotal;
  }

  async *ofBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.bytes += piece.byteLength;
      yield piece;
    }
  }

  ofRows(rows: PlanRows): PlanRows {
    const count = (batch: Batch | null): Batch | null => {
      this.rows += batch?.length ?? 0;
      return batch;
    };
    return {
      next: () => {
        const batch = rows.next();
        return batch instanceof Promise ? batch.then(count) : count(batch);
      },
      close: () => rows.close(),
    };
  }
}

/** Tells of it until it is closed. */
export function toldOf(session: SessionState, progress: CopyProgress, running: Running): Running {
  session.copying = progress;
  return {
    columns: running.columns,
    next: (limit) => running.next(limit),
    tag: (count) => running.tag(count),
    close() {
      if (session.copying === progress) session.copying = null;
      return running.close();
    },
  };
}
