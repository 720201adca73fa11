/** Portals of one session: prepared statements with their parameters, and how far each has come. */
import type { MemoryPool } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { Account } from '../../execute/account.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Datum } from '../../types/datum.ts';
import { datumBytes } from '../../types/held-bytes.ts';
import type { Running } from '../running/running.ts';
import type { Statement } from '../running/statement.ts';
import { Cursor } from './cursor.ts';
import type { PreparedStatement } from './prepared.ts';

/** A portal's statement under way. */
export interface Started {
  readonly statement: Statement;
  readonly running: Running;
}

export interface Portal {
  readonly name: string;
  readonly statement: PreparedStatement;
  readonly parameters: readonly Datum[];
  /** The size of the parameters. */
  readonly bytes: number;
  readonly controller: AbortController;
  /** Null before the first Execute. */
  started: Started | null;
  done: boolean;
}

const PORTALS = {
  holder: 'Parameters of the session',
  hint: 'Send the data in several statements, or start the server with more --memory.',
};

/** A portal as FETCH and MOVE see it: forward only, over the rows not yet executed; undefined where it has none. */
export function cursorOf(
  portal: Portal,
  {
    text,
    next,
    close,
  }: Pick<Running, 'close'> & {
    readonly text: string;
    next(limit: number): Promise<Batch | null>;
  },
): Cursor | undefined {
  const { name, controller, statement } = portal;
  const { columns } = statement;
  if (columns === null) return undefined;
  return new Cursor(
    {
      name,
      scroll: false,
      hold: false,
      text,
      createdMicros: 0n,
      cancel: (reason) => controller.abort(reason),
      kept: null,
    },
    {
      columns,
      next: async (limit) => (portal.done ? null : next(limit)),
      tag: (count) => `FETCH ${count}`,
      close,
    },
  );
}

export class Portals {
  #portals = new Map<string, Portal>();
  /** Counts their parameters. */
  readonly #account: Account;

  constructor(memory: MemoryPool) {
    this.#account = new Account(memory, PORTALS);
  }

  /** @throws SqlError 42P03 for a name in use, 53200 when parameters take more than there is. */
  add(name: string, statement: PreparedStatement, parameters: readonly Datum[]): void {
    if (this.#portals.has(name)) {
      throw new SqlError('duplicate_cursor', `cursor "${name}" already exists`);
    }
    let bytes = 0;
    for (const parameter of parameters) bytes += datumBytes(parameter);
    this.#account.hold(bytes);
    const controller = new AbortController();
    this.#portals.set(name, { name, statement, parameters, bytes, controller, started: null, done: false });
  }

  /** @throws SqlError 34000. */
  get(name: string): Portal {
    const portal = this.#portals.get(name);
    if (portal !== undefined) return portal;
    throw new SqlError('invalid_cursor_name', `portal "${name}" does not exist`);
  }

  find(name: string): Portal | undefined {
    return this.#portals.get(name);
  }

  remove(name: string): Portal | undefined {
    const portal = this.#portals.get(name);
    if (portal === undefined) return undefined;
    this.#portals.delete(name);
    if (this.#portals.size === 0) this.#account[Symbol.dispose]();
    else this.#account.release(portal.bytes);
    return portal;
  }

  /** At the end of a transaction: portals do not outlive it. */
  clear(): void | Promise<void> {
    if (this.#portals.size === 0) return;
    const portals = [...this.#portals.values()];
    this.#portals.clear();
    this.#account[Symbol.dispose]();
    return closeFrom(portals, 0);
  }
}

function closeFrom(portals: readonly Portal[], first: number): void | Promise<void> {
  for (let i = first; i < portals.length; i++) {
    const closing = portals[i]?.started?.running.close();
    if (closing instanceof Promise) return closing.then(() => closeFrom(portals, i + 1));
  }
}
