/** Two servers that differ only in what a reader may not see are sent the same; what they answer may not differ. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import type { Case } from './cases.ts';
import { isException } from './exceptions.ts';
import { Looker } from './stream.ts';
import { makeWorld, type Reader, type Sizes, type Variant } from './world.ts';

export interface Leak extends Case {
  /** Lines that only one of the two servers sent. */
  readonly a: readonly string[];
  readonly b: readonly string[];
}

export interface Comparison {
  readonly compared: number;
  /** Those answered without an error. */
  readonly answered: number;
  readonly leaks: readonly Leak[];
}

const VARIANTS: readonly Variant[] = ['a', 'b'];

interface Made {
  readonly key: string;
  readonly readers: Reader;
}

/** Data folders of two worlds, of which servers run on copies. */
export class Worlds implements Disposable {
  readonly #folder: string;
  readonly #made: readonly Made[];

  private constructor(folder: string, made: readonly Made[]) {
    this.#folder = folder;
    this.#made = made;
  }

  static async make(sizes: Sizes): Promise<Worlds> {
    const folder = mkdtempSync(join(tmpdir(), 'quern-leaks-'));
    mkdirSync(join(folder, 'made'));
    const made = await Promise.all(
      VARIANTS.map(async (variant) => {
        await using server = await startServer({ data: join(folder, 'made', variant) });
        return { key: server.key, readers: await makeWorld(server, variant, sizes) };
      }),
    );
    return new Worlds(folder, made);
  }

  /** @param environment of both servers. */
  async serve(environment: Readonly<Record<string, string>> = {}): Promise<Twins> {
    const folder = mkdtempSync(join(this.#folder, 'served-'));
    cpSync(join(this.#folder, 'made'), folder, { recursive: true });
    const sides = await Promise.all(
      VARIANTS.map(async (variant, i): Promise<Side> => {
        const { key, readers } = this.#made[i] as Made;
        const server = await startServer({ data: join(folder, variant), key, environment });
        return { server, readers, lookers: new Map() };
      }),
    );
    return new Twins(sides, folder);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Side {
  readonly server: ServerProcess;
  readonly readers: Reader;
  readonly lookers: Map<keyof Reader, Looker>;
}

/** Both servers. */
export class Twins implements AsyncDisposable {
  readonly #sides: readonly Side[];
  readonly #folder: string;

  constructor(sides: readonly Side[], folder: string) {
    this.#sides = sides;
    this.#folder = folder;
  }

  /** @param leaksMax as many end it. */
  async compare(cases: readonly Case[], leaksMax = Number.POSITIVE_INFINITY): Promise<Comparison> {
    const leaks: Leak[] = [];
    let compared = 0;
    let answered = 0;
    for (const one of cases) {
      if (isException(one.sql)) continue;
      const [a = [], b = []] = await this.lines(one);
      compared++;
      if (!a.some((line) => line.startsWith('E '))) answered++;
      if (a.join('\n') === b.join('\n')) continue;
      const [inA, inB] = [new Set(a), new Set(b)];
      leaks.push({ ...one, a: a.filter((line) => !inB.has(line)), b: b.filter((line) => !inA.has(line)) });
      if (leaks.length >= leaksMax) break;
    }
    return { compared, answered, leaks };
  }

  /** Answers of both. */
  lines(one: Case): Promise<readonly string[][]> {
    return Promise.all(this.#sides.map((side) => answerOf(side, one)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { lookers, server } of this.#sides) {
      for (const looker of lookers.values()) looker.close();
      await server.stop('SIGKILL');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function answerOf({ server, readers, lookers }: Side, { as, sql, asSet }: Case): Promise<string[]> {
  const known = lookers.get(as);
  const looker = known === undefined || known.isClosed ? await Looker.signIn(server, readers[as]) : known;
  lookers.set(as, looker);
  return looker.lines(sql, asSet);
}
