/** How the client waits: retries, back-off, ingestion; how sure a read has to be; where the server is. */
import { InvalidArgumentError } from './errors.ts';
import { type Options, optionsOf } from './options.ts';

/** The writes that a read has to see. A write is visible to every later read at once, at both levels. */
export const ConsistencyLevel = { Indexed: 'indexed', Strong: 'strong' } as const;
export type ConsistencyLevel = (typeof ConsistencyLevel)[keyof typeof ConsistencyLevel];

/** Waits between tries: `initBackoff` ms, times `base` each time, never above `maxBackoff` ms. */
export interface BackoffConfig {
  readonly base?: number | undefined;
  readonly initBackoff?: number | undefined;
  readonly maxBackoff?: number | undefined;
}

/** How often and how long (ms) what may be asked again is asked again. */
export interface RetryConfig {
  readonly maxRetries?: number | undefined;
  readonly timeout?: number | undefined;
  readonly backoff?: Options<BackoffConfig>;
}

/** `waitForHandle`: how often it asks and how long it waits at most, in seconds. */
export interface WaitConfig {
  readonly frequencySecs?: number | undefined;
  readonly timeoutSecs?: number | undefined;
}

/** @internal A server's own clients have a way in that goes over no network. */
export const OPEN: unique symbol = Symbol('open');

/** Configuration of a client. */
export interface ClientConfig {
  /** The key is the password; left out, `QUERN_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Left out, `QUERN_REGION`. */
  readonly region?: string | undefined;
  /** The service's domain, or an address, with or without a port; left out, `QUERN_HOST`, else 127.0.0.1. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** TLS, with the certificate verified except on loopback. Default true; on loopback alone TLS is left out. */
  readonly https?: boolean | undefined;
  readonly retryConfig?: Options<RetryConfig>;
  /** Connections at most. Default 10. */
  readonly maxConnections?: number | undefined;
  /** Called around every statement, for traces. */
  readonly onStatement?: ((statement: StatementTrace) => void) | undefined;
  /** Told of what the server says beside results: that a search was over documents still being read, say. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** @internal Opens what goes to the server, without TLS; left out, a socket to its address. */
  readonly [OPEN]?: (() => Carrier) | undefined;
}

/** @internal What carries bytes to the server and back, in place of a socket. */
export interface Carrier {
  destroy(error?: Error): unknown;
}

/** A NOTICE or WARNING. */
export interface Notice {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** One statement that ended. */
export interface StatementTrace {
  readonly sql: string;
  readonly milliseconds: number;
  readonly rows: number;
  readonly tries: number;
  readonly error: Error | null;
}

/** Result of one statement of a script, values as the server's text. */
export interface ScriptResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** `INSERT 2`. */
  readonly tag: string;
}

/** @internal */
export interface Retries {
  readonly maxRetries: number;
  readonly timeout: number;
  readonly base: number;
  readonly initBackoff: number;
  readonly maxBackoff: number;
}

const notNegative = (name: string, value: number): number => {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError(`${name} must be a number that is not negative`);
};

/** @internal */
export function retriesOf(given: Options<RetryConfig>): Retries {
  const names = ['maxRetries', 'timeout', 'backoff'] as const;
  const { maxRetries = 3, timeout = 30_000, backoff } = optionsOf<RetryConfig>('retryConfig', given, names);
  const {
    base = 2,
    initBackoff = 100,
    maxBackoff = 10_000,
  } = optionsOf<BackoffConfig>('backoff', backoff, ['base', 'initBackoff', 'maxBackoff']);
  return {
    maxRetries: notNegative('maxRetries', maxRetries),
    timeout: notNegative('timeout', timeout),
    base: notNegative('base', base),
    initBackoff: notNegative('initBackoff', initBackoff),
    maxBackoff: notNegative('maxBackoff', maxBackoff),
  };
}

/** @internal Milliseconds before the retry of that number (0 is the first); a quarter of it is left to chance. */
export function backoffMs({ base, initBackoff, maxBackoff }: Retries, retry: number): number {
  return Math.min(maxBackoff, initBackoff * base ** retry) * (0.75 + Math.random() / 4);
}

/** @internal The configuration of a client without what is null. */
export const configOf = (given: Options<ClientConfig>): ClientConfig =>
  optionsOf<ClientConfig>('Client', given, [
    'apiKey',
    'region',
    'host',
    'port',
    'https',
    'retryConfig',
    'maxConnections',
    'onStatement',
    'onNotice',
  ]);
