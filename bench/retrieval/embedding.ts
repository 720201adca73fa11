/** A semantic index over short texts beside sentence-transformers (torch on the CPU) with the same model. */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Peers } from '../peers.ts';
import { report } from '../statistics.ts';
import { copyLines } from './copy.ts';
import { embedFloat32 } from './float32-model.ts';
import { keywordTexts } from './keyword-texts.ts';

const ROWS = 100_000;
const QUICK_ROWS = 2_000;
const WORDS = 12;

export async function embedding({ quern, server }: Peers, quick: boolean): Promise<void> {
  const texts = keywordTexts(quick ? QUICK_ROWS : ROWS).map((text) =>
    text.split(' ').slice(0, WORDS).join(' '),
  );
  const { client, address } = quern;
  await client.query('DROP TABLE IF EXISTS short');
  await client.query('CREATE TABLE short (id int PRIMARY KEY, body text)');
  const rows = texts.map((text, id) => `${id}\t${text.replaceAll('\\', '\\\\')}\n`);
  await copyLines(address, 'short', rows);
  await client.query("SELECT embed('warm')");
  const before = processSeconds(server.process.pid);
  const began = performance.now();
  await client.query('CREATE INDEX ON short USING semantic (body)');
  const seconds = (performance.now() - began) / 1000;
  const cores = (processSeconds(server.process.pid) - before) / seconds;
  const peer = await embedFloat32(texts);
  report(
    `semantic index over ${texts.length} short texts, rate / sentence-transformers`,
    peer.seconds / seconds,
    {
      bar: '>= 2',
      quern: `${(texts.length / seconds).toFixed(0)}/s on ${cores.toFixed(1)} of ${cpus().length} cores`,
      'sentence-transformers': `${(texts.length / peer.seconds).toFixed(0)}/s`,
    },
  );
}

/** Processor time that a process has used; the kernel counts hundredths. */
function processSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
