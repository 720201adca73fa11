/**
 * The server's configuration, and the only reader of the environment. A flag beats its `QUERN_SERVE_…`
 * variable (an empty one counts as unset), which beats the file given by `--config`, which beats the default.
 */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { SqlError } from './errors.ts';
import {
  ANSWER_DAYS_KEPT,
  ASK_ENDPOINT_SECONDS,
  ASK_GGUF_SECONDS,
  ASK_SECONDS_MAX,
  AUDIT_DAYS_KEPT,
  CALL_DAYS_KEPT,
  DIMENSION_MAX,
} from './limits.ts';
import { isNetwork } from './network-address.ts';

/** Flags of `quern serve` as text, by name without dashes in front; absent ones are undefined. */
export type ServeFlags = Readonly<Partial<Record<ServeFlag, string>>>;

interface FlagRow {
  readonly default: string | null;
  readonly summary: string;
}

/** One row a flag: `--http-port` is `QUERN_SERVE_HTTP_PORT`, and `http-port` in the file. */
export const SERVE_FLAGS = {
  data: { default: 'quern-data', summary: 'folder that holds everything' },
  host: { default: '127.0.0.1', summary: 'address to listen on' },
  port: { default: '5432', summary: 'port for SQL; 0 picks a free one' },
  'http-port': { default: '8432', summary: 'port for HTTP; 0 picks a free one' },
  memory: { default: null, summary: 'for rows, indexes and caches, as 2GB; else half of what there is' },
  region: { default: 'local', summary: 'name of this region' },
  'tls-cert': { default: null, summary: 'PEM file; without it a self-signed certificate is made' },
  'tls-key': { default: null, summary: 'PEM file of the certificate’s key' },
  metrics: {
    default: 'key',
    summary: 'who may read /metrics: `key`, who brings a key of a role in pg_monitor; `open`, everybody',
  },
  console: {
    default: 'on',
    summary: '`off`, as --no-console: no web console at the HTTP port, and no sign-in by browsers',
  },
  'trusted-proxies': {
    default: null,
    summary:
      'proxies of the HTTP port whose X-Forwarded-For, -Proto and -Prefix count, as 10.0.0.7,10.1.0.0/16',
  },
  'http-hosts': {
    default: null,
    summary: 'more names that HTTP requests may call the server by, separated by commas',
  },
  'http-origins': {
    default: null,
    summary: 'pages of other origins that may send HTTP requests, as https://app.example',
  },
  'tls-client-ca': {
    default: null,
    summary:
      'PEM file of authorities: a certificate of theirs signs in the role that it names (docs/keys.md)',
  },
  'tls-client-auth': {
    default: 'request',
    summary: 'with --tls-client-ca: request a certificate of clients, or require one',
  },
  'rerank-url': {
    default: null,
    summary: 'endpoint of a reranker for rerank(); its key in QUERN_RERANK_API_KEY',
  },
  'rerank-model': { default: null, summary: 'model that the endpoint is asked for' },
  models: {
    default: null,
    summary: 'folder with more embedding models, each a folder of it (docs/models.md)',
  },
  'embedding-url': {
    default: null,
    summary: 'endpoint with more embedding models, as https://host/v1; its key in QUERN_EMBEDDING_API_KEY',
  },
  'embedding-model': { default: null, summary: 'names of its models, separated by commas' },
  'embedding-dimensions': { default: null, summary: 'dimensions that they are asked for; else their own' },
  'embedding-query-prefix': { default: null, summary: 'put before each query, as "query: "' },
  'embedding-passage-prefix': { default: null, summary: 'put before each passage, as "passage: "' },
  'embedding-default': { default: null, summary: 'model of semantic indexes that name none' },
  'ask-url': {
    default: null,
    summary: 'endpoint of a language model for ask(), as https://host/v1; its key in QUERN_ASK_API_KEY',
  },
  'ask-model': { default: null, summary: 'model that the endpoint is asked for' },
  'ask-gguf': {
    default: null,
    summary: 'GGUF file of a language model for ask() that runs here, by the npm package node-llama-cpp',
  },
  'ask-seconds': {
    default: null,
    summary: 'that the language model has for a question: else 30, or 120 where it runs here',
  },
  'ask-tokens-a-question': { default: null, summary: 'that it may read and write for one question' },
  'ask-tokens-a-day': {
    default: null,
    summary: 'what it may cost in 24 hours, questions and answers together',
  },
  'answer-days': {
    default: String(ANSWER_DAYS_KEPT),
    summary: 'days for which answers are kept; 0: none are',
  },
  'call-days': {
    default: String(CALL_DAYS_KEPT),
    summary: 'days for which requests to endpoints and language models are written down',
  },
  audit: { default: 'on', summary: 'on, or off: nothing that is done is written down' },
  'audit-days': {
    default: String(AUDIT_DAYS_KEPT),
    summary: 'days for which entries of the audit are kept',
  },
  'audit-log': {
    default: null,
    summary:
      'file that gets each entry of the audit as a line of JSON; or stdout; or |COMMAND, which reads them',
  },
  'audit-when-full': {
    default: 'stop',
    summary:
      'stop or go-on where the audit cannot be written: others than superusers do not come in, or go on',
  },
  'encryption-key-command': {
    default: null,
    summary: 'prints the encryption key, as of a key service; else QUERN_ENCRYPTION_KEY, or a key file',
  },
  'rollback-guard': { default: null, summary: 'file elsewhere that tells when old data was put back' },
  config: { default: null, summary: 'JSON file with these flags by name' },
} as const satisfies Record<string, FlagRow>;

