/** The run whose results are shown: at most one, and the one before is cancelled when another begins. */
import { type RefObject, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Fault } from '../../server/messages.ts';
import type { EditorHandle } from './editor.tsx';
import { noteRan } from './kept-queries.ts';
import { parameterCount, parameterValue } from './parameters.ts';
import { Run, type RunState } from './run.ts';

/** It runs the statement: what is written is written. */
const EXPLAIN = 'EXPLAIN (ANALYZE, FORMAT JSON) ';

interface Held {
  readonly run: Run;
  /** Runs are numbered: each begins with a view of its own. */
  readonly number: number;
  /** Place of its text within that of the editor. */
  readonly offset: number;
}

export interface Running {
  readonly held: Held | null;
  readonly isRunning: boolean;
  /** The same object for as long as it says the same. */
  readonly fault: { readonly fault: Fault; readonly offset: number } | null;
  start(how: 'run' | 'explain'): void;
  cancel(): void;
}

const IDLE = (): (() => void) => () => undefined;
const NO_STATE = (): RunState | null => null;

/** @param typed texts for `$1`, `$2` … */
export function useRunning(editor: RefObject<EditorHandle | null>, typed: readonly string[]): Running {
  const [held, hold] = useState<Held | null>(null);
  const state = useSyncExternalStore<RunState | null>(
    held?.run.subscribe ?? IDLE,
    held?.run.state ?? NO_STATE,
  );
  useEffect(() => () => held?.run.cancel(), [held]);

  const start = useCallback(
    (how: 'run' | 'explain') => {
      const { current } = editor;
      const sql = current?.text() ?? '';
      if (current === null || sql.trim() === '') return;
      noteRan(sql);
      const params = Array.from({ length: parameterCount(sql) }, (_, i) => parameterValue(typed[i] ?? ''));
      const before = how === 'explain' ? EXPLAIN : '';
      const run = new Run(before + sql, params);
      hold((last) => ({ run, number: (last?.number ?? 0) + 1, offset: current.offset() - before.length }));
    },
    [editor, typed],
  );

  const fault = state?.fault != null && held !== null ? { fault: state.fault, offset: held.offset } : null;
  return {
    held,
    isRunning: state?.isRunning === true,
    fault: useSame(fault),
    start,
    cancel: () => held?.run.cancel(),
  };
}

function useSame<Value>(value: Value): Value {
  const kept = useRef(value);
  if (JSON.stringify(kept.current) !== JSON.stringify(value)) kept.current = value;
  return kept.current;
}
