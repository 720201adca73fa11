/**
 * Rows that each search found, best first; the same row is joined by a line, so that what differs is seen at
 * once.
 */
import { useState } from 'react';
import { CopyButton } from '../../parts/copy.tsx';
import { duration } from '../../parts/format.ts';
import { FaultBox, Skeleton, Sql } from '../../parts/states.tsx';
import { ChoiceTabs } from '../../parts/tabs.tsx';
import { WORDS } from '../../words.ts';
import styles from './bench.module.css';
import { type Arm, type Asked, type Hit, partsOf, writtenSql } from './search.ts';
import { ARMS, type Searches, type Searching } from './use-searches.ts';

const { bench: words } = WORDS;

export interface Opened {
  readonly arm: Arm;
  readonly key: string;
}

interface LanesProps {
  readonly asked: Asked;
  readonly searches: Searches;
  readonly opened: Opened | null;
  readonly onOpen: (opened: Opened) => void;
}

export function Lanes({ asked, searches, opened, onOpen }: LanesProps) {
  const [hovered, hover] = useState<string | null>(null);
  // On a small screen there is room for one.
  const [chosen, choose] = useState<Arm>('hybrid');
  const marked = hovered ?? opened?.key ?? null;
  return (
    <>
      <Glance searches={searches} />
      <div className={styles.choice}>
        <ChoiceTabs
          label={words.lanes}
          value={chosen}
          options={ARMS.map((value) => ({ value, label: words.arms[value] }))}
          onChange={choose}
        />
      </div>
      <div className={styles.lanes}>
        {ARMS.flatMap((arm, i) => [
          ...(i === 0
            ? []
            : [
                <Lines
                  key={`to ${arm}`}
                  left={searches[ARMS[i - 1] as Arm].found?.hits ?? []}
                  right={searches[arm].found?.hits ?? []}
                  arm={i === 1 ? 'keyword' : 'meaning'}
                  marked={marked}
                />,
              ]),
          <Lane
            key={arm}
            arm={arm}
            asked={asked}
            searching={searches[arm]}
            others={searches}
            isChosen={arm === chosen}
            marked={marked}
            opened={opened}
            onHover={hover}
            onOpen={onOpen}
          />,
        ])}
      </div>
    </>
  );
}

/** The difference, in a sentence. */
function Glance({ searches }: { readonly searches: Searches }) {
  const keyword = searches.keyword.found?.hits;
  const meaning = searches.meaning.found?.hits;
  if (keyword === undefined || meaning === undefined) return null;
  const byWords = new Set(keyword.map(({ key }) => key));
  const both = meaning.filter(({ key }) => byWords.has(key)).length;
  return (
    <p className={`${styles.glance} number`} role="status">
      {words.glance({ both, keyword: keyword.length - both, meaning: meaning.length - both })}
    </p>
  );
}

/** As `.hit` has it, and the head above. */
const ROW_PX = 64;
const LINES_PX = 56;

interface LinesProps {
  readonly left: readonly Hit[];
  readonly right: readonly Hit[];
  /** Whose colour they have. */
  readonly arm: 'keyword' | 'meaning';
  readonly marked: string | null;
}

function Lines({ left, right, arm, marked }: LinesProps) {
  const height = Math.max(left.length, right.length, 1) * ROW_PX;
  const middle = (row: number): number => row * ROW_PX + ROW_PX / 2;
  return (
    <svg
      className={styles.lines}
      data-arm={arm}
      viewBox={`0 0 ${LINES_PX} ${height}`}
      preserveAspectRatio="none"
      height={height}
      aria-hidden="true"
    >
      {left.map(({ key }, from) => {
        const to = right.findIndex((hit) => hit.key === key);
        if (to < 0) return null;
        const [y1, y2] = [middle(from), middle(to)];
        const bend = LINES_PX / 2;
        return (
          <path
            key={key}
            d={`M0 ${y1}C${bend} ${y1} ${bend} ${y2} ${LINES_PX} ${y2}`}
            data-marked={key === marked || undefined}
            data-pale={(marked !== null && key !== marked) || undefined}
          />
        );
      })}
    </svg>
  );
}

interface LaneProps {
  readonly arm: Arm;
  readonly asked: Asked;
  readonly searching: Searching;
  readonly others: Searches;
  readonly isChosen: boolean;
  readonly marked: string | null;
  readonly opened: Opened | null;
  readonly onHover: (key: string | null) => void;
  readonly onOpen: (opened: Opened) => void;
}

