/** State that the clients of one simulation share. */
import type { Engine } from '../../src/engine/engine.ts';
import type { Model } from './model.ts';

export interface World {
  readonly engine: Engine;
  readonly model: Model;
  readonly random: () => number;
  /** LSNs of the commits by `relation` or `relation$partition`, as they were acknowledged. */
  readonly lsns: Map<string, number[]>;
  /** Writes of the store may fail. */
  readonly fails: boolean;
  /** Most transactions are serializable, and look at rows. */
  readonly isSerial: boolean;
  /** Rows have turns, a deferrable key. */
  readonly defers: boolean;
  /** Numbers drawn of the sequence, and those whose transactions were acknowledged. */
  readonly drawn: Set<bigint>;
  readonly stored: Set<bigint>;
  /** How to abort what a client waits for, by client. */
  readonly waiting: Map<string, AbortController>;
  /** Advisory locks by number: who holds it. */
  readonly advisory: Map<number, string>;
}

export const chance = ({ random }: World, probability: number): boolean => random() < probability;

export function pick<T>({ random }: World, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}
