/** Sealing: what goes in comes out, and nothing else does. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packOperations, unpackOperations } from './packed-operations.ts';
import { deriveKey, NameHash, SealError, Sealer } from './seal.ts';

const master = new Uint8Array(randomBytes(32));
const identity = new Uint8Array([1, 2, 3]);

test('opens what it sealed, of any length', () => {
  const sealer = new Sealer(deriveKey(master, 'blocks'));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (plain) => {
      expect(new Uint8Array(sealer.open(sealer.seal(plain, identity), identity))).toEqual(plain);
    }),
  );
});

test('another key, identity, purpose or bit does not open', () => {
  const sealer = new Sealer(deriveKey(master, 'blocks'));
  const sealed = sealer.seal(new Uint8Array(100), identity);
  const others = [new Sealer(deriveKey(master, 'meta')), new Sealer(deriveKey(new Uint8Array(32), 'blocks'))];
  for (const other of others) expect(() => other.open(sealed, identity)).toThrow(SealError);
  expect(() => sealer.open(sealed, new Uint8Array([1, 2, 4]))).toThrow(SealError);
  for (const at of [0, 12, 60, sealed.length - 1]) {
    const changed = sealed.slice();
    changed[at] = (changed[at] as number) ^ 1;
    expect(() => sealer.open(changed, identity)).toThrow(SealError);
  }
  expect(() => sealer.open(sealed.subarray(0, 20), identity)).toThrow(SealError);
});

test('never seals the same value to the same bytes', () => {
  const sealer = new Sealer(deriveKey(master, 'blocks'));
  const sealed = new Set<string>();
  for (let i = 0; i < 2000; i++) {
    sealed.add(Buffer.from(sealer.seal(identity, identity).subarray(0, 12)).toString('hex'));
  }
  expect(sealed.size).toBe(2000);
});

test('names are 16 bytes and depend on the key', () => {
  const names = new NameHash(deriveKey(master, 'names'));
  expect(names.hash('b1')).toHaveLength(16);
  expect(names.hash('b1')).toBe(names.hash('b1'));
  expect(names.hash('b1')).not.toBe(new NameHash(deriveKey(master, 'other')).hash('b1'));
});

test('packed operations come out as they went in', () => {
  const key = Uint8Array.of(5, 6);
  const packed = packOperations([
    { kind: 'put', space: 'meta', key, value: Uint8Array.of(9) },
    { kind: 'remove', space: 'keys', key },
    { kind: 'put', space: 'blocks', key: new Uint8Array(0), value: new Uint8Array(0) },
  ]);
  const unpacked = [...unpackOperations(packed)].map(({ key: k, value }) => [[...k], value && [...value]]);
  expect(unpacked).toEqual([
    [[1, 5, 6], [9]],
    [[7, 5, 6], null],
    [[4], []],
  ]);
});
