/**
 * The cookie of a browser that is signed in. Browsers send cookies of a name to all ports of it, and let all ports set them: the
 * name of the cookie says the port, more than one may come, and none is a reason to do anything (`who.ts`).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { BROWSER_DAYS } from '../limits.ts';
import type { Caller } from './caller.ts';
import { ownOrigin } from './names.ts';

type From = Pick<Caller, 'isEncrypted' | 'prefix'>;

const TOKENS_COUNT_MAX = 4;
const DAY_SECONDS = 86_400;

/** Tokens of the browser, the likeliest first. */
export function cookieTokens(headers: IncomingHttpHeaders, from: From): readonly string[] {
  const name = cookieName(headers, from);
  const tokens = (headers.cookie ?? '').split(';').flatMap((text) => {
    const at = text.indexOf('=');
    return text.slice(0, at).trim() === name ? [text.slice(at + 1).trim()] : [];
  });
  return [...new Set(tokens)].slice(0, TOKENS_COUNT_MAX);
}

export const cookieOf = (headers: IncomingHttpHeaders, from: From, token: string): string =>
  setCookie(headers, from, `${token}; Max-Age=${BROWSER_DAYS * DAY_SECONDS}`);

export const endOfCookie = (headers: IncomingHttpHeaders, from: From): string =>
  setCookie(headers, from, '; Max-Age=0');

function setCookie(headers: IncomingHttpHeaders, from: From, value: string): string {
  const secure = from.isEncrypted ? '; Secure' : '';
  return `${cookieName(headers, from)}=${value}; Path=${from.prefix}/; HttpOnly; SameSite=Strict${secure}`;
}

/** Browsers take `__Host-` from no subdomain, and only for all paths. */
function cookieName({ host = '' }: IncomingHttpHeaders, { isEncrypted, prefix }: From): string {
  const port = URL.parse(ownOrigin(host, isEncrypted) ?? '')?.port || (isEncrypted ? '443' : '80');
  const guard = isEncrypted ? (prefix === '' ? '__Host-' : '__Secure-') : '';
  return `${guard}quern_session_${port}`;
}
