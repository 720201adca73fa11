/** Which images of the pages are content: strips of one put together, decorations and logos left out. */
import type { Box } from '../../document.ts';
import type { RawImage, RawPage } from './raw-page.ts';

const SAME_EDGE = 2;
/** A page of more (a pattern) is not looked through. */
const TILES_MAX = 400;
const TILED_MIN = 0.9;

/** Images that were cut into strips or tiles, whole. */
export function mergeTiles(boxes: readonly Box[]): Box[] {
  if (boxes.length > TILES_MAX) return [];
  const found: Box[] = [];
  for (const box of boxes) {
    let whole = box;
    for (let at = touching(found, whole); at >= 0; at = touching(found, whole)) {
      whole = union(found[at] as Box, whole);
      found.splice(at, 1);
    }
    found.push(whole);
  }
  return found;
}

/** One that with the box fills theirs together, so that nothing is between them. */
const touching = (found: readonly Box[], box: Box): number =>
  found.findIndex((other) => {
    const all = union(other, box);
    const overlap: Box = [
      Math.max(other[0], box[0]),
      Math.max(other[1], box[1]),
      Math.min(other[2], box[2]),
      Math.min(other[3], box[3]),
    ];
    const isNear = overlap[2] > overlap[0] - SAME_EDGE && overlap[3] > overlap[1] - SAME_EDGE;
    return isNear && areaOf(other) + areaOf(box) - areaOf(overlap) > TILED_MIN * areaOf(all);
  });

const union = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

const areaOf = ([left, top, right, bottom]: Box): number =>
  Math.max(0, right - left) * Math.max(0, bottom - top);

/** Points. */
const SIDE_MIN = 14;
const AREA_MIN = 900;
const REPEATED_PAGES_MIN = 3;
/** Share of its page above which a repeated one is what the page is: a scan. */
const LOGO_SHARE_MAX = 0.25;

/** Images of one document. */
const IMAGES_COUNT_MAX = 2_000;

export interface LeftOut {
  /** Lines, marks and letters; what several pages show at the same place; what is too many. */
  readonly images: ReadonlySet<RawImage>;
  readonly problems: readonly string[];
}

export function imagesLeftOut(pages: readonly RawPage[]): LeftOut {
  const decorations = decorationsOf(pages);
  const content = pages
    .flatMap(({ elements }) => elements)
    .filter((one): one is RawImage => one.kind === 'image' && !decorations.has(one));
  const more = content.slice(IMAGES_COUNT_MAX);
  const problem = `of ${content.length} images the first ${IMAGES_COUNT_MAX} are kept`;
  return { images: new Set([...decorations, ...more]), problems: more.length === 0 ? [] : [problem] };
}

function decorationsOf(pages: readonly RawPage[]): ReadonlySet<RawImage> {
  const images = pages.flatMap(({ page, elements }) =>
    elements.flatMap((one) => (one.kind === 'image' ? [{ image: one, page }] : [])),
  );
  const places = Map.groupBy(images, ({ image: { box } }) =>
    box.map((edge) => Math.round(edge / SAME_EDGE)).join(' '),
  );
  const isSmall = ({ box: [left, top, right, bottom] }: RawImage): boolean =>
    Math.min(right - left, bottom - top) < SIDE_MIN || (right - left) * (bottom - top) < AREA_MIN;
  const repeated = [...places.values()].filter((group) => {
    const { image, page } = group[0] as (typeof images)[number];
    return (
      group.length >= REPEATED_PAGES_MIN && areaOf(image.box) < LOGO_SHARE_MAX * page.width * page.height
    );
  });
  const bare = (image: RawImage): boolean => image.lines.length === 0;
  return new Set([
    ...images.map(({ image }) => image).filter((image) => bare(image) && isSmall(image)),
    ...repeated.flatMap((group) => group.map(({ image }) => image).filter(bare)),
  ]);
}
