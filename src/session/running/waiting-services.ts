/**
 * What functions wait for: advisory locks and time (`FunctionContext.waitFor`), and the services of advisory
 * locks that answer at once. Keys come as one bigint or two integers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdvisoryKey } from '../../engine/engine.ts';
import { notSupported, SqlError } from '../../errors.ts';
import { DOCUMENT_BYTES_MAX } from '../../limits.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { recallCheck } from '../statements/recall-check.ts';
import type { Runner } from './runner.ts';

type Service = (runner: Runner, ...args: readonly Datum[]) => Datum;
type Waiting = (runner: Runner, signal: AbortSignal, ...args: readonly Datum[]) => Promise<Datum>;

/** The longest time a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

function keyOf([first, second]: readonly Datum[]): AdvisoryKey {
  if (typeof first === 'bigint') {
    const bits = BigInt.asUintN(64, first);
    return { high: Number(bits >> 32n), low: Number(bits & 0xffff_ffffn), part: 1 };
  }
  return { high: Number(first) >>> 0, low: Number(second) >>> 0, part: 2 };
}

/** PostgreSQL's names of the two modes. */
const KINDS = { exclusive: 'ExclusiveLock', share: 'ShareLock' } as const;
const FORMS = [
  { suffix: '', mode: 'exclusive' },
  { suffix: '_shared', mode: 'share' },
] as const;

const UNTIL = [
  { infix: '', until: 'session' },
  { infix: '_xact', until: 'transaction' },
] as const;

/** A lock of a transaction needs one. */
function lock(
  runner: Runner,
  how: { readonly mode: 'share' | 'exclusive'; readonly until: 'session' | 'transaction' },
  request: {
    readonly wait: 'block' | 'nowait';
    readonly signal: AbortSignal;
    readonly args: readonly Datum[];
  },
): Promise<boolean> | boolean {
  runner.block.require();
  const { wait, signal, args } = request;
  return runner.locks.lock(keyOf(args), { mode: how.mode, wait, signal }, how.until);
}

const NEVER = new AbortController().signal;

export const ADVISORY_SERVICES: Readonly<Record<string, Service>> = Object.fromEntries([
  ...FORMS.flatMap(({ suffix, mode }) =>
    UNTIL.map(({ infix, until }): [string, Service] => [
      `pg_try_advisory${infix}_lock${suffix}`,
      (runner, ...args) => lock(runner, { mode, until }, { wait: 'nowait', signal: NEVER, args }) === true,
    ]),
  ),
  ...FORMS.map(({ suffix, mode }): [string, Service] => [
    `pg_advisory_unlock${suffix}`,
    (runner, ...args) => unlock(runner, mode, args),
  ]),
  ['pg_advisory_unlock_all', unlockAll],
]);

function unlock(runner: Runner, mode: 'share' | 'exclusive', args: readonly Datum[]): boolean {
  const held = runner.locks.unlock(keyOf(args), mode);
  const message = `you don't own a lock of type ${KINDS[mode]}`;
  if (!held) runner.notice({ severity: 'WARNING', condition: 'warning', message });
  return held;
}

function unlockAll({ locks }: Runner): Datum {
  locks.unlockAll();
  return '';
}

const textsOf = (texts: Datum | undefined): readonly string[] => (texts as ArrayDatum).elements.map(String);

/** @throws SqlError 54000 */
function checkDocument(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= DOCUMENT_BYTES_MAX) return;
  const message = `text of ${bytes} bytes is larger than the maximum of ${DOCUMENT_BYTES_MAX}`;
  throw new SqlError('program_limit_exceeded', message);
}

/** What `vector/inference.ts` asks for: an array of texts in, one of as many results out. */
const INFERENCE: Readonly<Record<string, Waiting>> = {
  embed: async ({ environment }, signal, texts, name) => {
    const model = environment.inference.model(String(name));
    const vectors = await Promise.all(textsOf(texts).map((text) => model.embedQuery(text, signal)));
    return arrayDatum(OID.vector, vectors);
  },
  tokens: async ({ environment }, signal, texts, name) => {
    const model = environment.inference.model(String(name));
    const tokens: string[] = [];
    for (const text of textsOf(texts)) {
      signal.throwIfAborted();
      checkDocument(text);
      tokens.push(JSON.stringify(await model.tokens(text)));
    }
    return arrayDatum(OID.text, tokens);
  },
  rerank: async ({ environment }, signal, texts, query) => {
    const reranker = environment.inference.reranker();
    return arrayDatum(OID.float8, await reranker.rerank(String(query), textsOf(texts), signal));
  },
};

const WAITING: Readonly<Record<string, Waiting>> = {
  ...INFERENCE,
  'quern.recall_check': (runner, signal, ...args) => recallCheck(runner, signal, args),
  pg_sleep: async (_, signal, seconds) => {
    const ms = Math.max(0, Math.min(Number(seconds) * 1000, TIMER_MS_MAX));
    await sleep(ms, undefined, { signal });
    return '';
  },
  ...Object.fromEntries(
    FORMS.flatMap(({ suffix, mode }) =>
      UNTIL.map(({ infix, until }): [string, Waiting] => [
        `pg_advisory${infix}_lock${suffix}`,
        async (runner, signal, ...args) => {
          await lock(runner, { mode, until }, { wait: 'block', signal, args });
          return '';
        },
      ]),
    ),
  ),
};

/** @throws SqlError 0A000 for a service that is not there; the signal's reason. */
export function waitForService(
  runner: Runner,
  signal: AbortSignal,
  name: string,
  args: readonly Datum[],
): Promise<Datum> {
  const waiting = WAITING[name];
  if (waiting === undefined) throw notSupported(name);
  return waiting(runner, signal, ...args);
}
