/**
 * Writes an ONNX model: protocol buffers by hand, as few of its messages as an encoder needs.
 * Source: onnx.proto3 of ONNX 1.17 (field numbers) and contrib operators of ONNX Runtime.
 */

/** TensorProto.DataType. */
export const ELEMENT = { float: 1, uint8: 2, int64: 7, int4: 22 } as const;
/** AttributeProto.AttributeType. */
const ATTRIBUTE = { float: 1, int: 2, ints: 7 } as const;

const VARINT = 0;
const FIXED32 = 5;
const BYTES = 2;

export interface OnnxTensor {
  readonly name: string;
  readonly element: number;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Whole numbers, lists of them, or `{ float }`. */
  readonly attributes?: Readonly<Record<string, number | readonly number[] | { readonly float: number }>>;
  /** `com.microsoft`: of ONNX Runtime alone. */
  readonly isContrib?: boolean;
}

export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly tensors: readonly OnnxTensor[];
  /** Shapes; a text is a size that differs from run to run. */
  readonly inputs: readonly { readonly name: string; readonly element: number; readonly shape: Shape }[];
  readonly outputs: readonly { readonly name: string; readonly element: number; readonly shape: Shape }[];
}

type Shape = readonly (number | string)[];

export function writeOnnx(graph: OnnxGraph, producer: string): Buffer {
  return message([
    [1, 10],
    [2, producer],
    [7, graphMessage(graph)],
    [8, message([[2, 21]])],
    [
      8,
      message([
        [1, 'com.microsoft'],
        [2, 1],
      ]),
    ],
  ]);
}

function graphMessage({ name, nodes, tensors, inputs, outputs }: OnnxGraph): Buffer {
  return message([
    ...nodes.map((node): Field => [1, nodeMessage(node)]),
    [2, name],
    ...tensors.map((tensor): Field => [5, tensorMessage(tensor)]),
    ...inputs.map((input): Field => [11, valueMessage(input)]),
    ...outputs.map((output): Field => [12, valueMessage(output)]),
  ]);
}

function nodeMessage({ operator, inputs, outputs, attributes = {}, isContrib = false }: OnnxNode): Buffer {
  return message([
    ...inputs.map((input): Field => [1, input]),
    ...outputs.map((output): Field => [2, output]),
    [3, outputs[0] ?? operator],
    [4, operator],
    ...Object.entries(attributes).map(([name, value]): Field => [5, attributeMessage(name, value)]),
    ...(isContrib ? [[7, 'com.microsoft'] satisfies Field] : []),
  ]);
}

function attributeMessage(
  name: string,
  value: number | readonly number[] | { readonly float: number },
): Buffer {
  if (typeof value === 'number')
    return message([
      [1, name],
      [3, value],
      [20, ATTRIBUTE.int],
    ]);
  if ('float' in value)
    return message([
      [1, name],
      [2, value],
      [20, ATTRIBUTE.float],
    ]);
  return message([[1, name], ...value.map((one): Field => [8, one]), [20, ATTRIBUTE.ints]]);
}

function tensorMessage({ name, element, shape, data }: OnnxTensor): Buffer {
  return message([...shape.map((size): Field => [1, size]), [2, element], [8, name], [9, data]]);
}

function valueMessage({ name, element, shape }: OnnxGraph['inputs'][number]): Buffer {
  const dimensions = shape.map(
    (size): Field => [1, message([typeof size === 'number' ? [1, size] : [2, size]])],
  );
  const tensor = message([
    [1, element],
    [2, message(dimensions)],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ]);
}

type Field = readonly [number: number, value: number | string | Uint8Array | { readonly float: number }];

function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.flatMap(([number, value]) => fieldBytes(number, value)));
}

function fieldBytes(number: number, value: Field[1]): Uint8Array[] {
  if (typeof value === 'number') return [varint((number << 3) | VARINT), varint(value)];
  if (typeof value === 'string') return fieldBytes(number, Buffer.from(value));
  if (value instanceof Uint8Array) return [varint((number << 3) | BYTES), varint(value.length), value];
  return [varint((number << 3) | FIXED32), Buffer.from(Float32Array.of(value.float).buffer)];
}

/** Whole numbers from 0; negative ones take ten bytes, as protocol buffers have it. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) {
      bytes.push(Number(rest));
      return Uint8Array.from(bytes);
    }
    bytes.push(Number(rest & 127n) | 128);
  }
}
