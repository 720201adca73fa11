/**
 * Names that a server goes by, and pages that may ask it. A page of another site that has its own name point here (DNS
 * rebinding) sends that name as Host; one that asks across sites sends its own as Origin. Both are refused.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from './refusal.ts';

export interface NameRules {
  /** Names beside `localhost` and addresses, in small letters; `*.example.com` is one label more. */
  readonly hosts: () => readonly string[];
  /** `https://app.example`. */
  readonly origins: readonly string[];
}

/** @throws Refusal 400, 421. */
export function checkHost({ headers }: IncomingMessage, { hosts }: NameRules): void {
  const name = hostName(headers.host ?? '');
  if (name === null) throw new Refusal(400, 'the header host is missing, or is no host');
  if (isIP(name) !== 0 || name === 'localhost' || hosts().some((known) => isCalled(name, known))) return;
  throw new Refusal(
    421,
    `this server does not go by the name "${name}"`,
    `If it does, start it with --http-hosts ${name} (QUERN_SERVE_HTTP_HOSTS), or give it a certificate for that name.`,
  );
}

/** @throws Refusal 403. */
export function checkOrigin(
  { headers }: IncomingMessage,
  { origins }: NameRules,
  isEncrypted: boolean,
): void {
  const { origin, host = '' } = headers;
  if (origin === undefined) return;
  if (origin !== 'null' && (origin === ownOrigin(host, isEncrypted) || origins.includes(origin))) return;
  throw new Refusal(
    403,
    'pages of another origin may not send requests here',
    'If this one may, start the server with --http-origins and its origin (QUERN_SERVE_HTTP_ORIGINS).',
  );
}

/** Origin of the server's own pages, for a browser that sent `host`. */
export const ownOrigin = (host: string, isEncrypted: boolean): string | undefined =>
  URL.parse(`${isEncrypted ? 'https' : 'http'}://${host}`)?.origin;

/** Without the port, in small letters; null for what is no host. */
function hostName(host: string): string | null {
  const [, six, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (six ?? name)?.toLowerCase().replace(/\.$/, '') ?? null;
}

const isCalled = (name: string, known: string): boolean =>
  name === known || (known.startsWith('*.') && name.slice(name.indexOf('.')) === known.slice(1));
