/** An image's words with their places: lines are found, the page is turned upright, lines are read by their widths. */
import type { Raster } from '../image/raster.ts';
import { cutOut, type LineImage, sidesOf, type Turn, widthAt } from './line-image.ts';
import { type LineWord, wordsOfLine } from './line-words.ts';
import { LINE_HEIGHT, type OcrModels, STEP, UPRIGHT_WIDTH } from './models.ts';
import { type TextBox, textBoxes } from './text-boxes.ts';

export interface ReadLine {
  /** In pixels of the image. */
  readonly box: TextBox;
  readonly turn: Turn;
  /** Shares of the box's length, from where the text begins. */
  readonly words: readonly LineWord[];
  /** Mean of its characters' probabilities. */
  readonly confidence: number;
}

export interface ReadImage {
  /** Quarters clockwise by which the text is turned. */
  readonly turn: Turn;
  readonly lines: readonly ReadLine[];
}

/** Larger images are searched for lines at this size; they are read at their own. */
const SEARCH_SIDE_MAX = 1_280;
const SEARCH_SIDE_MIN = 736;
const SIDE_UNIT = 32;
const LINE_WIDTH_MAX = 2_400;
/** Lines are made narrower by this: as many words right (.7 loses 1 in 200), in a fifth less time. */
const NARROWING = 0.8;
/** Pixels of lines that are read in one run: 6 lines of 640. */
const BATCH_WIDTH_MAX = 3_840;
const CONFIDENCE_MIN = 0.5;
/** A box that is taller by this may hold text that runs up or down; a lone one must be taller, or is a digit. */
const TALL_MIN = 1.5;
const LONE_TALL_MIN = 2.5;
const VOTERS_MAX = 12;
const VOTE_MIN = 0.7;

/** @param onStep told after each part of the work, some seconds apart. */
export async function readImage(models: OcrModels, image: Raster, onStep?: () => void): Promise<ReadImage> {
  const boxes = await findBoxes(models, image);
  onStep?.();
  const { turn, turns } = await turnsOf(models, image, boxes);
  const cuts = boxes.map((box, index): LineCut => {
    const own = turns[index] as Turn;
    const width = Math.min(LINE_WIDTH_MAX, Math.round(NARROWING * widthAt(box, own, LINE_HEIGHT)));
    return { box, turn: own, width };
  });
  cuts.sort((a, b) => a.width - b.width);
  const lines: ReadLine[] = [];
  for (const batch of batchesOf(cuts)) {
    const images = batch.map((cut) => cutOut(image, { ...cut, height: LINE_HEIGHT }));
    const read = await models.recognise(images);
    onStep?.();
    for (const [index, steps] of read.entries()) {
      const { box, turn: own, width } = batch[index] as LineCut;
      const { words, confidence } = wordsOfLine(steps, models.characters, width / STEP);
      if (words.length > 0 && confidence >= CONFIDENCE_MIN) lines.push({ box, turn: own, words, confidence });
    }
  }
  return { turn, lines };
}

interface LineCut {
  readonly box: TextBox;
  readonly turn: Turn;
  readonly width: number;
}

/** Lines of about the same width, as many as fit. */
function* batchesOf(cuts: readonly LineCut[]): Generator<LineCut[]> {
  let batch: LineCut[] = [];
  for (const cut of cuts) {
    if (batch.length > 0 && (batch.length + 1) * cut.width > BATCH_WIDTH_MAX) {
      yield batch;
      batch = [];
    }
    batch.push(cut);
  }
  if (batch.length > 0) yield batch;
}

async function findBoxes(models: OcrModels, image: Raster): Promise<TextBox[]> {
  const least = SEARCH_SIDE_MIN / Math.min(image.width, image.height);
  const most = SEARCH_SIDE_MAX / Math.max(image.width, image.height);
  const scale = Math.min(most, Math.max(1, least));
  const unit = (side: number): number =>
    Math.max(SIDE_UNIT, Math.round((side * scale) / SIDE_UNIT) * SIDE_UNIT);
  const [width, height] = [unit(image.width), unit(image.height)];
  const whole = {
    x: image.width / 2,
    y: image.height / 2,
    width: image.width,
    height: image.height,
    angle: 0,
  };
  const { data } = cutOut(image, { box: whole, turn: 0, width, height });
  const map = await models.detect(data, width, height);
  const [across, down] = [image.width / width, image.height / height];
  return textBoxes(map).map((box) => ({
    ...box,
    x: box.x * across,
    y: box.y * down,
    width: box.width * across,
    height: box.height * down,
  }));
}

interface Turns {
  /** Turn of most of the text. */
  readonly turn: Turn;
  /** Turns of each box. */
  readonly turns: readonly Turn[];
}

async function turnsOf(models: OcrModels, image: Raster, boxes: readonly TextBox[]): Promise<Turns> {
  const tallness = boxes.map(({ width, height }) => height / width);
  const lengthOf = (test: (ratio: number) => boolean): number =>
    boxes.reduce(
      (sum, { width, height }, i) => sum + (test(tallness[i] as number) ? Math.max(width, height) : 0),
      0,
    );
  const isSideways = lengthOf((ratio) => ratio > TALL_MIN) > lengthOf((ratio) => ratio < 1 / TALL_MIN);
  const base: Turn = isSideways ? 1 : 0;
  const isOther = tallness.map((ratio) => (isSideways ? 1 / ratio : ratio) > LONE_TALL_MIN);
  const most = boxes
    .filter((_, i) => !isOther[i])
    .sort((a, b) => longSide(b) - longSide(a))
    .slice(0, VOTERS_MAX);
  const votes = await upsideDown(
    models,
    image,
    most.map((box) => ({ box, turn: base })),
  );
  const isUpsideDown =
    votes.reduce((sum, vote) => sum + Math.sign(vote - 0.5), 0) > 0 && votes.some((vote) => vote > VOTE_MIN);
  const turn = turned(base, isUpsideDown ? 2 : 0);
  const others = boxes.filter((_, i) => isOther[i]).map((box) => ({ box, turn: turned(turn, 1) }));
  const opposed = await upsideDown(models, image, others);
  let next = 0;
  const turns = isOther.map((other) => {
    if (!other) return turn;
    return turned(turn, (opposed[next++] as number) > 0.5 ? 3 : 1);
  });
  return { turn, turns };
}

const middleOf = (box: TextBox, turn: Turn, length: number): TextBox =>
  turn % 2 === 0
    ? { ...box, width: Math.min(box.width, length) }
    : { ...box, height: Math.min(box.height, length) };

const longSide = ({ width, height }: TextBox): number => Math.max(width, height);
const turned = (turn: Turn, by: number): Turn => ((turn + by) % 4) as Turn;

/** Probabilities that lines stand on their heads, by the middle of each: all of a long one would be squeezed. */
async function upsideDown(
  models: OcrModels,
  image: Raster,
  lines: readonly { readonly box: TextBox; readonly turn: Turn }[],
): Promise<number[]> {
  const found: number[] = [];
  for (let start = 0; start < lines.length; start += VOTERS_MAX) {
    const images: LineImage[] = lines.slice(start, start + VOTERS_MAX).map(({ box, turn }) => {
      const [, height] = sidesOf(box, turn);
      const part = middleOf(box, turn, (height * UPRIGHT_WIDTH) / LINE_HEIGHT);
      const width = Math.min(UPRIGHT_WIDTH, widthAt(part, turn, LINE_HEIGHT));
      return cutOut(image, { box: part, turn, width, height: LINE_HEIGHT });
    });
    found.push(...(await models.upsideDown(images)));
  }
  return found;
}
