/** Image files: what their headers say, and what is refused before it is decoded. */
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { imageHeader, imageKind } from './image-header.ts';
import { KEPT_SIDE_MAX, keptPicture } from './kept-picture.ts';
import { decodePicture } from './raster.ts';

const PIXELS_MAX = 10_000_000;

function encoded(
  type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp',
  width = 40,
  height = 20,
): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ff0000';
  context.fillRect(0, 0, width / 2, height);
  return canvas.toBuffer(type as 'image/png');
}

/** Uncompressed, 24 bits a pixel. */
function bitmap(width: number, height: number): Buffer {
  const row = Math.ceil((3 * width) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0xff);
  bytes.write('BM', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.fill(0, 6, 54);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

/** A JPEG that says how it is to be turned. */
function turned(jpeg: Buffer, orientation: number): Buffer {
  const tiff = [
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    1,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ];
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), Buffer.from(tiff)]);
  const marker = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), marker, body, jpeg.subarray(2)]);
}

describe('an image file', () => {
  it.each([
    ['png', encoded('image/png')],
    ['jpeg', encoded('image/jpeg')],
    ['gif', encoded('image/gif')],
    ['webp', encoded('image/webp')],
    ['bmp', bitmap(40, 20)],
  ] as const)('of kind %s tells its size, and is decoded', async (kind, bytes) => {
    expect(imageKind(bytes)).toBe(kind);
    expect(imageHeader(bytes)).toEqual({ kind, width: 40, height: 20 });
    const { width, height } = await decodePicture(bytes, PIXELS_MAX);
    expect([width, height]).toEqual([40, 20]);
  });

  it('is turned as its Exif says', async () => {
    const picture = await decodePicture(turned(encoded('image/jpeg'), 6), PIXELS_MAX);
    expect([picture.width, picture.height]).toEqual([20, 40]);
    expect(picture.raster(20, 40).rgba[0]).toBeGreaterThan(240);
  });

  it('of too many pixels is refused by its header', async () => {
    const bomb = encoded('image/png');
    bomb.writeUInt32BE(100_000, 16);
    bomb.writeUInt32BE(90_000, 20);
    await expect(decodePicture(bomb, PIXELS_MAX)).rejects.toThrow(
      'the image has 100000 × 90000 pixels; at most 10 million are decoded',
    );
  });

  it.each([
    ['without a pixel', bitmap(0, 0)],
    ['cut within its header', encoded('image/jpeg').subarray(0, 30)],
    ['of a signature alone', encoded('image/webp').subarray(0, 12)],
    [
      'of a signature and rubbish',
      Buffer.concat([encoded('image/png').subarray(0, 30), Buffer.alloc(999, 7)]),
    ],
  ])('%s is an error that says so', async (_, bytes) => {
    await expect(decodePicture(bytes, PIXELS_MAX)).rejects.toThrow(
      /^the image (?:says no size|cannot be decoded)/,
    );
  });
});

it('of no known kind is an error that says so', () => {
  expect(() => imageHeader(Buffer.from('just a text'))).toThrow('the file does not begin as an image does');
});

describe('the picture that is kept', () => {
  it('is the file itself where it is small, and smaller where it is large', async () => {
    const small = encoded('image/png');
    expect(await keptPicture(small, PIXELS_MAX)).toEqual({
      mimeType: 'image/png',
      bytes: new Uint8Array(small),
    });
    const large = await keptPicture(encoded('image/png', 2 * KEPT_SIDE_MAX, 100), PIXELS_MAX);
    expect(large?.mimeType).toBe('image/jpeg');
    expect(imageHeader(large?.bytes ?? new Uint8Array())).toEqual({
      kind: 'jpeg',
      width: KEPT_SIDE_MAX,
      height: 50,
    });
    expect((await keptPicture(bitmap(40, 20), PIXELS_MAX))?.mimeType).toBe('image/jpeg');
  });

  it('is none of what is no image, or a bomb', async () => {
    expect(await keptPicture(Buffer.from('<svg/>'), PIXELS_MAX)).toBeNull();
    expect(await keptPicture(bitmap(40, 20), 10)).toBeNull();
  });
});
