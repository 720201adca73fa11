/** Bytes in shared memory, and numbers in them. */

/** The bytes in shared memory, copied unless they are there already and aligned for numbers. */
export function shareBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer && bytes.byteOffset % 4 === 0) return bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** The least width that holds the values, as `ByteWriter.writeNumbers` takes it. */
export function widthOf(largest: number): number {
  if (largest < 0x100) return 0;
  return largest < 0x10000 ? 1 : 2;
}

/** The same bytes as unsigned 32-bit numbers; they must be aligned. */
export function asUint32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
