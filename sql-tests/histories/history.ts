/** Record of what clients did and saw: the input of `anomalies.ts`. */

export type Level = 'read committed' | 'repeatable read' | 'serializable';

/** One step on one key. Values are appended once each, over all keys. */
export type Step =
  | { readonly kind: 'append'; readonly key: number; readonly value: number }
  /** Without an order the values are a set. */
  | {
      readonly kind: 'read';
      readonly key: number;
      readonly values: readonly number[];
      readonly ordered: boolean;
    };

export interface HistoryTransaction {
  readonly level: Level;
  readonly steps: readonly Step[];
  /** Unknown: the connection broke while it committed. */
  readonly outcome: 'committed' | 'aborted' | 'unknown';
  /** By one clock: before its first statement is sent, and after its outcome is known. */
  readonly began: number;
  readonly ended: number;
}

export type History = readonly HistoryTransaction[];
