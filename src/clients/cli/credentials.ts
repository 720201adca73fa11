/** Where `quern login` keeps a key: one file that its owner alone may read. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Credentials {
  readonly apiKey: string;
  readonly host?: string;
  readonly port?: number;
  readonly region?: string;
}

const OWNER_ONLY = 0o600;

/** A folder for what the command keeps. */
export const configFolder = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'quern');

export const credentialsFile = (): string => join(configFolder(), 'credentials.json');

export function readCredentials(): Credentials | null {
  try {
    return JSON.parse(readFileSync(credentialsFile(), 'utf8')) as Credentials;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${credentialsFile()} cannot be read: ${(error as Error).message}`);
  }
}

export function writeCredentials(credentials: Credentials): void {
  const file = credentialsFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: OWNER_ONLY });
  chmodSync(file, OWNER_ONLY);
}

/** @returns whether there was one. */
export function forgetCredentials(): boolean {
  const known = readCredentials() !== null;
  rmSync(credentialsFile(), { force: true });
  return known;
}
