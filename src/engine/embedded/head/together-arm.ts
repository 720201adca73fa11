/**
 * A keyword ranking over several columns as the fields of one text: their structures of a part are searched
 * together, which `index/` knows how to do.
 */
import type { Relation } from '../../../catalog/model.ts';
import { TOGETHER } from '../../../index/registry.ts';
import type { RowExplanation } from '../../../index/explanation.ts';
import type { ArmRequest } from '../../../index/request.ts';
import type { PartFields, SearchedField, Structure, StructureQuery } from '../../../index/structure.ts';
import { noHits } from '../../../index/top-rows.ts';
import { type Task, wait } from '../../../task.ts';
import { intersectBits } from '../../../types/column/bitset.ts';
import type { Candidates, Part, PreparedArm } from '../../engine.ts';
import { loadStructures, ofIndexes, scoreInSlices } from './arm-parts.ts';
import type { EnginePart } from './part.ts';
import { structureOptions, structurePlans } from './source.ts';

type KeywordRequest = Extract<ArmRequest, { kind: 'keyword' }>;
type TogetherRequest = KeywordRequest & Required<Pick<KeywordRequest, 'together'>>;

export function* prepareTogether(
  relation: Relation,
  parts: readonly EnginePart[],
  request: TogetherRequest,
  pause: () => Promise<void>,
): Task<PreparedArm> {
  const fields: SearchedField[] = [];
  const structures: ReadonlyMap<Part, Structure>[] = [];
  const indexes: number[] = [];
  for (const [place, oid] of request.indexes.entries()) {
    const plan = structurePlans(relation).find(({ index, kind }) => index.oid === oid && kind === 'keywords');
    if (plan === undefined) continue;
    structures.push(yield* loadStructures(relation, parts, plan));
    indexes.push(oid);
    fields.push({ options: structureOptions(plan, 0), weight: request.together[place] ?? null });
  }
  const seen = new Map<Part, PartFields>();
  for (const part of parts) {
    const own = structures.map((field) => field.get(part) ?? null);
    seen.set(part, { structures: own, visible: part.counted, limit: part.rowCount });
  }
  const all = [...seen.values()];
  // Words that only hidden rows have are no corrections, whatever counts.
  const shown = parts.map((part, i) => ({ ...(all[i] as PartFields), visible: part.visible }));
  const corrections =
    request.fuzzy === undefined ? [] : yield* wait(TOGETHER.corrections(fields, request, shown, pause));
  const query = TOGETHER.prepare(fields, request, all, corrections);
  return new TogetherArm(query, seen, { indexes, pause });
}

class TogetherArm implements PreparedArm {
  readonly higherIsBetter = true;
  readonly #query: StructureQuery;
  readonly #parts: ReadonlyMap<Part, PartFields>;
  readonly #indexes: readonly number[];
  readonly #pause: () => Promise<void>;

  constructor(
    query: StructureQuery,
    parts: ReadonlyMap<Part, PartFields>,
    { indexes, pause }: { readonly indexes: readonly number[]; readonly pause: () => Promise<void> },
  ) {
    this.#query = query;
    this.#parts = parts;
    this.#indexes = indexes;
    this.#pause = pause;
  }

  score(part: Part, rows: Uint32Array, signal: AbortSignal): Float64Array | Promise<Float64Array> {
    const fields = this.#parts.get(part);
    const score = (some: Uint32Array, into: Float64Array): void => {
      if (fields !== undefined) into.set(TOGETHER.score(fields, this.#query, some));
    };
    return scoreInSlices(rows, score, { pause: this.#pause, signal });
  }

  explain(part: Part, rows: Uint32Array): readonly RowExplanation[] {
    const fields = this.#parts.get(part);
    if (fields === undefined) return Array.from(rows, () => ({ kind: 'terms', terms: [] }));
    const told = TOGETHER.explain(fields, this.#query, rows, [...this.#parts.values()]);
    return told.map((row) => ofIndexes(row, this.#indexes));
  }

  search(
    part: Part,
    count: number,
    mask: Uint32Array | null,
    signal: AbortSignal,
  ): Candidates | Promise<Candidates> {
    const fields = this.#parts.get(part);
    if (fields === undefined) return noHits('none');
    const wanted = intersectBits(mask, part.visible, part.rowCount);
    const told = (hits: Candidates): Candidates => ({
      ...hits,
      strategy: `${hits.strategy}, ${fields.structures.length} fields together`,
    });
    const hits = TOGETHER.search(fields, this.#query, { count, mask: wanted, signal });
    return hits instanceof Promise ? hits.then(told) : told(hits);
  }
}
