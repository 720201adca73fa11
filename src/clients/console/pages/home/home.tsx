/** The first page: what is here, how large it is, what is on its way, what was asked, what went wrong; an empty server teaches. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { bytes, count } from '../../parts/format.ts';
import { pathOf } from '../../shell/path.ts';
import { Page } from '../../parts/page.tsx';
import { Badge, FaultBox, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import type { Loaded } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { type CollectionFact, type DatasetFact, type HomeFacts, useHomeFacts } from './facts.ts';
import styles from './home.module.css';
import { Start } from './start.tsx';

const { home: words } = WORDS;

export function Component() {
  const facts = useHomeFacts();
  const { collections, datasets } = facts;
  const isEmpty = collections.value?.length === 0 && datasets.value?.length === 0;
  const reload = (): void => {
    collections.reload();
    datasets.reload();
  };
  return (
    <Page title={WORDS.pages.home} name={WORDS.pages.home}>
      {isEmpty ? <Start onLoaded={reload} /> : <Lists facts={facts} />}
    </Page>
  );
}

function Lists({ facts: { collections, datasets, questions, failures } }: { readonly facts: HomeFacts }) {
  return (
    <div className={styles.lists}>
      <List title={WORDS.pages.collections} loaded={collections} none={words.noCollections} to="/collections">
        {(row) => <CollectionRow key={`${row.schema}.${row.name}`} fact={row} />}
      </List>
      <List title={WORDS.pages.datasets} loaded={datasets} none={words.noDatasets} to="/datasets">
        {(row) => <DatasetRow key={row.name} fact={row} />}
      </List>
      <List title={words.questions} loaded={questions} none={words.noQuestions} to="/ask">
        {({ answer_id, question, facts, asked_at }) => (
          <div key={answer_id} className={styles.row}>
            <Link className="cut" to={`/ask/${answer_id}`}>
              {question}
            </Link>
            <span className="quiet">{facts === 0 ? words.noAnswer : words.facts(facts)}</span>
            <span className="quiet small number">
              <When at={asked_at} />
            </span>
          </div>
        )}
      </List>
      <List title={words.failures} loaded={failures} none={words.noFailures}>
        {({ dataset, doc_id, name, reason, updated_at }) => (
          <div key={`${dataset}/${doc_id}`} className={styles.row} title={reason ?? undefined}>
            <Link className="cut" to={`${pathOf('datasets', dataset)}/failures`}>
              {name ?? doc_id} <span className="quiet">{reason}</span>
            </Link>
            <Badge tone="bad">{dataset}</Badge>
            <span className="quiet small number">
              <When at={updated_at} />
            </span>
          </div>
        )}
      </List>
    </div>
  );
}

interface ListProps<Fact> {
  readonly title: string;
  readonly loaded: Loaded<readonly Fact[]>;
  readonly none: string;
  /** Where there could be one. */
  readonly to?: string;
  readonly children: (fact: Fact) => ReactNode;
}

function List<Fact>({ title, loaded: { value, fault, reload }, none, to, children }: ListProps<Fact>) {
  return (
    <section className={styles.list}>
      <h2>{title}</h2>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      {value?.length === 0 && (
        <p className="quiet">
          {none}. {to !== undefined && <Link to={to}>{title}</Link>}
        </p>
      )}
      {value?.map(children)}
    </section>
  );
}

function CollectionRow({ fact: { schema, name, rows, bytes: size } }: { readonly fact: CollectionFact }) {
  const shown = schema === 'public' ? name : `${schema}.${name}`;
  return (
    <div className={styles.row}>
      <Link className="cut" to={pathOf('collections', shown)}>
        {shown}
      </Link>
      <span className="number">{rows === null ? '' : words.rows(count(Number(rows)))}</span>
      <span className="number quiet">{size === null ? '' : bytes(Number(size))}</span>
    </div>
  );
}

function DatasetRow({
  fact: { name, documents, bytes: size, waiting, failed },
}: {
  readonly fact: DatasetFact;
}) {
  const [inQueue, broken] = [Number(waiting), Number(failed)];
  return (
    <div className={styles.row}>
      <span className="row">
        <Link className="cut" to={pathOf('datasets', name)}>
          {name}
        </Link>
        {inQueue > 0 && <Badge tone="busy">{words.waiting(count(inQueue))}</Badge>}
        {broken > 0 && <Badge tone="bad">{words.failed(count(broken))}</Badge>}
      </span>
      <span className="number">{documents === null ? '' : words.documents(count(Number(documents)))}</span>
      <span className="number quiet">{size === null ? '' : bytes(Number(size))}</span>
    </div>
  );
}
