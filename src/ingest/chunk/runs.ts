/** Where the lines of a text stand on their pages: words side by side become one run. */
import { type Box, firstWordAfter, type PlacedText } from '../document.ts';

export interface Run {
  /** 1-based. */
  readonly page: number;
  /** UTF-16 offsets into the text. */
  readonly start: number;
  readonly end: number;
  readonly box: Box;
}

/** Runs of the words between two offsets, which are counted from the first of them. */
export function linesOf({ words }: PlacedText, from: number, to: number): readonly Run[] {
  if (words === null || words.boxes === null) return [];
  const runs: Run[] = [];
  for (let i = firstWordAfter(words, from); i < words.starts.length; i++) {
    const [start, end] = [words.starts[i] as number, words.ends[i] as number];
    if (end > to) break;
    if (start < from) continue;
    const page = words.pages[i] as number;
    const box = boxAt(words.boxes, i);
    const last = runs.at(-1);
    if (last !== undefined && last.page === page && isSameLine(last.box, box)) {
      runs[runs.length - 1] = { ...last, end: end - from, box: around(last.box, box) };
    } else runs.push({ page, start: start - from, end: end - from, box });
  }
  return runs;
}

const boxAt = (boxes: Float32Array, i: number): Box => [
  boxes[4 * i] as number,
  boxes[4 * i + 1] as number,
  boxes[4 * i + 2] as number,
  boxes[4 * i + 3] as number,
];

/** The next word of the same line begins to the right, at about the same height. */
function isSameLine(line: Box, word: Box): boolean {
  const height = Math.min(line[3] - line[1], word[3] - word[1]);
  const common = Math.min(line[3], word[3]) - Math.max(line[1], word[1]);
  return common > height / 2 && word[0] >= line[0] && word[0] - line[2] < 3 * height;
}

const around = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];
