/**
 * TIFF: pages that follow each other in a chain, decoded by `utif2`, whose one file this is. The chain is walked here
 * first, so that neither a loop in it nor a page of too many pixels reaches the package. TIFF 6.0, sections 2 and 8.
 */
import utif from 'utif2';
import { DocumentError } from '../document-error.ts';
import { checkPixels } from './image-header.ts';
import { type Picture, pictureOfRaster } from './raster.ts';
import { turnRaster } from './turn-raster.ts';

export interface TiffFile {
  readonly pageCount: number;
  /** @param index 0-based. @throws DocumentError damaged, limit_exceeded. */
  page(index: number): Picture;
}

interface Directory {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  /** As Exif has it. */
  readonly orientation: number;
}

const TAGS = { width: 256, height: 257, bitsPerSample: 258, orientation: 274, samples: 277 } as const;
const ENTRY_BYTES = 12;
const ENTRIES_MAX = 1_000;
/** Bits a pixel: four channels of 16. */
const PIXEL_BITS_MAX = 64;
/** Quarters clockwise; mirrored pictures are only turned. */
const QUARTERS: Readonly<Record<number, number>> = { 3: 2, 4: 2, 5: 1, 6: 1, 7: 3, 8: 3 };

/** @throws DocumentError damaged, limit_exceeded. */
export function openTiff(bytes: Uint8Array, pagesMax: number, pixelsMax: number): TiffFile {
  const directories = directoriesOf(bytes, pagesMax);
  const file = bytes.slice().buffer;
  const decoded = readable(() => utif.decode(file, { parseMN: false }));
  return {
    pageCount: directories.length,
    page: (index) => {
      const { orientation, bits, ...size } = directories[index] as Directory;
      checkPixels(size, pixelsMax);
      if (bits > PIXEL_BITS_MAX)
        throw new DocumentError('limit_exceeded', `a pixel of ${bits} bits is not read`);
      const one = decoded[index];
      if (one === undefined) throw new DocumentError('damaged', `page ${index + 1} of the TIFF is not there`);
      const rgba = readable(() => {
        utif.decodeImage(file, one);
        return utif.toRGBA8(one);
      });
      delete one.data;
      const raster = { ...size, rgba: new Uint8ClampedArray(rgba.buffer, rgba.byteOffset, rgba.byteLength) };
      return pictureOfRaster(turnRaster(raster, QUARTERS[orientation] ?? 0));
    },
  };
}

/** Turns the package's errors into faults of the file. */
function readable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new DocumentError('damaged', 'the TIFF cannot be decoded', { cause: error });
  }
}

function directoriesOf(bytes: Uint8Array, pagesMax: number): Directory[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = bytes[0] === 0x49;
  const found: Directory[] = [];
  const seen = new Set<number>();
  try {
    for (let at = view.getUint32(4, isLittle); at !== 0; ) {
      if (seen.has(at))
        throw new DocumentError('damaged', 'the pages of the TIFF follow each other in a circle');
      seen.add(at);
      if (found.length >= pagesMax) {
        throw new DocumentError('limit_exceeded', `the TIFF has more than ${pagesMax} pages`);
      }
      const count = view.getUint16(at, isLittle);
      if (count === 0 || count > ENTRIES_MAX) throw new RangeError('entries');
      found.push(directoryAt(view, at + 2, count, isLittle));
      at = view.getUint32(at + 2 + count * ENTRY_BYTES, isLittle);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DocumentError('damaged', 'the TIFF ends within its list of pages', { cause: error });
  }
  if (found.length === 0) throw new DocumentError('no_pages', 'the TIFF has no pages');
  return found;
}

const TYPE_SHORT = 3;
const TYPE_LONG = 4;

function directoryAt(view: DataView, start: number, count: number, isLittle: boolean): Directory {
  const values = new Map<number, number>();
  for (let i = 0, at = start; i < count; i++, at += ENTRY_BYTES) {
    const [tag, type] = [view.getUint16(at, isLittle), view.getUint16(at + 2, isLittle)];
    const length = view.getUint32(at + 4, isLittle);
    // Several numbers stand elsewhere: of bits a sample the first one is enough.
    const place = length * 2 > 4 && type === TYPE_SHORT ? view.getUint32(at + 8, isLittle) : at + 8;
    if (!Object.values<number>(TAGS).includes(tag) || length === 0) continue;
    if (type === TYPE_SHORT) values.set(tag, view.getUint16(place, isLittle));
    else if (type === TYPE_LONG) values.set(tag, view.getUint32(at + 8, isLittle));
  }
  const [width, height] = [values.get(TAGS.width) ?? 0, values.get(TAGS.height) ?? 0];
  if (width < 1 || height < 1)
    throw new DocumentError('damaged', 'the image says no size that it could have');
  const bits = (values.get(TAGS.bitsPerSample) ?? 1) * (values.get(TAGS.samples) ?? 1);
  return { width, height, bits, orientation: values.get(TAGS.orientation) ?? 1 };
}
