/** `quern login` and `quern logout`: a key for this machine. */
import { Client } from '../../typescript/src/client.ts';
import { credentialsFile, forgetCredentials, writeCredentials } from '../credentials.ts';
import { EXIT, errorText, UsageError } from '../session.ts';
import { print, tell } from '../terminal.ts';

interface LoginOptions {
  readonly host?: string;
  readonly port?: string;
  readonly region?: string;
}

/** Asks for a key, tries it, and keeps it. @returns the exit code. */
export async function login(options: LoginOptions): Promise<number> {
  try {
    const apiKey = process.env.QUERN_API_KEY || (await askForKey());
    const { host = process.env.QUERN_HOST, port = process.env.QUERN_PORT, region } = options;
    const where = {
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port: Number(port) }),
      ...(region !== undefined && { region }),
    };
    const client = new Client({ apiKey, ...where });
    await client.sql('SELECT 1').finally(() => client.close());
    writeCredentials({ apiKey, ...where });
    print(`signed in; the key is in ${credentialsFile()}`);
    return EXIT.ok;
  } catch (error) {
    tell(errorText(error));
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

export function logout(): number {
  print(forgetCredentials() ? 'signed out' : 'there was no key');
  return EXIT.ok;
}

/** What is typed is not shown. */
async function askForKey(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageError('no terminal to ask for the key on: set QUERN_API_KEY');
  }
  process.stderr.write('API key: ');
  process.stdin.setRawMode(true);
  try {
    let typed = '';
    for await (const chunk of process.stdin) {
      for (const one of String(chunk)) {
        if (one === '\r' || one === '\n') return typed;
        if (one === '\x03') throw new UsageError('interrupted');
        typed = one === '\x7f' ? typed.slice(0, -1) : typed + one;
      }
    }
    return typed;
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.stderr.write('\n');
  }
}
