/**
 * A browser as far as servers see it: it sends cookies of a host to all its ports, says which page asks, and lets pages set any
 * header on requests to their own origin only.
 */
import { type Answered, type Sent, send } from './http-request.ts';

interface About extends Partial<Omit<Sent, 'port' | 'path'>> {
  /** Origin of the page that asks; left out, the server's own. */
  readonly page?: string;
  readonly json?: unknown;
}

export class Browser {
  readonly #port: number;
  readonly #from: Omit<Sent, 'port' | 'path'>;
  /** By name. */
  readonly cookies = new Map<string, string>();

  constructor(port: number, from: Omit<Sent, 'port' | 'path'> = {}) {
    this.#port = port;
    this.#from = from;
  }

  get origin(): string {
    const { tls, headers } = this.#from;
    return `${tls === true ? 'https' : 'http'}://${headers?.host ?? `127.0.0.1:${this.#port}`}`;
  }

  async ask(path: string, { page = this.origin, json, headers, ...about }: About = {}): Promise<Answered> {
    const isOwn = page === this.origin;
    const body = json === undefined ? about.body : JSON.stringify(json);
    const method = about.method ?? (body === undefined ? 'GET' : 'POST');
    const answered = await send({
      ...this.#from,
      ...about,
      port: this.#port,
      path,
      method,
      ...(body !== undefined && { body }),
      headers: {
        host: `127.0.0.1:${this.#port}`,
        'sec-fetch-site': isOwn ? 'same-origin' : 'same-site',
        ...(method !== 'GET' && { origin: page }),
        ...(isOwn && { 'x-quern-console': '1' }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(this.cookies.size > 0 && { cookie: this.#cookieHeader() }),
        ...this.#from.headers,
        ...headers,
      },
    });
    for (const cookie of answered.headers['set-cookie'] ?? []) this.#keep(cookie);
    return answered;
  }

  async signIn(by: { readonly key: string } | { readonly link: string }): Promise<number> {
    return (await this.ask('/sign-in', { json: by })).status;
  }

  /** Name of the key that it is signed in with; null: it is not. */
  async who(): Promise<string | null> {
    const { status, body } = await this.ask('/session');
    return status === 200 ? (JSON.parse(body) as { key: { name: string } }).key.name : null;
  }

  #cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (/max-age=0\b/i.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
