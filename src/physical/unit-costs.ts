/**
 * The currency of plans: what the work of a node is counted in. Measured by `./scripts/bench unit-costs` and scaled so
 * that a row read is PostgreSQL's `cpu_tuple_cost`, the unit that readers of plans know.
 */
export const UNIT_COSTS = {
  /** A row given to the node above, its columns read. */
  rowRead: 0.01,
  /** A key looked up by an index, its row found. */
  indexProbe: 4,
  /** A comparison, or another operator, of one row. */
  comparison: 0.004,
} as const;