export type ServeFlag = keyof typeof SERVE_FLAGS;

export interface AuditConfig {
  readonly days: number;
  /** Null: none. */
  readonly log: string | null;
  readonly whenFull: 'stop' | 'go on';
}

export interface ServeConfig {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly httpPort: number;
  /** Bytes. */
  readonly memory: number;
  readonly region: string;
  /** 0: answers are not kept. */
  readonly answerDays: number;
  readonly callDays: number;
  /** Null: off. */
  readonly audit: AuditConfig | null;
  readonly tlsCertificate: string | null;
  readonly tlsKey: string | null;
  readonly web: WebConfig;
  /** Null: certificates of clients are not asked for. */
  readonly tlsClientCa: string | null;
  readonly tlsClientAuth: 'request' | 'require';
  /** Becomes the owner key at the first start. */
  readonly apiKey: string | null;
  /** Null: it lies in a key file. */
  readonly encryptionKey: KeyConfig | null;
  /** File that tells when old data was put back. */
  readonly rollbackGuard: string | null;
  /** Null: rerank() has nobody to ask. */
  readonly rerank: {
    readonly url: string;
    readonly model: string | null;
    readonly key: string | null;
  } | null;
  /** Null: ask() gives facts as they stand in the documents. */
  readonly ask: AskConfig | null;
  readonly embeddingDefault: string | null;
  /** Folder of models beside those that come with the server. */
  readonly models: string | null;
  /** Null: all embedding models run here. */
  readonly embedding: {
    readonly url: string;
    readonly models: readonly string[];
    readonly dimensions: number | null;
    readonly queryPrefix: string;
    readonly passagePrefix: string;
    readonly key: string | null;
  } | null;
}

/** Where an encryption key comes from: a variable or a flag, by its name. */
export type KeyConfig =
  | { readonly kind: 'text'; readonly text: string; readonly name: string }
  | { readonly kind: 'command'; readonly command: string; readonly name: string };

