/** Pages as images, drawn by pdf.js on the canvas that its optional package `@napi-rs/canvas` brings. */
import type { Box } from '../../../document.ts';
import { DocumentError } from '../../../document-error.ts';
import type { PdfFile } from '../pdfjs.ts';

export interface RenderRequest {
  readonly number: number;
  /** Dots an inch; lowered where the image would have more pixels than `pixelsMax`. */
  readonly dpi: number;
  readonly pixelsMax: number;
  /** A part of the page as shown, in points; the whole page where left out. */
  readonly area?: Box;
  readonly signal?: AbortSignal;
}

export interface RenderedPage {
  readonly width: number;
  readonly height: number;
  /** Dots an inch that it came to. */
  readonly dpi: number;
  readonly png: () => Uint8Array;
  /** Four bytes a pixel, row by row from the top. */
  readonly rgba: () => Uint8ClampedArray;
}

/** The part of the package's canvas that is used. */
interface Drawing {
  readonly canvas: { toBuffer(type: 'image/png'): Uint8Array };
  readonly context: {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}

const POINTS_AN_INCH = 72;

/** @param file opened with images. @throws DocumentError damaged, time_exceeded. */
export async function renderPage(file: PdfFile, request: RenderRequest): Promise<RenderedPage> {
  const { number, pixelsMax, signal } = request;
  const { page, file: proxy } = await file.proxy(number);
  try {
    const full = page.getViewport({ scale: 1 });
    const [left, top, right, bottom] = request.area ?? [0, 0, full.width, full.height];
    const most = Math.sqrt(pixelsMax / Math.max(1, (right - left) * (bottom - top)));
    const scale = Math.min(request.dpi / POINTS_AN_INCH, most);
    const viewport = page.getViewport({ scale, offsetX: -left * scale, offsetY: -top * scale });
    const width = Math.max(1, Math.floor((right - left) * scale));
    const height = Math.max(1, Math.floor((bottom - top) * scale));
    const drawing = canvasOf(proxy, width, height);
    const task = page.render({ canvas: drawing.canvas as never, viewport, background: '#ffffff' });
    const stop = (): void => task.cancel();
    signal?.addEventListener('abort', stop, { once: true });
    await task.promise.finally(() => signal?.removeEventListener('abort', stop));
    return {
      width,
      height,
      dpi: scale * POINTS_AN_INCH,
      png: () => new Uint8Array(drawing.canvas.toBuffer('image/png')),
      rgba: () => drawing.context.getImageData(0, 0, width, height).data,
    };
  } catch (error) {
    if (signal?.aborted)
      throw new DocumentError('time_exceeded', `time was up while page ${number} was drawn`);
    const reason = error instanceof Error ? error.message : String(error);
    throw new DocumentError('damaged', `page ${number} cannot be drawn: ${reason}`, { cause: error });
  } finally {
    page.cleanup();
  }
}

function canvasOf(proxy: { readonly canvasFactory: unknown }, width: number, height: number): Drawing {
  const factory = proxy.canvasFactory as { create(width: number, height: number): Drawing };
  return factory.create(width, height);
}
