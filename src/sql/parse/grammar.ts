/**
 * PostgreSQL's own grammar: libpg-query 18, the WebAssembly build. This is the one file that knows the package.
 *
 * The one thing to know: a native stack overflow inside the module (a long left-deep chain) leaves its
 * linear memory damaged for good, so an instance that overflowed is dropped and a spare takes its place.
 */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type * as pg from 'libpg-query';
import { assert } from '../../assert.ts';
import { SqlError } from '../../errors.ts';

export type * as pg from 'libpg-query';

/** A token of the lexer; offsets are UTF-8 bytes. */
export type Token = pg.ScanToken;

/** Emscripten's interface of the module; pointers are numbers. */
interface GrammarModule {
  _malloc(size: number): number;
  _free(pointer: number): void;
  _wasm_parse_query_raw(query: number): number;
  _wasm_free_parse_result(result: number): void;
  _wasm_scan(query: number): number;
  _wasm_free_string(text: number): void;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, pointer: number, size: number): void;
  UTF8ToString(pointer: number): string;
  getValue(pointer: number, type: 'i32'): number;
}

const newModule = createRequire(import.meta.url)(
  'libpg-query/wasm/libpg-query.js',
) as () => Promise<GrammarModule>;

/** Rejection by the grammar. `position` counts characters from 0. */
export class GrammarError extends Error {
  override readonly name = 'GrammarError';
  readonly position: number;
  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** No module has so many functions: none is optimised that is compiled while this is set. */
const OPTIMISED_NONE = '--wasm-tier-up-filter=1000000';
const OPTIMISED_ALL = '--wasm-tier-up-filter=-1';

const TOO_DEEP = 'stack depth limit exceeded';

/** A stack overflow, or WebAssembly's trap in an instance that had one. */
const isOverflow = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');

export class Grammar {
  #instances: GrammarModule[] = [];
  #refill: Promise<void> | null = null;

  /** Resolves when an instance is ready; call before the first parse. */
  async load(): Promise<void> {
    if (this.#instances.length === 2) return;
    this.#refill ??= this.#fill();
    if (this.#instances.length === 0) await this.#refill;
    else this.#refill.catch(() => undefined); // the next call tries again, and tells why it could not
  }

  /**
   * Once it is hot, V8 optimises the grammar's one function of 100 KB, for which it takes 610 MB for a second. Here
   * it is compiled so that it stays as it is: a statement takes some 8 µs more to parse. The lexer's functions are
   * compiled before, so that they can be optimised.
   */
  compileSmall(): void {
    this.scan('SELECT 1');
    setFlagsFromString(OPTIMISED_NONE);
    try {
      this.parse('');
    } finally {
      setFlagsFromString(OPTIMISED_ALL);
    }
  }

  /**
   * The raw parse tree.
   * @throws GrammarError for what the grammar rejects; SqlError 54001 when the text nests too deep.
   */
  parse(text: string): pg.ParseResult {
    return this.#run((module) => parseWith(module, text));
  }

  /** Tokens, comments included; null when the lexer rejects the text (`parse` then says why). */
  scan(text: string): readonly Token[] | null {
    return this.#run((module) => scanWith(module, text));
  }

  #run<T>(use: (module: GrammarModule) => T): T {
    const module = this.#instances[0];
    assert(module !== undefined, 'the parser is loaded before the first parse');
    try {
      return use(module);
    } catch (error) {
      if (!isOverflow(error)) throw error;
      // A last instance is kept, damaged or not: one more error is better than none to parse with.
      if (this.#instances.length > 1) this.#instances.shift();
      void this.load();
      throw new SqlError('statement_too_complex', TOO_DEEP, { cause: error });
    }
  }

  async #fill(): Promise<void> {
    try {
      while (this.#instances.length < 2) this.#instances.push(await newModule());
    } finally {
      this.#refill = null;
    }
  }
}

function withText<T>(module: GrammarModule, text: string, use: (pointer: number) => T): T {
  const size = module.lengthBytesUTF8(text) + 1;
  const pointer = module._malloc(size);
  if (pointer === 0) throw new SqlError('out_of_memory', 'out of memory');
  try {
    module.stringToUTF8(text, pointer, size);
    return use(pointer);
  } finally {
    module._free(pointer);
  }
}

/** PgQueryParseResult is { tree, stderr, error }, PgQueryError { message, function, file, line, cursor }. */
function parseWith(module: GrammarModule, text: string): pg.ParseResult {
  return withText(module, text, (query) => {
    const result = module._wasm_parse_query_raw(query);
    if (result === 0) throw new SqlError('out_of_memory', 'out of memory');
    try {
      const error = module.getValue(result + 8, 'i32');
      if (error !== 0) {
        const message = module.UTF8ToString(module.getValue(error, 'i32'));
        throw new GrammarError(message, Math.max(0, module.getValue(error + 16, 'i32') - 1));
      }
      return JSON.parse(module.UTF8ToString(module.getValue(result, 'i32'))) as pg.ParseResult;
    } finally {
      module._wasm_free_parse_result(result);
    }
  });
}

function scanWith(module: GrammarModule, text: string): readonly Token[] | null {
  return withText(module, text, (query) => {
    const result = module._wasm_scan(query);
    try {
      const json = module.UTF8ToString(result);
      return json.startsWith('{') ? (JSON.parse(json) as pg.ScanResult).tokens : null;
    } finally {
      module._wasm_free_string(result);
    }
  });
}
