/** The HTTP port as a server has it: whoever answers there, in one table, made of the parts that `main.ts` has put together. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { versionOfCommand } from './clients/cli/version.ts';
import { Client } from './clients/typescript/src/client.ts';
import { OPEN } from './clients/typescript/src/config.ts';
import type { ServeConfig } from './config.ts';
import { consoleOf } from './http/console.ts';
import { findConsoleFiles } from './http/console-files.ts';
import { deviceRoutes } from './http/device.ts';
import type { Route } from './http/exchange.ts';
import { healthRoutes } from './http/health.ts';
import { type HttpListener, listenHttp } from './http/listener.ts';
import { metricsRoute } from './http/metrics.ts';
import { pageRoutes } from './http/page-image.ts';
import { signInRoutes } from './http/sign-in.ts';
import { SqlDoor } from './http/sql/door.ts';
import { UploadDoor } from './http/uploads/door.ts';
import { type HeldFiles, Uploads } from './http/uploads/uploads.ts';
import { byWeb, type WebHandler } from './http/web-request.ts';
import { bearersOf } from './http/who.ts';
import type { createSessionFactory } from './session/factory.ts';
import type { connectionLimits } from './wire/connection-limits.ts';
import type { SqlListener } from './wire/listener.ts';
import type { ServerTls } from './wire/tls.ts';
import { certificateFault } from './wire/tls-channel.ts';

/** Made by the build of `clients/console`. */
const CONSOLE_FOLDER = join(import.meta.dirname, '../build/console');

interface Parts {
  readonly factory: ReturnType<typeof createSessionFactory>;
  readonly tls: ServerTls;
  readonly limits: ReturnType<typeof connectionLimits>;
  readonly sql: SqlListener;
  /** Files that come in parts, until they are whole. */
  readonly uploads: HeldFiles;
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
}

/** @throws Error with `code` EADDRINUSE and its kin when the port cannot be had. */
export async function openHttpPort(config: ServeConfig, parts: Parts): Promise<HttpListener> {
  const { web } = config;
  const { factory, tls, limits, report } = parts;
  const signIn = bearersOf(factory, web.hasConsole ? factory.desk : null);
  const uploads = await Uploads.open({ files: parts.uploads, randomBytes, nowMs: Date.now, report });
  const doors = [new SqlDoor({ signIn, report, randomBytes }), new UploadDoor({ signIn, report, uploads })];
  const http = await listenHttp({
    host: config.host,
    port: config.httpPort,
    connectionsMax: limits.http,
    secureContext: () => tls.context,
    certificates: {
      areAsked: tls.clientAuth !== 'none',
      fault: (socket) => certificateFault(socket, tls.clientAuth),
    },
    trustedProxies: web.trustedProxies,
    hosts: [config.host.toLowerCase(), ...web.hosts],
    origins: web.origins,
    report,
    routes: [...routesOf(config, parts), ...doors.flatMap(({ routes }) => routes)],
    ...(web.hasConsole && { console: consoleOf(findConsoleFiles(CONSOLE_FOLDER)) }),
  });
  return {
    port: http.port,
    close: async () => void (await Promise.all([http.close(), ...doors.map((door) => door.close())])),
  };
}

/** Whatever is no statement, and no file. */
function routesOf({ web, region }: ServeConfig, { factory, sql }: Parts): readonly Route[] {
  const { desk, devices, pages } = factory;
  const about = { version: versionOfCommand(), region, sql_port: sql.port };
  return [
    ...healthRoutes(() => true),
    metricsRoute({
      read: () => metrics(sql.sessionCount()),
      check: web.isMetricsOpen ? null : (key, peer) => factory.requireMonitor(key, peer),
    }),
    { method: 'any', path: '/mcp', answer: byWeb(agentHandler(sql)) },
    ...(web.hasConsole
      ? [...signInRoutes(desk, about), ...deviceRoutes(devices, desk), ...pageRoutes(pages, desk)]
      : []),
  ];
}

/** Agents' requests sign in like everybody's, with the key that they bring, from the address that they come from. */
function agentHandler(sql: SqlListener): WebHandler {
  const open = (apiKey: string, peer: string): Client =>
    new Client({
      apiKey,
      region: 'local',
      host: '127.0.0.1',
      https: false,
      maxConnections: 2,
      [OPEN]: () => sql.enter(peer),
    });
  let handler: Promise<WebHandler> | null = null;
  return async (request, peer) => {
    handler ??= import('./clients/mcp/server.ts').then(({ httpHandler }) => httpHandler(open));
    return await (await handler)(request, peer);
  };
}

function metrics(sessions: number) {
  const { rss } = process.memoryUsage();
  return [
    { name: 'quern_sessions', help: 'Clients signed in.', type: 'gauge', value: sessions },
    { name: 'quern_resident_bytes', help: 'Memory of the process.', type: 'gauge', value: rss },
    { name: 'quern_uptime_seconds', help: 'Time since start.', type: 'counter', value: process.uptime() },
  ] as const;
}
