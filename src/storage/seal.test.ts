/** Sealing: what goes in comes out, and nothing else does. */
import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packOperations, unpackOperations } from './packed-operations.ts';
import { deriveKey, markOf, NAME_WORDS, NameCipher, SealError, Sealer } from './seal.ts';

const master = new Uint8Array(randomBytes(32));
const identity = new Uint8Array([1, 2, 3]);

test('opens what it sealed, of any length', () => {
  const sealer = new Sealer(master, 'blocks');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (plain) => {
      expect(new Uint8Array(sealer.open(sealer.seal(plain, identity), identity))).toEqual(plain);
    }),
  );
});

test('another key, identity, purpose or bit does not open', () => {
  const sealer = new Sealer(master, 'blocks');
  const sealed = sealer.seal(new Uint8Array(100), identity);
  const others = [new Sealer(master, 'meta'), new Sealer(new Uint8Array(32), 'blocks')];
  for (const other of others) expect(() => other.open(sealed, identity)).toThrow(SealError);
  expect(() => sealer.open(sealed, new Uint8Array([1, 2, 4]))).toThrow(SealError);
  for (const at of [3, 4, 16, 60, sealed.length - 1]) {
    const changed = sealed.slice();
    changed[at] = (changed[at] as number) ^ 1;
    expect(() => sealer.open(changed, identity)).toThrow(SealError);
  }
  expect(() => sealer.open(sealed.subarray(0, 20), identity)).toThrow(SealError);
});

test('never seals the same value to the same bytes', () => {
  const sealer = new Sealer(master, 'blocks');
  const sealed = new Set<string>();
  for (let i = 0; i < 2000; i++) {
    sealed.add(markOf(sealer.seal(identity, identity)));
  }
  expect(sealed.size).toBe(2000);
});

test('names are CBC-MACs, the same alone and among others', () => {
  const key = deriveKey(master, 'names');
  const cipher = new NameCipher(key);
  const words = Uint32Array.from({ length: 4 * NAME_WORDS }, (_, i) => 3 * i);
  const starts = Uint32Array.of(0, 1, 1, 4);
  const names = cipher.names(words, starts);
  const mac = (from: number, to: number): number[] => {
    const cbc = createCipheriv('aes-256-cbc', key, new Uint8Array(16)).setAutoPadding(false);
    const blocks = cbc.update(new Uint8Array(words.buffer, 16 * from, 16 * (to - from)));
    return [...new Uint32Array(new Uint8Array(blocks.subarray(-16)).buffer)];
  };
  expect([...names]).toEqual([...mac(0, 1), 0, 0, 0, 0, ...mac(1, 4)]);
  expect(cipher.names(words.subarray(NAME_WORDS), Uint32Array.of(0, 3))).toEqual(names.subarray(8));
  expect(new NameCipher(deriveKey(master, 'other')).names(words, starts)).not.toEqual(names);
});

test('packed operations come out as they went in', () => {
  const key = Uint8Array.of(5, 6);
  const packed = packOperations([
    { kind: 'put', space: 'meta', key, value: Uint8Array.of(9) },
    { kind: 'remove', space: 'deletes', key },
    { kind: 'put', space: 'blocks', key: new Uint8Array(0), value: new Uint8Array(0) },
  ]);
  const unpacked = [...packed]
    .flatMap((piece) => [...unpackOperations(piece)])
    .map(({ key: k, value }) => [[...k], value && [...value]]);
  expect(unpacked).toEqual([
    [[1, 5, 6], [9]],
    [[6, 5, 6], null],
    [[4], []],
  ]);
});