/** Who may send requests to the HTTP port, and by which names. */
export interface WebConfig {
  /** Networks in CIDR's notation. */
  readonly trustedProxies: readonly string[];
  /** In small letters. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly isMetricsOpen: boolean;
  readonly hasConsole: boolean;
}

export interface AskConfig {
  readonly model:
    | { readonly kind: 'endpoint'; readonly url: string; readonly model: string; readonly key: string | null }
    | { readonly kind: 'gguf'; readonly path: string };
  readonly seconds: number;
  readonly tokensAQuestion: number | null;
  readonly tokensADay: number | null;
}

/** @throws SqlError F0000 for a value that cannot be. */
export function readServeConfig(
  flags: ServeFlags,
  environment: NodeJS.ProcessEnv = process.env,
): ServeConfig {
  const read = (name: ServeFlag): string | null => flags[name] ?? (environment[variableOf(name)] || null);
  const file = readConfigFile(read('config'));
  const value = (name: ServeFlag): string | null => read(name) ?? file.get(name) ?? SERVE_FLAGS[name].default;
  const tlsCertificate = value('tls-cert');
  const tlsKey = value('tls-key');
  if ((tlsCertificate === null) !== (tlsKey === null)) {
    throw new SqlError('config_file_error', '--tls-cert and --tls-key are given together or not at all');
  }
  const rerankUrl = urlOf('rerank-url', value('rerank-url'));
  const rerankKey = endpointKey('QUERN_RERANK_API_KEY', environment);
  return {
    data: value('data') ?? '',
    host: value('host') ?? '',
    port: portOf('port', value('port')),
    httpPort: portOf('http-port', value('http-port')),
    memory: memoryOf(value('memory')),
    region: read('region') ?? file.get('region') ?? (environment.QUERN_REGION || SERVE_FLAGS.region.default),
    answerDays: daysOf('answer-days', value('answer-days'), 0),
    // What a day has cost is counted from there.
    callDays: daysOf('call-days', value('call-days'), 1),
    audit: auditOf(value),
    tlsCertificate,
    tlsKey,
    web: webOf(value),
    ...clientCertificates(value),
    apiKey: environment.QUERN_API_KEY || null,
    encryptionKey: keySource(
      { name: 'QUERN_ENCRYPTION_KEY', text: environment.QUERN_ENCRYPTION_KEY || null },
      { name: '--encryption-key-command', command: value('encryption-key-command') },
    ),
    rollbackGuard: value('rollback-guard'),
    rerank: rerankUrl === null ? null : { url: rerankUrl, model: value('rerank-model'), key: rerankKey },
    ask: askOf(value, environment),
    embedding: embeddingOf(value, environment),
    embeddingDefault: value('embedding-default'),
    models: value('models'),
  };
}

/** @throws SqlError F0000. */
function keySource(
  { name, text }: { readonly name: string; readonly text: string | null },
  { name: flag, command }: { readonly name: string; readonly command: string | null },
): KeyConfig | null {
  if (text !== null && command !== null) {
    throw new SqlError('config_file_error', `${flag} and ${name} give two keys: give one of them`);
  }
  if (text !== null) return { kind: 'text', text, name };
  return command === null ? null : { kind: 'command', command, name: flag };
}

/**
 * Where the next encryption key comes from; null: a new key file is made.
 * @param command that prints it; null: none is given.
 * @throws SqlError F0000.
 */
export function nextKeyOf(
  { encryptionKey }: ServeConfig,
  command: string | null,
  environment: NodeJS.ProcessEnv = process.env,
): KeyConfig | null {
  const next = keySource(
    { name: 'QUERN_NEW_ENCRYPTION_KEY', text: environment.QUERN_NEW_ENCRYPTION_KEY || null },
    { name: '--new-encryption-key-command', command },
  );
  if (next !== null || encryptionKey === null) return next;
  throw new SqlError(
    'config_file_error',
    `the encryption key is given by ${encryptionKey.name}, and no next one`,
    {
      hint: 'Give it in QUERN_NEW_ENCRYPTION_KEY, or by --new-encryption-key-command.',
    },
  );
}

function webOf(value: (name: ServeFlag) => string | null): WebConfig {
  const list = (flag: ServeFlag, what: string, isOne: (text: string) => boolean): readonly string[] =>
    listOf(value(flag)).map((text) => {
      if (isOne(text)) return text;
      throw new SqlError(
        'config_file_error',
        `--${flag} must be ${what}, separated by commas, not "${text}"`,
      );
    });
  const hosts = list('http-hosts', 'names of hosts without ports', (text) => HOST_NAME.test(text));
  const metrics = value('metrics');
  if (metrics !== 'open' && metrics !== 'key') {
    throw new SqlError('config_file_error', `--metrics must be key or open, not "${metrics}"`);
  }
  const hasConsole = value('console');
  if (hasConsole !== 'on' && hasConsole !== 'off') {
    throw new SqlError('config_file_error', `--console must be on or off, not "${hasConsole}"`);
  }
  return {
    isMetricsOpen: metrics === 'open',
    hasConsole: hasConsole === 'on',
    trustedProxies: list('trusted-proxies', 'addresses or networks, as 10.1.0.0/16', isNetwork),
    hosts: hosts.map((name) => name.toLowerCase()),
    origins: list(
      'http-origins',
      'origins, as https://app.example',
      (text) => URL.parse(text)?.origin === text,
    ),
  };
}

const HOST_NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;

const listOf = (text: string | null): readonly string[] => [
  ...new Set((text ?? '').split(',').flatMap((one) => one.trim() || [])),
];

/** @throws SqlError F0000. */
function clientCertificates(
  value: (name: ServeFlag) => string | null,
): Pick<ServeConfig, 'tlsClientCa' | 'tlsClientAuth'> {
  const tlsClientCa = value('tls-client-ca');
  const auth = value('tls-client-auth');
  if (auth !== 'request' && auth !== 'require') {
    throw new SqlError('config_file_error', `--tls-client-auth must be request or require, not "${auth}"`);
  }
  if (auth === 'require' && tlsClientCa === null) {
    throw new SqlError('config_file_error', '--tls-client-auth require needs authorities: --tls-client-ca');
  }
  return { tlsClientCa, tlsClientAuth: auth };
}

/** @throws SqlError F0000. */
function daysOf(flag: ServeFlag, text: string | null, least: number): number {
  const days = /^\d{1,5}$/.test(text ?? '') ? Number(text) : -1;
  if (days >= least && days <= DAYS_MAX) return days;
  const message = `--${flag} must be a number from ${least} to ${DAYS_MAX}, not "${text ?? ''}"`;
  throw new SqlError('config_file_error', message);
}

const DAYS_MAX = 36_500;

function auditOf(value: (name: ServeFlag) => string | null): AuditConfig | null {
  const isOn = value('audit');
  if (isOn !== 'on' && isOn !== 'off') {
    throw new SqlError('config_file_error', `--audit must be on or off, not "${isOn}"`);
  }
  const whenFull = value('audit-when-full');
  if (whenFull !== 'stop' && whenFull !== 'go-on') {
    throw new SqlError('config_file_error', `--audit-when-full must be stop or go-on, not "${whenFull}"`);
  }
  if (isOn === 'off') return null;
  return {
    days: daysOf('audit-days', value('audit-days'), 1),
    log: value('audit-log'),
    whenFull: whenFull === 'stop' ? 'stop' : 'go on',
  };
}

function askOf(
  value: (name: ServeFlag) => string | null,
  environment: NodeJS.ProcessEnv,
): ServeConfig['ask'] {
  const url = urlOf('ask-url', value('ask-url'));
  const name = value('ask-model');
  const path = value('ask-gguf');
  const key = endpointKey('QUERN_ASK_API_KEY', environment);
  if ((url === null) !== (name === null)) {
    throw new SqlError('config_file_error', '--ask-url and --ask-model are given together or not at all');
  }
  if (url !== null && path !== null) {
    throw new SqlError('config_file_error', '--ask-url and --ask-gguf name two models: give one of them');
  }
  const bounds = {
    seconds: countOf('ask-seconds', value('ask-seconds')),
    tokensAQuestion: countOf('ask-tokens-a-question', value('ask-tokens-a-question')),
    tokensADay: countOf('ask-tokens-a-day', value('ask-tokens-a-day')),
  };
  if (path !== null) {
    return { ...bounds, model: { kind: 'gguf', path }, seconds: bounds.seconds ?? ASK_GGUF_SECONDS };
  }
  if (url === null || name === null) return null;
  const model = { kind: 'endpoint' as const, url, model: name, key };
  return { ...bounds, model, seconds: bounds.seconds ?? ASK_ENDPOINT_SECONDS };
}

function countOf(flag: ServeFlag, text: string | null): number | null {
  if (text === null) return null;
  const max = flag === 'ask-seconds' ? ASK_SECONDS_MAX : Number.MAX_SAFE_INTEGER;
  if (/^[1-9]\d{0,14}$/.test(text) && Number(text) <= max) return Number(text);
  const bound = flag === 'ask-seconds' ? `from 1 to ${max}` : 'above 0';
  throw new SqlError('config_file_error', `--${flag} must be a number ${bound}, not "${text}"`);
}

function embeddingOf(
  value: (name: ServeFlag) => string | null,
  environment: NodeJS.ProcessEnv,
): ServeConfig['embedding'] {
  const url = urlOf('embedding-url', value('embedding-url'));
  const models = listOf(value('embedding-model'));
  const key = endpointKey('QUERN_EMBEDDING_API_KEY', environment);
  if ((url === null) !== (models.length === 0)) {
    throw new SqlError(
      'config_file_error',
      '--embedding-url and --embedding-model are given together or not at all',
    );
  }
  if (url === null) return null;
  return {
    url,
    models,
    dimensions: dimensionsOf(value('embedding-dimensions')),
    queryPrefix: value('embedding-query-prefix') ?? '',
    passagePrefix: value('embedding-passage-prefix') ?? '',
    key,
  };
}

function dimensionsOf(text: string | null): number | null {
  const dimensions = Number(text);
  if (text === null) return null;
  if (/^\d+$/.test(text) && dimensions >= 1 && dimensions <= DIMENSION_MAX) return dimensions;
  throw new SqlError(
    'config_file_error',
    `--embedding-dimensions must be a number from 1 to ${DIMENSION_MAX}, not "${text}"`,
  );
}

/** Told without what it is: a name and password in it are secrets. */
function urlOf(flag: ServeFlag, text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isWeb && url?.username === '' && url.password === '') return text;
  throw new SqlError(
    'config_file_error',
    `--${flag} must be an http or https URL without a user and password`,
  );
}

