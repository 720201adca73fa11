/**
 * Scripts of several connections, as PostgreSQL's isolation tester has them: each step runs in a session, and
 * its answer stands below it. A step that waits for another session's lock says so; when a later step lets
 * it go on, its answer follows that step's. Who waits is asked of `pg_blocking_pids`, so no time is measured.
 *
 *     # comment
 *     setup
 *     create table t (a int)
 *
 *     one> begin
 *     one> update t set a = 2
 *     two> update t set a = 3
 *     waits
 *     one> commit
 *     two goes on
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, connectTarget, ServerError, type Target } from '../runner/target.ts';

interface Session {
  readonly name: string;
  readonly target: Target;
  readonly processId: string;
  /** The answer of the step under way; null when none is. */
  running: { answer: readonly string[] | null } | null;
}

const POLL_MS = 5;
const STEP = /^([a-z]+)> (.*)$/;

/** @returns the script with what the server answers. */
export async function runIsolationScript(script: string, address: Address): Promise<string> {
  await using watcher = await connectTarget(address);
  const run = new ScriptRun(address, watcher);
  try {
    return await run.all(script);
  } finally {
    await run.close();
  }
}

class ScriptRun {
  readonly #address: Address;
  readonly #watcher: Target;
  readonly #sessions = new Map<string, Session>();

  constructor(address: Address, watcher: Target) {
    this.#address = address;
    this.#watcher = watcher;
  }

  async all(script: string): Promise<string> {
    const [head = '', ...steps] = script.split(/^(?=[a-z]+> )/m);
    const setup = head.split('\nsetup\n')[1]?.trim() ?? '';
    if (setup !== '') await this.#watcher.run(setup);
    const lines = [head.trimEnd(), ''];
    for (const step of steps) lines.push(...(await this.#step(step)));
    return `${lines.join('\n')}\n`;
  }

  async close(): Promise<void> {
    for (const { target, processId } of this.#sessions.values()) {
      await this.#watcher.run(`select pg_cancel_backend(${processId})`);
      await target[Symbol.asyncDispose]();
    }
  }

  async #step(step: string): Promise<string[]> {
    const [first = ''] = step.split('\n');
    const [, name = '', sql = ''] = STEP.exec(first) ?? [];
    const session = await this.#session(name);
    if (session.running !== null) throw new Error(`${name} is still waiting before: ${first}`);
    const waiting = [...this.#sessions.values()].filter(({ running }) => running !== null);
    session.running = { answer: null };
    void answerOf(session.target, sql).then((answer) => {
      if (session.running !== null) session.running.answer = answer;
    });
    const lines = [first, ...((await this.#settled(session)) ?? ['waits'])];
    for (const other of waiting) {
      const answer = await this.#settled(other);
      if (answer !== null) lines.push(`${other.name} goes on`, ...answer);
    }
    return lines;
  }

  /** The session's answer, or null while it waits for another one. */
  async #settled(session: Session): Promise<readonly string[] | null> {
    for (;;) {
      const answer = session.running?.answer ?? null;
      if (answer !== null) {
        session.running = null;
        return answer;
      }
      const asked = `select cardinality(pg_blocking_pids(${session.processId})) > 0`;
      const [row] = await this.#watcher.run(asked);
      if (row?.[0] === 't') return null;
      await sleep(POLL_MS);
    }
  }

  async #session(name: string): Promise<Session> {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    const target = await connectTarget(this.#address);
    const [row] = await target.run('select pg_backend_pid()');
    const session = { name, target, processId: row?.[0] ?? '', running: null };
    this.#sessions.set(name, session);
    return session;
  }
}

/** Rows, then nothing; or the error with its detail where that does not name processes. */
async function answerOf(target: Target, sql: string): Promise<string[]> {
  try {
    const rows = await target.run(sql);
    return rows.map((row) => row.map((value) => value ?? 'NULL').join('\t'));
  } catch (error) {
    return [`ERROR ${error instanceof ServerError ? error.lines[0] : String(error)}`];
  }
}
