/**
 * nginx before a server, below a path and over TLS, with the lines that docs/console.md gives to people. Without nginx what needs it
 * is skipped; `./scripts/test` installs it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATHS = ['/usr/sbin/nginx', '/usr/bin/nginx'];

const EXECUTABLE = PATHS.find((path) => existsSync(path));

export const hasProxy = EXECUTABLE !== undefined;

/** Nothing may be skipped under CI=true. */
export function requireProxy(): void {
  if (hasProxy || process.env.CI !== 'true') return;
  throw new Error('nginx is missing: ./scripts/test installs it (apt-get install nginx-light)');
}

export interface RunningProxy extends AsyncDisposable {
  readonly port: number;
}

const DOCS = join(import.meta.dirname, '../../docs/console.md');
/** Where Quern is, in the docs. */
const DOCUMENTED = 'http://127.0.0.1:8432/';

function documentedLines(): string {
  const [, lines] = /```\n(location [\s\S]*?)```/.exec(readFileSync(DOCS, 'utf8')) ?? [];
  if (lines?.includes(DOCUMENTED) !== true) throw new Error('docs/console.md shows no lines for nginx');
  return lines;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface ProxyOptions {
  readonly httpPort: number;
  readonly certificate: { readonly cert: string; readonly key: string };
}

/** @param options files of a certificate, and the server's port */
export async function startProxy({ httpPort, certificate }: ProxyOptions): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'quern-proxy-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${join(folder, what)};`,
  );
  const config = `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr warn;
events { worker_connections 256; }
http {
  access_log off; ${temporary.join(' ')}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certificate.cert}; ssl_certificate_key ${certificate.key};
    ${documentedLines().replace(DOCUMENTED, `http://127.0.0.1:${httpPort}/`)}
  }
}
`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, config);
  const nginx = spawn(EXECUTABLE ?? 'nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(nginx, 'close');
  await answers(
    port,
    () => nginx.exitCode !== null,
    () => log,
  );
  return {
    port,
    async [Symbol.asyncDispose]() {
      nginx.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error with nginx's own words where it ends instead. */
async function answers(port: number, hasEnded: () => boolean, log: () => string): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    if (answer !== null) return;
    if (hasEnded()) throw new Error(`nginx ended: ${log()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
