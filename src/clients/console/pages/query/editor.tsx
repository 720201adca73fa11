/** The SQL editor: completion from the catalog, errors underlined where the server says that they are. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { Fault } from '../../server/messages.ts';
import { nonce } from '../../server/nonce.ts';
import { WORDS } from '../../words.ts';
import styles from './query.module.css';

export type { Completion, SQLNamespace };

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--arm-meaning)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--arm-hybrid)' },
  { tag: [tags.comment], color: 'var(--text-2)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--arm-keyword)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--f-base)', backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '.cm-content': { fontFamily: 'var(--mono)', padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--ground)', color: 'var(--text-2)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--ground-2)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-ground)',
  },
  '.cm-tooltip': { border: '1px solid var(--line)', backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-ground)',
    color: 'var(--text)',
  },
  '.cm-completionInfo': { maxWidth: '380px', padding: '6px 10px', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
});

export interface EditorHandle {
  /** The selection, or else all of the text. */
  text(): string;
  /** All of it. */
  whole(): string;
  /** Where what `text` gives begins, in characters. */
  offset(): number;
  replace(text: string): void;
  insert(text: string): void;
  focus(): void;
}

interface EditorProps {
  readonly initial: string;
  readonly schema: SQLNamespace;
  readonly fault: { readonly fault: Fault; readonly offset: number } | null;
  readonly onRun: () => void;
  readonly onChange: () => void;
  readonly handle: { current: EditorHandle | null };
}

/** More than are in sight cost a layout with each key. */
const RENDERED_OPTIONS_MAX = 24;

const completing = new Compartment();

const language = (schema: SQLNamespace) => sql({ dialect: PostgreSQL, schema, upperCaseKeywords: true });

function handleOf(view: EditorView): EditorHandle {
  const selected = () => view.state.selection.main;
  return {
    text: () =>
      selected().empty ? view.state.doc.toString() : view.state.sliceDoc(selected().from, selected().to),
    whole: () => view.state.doc.toString(),
    offset: () => (selected().empty ? 0 : selected().from),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    insert: (text) => view.dispatch(view.state.replaceSelection(text)),
    focus: () => view.focus(),
  };
}

/** The word at the server's position, which counts characters, not units of UTF-16. */
function diagnosticOf(view: EditorView, { fault, offset }: NonNullable<EditorProps['fault']>): Diagnostic[] {
  if (fault.position === undefined) return [];
  const document = view.state.doc.toString();
  const before = [...document.slice(offset)].slice(0, fault.position - 1).join('').length;
  const from = Math.min(document.length, offset + before);
  const word = /^[\p{L}\p{N}_$]+|^./u.exec(document.slice(from))?.[0].length ?? 0;
  const message = fault.hint === undefined ? fault.message : `${fault.message}\n${fault.hint}`;
  return [{ from, to: Math.min(document.length, from + Math.max(1, word)), severity: 'error', message }];
}

/** Told to an editor at its making; what it hears goes to the component as it is then. */
interface Made {
  readonly initial: string;
  readonly schema: SQLNamespace;
  /** True: the key is taken. */
  readonly run: () => boolean;
  readonly changed: () => void;
}

const stateOf = ({ initial, schema, run, changed }: Made): EditorState =>
  EditorState.create({
    doc: initial,
    extensions: [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      EditorView.cspNonce.of(nonce),
      EditorView.contentAttributes.of({ 'aria-label': WORDS.query.editor }),
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      autocompletion({ maxRenderedOptions: RENDERED_OPTIONS_MAX }),
      indentUnit.of('  '),
      completing.of(language(schema)),
      syntaxHighlighting(HIGHLIGHT),
      THEME,
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        indentWithTab,
      ]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed();
      }),
    ],
  });

export function Editor({ initial, schema, fault, onRun, onChange, handle }: EditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const events = useRef({ onRun, onChange });
  events.current = { onRun, onChange };

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what changes is told to it below
  useEffect(() => {
    if (box.current === null) return undefined;
    const run = (): boolean => {
      events.current.onRun();
      return true;
    };
    const changed = (): void => events.current.onChange();
    const made = new EditorView({ parent: box.current, state: stateOf({ initial, schema, run, changed }) });
    view.current = made;
    handle.current = handleOf(made);
    made.focus();
    return () => made.destroy();
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: completing.reconfigure(language(schema)) });
  }, [schema]);

  useEffect(() => {
    const { current } = view;
    if (current === null) return;
    current.dispatch(setDiagnostics(current.state, fault === null ? [] : diagnosticOf(current, fault)));
  }, [fault]);

  return <div ref={box} className={styles.editor} />;
}
