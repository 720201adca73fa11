/** Nothing is here yet: the samples with one click, a collection of one's own, or a line to paste. */
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Sql } from '../../parts/states.tsx';
import { CREATE_FILMS } from '../../samples/films.ts';
import { useConnectionLines } from '../../server/connection-lines.ts';
import { useMayCreate } from '../../server/use-may-create.ts';
import { WORDS } from '../../words.ts';
import styles from './collections.module.css';
import { LoadFilms } from './load-films.tsx';

const { collections: words } = WORDS;

interface Props {
  readonly onLoaded: () => void;
  readonly onCreate: () => void;
}

export function NoCollections({ onLoaded, onCreate }: Props) {
  const [psql] = useConnectionLines(WORDS.start.keyPlace);
  const mayCreate = useMayCreate('table');
  if (!mayCreate) {
    return (
      <Empty title={words.noneSeen} sql={words.grantSql}>
        {words.noneSeenSaid}
      </Empty>
    );
  }
  return (
    <>
      <Empty title={words.empty} action={<LoadFilms onLoaded={onLoaded} />} sql={CREATE_FILMS}>
        {words.emptySaid}
      </Empty>
      <Section title={words.ownTitle}>
        <div className={styles.lines}>
          <p className="quiet">{words.ownSaid}</p>
          <div className="row">
            <Button icon="plus" onClick={onCreate}>
              {words.create.open}
            </Button>
          </div>
          <p className="quiet">{words.lineSaid}</p>
          <Sql text={psql?.text ?? ''} />
        </div>
      </Section>
    </>
  );
}
