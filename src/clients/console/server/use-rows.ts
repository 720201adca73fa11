/**
 * Rows of a statement for a component: what was there stays until what is new is there, and what was asked for before and comes
 * later is not shown.
 */
import { useCallback, useEffect, useState } from 'react';
import { type Fault, faultOf } from './messages.ts';
import { whenPassed } from './passing.ts';
import { type Named, rowsOf } from './statement.ts';

export interface Loaded<Value> {
  /** Null: none has come yet. */
  readonly value: Value | null;
  readonly fault: Fault | null;
  /** Something is on its way. */
  readonly isLoading: boolean;
  reload(): void;
}

interface Held<Value> {
  readonly value: Value | null;
  readonly fault: Fault | null;
  readonly isLoading: boolean;
}

/** @param load null: nothing is asked for. It is asked again when it is another function: keep it by `useCallback`. */
export function useLoaded<Value>(load: ((signal: AbortSignal) => Promise<Value>) | null): Loaded<Value> {
  const [held, hold] = useState<Held<Value>>({ value: null, fault: null, isLoading: load !== null });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    if (load === null) return undefined;
    const asking = new AbortController();
    const { signal } = asking;
    hold((before) => ({ ...before, isLoading: true }));
    // Above the page one is asked to sign in, or told that the server is gone: what is on it stays, and goes on.
    const again = (): void => {
      if (!signal.aborted) setRound((before) => before + 1);
    };
    load(signal).then(
      (value) => {
        if (!signal.aborted) hold({ value, fault: null, isLoading: false });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        const fault = faultOf(error);
        const passed = whenPassed(fault);
        if (passed !== null) void passed.then(again);
        else hold(({ value }) => ({ value, fault, isLoading: false }));
      },
    );
    return () => asking.abort();
  }, [load, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...held, reload };
}

/** @param statement null: nothing is asked for. */
export function useRows<Shape = Named>(
  statement: string | null,
  params: readonly unknown[] = [],
): Loaded<readonly Shape[]> {
  const key = JSON.stringify(params);
  const load = useCallback(
    (signal: AbortSignal) =>
      rowsOf<Shape>(statement ?? '', { params: JSON.parse(key) as readonly unknown[], signal }),
    [statement, key],
  );
  return useLoaded(statement === null ? null : load);
}
