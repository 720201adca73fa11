/** A key for this machine by way of a browser: the server shows a code there, whoever is signed in approves it, and a key comes. */
import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from '../typescript/src/config.ts';
import { PermissionDeniedError, QuernError } from '../typescript/src/errors.ts';
import { addressOf } from '../typescript/src/wire/address.ts';
import { type OutputFormat, tell } from './terminal.ts';

interface SigningIn {
  readonly signal: AbortSignal;
  readonly output: OutputFormat;
  /** The browser of this machine is to show the page. */
  readonly opensBrowser: boolean;
}

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
  readonly url: string;
  readonly interval_s: number;
  readonly expires_s: number;
}

/** There is no console to sign in by. */
export class NoConsole extends QuernError {}

/** How long the console may take to say that it is there. */
const ANSWER_MS_MAX = 10_000;

/** The console of the server that a client with this configuration would ask; over a network by TLS. */
export function consoleOf(where: ClientConfig, port: number): URL {
  // Nothing is sent: a client is only made with a key.
  const { host, tls } = addressOf({ ...where, apiKey: 'none yet' }, process.env);
  const scheme = tls === 'verified' ? 'https' : 'http';
  return new URL(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** @throws NoConsole, PermissionDeniedError where it was refused, QuernError where it took too long, the signal's reason. */
export async function keyByBrowser(at: URL, { signal, output, opensBrowser }: SigningIn): Promise<string> {
  const begun = await begin(at, signal);
  const { url, user_code: code, interval_s, expires_s } = begun;
  // It is opened here: only pages of the very server are.
  if (URL.parse(url)?.origin !== at.origin) throw new QuernError(`the server names a page elsewhere: ${url}`);
  if (output === 'json') tell(JSON.stringify({ sign_in: { url, code } }));
  else tell(`To sign in, open\n\n  ${url}\n\nand approve the code ${code}.`);
  if (opensBrowser) openBrowser(url);
  for (const end = performance.now() + expires_s * 1000; performance.now() < end; ) {
    await sleep(interval_s * 1000, undefined, { signal });
    const key = await fetchKey(at, begun, signal);
    if (key !== null) return key;
  }
  throw new QuernError('nobody has approved the code in time', { hint: 'run `quern login` again' });
}

async function begin(at: URL, signal: AbortSignal): Promise<Begun> {
  const hint = 'give its port with --http-port, or sign in with a key: quern login --key';
  const soon = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
  const response = await post(at, '/device', { client: `quern on ${hostname()}` }, soon).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      const { message, cause } = error as Error;
      const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
      throw new NoConsole(`the console at ${at.origin} cannot be reached: ${why}`, { hint });
    },
  );
  if (response.status === 404 || response.status === 405) {
    throw new NoConsole(`there is no console at ${at.origin}`, { hint });
  }
  return (await answerOf(response)) as Begun;
}

/** Null: nobody has approved it yet. A server that is starting again has forgotten it, and says so. */
async function fetchKey(at: URL, { device_code }: Begun, signal: AbortSignal): Promise<string | null> {
  const response = await post(at, '/device/token', { device_code }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof TypeError) return null;
    throw error;
  });
  if (response === null || response.status === 202) return null;
  return ((await answerOf(response)) as { readonly key: string }).key;
}

const post = (at: URL, path: string, json: object, signal: AbortSignal): Promise<Response> =>
  fetch(new URL(path, at), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
    redirect: 'error',
    signal,
  });

/** @throws QuernError in the server's words. */
async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return await response.json();
  const [message = '', hint] = (await response.text()).trim().split('\nhint: ');
  const Failure = response.status === 401 || response.status === 403 ? PermissionDeniedError : QuernError;
  throw new Failure(message, { hint });
}

/** Programs that show an address in the browser that the user has chosen, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

/** Where there is none, the address has been told. */
function openBrowser(url: string): void {
  const opener = OPENERS[process.platform];
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasScreen = process.platform !== 'linux' || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
  if (opener === undefined || !hasScreen) return;
  const opened = spawn(opener, [url], { detached: true, stdio: 'ignore' });
  opened.once('error', () => undefined);
  opened.unref();
}
