/**
 * Text in the editor, and what is typed for its parameters: a deep link's, a saved query's, or what was there before. What is
 * typed is kept by the browser until it is saved, for each saved query by itself.
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
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
  change(text: string): void;
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

  const take = useCallback(
    ({ statement, params }: Omit<Kept, 'name'>) => {
      editor.current?.replace(statement);
      type(params);
    },
    [editor],
  );
  useEffect(() => {
    if (name === shown.current || (name !== null && stored === null)) return;
    shown.current = name;
    take({ statement: draft(name) ?? stored?.statement ?? '', params: stored?.params ?? [] });
  }, [name, stored, take]);
  useEffect(() => {
    if (stored !== null && text === stored.statement) forgetDraft(stored.name);
  }, [text, stored]);

  const change = useCallback((next: string) => {
    setText(next);
    keepDraft(next, shown.current);
  }, []);
  const params = Array.from({ length: parameterCount(text) }, (_, i) => typed[i] ?? '');
  const isSame =
    stored !== null && text === stored.statement && params.join('\0') === stored.params.join('\0');
  return {
    initial,
    current: { statement: text, params },
    isChanged: stored !== null && !isSame,
    change,
    type,
    take,
    name: (saved) => {
      shown.current = saved;
    },
  };
}
