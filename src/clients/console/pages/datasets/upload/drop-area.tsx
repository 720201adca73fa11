/** Takes files and folders that are dropped on it. */
import { type DragEvent, type ReactNode, useState } from 'react';
import styles from '../datasets.module.css';
import { uploads } from './uploads.ts';
import { entriesOf, filesOf } from './walk.ts';

interface DropAreaProps {
  readonly dataset: string;
  /** Shown while something is held over it. */
  readonly label: string;
  readonly children: ReactNode;
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

export function DropArea({ dataset, label, children }: DropAreaProps) {
  const [isOver, setOver] = useState(false);
  const onDrop = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    void uploads.add(dataset, filesOf(entriesOf(event.dataTransfer)));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same by keys
    <div
      className={styles.drop}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={onDrop}
    >
      {children}
      {isOver && <div className={styles.over}>{label}</div>}
    </div>
  );
}
