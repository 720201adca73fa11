/**
 * Rankings over the parts of a snapshot: finds each part's structures, adds visibility to the caller's mask,
 * and joins the fields of a keyword query: either as one text (`together-arm.ts`), or each by itself: a row matches
 * when a field does, and its score is the sum over fields. A web query is several of them (`web-arm.ts`).
 *
 * Fields by themselves are joined by the threshold algorithm (Fagin, Lotem, Naor 2003): take the best of each
 * field, score them in all fields, and go deeper until nothing unseen could be better.
 */
import { TIES_MAX } from '../../../limits.ts';
import type { Index, Relation } from '../../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../../index/registry.ts';
import type { RowExplanation } from '../../../index/explanation.ts';
import type { ArmRequest } from '../../../index/request.ts';
import type { Structure, StructureQuery } from '../../../index/structure.ts';
import { cutAtTies, noHits } from '../../../index/top-rows.ts';
import type { Task } from '../../../task.ts';
import type { Candidates, Part, PreparedArm } from '../../engine.ts';
import { intersectBits } from '../../../types/column/bitset.ts';
import { dimensionOf } from '../../../types/vector/dimension.ts';
import { loadStructures, ofIndexes, scoreInSlices } from './arm-parts.ts';
import type { EnginePart } from './part.ts';
import { structureOptions, structurePlans } from './source.ts';
import { prepareTogether } from './together-arm.ts';
import { prepareWeb } from './web-arm.ts';

/** One field, or the rows of one language of it: a query and the structure of each part that has one. */
interface Field {
  /** OID of its index. */
  readonly index: number;
  readonly query: StructureQuery;
  readonly structures: ReadonlyMap<Part, Structure>;
}

export function* prepareArm(
  relation: Relation,
  parts: readonly EnginePart[],
  request: ArmRequest,
  pause: () => Promise<void>,
): Task<PreparedArm> {
  if (request.kind === 'keyword' && (request.operator === 'web' || request.operator === 'web_signs')) {
    const prepare = (one: ArmRequest): Task<PreparedArm> => prepareArm(relation, parts, one, pause);
    return yield* prepareWeb(relation, request, prepare, pause);
  }
  if (request.kind === 'keyword' && (request.indexes.length > 1 || request.fuzzy !== undefined)) {
    const together = request.together ?? (request.indexes.length > 1 ? null : [1]);
    if (together !== null) return yield* prepareTogether(relation, parts, { ...request, together }, pause);
  }
  const oids = request.kind === 'vector' ? [request.index] : request.indexes;
  const fields: Field[] = [];
  for (const oid of oids) {
    const index = relation.indexes.find((i) => i.oid === oid);
    const one = request.kind === 'vector' ? request : { ...request, indexes: [oid] };
    const found = index === undefined ? [] : yield* prepareField(relation, parts, { index, request: one });
    for (const field of found) fields.push({ ...field, index: oid });
  }
  return new FieldsArm(fields, pause, higherIsBetter(request, fields));
}

function higherIsBetter(request: ArmRequest, fields: readonly Field[]): boolean {
  return fields[0]?.query.higherIsBetter ?? (request.kind === 'keyword' || request.value === 'metric');
}

function* prepareField(
  relation: Relation,
  parts: readonly EnginePart[],
  { index, request }: { index: Index; request: ArmRequest },
): Task<readonly Omit<Field, 'index'>[]> {
  const plan = structurePlans(relation).find(
    (p) => p.index.oid === index.oid && (p.kind === 'keywords') === (request.kind === 'keyword'),
  );
  if (plan === undefined) return [];
  const { kind } = plan;
  const structures = yield* loadStructures(relation, parts, plan);
  if (structures.size === 0) return [];
  const dimension = request.kind === 'vector' ? dimensionOf(request.query) : 0;
  const seen = parts.flatMap((part) => {
    const structure = structures.get(part);
    return structure === undefined ? [] : [{ structure, visible: part.counted, limit: part.rowCount }];
  });
  const method = STRUCTURE_METHODS[kind];
  const requests = method.split?.(request, [...structures.values()]) ?? [request];
  const options = structureOptions(plan, dimension);
  return requests.map((one) => ({ query: method.prepare(options, one, seen), structures }));
}