/** A key that no header can hold would be told in the error of the first request. */
function endpointKey(variable: string, environment: NodeJS.ProcessEnv): string | null {
  const key = environment[variable]?.trim() || null;
  if (key === null || /^[\x21-\x7e]+$/.test(key)) return key;
  throw new SqlError(
    'config_file_error',
    `${variable} must be of printable ASCII characters, without blanks`,
  );
}

function variableOf(flag: ServeFlag): string {
  return `QUERN_SERVE_${flag.toUpperCase().replaceAll('-', '_')}`;
}

function portOf(flag: ServeFlag, text: string | null): number {
  const port = Number(text);
  if (text !== null && /^\d+$/.test(text) && port <= 65_535) return port;
  throw new SqlError('config_file_error', `--${flag} must be a port number from 0 to 65535, not "${text}"`);
}

const MEMORY_UNITS: Readonly<Record<string, number>> = { MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };
/** Below this hardly a block fits beside a head. */
export const MEMORY_BYTES_MIN = 16 * 1024 ** 2;

function memoryOf(text: string | null): number {
  if (text === null) return Math.max(MEMORY_BYTES_MIN, Math.floor(availableMemory() / 2));
  const [, count, unit = 'MB'] = /^(\d+(?:\.\d+)?)\s*(MB|GB|TB)$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(count) * (MEMORY_UNITS[unit.toUpperCase()] ?? Number.NaN));
  if (bytes >= MEMORY_BYTES_MIN) return bytes;
  throw new SqlError('config_file_error', `--memory must be an amount from 16MB on, like 2GB, not "${text}"`);
}

/** Memory of the machine, or of the container that the server runs in. */
function availableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function readConfigFile(path: string | null): Map<string, string> {
  if (path === null) return new Map();
  try {
    const settings = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const unknown = Object.keys(settings).find((name) => !(name in SERVE_FLAGS));
    if (unknown !== undefined) throw new Error(`there is no setting "${unknown}"`);
    return new Map(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new SqlError('config_file_error', `could not read configuration file "${path}": ${message}`);
  }
}
