/** One PDF read in a process of its own; what it took goes to the parent. */
import { readFileSync } from 'node:fs';
import { parsePdf } from '../../src/ingest/formats/pdf/pdf.ts';

export interface ParsedFile {
  readonly pages: number;
  readonly blocks: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

const path = process.argv[2] as string;
const limits = { pagesMax: 5_000, imagePixelsMax: 100_000_000 };
const { pages, blocks } = await parsePdf({ bytes: readFileSync(path), name: path, limits });
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuMs = (userCPUTime + systemCPUTime) / 1000;
const parsed: ParsedFile = { pages: pages.length, blocks: blocks.length, cpuMs, peakMb: maxRSS / 1024 };
process.send?.(parsed);
