/** An export under way, of which there is one at a time: how far it is, how it ended, and stopping it. */
import { useEffect, useState } from 'react';
import { saveFile } from '../../../parts/save-file.ts';
import { type Fault, faultOf } from '../../../server/messages.ts';
import { exportAll, type Format, heldFile, type Progress } from './export.ts';
import { canRunAgain } from './run-again.ts';
import type { Run, StatementResult } from '../run.ts';

export interface Export {
  readonly kind: 'none' | 'running' | 'done';
  readonly progress: Progress;
  /** Only the rows that the page holds are in the file. */
  readonly isOfHeld: boolean;
  readonly fault: Fault | null;
  start(format: Format, result: StatementResult): void;
  stop(): void;
}

const NOTHING: Progress = { bytes: 0, rows: null };
const NONE = { kind: 'none', progress: NOTHING, isOfHeld: false, fault: null } as const;

/** `query-2026-11-28-13-55.csv`. */
const fileName = (format: Format): string =>
  `query-${new Date().toISOString().slice(0, 16).replaceAll(/[T:]/g, '-')}.${format}`;

export function useExport(run: Run): Export {
  const [state, setState] = useState<Omit<Export, 'start' | 'stop'>>(NONE);
  const [ending, setEnding] = useState<AbortController | null>(null);
  useEffect(() => () => ending?.abort(), [ending]);

  const start = async (format: Format, result: StatementResult): Promise<void> => {
    const own = new AbortController();
    const { signal } = own;
    setEnding(own);
    setState({ ...NONE, kind: 'running' });
    const { text: statement, params } = run;
    const isAlone = run.state().results.length === 1 && canRunAgain(statement);
    const onProgress = (progress: Progress): void => setState((before) => ({ ...before, progress }));
    try {
      const all = isAlone ? await exportAll({ statement, params, format, signal, onProgress }) : null;
      if (signal.aborted) return;
      const file = all ?? heldFile(result, format);
      saveFile(file, fileName(format));
      const rows = all === null ? result.rows.length : null;
      setState((before) => ({
        kind: 'done',
        progress: { bytes: file.size, rows: rows ?? before.progress.rows },
        isOfHeld: all === null && result.done === null,
        fault: null,
      }));
    } catch (error) {
      if (!signal.aborted) setState({ ...NONE, fault: faultOf(error) });
    }
  };
  return {
    ...state,
    start: (format, result) => void start(format, result),
    stop() {
      ending?.abort();
      setState(NONE);
    },
  };
}
