/** ONNX Runtime keeps to itself what it does: neither a thread of it nor a process leaves a trace of its telemetry. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MODELS = JSON.stringify(join(import.meta.dirname, '../../models'));
const PROGRAMS = {
  'a thread': `
    const { createInference } = await import(${JSON.stringify(join(import.meta.dirname, 'registry.ts'))});
    await using inference = await createInference({ modelsFolder: ${MODELS}, threads: 1 });
    await inference.model('all-minilm-l6-v2').embedQuery('a whale', new AbortController().signal);`,
  'a process': `
    const { openOnnx } = await import(${JSON.stringify(join(import.meta.dirname, 'onnx-session.ts'))});
    await (await openOnnx(${MODELS} + '/ocr/upside_down.onnx')).release();`,
};

/** An identifier and a queue of what is to be sent lie there before anything is sent. */
it.each(Object.entries(PROGRAMS))('%s leaves nothing among the caches', (_, program) => {
  const home = mkdtempSync(join(tmpdir(), 'quern-telemetry-'));
  try {
    writeFileSync(join(home, 'program.mjs'), program);
    // Nothing else: CI and test runners turn it off by themselves.
    const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: home };
    const ended = spawnSync(process.execPath, [join(home, 'program.mjs')], { env, encoding: 'utf8' });
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(home)).toEqual(['program.mjs']);
  } finally {
    rmSync(home, { recursive: true });
  }
});
