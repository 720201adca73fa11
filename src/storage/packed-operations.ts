/**
 * Operations of one write as byte strings, to be handed to the writer thread without a copy. Each is: key
 * size (2 bytes), value size (4 bytes, 0xffffffff for a removal), space byte and key, value.
 */
import { type Operation, SPACES } from './store.ts';

const HEADER_BYTES = 6;
const REMOVAL = 0xffffffff;

interface PackedOperation {
  /** Space byte and key. */
  readonly key: Uint8Array;
  /** Null: the key is removed. */
  readonly value: Uint8Array | null;
}

/** Bytes copied at a time: about a millisecond. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** The operations in order, in pieces of about PIECE_BYTES. */
export function* packOperations(operations: readonly Operation[]): Generator<Uint8Array<ArrayBuffer>> {
  let start = 0;
  let size = 0;
  for (let end = 0; end < operations.length; end++) {
    size += packedSize(operations[end] as Operation);
    if (size < PIECE_BYTES && end + 1 < operations.length) continue;
    yield packPiece(operations.slice(start, end + 1), size);
    start = end + 1;
    size = 0;
  }
}

const packedSize = (operation: Operation): number =>
  HEADER_BYTES + 1 + operation.key.length + (operation.kind === 'put' ? operation.value.length : 0);

function packPiece(operations: readonly Operation[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const operation of operations) {
    const value = operation.kind === 'put' ? operation.value : null;
    view.setUint16(at, operation.key.length + 1);
    view.setUint32(at + 2, value?.length ?? REMOVAL);
    at += HEADER_BYTES;
    bytes[at++] = SPACES[operation.space];
    bytes.set(operation.key, at);
    at += operation.key.length;
    if (value !== null) bytes.set(value, at);
    at += value?.length ?? 0;
  }
  return bytes;
}

/** A piece's operations in order, as views into it. */
export function* unpackOperations(bytes: Uint8Array): Generator<PackedOperation> {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = 0;
  while (at < bytes.length) {
    const keySize = view.getUint16(at);
    const valueSize = view.getUint32(at + 2);
    at += HEADER_BYTES;
    const key = bytes.subarray(at, at + keySize);
    at += keySize;
    const value = valueSize === REMOVAL ? null : bytes.subarray(at, at + valueSize);
    at += value?.length ?? 0;
    yield { key, value };
  }
}
