/** A command's way to the server: where it is, and its key, from flags, the environment or `quern login`. */
import { Client } from '../typescript/src/client.ts';
import type { ClientConfig, Notice } from '../typescript/src/config.ts';
import { PermissionDeniedError, QuernError } from '../typescript/src/errors.ts';
import { credentialsFile, readCredentials } from './credentials.ts';
import { tellNotice, UsageError } from './errors.ts';
import type { Call } from './running.ts';
import type { OutputFormat } from './terminal.ts';

export interface ServerOptions {
  readonly host?: string;
  readonly port?: number;
  readonly region?: string;
  readonly apiKey?: string;
  readonly output: OutputFormat;
}

/** A variable that is empty counts as unset. */
export const variable = (name: string): string | undefined => process.env[name] || undefined;

const PORT_MAX = 65_535;

/** @param from what is told of where it stands. */
export function portOf(text: string, from: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= PORT_MAX) return Number(text);
  throw new UsageError(`${from} is a number from 1 to ${PORT_MAX}, not "${text}"`);
}

/** Where flags and environment say that the server is. */
export function addressGiven({
  host,
  port,
  region,
}: ServerOptions): Pick<ClientConfig, 'host' | 'port' | 'region'> {
  const named = variable('QUERN_PORT');
  return {
    host: host ?? variable('QUERN_HOST'),
    port: port ?? (named === undefined ? undefined : portOf(named, 'QUERN_PORT')),
    region: region ?? variable('QUERN_REGION'),
  };
}

/** The key and where it stands; undefined: nowhere. */
function keyOf({ apiKey }: ServerOptions): { readonly apiKey: string; readonly from: string } | undefined {
  const given = [
    [apiKey, '--api-key'],
    [variable('QUERN_API_KEY'), 'QUERN_API_KEY'],
    [readCredentials()?.apiKey, credentialsFile()],
  ] as const;
  for (const [key, from] of given) if (key !== undefined) return { apiKey: key, from };
  return undefined;
}

/** A key that was refused: where it stands. */
export function advised(error: unknown, options: ServerOptions): unknown {
  if (!(error instanceof PermissionDeniedError) || error.sqlstate !== WRONG_KEY) return error;
  const { message, sqlstate, detail, kind } = error;
  const hint = `the key is from ${keyOf(options)?.from ?? 'what was typed'}`;
  return new PermissionDeniedError(message, { sqlstate, detail, kind, hint });
}

const WRONG_KEY = '28P01';

/** Flags first, then the environment, then what `quern login` keeps. */
export function serverConfig(options: ServerOptions): ClientConfig & { readonly apiKey: string } {
  const kept = readCredentials();
  const { apiKey } = keyOf(options) ?? {};
  if (apiKey === undefined) {
    throw new QuernError('no API key', {
      hint: 'run `quern login`, or set QUERN_API_KEY',
      kind: 'no_api_key',
    });
  }
  const { host, port, region } = addressGiven(options);
  return {
    apiKey,
    host: host ?? kept?.host,
    port: port ?? kept?.port,
    region: region ?? kept?.region,
  };
}

/** How long the end of a connection is waited for after Ctrl-C, ms: a cancellation is on its way by then. */
const GOODBYE_MS = 500;

/** Runs what asks a server. */
export async function asking<Options extends ServerOptions>(
  { options, signal }: Call<Options>,
  run: (client: Client, signal: AbortSignal) => Promise<number | undefined>,
): Promise<number | undefined> {
  const onNotice = (notice: Notice): void => tellNotice(notice, options.output);
  const client = new Client({ ...serverConfig(options), onNotice });
  try {
    return await run(client, signal);
  } catch (error) {
    throw advised(error, options);
  } finally {
    const closed = client.close();
    await (signal.aborted ? Promise.race([closed, pause(GOODBYE_MS)]) : closed);
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
