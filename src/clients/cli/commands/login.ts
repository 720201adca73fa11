/** `quern login` and `quern logout`: a key for this machine. */
import { Client } from '../../typescript/src/client.ts';
import { credentialsFile, forgetCredentials, writeCredentials } from '../credentials.ts';
import { UsageError } from '../errors.ts';
import { typedKey } from '../input.ts';
import type { Call } from '../running.ts';
import { addressGiven, advised, type ServerOptions, variable } from '../server.ts';
import { type OutputFormat, print, printJson } from '../terminal.ts';

/** Asks for a key, tries it, and keeps it. */
export async function login({ options, signal }: Call<ServerOptions>): Promise<undefined> {
  const given = addressGiven(options);
  const apiKey = options.apiKey ?? variable('QUERN_API_KEY') ?? (await askForKey(signal));
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

async function askForKey(signal: AbortSignal): Promise<string> {
  if (process.stdin.isTTY) return await typedKey('API key: ', signal);
  throw new UsageError('no terminal to ask for the key on', 'set QUERN_API_KEY');
}
