/** A row as JSON. What is written is compared with what is stored: only what differs is sent. */
import { useState } from 'react';
import { TextArea } from '../../../parts/field.tsx';
import type { Json } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import type { Relation } from '../relation.ts';
import { isWholeNumber, typeClass } from '../types.ts';
import { type Draft, isWritten, type StoredRow } from './row-store.ts';
import { type Text, textOf } from './row-value.ts';
import styles from './rows.module.css';

const { row: words } = WORDS.collections;

interface RowJsonProps {
  readonly relation: Relation;
  readonly stored: StoredRow;
  readonly draft: Draft;
  readonly canWrite: boolean;
  readonly onChange: (draft: Draft) => void;
}

/**
 * Numbers of the server that come as texts, since JSON's would lose digits, are written as numbers where they
 * lose none.
 */
function jsonOf(text: Text, type: string): Json {
  if (text === null) return null;
  const kind = typeClass(type);
  if (kind === 'number' && String(Number(text)) === text) return Number(text);
  if (kind === 'boolean') return text === 'true';
  if (kind !== 'json' && kind !== 'list' && kind !== 'vector') return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function written({ relation, stored, draft }: RowJsonProps): string {
  const columns = stored.columns.length > 0 ? stored.columns : relation.columns;
  const known = columns.map(({ name, type }): readonly [string, Json] => {
    const text = draft.has(name) ? (draft.get(name) ?? null) : textOf(stored.values.get(name) ?? null);
    return [name, jsonOf(text, type)];
  });
  const names = new Set(columns.map(({ name }) => name));
  const brought = [...draft]
    .filter(([name]) => !names.has(name))
    .map(([name, text]) => [name, text] as const);
  return JSON.stringify(Object.fromEntries([...known, ...brought]), null, 2);
}

const isStruct = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns the draft that the text is, or what is wrong with it. */
function read(text: string, { relation, stored }: RowJsonProps): Draft | string {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!isStruct(given)) return words.noObject;
  const isNew = stored.columns.length === 0;
  const key = relation.key.find(
    (name) => !isNew && textOf(given[name] ?? null) !== textOf(stored.values.get(name) ?? null),
  );
  if (key !== undefined) return words.keyStays(key);
  const names = new Set([...stored.values.keys(), ...Object.keys(given)]);
  const draft = new Map<string, Text>();
  for (const name of names) {
    const isOpen = isWritten(relation, name) || (isNew && name === '_id');
    if (!isOpen || (!isNew && relation.key.includes(name))) continue;
    const after = textOf(given[name] ?? null);
    const before = stored.values.get(name) ?? null;
    const type = stored.columns.find((column) => column.name === name)?.type ?? '';
    const isSame = JSON.stringify(jsonOf(textOf(before), type)) === JSON.stringify(given[name] ?? null);
    if (!isSame && !(isNew && after === null))
      draft.set(name, isWholeNumber(type) ? (after?.trim() ?? null) : after);
  }
  return draft;
}

export function RowJson(props: RowJsonProps) {
  const [text, setText] = useState(() => written(props));
  const [fault, setFault] = useState<string | null>(null);
  const change = (next: string): void => {
    setText(next);
    const draft = read(next, props);
    setFault(typeof draft === 'string' ? draft : null);
    if (typeof draft !== 'string') props.onChange(draft);
  };
  return (
    <TextArea
      label={words.json}
      isLabelHidden
      className={styles.json}
      fault={fault}
      rows={Math.min(40, text.split('\n').length + 2)}
      readOnly={!props.canWrite}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}
