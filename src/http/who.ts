/**
 * Who asks: whoever brings a key, or a browser that is signed in. A browser sends its cookie whichever page asks it to, so what
 * a page of another site may have sent is refused: a change needs the server's own Origin and a header that only a page of the
 * same origin can set; an answer with data, that no other site asks. A key as Bearer needs neither, as nobody sends it unasked.
 */
import type { IncomingMessage } from 'node:http';
import type { Bearer } from '../session/protocol.ts';
import type { HeldKey } from '../session/sign-in/keys.ts';
import { bearerKey } from './bearer.ts';
import type { Caller } from './caller.ts';
import { cookieTokens } from './cookie.ts';
import { ownOrigin } from './names.ts';
import { Refusal } from './refusal.ts';

export interface Asker {
  readonly key: HeldKey;
  /** Asked again after whatever takes time. */
  isLive(): boolean;
}

/** A browser that is signed in. */
export interface AskingBrowser extends Asker {
  /** Signs it out; with all others of its key. */
  end(everywhere: boolean): Promise<void>;
}

/** Who knows keys and browsers; main.ts hands him in. */
export interface Keyring {
  /** @throws SqlError 28P01, 57P03. */
  byKey(key: string, address: string): Promise<Asker>;
  /** Null: nobody's token, or no longer. */
  byToken(token: string, address: string): AskingBrowser | null;
}

/** Who may open sessions: with a key, or a password of the role quern. */
interface Bearers {
  /** @throws SqlError 28P01, 57P03. */
  bearer(key: string, address: string): Promise<Bearer>;
  bearerOf(held: HeldKey, address: string): Bearer;
}

/** Whoever runs statements. @throws Refusal 400, 401, 403; SqlError 28P01, 57P03. */
export type BearerSignIn = (request: IncomingMessage, caller: Caller) => Promise<Bearer>;

/** @param browsers null: none sign in here. */
export const bearersOf =
  (bearers: Bearers, browsers: Keyring | null): BearerSignIn =>
  async (request, caller) => {
    const { authorization } = request.headers;
    if (authorization === undefined && browsers !== null) {
      return bearers.bearerOf(browserOf(browsers, request, caller).key, caller.peer);
    }
    return await bearers.bearer(bearerKey(authorization), caller.peer);
  };

/** Sites cannot send it across origins: nothing allows it (CORS). */
const OWN_HEADER = 'x-quern-console';

type Asked = Pick<IncomingMessage, 'headers' | 'method'>;

/** @throws Refusal 400, 401, 403; SqlError 28P01, 57P03, which the listener answers. */
export async function whoAsks(keyring: Keyring, request: Asked, caller: Caller): Promise<Asker> {
  const { authorization } = request.headers;
  if (authorization === undefined) return browserOf(keyring, request, caller);
  return await keyring.byKey(bearerKey(authorization), caller.peer);
}

/** @throws Refusal 400, 401, 403. */
export function browserOf(keyring: Keyring, request: Asked, caller: Caller): AskingBrowser {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead) requireNoOtherSite(request);
  else requireOwnPage(request, caller);
  const tokens = cookieTokens(request.headers, caller);
  const [browser, other] = tokens.flatMap((token) => keyring.byToken(token, caller.peer) ?? []);
  if (browser === undefined) throw needed();
  if (other === undefined) return browser;
  throw new Refusal(
    400,
    'there are two cookies of browsers that are signed in',
    'One of them is of somebody else: remove the cookies of this site, and sign in.',
  );
}

/** Passes a change that a page of this server has sent. @throws Refusal 403. */
export function requireOwnPage({ headers }: Asked, { isEncrypted }: Caller): void {
  const isOwn = headers.origin === ownOrigin(headers.host ?? '', isEncrypted);
  if (isOwn && headers.origin !== undefined && headers[OWN_HEADER] === '1' && !isOfOtherSite(headers)) return;
  throw new Refusal(
    403,
    'a browser that is signed in is asked by its own pages only',
    `Programs send a key: Authorization: Bearer KEY.`,
  );
}

function requireNoOtherSite({ headers }: Asked): void {
  if (isOfOtherSite(headers)) throw new Refusal(403, 'pages of another site may not ask for this');
}

/** Typed addresses are nobody's page. Browsers that say nothing of it are held back by the cookie's SameSite. */
function isOfOtherSite(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

const needed = (): Refusal =>
  new Refusal(401, 'sign in, or send a key', 'In a browser at /, in programs as Authorization: Bearer KEY.');
