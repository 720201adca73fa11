/**
 * The process that runs a language model from a GGUF file: what the model or its library does to its process ends
 * here. Started by `gguf-model.ts`, which asks one thing at a time. The library is no dependency: it is 30 MB and
 * more, and imported only here; what is used of it is written down below.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../../unless-aborted.ts';

/** Not a literal where it is imported: types and bundlers would ask for it. */
const LIBRARY: string = 'node-llama-cpp';
/** Tokens read and written at a time; their memory is taken whole. */
const CONTEXT_TOKENS = 4_096;
/** A small model repeats itself: bounds of lists and texts that its grammar enforces. */
const ITEMS_MAX = 4;
const TEXT_CHARACTERS_MAX = 300;
const LOG_MS = 200;

export type GgufRequest =
  | { readonly kind: 'load'; readonly path: string }
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly system: string;
      readonly user: string;
      readonly schema: unknown;
      readonly tokensMax: number;
    }
  /** Ends the present request: nobody needs its answer any more. */
  | { readonly kind: 'stop' };

export type GgufReply =
  | { readonly kind: 'loaded' }
  | {
      readonly kind: 'written';
      readonly text: string;
      readonly promptTokens: number;
      readonly completionTokens: number;
    }
  | { readonly kind: 'failed'; readonly message: string };

interface Sequence {
  readonly tokenMeter: {
    getState(): { readonly usedInputTokens: number; readonly usedOutputTokens: number };
  };
  clearHistory(): Promise<void>;
}

interface Llama {
  loadModel(options: { readonly modelPath: string }): Promise<{
    createContext(options: {
      readonly contextSize: number;
      readonly threads: number;
      readonly sequences: number;
    }): Promise<{ getSequence(): Sequence }>;
    tokenize(text: string): readonly number[];
  }>;
  createGrammarForJsonSchema(schema: unknown): Promise<unknown>;
}

interface Library {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<Llama>;
  readonly LlamaChatSession: new (options: {
    readonly contextSequence: Sequence;
    readonly systemPrompt: string;
  }) => {
    prompt(text: string, options: Readonly<Record<string, unknown>>): Promise<string>;
    dispose(options: { readonly disposeSequence: boolean }): void;
  };
}

interface Loaded {
  readonly library: Library;
  readonly llama: Llama;
  readonly sequence: Sequence;
  readonly tokenCount: (text: string) => number;
}

/** The library's last error messages. */
const said: string[] = [];
let loaded: Promise<Loaded> | null = null;
let stopping = new AbortController();

/** Goes on when nobody waits for it: the next question needs it too. */
function load(path: string): Promise<Loaded> {
  loaded ??= open(path).catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return unlessAborted(loaded, stopping.signal);
}

async function open(path: string): Promise<Loaded> {
  const library = (await import(LIBRARY)) as Library;
  // A core is left to the server: threads of the model wait for each other by turning in circles.
  const threads = Math.max(1, availableParallelism() - 1);
  const llama = await library.getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: threads,
    logLevel: 'error',
    logger: (_level: string, message: string) => void said.push(message),
  });
  const model = await llama.loadModel({ modelPath: path });
  const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads, sequences: 1 });
  return {
    library,
    llama,
    sequence: context.getSequence(),
    tokenCount: (text) => model.tokenize(text).length,
  };
}

async function write({ path, system, user, schema, tokensMax }: Extract<GgufRequest, { kind: 'write' }>) {
  const { library, llama, sequence, tokenCount } = await load(path);
  const tokens = tokenCount(system) + tokenCount(user) + tokensMax;
  if (tokens > CONTEXT_TOKENS) {
    throw new Error(
      `${tokens} tokens are more than the ${CONTEXT_TOKENS} that it reads and writes at a time`,
    );
  }
  const grammar = await llama.createGrammarForJsonSchema(bounded(schema));
  await sequence.clearHistory();
  const before = sequence.tokenMeter.getState();
  const session = new library.LlamaChatSession({ contextSequence: sequence, systemPrompt: system });
  try {
    const options = { grammar, maxTokens: tokensMax, temperature: 0, signal: stopping.signal };
    const text = await session.prompt(user, options);
    const { usedInputTokens, usedOutputTokens } = sequence.tokenMeter.getState();
    return {
      kind: 'written' as const,
      text,
      promptTokens: usedInputTokens - before.usedInputTokens,
      completionTokens: usedOutputTokens - before.usedOutputTokens,
    };
  } finally {
    session.dispose({ disposeSequence: false });
  }
}

function bounded(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const own = Object.entries(schema).map(([key, value]) => [key, bounded(value)]);
  const { type } = schema as { readonly type?: unknown };
  if (type === 'array') own.push(['maxItems', ITEMS_MAX]);
  if (type === 'string') own.push(['maxLength', TEXT_CHARACTERS_MAX]);
  return Object.fromEntries(own) as unknown;
}

/** Without the file's path: that is nobody's but the operator's. */
async function messageOf(error: unknown, path: string): Promise<string> {
  // The library tells of its log later than of its failure.
  if (loaded === null) await sleep(LOG_MS);
  const own = error instanceof Error ? error.message : String(error);
  const reason = said.findLast((line) => line.includes('error loading model:'))?.replace(/^.*model: /, '');
  said.length = 0;
  return (reason ?? own).replaceAll(path, 'the file').slice(0, 300);
}

async function answer(request: Exclude<GgufRequest, { kind: 'stop' }>): Promise<GgufReply> {
  try {
    if (request.kind === 'write') return await write(request);
    await load(request.path);
    return { kind: 'loaded' };
  } catch (error) {
    return { kind: 'failed', message: await messageOf(error, request.path) };
  }
}

process.on('message', (request: GgufRequest) => {
  if (request.kind === 'stop') {
    stopping.abort(new Error('stopped'));
    return;
  }
  stopping = new AbortController();
  void answer(request).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit());
