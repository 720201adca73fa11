/**
 * `GET /pages/DATASET/DOC_ID/VERSION/PAGE?scale=2`: a page of a document as PNG, drawn with the rights of whoever asks. A version
 * does not change, so that browsers keep its pictures; which pictures are whose goes by the cookie, or key, that they were sent with.
 */
import type { HeldKey } from '../session/sign-in/keys.ts';
import { type Exchange, GUARDED, type Route } from './exchange.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { type Keyring, whoAsks } from './who.ts';

interface WantedPage {
  readonly dataset: string;
  readonly docId: string;
  readonly version: number;
  readonly page: number;
  readonly dpi: number;
}

/** Who draws; main.ts hands him in. */
export interface PageDesk {
  /** @returns PNG; null where that version has been replaced. @throws SqlError, the signal's reason. */
  draw(
    asker: { readonly held: HeldKey; readonly address: string },
    wanted: WantedPage,
    signal: AbortSignal,
  ): Promise<Uint8Array | null>;
}

const PATH = '/pages/';
const POINTS_AN_INCH = 72;
const SCALE = { usual: 2, min: 0.25, max: 8 };
const MAX_AGE_S = 3600;
const NUMBER = /^[1-9]\d{0,8}$/;

/** The path is the document's: what it cannot be is not there. A document that is hidden is one that is not there. */
const STATUSES = { '22023': 404, '0A000': 415 };

export function pageRoutes(desk: PageDesk, keyring: Keyring): readonly Route[] {
  return [{ method: 'GET', path: PATH, answer: (exchange) => answerPage(desk, keyring, exchange) }];
}

async function answerPage(desk: PageDesk, keyring: Keyring, exchange: Exchange): Promise<void> {
  const { request, response, caller } = exchange;
  const wanted = wantedOf(exchange);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const asker = await whoAsks(keyring, request, caller);
  const png = await desk
    .draw({ held: asker.key, address: caller.peer }, wanted, gone.signal)
    .catch((error: unknown) => {
      throw gone.signal.aborted ? new Refusal(499, 'the client has gone') : refusalOf(error, STATUSES);
    });
  if (!asker.isLive()) throw new Refusal(401, 'signed out meanwhile');
  if (png === null) throw new Refusal(410, 'this version of the document has been replaced');
  response.writeHead(200, {
    ...GUARDED,
    'content-type': 'image/png',
    'content-length': png.byteLength,
    'cache-control': `private, max-age=${MAX_AGE_S}, immutable`,
    'content-security-policy': "default-src 'none'; sandbox",
    vary: 'cookie, authorization',
  });
  response.end(request.method === 'HEAD' ? null : png);
}

/** @throws Refusal 400, 404. */
function wantedOf({ path, query }: Exchange): WantedPage {
  const parts = path.slice(PATH.length).split('/').map(decoded);
  const [dataset = '', docId = '', version = '', page = ''] = parts;
  if (parts.length !== 4 || dataset === '' || !NUMBER.test(version) || !NUMBER.test(page)) {
    throw new Refusal(404, 'pages are at /pages/DATASET/DOC_ID/VERSION/PAGE');
  }
  const given = query.get('scale');
  const scale = given === null ? SCALE.usual : Number(given);
  if (!(scale >= SCALE.min && scale <= SCALE.max)) {
    throw new Refusal(400, `"scale" is a number from ${SCALE.min} to ${SCALE.max}: pixels a point`);
  }
  const dpi = Math.round(scale * POINTS_AN_INCH);
  return { dataset, docId, version: Number(version), page: Number(page), dpi };
}

/** @throws Refusal 400. */
function decoded(part: string): string {
  try {
    const text = decodeURIComponent(part);
    if (!text.includes('\0')) return text;
  } catch {
    // Told below, as all that cannot be a name.
  }
  throw new Refusal(400, 'the path cannot be read');
}
