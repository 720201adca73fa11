/**
 * The composition root: makes the parts of a server and hands them to each other. Clock, randomness and
 * configuration enter here. Loaded by `command.ts` for `quern serve`.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { microsecondClock } from './clock.ts';
import { Ingestion } from './ingest/ingestion.ts';
import { PageDrawer } from './ingest/page-drawer.ts';
import { UsageError } from './clients/cli/errors.ts';
import type { ServerCommands } from './clients/cli/program.ts';
import { QuernError } from './clients/typescript/src/errors.ts';
import { MEMORY_BYTES_MIN, nextKeyOf, readServeConfig, type ServeConfig, type ServeFlags } from './config.ts';
import { openDataFolder, rekey as rekeyFolder, resetOwner } from './data-folder.ts';
import { SqlError } from './errors.ts';
import { collectGarbage } from './engine/embedded/idle-collection.ts';
import { CallHelpers } from './execute/expression/call-helpers.ts';
import { consoleAddress } from './http/console.ts';
import { openHttpPort } from './http-port.ts';
import { LogLines } from './log-lines.ts';
import { HeldFiles } from './storage/held-files.ts';
import { openLineSink } from './storage/line-sink.ts';
import { TemporaryFiles } from './storage/temporary-file.ts';
import { createInference, USUAL_MODEL } from './inference/registry.ts';
import { EMBEDDED_PASSAGES_BYTES_MAX, INGESTION_LANES } from './limits.ts';
import type { Inference } from './inference/provider.ts';
import type { Environment } from './session/environment.ts';
import { AutoAnalyze } from './session/statements/analyze.ts';
import { createSessionFactory } from './session/factory.ts';
import { warmUp } from './warm-up.ts';
import { dropTemporaryOf } from './session/statements/temporary.ts';
import type { Keys } from './session/sign-in/keys.ts';
import { DocumentAsker } from './ask/asker.ts';
import { InferenceLog } from './ask/inference-log.ts';
import { type OpenedModel, openModel } from './ask/model/open-model.ts';
import { ResearchJobs } from './ask/research/jobs.ts';
import { Writer } from './ask/writer.ts';
import { DOMAINS } from './language/domains/domains.ts';
import { ParseService } from './sql/parse/service.ts';
import { keepParserSmall, loadParser } from './sql/parse/parse.ts';
import { connectionLimits } from './wire/connection-limits.ts';
import { listenSql } from './wire/listener.ts';
import { openTls, type ServerTls } from './wire/tls.ts';

/** A folder of the data folder. */
const TEMPORARY_FOLDER = 'tmp';
const MODELS_FOLDER = join(import.meta.dirname, '../models');
/** So long a server warms itself up at the most before it is ready. */
const WARM_UP_MS = 400;
/** Everything acknowledged is on disk already; what is left after this is only orderliness. */
const SHUTDOWN_MS_MAX = 30_000;

type Fields = Readonly<Record<string, unknown>>;

const LOG = new LogLines(process.stderr);
/** How long the end of the server waits for the reader of its log. */
const LOG_READ_MS_MAX = 2000;

const log = (event: string, fields: Fields = {}): void =>
  LOG.write({ time: new Date().toISOString(), event, ...fields });

/** A line for who started the server. @throws Error where standard output takes nothing */
async function print(line: string): Promise<void> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(`${line}\n`, resolve);
  });
  if (error) throw error;
}

/** It is told once: a server whose owner cannot get in is of no use. */
async function printOwnerKey(key: string): Promise<void> {
  await print(`owner key (shown once): ${key}`).catch((error: Error) => {
    throw new QuernError(`the owner key could not be printed: ${error.message}`, {
      hint: '`quern key reset-owner` makes a new one',
    });
  });
}

function logError(event: string, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  log(event, { name, message, stack });
}

