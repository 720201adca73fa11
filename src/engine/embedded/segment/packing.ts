/**
 * Sections made smaller for the disk, block by block, by zstd: columns repeat themselves, and offsets, NULLs and small
 * numbers are mostly zeros. A section that is little smaller stays as it is: codes of vectors, say. Offsets are packed as
 * the differences between them, which repeat themselves where lengths do.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { BLOCK_BYTES } from '../../../limits.ts';

/** Form in which bytes are packed; null: as they are. `deltas`: 32-bit numbers less the one before in the block. */
export type PackedAs = 'deltas' | null;

/** A section's blocks one after another; `ends` are theirs, in bytes. */
export interface PackedSection {
  readonly as: PackedAs;
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** The quickest level: others take several times as long for a few percent. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** A section is packed where its first block becomes smaller than this share. */
const SHARE_MAX = 3 / 4;
const SECTION_BYTES_MIN = 256;

/** Null where that does not pay. A block that does not become smaller stays as it is. */
export function packSection(section: Uint8Array, as: PackedAs = null): PackedSection | null {
  if (section.length < SECTION_BYTES_MIN) return null;
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < section.length; at += BLOCK_BYTES) {
    // A copy: zstd takes no shared memory.
    const block = new Uint8Array(section.subarray(at, at + BLOCK_BYTES));
    const packed = zstdCompressSync(as === 'deltas' ? deltasOf(block) : block, OPTIONS);
    if (at === 0 && packed.length > SHARE_MAX * block.length) return null;
    blocks.push(packed.length < block.length ? packed : block);
  }
  return { as, ...joined(blocks) };
}

const wordsOf = ({ buffer, byteOffset, length }: Uint8Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length / 4);

function deltasOf(block: Uint8Array): Uint8Array {
  const deltas = wordsOf(block).map((number, i, numbers) => number - (numbers[i - 1] ?? 0));
  return new Uint8Array(deltas.buffer);
}

function joined(blocks: readonly Uint8Array[]): Omit<PackedSection, 'as'> {
  const ends = new Uint32Array(blocks.length);
  let size = 0;
  for (const [i, block] of blocks.entries()) {
    size += block.length;
    ends[i] = size;
  }
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  for (const [i, block] of blocks.entries()) bytes.set(block, (ends[i] as number) - block.length);
  return { bytes, ends };
}

/** @param size of the block as it was. @throws Error for what is no such block. */
export function unpackBlock(packed: Uint8Array, size: number, as: PackedAs = null): Uint8Array {
  const plain = zstdDecompressSync(packed, { maxOutputLength: size });
  if (as === null) return plain;
  const bytes = new Uint8Array(plain);
  const numbers = wordsOf(bytes);
  for (let i = 1; i < numbers.length; i++) numbers[i] = (numbers[i] as number) + (numbers[i - 1] as number);
  return bytes;
}
