/**
 * Content of one page, as it is shown: glyphs, rules, filled boxes and images in points from the top left. Made from
 * operators by following PDF's graphics and text state (ISO 32000-2, 8.4 and 9.3).
 */
import { apply, IDENTITY, type Matrix, multiply } from './matrix.ts';
import { addPath, type Ink, pathBounds, takeImage } from './ink.ts';
import type { Box } from '../../document.ts';
import { type FontFace, OPERATORS, type PdfPage, type ShownGlyph } from './pdfjs.ts';

/** Direction in which a line of text runs on the page: 0 to the right, 1 down, 2 to the left, 3 up. */
export type Quarter = 0 | 1 | 2 | 3;

export interface Glyph {
  readonly text: string;
  /** Place where it begins on its baseline. */
  readonly x: number;
  readonly y: number;
  /** How far the next glyph is without spacing, along the line. */
  readonly advance: number;
  /** Size of the font as shown. */
  readonly size: number;
  readonly face: FontFace;
  readonly quarter: Quarter;
  /** `#rrggbb`. */
  readonly color: string;
  /** Text that is not painted, as OCR leaves it over a scan. */
  readonly isHidden: boolean;
}

export interface PageContent extends Ink {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly glyphs: readonly Glyph[];
  /** Somewhere it paints a gradient, whose bounds are not followed. */
  readonly hasShading: boolean;
}

interface TextState {
  font: FontFace | null;
  size: number;
  characterSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
  mode: number;
}

interface GraphicsState {
  ctm: Matrix;
  text: TextState;
  fill: string;
  stroke: string;
  lineWidth: number;
  /** Nothing is painted outside it. */
  clip: Box | null;
}

/** Invisible text (9.3.6). */
const MODE_HIDDEN = 3;
/** Saved states one in the other; a file that saves without end keeps the last. */
const STATES_MAX = 512;

class Interpreter {
  readonly glyphs: Glyph[] = [];
  readonly ink: Ink = { rules: [], fills: [], images: [], curves: [] };
  readonly page: PdfPage;
  state: GraphicsState;
  readonly saved: GraphicsState[] = [];
  textMatrix: Matrix = IDENTITY;
  lineMatrix: Matrix = IDENTITY;
  /** The matrix since whose change nothing was painted, when that change came right after a save. */
  pendingImage: Matrix | null = null;
  /** The next path bounds what is painted after it. */
  isClipping = false;
  hasShading = false;

  constructor(page: PdfPage) {
    this.page = page;
    const text = {
      font: null,
      size: 0,
      characterSpacing: 0,
      wordSpacing: 0,
      scale: 1,
      leading: 0,
      rise: 0,
      mode: 0,
    };
    const colors = { fill: '#000000', stroke: '#000000' };
    this.state = { ctm: page.transform, text, ...colors, lineWidth: 1, clip: null };
  }

  save(): void {
    if (this.saved.length < STATES_MAX) this.saved.push({ ...this.state, text: { ...this.state.text } });
  }

  restore(): void {
    const state = this.saved.pop();
    if (state !== undefined) this.state = state;
  }

  transform(matrix: Matrix): void {
    this.state.ctm = multiply(this.state.ctm, matrix);
  }

  moveText(x: number, y: number): void {
    this.lineMatrix = multiply(this.lineMatrix, [1, 0, 0, 1, x, y]);
    this.textMatrix = this.lineMatrix;
  }

  setTextMatrix(matrix: Matrix): void {
    this.lineMatrix = matrix;
    this.textMatrix = matrix;
  }

