/**
 * Processes that make calls with large arguments: what V8 computes in one piece (JSON.parse of 50 MB takes 1.5 s, a
 * regular expression as long as it likes) must not be computed where other clients wait. A cancel or a time-out
 * kills the process, and its memory is given back. Threads would not do: one that reaches the limit of its heap
 * within one call of V8's own ends all of them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { SqlError } from '../../errors.ts';
import type { FunctionContext } from '../../functions/function.ts';
import { PATIENCE } from '../../functions/text/regexp-guard.ts';
import { CALL_HELPER_BASE_MB, CALL_HELPER_HEAP_MB_MAX, CALL_HELPERS_COUNT_MAX } from '../../limits.ts';
import { programFile } from '../../program-file.ts';
import type { Datum } from '../../types/datum.ts';
import { weightOf } from '../../types/weight.ts';
import { crossed } from '../../worker-calls.ts';
import type { Account } from '../account.ts';
import type { CallReply, CallRequest, CallSession } from './call-helper.ts';
import { type Callee, dependsOnChance } from './callee.ts';
import { DatumAssembly, type Piece, piecesOf, weightOfPiece } from './datum-pieces.ts';
import { HeldRows } from '../held-rows.ts';

export interface HelperCall {
  readonly callee: Callee;
  readonly args: readonly Datum[];
  readonly context: FunctionContext;
  readonly signal: AbortSignal;
  /** While it is made, the helper's memory and what it gives are held there. */
  readonly account: Account;
}

/** Refused: the function asks for something that only its session has; it is to be called there. */
export type CallResult = { readonly value: Datum } | 'refused';

/** An idle helper ends after this, and at once when it held much: its memory goes back as a whole. */
const IDLE_MS = 10_000;
const LARGE_BYTES = 4 * 1024 * 1024;
/** The share of what all statements may hold that one call may. */
const HELPER_SHARE = 1 / 4;
const MB = 1024 * 1024;
/** V8 takes three times that beside the heap. */
const YOUNG_MB = 4;

export class CallHelpers {
  readonly #heapMb: number;
  readonly #idle: CallHelper[] = [];
  readonly #all = new Set<CallHelper>();
  readonly #waiting: (() => void)[] = [];
  readonly #refused = new Set<string>();

  /** @param heapMb what one of them may hold at the most. */
  constructor(heapMb = CALL_HELPER_HEAP_MB_MAX) {
    this.#heapMb = heapMb;
  }

  /** Known from an earlier call. */
  refuses(callee: Callee): boolean {
    return this.#refused.size > 0 && this.#refused.has(keyOf(callee));
  }

  /** @throws SqlError of the function, 53200 when it needs more memory than it may have, or the signal's reason. */
  async call(call: HelperCall): Promise<CallResult> {
    const helper = await this.#take(call);
    try {
      using held = new HeldRows(call.account);
      held.addBytes(helper.heapMb * MB);
      const result = await helper.call(call, held);
      if (result === 'refused') this.#refused.add(keyOf(call.callee));
      return result;
    } finally {
      this.#giveBack(helper);
    }
  }

  /** Ends all of them, and what they compute. */
  close(): void {
    for (const helper of [...this.#all]) helper.end();
  }

  async #take({ signal, account }: HelperCall): Promise<CallHelper> {
    signal.throwIfAborted();
    while (this.#idle.length === 0 && this.#all.size >= CALL_HELPERS_COUNT_MAX) {
      await this.#oneIsFree(signal);
      signal.throwIfAborted();
    }
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const heapMb = Math.min(this.#heapMb, Math.ceil((account.limit * HELPER_SHARE) / MB));
    const helper = new CallHelper(heapMb, () => this.#forget(helper));
    this.#all.add(helper);
    return helper;
  }

  /** Also when the signal is aborted. */
  #oneIsFree(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        const at = this.#waiting.indexOf(done);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve();
      };
      this.#waiting.push(done);
      signal.addEventListener('abort', done);
    });
  }

  #giveBack(helper: CallHelper): void {
    if (this.#all.has(helper)) {
      this.#idle.push(helper);
      helper.rest();
    }
    this.#waiting[0]?.();
  }

  #forget(helper: CallHelper): void {
    this.#all.delete(helper);
    const at = this.#idle.indexOf(helper);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#waiting[0]?.();
  }
}

const keyOf = (callee: Callee): string => JSON.stringify(callee);

interface Pending {
  readonly assembly: DatumAssembly;
  readonly held: HeldRows;
  readonly context: FunctionContext;
  resolve(result: CallResult): void;
  reject(error: unknown): void;
}