function Lane(props: LaneProps) {
  const { arm, asked, searching, isChosen } = props;
  const { found, fault, isLoading } = searching;
  const best = found?.hits[0]?.score ?? 1;
  return (
    <section
      className={styles.lane}
      data-arm={arm}
      data-chosen={isChosen || undefined}
      aria-label={words.arms[arm]}
    >
      <header className={styles.head}>
        <h2>{words.arms[arm]}</h2>
        <span className="quiet small number grow">{found !== null && !isLoading && duration(found.ms)}</span>
        <CopyButton text={writtenSql(asked, arm)} label={WORDS.copySql} />
      </header>
      {fault !== null && <FaultBox fault={fault} />}
      {found === null && isLoading && <Skeleton />}
      {found === null && !isLoading && fault === null && <Missing asked={asked} arm={arm} />}
      {found?.hits.length === 0 && <p className={`quiet ${styles.none}`}>{words.nothing}</p>}
      <ol>
        {found?.hits.map((hit, i) => (
          <HitRow key={hit.key} hit={hit} rank={i + 1} best={best} {...props} />
        ))}
      </ol>
    </section>
  );
}

function Missing({ asked: { source }, arm }: { readonly asked: Asked; readonly arm: Arm }) {
  const column = source.text ?? source.title ?? 'text';
  return (
    <div className={styles.none}>
      <p className="quiet">{words.missing[arm]}</p>
      <Sql
        text={`CREATE INDEX ON ${source.sql} USING ${arm === 'meaning' ? 'semantic' : 'keyword'} (${column})`}
      />
    </div>
  );
}

interface HitRowProps extends LaneProps {
  readonly hit: Hit;
  readonly rank: number;
  readonly best: number;
}

function HitRow({ hit, rank, best, arm, others, marked, opened, onHover, onOpen }: HitRowProps) {
  const isOpened = opened?.arm === arm && opened.key === hit.key;
  const isAlone = arm !== 'hybrid' && !isElsewhere(hit.key, arm, others);
  return (
    <li>
      <button
        type="button"
        className={styles.hit}
        data-marked={hit.key === marked || undefined}
        aria-pressed={isOpened}
        onClick={() => onOpen({ arm, key: hit.key })}
        onMouseEnter={() => onHover(hit.key)}
        onMouseLeave={() => onHover(null)}
        onFocus={() => onHover(hit.key)}
        onBlur={() => onHover(null)}
      >
        <span className={`number ${styles.rank}`}>{rank}</span>
        <span className={styles.words}>
          <strong className="cut" title={hit.title}>
            {hit.title === '' ? hit.key : hit.title}
          </strong>
          <span className="quiet small cut">{hit.text}</span>
          <Score hit={hit} arm={arm} best={best} />
        </span>
        <span className={styles.side}>
          <span className="number small">{scoreText(hit.score)}</span>
          {isAlone && <span className="quiet small">{words.alone}</span>}
        </span>
      </button>
    </li>
  );
}

const scoreText = (score: number): string =>
  score.toLocaleString(undefined, { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

function isElsewhere(key: string, arm: Arm, others: Searches): boolean {
  return ARMS.some((one) => one !== arm && others[one].found?.hits.some((hit) => hit.key === key) === true);
}

/** Hybrid's bar is made of what each arm gave. */
function Score({ hit, arm, best }: { readonly hit: Hit; readonly arm: Arm; readonly best: number }) {
  const width = best <= 0 ? 0 : Math.max(0, Math.min(1, hit.score / best));
  const parts = partsOf(hit.explanation);
  if (arm !== 'hybrid') {
    return (
      <span className={styles.bar} role="img" aria-label={words.score(scoreText(hit.score))}>
        <i data-arm={arm} style={{ width: `${100 * width}%` }} />
      </span>
    );
  }
  const said = words.shares(Math.round(100 * parts.keyword.share), Math.round(100 * parts.meaning.share));
  return (
    <span className={styles.bar} role="img" aria-label={said} title={said}>
      <i data-arm="keyword" style={{ width: `${100 * width * parts.keyword.share}%` }} />
      <i data-arm="meaning" style={{ width: `${100 * width * parts.meaning.share}%` }} />
    </span>
  );
}
