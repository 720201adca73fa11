/** Pages a second over the filings, each file in a process of its own, and the memory of the largest. */
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ParsedFile } from './parse-file.ts';

const PROGRAM = join(import.meta.dirname, 'parse-file.ts');

export async function speed(folder: string, quick: boolean): Promise<void> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.pdf'));
  const waiting = (quick ? files.slice(0, 4) : files).map((name) => join(folder, name));
  const parsed: ParsedFile[] = [];
  const started = performance.now();
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      parsed.push(await parse(path));
  };
  await Promise.all([work(), work()]);
  const seconds = (performance.now() - started) / 1000;
  const sum = (of: (file: ParsedFile) => number): number =>
    parsed.reduce((total, file) => total + of(file), 0);
  const pages = sum((file) => file.pages);
  const alone = pages / (sum((file) => file.cpuMs) / 1000);
  const largest = parsed.reduce((a, b) => (b.peakMb > a.peakMb ? b : a));
  console.log(`speed: ${pages} pages of ${parsed.length} filings by two processes`);
  console.log(
    `  ${(pages / seconds).toFixed(1)} pages/s with starts (bar 25); ${alone.toFixed(1)} pages a second of CPU`,
  );
  console.log(`  memory at most ${largest.peakMb.toFixed(0)} MB (bar 800), ${largest.pages} pages`);
}

/** A process a file, as ingestion will have it: its start counts. */
function parse(path: string): Promise<ParsedFile> {
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, [path]);
    child.once('message', (message) => resolve(message as ParsedFile));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${path}: ended with ${code}`)));
  });
}
