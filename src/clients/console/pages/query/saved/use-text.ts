/**
 * Text in the editor, and what is typed for its parameters: a deep link's, a saved query's, or what was there before. What is
 * typed is kept by the browser until it is saved, for each saved query by itself.
 */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { EditorHandle } from '../editor.tsx';
import { draft, forgetDraft, keepDraft } from '../kept-queries.ts';
import { parameterCount } from '../parameters.ts';
import type { Kept } from './saved-queries.ts';
import type { Opened } from './use-opened.ts';

export interface EditedText {
  readonly initial: string;
  /** Text, and a value for each of its parameters. */
  readonly current: Omit<Kept, 'name'>;
  /** It is not what is saved. */
  readonly isChanged: boolean;
  change(): void;
  /** As `current`, with what was typed just now. */
  now(): Omit<Kept, 'name'>;
  type(params: readonly string[]): void;
  /** Puts a text in the place of what is there; it can be undone. */
  take(kept: Omit<Kept, 'name'>): void;
  /** Says that the text is that saved query's from now on. */
  name(saved: string): void;
}

export function useText(editor: RefObject<EditorHandle | null>, { name, stored }: Opened): EditedText {
  const [search] = useSearchParams();
  const [initial] = useState(() => search.get('sql') ?? draft(name) ?? '');
  const [text, setText] = useState(initial);
  const [typed, type] = useState<readonly string[]>([]);
  /** Saved query whose text is there. */
  const shown = useRef<string | null>(null);

  const held = useRef(stored);
  held.current = stored;

  const whole = useCallback((): string => editor.current?.whole() ?? '', [editor]);
  const note = useCallback(() => {
    const now = whole();
    setText(now);
    const { current: saved } = shown;
    if (saved !== null && held.current?.name === saved && held.current.statement === now) forgetDraft(saved);
    else keepDraft(now, saved);
  }, [whole]);
  const [change, noteNow] = useWhenPaused(note);

  const take = useCallback(
    ({ statement, params }: Omit<Kept, 'name'>) => {
      editor.current?.replace(statement);
      setText(statement);
      type(params);
    },
    [editor],
  );
  useEffect(() => {
    if (name === shown.current || (name !== null && stored === null)) return;
    // What was typed just now is kept as the one's that it is of.
    noteNow();
    shown.current = name;
    take({ statement: draft(name) ?? stored?.statement ?? '', params: stored?.params ?? [] });
  }, [name, stored, take, noteNow]);
  useEffect(() => {
    if (stored !== null && text === stored.statement) forgetDraft(stored.name);
  }, [text, stored]);

  const wanted = useMemo(() => parameterCount(text), [text]);
  const params = paramsOf(wanted, typed);
  const isSame =
    stored !== null && text === stored.statement && params.join('\0') === stored.params.join('\0');
  return {
    initial,
    current: { statement: text, params },
    isChanged: stored !== null && !isSame,
    change,
    now: () => ({ statement: whole(), params: paramsOf(parameterCount(whole()), typed) }),
    type,
    take,
    name: (saved) => {
      shown.current = saved;
    },
  };
}

const paramsOf = (wanted: number, typed: readonly string[]): readonly string[] =>
  Array.from({ length: wanted }, (_, i) => typed[i] ?? '');

/** Typing waits for neither the page nor the disk. */
const PAUSE_MS = 150;

/** @returns what is to be called at each change, and what does the work at once where some waits. */
function useWhenPaused(work: () => void): readonly [change: () => void, now: () => void] {
  const timer = useRef<number>(null);
  const now = useCallback(() => {
    if (timer.current === null) return;
    clearTimeout(timer.current);
    timer.current = null;
    work();
  }, [work]);
  const change = useCallback(() => {
    clearTimeout(timer.current ?? undefined);
    timer.current = window.setTimeout(now, PAUSE_MS);
  }, [now]);
  useEffect(() => {
    window.addEventListener('pagehide', now);
    return () => {
      window.removeEventListener('pagehide', now);
      now();
    };
  }, [now]);
  return [change, now];
}