/** @returns when the server has ended well. */
async function serve(config: ServeConfig): Promise<void> {
  const ended = signalled();
  boundGarbage(config);
  const limits = connectionLimits(openFilesMax());
  using language = config.ask === null ? null : openModel(config.ask.model);
  const opened = await openData(config, memoryBeside(language, config));
  const { engine, keys } = opened;
  try {
    if (opened.madeKey !== null) await printOwnerKey(opened.madeKey);
    const tls = await openTlsOf(config);
    await dropTemporaryOf(engine, () => true);
    if (isSmall(config)) keepParserSmall();
    await using inference = await openInference(config, opened.usualModel);
    using drawer = new PageDrawer();
    const { seal, rekey } = opened;
    const host = { openSession: () => factory.openOwn(), log, nowMs: () => performance.now(), seal };
    const writer = makeWriter(config, language, () => factory);
    await using research = new ResearchJobs({
      ...host,
      openAs: (starter) => factory.openAs(starter),
      writer,
    });
    const parts = { engine, inference, asker: new DocumentAsker(writer), researcher: research };
    const temporaryFiles = await openTemporaryFiles(config);
    const beside = { temporaryFiles, drawPage: drawer.draw, seal, rekey, ...(await openAudit(config)) };
    const environment = makeEnvironment(parts, config, beside);
    await using _ = new AutoAnalyze(engine, {
      now: environment.nowMs,
      report: (error) => logError('ANALYZE in the background failed', error),
    });
    const factory = createSessionFactory(environment, keys);
    await warmUpAtOnce(environment, keys);
    await using ingestion = new Ingestion(host, INGESTION_LANES);
    await ingestion.start();
    await research.resume();
    const { host: address, port } = config;
    const sql = await listenSql({ host: address, port, factory, tls, limits, log });
    const uploads = new HeldFiles(temporaryFolder(config), opened.seal);
    const report = (error: unknown): void => logError('HTTP request failed', error);
    const http = await openHttpPort(config, { factory, tls, limits, sql, uploads, report });
    warm(inference, language);
    know(keys, config.apiKey);
    using _files = follow(tls);
    const ready = { port: sql.port, httpPort: http.port, connectionsMax: limits.signedIn };
    await tellReady(config, ready, factory.desk.makeLink(opened.madeKey));
    await ended;
    log('shutting down');
    limitShutdown();
    await Promise.all([sql.close(), http.close()]);
    await ingestion[Symbol.asyncDispose]();
    await research[Symbol.asyncDispose]();
    await factory.close();
    await environment.parser.close();
    environment.helpers.close();
  } finally {
    await opened.close();
  }
}

const openTlsOf = (config: ServeConfig): Promise<ServerTls> =>
  openTls({
    certificate: config.tlsCertificate,
    key: config.tlsKey,
    folder: `${resolve(config.data)}.tls`,
    names: [hostname(), config.host],
    clientCa: config.tlsClientCa,
    clientAuth: config.tlsClientAuth,
  });

/** And the parser, which other threads compile meanwhile. */
async function openData(config: ServeConfig, memoryBytes: number) {
  const folder = openDataFolder({
    ...dataFolder(config),
    apiKey: config.apiKey,
    rollbackGuard: config.rollbackGuard,
    usualModel: USUAL_MODEL,
    log,
    settings: { memoryBytes },
  });
  const [opened] = await Promise.all([folder, loadParser()]);
  return opened;
}

const temporaryFolder = ({ data }: ServeConfig): string => join(resolve(data), TEMPORARY_FOLDER);

/** Nothing is left in the folder of a server that was killed. */
async function openTemporaryFiles(config: ServeConfig): Promise<TemporaryFiles> {
  const files = new TemporaryFiles(temporaryFolder(config));
  await files.sweep();
  return files;
}

const openInference = (
  { rerank, embedding, embeddingDefault, models }: ServeConfig,
  usualModel: string,
): Promise<Inference> =>
  createInference({
    modelsFolder: MODELS_FOLDER,
    moreModels: models,
    threads: Math.max(1, Math.min(4, availableParallelism())),
    rerank,
    embedding,
    defaultModel: embeddingDefault,
    usualModel,
    cachedBytes: EMBEDDED_PASSAGES_BYTES_MAX,
  });

