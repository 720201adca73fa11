/**
 * Reads of serializable transactions, and their law: those that committed could have run one after the
 * other. A read says of a place which states of it would have answered the same, so that the reader stands after
 * the first of them, and before the write that ends the last; cycles of this and of the writes' order are wrong.
 */
import { encodeText } from '../../src/types/column/bytes.ts';
import { cyclicComponents } from '../histories/graph.ts';
import { scan } from './laws.ts';
import { type Model, type ModelTransaction, Violation, type Write } from './model.ts';
import {
  GROUPS,
  IDS,
  ITEMS,
  ITEMS_KEY,
  PARTITIONS,
  type Partition,
  type Row,
  TAG_KEY,
  TAGS,
  TURN_KEY,
  TURNS,
} from './schema.ts';
import type { Work } from './work.ts';
import { pick } from './world.ts';

export interface Reading {
  readonly place: string;
  readonly isSame: (row: Row | null) => boolean;
}

const GROUP_ATTRIBUTE = 4;
const HOW = ['id', 'id', 'id', 'tag', 'group', 'group', 'all'] as const;

/** The row of one key, or that there is none; rows of a group, which a scan looks for; or all rows. */
export async function look(work: Work, partition: Partition): Promise<void> {
  const { world, transaction, statement } = work;
  using snapshot = transaction.snapshot();
  const how = pick(world, world.defers ? ([...HOW, 'turn', 'turn'] as const) : HOW);
  const [id, tag, group] = [pick(world, IDS), pick(world, TAGS), pick(world, GROUPS)];
  const turn = world.defers ? pick(world, TURNS) : null;
  if (how === 'id') snapshot.lookup(ITEMS, partition, ITEMS_KEY, [id]);
  else if (how === 'tag') snapshot.lookup(ITEMS, partition, TAG_KEY, [tag]);
  else if (how === 'turn') snapshot.lookupAll(ITEMS, partition, TURN_KEY, [turn]);
  else if (how === 'group') {
    const bounds = { low: null, high: null, points: [encodeText(group)], nulls: 'never' } as const;
    snapshot.remember(ITEMS, partition, [{ attribute: GROUP_ATTRIBUTE, ...bounds }]);
  } else snapshot.remember(ITEMS, partition, []);
  const matters: Readonly<Record<typeof how, (row: Row) => boolean>> = {
    id: (row) => row.id === id,
    tag: (row) => row.tag === tag,
    group: (row) => row.group === group,
    turn: (row) => row.turn === turn,
    all: () => true,
  };
  // The law knows what there is without the transaction's having read it.
  const there = await scan(snapshot, statement, true);
  for (const of of IDS) {
    const place = `${partition ?? ''}/${of}`;
    if (how === 'id' && of !== id) continue;
    noteRead(work, place, there.get(place)?.row ?? null, matters[how]);
  }
}

/** @param row what was found there. @param matters whether a row of the place would be part of the answer. */
export function noteRead(
  { isolation, model }: Work,
  place: string,
  row: Row | null,
  matters: (row: Row) => boolean = () => true,
): void {
  if (isolation !== 'serializable' || model.writes.some((write) => write.place === place)) return;
  const isPart = (other: Row | null): boolean => other !== null && matters(other);
  const isSame = isPart(row)
    ? (other: Row | null) => other?.value === row?.value
    : (other: Row | null) => !isPart(other);
  model.reads.push({ place, isSame });
}

/** @throws Violation when committed transactions depend on each other in a circle. */
export function requireSerial(model: Model): void {
  const chains = new Map(PARTITIONS.flatMap((partition) => model.chains(partition)));
  const nodes = new Map([...model.committed].map((transaction, node) => [transaction, node]));
  const graph: number[][] = [...nodes].map(() => []);
  const add = (from: ModelTransaction | undefined, to: ModelTransaction | undefined): void => {
    const [a, b] = [from && nodes.get(from), to && nodes.get(to)];
    if (a !== undefined && b !== undefined && a !== b) graph[a]?.push(b);
  };
  for (const chain of chains.values()) {
    chain.forEach(({ transaction }, i) => {
      add(transaction, chain[i + 1]?.transaction);
    });
  }
  for (const reader of model.committed) {
    for (const reading of reader.reads) {
      const { after, before } = bounds(reading, chains.get(reading.place) ?? []);
      add(after?.transaction, reader);
      add(reader, before?.transaction);
    }
  }
  const [circle] = cyclicComponents(graph);
  if (circle === undefined) return;
  const names = circle.map((node) => [...nodes.keys()][node]?.name).join(', ');
  throw new Violation(`not one after the other: ${names}\n${model.text()}`);
}

/** The first write of a state that answers the same, and the one that ends the last such state. */
function bounds({ isSame }: Reading, chain: readonly Write[]): { after?: Write; before?: Write } {
  const states: (Row | null)[] = [null, ...chain.map(({ row }) => row)];
  const first = states.findIndex(isSame);
  const last = states.findLastIndex(isSame);
  const [after, before] = [chain[first - 1], first < 0 ? undefined : chain[last]];
  return { ...(after && { after }), ...(before && { before }) };
}
