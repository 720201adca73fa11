/**
 * A growing run of bytes with variable-length integers: seven bits a byte, low bits first.
 */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param value 0 .. 2^32 - 1. */
  writeVarint(value: number): void {
    if (this.#size + 5 > this.#bytes.length) this.#grow(5);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#size++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#size++] = rest;
  }

  writeBytes(bytes: Uint8Array): void {
    if (this.#size + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  writeUint32(value: number): void {
    if (this.#size + 4 > this.#bytes.length) this.#grow(4);
    new DataView(this.#bytes.buffer).setUint32(this.#size, value, true);
    this.#size += 4;
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
  }
}

/** The bytes in shared memory, copied unless they are there already and aligned for numbers. */
export function shareBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer && bytes.byteOffset % 4 === 0) return bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** The same bytes as unsigned 32-bit numbers; they must be aligned. */
export function asUint32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