class FieldsArm implements PreparedArm {
  readonly higherIsBetter: boolean;
  readonly #fields: readonly Field[];
  readonly #pause: () => Promise<void>;

  constructor(fields: readonly Field[], pause: () => Promise<void>, higher: boolean) {
    this.#fields = fields;
    this.#pause = pause;
    this.higherIsBetter = higher;
  }

  score(part: Part, rows: Uint32Array, signal: AbortSignal): Float64Array | Promise<Float64Array> {
    const score = (some: Uint32Array, into: Float64Array): void => this.#scoreInto(part, some, into);
    return scoreInSlices(rows, score, { pause: this.#pause, signal });
  }

  explain(part: Part, rows: Uint32Array): readonly RowExplanation[] | null {
    const explained = this.#fields.flatMap(({ index, query, structures }) => {
      const structure = structures.get(part);
      if (structure === undefined) return [];
      const own = structure.explain?.(query, rows);
      return own === undefined ? [] : [own.map((row) => ofIndexes(row, [index]))];
    });
    const [first, ...others] = explained;
    if (first === undefined) return null;
    return first.map((row, i) => others.reduce((sum, other) => together(sum, other[i]), row));
  }

  search(
    part: Part,
    count: number,
    mask: Uint32Array | null,
    signal: AbortSignal,
  ): Candidates | Promise<Candidates> {
    const wanted = intersectBits(mask, part.visible, part.rowCount);
    const fields = this.#fields.filter((field) => field.structures.has(part));
    const [first] = fields;
    if (first === undefined || count <= 0) return noHits('none');
    if (fields.length > 1) return this.#searchFields(part, fields, { count, wanted, signal });
    const structure = first.structures.get(part) as Structure;
    return structure.search(first.query, { count, mask: wanted, limit: part.rowCount, signal });
  }

  async #searchFields(
    part: Part,
    fields: readonly Field[],
    { count, wanted, signal }: { count: number; wanted: Uint32Array | null; signal: AbortSignal },
  ): Promise<Candidates> {
    for (let depth = 2 * count + TIES_MAX; ; depth *= 4) {
      const rows = new Set<number>();
      let unseen = 0;
      let strategy = '';
      for (const { query, structures } of fields) {
        const structure = structures.get(part) as Structure;
        const hits = await structure.search(query, {
          count: depth,
          mask: wanted,
          limit: part.rowCount,
          signal,
        });
        for (const row of hits.rows) rows.add(row);
        if (hits.rows.length >= depth) unseen += hits.scores[hits.scores.length - 1] ?? 0;
        strategy = hits.strategy;
      }
      const found = await this.#ranked(part, Uint32Array.from(rows).sort(), signal);
      const last = found.scores[count - 1];
      if (unseen === 0 || (last !== undefined && last > unseen) || depth >= 4 * part.rowCount) {
        return cutAtTies({ ...found, strategy: `${strategy}, ${fields.length} fields` }, count);
      }
    }
  }

  async #ranked(
    part: Part,
    rows: Uint32Array,
    signal: AbortSignal,
  ): Promise<{ rows: Uint32Array; scores: Float64Array }> {
    const scores = await this.score(part, rows, signal);
    const order = Uint32Array.from(rows.keys()).sort(
      (a, b) => (scores[b] as number) - (scores[a] as number) || a - b,
    );
    return {
      rows: order.map((i) => rows[i] as number),
      scores: Float64Array.from(order, (i) => scores[i] as number),
    };
  }

  #scoreInto(part: Part, rows: Uint32Array, into: Float64Array): void {
    for (const { query, structures } of this.#fields) {
      const found = structures.get(part)?.score(query, rows);
      for (let i = 0; found !== undefined && i < rows.length; i++) {
        const score = found[i] as number;
        if (Number.isNaN(score)) continue;
        into[i] = Number.isNaN(into[i]) ? score : (into[i] as number) + score;
      }
    }
  }
}

/** Scores of fields by themselves are added up. */
const together = (row: RowExplanation, other: RowExplanation | undefined): RowExplanation =>
  row.kind === 'terms' && other?.kind === 'terms'
    ? { kind: 'terms', terms: [...row.terms, ...other.terms] }
    : row;
