/** Texts that were run in this browser. */
import { Panel } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { WORDS } from '../../words.ts';
import { ranBefore } from './kept-queries.ts';
import styles from './query.module.css';

const { query: words } = WORDS;

interface HistoryProps {
  readonly onChoose: (sql: string) => void;
  readonly onClose: () => void;
}

export function History({ onChoose, onClose }: HistoryProps) {
  const ran = ranBefore();
  return (
    <Panel title={words.history} onClose={onClose}>
      {ran.length === 0 && <Empty title={words.noHistory}>{words.noHistorySaid}</Empty>}
      {ran.map(({ text, at }) => (
        <button key={text} type="button" className={styles.item} onClick={() => onChoose(text)}>
          <code className="cut grow">{text}</code>
          <span className="quiet small">
            <When at={at} />
          </span>
        </button>
      ))}
    </Panel>
  );
}
