/** Where the server is, and with which key and how safely one goes there. */
import type { ClientConfig } from '../config.ts';
import { InvalidArgumentError } from '../errors.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly apiKey: string;
  readonly region: string;
  /** `verified` by the machine's authorities; `unverified` on loopback, where certificates are self-signed. */
  readonly tls: 'off' | 'verified' | 'unverified';
  /** Which argument or variable named the host. */
  readonly hostFrom: string;
  readonly keyFrom: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PORT = 5432;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (IPV4.test(host) && host.startsWith('127.'));
/** Used as it is, region or not: an address, or the name of this machine. */
const isAddress = (host: string): boolean => IPV4.test(host) || host.includes(':') || isLoopback(host);

/** `host`, `host:port`, `[::1]:port`. */
function hostAndPort(given: string): [string, number | null] {
  const [, six, name, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(given) ?? [];
  const host = six ?? name ?? given;
  return [host, port === undefined ? null : portOf(Number(port))];
}

function portOf(port: number): number {
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError(`a port is a number from 1 to 65535, not ${port}`);
}

/** Region to `host:port`, as the file says that `QUERN_REGIONS` names. */
function regions(file: string | undefined): Readonly<Record<string, string>> {
  if (file === undefined) return {};
  try {
    const { readFileSync } = process.getBuiltinModule('node:fs');
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (cause) {
    throw new InvalidArgumentError(`QUERN_REGIONS names ${file}, which cannot be read`, { cause });
  }
}

/** A variable that is empty counts as unset. */
const withoutEmpty = (given: Environment): Environment =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));

export function addressOf(config: ClientConfig, given: Environment): Address {
  const environment = withoutEmpty(given);
  const apiKey = config.apiKey ?? environment.QUERN_API_KEY;
  if (apiKey === undefined || apiKey === '') {
    throw new InvalidArgumentError('no API key', {
      hint: 'give apiKey to the client, or set QUERN_API_KEY',
    });
  }
  const namedRegion = config.region ?? environment.QUERN_REGION;
  const region = namedRegion ?? 'local';
  const mapped = regions(environment.QUERN_REGIONS)[region];
  const ownHost = config.host ?? environment.QUERN_HOST;
  if (mapped === undefined && ownHost === undefined && region !== 'local') {
    throw new InvalidArgumentError(`no host for region ${JSON.stringify(region)}`, {
      hint: 'give host, or set QUERN_HOST or QUERN_REGIONS',
    });
  }
  const named = mapped ?? ownHost ?? '127.0.0.1';
  const [name, port] = hostAndPort(named);
  if (name === '' || /[\s/@]/.test(name))
    throw new InvalidArgumentError(`${JSON.stringify(named)} is no host`);
  const asItIs = port !== null || isAddress(name) || namedRegion === undefined || mapped !== undefined;
  const host = asItIs ? name : `${region}.sql.${name}`;
  const secure = config.https ?? true;
  return {
    host,
    port: portOf(config.port ?? port ?? Number(environment.QUERN_PORT ?? PORT)),
    apiKey,
    region,
    tls: !secure ? 'off' : isLoopback(host) ? 'unverified' : 'verified',
    keyFrom: config.apiKey === undefined ? 'QUERN_API_KEY' : 'apiKey',
    hostFrom: hostFrom(config, environment, mapped !== undefined),
  };
}

function hostFrom(config: ClientConfig, environment: Environment, isMapped: boolean): string {
  if (isMapped) return 'the file QUERN_REGIONS';
  if (config.host !== undefined) return 'host';
  return environment.QUERN_HOST === undefined ? 'the default' : 'QUERN_HOST';
}
