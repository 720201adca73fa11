/**
 * The process that `call-helpers.ts` starts: makes one call after the other. Errors cross as data, because a clone
 * would lose their class; results cross in pieces, each when the other side has dealt with the one before.
 */
import { writeFileSync } from 'node:fs';
import { assert } from '../../assert.ts';
import { type Notice, SqlError, sqlErrorOf } from '../../errors.ts';
import type { CallContext, FunctionContext } from '../../functions/function.ts';
import { seededRandom } from '../../seeded-random.ts';
import { type CrossingError, crossing } from '../../worker-calls.ts';
import type { Datum } from '../../types/datum.ts';
import type { FormatSettings } from '../../types/type.ts';
import { checkValueBytes, weightOf } from '../../types/weight.ts';
import { type Callee, implementationOf } from './callee.ts';
import { DatumAssembly, type Piece, piecesOf } from './datum-pieces.ts';

/** Session facts that a function may ask for, as plain data. */
export interface CallSession {
  readonly format: Omit<FormatSettings, 'objects'>;
  readonly statementMicros: bigint;
  /** Settings by name; others are the session's. */
  readonly settings: Readonly<Record<string, string | null>>;
  /** Where chance begins, for a call that asks for it. */
  readonly seed: number;
}

export type CallRequest =
  /** Null after its last piece. Arguments that do not come again are those of the last call. */
  | { readonly kind: 'argument'; readonly position: number; readonly piece: Piece | null }
  | { readonly kind: 'call'; readonly callee: Callee; readonly count: number; readonly session: CallSession }
  | { readonly kind: 'next' };

export type CallReply =
  | { readonly kind: 'piece'; readonly piece: Piece }
  | { readonly kind: 'done'; readonly notices: readonly Notice[] }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly error: CrossingError };

/** The function needs its session. */
class Refusal extends Error {}

const refuse = (): never => {
  throw new Refusal('the function needs its session');
};

function contextOf(
  { format, statementMicros, settings, seed }: CallSession,
  notices: Notice[],
): FunctionContext {
  const objects = { name: refuse, oid: refuse, enumValues: refuse };
  const given: CallContext = {
    settings: { ...format, objects },
    statementMicros,
    setting: (name) => (name in settings ? (settings[name] ?? null) : refuse()),
    random: seededRandom(seed),
    notice: (notice) => notices.push(notice),
  };
  return new Proxy(given, {
    get: (target, name) => (name in target ? target[name as keyof CallContext] : refuse()),
  }) as FunctionContext;
}

class Caller {
  readonly #args: Datum[] = [];
  #argument = new DatumAssembly();
  #result: Generator<Piece> | null = null;
  #notices: Notice[] = [];

  /** @returns what to tell; null: nothing yet. */
  hear(request: CallRequest): CallReply | null {
    switch (request.kind) {
      case 'argument':
        this.#take(request);
        return null;
      case 'call':
        return this.#call(request);
      case 'next':
        return this.#next();
    }
  }

  #take({ position, piece }: CallRequest & { kind: 'argument' }): void {
    if (piece !== null) {
      this.#argument.add(piece);
      return;
    }
    this.#args[position] = this.#argument.finish();
    this.#argument = new DatumAssembly();
  }

  #call({ callee, count, session }: CallRequest & { kind: 'call' }): CallReply {
    this.#args.length = count;
    this.#notices = [];
    try {
      const value = implementationOf(callee)(contextOf(session, this.#notices), ...this.#args);
      checkValueBytes(weightOf(value));
      this.#result = piecesOf(value);
      return this.#next();
    } catch (error) {
      if (error instanceof Refusal) return { kind: 'refused' };
      const known = sqlErrorOf(error) ?? new SqlError('internal_error', String(error));
      return { kind: 'failed', error: crossing(known) };
    }
  }

  #next(): CallReply {
    assert(this.#result !== null, 'a call was made');
    const step = this.#result.next();
    if (step.done !== true) return { kind: 'piece', piece: step.value };
    this.#result = null;
    return { kind: 'done', notices: this.#notices };
  }
}

/** Makes the process the likeliest to be ended when the machine has no memory left. */
function volunteer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not every system has it.
  }
}

assert(process.send !== undefined, 'this file is started by call-helpers.ts');
volunteer();
const caller = new Caller();
process.on('message', (request: CallRequest) => {
  const reply = caller.hear(request);
  if (reply !== null) process.send?.(reply);
});
process.on('disconnect', () => process.exit());
