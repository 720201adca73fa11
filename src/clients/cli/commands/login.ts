/** `quern login` and `quern logout`: a key for this machine. */
import { Client } from '../../typescript/src/client.ts';
import { consoleOf, keyByBrowser, NoConsole } from '../browser-sign-in.ts';
import { credentialsFile, forgetCredentials, writeCredentials } from '../credentials.ts';
import { UsageError } from '../errors.ts';
import { typedKey } from '../input.ts';
import type { Call } from '../running.ts';
import { addressGiven, advised, portOf, type ServerOptions, variable } from '../server.ts';
import { type OutputFormat, print, printJson, tell } from '../terminal.ts';

export interface LoginOptions extends ServerOptions {
  /** A key is typed. */
  readonly key?: boolean;
  readonly httpPort?: number;
  /** False: the address is told, and no browser opened. */
  readonly browser?: boolean;
}

/** Takes the key that is given, has one made by way of a browser, or asks for one; tries it, and keeps it. */
export async function login(call: Call<LoginOptions>): Promise<undefined> {
  const { options, signal } = call;
  const given = addressGiven(options);
  const apiKey = options.apiKey ?? variable('QUERN_API_KEY') ?? (await newKey(call, given));
  const where = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const client = new Client({ apiKey, ...where });
  try {
    await client.sql('SELECT 1', [], { signal });
  } catch (error) {
    throw advised(error, options);
  } finally {
    await client.close();
  }
  writeCredentials({ apiKey, ...where });
  const file = credentialsFile();
  if (options.output === 'json') printJson({ signed_in: true, file });
  else print(`signed in; the key is in ${file}`);
}

export async function logout({ options }: Call<{ readonly output: OutputFormat }>): Promise<undefined> {
  const wasKnown = forgetCredentials();
  if (options.output === 'json') printJson({ signed_out: wasKnown });
  else print(wasKnown ? 'signed out' : 'there was no key');
}

/** Without a terminal only who says that he opens no browser here waits for one elsewhere. */
async function newKey(
  { options, signal }: Call<LoginOptions>,
  where: ReturnType<typeof addressGiven>,
): Promise<string> {
  const { key = false, browser = true, output } = options;
  if (key || (!process.stdin.isTTY && browser)) return await askForKey(signal);
  try {
    return await keyByBrowser(consoleOf(where, httpPortOf(options)), {
      signal,
      output,
      opensBrowser: browser,
    });
  } catch (error) {
    if (!(error instanceof NoConsole) || !process.stdin.isTTY) throw error;
    tell(error.message);
    return await askForKey(signal);
  }
}

function httpPortOf({ httpPort }: LoginOptions): number {
  const named = variable('QUERN_HTTP_PORT');
  return httpPort ?? (named === undefined ? HTTP_PORT : portOf(named, 'QUERN_HTTP_PORT'));
}

const HTTP_PORT = 8432;

async function askForKey(signal: AbortSignal): Promise<string> {
  if (process.stdin.isTTY) return await typedKey('API key: ', signal);
  throw new UsageError('no terminal to ask for the key on', 'set QUERN_API_KEY');
}
