/**
 * A growing run of bytes and little-endian numbers.
 */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  writeBytes(bytes: Uint8Array): void {
    if (this.#size + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  writeUint32(value: number): void {
    if (this.#size + 4 > this.#bytes.length) this.#grow(4);
    this.#view.setUint32(this.#size, value, true);
    this.#size += 4;
  }

  /**
   * The first one at a multiple of 4.
   * @param width bytes of a number, as a power of two: 0, 1 or 2.
   * @returns where it lies.
   */
  writeNumbers(values: ArrayLike<number>, width: number): number {
    const start = (this.#size + 3) & ~3;
    const size = values.length << width;
    if (start + size > this.#bytes.length) this.#grow(size + 3);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      const at = start + (i << width);
      if (width === 0) this.#bytes[at] = value;
      else if (width === 1) this.#view.setUint16(at, value, true);
      else this.#view.setUint32(at, value, true);
    }
    this.#size = start + size;
    return start;
  }

  /** A copy in shared memory. */
  toShared(): Uint8Array {
    const shared = new Uint8Array(new SharedArrayBuffer(this.#size));
    shared.set(this.#bytes.subarray(0, this.#size));
    return shared;
  }

  #grow(missing: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + missing));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** The bytes in shared memory, copied unless they are there already and aligned for numbers. */
export function shareBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer && bytes.byteOffset % 4 === 0) return bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** The least width that holds the values, as `writeNumbers` takes it. */
export function widthOf(largest: number): number {
  if (largest < 0x100) return 0;
  return largest < 0x10000 ? 1 : 2;
}

/** The same bytes as unsigned 32-bit numbers; they must be aligned. */
export function asUint32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
