/**
 * An import under way and after: how far it is, how many rows are stored, and those that were not, with line
 * and reason.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { count, duration } from '../../../parts/format.ts';
import { Section } from '../../../parts/page.tsx';
import { FaultBox } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { WORDS } from '../../../words.ts';
import styles from '../collections.module.css';
import { ProgressLine } from '../load-films.tsx';
import { collectionPath } from '../place.ts';
import type { Relation } from '../relation.ts';
import type { Importer, ImportState, RowFault } from './importer.ts';
import type { Source } from './source.ts';

const { import: words } = WORDS.collections;

interface RunningProps {
  readonly importer: Importer;
  readonly relation: Relation;
  readonly source: Source;
  readonly onAgain: () => void;
  /** It is over: the collection has other rows. */
  readonly onOver: () => void;
}

export function Running({ importer, relation, source, onAgain, onOver }: RunningProps) {
  const state = useSyncExternalStore(importer.subscribe, importer.state);
  const isOver = state.kind === 'done' || state.kind === 'stopped';
  useLeaveAsked(!isOver);
  const over = useRef(onOver);
  over.current = onOver;
  useEffect(() => {
    if (isOver) over.current();
  }, [isOver]);
  return (
    <>
      <Section title={words.titles[state.kind](source.name)}>
        <div className={styles.lines}>
          {isOver ? (
            <p role="status" className="number">
              {words.stored(rowCount(state.stored), took(state))}
              {state.faults.length > 0 && ` ${words.notStored(state.faults.length)}`}
            </p>
          ) : (
            <ProgressLine
              progress={{ done: state.read, all: source.size }}
              said={words.progress(rowCount(state.stored), count(state.faults.length), rate(state))}
            />
          )}
          {state.fault !== null && (
            <FaultBox
              fault={state.fault}
              {...(state.kind === 'paused' && { onRetry: () => importer.resume() })}
            />
          )}
          <div className="row">
            {!isOver && (
              <Button icon="stop" onClick={() => importer.stop()}>
                {WORDS.stop}
              </Button>
            )}
            {isOver && (
              <LinkButton kind="main" to={collectionPath(relation.shown)}>
                {words.seeRows}
              </LinkButton>
            )}
            {isOver && <Button onClick={onAgain}>{words.another}</Button>}
          </div>
        </div>
      </Section>
      {state.faults.length > 0 && <Faults faults={byLine(state.faults)} name={source.name} />}
    </>
  );
}

const rowCount = (rows: number): string => words.rows(count(rows), rows === 1);

const byLine = (faults: readonly RowFault[]): readonly RowFault[] =>
  faults.toSorted((a, b) => a.line - b.line);

const took = ({ startedMs, endedMs }: ImportState): string =>
  duration((endedMs ?? performance.now()) - startedMs);

function rate({ stored, startedMs }: ImportState): string {
  const seconds = Math.max(0.001, (performance.now() - startedMs) / 1000);
  return count(Math.round(stored / seconds));
}

/** Closing the tab would end it. */
function useLeaveAsked(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOn]);
}

const SHOWN_FAULTS = 200;

function Faults({ faults, name }: { readonly faults: readonly RowFault[]; readonly name: string }) {
  const [shown, show] = useState(SHOWN_FAULTS);
  return (
    <Section title={words.faults(rowCount(faults.length))}>
      <div className={styles.lines}>
        <div className="row">
          <Button icon="download" onClick={() => download(faults, name)}>
            {words.download}
          </Button>
        </div>
      </div>
      <Table>
        <thead>
          <tr>
            <th scope="col">{words.line}</th>
            <th scope="col">{words.field}</th>
            <th scope="col">{words.why}</th>
          </tr>
        </thead>
        <tbody>
          {faults.slice(0, shown).map(({ line, field, reason }) => (
            <tr key={line}>
              <th scope="row" className="number">
                {count(line)}
              </th>
              <td className="mono small">{field ?? <span className="quiet">–</span>}</td>
              <td data-wrap>{reason}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {faults.length > shown && (
        <Button kind="bare" onClick={() => show(shown + SHOWN_FAULTS)}>
          {WORDS.more}
        </Button>
      )}
    </Section>
  );
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function download(faults: readonly RowFault[], name: string): void {
  const lines = [
    'line,field,reason',
    ...faults.map(({ line, field, reason }) => `${line},${quoted(field ?? '')},${quoted(reason)}`),
  ];
  const address = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${name}.faults.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
