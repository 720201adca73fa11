/**
 * Rows of a part that pass a scan's filter, as bits. One thing to know: what a snapshot shows of a part never
 * changes, so that the bits of a filter on columns alone are kept, and a prepared statement that comes again
 * with the same parameters looks at no row.
 */
import { createHash } from 'node:crypto';
import { emptyBits, setBit } from '../../types/column/bitset.ts';
import type { Part, RowMask } from '../../engine/engine.ts';
import type { MaskKey, RuleKey, Scan } from '../../physical/physical.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import { GUARDS } from '../guards.ts';
import type { Run } from '../state.ts';
import { scanPart } from './part-rows.ts';
import type { ScanSource } from './scan-rows.ts';

/** Longer values of parameters are hashed. */
const KEY_CHARACTERS_MAX = 64;

/** @param source of a scan with a filter. */
export function* filterMask(source: ScanSource, part: Part): Task<RowMask> {
  const { plan, run } = source;
  const key = yield* keyOf(plan, run);
  if (key === null) return yield* readMask(source, part);
  const known = part.masks.get(key);
  if (known !== undefined) return known;
  const mask = yield* readMask(source, part);
  part.masks.set(key, mask);
  return mask;
}

function* readMask(source: ScanSource, part: Part): Task<RowMask> {
  const bits = emptyBits(part.rowCount);
  let count = 0;
  yield* scanPart(source, part, null, ({ rows }) => {
    count += rows.length;
    for (const row of rows) setBit(bits, row);
  });
  return { bits, count };
}

/** Null when more than values that are known decides which rows pass. */
export function* keyOf({ maskKey }: Pick<Scan, 'maskKey'>, run: Run): Task<string | null> {
  if (maskKey === null) return null;
  const values = maskKey.parameters.map((index) => run.context.parameters[index] ?? null);
  const facts = yield* factValues(maskKey.facts, run);
  return facts === null ? null : keyWith(maskKey, [...values, ...facts], run);
}

/** Null where one has none: a row may not ask for it, as in `CASE`. */
export function* factValues(facts: readonly Expression[], run: Run): Task<readonly Datum[] | null> {
  const values: Datum[] = [];
  try {
    for (const fact of facts) values.push(yield* wait(evaluateConstant(fact, run)));
  } catch {
    return null;
  }
  return values;
}

/** Null when a value is none that can be told apart. */
export function keyWith(of: MaskKey | RuleKey, values: readonly Datum[], { cache }: Run): string | null {
  const last = cache.lastKeys.get(of);
  if (last?.values.every((value, i) => value === values[i]) === true) return last.key;
  const parts = values.map(keyOfValue);
  const isKnown = parts.every((part) => part !== null);
  const key = isKnown ? `${'filter' in of ? of.filter : of.rule} ${JSON.stringify(parts)}` : null;
  // They are held as long as the plan is.
  if (values.every(isShort)) cache.lastKeys.set(of, { values, key });
  return key;
}

const isShort = (value: Datum): boolean =>
  value === null || typeof value === 'string'
    ? (value?.length ?? 0) <= KEY_CHARACTERS_MAX
    : SIMPLE.has(typeof value);

/** Ids of documents that `search()` looks among, say: read once for all arms, and for all queries with that filter. */
function keyOfValue(value: Datum): string | null {
  if (value === null || SIMPLE.has(typeof value)) return shortened(`${typeof value} ${value}`);
  if (typeof value !== 'object' || !('datum' in value) || value.datum !== 'array') return null;
  const { elements, elementType, dimensions } = value;
  if (elements.length > GUARDS.maskListMax) return null;
  if (!elements.every((element) => element === null || SIMPLE.has(typeof element))) return null;
  const texts = elements.map((element) => (element === null ? null : String(element)));
  const text = JSON.stringify([elementType, dimensions, texts]);
  return shortened(`list ${text}`);
}

/** Keys are kept, whatever a client sends. */
function shortened(text: string): string {
  if (text.length <= KEY_CHARACTERS_MAX) return text;
  return `hash ${createHash('sha256').update(text).digest('base64')}`;
}

const SIMPLE: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);
