/** Signing in and out of browsers, and who is signed in. */
import type { HeldKey } from '../session/sign-in/keys.ts';
import { cookieOf, cookieTokens, endOfCookie } from './cookie.ts';
import { answerJson, type Exchange, readJson, type Route, textField } from './exchange.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { browserOf, type Keyring, requireOwnPage, whoAsks } from './who.ts';

/** A key, or the token of the first start's link. */
export type SignInBy = { readonly key: string } | { readonly link: string };

/** Who knows browsers that sign in; main.ts hands him in. */
export interface SignInDesk extends Keyring {
  /** @returns the token of one more. @throws SqlError 28P01, 57P01, 57P03. */
  signIn(
    by: SignInBy,
    from: { readonly address: string; readonly userAgent: string },
  ): Promise<{ readonly token: string; readonly key: HeldKey }>;
  /** Role and key, for a page to show. @throws SqlError 57P01. */
  describe(key: HeldKey): object;
}

const KEY_CHARACTERS_MAX = 1000;

/** @param about what pages show of the server. */
export function signInRoutes(desk: SignInDesk, about: object): readonly Route[] {
  const shown = (key: HeldKey): object => ({ ...desk.describe(key), ...about });
  return [
    {
      method: 'POST',
      path: '/sign-in',
      async answer(exchange) {
        const { key, headers } = await signIn(desk, exchange);
        answerJson(exchange, shown(key), { headers });
      },
    },
    { method: 'POST', path: '/sign-out', answer: (exchange) => signOut(desk, exchange) },
    {
      method: 'GET',
      path: '/session',
      async answer(exchange) {
        const { key } = await whoAsks(desk, exchange.request, exchange.caller);
        answerJson(exchange, shown(key));
      },
    },
  ];
}

async function signIn(desk: SignInDesk, exchange: Exchange) {
  const { request, caller } = exchange;
  requireOwnPage(request, caller);
  const by = signInBy(await readJson(exchange));
  // The browser has another token from now on: nobody who knew the one of before is signed in.
  const before = cookieTokens(request.headers, caller).flatMap(
    (token) => desk.byToken(token, caller.peer) ?? [],
  );
  const from = { address: caller.peer, userAgent: request.headers['user-agent'] ?? '' };
  const { token, key } = await desk.signIn(by, from).catch((error: unknown) => {
    throw signInRefusal(error);
  });
  for (const browser of before) await browser.end(false);
  return { key, headers: { 'set-cookie': cookieOf(request.headers, caller, token) } };
}

/** @throws Refusal 400. */
function signInBy(fields: Readonly<Record<string, unknown>>): SignInBy {
  const key = textField(fields, 'key', KEY_CHARACTERS_MAX);
  const link = textField(fields, 'link', KEY_CHARACTERS_MAX);
  if (key !== null && link === null) return { key };
  if (link !== null && key === null) return { link };
  throw new Refusal(400, 'signing in takes a "key", or the "link" of the first start');
}

/** The same for every reason, of which nobody learns. */
function signInRefusal(error: unknown): unknown {
  const refusal = refusalOf(error);
  if (!(refusal instanceof Refusal) || refusal.status !== 401) return refusal;
  return new Refusal(
    401,
    'this does not sign in',
    'A key may be wrong, ended, or for other addresses; a link is good once, for ten minutes.',
  );
}

async function signOut(desk: SignInDesk, exchange: Exchange): Promise<void> {
  const { request, caller, query } = exchange;
  await browserOf(desk, request, caller).end(query.get('everywhere') === '1');
  // Pictures of pages that the browser keeps are of whoever was signed in.
  const headers = { 'set-cookie': endOfCookie(request.headers, caller), 'clear-site-data': '"cache"' };
  answerJson(exchange, {}, { headers });
}
