/**
 * The console's pages. Whatever address a browser shows, the page is the same, and reads it; it may load and ask nothing but
 * this server, run no script but its own files, and stand in no frame.
 */
import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { isLoopback } from '../network-address.ts';
import { isSafe } from './caller.ts';
import type { ConsoleFile, ConsoleFiles, Encoding } from './console-files.ts';
import { type Exchange, GUARDED } from './exchange.ts';
import { Refusal } from './refusal.ts';

const INDEX = '/index.html';
const NONCE_BYTES = 16;
/** The build leaves them to be filled in. */
const NONCE_PLACE = /QUERN_CSP_NONCE/g;
const BASE_PLACE = /<base href="[^"]*"/;

/** @returns false: it is no page's. */
export type Console = (exchange: Exchange) => Promise<boolean>;

export const consoleOf =
  (files: ConsoleFiles): Console =>
  async (exchange) => {
    const { request, path } = exchange;
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const file = path === INDEX ? undefined : files.get(path);
    if (file !== undefined) await answerFile(exchange, file);
    else if (isPage(exchange)) await answerPage(exchange, files.get(INDEX));
    else return false;
    return true;
  };

/** Scripts that ask for something else than a page are told that it is not there. */
const isPage = ({ request, path }: Exchange): boolean =>
  path.startsWith('/') && /\btext\/html\b/.test(request.headers.accept ?? '');

async function answerFile(exchange: Exchange, { type, isHashed, load }: ConsoleFile): Promise<void> {
  const { request } = exchange;
  const { etag, bodies } = await load();
  const encoding = acceptedOf(request.headers['accept-encoding'] ?? '').find((one) => one in bodies);
  const body = bodies[encoding ?? 'identity'] ?? bodies.identity;
  const tag = `"${etag}-${encoding ?? 'identity'}"`;
  const headers = {
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    vary: 'accept-encoding',
  };
  if (request.headers['if-none-match'] === tag) {
    send(exchange, { status: 304, headers, body: null });
    return;
  }
  const coded = encoding === undefined ? {} : { 'content-encoding': encoding };
  send(exchange, { status: 200, headers: { ...headers, 'content-type': type, ...coded }, body });
}

/** Those that are wanted, the smallest first. */
function acceptedOf(header: string): readonly Exclude<Encoding, 'identity'>[] {
  const wanted = new Set(
    header.split(',').flatMap((text) => {
      const [name = '', quality = ''] = text.split(';').map((part) => part.trim().toLowerCase());
      return /^q=0(?:\.0*)?$/.test(quality) ? [] : [name];
    }),
  );
  return (['br', 'gzip'] as const).filter((encoding) => wanted.has(encoding));
}

/** A nonce for each answer, and the path before all paths. */
async function answerPage(exchange: Exchange, index: ConsoleFile | undefined): Promise<void> {
  const { caller } = exchange;
  if (!isSafe(caller)) {
    sendToTls(exchange);
    return;
  }
  if (index === undefined) throw notBuilt();
  const { bodies } = await index.load();
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const page = bodies.identity
    .toString('utf8')
    .replace(NONCE_PLACE, nonce)
    .replace(BASE_PLACE, `<base href="${caller.prefix}/"`);
  const headers = { ...policy(nonce), 'cache-control': 'no-store', 'content-type': index.type };
  send(exchange, { status: 200, headers, body: Buffer.from(page) });
}

/** Over a network a key may be typed into a page that came by TLS alone, which this port speaks too. */
function sendToTls(exchange: Exchange): void {
  const { request, caller } = exchange;
  if (caller.isForwarded) {
    throw new Refusal(403, 'the console is shown over https only', 'The proxy says that this came by http.');
  }
  const location = `https://${request.headers.host}${request.url}`;
  send(exchange, { status: 307, headers: { location, 'cache-control': 'no-store' }, body: null });
}

const notBuilt = (): Refusal =>
  new Refusal(
    404,
    'the console of this server has not been built',
    'In a checkout scripts/set-up.sh builds it; then start the server again. All else works without it.',
  );

function policy(nonce: string): OutgoingHttpHeaders {
  const rules = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "font-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': rules.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    'x-frame-options': 'DENY',
  };
}

interface Sent {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | null;
}

function send({ request, response }: Exchange, { status, headers, body }: Sent): void {
  const size = body === null ? {} : { 'content-length': body.length };
  response.writeHead(status, { ...GUARDED, ...headers, ...size });
  response.end(request.method === 'HEAD' ? null : body);
}

/** As a browser on this machine, or on the network, has it. */
export function consoleAddress(host: string, port: number): string {
  if (['0.0.0.0', '::', 'localhost'].includes(host)) return `http://localhost:${port}/`;
  return `${isLoopback(host) ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}
