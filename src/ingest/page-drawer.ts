/**
 * Pages as images for clients: drawn one after the other in a process of their own, with the limits of parsing, never
 * in the server's thread.
 */
import { type Condition, SqlError } from '../errors.ts';
import type { DrawPage } from '../session/datasets/draw-page.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { DocumentError, type DocumentProblem } from './document-error.ts';
import { PARSE_LIMITS } from './parse/parse-limits.ts';
import { Parser } from './parse/parser.ts';

/** Pixels of a page. */
const PIXELS_MAX = 16_000_000;
/** Pixels of a part, as of pictures that are kept. */
const AREA_PIXELS_MAX = 1_600 * 1_600;
const WAITING_MAX = 100;

const CONDITIONS: Readonly<Partial<Record<DocumentProblem, Condition>>> = {
  not_drawn: 'feature_not_supported',
  no_such_page: 'invalid_parameter_value',
  limit_exceeded: 'program_limit_exceeded',
};

export class PageDrawer implements Disposable {
  readonly #parser = new Parser();
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  readonly draw: DrawPage = async (request, signal) => {
    if (this.#waiting >= WAITING_MAX) {
      throw new SqlError('configuration_limit_exceeded', `${WAITING_MAX} pages wait to be drawn already`);
    }
    this.#waiting++;
    const turn = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = before.then(() => turn.promise);
    try {
      await unlessAborted(before, signal);
      const pixelsMax = request.area === null ? PIXELS_MAX : AREA_PIXELS_MAX;
      return await this.#parser.draw({ ...request, pixelsMax, limits: PARSE_LIMITS, signal });
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      throw new SqlError(CONDITIONS[error.problem] ?? 'object_not_in_prerequisite_state', error.message);
    } finally {
      this.#waiting--;
      turn.resolve();
    }
  };

  [Symbol.dispose](): void {
    this.#parser[Symbol.dispose]();
  }
}
