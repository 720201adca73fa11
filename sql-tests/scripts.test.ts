/**
 * Every script of this folder against Quern: on the memory store and on LMDB, with every optimizer rule on
 * and every rule off. `postgres/` holds what PostgreSQL 18 answers (`runner/oracle.ts`), `quern/` our own
 * dialect (UPDATE_GOLDEN=1 writes what Quern answers; review it as a diff).
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVER_RELATIONS } from '../src/session/datasets/relations.ts';
import { dropEverything } from './runner/drop-everything.ts';
import { type InProcessServer, startInProcess } from './runner/in-process.ts';
import { runScript, updateScript } from './runner/run.ts';
import { connectTarget } from './runner/target.ts';
import { sliced } from './slow-tests.ts';

const FILES = ['postgres', 'quern'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder))
    .filter((name) => name.endsWith('.slt'))
    .map((name) => `${folder}/${name}`),
);

/** With rules off segments and operators may keep next to nothing: the answers are the same. */
const SMALL_MEMORY_BYTES = 16 * 1024 * 1024;

const MODES = [
  { storage: 'memory', rules: 'on' },
  { storage: 'memory', rules: 'off' },
  { storage: 'lmdb', rules: 'on' },
  { storage: 'lmdb', rules: 'off' },
] as const;

/** Whichever slice of them runs, every script does, in one mode or another. */
const RUNS = sliced(
  import.meta,
  FILES.flatMap((file, i) => MODES.map((_, at) => ({ file, mode: MODES[(i + at) % MODES.length] }))),
);

for (const mode of MODES) {
  const { storage, rules } = mode;
  const files = RUNS.filter((run) => run.mode === mode).map(({ file }) => file);
  describe(`scripts on ${storage}, rules ${rules}`, () => {
    let server: InProcessServer;
    /** The script before, until what it made is gone: one that runs out of time goes on until its connection ends. */
    let before: Promise<void> = Promise.resolve();
    beforeAll(async () => {
      server = await startInProcess(
        storage,
        rules === 'off' ? SMALL_MEMORY_BYTES : undefined,
        SERVER_RELATIONS,
      );
    });
    afterAll(async () => {
      await before;
      await server[Symbol.asyncDispose]();
    });

    const play = async (file: string, signal: AbortSignal): Promise<void> => {
      const path = join(import.meta.dirname, file);
      const settings = rules === 'off' ? ["SET quern.disabled_rules = 'all'; SET work_mem = '64kB'"] : [];
      await using target = await connectTarget(server.address, settings);
      signal.addEventListener('abort', () => void target[Symbol.asyncDispose]());
      const update = process.env.UPDATE_GOLDEN === '1' && file.startsWith('quern/') && rules === 'on';
      if (update) await updateScript(path, target);
      else expect(await runScript({ path, target, without: rules === 'off' ? ['plan'] : [] })).toEqual([]);
    };

    it.for(files)('%s', async (file, { signal }) => {
      await before;
      const playing = play(file, signal);
      before = playing.catch(() => undefined).then(() => dropEverything(server.address));
      try {
        await playing;
      } finally {
        await before;
      }
    });
  });
}
