/** The row was changed by somebody else since it was opened: what differs, and what to do with it. */
import { Button } from '../../../parts/button.tsx';
import { WORDS } from '../../../words.ts';
import type { Draft, StoredRow } from './row-store.ts';
import { textOf } from './row-value.ts';
import styles from './rows.module.css';

const { stale: words } = WORDS.collections;

interface StaleProps {
  readonly stored: StoredRow;
  readonly theirs: StoredRow;
  readonly draft: Draft;
  readonly onMerge: () => void;
  readonly onOverwrite: () => void;
  readonly onTheirs: () => void;
}

export function Stale({ stored, theirs, draft, onMerge, onOverwrite, onTheirs }: StaleProps) {
  const changed = theirs.columns.filter(
    ({ name }) => textOf(theirs.values.get(name) ?? null) !== textOf(stored.values.get(name) ?? null),
  );
  const both = changed.filter(({ name }) => draft.has(name));
  return (
    <div className={styles.stale} role="alert">
      <p>
        <strong>{words.title}</strong> {words.said(changed.length, both.length)}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.field}</th>
            <th scope="col">{words.theirs}</th>
            <th scope="col">{words.mine}</th>
          </tr>
        </thead>
        <tbody>
          {changed.map(({ name }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{textOf(theirs.values.get(name) ?? null) ?? WORDS.null}</td>
              <td>{draft.has(name) ? (draft.get(name) ?? WORDS.null) : words.untouched}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="row">
        <Button kind="main" onClick={onMerge}>
          {words.merge}
        </Button>
        <Button onClick={onOverwrite}>{words.overwrite}</Button>
        <Button onClick={onTheirs}>{words.takeTheirs}</Button>
      </div>
    </div>
  );
}
