/**
 * Slows guessing of keys: after a few free tries each further one from the same network waits twice as long
 * as the one before, one after the other. A try takes its place when it begins, so that a thousand at once
 * wait as a thousand in a row do. The table is bounded; the network that was quiet longest is forgotten first.
 */
import { BoundedCache } from '../../bounded-cache.ts';
import { SqlError } from '../../errors.ts';
import { addressBytes } from '../../network-address.ts';

const FREE_TRIES_COUNT = 3;
const FIRST_DELAY_MS = 200;
const DELAY_MS_MAX = 10_000;
/** Who would have to wait longer is sent away. */
const WAIT_MS_MAX = 20_000;
const FORGET_AFTER_MS = 15 * 60_000;
const NETWORKS_COUNT_MAX = 10_000;
const NETWORK_BYTES = 8;

interface Tries {
  /** That failed, or have not ended yet. */
  readonly count: number;
  /** When the newest of them may be looked at. */
  readonly lastMs: number;
}

export class PasswordThrottle {
  readonly #tries = new BoundedCache<string, Tries>({ entriesMax: NETWORKS_COUNT_MAX });
  readonly #now: () => number;

  /** @param now milliseconds of any clock that does not go back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes the next place of the address's network.
   * @returns how long to wait for it, in milliseconds.
   * @throws SqlError 57P03 where that is too long; then it has taken none.
   */
  begin(address: string): number {
    const network = networkOf(address);
    const now = this.#now();
    const before = this.#tries.get(network);
    const isFresh = before === undefined || now - before.lastMs > FORGET_AFTER_MS;
    const { count, lastMs } = isFresh ? { count: 0, lastMs: now } : before;
    const over = count - FREE_TRIES_COUNT;
    const delayMs = over < 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** over, DELAY_MS_MAX);
    const atMs = Math.max(now, lastMs + delayMs);
    if (atMs - now > WAIT_MS_MAX) throw tooMany(atMs - now);
    this.#tries.set(network, { count: count + 1, lastMs: atMs });
    return atMs - now;
  }

  /** A try was right: it does not count against its network. Those of others still do. */
  succeeded(address: string): void {
    const network = networkOf(address);
    const tries = this.#tries.get(network);
    if (tries === undefined) return;
    if (tries.count <= 1) this.#tries.delete(network);
    else this.#tries.set(network, { ...tries, count: tries.count - 1 });
  }
}

/** An IPv4 address, or the 64 bits of an IPv6 address that one customer has all to himself. */
function networkOf(address: string): string {
  return addressBytes(address).slice(0, NETWORK_BYTES).join('.');
}

function tooMany(waitMs: number): SqlError {
  return new SqlError('cannot_connect_now', 'too many sign-ins with wrong keys from this address', {
    severity: 'FATAL',
    hint: `Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
  });
}
