/** PP-OCRv6's three graphs (`models/ocr`), loaded when a page first needs them: where text is, what it says, which way up. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type OnnxSession, openOnnx } from '../../inference/onnx-session.ts';
import type { LineImage } from './line-image.ts';
import type { ProbabilityMap } from './text-boxes.ts';

const FOLDER = new URL('../../../models/ocr/', import.meta.url);
const path = (name: string): string => fileURLToPath(new URL(name, FOLDER));

/** Steps of the recogniser along a line, each `STEP` pixels wide. */
export interface Steps {
  /** A character's place in `characters`; 0 where there is none. */
  readonly best: Int32Array;
  readonly probability: Float32Array;
}

export const LINE_HEIGHT = 48;
export const STEP = 8;
/** Input width of the classifier of upside-down lines. */
export const UPRIGHT_WIDTH = 192;

export class OcrModels implements AsyncDisposable {
  readonly #detect: OnnxSession;
  readonly #recognise: OnnxSession;
  readonly #upsideDown: OnnxSession;
  /** By class; the first is none. */
  readonly characters: readonly string[];

  private constructor(sessions: readonly [OnnxSession, OnnxSession, OnnxSession]) {
    [this.#detect, this.#recognise, this.#upsideDown] = sessions;
    this.characters = ['', ...readFileSync(path('characters.txt'), 'utf8').split('\n'), ' '];
  }

  static async open(): Promise<OcrModels> {
    const open = (name: string): Promise<OnnxSession> => openOnnx(path(name), { keepsMemory: false });
    return new OcrModels([
      await open('detect.onnx'),
      await open('recognise.onnx'),
      await open('upside_down.onnx'),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#detect.release(), this.#recognise.release(), this.#upsideDown.release()]);
  }

  /** @param planes as of a `LineImage`, its sides multiples of 32. */
  async detect(planes: Float32Array, width: number, height: number): Promise<ProbabilityMap> {
    const { fetch_name_0: output } = await this.#detect.run({
      x: { data: planes, shape: [1, 3, height, width] },
    });
    return { width, height, data: output?.data as Float32Array };
  }

  /** @param lines of `LINE_HEIGHT`; they are padded to the widest. */
  async recognise(lines: readonly LineImage[]): Promise<Steps[]> {
    const width = STEP * Math.ceil(Math.max(...lines.map((line) => line.width)) / STEP);
    const data = batchOf(lines, width, LINE_HEIGHT);
    const outputs = await this.#recognise.run({ x: { data, shape: [lines.length, 3, LINE_HEIGHT, width] } });
    const best = outputs.best?.data as Int32Array;
    const probability = outputs.probability?.data as Float32Array;
    const count = best.length / lines.length;
    return lines.map((_, i) => ({
      best: best.subarray(i * count, (i + 1) * count),
      probability: probability.subarray(i * count, (i + 1) * count),
    }));
  }

  /** Probabilities that lines stand on their heads. @param lines of `LINE_HEIGHT`. */
  async upsideDown(lines: readonly LineImage[]): Promise<number[]> {
    const data = batchOf(lines, UPRIGHT_WIDTH, LINE_HEIGHT);
    const shape = [lines.length, 3, LINE_HEIGHT, UPRIGHT_WIDTH];
    const outputs = await this.#upsideDown.run({ x: { data, shape } });
    const output = outputs['save_infer_model/scale_0.tmp_1']?.data as Float32Array;
    return lines.map((_, i) => output[2 * i + 1] as number);
  }
}

/** Lines one after the other, each row filled up with grey. */
function batchOf(lines: readonly LineImage[], width: number, height: number): Float32Array {
  const data = new Float32Array(lines.length * 3 * height * width);
  for (const [index, line] of lines.entries()) {
    for (let row = 0; row < 3 * height; row++) {
      const from = row * line.width;
      data.set(
        line.data.subarray(from, from + Math.min(width, line.width)),
        (index * 3 * height + row) * width,
      );
    }
  }
  return data;
}
