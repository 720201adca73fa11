/** Numbers of up to 32 bits, seven of them a byte, the lowest first (LEB128). */
import type { ByteWriter } from '../../../types/column/byte-writer.ts';

export function writeVarint(writer: ByteWriter, value: number): void {
  let rest = value;
  for (; rest > 127; rest >>>= 7) writer.writeByte((rest & 127) | 128);
  writer.writeByte(rest);
}

export class VarintReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  next(): number {
    let byte = this.bytes[this.at++] as number;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = this.bytes[this.at++] as number;
      value |= (byte & 127) << shift;
    }
    return value >>> 0;
  }
}
