/** Rows from a file: chosen or dropped, looked at, mapped, sent; what was wrong is listed by line. */
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { bytes } from '../../../parts/format.ts';
import { Section } from '../../../parts/page.tsx';
import { FaultBox, Skeleton, Sql } from '../../../parts/states.tsx';
import { type Fault, faultOf } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import styles from '../collections.module.css';
import type { Relation } from '../relation.ts';
import { Importer, insertSql } from './importer.ts';
import { guessMapping, type Mapped } from './mapping.ts';
import { MappingTable } from './mapping-table.tsx';
import { Running } from './running.tsx';
import { openFile, type Source, type SourceRecord } from './source.ts';

const { import: words } = WORDS.collections;

interface ImportProps {
  readonly relation: Relation;
  readonly onChanged: () => void;
}

interface Opened {
  readonly source: Source;
  readonly sample: readonly SourceRecord[];
}

/** Types are guessed by so many. */
const SAMPLE_ROWS = 500;

async function sampleOf(source: Source): Promise<readonly SourceRecord[]> {
  const sample: SourceRecord[] = [];
  for await (const record of source.records(() => undefined)) {
    sample.push(record);
    if (sample.length >= SAMPLE_ROWS) break;
  }
  return sample;
}

export function Import({ relation, onChanged }: ImportProps) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [mapping, setMapping] = useState<readonly Mapped[]>([]);
  const [importer, setImporter] = useState<Importer | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isOpening, setOpening] = useState(false);
  useEffect(() => () => importer?.stop(), [importer]);
  const choose = async (file: File): Promise<void> => {
    setFault(null);
    setOpening(true);
    try {
      const source = await openFile(file);
      const sample = await sampleOf(source);
      setMapping(guessMapping(relation, sample));
      setOpened({ source, sample });
    } catch (error) {
      setFault({ ...faultOf(error), hint: words.unreadable });
    }
    setOpening(false);
  };
  const again = (): void => {
    setImporter(null);
    setOpened(null);
  };
  if (importer !== null && opened !== null) {
    return (
      <Running
        importer={importer}
        relation={relation}
        source={opened.source}
        onAgain={again}
        onOver={onChanged}
      />
    );
  }
  return (
    <>
      {fault !== null && <FaultBox fault={fault} />}
      <Section title={words.title(relation.shown)}>
        <Drop onFile={(file) => void choose(file)} opened={opened?.source ?? null} />
      </Section>
      {isOpening && <Skeleton />}
      {opened !== null && (
        <Section title={words.mapping}>
          <MappingTable relation={relation} sample={opened.sample} mapping={mapping} onChange={setMapping} />
          <Start
            name={opened.source.name}
            sql={insertSql(relation, mapping)}
            isReady={mapping.some(({ to }) => to !== null)}
            onStart={() => setImporter(new Importer({ relation, source: opened.source, mapping }))}
            onCancel={() => setOpened(null)}
          />
        </Section>
      )}
    </>
  );
}

interface StartProps {
  readonly name: string;
  readonly sql: string;
  readonly isReady: boolean;
  readonly onStart: () => void;
  readonly onCancel: () => void;
}

function Start({ name, sql, isReady, onStart, onCancel }: StartProps) {
  return (
    <div className={styles.lines}>
      <Sql text={sql} />
      <div className="row">
        <Button kind="main" icon="upload" disabled={!isReady} onClick={onStart}>
          {words.start(name)}
        </Button>
        <Button onClick={onCancel}>{WORDS.cancel}</Button>
      </div>
    </div>
  );
}

interface DropProps {
  readonly onFile: (file: File) => void;
  readonly opened: Source | null;
}

function Drop({ onFile, opened }: DropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={take}
    >
      <input
        ref={input}
        type="file"
        hidden
        aria-label={words.choose}
        accept=".csv,.tsv,.txt,.jsonl,.ndjson,.json,.parquet"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) onFile(file);
          target.value = '';
        }}
      />
      <Button icon="upload" kind={opened === null ? 'main' : 'plain'} onClick={() => input.current?.click()}>
        {opened === null ? words.choose : words.chooseOther}
      </Button>
      <span className="quiet">
        {opened === null
          ? words.drop
          : words.opened(opened.name, bytes(opened.size), words.formats[opened.format])}
      </span>
    </div>
  );
}