class CallHelper {
  /** Limit of its heap. */
  readonly heapMb: number;
  readonly #process: ChildProcess;
  readonly #onEnd: () => void;
  #pending: Pending | null = null;
  /** Arguments that the helper still has from the last call: equal ones are not sent again. */
  #sent: readonly Datum[] = [];
  #held = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(heapMb: number, onEnd: () => void) {
    this.heapMb = heapMb;
    this.#onEnd = onEnd;
    this.#process = fork(programFile('./call-helper', import.meta.url), [PATIENCE], {
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        `--max-old-space-size=${CALL_HELPER_BASE_MB + heapMb}`,
        `--max-semi-space-size=${YOUNG_MB}`,
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#process.unref();
    this.#process.channel?.unref();
    this.#process.on('message', (reply: CallReply) => this.#hear(reply));
    this.#process.on('error', (error) => this.#fail(error));
    this.#process.on('exit', () => this.#fail(outOfMemory(heapMb)));
  }

  async call({ callee, args, context, signal }: HelperCall, held: HeldRows): Promise<CallResult> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const stop = (): void => {
      this.#fail(signal.reason);
      this.end();
    };
    signal.addEventListener('abort', stop);
    this.#process.channel?.ref();
    try {
      const replied = new Promise<CallResult>((resolve, reject) => {
        this.#pending = { assembly: new DatumAssembly(), held, context, resolve, reject };
      });
      // It may be rejected while arguments are still on their way.
      replied.catch(() => undefined);
      await this.#send(args);
      await this.#tell({ kind: 'call', callee, count: args.length, session: sessionOf(context, callee) });
      return await replied;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#process.channel?.unref();
    }
  }

  /** Piece by piece, so that others have their turns. */
  async #send(args: readonly Datum[]): Promise<void> {
    const known = this.#sent;
    this.#sent = [];
    this.#held = 0;
    for (const [position, arg] of args.entries()) {
      this.#held += weightOf(arg);
      if (position < known.length && Object.is(known[position], arg)) continue;
      for (const piece of piecesOf(arg)) {
        if (this.#pending === null) return;
        await this.#tell({ kind: 'argument', position, piece });
      }
      await this.#tell({ kind: 'argument', position, piece: null });
    }
    this.#sent = args;
  }

  /** When it is written; a process that has ended fails the call, so it is not asked here. */
  #tell(request: CallRequest): Promise<void> {
    return new Promise((resolve) => {
      this.#process.send(request, () => resolve());
    });
  }

  #hear(reply: CallReply): void {
    const pending = this.#pending;
    if (pending === null) return;
    switch (reply.kind) {
      case 'piece':
        this.#take(reply.piece, pending);
        return;
      case 'done': {
        const value = pending.assembly.finish();
        this.#held += weightOf(value);
        for (const notice of reply.notices) pending.context.notice(notice);
        this.#settle()?.resolve({ value });
        return;
      }
      case 'refused':
        this.#settle()?.resolve('refused');
        return;
      case 'failed':
        this.#settle()?.reject(crossed(reply.error));
        return;
    }
  }

  /** Where there is no room for it, the rest is not sent any more. */
  #take(piece: Piece, { assembly, held }: Pending): void {
    try {
      held.addBytes(weightOfPiece(piece));
    } catch (error) {
      this.#fail(error);
      this.end();
      return;
    }
    assembly.add(piece);
    void this.#tell({ kind: 'next' });
  }

  #settle(): Pending | null {
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }

  #fail(reason: unknown): void {
    this.#onEnd();
    this.#settle()?.reject(reason);
  }

  /** Nobody calls it now. */
  rest(): void {
    if (this.#held > LARGE_BYTES) this.end();
    else this.#timer = setTimeout(() => this.end(), IDLE_MS).unref();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#sent = [];
    this.#fail(new SqlError('query_canceled', 'canceling statement because the server ends'));
    this.#process.kill('SIGKILL');
  }
}

function outOfMemory(heapMb: number): SqlError {
  return new SqlError('out_of_memory', 'a call needs more memory than it may have', {
    detail: `A call with large arguments may use ${heapMb} MB.`,
    hint: 'Work on smaller values, in several rows.',
  });
}

/** Settings that functions of large values look at. */
const SETTINGS = ['default_text_search_config'];

function sessionOf(context: FunctionContext, callee: Callee): CallSession {
  const { objects: _, ...format } = context.settings;
  return {
    format,
    statementMicros: context.statementMicros,
    settings: Object.fromEntries(SETTINGS.map((name) => [name, context.setting(name)])),
    seed: dependsOnChance(callee) ? context.random() * 2 ** 32 : 0,
  };
}