  /** Paints glyphs and moves on by their widths (9.4.4). */
  show(items: readonly (ShownGlyph | number | null)[]): void {
    const { font, size, characterSpacing, wordSpacing, scale, rise } = this.state.text;
    if (font === null) return;
    const { isVertical, widthScale } = font;
    const matrix = multiply(this.state.ctm, this.textMatrix);
    const brush = this.brush(font, matrix);
    const [a, b, c, d] = matrix;
    let [x, y] = apply(matrix, 0, rise);
    let moved = 0;
    const move = (by: number): void => {
      moved += by;
      x += by * (isVertical ? c : a);
      y += by * (isVertical ? d : b);
    };
    for (const item of items) {
      if (item === null) continue;
      if (typeof item === 'number') {
        move((-item / 1000) * size * (isVertical ? 1 : scale));
        continue;
      }
      const width = isVertical ? -(item.vmetric?.[0] ?? -1000) : item.width;
      const length = width * widthScale * size;
      const step = isVertical ? length : length * scale;
      if (this.isOnPage(x, y) && this.isUnclipped(x, y, brush.look.size)) {
        this.glyphs.push({
          text: item.unicode,
          x,
          y,
          advance: Math.abs(step) * brush.stretch,
          ...brush.look,
        });
      }
      const spacing = characterSpacing + (item.isSpace ? wordSpacing : 0);
      move(isVertical ? -(length + spacing) : (length + spacing) * scale);
    }
    const shift: Matrix = isVertical ? [1, 0, 0, 1, 0, moved] : [1, 0, 0, 1, moved, 0];
    this.textMatrix = multiply(this.textMatrix, shift);
  }

  isOnPage(x: number, y: number): boolean {
    return x > -1 && y > -1 && x < this.page.width + 1 && y < this.page.height + 1;
  }

  /** True when a part of a glyph may lie in what is painted. */
  isUnclipped(x: number, y: number, size: number): boolean {
    const { clip } = this.state;
    if (clip === null) return true;
    return x > clip[0] - size && x < clip[2] + size && y > clip[1] - size && y < clip[3] + size;
  }

  narrow([left, top, right, bottom]: Box): void {
    const { clip } = this.state;
    this.state.clip =
      clip === null
        ? [left, top, right, bottom]
        : [
            Math.max(left, clip[0]),
            Math.max(top, clip[1]),
            Math.min(right, clip[2]),
            Math.min(bottom, clip[3]),
          ];
  }

  /** Style that glyphs of one operator have in common. */
  brush(face: FontFace, [a, b, c, d]: Matrix): { look: Look; stretch: number } {
    const { text, fill, stroke } = this.state;
    const sign = Math.sign(text.size || 1);
    // Vertical writing runs down its page: its line's direction is the text's own downwards.
    const quarter = face.isVertical ? quarterOf(-c, -d) : quarterOf(a * sign, b * sign);
    const height = Math.hypot(c, d);
    return {
      look: {
        size: Math.abs(text.size) * height,
        face,
        quarter,
        color: text.mode === 1 ? stroke : fill,
        isHidden: text.mode === MODE_HIDDEN,
      },
      stretch: face.isVertical ? height : Math.hypot(a, b),
    };
  }
}

type Look = Pick<Glyph, 'size' | 'face' | 'quarter' | 'color' | 'isHidden'>;

function quarterOf(x: number, y: number): Quarter {
  if (Math.abs(x) >= Math.abs(y)) return x >= 0 ? 0 : 2;
  return y > 0 ? 1 : 3;
}

type Step = (run: Interpreter, args: readonly unknown[]) => void;

const numberAt = (args: readonly unknown[], index: number): number => {
  const value = args[index];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};

const matrixOf = (value: unknown): Matrix => {
  const list = Array.from((value ?? []) as ArrayLike<number>);
  return list.length === 6 && list.every(Number.isFinite) ? (list as unknown as Matrix) : IDENTITY;
};

