/**
 * The access method of vectors structures: how they are made, loaded, merged and asked.
 */
import { assert } from '../assert.ts';
import type { MergeInput, StructureMethod } from './structure.ts';
import { prepareVectorQuery } from './vector-query.ts';
import { VectorsStructure } from './vectors.ts';

export const VECTORS: StructureMethod = {
  head: (options) => new VectorsStructure(options.dimension),

  load(options, sections, rowCount) {
    const structure = new VectorsStructure(options.dimension);
    structure.load(sections, rowCount);
    return structure;
  },

  merge(options, inputs, rowCount) {
    const sources = sourcesByNewRow(inputs, rowCount);
    let entries = 0;
    for (const { structure, rowMap } of inputs) {
      for (let row = 0; row < rowMap.length; row++) {
        if ((rowMap[row] as number) >= 0) entries += (structure as VectorsStructure).rowFloats(row).count;
      }
    }
    const merged = new VectorsStructure(options.dimension);
    merged.reserve(rowCount, entries);
    for (let row = 0; row < rowCount; row++) {
      const source = sources.part[row] as number;
      const structure = inputs[source - 1]?.structure as VectorsStructure | undefined;
      const { floats, count } = structure?.rowFloats(sources.row[row] as number) ?? NO_VECTORS;
      merged.appendRow(floats, count);
    }
    return merged;
  },

  prepare(options, request) {
    assert(request.kind === 'vector', 'a vectors structure answers vector requests');
    return prepareVectorQuery(options, request);
  },
};

const NO_VECTORS = { floats: new Float32Array(0), count: 0 };

/** Where each new row comes from: input number + 1 (0: nowhere, the row is NULL) and its row there. */
function sourcesByNewRow(inputs: readonly MergeInput[], rowCount: number) {
  const part = new Uint32Array(rowCount);
  const row = new Uint32Array(rowCount);
  for (const [input, { rowMap }] of inputs.entries()) {
    for (let from = 0; from < rowMap.length; from++) {
      const to = rowMap[from] as number;
      if (to < 0) continue;
      part[to] = input + 1;
      row[to] = from;
    }
  }
  return { part, row };
}
