/**
 * Stored vectors of candidates, by which they are alike or not: those of the semantic columns that are searched, and of
 * dense vector columns. Of several columns all count alike.
 */
import { columnByAttribute, findIndex } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { Scan } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { OID } from '../../types/oids.ts';
import { Pace } from '../pace.ts';
import type { Candidates } from './candidates.ts';
import { documentVectors } from '../arms/document-vectors.ts';
import type { Run } from '../state.ts';
import { atUnitLength, joined } from '../arms/unit-vectors.ts';

/** Where vectors of rows are. */
interface VectorSource {
  readonly index: number;
  /** Attribute of a dense vector column; 0: the index is semantic. */
  readonly attribute: number;
}

/** By place among the candidates, at unit length. @throws SqlError 42809 where no such column is searched. */
export function* candidateVectors(
  plan: Scan,
  candidates: Candidates,
  run: Run,
): Task<(Float32Array | null)[]> {
  const columns: (readonly (Float32Array | null)[])[] = [];
  for (const source of vectorSources(plan, run)) columns.push(yield* vectorsOf(source, candidates, run));
  const dimensions = columns.map((column) => column.find((vector) => vector !== null)?.length ?? 0);
  const pace = new Pace(run, JOINED_A_TURN);
  const vectors: (Float32Array | null)[] = [];
  for (let place = 0; place < candidates.rows.length; place++) {
    const own = columns.map((column) => column[place] ?? null);
    vectors.push(joined(own, dimensions));
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
  }
  return vectors;
}

const JOINED_A_TURN = 128;

function* vectorsOf(
  { index, attribute }: VectorSource,
  { parts, partOf, rows }: Candidates,
  run: Run,
): Task<(Float32Array | null)[]> {
  const vectors = new Array<Float32Array | null>(rows.length).fill(null);
  for (const [number, part] of parts.entries()) {
    const places = [...vectors.keys()].filter((place) => partOf[place] === number);
    const own = Uint32Array.from(places, (place) => rows[place] as number);
    const [column] = attribute === 0 ? [] : yield* wait(part.readRows([attribute], own));
    const stored = column === undefined ? yield* documentVectors(part, index, own, run) : null;
    for (const [i, place] of places.entries()) {
      vectors[place] = stored === null ? denseVector(column?.get(i)) : (stored[i] ?? null);
    }
  }
  return vectors;
}

const denseVector = (value: unknown): Float32Array | null =>
  value instanceof Float32Array ? atUnitLength(value) : null;

const DENSE: ReadonlySet<number> = new Set([
  OID.vector,
  OID.halfvec,
  OID.f8_vector,
  OID.u8_vector,
  OID.i8_vector,
]);

function vectorSources({ arms }: Scan, run: Run): readonly VectorSource[] {
  const sources = arms.flatMap((arm): VectorSource[] => {
    if (arm.kind !== 'semantic' && arm.kind !== 'vector') return [];
    const found = findIndex(run.snapshot.catalog, arm.index);
    const [attribute = 0] = found?.index.columns ?? [];
    if (found?.index.kind === 'semantic') return [{ index: arm.index, attribute: 0 }];
    const type = found && columnByAttribute(found.relation, attribute)?.type.oid;
    return DENSE.has(type ?? 0) ? [{ index: arm.index, attribute }] : [];
  });
  if (sources.length > 0) return sources;
  throw new SqlError(
    'wrong_object_type',
    'diversity needs a semantic column or a column of vectors that is searched',
    {
      hint: 'Rows are compared by their stored vectors.',
    },
  );
}