/** Its files, and SIGHUP. */
function follow(tls: ServerTls): Disposable {
  const watching = tls.watch(log);
  const again = (): void => void tls.reload(log);
  process.on('SIGHUP', again);
  return {
    [Symbol.dispose]() {
      process.off('SIGHUP', again);
      watching[Symbol.dispose]();
    },
  };
}

interface Ready {
  readonly port: number;
  readonly httpPort: number;
  readonly connectionsMax: number;
}

/** A line that is not read where whoever started the server does not read on; it serves all the same. */
const tell = (line: string): Promise<void> =>
  print(line).catch((error: Error) => {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    throw new QuernError(`standard output cannot be written: ${error.message}`);
  });

/**
 * Programs wait for one line. The console's address stands before it where somebody may read it.
 *
 * @param link token of the first start's; null: there was one before.
 */
async function tellReady(
  { host, data, region, web }: ServeConfig,
  ready: Ready,
  link: string | null,
): Promise<void> {
  const isTold = link !== null || process.stdout.isTTY;
  const fragment = link === null ? '' : `#link=${link}`;
  if (web.hasConsole && isTold) await tell(`console: ${consoleAddress(host, ready.httpPort)}${fragment}`);
  await tell(`ready sql=${host}:${ready.port} http=${host}:${ready.httpPort}`);
  for (const fault of DOMAINS.faults) log('a row of a domain pack is left out', { fault });
  log('ready', { data: resolve(data), region, host, ...ready });
}

function dataFolder({ data, encryptionKey }: ServeConfig) {
  return {
    folder: resolve(data),
    encryptionKey,
    randomBytes,
    report: (error: unknown) => logError('background work failed', error),
  };
}

/** Threads that end do not keep the event loop alive; this timer does, and ends what takes too long. */
function limitShutdown(): void {
  setTimeout(() => {
    log('shutdown took too long');
    void LOG.read(LOG_READ_MS_MAX).then(() => process.exit(1));
  }, SHUTDOWN_MS_MAX);
}

/** In a small server V8 collects more often: garbage that nobody counts would be as much as what is held. */
const SMALL_MEMORY_BYTES = 1024 ** 3;
const SMALL_GROWTH_PERCENT = 20;

const isSmall = ({ memory }: ServeConfig): boolean => memory <= SMALL_MEMORY_BYTES;

/**
 * V8 would make room for 128 MB of new objects where a statement makes many, and keep it. It does not grow in a small
 * server, and begins as small as the first collection leaves it.
 */
function boundGarbage(config: ServeConfig): void {
  if (!isSmall(config)) return;
  setFlagsFromString(`--heap-growing-percent=${SMALL_GROWTH_PERCENT}`);
  setFlagsFromString('--semi-space-growth-factor=1');
  collectGarbage();
}

/** Null where no language model is configured. */
function makeWriter(
  { ask }: ServeConfig,
  language: OpenedModel | null,
  server: () => Pick<ReturnType<typeof createSessionFactory>, 'openOwn' | 'calls'>,
): Writer | null {
  if (ask === null || language === null) return null;
  const { tokensADay, tokensAQuestion, seconds } = ask;
  const kept = (): void => server().calls.kept();
  const log = new InferenceLog(() => server().openOwn(), kept);
  const report = (error: unknown): void => logError('what a language model cost was not logged', error);
  const allowance = { seconds, tokens: tokensAQuestion };
  return new Writer({ model: language.model, log, tokensADay, allowance, report });
}

/** @throws SqlError F0000 where too little is left. */
function memoryBeside(language: OpenedModel | null, { memory }: ServeConfig): number {
  const taken = language?.memoryBytes ?? 0;
  if (memory - taken >= MEMORY_BYTES_MIN) return memory - taken;
  const inMb = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);
  throw new SqlError(
    'config_file_error',
    `the model of --ask-gguf takes ${inMb(taken)} MB of memory, and --memory allows for ${inMb(memory)} MB`,
    { hint: `Give at least --memory ${inMb(taken + MEMORY_BYTES_MIN)}MB, or a smaller model.` },
  );
}

