/** A command's way to the server: where it is from flags, the environment or `quern login`; its errors; its end by Ctrl-C. */
import { Client } from '../typescript/src/client.ts';
import { QuernError } from '../typescript/src/errors.ts';
import { readCredentials } from './credentials.ts';
import { type OutputFormat, tell } from './terminal.ts';

export interface ServerOptions {
  readonly host?: string;
  readonly port?: string;
  readonly region?: string;
  readonly output: OutputFormat;
}

export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export class UsageError extends Error {}

function checkOutput({ output }: ServerOptions): void {
  if (output !== 'text' && output !== 'json') throw new UsageError(`--output is text or json, not ${output}`);
}

/** Flags first, then the environment, then what `quern login` keeps. */
export function openClient(options: Omit<ServerOptions, 'output'>): Client {
  const kept = readCredentials();
  const apiKey = process.env.QUERN_API_KEY || kept?.apiKey;
  if (apiKey === undefined) {
    throw new QuernError('no API key', { hint: 'run `quern login`, or set QUERN_API_KEY' });
  }
  const port = options.port ?? process.env.QUERN_PORT ?? kept?.port;
  return new Client({
    apiKey,
    host: options.host ?? process.env.QUERN_HOST ?? kept?.host,
    region: options.region ?? process.env.QUERN_REGION ?? kept?.region,
    ...(port !== undefined && { port: Number(port) }),
  });
}

/** Runs what asks a server. @returns the exit code. */
export async function asking<Options extends ServerOptions>(
  options: Options,
  run: (client: Client, signal: AbortSignal) => Promise<number | undefined>,
): Promise<number> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt);
  let client: Client | null = null;
  try {
    checkOutput(options);
    client = openClient(options);
    return (await run(client, interruption.signal)) ?? EXIT.ok;
  } catch (error) {
    if (interruption.signal.aborted) return EXIT.interrupted;
    tell(errorText(error));
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  } finally {
    process.off('SIGINT', interrupt);
    await client?.close();
  }
}

/** One line for what went wrong, and one for what to do about it. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `quern: ${String(error)}`;
  if (!(error instanceof QuernError)) return `quern: ${error.message}`;
  const lines =
    error.sqlstate === undefined
      ? [`quern: ${error.message}`]
      : [`ERROR ${error.sqlstate}: ${error.message}`];
  if (error.errors.length > 0) for (const fault of error.errors) lines.push(`  ${JSON.stringify(fault)}`);
  else if (error.detail !== undefined) lines.push(`DETAIL: ${error.detail}`);
  if (error.hint !== undefined) lines.push(`HINT: ${error.hint}`);
  return lines.join('\n');
}
