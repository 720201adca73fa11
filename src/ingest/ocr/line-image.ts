/** Boxes cut out of an image, turned level and scaled, as the models take them. */
import type { Raster } from '../image/raster.ts';
import type { TextBox } from './text-boxes.ts';

/** Three planes (blue, green, red) of `height` rows of `width`, each value from -1 to 1. */
export interface LineImage {
  readonly width: number;
  readonly data: Float32Array;
}

/** Quarters clockwise by which what is cut out was turned on the page. */
export type Turn = 0 | 1 | 2 | 3;

/** Width and height of a box as its text runs. */
export const sidesOf = ({ width, height }: TextBox, turn: Turn): readonly [number, number] =>
  turn % 2 === 0 ? [width, height] : [height, width];

export interface Cut {
  readonly box: TextBox;
  readonly turn: Turn;
  /** In pixels of the result. */
  readonly width: number;
  readonly height: number;
}

/** Pixels that a box is wide when it is scaled to a height. */
export function widthAt(box: TextBox, turn: Turn, height: number): number {
  const [across, down] = sidesOf(box, turn);
  return Math.max(WIDTH_MIN, Math.round((across * height) / down));
}

const WIDTH_MIN = 8;
const CHANNELS = 3;
/** Bilinear samples a pixel and side, where an image is made smaller. */
const SAMPLES_MAX = 4;

export function cutOut(image: Raster, { box, turn, width, height }: Cut): LineImage {
  const [across, down] = sidesOf(box, turn);
  const data = new Float32Array(CHANNELS * width * height);
  const angle = box.angle + (turn * Math.PI) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [stepX, stepY] = [across / width, down / height];
  const samples = Math.max(1, Math.min(SAMPLES_MAX, Math.floor(Math.max(stepX, stepY) + 0.3)));
  const plane = width * height;
  const sums: Sums = { red: 0, green: 0, blue: 0 };
  const scale = 2 / 255 / (samples * samples);
  for (let row = 0, at = 0; row < height; row++) {
    for (let column = 0; column < width; column++, at++) {
      sums.red = 0;
      sums.green = 0;
      sums.blue = 0;
      for (let k = 0; k < samples * samples; k++) {
        const u = (column + ((k % samples) + 0.5) / samples) * stepX - across / 2;
        const v = (row + (Math.floor(k / samples) + 0.5) / samples) * stepY - down / 2;
        addPixel(image, box.x + u * cos - v * sin - 0.5, box.y + u * sin + v * cos - 0.5, sums);
      }
      data[at] = sums.blue * scale - 1;
      data[at + plane] = sums.green * scale - 1;
      data[at + 2 * plane] = sums.red * scale - 1;
    }
  }
  return { width, data };
}

interface Sums {
  red: number;
  green: number;
  blue: number;
}

/** Bilinear; places outside are those of the edge. */
function addPixel({ width, height, rgba }: Raster, x: number, y: number, sums: Sums): void {
  const left = Math.max(0, Math.min(width - 1, Math.floor(x)));
  const top = Math.max(0, Math.min(height - 1, Math.floor(y)));
  const right = Math.min(width - 1, left + 1);
  const bottom = Math.min(height - 1, top + 1);
  const [fx, fy] = [Math.max(0, Math.min(1, x - left)), Math.max(0, Math.min(1, y - top))];
  const a = 4 * (top * width + left);
  const b = 4 * (top * width + right);
  const c = 4 * (bottom * width + left);
  const d = 4 * (bottom * width + right);
  const [wa, wb, wc, wd] = [(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy];
  const mix = (of: number): number =>
    wa * (rgba[a + of] as number) +
    wb * (rgba[b + of] as number) +
    wc * (rgba[c + of] as number) +
    wd * (rgba[d + of] as number);
  sums.red += mix(0);
  sums.green += mix(1);
  sums.blue += mix(2);
}
