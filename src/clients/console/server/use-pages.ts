/**
 * Rows of a long list, asked for as they come into sight, some hundred at a time. What was there stays while it is asked again.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Fault, faultOf } from './messages.ts';
import { whenPassed } from './passing.ts';
import { rowsOf } from './statement.ts';

const ROWS_A_PAGE = 200;

export interface Pages<Shape> {
  /** Undefined: it is on its way. */
  readonly at: (index: number) => Shape | undefined;
  readonly onSight: (first: number, end: number) => void;
  readonly fault: Fault | null;
  /** Asks again for what is in sight. */
  readonly reload: () => void;
}

/** @param statement without LIMIT, in a whole order. */
export function usePages<Shape>(statement: string, params: readonly unknown[]): Pages<Shape> {
  const key = JSON.stringify([statement, params]);
  const held = useRef({ key, pages: new Map<number, readonly Shape[]>(), asked: new Set<number>() });
  const sight = useRef<readonly [number, number]>([0, 1]);
  const [, draw] = useState(0);
  const [fault, setFault] = useState<Fault | null>(null);
  if (held.current.key !== key) held.current = { key, pages: new Map(), asked: new Set() };

  const ask = useCallback(() => {
    const { current: holding } = held;
    const [text, values] = JSON.parse(holding.key) as [string, readonly unknown[]];
    const [first, end] = sight.current;
    for (let page = Math.floor(first / ROWS_A_PAGE); page * ROWS_A_PAGE < Math.max(1, end); page++) {
      if (holding.asked.has(page)) continue;
      holding.asked.add(page);
      rowsOf<Shape>(`${text} LIMIT ${ROWS_A_PAGE} OFFSET ${page * ROWS_A_PAGE}`, { params: values }).then(
        (rows) => {
          holding.pages.set(page, rows);
          if (held.current === holding) {
            setFault(null);
            draw((before) => before + 1);
          }
        },
        (error: unknown) => {
          holding.asked.delete(page);
          if (held.current !== holding) return;
          const fault = faultOf(error);
          const passed = whenPassed(fault);
          if (passed !== null) void passed.then(ask);
          else setFault(fault);
        },
      );
    }
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another question is asked anew
  useEffect(ask, [key]);

  const at = (index: number): Shape | undefined =>
    held.current.pages.get(Math.floor(index / ROWS_A_PAGE))?.[index % ROWS_A_PAGE];
  const onSight = useCallback(
    (first: number, end: number) => {
      sight.current = [first, end];
      ask();
    },
    [ask],
  );
  const reload = useCallback(() => {
    held.current.asked.clear();
    ask();
  }, [ask]);
  return { at, onSight, fault, reload };
}
