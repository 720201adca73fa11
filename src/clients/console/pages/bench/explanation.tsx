/** Summands of the score of one row. */
import { useCallback } from 'react';
import { pathOf } from '../../shell/path.ts';
import { LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/page.tsx';
import { quoteName } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useLoaded } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import styles from './bench.module.css';
import type { Arm, ArmExplanation, Hit, Term } from './search.ts';
import type { BenchSource } from './sources.ts';

const { bench: words } = WORDS;

interface ExplanationProps {
  readonly source: BenchSource;
  readonly arm: Arm;
  readonly hit: Hit;
  readonly onClose: () => void;
}

const number = (value: number): string => value.toLocaleString(undefined, { maximumSignificantDigits: 4 });

export function ExplanationPanel({ source, arm, hit, onClose }: ExplanationProps) {
  const { arms, predicates = [], rankings = [], method } = hit.explanation;
  const parts = arms ?? [...predicates, ...rankings];
  return (
    <Panel
      title={hit.title === '' ? hit.key : hit.title}
      actions={<CopyButton text={JSON.stringify(hit.explanation, null, 2)} label={words.copyExplanation} />}
      onClose={onClose}
    >
      <div className={styles.explanation}>
        <p className="number">
          <strong>{words.arms[arm]}</strong> {number(hit.score)}
          {method !== undefined && <span className="quiet"> · {words.byMethod(method)}</span>}
        </p>
        {parts.map((part, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an explanation does not change
          <Part key={i} part={part} source={source} hit={hit} isFused={arms !== undefined} />
        ))}
        {source.key.length > 0 && !source.sql.includes('.') && (
          <div className="row">
            <LinkButton to={pathOf('collections', source.id, 'rows', hit.key)}>{words.seeRow}</LinkButton>
          </div>
        )}
      </div>
    </Panel>
  );
}

interface PartProps {
  readonly part: ArmExplanation;
  readonly source: BenchSource;
  readonly hit: Hit;
  readonly isFused: boolean;
}

function Part({ part, source, hit, isFused }: PartProps) {
  const isWords = part.terms !== undefined;
  const arm = isWords ? 'keyword' : 'meaning';
  return (
    <section className={styles.part} data-arm={arm}>
      <h3>
        {words.arms[arm]}
        {part.column !== undefined && <span className="quiet mono small"> {part.column}</span>}
      </h3>
      <dl className={styles.facts}>
        <dt>{words.rawScore}</dt>
        <dd className="number">{part.score === null ? words.notFound : number(part.score)}</dd>
        {isFused && (
          <>
            <dt>{words.rank}</dt>
            <dd className="number">{part.rank ?? words.notFound}</dd>
            <dt>{words.contribution}</dt>
            <dd className="number">
              {words.sum(
                number(part.weight ?? 0),
                number(part.normalized ?? 0),
                number(part.contribution ?? 0),
              )}{' '}
              <span className="quiet">{words.share(Math.round(100 * (part.share ?? 0)))}</span>
            </dd>
          </>
        )}
      </dl>
      {isWords && part.terms.length > 0 && <Terms terms={part.terms} other={part.other_terms} />}
      {part.passage !== undefined && part.column !== undefined && (
        <Passage passage={part.passage} column={part.column} source={source} hit={hit} />
      )}
    </section>
  );
}

function Terms({
  terms,
  other,
}: {
  readonly terms: readonly Term[];
  readonly other: ArmExplanation['other_terms'];
}) {
  return (
    <table className={styles.terms}>
      <thead>
        <tr>
          <th scope="col">{words.term}</th>
          <th scope="col">{words.where}</th>
          <th scope="col" data-number>
            {words.rows}
          </th>
          <th scope="col" data-number>
            idf
          </th>
          <th scope="col" data-number>
            {words.adds}
          </th>
        </tr>
      </thead>
      <tbody>
        {terms.map((term) => (
          <tr key={term.words.join(' ')}>
            <th scope="row">{term.words.join(' ')}</th>
            <td className="quiet small">
              {(term.fields ?? []).map(({ column, frequency }) => words.times(column, frequency)).join(', ')}
              {term.fields === undefined && term.frequency !== undefined && words.times('', term.frequency)}
            </td>
            <td data-number>{count(term.documents)}</td>
            <td data-number>{number(term.idf)}</td>
            <td data-number>{number(term.contribution)}</td>
          </tr>
        ))}
        {other !== undefined && (
          <tr>
            <th scope="row">{words.otherTerms(count(other.count))}</th>
            <td colSpan={3} />
            <td data-number>{number(other.contribution)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

interface PassageProps extends Pick<PartProps, 'source' | 'hit'> {
  readonly passage: NonNullable<ArmExplanation['passage']>;
  readonly column: string;
}

/** The passage that is most like the query; its text is asked for when it is looked at. */
function Passage({ passage: { number: at, of, start, length }, column, source, hit }: PassageProps) {
  const key = source.key.map((name) => `${quoteName(name)}::text`).join(` || ',' || `);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const statement = `SELECT substr(${quoteName(column)}, $2::int, $3::int) FROM ${source.sql} WHERE ${key} = $1`;
      const { rows } = await run(statement, { params: [hit.key, start, length], signal });
      return String(rows[0]?.[0] ?? '');
    },
    [column, key, source.sql, hit.key, start, length],
  );
  const { value, fault } = useLoaded(source.key.length === 0 ? null : load);
  return (
    <figure className={styles.passage}>
      <figcaption className="quiet small">{words.passage(at, of)}</figcaption>
      {fault === null ? <blockquote>{value ?? ''}</blockquote> : <p className="quiet">{fault.message}</p>}
    </figure>
  );
}
