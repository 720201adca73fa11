/** An empty server: three ways to begin, each a click or a line to paste. */
import { LinkButton } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { WORDS } from '../../words.ts';
import { PasteLines } from '../keys/paste-lines.tsx';
import styles from './home.module.css';
import { Samples } from './samples.tsx';

const { start: words } = WORDS;

export function Start({ onLoaded }: { readonly onLoaded: () => void }) {
  return (
    <>
      <Section title={words.samples}>
        <div className="stack">
          <p className="quiet">{words.samplesSaid}</p>
          <Samples onLoaded={onLoaded} />
        </div>
      </Section>
      <Section title={words.upload}>
        <div className="stack">
          <p className="quiet">{words.uploadSaid}</p>
          <div className="row">
            <LinkButton icon="upload" to="/datasets">
              {words.toDatasets}
            </LinkButton>
            <LinkButton icon="plus" to="/collections">
              {words.toCollections}
            </LinkButton>
          </div>
        </div>
      </Section>
      <Section title={words.connect}>
        <div className={styles.paste}>
          <p className="quiet">{words.connectSaid}</p>
          <PasteLines of={words.keyPlace} />
        </div>
      </Section>
    </>
  );
}