/** One row an operator that matters here; all others leave no mark. */
const STEPS: Readonly<Record<number, Step>> = {
  [OPERATORS.save]: (run) => run.save(),
  [OPERATORS.restore]: (run) => {
    takeImage(run.ink, run.pendingImage, run.page);
    run.restore();
  },
  [OPERATORS.transform]: (run, args) => run.transform(matrixOf(args)),
  [OPERATORS.paintFormXObjectBegin]: (run, args) => {
    run.save();
    run.transform(matrixOf(args[0]));
  },
  [OPERATORS.paintFormXObjectEnd]: (run) => run.restore(),
  [OPERATORS.beginGroup]: (run) => run.save(),
  [OPERATORS.endGroup]: (run) => run.restore(),
  [OPERATORS.beginAnnotation]: (run, args) => {
    run.save();
    run.state.ctm = run.page.transform;
    run.transform(matrixOf(args[2]));
    run.transform(matrixOf(args[3]));
  },
  [OPERATORS.endAnnotation]: (run) => run.restore(),
  [OPERATORS.setLineWidth]: (run, args) => {
    run.state.lineWidth = numberAt(args, 0);
  },
  [OPERATORS.setFillRGBColor]: (run, args) => {
    run.state.fill = String(args[0]);
  },
  [OPERATORS.setStrokeRGBColor]: (run, args) => {
    run.state.stroke = String(args[0]);
  },
  [OPERATORS.setFillColorN]: (run) => {
    run.state.fill = PATTERN;
  },
  [OPERATORS.shadingFill]: (run) => {
    run.hasShading = true;
  },
  [OPERATORS.clip]: (run) => {
    run.isClipping = true;
  },
  [OPERATORS.eoClip]: (run) => {
    run.isClipping = true;
  },
  [OPERATORS.setGState]: (run, args) => setGraphicsState(run, args[0] as readonly [string, unknown][]),
  [OPERATORS.beginText]: (run) => run.setTextMatrix(IDENTITY),
  [OPERATORS.setCharSpacing]: (run, args) => {
    run.state.text.characterSpacing = numberAt(args, 0);
  },
  [OPERATORS.setWordSpacing]: (run, args) => {
    run.state.text.wordSpacing = numberAt(args, 0);
  },
  [OPERATORS.setHScale]: (run, args) => {
    run.state.text.scale = numberAt(args, 0) / 100;
  },
  [OPERATORS.setLeading]: (run, args) => {
    run.state.text.leading = -numberAt(args, 0);
  },
  [OPERATORS.setFont]: (run, args) => setFont(run, args[0], numberAt(args, 1)),
  [OPERATORS.setTextRenderingMode]: (run, args) => {
    run.state.text.mode = numberAt(args, 0);
  },
  [OPERATORS.setTextRise]: (run, args) => {
    run.state.text.rise = numberAt(args, 0);
  },
  [OPERATORS.moveText]: (run, args) => run.moveText(numberAt(args, 0), numberAt(args, 1)),
  [OPERATORS.setLeadingMoveText]: (run, args) => {
    run.state.text.leading = numberAt(args, 1);
    run.moveText(numberAt(args, 0), numberAt(args, 1));
  },
  [OPERATORS.setTextMatrix]: (run, args) => run.setTextMatrix(matrixOf(args[0])),
  [OPERATORS.nextLine]: (run) => run.moveText(0, run.state.text.leading),
  [OPERATORS.showText]: (run, args) => run.show(args[0] as readonly ShownGlyph[]),
  [OPERATORS.constructPath]: (run, args) => {
    const { ctm, fill, stroke, lineWidth } = run.state;
    addPath(run.ink, args, { ctm, fill, stroke, lineWidth });
    const bounds = run.isClipping ? pathBounds(args, ctm) : null;
    if (bounds !== null) run.narrow(bounds);
    run.isClipping = false;
  },
};

/** A pattern is of no one colour, and never the paper's. */
const PATTERN = '#808080';

function setGraphicsState(run: Interpreter, entries: readonly (readonly [string, unknown])[]): void {
  for (const [name, value] of entries) {
    if (name === 'LW') run.state.lineWidth = Number(value);
    if (name === 'Font' && Array.isArray(value)) setFont(run, value[0], Number(value[1]));
  }
}

function setFont(run: Interpreter, name: unknown, size: number): void {
  run.state.text.font = run.page.fontFace(String(name));
  run.state.text.size = size;
}

/** Between a transformation and a restore these leave the suspicion of an image standing. */
const SILENT = new Set<number>([OPERATORS.setGState, OPERATORS.dependency]);

export function readContent(page: PdfPage): PageContent {
  const run = new Interpreter(page);
  for (let index = 0; index < page.functions.length; index++) {
    const operator = page.functions[index] as number;
    STEPS[operator]?.(run, (page.args[index] ?? []) as readonly unknown[]);
    if (operator === OPERATORS.transform) run.pendingImage = run.state.ctm;
    else if (!SILENT.has(operator)) run.pendingImage = null;
  }
  const { number, width, height } = page;
  return { number, width, height, glyphs: run.glyphs, hasShading: run.hasShading, ...run.ink };
}
