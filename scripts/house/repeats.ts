/** Runs of lines that stand in two places, but for white space, comments and imports. */
import type { Source } from './source.ts';

const RUN_LINES = 8;

export interface Repeat {
  /** `file:line` of both. */
  readonly places: readonly [string, string];
  readonly lines: number;
}

/** @returns the longest runs of at least 8 equal lines, each pair of places once. */
export function repeats(sources: readonly Source[]): Repeat[] {
  const places = new Map<string, { readonly file: number; readonly at: number }[]>();
  const files = sources.map(({ text }) => codeLines(text));
  for (const [file, lines] of files.entries()) {
    for (let at = 0; at + RUN_LINES <= lines.length; at++) {
      const key = runAt(lines, at);
      places.set(key, [...(places.get(key) ?? []), { file, at }]);
    }
  }
  const found: Repeat[] = [];
  for (const same of places.values()) {
    for (const [i, first] of same.entries()) {
      for (const second of same.slice(i + 1)) {
        const left = files[first.file] ?? [];
        const right = files[second.file] ?? [];
        // Counted where the run begins.
        if (left[first.at - 1]?.text === right[second.at - 1]?.text && first.at > 0 && second.at > 0)
          continue;
        let lines = RUN_LINES;
        while (left[first.at + lines]?.text === right[second.at + lines]?.text && left[first.at + lines])
          lines++;
        const place = (at: typeof first): string =>
          `${sources[at.file]?.path}:${files[at.file]?.[at.at]?.line}`;
        found.push({ places: [place(first), place(second)], lines });
      }
    }
  }
  return found.sort((a, b) => b.lines - a.lines);
}

interface CodeLine {
  readonly text: string;
  readonly line: number;
}

const runAt = (lines: readonly CodeLine[], at: number): string =>
  lines
    .slice(at, at + RUN_LINES)
    .map(({ text }) => text)
    .join('\n');

/** Lines that say something: not imports, comments, or closing brackets alone. */
function codeLines(text: string): CodeLine[] {
  const code = text.replaceAll(/^import [\s\S]*?;$|\/\*[\s\S]*?\*\//gm, (gone) =>
    gone.replaceAll(/[^\n]/g, ''),
  );
  return code
    .split('\n')
    .map((line, i) => ({ text: line.trim().replace(/^\/\/.*/, ''), line: i + 1 }))
    .filter(({ text: line }) => /\w/.test(line));
}
