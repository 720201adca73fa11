/** One collection or table: its rows, its schema, its indexes, its settings. */
import { lazy, Suspense, useRef } from 'react';
import { Navigate, useLocation } from 'react-router';
import { LinkButton } from '../../parts/button.tsx';
import { bytes } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { Badge, Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { When } from '../../parts/when.tsx';
import { quoteName } from '../../server/names.ts';
import { WORDS } from '../../words.ts';
import { Indexes } from './indexes.tsx';
import { collectionPath, type Place } from './place.ts';
import { type Relation, useRelation } from './relation.ts';
import { Rows } from './rows/rows.tsx';
import { Schema } from './schema.tsx';
import { Settings } from './settings.tsx';

const Import = lazy(() =>
  import('./import/import.tsx').then(({ Import: default_ }) => ({ default: default_ })),
);

const { collections: words } = WORDS;

export function Collection({ name, place }: { readonly name: string; readonly place: Place }) {
  const { value, fault, isLoading, reload } = useRelation(name);
  const relation = useSame(value?.[0] ?? null);
  const isGone = value !== null && value.length === 0;
  return (
    <Page
      title={<span title={name}>{name}</span>}
      name={name}
      state={relation !== null && <About relation={relation} />}
      actions={
        relation?.rights.insert === true && (
          <LinkButton icon="upload" to={collectionPath(name, 'import')}>
            {words.rows.import}
          </LinkButton>
        )
      }
      tabs={relation !== null && <Sides name={name} relation={relation} />}
    >
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {relation === null && isLoading && <Skeleton />}
      {isGone && (
        <Empty
          title={words.gone(name)}
          action={<LinkButton to="/collections">{words.toList}</LinkButton>}
          sql={`CREATE TABLE ${quoteName(name)} (_id text)`}
        >
          {words.goneSaid}
        </Empty>
      )}
      {relation !== null && !isGone && <OneSide relation={relation} place={place} onChanged={reload} />}
    </Page>
  );
}

/** A description is another object each time; who shows rows of it goes on with the same. */
function useSame<Value>(value: Value): Value {
  const kept = useRef(value);
  const text = (given: Value): string =>
    JSON.stringify(given, (_, one: unknown) => (one instanceof Set ? [...one] : one));
  if (text(kept.current) !== text(value)) kept.current = value;
  return kept.current;
}

function About({
  relation: { isCollection, bytes: size, changedAt, rights, hasRowRules },
}: {
  readonly relation: Relation;
}) {
  return (
    <span className="row quiet small number">
      <span className="wide-only">{isCollection ? words.collection : words.table}</span>
      {size !== null && <span className="wide-only">{bytes(size)}</span>}
      {changedAt !== null && (
        <span className="wide-only">
          {words.changed.toLowerCase()} <When at={changedAt} />
        </span>
      )}
      {hasRowRules && <Badge tone="warn">{words.rowRules}</Badge>}
      {!rights.read && <Badge tone="bad">{words.noRead}</Badge>}
    </span>
  );
}

function Sides({ name, relation }: { readonly name: string; readonly relation: Relation }) {
  const to = (side: 'schema' | 'indexes' | 'settings'): string => collectionPath(name, side);
  return (
    <Tabs
      label={name}
      tabs={[
        { to: collectionPath(name), label: words.sides.rows, count: relation.rowCount },
        { to: to('schema'), label: words.sides.schema, count: relation.columns.length },
        { to: to('indexes'), label: words.sides.indexes },
        { to: to('settings'), label: words.sides.settings },
      ]}
    />
  );
}

interface OneSideProps {
  readonly relation: Relation;
  readonly place: Place;
  readonly onChanged: () => void;
}

function OneSide({ relation, place: { side, key }, onChanged }: OneSideProps) {
  const { search } = useLocation();
  if (side === null) return <Navigate to={{ pathname: collectionPath(relation.shown), search }} replace />;
  switch (side) {
    case 'schema':
      return <Schema relation={relation} onChanged={onChanged} />;
    case 'indexes':
      return <Indexes relation={relation} onChanged={onChanged} />;
    case 'settings':
      return <Settings relation={relation} onChanged={onChanged} />;
    case 'import':
      return (
        <Suspense fallback={<Skeleton />}>
          <Import relation={relation} onChanged={onChanged} />
        </Suspense>
      );
    default:
      return <Rows relation={relation} rowKey={key} onChanged={onChanged} />;
  }
}
