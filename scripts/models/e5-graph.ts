/**
 * multilingual-e5-small as an ONNX graph: BERT's encoder over matrices of 4 bits, mean of the tokens, unit length.
 * Operators of ONNX Runtime's CPU provider read the 4 bits themselves (`MatMulNBits`, `GatherBlockQuantized`).
 */
import type { E5File, E5Tensor } from './e5-file.ts';
import { ELEMENT, type OnnxGraph, type OnnxNode, type OnnxTensor } from './onnx-writer.ts';

/** Numbers that share a scale. */
const BLOCK = 32;
/** A scale of two bytes, then 32 numbers of 4 bits. */
const BLOCK_BYTES = 18;
/** Rows of activations as int8 while they are multiplied. */
const ACCURACY_INT8 = 4;

export function e5Graph(file: E5File): OnnxGraph {
  const graph = new GraphBuilder(file);
  const embedded = graph.embed();
  let rows = graph.node(
    'LayerNormalization',
    [embedded, graph.floats('emb.ln.w'), graph.floats('emb.ln.b')],
    {
      epsilon: { float: file.epsilon },
    },
  );
  for (let layer = 0; layer < file.layers; layer++) rows = graph.layer(rows, `l${layer}`);
  graph.pool(rows);
  return {
    name: 'multilingual-e5-small',
    nodes: graph.nodes,
    tensors: graph.tensors,
    inputs: [{ name: 'input_ids', element: ELEMENT.int64, shape: [1, 'tokens'] }],
    outputs: [{ name: 'sentence_embedding', element: ELEMENT.float, shape: [1, file.hidden] }],
  };
}

class GraphBuilder {
  readonly nodes: OnnxNode[] = [];
  readonly tensors: OnnxTensor[] = [];
  readonly #file: E5File;

  constructor(file: E5File) {
    this.#file = file;
  }

  node(
    operator: string,
    inputs: readonly string[],
    attributes: NonNullable<OnnxNode['attributes']> = {},
    isContrib = false,
  ): string {
    const output = `${operator}_${this.nodes.length}`;
    this.nodes.push({ operator, inputs, outputs: [output], attributes, isContrib });
    return output;
  }

  /** Words, positions and the one token type, added up. */
  embed(): string {
    const { hidden, vocabulary, positions } = this.#file;
    const { codes, scales } = unpackRows(this.#tensor('emb.word'));
    const words = this.#add('emb.word', ELEMENT.int4, [vocabulary, hidden], signedNibbles(codes));
    const wordScales = this.#add(
      'emb.word.scales',
      ELEMENT.float,
      [vocabulary, hidden / BLOCK],
      bytesOf(scales),
    );
    const word = this.node(
      'GatherBlockQuantized',
      [words, 'input_ids', wordScales],
      { gather_axis: 0, quantize_axis: 1, block_size: BLOCK },
      true,
    );
    const [zero, one] = [this.#long('zero', 0), this.#long('one', 1)];
    const shape = this.node('Shape', ['input_ids'], { start: 1, end: 2 });
    const places = this.node('Slice', [this.floats('emb.pos', [positions, hidden]), zero, shape, zero, one]);
    const type = this.#tensor('emb.type');
    const first = this.#add('emb.type', ELEMENT.float, [hidden], type.bytes.subarray(0, hidden * 4));
    return this.node('Add', [this.node('Add', [word, places]), first]);
  }

  layer(rows: string, name: string): string {
    const { hidden, inner, heads, epsilon } = this.#file;
    const [q, k, v] = ['q', 'k', 'v'].map((part) => this.#multiply(rows, `${name}.${part}`, hidden, hidden));
    const attention = this.node('MultiHeadAttention', [q, k, v] as string[], { num_heads: heads }, true);
    const given = this.#multiply(attention, `${name}.ao`, hidden, hidden);
    const attended = this.#normalise(rows, given, `${name}.aln`, epsilon);
    const wide = this.node('Gelu', [this.#multiply(attended, `${name}.fi`, hidden, inner)], {}, true);
    return this.#normalise(
      attended,
      this.#multiply(wide, `${name}.fo`, inner, hidden),
      `${name}.oln`,
      epsilon,
    );
  }

  pool(rows: string): void {
    const mean = this.node('ReduceMean', [rows, this.#long('one', 1)], { keepdims: 0 });
    this.nodes.push({
      operator: 'LpNormalization',
      inputs: [mean],
      outputs: ['sentence_embedding'],
      attributes: { axis: 1, p: 2 },
    });
  }

  /** A tensor of float32 as it stands in the file. */
  floats(name: string, shape?: readonly number[]): string {
    const { bytes, count } = this.#tensor(name);
    return this.#add(name, ELEMENT.float, shape ?? [count], bytes);
  }

  #multiply(rows: string, name: string, inputs: number, outputs: number): string {
    const { codes, scales } = unpackRows(this.#tensor(`${name}.w`));
    const blocks = inputs / BLOCK;
    const matrix = this.#add(`${name}.w`, ELEMENT.uint8, [outputs, blocks, BLOCK / 2], codes);
    const scale = this.#add(`${name}.scales`, ELEMENT.float, [outputs * blocks], bytesOf(scales));
    const product = this.node(
      'MatMulNBits',
      [rows, matrix, scale],
      { K: inputs, N: outputs, bits: 4, block_size: BLOCK, accuracy_level: ACCURACY_INT8 },
      true,
    );
    return this.node('Add', [product, this.floats(`${name}.b`)]);
  }

  #normalise(rows: string, added: string, name: string, epsilon: number): string {
    const inputs = [rows, added, this.floats(`${name}.w`), this.floats(`${name}.b`)];
    return this.node('SkipLayerNormalization', inputs, { epsilon: { float: epsilon } }, true);
  }

  #long(name: string, value: number): string {
    return this.#add(name, ELEMENT.int64, [1], Buffer.from(BigInt64Array.of(BigInt(value)).buffer));
  }

  #add(name: string, element: number, shape: readonly number[], data: Uint8Array): string {
    if (!this.tensors.some((known) => known.name === name)) this.tensors.push({ name, element, shape, data });
    return name;
  }

  #tensor(name: string): E5Tensor {
    const tensor = this.#file.tensors.get(name);
    if (tensor === undefined) throw new Error(`the file has no tensor ${name}`);
    return tensor;
  }
}

/** Numbers 0 to 15 that stand for -8 to 7, two a byte, the earlier one in the low half; and a scale a block. */
function unpackRows({ name, isPacked, count, bytes }: E5Tensor): { codes: Uint8Array; scales: Float32Array } {
  if (!isPacked) throw new Error(`${name} is not in 4 bits`);
  const blocks = count / BLOCK;
  const codes = new Uint8Array(count / 2);
  const scales = new Float32Array(blocks);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let block = 0; block < blocks; block++) {
    const at = block * BLOCK_BYTES;
    scales[block] = view.getFloat16(at, true);
    const to = (block * BLOCK) / 2;
    // Byte j of a block holds its numbers j (low half) and j + 16.
    for (let j = 0; j < 16; j += 2) {
      const [a, b] = [view.getUint8(at + 2 + j), view.getUint8(at + 3 + j)];
      codes[to + j / 2] = (a & 15) | ((b & 15) << 4);
      codes[to + 8 + j / 2] = (a >> 4) | (b & 0xf0);
    }
  }
  return { codes, scales };
}

/** As numbers of 4 bits with a sign: less 8 is the highest bit turned round. */
const signedNibbles = (codes: Uint8Array): Uint8Array => codes.map((byte) => byte ^ 0x88);

const bytesOf = (floats: Float32Array): Uint8Array =>
  new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
