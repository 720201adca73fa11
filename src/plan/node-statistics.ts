/** What EXPLAIN ANALYZE measures of one plan node; the executor fills it in, `explain.ts` shows it. */
export interface NodeStatistics {
  rows: number;
  /** Times the node was started: once, or once a row under a lateral join or a correlated subquery. */
  loops: number;
  /** Until the first row, and in all, its inputs included. */
  startMs: number;
  totalMs: number;
  /** Rows looked at by a scan before its filter. */
  scanned: number;
  readonly arms: ArmStatistics[];
}

export interface ArmStatistics {
  strategy: string;
  candidates: number;
  ms: number;
}
