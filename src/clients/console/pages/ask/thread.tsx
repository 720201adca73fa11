/** The questions before in the thread of an answer, and those after. */
import { Link } from 'react-router';
import { useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import styles from './ask.module.css';
import { type Asked, THREAD } from './kept.ts';

const { ask: words } = WORDS;

interface ThreadProps {
  readonly thread: string;
  /** Null: it is being asked. */
  readonly current: string | null;
}

export function Thread({ thread, current }: ThreadProps) {
  const { value } = useRows<Asked>(THREAD, [thread]);
  const others = (value ?? []).filter(({ answer_id: id }) => id !== current);
  if (value === null || others.length === 0) return null;
  return (
    <nav className={styles.thread} aria-label={words.thread}>
      <ol>
        {value.map(({ answer_id: id, question, facts }) => (
          <li key={id}>
            <Link
              to={`/ask/${id}`}
              aria-current={id === current ? 'page' : undefined}
              title={question}
              className="cut"
            >
              {question}
            </Link>
            <span className="quiet small number">{words.factCount(facts)}</span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