async function openAudit({ audit }: ServeConfig) {
  if (audit === null) return {};
  const { log: target, ...given } = audit;
  return { audit: { ...given, sink: target === null ? null : await openLineSink(target) } };
}

type Parts = Pick<Environment, 'engine' | 'inference' | 'asker' | 'researcher'>;
type Beside = 'seal' | 'temporaryFiles' | 'drawPage' | 'audit' | 'rekey';

function makeEnvironment(
  parts: Parts,
  { region, answerDays, callDays }: ServeConfig,
  beside: Pick<Environment, Beside>,
): Environment {
  const clockMicros = microsecondClock(Date.now, () => performance.now());
  return {
    ...parts,
    ...beside,
    parser: new ParseService(),
    helpers: new CallHelpers(),
    region,
    answerDays,
    callDays,
    startedMicros: clockMicros(),
    clockMicros,
    nowMs: () => performance.now(),
    random: Math.random,
    randomBytes,
    log,
  };
}

/** A server that cannot is a slow one. */
function warmUpAtOnce(environment: Environment, keys: Keys): Promise<void> {
  const untilMs = environment.nowMs() + WARM_UP_MS;
  return warmUp(environment, keys, untilMs).catch((error: unknown) => logError('warming up failed', error));
}

/** Models load while clients connect; one that is not there is told when it is asked for. */
function warm({ models, model, defaultModel }: Inference, language: OpenedModel | null): void {
  language?.warm().catch((error: unknown) => logError('language model did not load', error));
  if (!models().includes(defaultModel)) return;
  model(defaultModel)
    .warm()
    .catch((error: unknown) => logError('model did not load', error));
}

/** A key that is given again at a later start is known before its first sign-in. */
function know(keys: Keys, configured: string | null): void {
  if (configured === null) return;
  keys.verify(configured).catch((error: unknown) => logError('key was not checked', error));
}

/** The system's bound for this process; Node has raised it as far as it may go. */
function openFilesMax(): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const { soft } = report.userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

function signalled(): Promise<void> {
  return new Promise((done) => {
    process.once('SIGTERM', () => done());
    process.once('SIGINT', () => done());
  });
}

/** Runs with the configuration. @throws UsageError for one that cannot be, QuernError for what stops a server from starting */
async function configured<Result>(
  run: (config: ServeConfig) => Promise<Result>,
  flags: ServeFlags,
): Promise<Result> {
  try {
    return await run(readConfig(flags));
  } catch (error) {
    throw startError(error);
  }
}

function readConfig(flags: ServeFlags): ServeConfig {
  try {
    return readServeConfig(flags);
  } catch (error) {
    if (error instanceof SqlError) throw new UsageError(error.message, error.fields.hint);
    throw error;
  }
}

/** In the words of the command. */
function startError(error: unknown): Error {
  if (error instanceof SqlError) return new QuernError(error.message, { hint: error.fields.hint });
  const { code, address, port, message } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE') {
    const hint = 'choose another with --port or --http-port';
    return new QuernError(`port ${port} on ${address} is in use`, { hint });
  }
  if (code === 'EACCES') return new QuernError(`port ${port} on ${address} may not be used: ${message}`);
  return error instanceof Error ? error : new Error(String(error));
}

/** Whatever a client caused must not end the process: it is our bug, it is logged, and the rest goes on. */
function outlive(): void {
  process.on('uncaughtException', (error) => logError('uncaught exception', error));
  process.on('unhandledRejection', (error) => logError('unhandled rejection', error));
}

export const SERVER: Pick<ServerCommands, 'serve' | 'resetOwner' | 'rekey'> = {
  async serve(flags) {
    outlive();
    await configured(serve, flags);
    await LOG.read(LOG_READ_MS_MAX);
  },
  resetOwner: (flags) => configured((config) => resetOwner(dataFolder(config)), flags),
  rekey: (flags, next) =>
    configured((config) => rekeyFolder(dataFolder(config), nextKeyOf(config, next)), flags),
};
